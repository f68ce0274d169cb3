/* The gallery: one page, index.html, that shows every run below a folder. It needs no network, no
 * server and no file but itself and the pictures, to which it refers by relative paths.
 *
 * The page is readable without JavaScript. What people may want to change in its looks and ways,
 * the style sheet and the scripts, is handed over as text; plots/gallery.c takes them from
 * plots/gallery/. */
#ifndef SHOW_GALLERY_H
#define SHOW_GALLERY_H

#include "io/file.h"

enum { GALLERY_WEIGHTS = 2000000 }; /* attention weights on one page, over all runs */

/* Texts of the page that are put into it as they are. */
typedef struct GalleryParts {
    const char *style;  /* what belongs into <style> */
    const char *script; /* what belongs into <script> at the end of the page */
    const char *words;  /* HTML: how to read the pictures, what a query and a key is */
} GalleryParts;

typedef struct GalleryCount {
    int runs, pictures;
    int runs_left_out;
    int broken; /* pictures and tables that could not be read; the page says which */
} GalleryCount;

/* Writes folder/index.html, whole or not at all. Whatever is wrong with a single run stands on the
 * page. Errors: the folder cannot be read, the page cannot be written. */
bool gallery_write(const char *folder, const GalleryParts *parts, GalleryCount *count,
                   Error *error);

#endif
