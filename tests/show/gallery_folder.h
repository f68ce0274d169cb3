/* What the tests of the gallery share: a folder of runs that we make up, and what was written. */
#ifndef TESTS_SHOW_GALLERY_FOLDER_H
#define TESTS_SHOW_GALLERY_FOLDER_H

#include "assert_close.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "show/heatmap.h"
#include "support/lesson_run.h"
#include "support/scratch.h"
#include "support/picture.h"

/* The path of a name in the folder, whose own folders are made. */
static inline const char *place(const char *name) {
    static char path[2 * LESSON_PATH];
    Error error;
    snprintf(path, sizeof path, "%s/%s", scratch_folder(), name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    assert_true(folder_make(path, &error));
    *slash = '/';
    return path;
}

/* A small heatmap of queries and keys. */
static inline void heatmap_put(const char *name, const char *title) {
    static const float values[6] = {1, 0, 0, 0, .5f, .5f};
    Heatmap map = {.title = "head 0",
                   .values = values,
                   .rows = 2,
                   .cols = 3,
                   .row_axis = "query: word being written",
                   .col_axis = "key: word looked at"};
    Error error;
    if (!heatmap_write_png(place(name), &map, 1, 1, title, &error)) {
        fail_msg("%s", error.text);
    }
}

/* What `call`, which writes to the stream `out`, writes: free() it. */
#define WRITTEN(text, call)                                                                        \
    char *text = NULL;                                                                             \
    do {                                                                                           \
        size_t written_size = 0;                                                                   \
        FILE *out = open_memstream(&text, &written_size);                                          \
        assert_non_null(out);                                                                      \
        call;                                                                                      \
        assert_int_equal(fclose(out), 0);                                                          \
    } while (0)

static inline void assert_has(const char *text, const char *part) {
    if (strstr(text, part) == NULL) {
        fail_msg("there is no \"%s\" in:\n%.3000s", part, text);
    }
}

static inline void assert_has_not(const char *text, const char *part) {
    if (strstr(text, part) != NULL) {
        fail_msg("there is \"%s\" in:\n%.3000s", part, text);
    }
}

#endif
