/* What was asked for: the keys of run.tsv that differ. */
#include "show/compare/compare.h"

#include <stdlib.h>
#include <string.h>

static bool is_among(const char *word, const char *const *words) {
    while (*words && strcmp(word, *words) != 0) {
        words++;
    }
    return *words != NULL;
}

/* Keys that say nothing about what was asked for, or say it twice. Two lessons are two programs. */
static bool is_aside(const Comparison *c, const char *key) {
    static const char *const aside[] = {
        "lesson",          "title",         "flags",       "out",        "seconds",
        "steps_run",       "claims_hold",   "claims_fail", "stopped_by", "exit_code",
        "claims_not_made", "claims_timing", "no-plots",    "no-color",   "step",
        "files",           "save",          NULL};
    return is_among(key, aside) || (strcmp(key, "program") == 0 && !compare_same_lesson(c));
}

static void row_add(Table *table, const Terminal *term, const char *key, const char *a,
                    const char *b) {
    char *cell[3] = {terminal_clean(term, key), terminal_clean(term, a), terminal_clean(term, b)};
    table_row(table, "%s\t%s\t%s", cell[0], cell[1], cell[2]); /* clean: no tab, no newline */
    for (int i = 0; i < 3; i++) {
        free(cell[i]);
    }
}

/* Adds the keys of `run` that differ in `other`, or (only_missing) that it does not have. */
static int rows_add(Table *table, const Comparison *c, const RunFolder *run,
                    const RunFolder *other) {
    int added = 0;
    bool second = run == &c->b;
    for (int row = 0; row < run->record.rows; row++) {
        const char *key = tsv_cell(&run->record, row, 0);
        const char *mine = tsv_cell(&run->record, row, 1), *theirs = run_folder_key(other, key);
        bool differs = second ? theirs == NULL : theirs == NULL || strcmp(mine, theirs) != 0;
        if (!differs || is_aside(c, key)) {
            continue;
        }
        const char *missing = theirs ? theirs : "(none)";
        row_add(table, c->term, key, second ? missing : mine, second ? mine : missing);
        added++;
    }
    return added;
}

static void introduce(const Comparison *c, const char *letter, const RunFolder *run) {
    const char *flags = run_folder_key(run, "flags"), *end = run_folder_key(run, "stopped_by");
    char text[1024], seeds[64] = "", ended[160] = "";
    if (run->runs > 1) {
        snprintf(seeds, sizeof seeds, ", %d seeds", run->runs);
    }
    if (end && strcmp(end, "-") != 0) {
        snprintf(ended, sizeof ended, "; it ended early (%.100s)", end);
    }
    bool typed = flags && *flags && strcmp(flags, "-") != 0;
    snprintf(text, sizeof text, "%.300s: lesson %.64s%s%s%.400s%s", run->path,
             run_folder_key(run, "lesson"), seeds, typed ? ", " : ", no flags", typed ? flags : "",
             ended);
    terminal_prose_tagged(c->term, STYLE_BOLD, letter, text);
}

void compare_flags(Comparison *c) {
    introduce(c, "A ", &c->a);
    introduce(c, "B ", &c->b);
    compare_section(c, "What differs in flags and seed");
    Table table = table_new("flag\tA\tB");
    if (!compare_same_lesson(c)) {
        row_add(&table, c->term, "lesson", run_folder_key(&c->a, "lesson"),
                run_folder_key(&c->b, "lesson"));
    }
    int rows = table.count - 1;
    rows += rows_add(&table, c, &c->a, &c->b);
    rows += rows_add(&table, c, &c->b, &c->a);
    c->only_seed =
        rows == 1 && strcmp(run_folder_key(&c->a, "seed"), run_folder_key(&c->b, "seed")) != 0;
    if (rows > 0) {
        terminal_table(c->term, &table);
    } else {
        terminal_prose(c->term, "Nothing: the same flags, the same seed.");
    }
    table_free(&table);
}
