/* Whether a kernel should use threads. Waking them costs some microseconds, and inside a parallel
 * region there are none to spare. */
#ifndef CORE_KERNELS_PARALLEL_H
#define CORE_KERNELS_PARALLEL_H

#include <stdbool.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* `work` in any unit, `least` in the same: what takes one thread some 30 us. */
static inline bool worth_threads(double work, double least) {
#ifdef _OPENMP
    return work >= least && omp_get_max_threads() > 1 && !omp_in_parallel();
#else
    (void)work;
    (void)least;
    return false;
#endif
}

#endif
