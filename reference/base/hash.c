/* Thin wrappers over xxHash, so that no other file depends on which hash it is. */
#include "reference/base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

uint64_t rt_hash64(const void *data, size_t size)
{
    return XXH3_64bits(size ? data : "", size);
}

uint64_t rt_mix64(uint64_t state)
{
    state = (state ^ (state >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    state = (state ^ (state >> 27)) * UINT64_C(0x94D049BB133111EB);
    return state ^ (state >> 31);
}

rt_hash rt_hash128(const void *data, size_t size)
{
    XXH128_hash_t hash = XXH3_128bits(size ? data : "", size);
    return (rt_hash){hash.low64, hash.high64};
}

rt_hash_text rt_hash_print(rt_hash hash)
{
    rt_hash_text text;
    snprintf(text.digits, sizeof text.digits, "%016" PRIx64 "%016" PRIx64, hash.high, hash.low);
    return text;
}

bool rt_hash_read(rt_text digits, rt_hash *out_hash)
{
    uint64_t halves[2] = {0};
    *out_hash = (rt_hash){0};
    if (digits.length != 32) return false;
    for (uint32_t i = 0; i < 32; i++) {
        char c = digits.data[i];
        bool decimal = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
        if (!decimal && !letter) return false;
        halves[i / 16] = halves[i / 16] << 4 | (uint64_t)(decimal ? c - '0' : c - 'a' + 10);
    }
    *out_hash = (rt_hash){.low = halves[1], .high = halves[0]};
    return true;
}
