#include "core/rng.h"

#include "core/check.h"

#include <math.h>

/* splitmix64: a counter stepped by the golden ratio, then mixed until every input bit has reached
 * every output bit. */
static const uint64_t golden_step = 0x9e3779b97f4a7c15u;

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
}

static float unit_float(uint64_t bits) {
    return (float)(int32_t)(bits >> 40) * 0x1p-24f; /* signed: what processors convert best */
}

Rng rng_seeded(uint64_t seed, uint64_t stream) {
    Rng rng;
    uint64_t counter = mix(seed + golden_step) ^ mix(stream * golden_step + 1);
    for (int i = 0; i < 4; i++) {
        counter += golden_step;
        rng.state[i] = mix(counter);
    }
    return rng;
}

uint64_t rng_bits(Rng *rng) {
    uint64_t *s = rng->state;
    uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

float rng_uniform(Rng *rng) {
    return unit_float(rng_bits(rng));
}

float rng_range(Rng *rng, float low, float high) {
    return low + (high - low) * rng_uniform(rng);
}

float rng_normal(Rng *rng) {
    for (;;) {
        double u = 2.0 * (double)(rng_bits(rng) >> 11) * 0x1p-53 - 1.0;
        double v = 2.0 * (double)(rng_bits(rng) >> 11) * 0x1p-53 - 1.0;
        double s = u * u + v * v;
        if (s > 0.0 && s < 1.0) {
            return (float)(u * sqrt(-2.0 * log(s) / s)); /* v would give a second one */
        }
    }
}

uint32_t rng_below(Rng *rng, uint32_t n) {
    CHECK(n > 0, "rng_below: there is no whole number in [0, 0)");
    uint32_t reject_below = -n % n; /* 2^32 mod n: this many values would be drawn too often */
    for (;;) {
        uint64_t product = (rng_bits(rng) >> 32) * n;
        if ((uint32_t)product >= reject_below) {
            return (uint32_t)(product >> 32);
        }
    }
}

void rng_permutation(Rng *rng, int n, int *order) {
    for (int i = 0; i < n; i++) {
        int j = (int)rng_below(rng, (uint32_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

uint64_t rng_counter_bits(uint64_t key, uint64_t counter) {
    return mix(mix(key + golden_step) + (counter + 1) * golden_step);
}
