/* SplitMix64, the generator of Steele, Lea and Flood ("Fast splittable pseudorandom number
 * generators", 2014): one word of state, and neighbouring seeds yield uncorrelated sequences. */
#include "conformance/tools/generate/random.h"

#include "reference/base/check.h"

uint64_t gen_random_bits(gen_random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t bits = random->state;
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

uint32_t gen_random_below(gen_random *random, uint32_t limit)
{
    CHECK(limit >= 1);
    /* Uses the high half; all limits here are small enough for the bias not to matter. */
    return (uint32_t)(((gen_random_bits(random) >> 32) * limit) >> 32);
}

bool gen_random_chance(gen_random *random, uint32_t percent)
{
    return gen_random_below(random, 100) < percent;
}
