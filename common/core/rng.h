/* Random numbers whose every bit is fixed by a seed, on every machine.
 *
 * Generator: xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators",
 * 2019), seeded through splitmix64 (Steele, Lea and Flood, 2014). The state is explicit: whoever
 * draws holds it, nothing is global. */
#ifndef CORE_RNG_H
#define CORE_RNG_H

#include <stdint.h>

typedef struct Rng {
    uint64_t state[4];
} Rng;

/* A generator for (seed, stream). Streams of one seed are independent sequences: one for the
 * weights, one for the data, one for each step of a lesson. */
Rng rng_seeded(uint64_t seed, uint64_t stream);

/* The next 64 random bits. */
uint64_t rng_bits(Rng *rng);

/* Uniform in [0, 1), 24 random bits: every value is exact in float32. */
float rng_uniform(Rng *rng);

/* Uniform in [low, high). */
float rng_range(Rng *rng, float low, float high);

/* Standard normal N(0, 1), by the polar method of Marsaglia (1964). */
float rng_normal(Rng *rng);

/* A whole number in [0, n), without bias (Lemire, 2019). n must be positive. */
uint32_t rng_below(Rng *rng, uint32_t n);

/* Writes a random order of 0 .. n-1 (Fisher-Yates). */
void rng_permutation(Rng *rng, int n, int *order);

/* Counter-based: the same (key, counter) gives the same 64 bits in any order and on any thread, so
 * what was drawn need not be stored to be used again. The mixing function is splitmix64's. */
uint64_t rng_counter_bits(uint64_t key, uint64_t counter);

#endif
