/* The same to the bit? */
#include "show/compare/compare.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_with(const char *name, const char *ending) {
    char stem[8];
    return file_name_stem(name, ending, stem, sizeof stem);
}

/* Tables and pictures; what holds seconds may differ. */
static bool is_judged(const char *name) {
    bool seconds = strcmp(name, "run.tsv") == 0 || strncmp(name, "timing_", 7) == 0;
    return !seconds && (ends_with(name, ".tsv") || ends_with(name, ".png"));
}

/* Block by block: pictures and tables may be of any size. */
static bool streams_same(FILE *a, FILE *b) {
    enum { BLOCK = 1 << 14 };
    char left[BLOCK], right[BLOCK];
    size_t size;
    do {
        size = fread(left, 1, BLOCK, a);
        if (fread(right, 1, BLOCK, b) != size || memcmp(left, right, size) != 0) {
            return false;
        }
    } while (size == BLOCK);
    return !ferror(a) && !ferror(b);
}

/* One of the files, or NULL. What is there and cannot be read is told. */
static FILE *open_or_tell(Comparison *c, const char *folder, const char *name) {
    Error error;
    char *path = path_join(folder, name);
    FILE *file = path ? file_open(path, &error) : NULL;
    if (path && !file && access(path, F_OK) == 0) {
        compare_problem(c, &error);
    }
    free(path);
    return file;
}

static bool files_same(Comparison *c, const char *name) {
    FILE *a = open_or_tell(c, c->a.path, name), *b = open_or_tell(c, c->b.path, name);
    bool same = a && b && streams_same(a, b);
    if (a) {
        fclose(a);
    }
    if (b) {
        fclose(b);
    }
    return same;
}

static void differs(FileTally *tally, const char *name) {
    if (ends_with(name, ".png")) {
        tally->pictures_differ++;
    } else {
        tally->tables_differ++;
    }
    if (!*tally->first) {
        snprintf(tally->first, sizeof tally->first, "%s", name);
    }
}

FileTally compare_bytes(Comparison *c) {
    FileTally tally = {0};
    for (int i = 0; i < c->a.files.count && !compare_stopped(c); i++) {
        const char *name = c->a.files.name[i];
        if (!is_judged(name)) {
            continue;
        }
        if (files_same(c, name)) {
            tally.same++;
        } else {
            differs(&tally, name);
        }
    }
    for (int i = 0; i < c->b.files.count; i++) { /* A has none: asked only to tell of B's trouble */
        const char *name = c->b.files.name[i];
        if (is_judged(name) && !names_has(&c->a.files, name) && !files_same(c, name)) {
            differs(&tally, name);
        }
    }
    return tally;
}
