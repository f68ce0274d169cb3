/* Whether a kernel should use threads. To share work costs a microsecond on an idle machine (the
 * other threads wait actively for the next piece), and far more on one where another program has
 * the second core: a thread that is not running is waited for, which is why lessons use one unless
 * they are told otherwise. Inside a parallel region there are none to spare.
 *
 * Shares are static everywhere: the same thread gets the same part of rows and arrays of one size,
 * so what it works on is often in its own caches already. */
#ifndef CORE_KERNELS_PARALLEL_H
#define CORE_KERNELS_PARALLEL_H

#include <stdbool.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* `work` in any unit, `least` in the same: what takes one thread some 5 us. */
static inline bool worth_threads(double work, double least) {
#ifdef _OPENMP
    return work >= least && omp_get_max_threads() > 1 && !omp_in_parallel();
#else
    (void)work;
    (void)least;
    return false;
#endif
}

/* Arrays of so many numbers are worth another thread, when each number takes little work. */
enum { PARALLEL_LEAST = 1 << 13, PARALLEL_CHUNK = 1 << 12 };

static inline bool worth_chunks(long size) {
    return worth_threads((double)size, PARALLEL_LEAST);
}

/* The length of a chunk. Chunks are the same on any number of threads:
 *
 *     if (!worth_chunks(n)) { all of it; return; }
 *     #pragma omp parallel for schedule(static)
 *     for (long begin = 0; begin < n; begin += PARALLEL_CHUNK) ...
 *
 * and not with an if in the pragma: a parallel region of one thread is set up all the same, which
 * takes longer than a small operation itself. */
static inline long chunk_length(long begin, long size) {
    return size - begin < PARALLEL_CHUNK ? size - begin : PARALLEL_CHUNK;
}

#endif
