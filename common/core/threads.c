#include "core/threads.h"

#include "core/check.h"

#include <stdint.h>

#ifdef _OPENMP
#include <omp.h>
#endif

void threads_flush_denormals(void) {
#if defined(__SSE__)
    enum { FLUSH_TO_ZERO = 1 << 15, DENORMALS_ARE_ZERO = 1 << 6 };
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control |= UINT64_C(1) << 24; /* FZ */
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#endif
}

void threads_set(int n) {
    CHECK(n >= 0, "threads_set: %d is no number of threads", n);
#ifdef _OPENMP
    omp_set_dynamic(0);
    omp_set_num_threads(n > 0 ? n : omp_get_num_procs());
#pragma omp parallel
    threads_flush_denormals();
#endif
    /* Some runtimes (LLVM's) give each worker the caller's settings whenever a parallel region
     * begins, and the caller its own back at the end: there, this is the call that counts. */
    threads_flush_denormals();
}

int threads_count(void) {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}
