#include "lesson/pause.h"

#include <unistd.h>

#include "lesson/ask.h"

/* Shows the hint on the screen itself and waits for a line. True when it begins with q. */
static bool wait_for_enter(Run *run, const char *hint) {
    char line[8];
    double began = progress_clock();
    AskResult result = ask_line(&run->bar, hint, line, sizeof line);
    run->waited += progress_clock() - began;
    run->no_more_pauses = result != ASK_LINE;
    return line[0] == 'q' || line[0] == 'Q';
}

void pause_for_enter(Run *run) {
    if (run->no_more_pauses) {
        return;
    }
    fflush(run->term.out);
    run->quit = wait_for_enter(run, "\n-- Enter: go on   q Enter: end here -- ");
    pager_restart(run->pager);
}

/* ---- page by page ---- */

static bool ask_for_more(void *context) {
    Run *run = context;
    return !run->no_more_pauses &&
           !wait_for_enter(run, "-- Enter: more   q Enter: skip to the end -- ") &&
           !run->no_more_pauses;
}

void paging_begin(Run *run) {
    const Flags *flags = &run->flags;
    bool wanted = flags->step || flags->help || flags->list || flags->notes;
    if (wanted && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
        run->pager = pager_new(&run->bar, ask_for_more, run);
    }
    if (run->pager != NULL) {
        run->term.out = pager_stream(run->pager);
    }
}

void paging_end(Run *run) {
    pager_free(run->pager);
    run->pager = NULL;
    run->term = run->bar;
}
