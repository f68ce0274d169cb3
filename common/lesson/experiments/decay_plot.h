/* Curves of gradient decay (nn/decay.h) as a picture: distance to the right, orders of magnitude
 * upwards. */
#ifndef LESSON_DECAY_PLOT_H
#define LESSON_DECAY_PLOT_H

#include "lesson/run.h"
#include "nn/decay.h"

/* Measures `count` networks on B sequences of T steps each, with the random numbers of `purpose`
 * (as in run_rng), and draws the gradient's length by distance on a logarithmic axis to NAME.png,
 * with the end of float32 if a curve gets there. Writes the slopes in decades per 10 steps to slope
 * (count), unless it is NULL. */
void decay_plot(Run *run, const char *name, const DecayCase *cases, int count, int T, int B,
                int reach, const char *purpose, double *slope);

#endif
