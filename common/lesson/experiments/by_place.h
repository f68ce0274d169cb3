/* Something measured at each place of a sequence, for several models: parts of the sequence as a
 * table, the whole as a plot.
 *
 *     ByPlace right = by_place_new(names, 5, (const int[]){0, 16, 32, 48, 64});
 *     copy_by_place(&task, right.n, 256, by_place_row(&right, i));       for each model i
 *     by_place_show(run, &right, "copy", "Who finds it?", "right answers", 1);
 *     double rope_2 = by_place_mean(&right, 3, 1);
 *     by_place_free(&right);
 */
#ifndef LESSON_BY_PLACE_H
#define LESSON_BY_PLACE_H

#include "lesson/lines.h"

enum { BY_PLACE_PARTS = 4 };

typedef struct ByPlace {
    const char *const *names; /* (models), not owned */
    int models, n;            /* n places */
    int part[BY_PLACE_PARTS + 1];
    double *y; /* (models, n) */

    /* lines of the plot, unless left alone */
    int trained;     /* the first place behind those of the training; 0: none */
    double guessing; /* what chance gives; NaN: none */
} ByPlace;

/* Part k goes from part[k] to part[k + 1] - 1, and is not empty; the last one ends the sequence. At
 * most LINES_MOST models. All values are NaN at first. */
ByPlace by_place_new(const char *const *names, int models, const int part[BY_PLACE_PARTS + 1]);
void by_place_free(ByPlace *all);

/* (n): to be filled in. */
double *by_place_row(const ByPlace *all, int model);

/* Mean over a part; values that are NaN are left out, and without any other the mean is NaN. */
double by_place_mean(const ByPlace *all, int model, int part);

/* The means as a table, and NAME.png with a point for every `bin` places, their mean, drawn in
 * their middle. */
void by_place_show(Run *run, const ByPlace *all, const char *name, const char *title,
                   const char *y_label, int bin);

/* claim_trained() about the mean of a model over a part: "RoPE: right answers at 16 to 31, %" where
 * `what` is "right answers at" and the values are shares, `unit` " %"; of nats `what` is "nats at".
 */
typedef struct PlaceClaim {
    const char *id;
    int model, part;
    const char *op;
    double bound;
} PlaceClaim;
void by_place_claims(Run *run, const ByPlace *all, const char *what, const char *unit,
                     const PlaceClaim *claims, int count);

#endif
