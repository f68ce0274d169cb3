/* How many threads the kernels may use, and how each of them treats tiny numbers.
 *
 * Results never depend on the number of threads: work is split across outputs, or across chunks of
 * a fixed size that are combined in a fixed order. Without OpenMP everything runs on one thread. */
#ifndef CORE_THREADS_H
#define CORE_THREADS_H

/* Uses n threads from now on (n >= 1), and makes each of them flush denormal numbers to zero. Call
 * it once at the start of a program; n = 0 takes one per processor. */
void threads_set(int n);

/* The number in force; 1 when built without OpenMP. */
int threads_count(void);

/* Makes the calling thread flush denormals (|x| < 1.2e-38) to zero: arithmetic on them is up to a
 * hundred times slower than on other numbers, and the flag belongs to each thread by itself. Does
 * nothing on processors where we do not know how. */
void threads_flush_denormals(void);

#endif
