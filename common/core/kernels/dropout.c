#include "core/kernels/dropout.h"

#include "core/rng.h"

/* A hash of 32 bits: each multiplication carries bits up, each shift brings them down again, until
 * every bit of i has reached every bit of the result. The multipliers are the pair with the least
 * bias of those that C. Wellons tried in 2018 ("prospecting for hash functions"). The two halves of
 * a key go in at different places: with only one, all keys would give parts of a single sequence.
 * It needs nothing wider than 32 bits, of which vectors hold twice as many as of 64. */
static inline uint32_t draw(uint32_t i, uint32_t key_low, uint32_t key_high) {
    uint32_t x = i ^ key_low;
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = x ^ key_high;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

void dropout_factors(Dropout dropout, uint64_t first, int n, float *factor) {
    const uint64_t numbers = (uint64_t)1 << 32; /* with one key; the next ones get the next key */
    uint32_t dropped_below = (uint32_t)((double)dropout.p * (double)numbers);
    float kept = 1.0f / (1.0f - dropout.p);
    while (n > 0) {
        uint64_t key = rng_counter_bits(dropout.key, first / numbers),
                 left = numbers - first % numbers;
        uint32_t begin = (uint32_t)(first % numbers);
        uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
        int run = (uint64_t)n < left ? n : (int)left;
        for (int i = 0; i < run; i++) {
            factor[i] = draw(begin + (uint32_t)i, low, high) >= dropped_below ? kept : 0.0f;
        }
        factor += run;
        first += (uint64_t)run;
        n -= run;
    }
}
