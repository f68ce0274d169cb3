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

/* The same for attention, which looks at all states at once: h (T, B, H) are states of any kind,
 * taken as given, and L = v . sum_t weight_t h_t with weights = softmax over t of (q . h_t); q from
 * N(0, 1/H), the same for all sequences, v as above. */
void decay_through_attention(const float *h, int T, int B, int H, Rng *rng, double *log_norm);

/* An untrained network, ready to be measured: H = 64 units, I = 16 inputs. */
typedef struct DecayCase {
    const char *label; /* for pictures; may be NULL */
    CellKind kind;
    float rho;      /* RNN: W = rho times a random orthogonal matrix, U ~ N(0, 1/I), no bias */
    float bias;     /* LSTM: forget bias; GRU: keep bias; their weights as usual */
    float size;     /* of the inputs: x_t ~ size N(0, 1) */
    bool attention; /* read its states by attention instead of walking back through them */
} DecayCase;

enum { DECAY_UNITS = 64, DECAY_INPUTS = 16 };

/* Measures it on B sequences of T steps. Cases measured with the same `rng` share their random
 * numbers, so that only what the case says is different. Returns the slope of log_norm over the
 * distances 10 .. T-1 in decades per 10 steps; NaN when nothing is left somewhere. */
double decay_measure(const DecayCase *c, int T, int B, int reach, Rng rng, double *log_norm);

#endif
