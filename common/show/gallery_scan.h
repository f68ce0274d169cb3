/* Finding runs: folders that hold a run.tsv, and what else is in them. */
#ifndef SHOW_GALLERY_SCAN_H
#define SHOW_GALLERY_SCAN_H

#include "io/folder.h"

enum { GALLERY_MOST_RUNS = 200, GALLERY_MOST_FILES = 400 };

typedef struct GalleryRun {
    char *path;  /* below the gallery's folder: "02_bahdanau", "mine/seed_2" */
    Names files; /* at most GALLERY_MOST_FILES */
} GalleryRun;

typedef struct GalleryRuns {
    GalleryRun *runs; /* in order of their paths */
    int count;
    int left_out; /* beyond GALLERY_MOST_RUNS */
} GalleryRuns;

/* Looks through `folder` and the folders in it, two levels deep. Names that begin with a dot are
 * passed over, and so are folders that cannot be read. Error: `folder` itself cannot be read. */
bool gallery_scan(const char *folder, GalleryRuns *runs, Error *error);
void gallery_runs_free(GalleryRuns *runs);

#endif
