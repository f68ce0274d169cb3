#include "core/kernels/dropout.h"

#include "core/rng.h"

void dropout_factors(Dropout dropout, uint64_t first, int n, float *factor) {
    rng_counter_uniforms(dropout.key, first, n, factor);
    float kept = 1.0f / (1.0f - dropout.p);
    for (int i = 0; i < n; i++) {
        factor[i] = factor[i] >= dropout.p ? kept : 0.0f;
    }
}
