/* The numbers of a heatmap, in a file beside the picture: NAME.map.tsv beside NAME.png.
 *
 * A picture cannot be subtracted from another, its numbers can; and a spreadsheet opens them. Each
 * line says which map of the picture it belongs to (from 0; "-" for all of them) and what it is:
 *
 *     map  part     name
 *     -    title    A title above all maps
 *     0    title    The title of this one
 *     0    axes     query               key
 *     0    scale    sequential          0     1        (or diverging; 0 0: from the data)
 *     0    columns                      le    chat     (where the columns have labels)
 *     0    row      the                 0.9   0.1      (a value for each column)
 *     0    row      cat                 0.25  0.75
 *     0    mark     the                 1     0        (where cells are marked)
 *     0    mark     cat                 0     1
 *
 * with tabs between the cells, tab, newline and backslash in a text written as \t, \n and \\. */
#ifndef SHOW_HEATMAP_NUMBERS_H
#define SHOW_HEATMAP_NUMBERS_H

#include "io/tsv.h"
#include "show/heatmap.h"

/* What stands in the place of the picture's ".png". */
#define HEATMAP_NUMBERS_ENDING ".map.tsv"

/* Writes the maps of a picture with the title above them (may be NULL), whole or not at all. */
bool heatmap_write_numbers(const char *path, const Heatmap *maps, int count, const char *title,
                           Error *error);

/* Maps read back; all they point to belongs to this. */
typedef struct HeatmapFile {
    const char *title; /* "" when there is none */
    Heatmap *maps;
    int count;
    TsvTable table; /* holds all the texts */
} HeatmapFile;

enum { HEATMAP_FILE_LIMIT = 1 << 25 /* bytes */ };

/* Reads such a file. Errors, in one line with the number of the line in the file: as tsv_read(), a
 * line that is none of the above, rows of different length, a value that is no number, a map
 * without rows. Release with heatmap_file_free(). */
bool heatmap_read_numbers(const char *path, HeatmapFile *file, Error *error);
void heatmap_file_free(HeatmapFile *file);

#endif
