#include "lesson/experiments/luong_table.h"

#include "core/check.h"

void luong_table_show(Run *run, const Contest *contest, const double *aer, int window,
                      int window_score) {
    enum { ROWS = 3 };
    static const char *const global[ROWS] = {"6.1\t18.6", "6.1\t17.3", "not given\tnot given"};
    static const char *const local[ROWS] = {"6.6\t18.0", "5.9\t19.0", "not given\tnot given"};
    CHECK(contest->count > window && window >= ROWS && window_score >= 0 && window_score < ROWS,
          "luong_table: %d contenders, window %d, its score %d", contest->count, window,
          window_score);
    const Contender *by = contest->by;
    run_say(run, "The paper's own comparison (table 4, English to German) beside ours. Its authors "
                 "add in words that concat did not do well with them, and do not know why:");
    run_table(run, "score\tpaper: perplexity\tBLEU\there: exact match\talignment error");
    for (int i = 0; i < ROWS; i++) {
        run_table_row(run, "%s\t%s\t%.3f\t%.3f", by[i].label, global[i], by[i].exact, aer[i]);
    }
    run_table_row(run, "%s, %s\t%s\t%.3f\t%.3f", by[window].label, by[window_score].label,
                  local[window_score], by[window].exact, aer[window]);
    run_table_end(run);
}
