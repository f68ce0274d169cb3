/* How far back a gradient reaches: the length of dL/dh_t for every step t of a recurrent layer,
 * however small it gets.
 *
 * Float32 ends at 1e-38, which a shrinking gradient reaches within a hundred steps or two. So the
 * walk back is done one step at a time, the gradient is brought back to length 1 after each, and
 * the logarithms of what was divided out are added up in double precision. */
#ifndef NN_DECAY_H
#define NN_DECAY_H

#include "core/rng.h"
#include "nn/recurrent.h"

/* Runs the cell over x (T, B, I) from a state of zeros and walks back from L = v . h_T, where v is
 * a random direction of length 1, another one for each of the B sequences. Writes for each distance
 * d the mean over the sequences of log10 ||dL/dh_{T-d}|| to log_norm[d], d = 0 .. T-1; log_norm[0]
 * is 0. -INFINITY where nothing is left. The gradient is cut after `reach` steps (truncated
 * backpropagation, Williams and Peng 1990); T or more: never.
 *
 * The gradients of the cell's weights are used as scratch: zero them before the next training
 * step. */
void decay_through_time(const Recurrent *cell, const float *x, int T, int B, int reach, Rng *rng,
                        double *log_norm);

/* Slope of the least-squares line through log_norm[from .. to - 1], in decades per 10 steps. NaN
 * where a value is not finite or there are fewer than two. */
double decay_slope(const double *log_norm, int from, int to);

#endif
