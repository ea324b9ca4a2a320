/* Where the generator's choices come from: the same seed makes the same kernel on every machine.
 *
 * This is not rt_choose, which is for what the documents leave open and takes the first alternative
 * at seed 0. */
#ifndef CONFORMANCE_TOOLS_GENERATE_RANDOM_H
#define CONFORMANCE_TOOLS_GENERATE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gen_random {
    uint64_t state; /* the seed at first */
} gen_random;

/* 64 bits, each drawn evenly (SplitMix64). */
uint64_t gen_random_bits(gen_random *random);

/* A number below limit >= 1. */
uint32_t gen_random_below(gen_random *random, uint32_t limit);

/* True in `percent` of 100 cases. */
bool gen_random_chance(gen_random *random, uint32_t percent);

#endif
