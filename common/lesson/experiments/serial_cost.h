/* The price of order: a recurrent layer and attention read the same sequence, one at a time. How
 * many operations have to wait for each other, how many multiplications are there, and how long
 * does it take? */
#ifndef LESSON_SERIAL_COST_H
#define LESSON_SERIAL_COST_H

#include "lesson/run.h"

typedef struct SerialCost {
    int rnn_chain, attention_chain;          /* operations that wait for each other */
    double rnn_products, attention_products; /* multiplications in matrix products */
    double rnn_seconds, attention_seconds;   /* of one sequence, forward only */
} SerialCost;

/* One sequence of T vectors of width H: h_t = tanh(W h_{t-1} + U x_t + b) for all t, against
 * softmax(Q K^T / sqrt(H)) V with Q, K and V projections of x (Vaswani et al. 2017, equation 1).
 * The chains are counted on a tape, the times are the best of many within `budget` seconds each. */
SerialCost serial_cost_measure(int T, int H, double budget, Rng rng);

/* Measures the lengths T (count of them, at most 8) and shows them: a table, the chains in
 * serial_chain.png and the times in timing_serial_cost.png. */
void serial_cost_compare(Run *run, const int *T, int count, int H, SerialCost *cost);

#endif
