#include "show/compare/compare.h"

#include <string.h>

bool compare_same_lesson(const Comparison *c) {
    return strcmp(run_folder_key(&c->a, "lesson"), run_folder_key(&c->b, "lesson")) == 0;
}

void compare_problem(Comparison *c, const Error *error) {
    Terminal errors = terminal_new(stderr, true);
    fflush(c->term->out);
    terminal_print(&errors, "compare: %s\n", error->text);
    c->problems++;
}

bool compare_stopped(const Comparison *c) {
    return c->stop != NULL && c->stop();
}

void compare_section(const Comparison *c, const char *title) {
    terminal_put(c->term, STYLE_PLAIN, "\n");
    terminal_put(c->term, STYLE_BOLD, title);
    terminal_put(c->term, STYLE_PLAIN, "\n\n");
}

/* Where the pictures are, and how to draw those that are missing. */
static void tell_pictures(const Comparison *c) {
    if (c->pictures > 0) {
        terminal_prose(c->term, "\n%d %s in %s.", c->pictures,
                       c->pictures == 1 ? "picture" : "pictures", c->out);
    }
    if (c->undrawn) {
        char later[1024];
        plot_later(c->out, !c->no_gnuplot, later, sizeof later);
        terminal_print(c->term, "\n%s\n", later);
    }
}

void compare_runs(Comparison *c) {
    compare_flags(c);
    compare_claims(c);
    compare_curves(c);
    compare_maps(c);
    tell_pictures(c);
    compare_verdict(c);
}
