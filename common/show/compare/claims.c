/* Claims of two runs in one table. */
#include "show/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPREAD_SIZE = 2 * VALUE_SIZE + 8 };

static bool is_percent(const RunClaim *claim) {
    return strchr(claim->text, '%') != NULL && fabs(claim->bound) <= 1;
}

void claim_value_text(char text[VALUE_SIZE], const RunClaim *claim, double value, bool sign,
                      int digits) {
    bool percent = is_percent(claim);
    double shown = percent ? 100 * value : value;
    if (!isfinite(value)) {
        snprintf(text, VALUE_SIZE, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    } else if (shown == floor(shown) && fabs(shown) < 1e7) {
        snprintf(text, VALUE_SIZE, sign ? "%+.0f%s" : "%.0f%s", shown + 0.0, percent ? " %" : "");
    } else {
        snprintf(text, VALUE_SIZE, sign ? "%+.*g%s" : "%.*g%s", digits, shown, percent ? " %" : "");
    }
}

/* ---- what moved ---- */

/* How far the value stands on the good side of its bound. */
static double margin(const RunClaim *claim) {
    double beyond = claim->spread.median - claim->bound;
    return claim->op[0] == '>' ? beyond : claim->op[0] == '<' ? -beyond : -fabs(beyond);
}

double claim_change(const RunClaim *a, const RunClaim *b) {
    double unit = fabs(a->bound);
    if (unit == 0) {
        unit = fmax(fabs(a->spread.median), fabs(b->spread.median));
    }
    double change = fabs(margin(b) - margin(a)); /* the bounds may differ between two lessons */
    return unit > 0 ? change / unit : 0;
}

ClaimMove claim_move(const RunClaim *a, const RunClaim *b) {
    bool both = a->spread.made > 0 && b->spread.made > 0;
    if (!both || !(claim_change(a, b) > 0.01)) {
        return MOVE_NONE;
    }
    return margin(b) > margin(a) ? MOVE_BETTER : MOVE_WORSE;
}

static bool within(const ClaimSpread *spread, double value) {
    return value >= spread->min && value <= spread->max;
}

bool claim_outside(const RunFolder *a, const RunFolder *b, const RunClaim *of_a,
                   const RunClaim *of_b) {
    bool of_seeds_a = a->runs > 1 && of_a->spread.made > 1;
    bool of_seeds_b = b->runs > 1 && of_b->spread.made > 1;
    return (of_seeds_a && !within(&of_a->spread, of_b->spread.median)) ||
           (of_seeds_b && !within(&of_b->spread, of_a->spread.median));
}

/* ---- the table ---- */

/* "both", "A only", or of several seeds how many: "5/5, 4/5". */
static void who_holds(char text[32], const Comparison *c, const RunClaim *a, const RunClaim *b) {
    int holds[2] = {a ? a->spread.holds : 0, b ? b->spread.holds : 0};
    int made[2] = {a ? a->spread.made : 0, b ? b->spread.made : 0};
    if (made[0] + made[1] == 0) {
        bool timing = a ? strcmp(a->status, "timing") == 0 : b && strcmp(b->status, "timing") == 0;
        snprintf(text, 32, "%s", timing ? "not judged" : "not made");
    } else if (c->a.runs > 1 || c->b.runs > 1) {
        snprintf(text, 32, "%d/%d, %d/%d", holds[0], made[0], holds[1], made[1]);
    } else {
        snprintf(text, 32, "%s",
                 holds[0] && holds[1] ? "both"
                 : holds[0]           ? "A only"
                 : holds[1]           ? "B only"
                                      : "neither");
    }
}

static void value_cell(char text[VALUE_SIZE], const RunClaim *claim, int digits) {
    if (claim && claim->spread.made > 0) {
        claim_value_text(text, claim, claim->spread.median, false, digits);
    } else {
        snprintf(text, VALUE_SIZE, "-");
    }
}

/* Both values, with more digits while rounding makes different ones look equal. */
static void value_cells(char cells[3][VALUE_SIZE], const RunClaim *a, const RunClaim *b) {
    for (int digits = 3; digits <= 9; digits++) {
        value_cell(cells[0], a, digits);
        value_cell(cells[1], b, digits);
        if (!a || !b || strcmp(cells[0], cells[1]) != 0 || a->spread.median == b->spread.median) {
            break;
        }
    }
    snprintf(cells[2], VALUE_SIZE, "-");
    if (a && b && a->spread.made > 0 && b->spread.made > 0) {
        double change = b->spread.median - a->spread.median;
        if (change == 0) {
            snprintf(cells[2], VALUE_SIZE, "0");
        } else {
            claim_value_text(cells[2], a, change, true, 2);
        }
    }
}

/* "35 .. 44 %": what the seeds of a run gave. */
static void spread_cell(char text[SPREAD_SIZE], const RunFolder *run, const RunClaim *claim) {
    snprintf(text, SPREAD_SIZE, "-");
    if (run->runs > 1 && claim && claim->spread.made > 1) {
        char low[VALUE_SIZE], high[VALUE_SIZE];
        claim_value_text(low, claim, claim->spread.min, false, 3);
        claim_value_text(high, claim, claim->spread.max, false, 3);
        char *unit = strstr(low, " %");
        if (unit && strstr(high, " %")) {
            *unit = '\0';
        }
        snprintf(text, SPREAD_SIZE, "%.38s .. %.38s", low, high);
    }
}

/* What the claim says; of two lessons both, where their words differ. */
static char *says(const Comparison *c, const RunClaim *a, const RunClaim *b) {
    char text[1024];
    const char *mine = a ? a->text : b->text, *theirs = b ? b->text : mine;
    int size = (int)strlen(mine);
    size -= size > 3 && strcmp(mine + size - 3, ", %") == 0 ? 3 : 0;
    if (strcmp(mine, theirs) == 0) {
        snprintf(text, sizeof text, "%.*s", size > 480 ? 480 : size, mine);
    } else {
        snprintf(text, sizeof text, "A: %.480s; B: %.480s", mine, theirs);
    }
    return terminal_clean(c->term, text);
}

static void row_add(Table *table, const Comparison *c, const RunClaim *a, const RunClaim *b) {
    char cells[3][VALUE_SIZE], spread[2][SPREAD_SIZE] = {"", ""}, holds[32];
    int used = 0;
    char seeds[2 * SPREAD_SIZE + 8] = "";
    value_cells(cells, a, b);
    who_holds(holds, c, a, b);
    const RunFolder *runs[2] = {&c->a, &c->b};
    for (int i = 0; i < 2; i++) {
        if (runs[i]->runs > 1) {
            spread_cell(spread[i], runs[i], i == 0 ? a : b);
            used += snprintf(seeds + used, sizeof seeds - (size_t)used, "%s\t", spread[i]);
        }
    }
    bool both = a && b && a->spread.made > 0 && b->spread.made > 0;
    bool lost = both && strcmp(a->status, "holds") == 0 && strcmp(b->status, "fails") == 0;
    bool won = both && strcmp(a->status, "fails") == 0 && strcmp(b->status, "holds") == 0;
    char cut[32];
    snprintf(cut, sizeof cut, "%s", a ? a->step : b->step);
    char *text = says(c, a, b), *step = terminal_clean(c->term, cut);
    table_row_styled(table,
                     lost  ? STYLE_RED
                     : won ? STYLE_GREEN
                           : STYLE_PLAIN,
                     "%s\t%s\t%s\t%s\t%s\t%s%s", step, text, cells[0], cells[1], cells[2], seeds,
                     holds);
    free(text);
    free(step);
}

/* What is measured, without the name of what it is measured on: "attention: dates right, %" and
 * "1000 steps: dates right, %" measure the same. */
static const char *measured(const RunClaim *claim) {
    const char *name_end = strstr(claim->text, ": ");
    return name_end ? name_end + 2 : claim->text;
}

/* The claim of the other run that means the same, or NULL. Ids are names within a lesson; two
 * lessons may use the same one for different things, so there the texts have to agree as well. */
static const RunClaim *counterpart(const Comparison *c, const RunFolder *other,
                                   const RunClaim *claim) {
    const RunClaim *found = run_folder_claim(other, claim->id);
    bool meant = found && (compare_same_lesson(c) || strcmp(measured(found), measured(claim)) == 0);
    return meant ? found : NULL;
}

/* Claims that have no counterpart: of one lesson (another --only, another version) they are worth
 * a row; of two lessons a number is enough. */
static int alone_count(const Comparison *c, const RunFolder *run, const RunFolder *other) {
    int alone = 0;
    for (int i = 0; i < run->claim_count; i++) {
        alone += counterpart(c, other, &run->claims[i]) == NULL;
    }
    return alone;
}

void compare_claims(const Comparison *c) {
    bool same_lesson = compare_same_lesson(c);
    compare_section(c, "Claims");
    char header[128];
    snprintf(header, sizeof header, "step\tsays\tA\tB\tB - A\t%s%sholds",
             c->a.runs > 1 ? "A's seeds\t" : "", c->b.runs > 1 ? "B's seeds\t" : "");
    Table table = table_new(header);
    for (int i = 0; i < c->a.claim_count; i++) {
        const RunClaim *a = &c->a.claims[i], *b = counterpart(c, &c->b, a);
        if (b || same_lesson) {
            row_add(&table, c, a, b);
        }
    }
    for (int i = 0; same_lesson && i < c->b.claim_count; i++) {
        if (!counterpart(c, &c->a, &c->b.claims[i])) {
            row_add(&table, c, NULL, &c->b.claims[i]);
        }
    }
    if (table.count > 1) {
        terminal_table(c->term, &table);
    } else {
        terminal_prose(c->term, "The two runs have no claim in common.");
    }
    if (!same_lesson) {
        terminal_prose(c->term,
                       "%d claims of A and %d of B have no counterpart: these are two lessons.",
                       alone_count(c, &c->a, &c->b), alone_count(c, &c->b, &c->a));
    }
    table_free(&table);
}
