/* What a picture of a run shows, in words: for its caption, and for who cannot see it. */
#ifndef SHOW_GALLERY_PICTURE_H
#define SHOW_GALLERY_PICTURE_H

#include "show/gallery_scan.h"

enum { PICTURE_TEXT = 1100 };

typedef enum PictureKind {
    PICTURE_UNKNOWN,
    PICTURE_HEATMAP, /* it says what its rows and columns are */
    PICTURE_CURVE,   /* drawn by a NAME.gp that lies beside it */
} PictureKind;

typedef struct GalleryPicture {
    PictureKind kind;
    int width, height;        /* in pixels */
    char title[PICTURE_TEXT]; /* "" where it is not known; the same for the others */
    char maps[PICTURE_TEXT], rows[PICTURE_TEXT], columns[PICTURE_TEXT], outlines[PICTURE_TEXT];
    char x[PICTURE_TEXT], y[PICTURE_TEXT]; /* of a curve */
    char series[PICTURE_TEXT];             /* names of its curves, "; " between them */
    char numbers[256], script[256];        /* NAME.tsv (of a heatmap NAME.map.tsv) and NAME.gp,
                                               if the run has them */
} GalleryPicture;

/* Looks at folder/`file`, a PNG of the run, and at the .gp and .tsv of the same name. Error: it is
 * no whole PNG. */
bool gallery_picture_read(GalleryPicture *picture, const char *folder, const GalleryRun *run,
                          const char *file, Error *error);

#endif
