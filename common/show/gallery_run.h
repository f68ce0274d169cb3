/* One run on the gallery's page. Used by gallery.c only. */
#ifndef SHOW_GALLERY_RUN_H
#define SHOW_GALLERY_RUN_H

#include "show/gallery.h"
#include "show/gallery_scan.h"
#include "show/run_folder.h"

enum { GALLERY_MOST_RECORD = 300, GALLERY_MOST_CLAIMS = 500 /* lines of a run that are shown */ };

/* What is read of a run before anything is written. */
typedef struct GalleryRecord {
    const GalleryRun *run;
    char *folder;    /* where it is */
    int number;      /* from 1: its element is called r1, r2 ... */
    TsvTable record; /* run.tsv; no rows when it cannot be read */
    TsvTable claims; /* claims.tsv, the same */
    TsvTable timing; /* timing_claims.tsv, the same */
    int holds, fails, not_made, timed;
    int pictures;
    Error record_error, claims_error; /* why there are no rows; "" when there are */
} GalleryRecord;

/* Reads run.tsv and claims.tsv; counts claims and pictures. False only when memory runs out. */
bool gallery_record_read(GalleryRecord *record, const char *folder, const GalleryRun *run,
                         int number);
void gallery_record_free(GalleryRecord *record);

/* A value of run.tsv, or "-". */
const char *gallery_record_value(const GalleryRecord *record, const char *key);

/* Is the file a picture? */
bool gallery_is_picture(const char *file);

/* Writes the badges: how many claims hold, fail, were not made. */
void gallery_badges(FILE *out, const GalleryRecord *record);

/* Writes the <article> of the run; `room` is what is left of GALLERY_WEIGHTS. */
void gallery_article(FILE *out, const GalleryRecord *record, long *room, GalleryCount *count);

/* Its parts: the table of claims; pictures with captions; the attention maps as data. */
void gallery_claims(FILE *out, const GalleryRecord *record);
void gallery_pictures(FILE *out, const GalleryRecord *record, GalleryCount *count);
void gallery_explorer(FILE *out, const GalleryRecord *record, long *room, GalleryCount *count);

#endif
