#include "show/gallery_scan.h"

#include <stdlib.h>
#include <string.h>

static bool holds_record(const char *folder) {
    char *path = path_join(folder, "run.tsv");
    bool found = path != NULL && path_is(path, ENTRY_FILE);
    free(path);
    return found;
}

/* A run, when the folder is one: takes `path` over, or frees it. */
static void run_add(GalleryRuns *runs, const char *folder, char *path) {
    char *full = path != NULL ? path_join(folder, path) : NULL;
    Names files;
    if (full != NULL && holds_record(full)) {
        if (runs->count == GALLERY_MOST_RUNS) {
            runs->left_out++;
        } else if (names_read(full, ENTRY_FILE, GALLERY_MOST_FILES, &files, NULL)) {
            runs->runs[runs->count++] = (GalleryRun){path, files};
            path = NULL;
        }
    }
    free(full);
    free(path);
}

bool gallery_scan(const char *folder, GalleryRuns *runs, Error *error) {
    enum { MOST_FOLDERS = 10000 };
    Names outer, inner;
    *runs = (GalleryRuns){.runs = calloc(GALLERY_MOST_RUNS, sizeof(GalleryRun))};
    if (runs->runs == NULL) {
        return error_set(error, "%s: not enough memory to look through it", folder);
    }
    if (!names_read(folder, ENTRY_FOLDER, MOST_FOLDERS, &outer, error)) {
        gallery_runs_free(runs);
        return false;
    }
    for (int i = 0; i < outer.count; i++) {
        char *path = path_join(folder, outer.name[i]);
        run_add(runs, folder, strdup(outer.name[i]));
        if (path != NULL && names_read(path, ENTRY_FOLDER, MOST_FOLDERS, &inner, NULL)) {
            for (int j = 0; j < inner.count; j++) {
                run_add(runs, folder, path_join(outer.name[i], inner.name[j]));
            }
            names_free(&inner);
        }
        free(path);
    }
    names_free(&outer);
    return true;
}

void gallery_runs_free(GalleryRuns *runs) {
    for (int i = 0; i < runs->count; i++) {
        names_free(&runs->runs[i].files);
        free(runs->runs[i].path);
    }
    free(runs->runs);
    *runs = (GalleryRuns){0};
}
