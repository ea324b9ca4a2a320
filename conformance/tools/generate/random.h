/* The source of the generator's choices: a seed yields the same kernel on every machine.  This is
 * not rt_choose, which decides what the documents leave open and takes the first alternative at
 * seed 0. */
#ifndef CONFORMANCE_TOOLS_GENERATE_RANDOM_H
#define CONFORMANCE_TOOLS_GENERATE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gen_random {
    uint64_t state; /* initially the seed */
} gen_random;

/* Returns 64 uniformly distributed bits (SplitMix64). */
uint64_t gen_random_bits(gen_random *random);

/* Returns a number below `limit`, which is at least 1. */
uint32_t gen_random_below(gen_random *random, uint32_t limit);

/* True with a probability of `percent` / 100. */
bool gen_random_chance(gen_random *random, uint32_t percent);

#endif
