/* The sheet of heads: the maps of all heads of all layers in one picture, a row of the picture for
 * each layer, and in attention.tsv. Layers and heads count from 0.
 *
 *     HeadSheet sheet = head_sheet_new(layers, heads, rows, cols);
 *     for (int i = 0; i < layers; i++) {
 *         head_sheet_layer(&sheet, i, trace.encoder[i], b);
 *     }
 *     head_sheet_title(&sheet, 0, 2, "diagonal -1");
 *     sheet.row_labels = sheet.col_labels = words;
 *     head_sheet_write(run, "heads.png", &sheet, "Where the heads look");
 *     head_sheet_free(&sheet);
 */
#ifndef LESSON_HEAD_SHEET_H
#define LESSON_HEAD_SHEET_H

#include "core/arena.h"
#include "data/vocab.h"
#include "lesson/run.h"

enum { HEAD_SHEET_COLUMNS = 8 };

typedef struct HeadSheet {
    int layers, heads, rows, cols; /* rows: queries, cols: keys */
    float *maps;                   /* (layers, heads, rows, cols) */
    char (*titles)[64];            /* (layers, heads) */
    const char *const *row_labels; /* (rows) and (cols) tokens, not owned; at first numbers */
    const char *const *col_labels;
    const char *row_axis, *col_axis; /* "query", "key" unless changed */
    Arena arena;
} HeadSheet;

/* All maps zero; titles "layer 0, head 2", or "head 2" when there is but one layer. */
HeadSheet head_sheet_new(int layers, int heads, int rows, int cols);
void head_sheet_free(HeadSheet *sheet);

/* Copies the maps of sequence b from the weights of a layer, (B, heads, Lq, Lk): the first `rows`
 * queries and the first `cols` keys; padding behind them is left out. */
void head_sheet_layer(HeadSheet *sheet, int layer, const Tensor *weights, int b);

/* Appends what kind of head it is to a title: "layer 0, head 2: diagonal -1". */
void head_sheet_title(HeadSheet *sheet, int layer, int head, const char *kind);

/* One map (rows, cols). */
const float *head_sheet_map(const HeadSheet *sheet, int layer, int head);

/* Writes the picture: one colour scale 0 .. 1; at most `columns` maps in a row (0: as many as there
 * are heads, but no more than HEAD_SHEET_COLUMNS). Each map also goes to attention.tsv. False when
 * there is no new picture. */
bool head_sheet_write(Run *run, const char *file, const HeadSheet *sheet, int columns,
                      const char *title);

/* One of the maps in the terminal. */
void head_sheet_show(Run *run, const HeadSheet *sheet, int layer, int head);

/* The labels of an axis: the tokens of `count` ids, on the arena. The texts are the vocabulary's.
 */
const char **axis_tokens(Arena *arena, const Vocab *vocab, const int *ids, int count);

#endif
