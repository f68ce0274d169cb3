/* Measuring and drawing what a way of telling positions does to numbers; the ways themselves are
 * given as functions. */
#ifndef LESSON_POSITION_NUMBERS_H
#define LESSON_POSITION_NUMBERS_H

#include "lesson/run.h"

/* Turns x (D) for position p. */
typedef void (*PositionTurn)(float *x, int p, int D);

/* From the row of a position (d) to the one k positions on. */
typedef void (*PositionMove)(float *moved, const float *row, int k, int d);

/* What becomes of a score between query i and key j. */
typedef float (*PositionPenalty)(float score, int i, int j, float slope);

/* Largest |move(pe[p], k) - pe[p + k]| for p = 0 .. P - 1 and k = 1, 2, 7, 64, as far as pe has
 * that many more rows: pe (P + more, d), d even. */
double position_move_error(PositionMove move, const float *pe, int P, int more, int d);

/* Do scores depend on the distance alone? A query and a key (D) from N(0, 1), the key `apart`
 * places before the query: largest minus smallest product for all places below P; the largest of
 * these for apart = 0, 16, 32, 48, 64. 0, but for rounding, if they do. */
double position_spread(PositionTurn turn, int D, int P, Rng rng);

/* positions.png, four maps of n positions: pe (n, d) itself; the products of its rows; the products
 * of a query and a key that are the same everywhere, (1, 0, 1, 0 ..), each turned by its position;
 * and what `penalty` with that slope makes of scores of 0. */
bool position_picture(Run *run, int n, int d, const float *pe, PositionTurn turn,
                      PositionPenalty penalty, float slope);

#endif
