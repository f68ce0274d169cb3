#include "support/two_runs.h"

#include <stdlib.h>
#include <sys/stat.h>

const char *two_runs_path(const TwoRuns *two, char run, const char *name) {
    static char path[3 * LESSON_PATH];
    snprintf(path, sizeof path, "%s/%s",
             run == 'A'   ? two->a
             : run == 'B' ? two->b
                          : two->out,
             name);
    return path;
}

void two_runs_put(const TwoRuns *two, char run, const char *name, const char *text) {
    assert_true(file_write(two_runs_path(two, run, name), text, strlen(text), NULL));
}

TwoRuns two_runs_new(void) {
    TwoRuns two = {.text = NULL};
    folder_new(two.folder);
    snprintf(two.a, sizeof two.a, "%s/a", two.folder);
    snprintf(two.b, sizeof two.b, "%s/b", two.folder);
    snprintf(two.out, sizeof two.out, "%s/out", two.folder);
    assert_int_equal(mkdir(two.a, 0777) + mkdir(two.b, 0777) + mkdir(two.out, 0777), 0);
    for (int run = 'A'; run <= 'B'; run++) {
        two_runs_put(&two, (char)run, "run.tsv", "lesson\t02_tiny\nflags\t-\nseed\t1\n");
        two_runs_put(&two, (char)run, "claims.tsv",
                     CLAIMS_HEADER "2.1\tsum\tit adds up\t1\t==\t1\tholds\n");
    }
    return two;
}

void two_runs_free(TwoRuns *two) {
    free(two->text);
    folder_remove(two->folder);
    *two = (TwoRuns){.text = NULL};
}

static bool always(void) {
    return true;
}

const char *two_runs_say(TwoRuns *two, void (*part)(Comparison *c)) {
    size_t size;
    Error error = {""};
    free(two->text);
    two->text = NULL;
    FILE *out = open_memstream(&two->text, &size);
    assert_non_null(out);
    two->term = (Terminal){.out = out, .handle = fileno(out), .unicode = true, .color = two->color};
    two->c =
        (Comparison){.term = &two->term, .out = two->out, .stop = two->stopped ? always : NULL};
    if (!run_folder_read(two->a, &two->c.a, &error) ||
        !run_folder_read(two->b, &two->c.b, &error)) {
        fail_msg("%s", error.text);
    }
    part(&two->c);
    run_folder_free(&two->c.a);
    run_folder_free(&two->c.b);
    fclose(out);
    return two->text;
}

void assert_part(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("there should be\n%s\nin\n%s", part, text);
    }
}

void assert_no_part(const char *text, const char *part) {
    if (strstr(text, part)) {
        fail_msg("there should be no\n%s\nin\n%s", part, text);
    }
}
