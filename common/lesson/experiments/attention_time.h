/* How long does one sequence take, by its length and the number of threads: a recurrent layer
 * against self-attention, forward only. What is printed of it is seconds: names that start with
 * "timing_". */
#ifndef LESSON_ATTENTION_TIME_H
#define LESSON_ATTENTION_TIME_H

#include "lesson/experiments/look.h"
#include "lesson/run.h"

typedef enum TimedLayer {
    TIMED_RNN,       /* nn/rnn.h, the whole sequence in one call */
    TIMED_ATTENTION, /* three projections and the looker */
    TIMED_BLOCKS,    /* three projections and op_attention(): no L x L matrix is ever held */
    TIMED_LAYERS,
} TimedLayer;

/* Seconds of one sequence of L tokens of size d, the least disturbed of several within about
 * `budget` seconds, on as many threads as are set. */
double timed_layer(TimedLayer layer, Looker looker, int L, int d, double budget);

enum { TIME_LENGTHS = 8 }; /* at most */

/* Times the first `count` of these lengths on one thread and on two: a table, the picture
 * timing_length.png, and claims of kind timing. The number of threads in force is back in force
 * afterwards. */
void attention_times_show(Run *run, Looker looker, const int *lengths, int count, int d);

#endif
