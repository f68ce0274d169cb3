#include "lesson/run_summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"

/* The pictures, or the other files but for the scripts beside the numbers of each curve. */
static void print_files(const Run *run, bool pictures) {
    char *list = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&list, &size);
    CHECK(out != NULL, "out of memory");
    int count = 0;
    for (int i = 0; i < run->file_count; i++) {
        const char *ending = strrchr(run->files[i].name, '.');
        bool picture = ending && strcmp(ending, ".png") == 0;
        bool script = ending && strcmp(ending, ".gp") == 0;
        if (picture == pictures && !script) {
            fprintf(out, "%s%s", count++ > 0 ? ", " : "", run->files[i].name);
        }
    }
    CHECK(fclose(out) == 0, "out of memory");
    if (count > 0) {
        terminal_prose(&run->term, pictures ? "Pictures in %s: %s" : "Numbers in %s: %s",
                       run->flags.out, list);
    }
    free(list);
}

static void print_claims(const Run *run, int exit_code) {
    const Claims *claims = &run->claims;
    if (run->flags.runs == 1) { /* those of several runs have been shown, with their spread */
        terminal_put(&run->term, STYLE_BOLD, "\nWhat this run has shown\n\n");
        claims_show(&run->term, claims);
    }
    int fails = claims_count(claims, CLAIM_FAILS), not_made = claims_count(claims, CLAIM_NOT_MADE);
    int all = claims->count - claims_count(claims, CLAIM_TIMING);
    char line[192], failing[48] = "", missing[48] = "";
    if (fails > 0) {
        snprintf(failing, sizeof failing, ", %d %s", fails, fails == 1 ? "fails" : "fail");
    }
    if (not_made > 0) {
        snprintf(missing, sizeof missing, ", %d %s not made", not_made,
                 not_made == 1 ? "was" : "were");
    }
    snprintf(line, sizeof line, "\n%d of %d %s%s%s.%s\n", claims_count(claims, CLAIM_HOLDS), all,
             all == 1 ? "claim holds" : "claims hold", failing, missing,
             exit_code == 1 ? " Exit code 1." : "");
    terminal_put(&run->term, fails > 0 ? STYLE_RED : STYLE_PLAIN, line);
}

void run_summary(const Run *run, int exit_code) {
    const Terminal *term = &run->term;
    if (run->claims.count > 0) {
        print_claims(run, exit_code);
    }
    terminal_print(term, "\n");
    print_files(run, true);
    print_files(run, false);
    if (run->files_lost > 0) {
        terminal_prose(term, "%d file%s could not be written.", run->files_lost,
                       run->files_lost == 1 ? "" : "s");
    }
    if (run->no_gnuplot || *run->gnuplot_problem.text) {
        char later[1024];
        plot_later(run->flags.out, !run->no_gnuplot, later, sizeof later);
        terminal_print(term, "%s\n", later);
    }
    if (run_stopped(run) || run->quit) {
        terminal_prose(term, "This run ended early (%s); %s.", run_ending(run),
                       run->file_count > 0 ? "what was written until then is kept"
                                           : "nothing was written");
    }
    if (term->is_tty) {
        terminal_print(term, "It took %.1f s.\n", run_seconds(run));
    }
}
