/* What kind of head is it? Not by looking at its map, but by four numbers. */
#ifndef LESSON_HEAD_CLASS_H
#define LESSON_HEAD_CLASS_H

#include <stdbool.h>
#include <stddef.h>

/* In the order they are asked for, `dead` before all others. */
typedef enum HeadClass {
    HEAD_DIAGONAL, /* diagonal > .6: looks so many tokens to the left or right */
    HEAD_VERTICAL, /* vertical > .5: everybody looks at the same token */
    HEAD_BLOCK,    /* block > .8 and entropy > .4: looks about in its own segment */
    HEAD_UNIFORM,  /* entropy > .9: looks everywhere alike */
    HEAD_MIXED,    /* none of these */
    HEAD_DEAD,     /* without it the loss rises by less than .01, whatever its map looks like */
    HEAD_CLASSES,
} HeadClass;

/* "diagonal" .. "dead". */
extern const char *const head_class_names[HEAD_CLASSES];

typedef struct HeadMeasures {
    double diagonal; /* largest mean weight at a fixed offset; of the offsets at which at least half
                        of the queries have a key */
    int offset;      /* that offset, key minus query: -1 is the token before */
    double vertical; /* largest mean weight of a column */
    int column;      /* that key; the most frequent one when there were several maps */
    double block;   /* share of the weight that stays inside the query's own segment; NaN when there
                       are no segments */
    double entropy; /* of a row, over the logarithm of the number of keys it may look at: 0 one key,
                       1 all alike; queries with a single key to look at do not count */
} HeadMeasures;

/* `rise`: of the loss without it; NaN: not tried, so not dead. */
HeadClass head_class_of(const HeadMeasures *measures, double rise);

/* A class for people: "diagonal -1", "vertical 0", "block"; a dead head with what its map looks
 * like: "dead (block)". */
typedef struct HeadLabel {
    char text[32];
} HeadLabel;
HeadLabel head_label(HeadClass kind, const HeadMeasures *measures);

/* ---- measuring, over any number of maps of one head ---- */

/* How to read the weights of one map: row by row, `stride` numbers apart. */
typedef struct HeadView {
    int rows, cols; /* queries and keys that are real; padding behind them is left out */
    int stride;     /* 0: cols */
    const int *row_segment, *col_segment; /* (rows), (cols), or both NULL */
    bool causal;                          /* query i may look at keys up to i + cols - rows */
} HeadView;

enum { HEAD_FURTHEST = 64 }; /* offsets and columns beyond that are not told apart */

typedef struct HeadTally {
    double at[2 * HEAD_FURTHEST + 1], at_count[2 * HEAD_FURTHEST + 1]; /* by offset */
    int column[HEAD_FURTHEST];                                         /* maps it was largest in */
    double vertical, block, entropy;                                   /* sums */
    long maps, block_rows, entropy_rows;
} HeadTally;

HeadTally head_tally_new(void);
void head_tally_add(HeadTally *tally, const float *weights, HeadView view);
HeadMeasures head_tally_measures(const HeadTally *tally);

/* All maps of a layer, weights (B, H, Lq, Lk), and what of them is real. */
typedef struct HeadBatch {
    int B, H, Lq, Lk;
    const int *query_length, *key_length; /* (B) or NULL: all are */
    const int *segments;                  /* (B, Lq) or NULL: of queries and keys alike */
    bool causal;
} HeadBatch;

/* Measures each of the H heads over all B sequences. */
void head_measure_all(const float *weights, HeadBatch batch, HeadMeasures *measures);

/* How alike are the heads? Mean cosine between the maps of two of them, over all pairs and all
 * sequences. Heads that look at different keys have 0, the same map twice has 1; NaN for a single
 * head. */
double heads_alike(const float *weights, HeadBatch batch);

#endif
