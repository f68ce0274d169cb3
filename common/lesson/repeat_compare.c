#include "lesson/repeat_compare.h"

#include <stdlib.h>
#include <string.h>

#include "core/check.h"

#define FILE_LIMIT ((size_t)1 << 28)

char *repeat_path(const char *folder, const char *name) {
    bool inside =
        *name && strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
    char *path = inside ? path_join(folder, name) : NULL;
    CHECK(path != NULL || !inside, "out of memory");
    return path;
}

/* ---- one file ---- */

/* Numbers and pictures, but what holds seconds and what tells of the run itself. */
static bool counts(const char *name) {
    const char *ending = strrchr(name, '.');
    return ending != NULL && (strcmp(ending, ".tsv") == 0 || strcmp(ending, ".png") == 0) &&
           strcmp(name, "run.tsv") != 0 && strncmp(name, "timing_", 7) != 0;
}

/* Is the name among those with blanks between them? */
static bool is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static bool same_bytes(const char *one, const char *other, Error *error) {
    char *a = NULL, *b = NULL;
    size_t size_a, size_b;
    bool ok = file_read(one, FILE_LIMIT, &a, &size_a, error) &&
              file_read(other, FILE_LIMIT, &b, &size_b, error);
    bool same = ok && size_a == size_b && memcmp(a, b, size_a) == 0;
    if (ok && !same) {
        error_set(error, "differs");
    }
    free(a);
    free(b);
    return same;
}

typedef struct Comparison {
    const Terminal *term;
    const char *folder[2]; /* before, now */
    const char *files[2];
    int compared, agree, undrawn;
    char *differing; /* lines */
    FILE *lines;
} Comparison;

/* "curve.png" where there are "curve.tsv" and "curve.gp": drawn by gnuplot. */
static bool is_curve(const char *files, const char *name) {
    char other[256];
    const char *ending = strrchr(name, '.');
    snprintf(other, sizeof other, "%.*s.gp", (int)(ending - name), name);
    return strcmp(ending, ".png") == 0 && is_listed(files, other);
}

static void compare_file(Comparison *all, const char *name) {
    Error error = {""};
    char *one = repeat_path(all->folder[0], name), *other = repeat_path(all->folder[1], name);
    bool here = is_listed(all->files[1], name), there = is_listed(all->files[0], name);
    if (one == NULL || !counts(name)) {
        /* neither compared nor missed */
    } else if (here != there && is_curve(all->files[here ? 0 : 1], name)) {
        all->undrawn++;
    } else {
        all->compared++;
        if (here != there) {
            error_set(&error, "%s", here ? "is new" : "was not made again");
        }
        if (here == there && same_bytes(one, other, &error)) {
            all->agree++;
        } else {
            bool drawing = here == there && is_curve(all->files[1], name);
            fprintf(all->lines, "  %s: %s%s\n", name, error.text,
                    drawing ? " (a drawing of gnuplot's: does its .tsv agree?)" : "");
        }
    }
    free(one);
    free(other);
}

/* Every name of list `which`; those of the second that the first has were compared already. */
static void compare_list(Comparison *all, int which) {
    char *list = strdup(all->files[which]), *rest = list, *name;
    CHECK(list != NULL, "out of memory");
    while ((name = strsep(&rest, " ")) != NULL) {
        if (which == 0 || !is_listed(all->files[0], name)) {
            compare_file(all, name);
        }
    }
    free(list);
}

/* ---- how the runs came about ---- */

/* What may differ without a meaning of its own. */
static bool is_incidental(const char *key) {
    static const char *const keys[] = {
        "flags",           "out",           "step",       "save",      "repeat",     "no-color",
        "seconds",         "files",         "steps_run",  "exit_code", "stopped_by", "claims_hold",
        "claims_not_made", "claims_timing", "claims_fail"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static int tell_differences(const Terminal *term, const TsvTable *before, const TsvTable *now) {
    int told = 0;
    for (int row = 0; row < before->rows; row++) {
        const char *key = tsv_cell(before, row, 0), *was = tsv_cell(before, row, 1);
        const char *is = tsv_value(now, key);
        if (is_incidental(key) || (is != NULL && strcmp(is, was) == 0)) {
            continue;
        }
        if (told++ == 0) {
            terminal_print(term, "The two runs came about differently:\n");
        }
        if (strcmp(key, "program") == 0) {
            terminal_print(term,
                           "  program: another one; the code or how it is built has changed\n");
        } else {
            terminal_prose(term, "  %.60s: then %.200s, now %.200s", key, was,
                           is != NULL ? is : "not on record");
        }
    }
    return told;
}

bool repeat_compare(const Terminal *term, const char *before_folder, const TsvTable *before,
                    const char *now_folder, const TsvTable *now) {
    size_t size = 0;
    Comparison all = {.term = term, .folder = {before_folder, now_folder}};
    all.files[0] = tsv_value(before, "files");
    all.files[1] = tsv_value(now, "files");
    CHECK(all.files[0] != NULL && all.files[1] != NULL, "repeat_compare: no list of files");
    all.lines = open_memstream(&all.differing, &size);
    CHECK(all.lines != NULL, "out of memory");
    compare_list(&all, 0);
    compare_list(&all, 1);
    CHECK(fclose(all.lines) == 0, "out of memory");
    bool agree = all.agree == all.compared;
    char verdict[256];
    snprintf(verdict, sizeof verdict, "\n%d of %d files agree with the first run to the bit%s\n",
             all.agree, all.compared, agree ? "." : "; these do not:");
    terminal_put(term, agree ? STYLE_GREEN : STYLE_RED, verdict);
    terminal_put(term, STYLE_PLAIN, all.differing);
    if (all.undrawn > 0) {
        terminal_prose(term,
                       "%d picture%s that gnuplot draws %s in one of the two folders only, and not "
                       "compared; the numbers are.",
                       all.undrawn, all.undrawn > 1 ? "s" : "", all.undrawn > 1 ? "are" : "is");
    }
    if (tell_differences(term, before, now) == 0 && !agree) {
        terminal_prose(term,
                       "Nothing on record says why: the program, its flags, the compiler, the "
                       "processor and the number of threads are the same.");
    }
    free(all.differing);
    return agree;
}
