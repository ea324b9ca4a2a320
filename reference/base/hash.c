/* Thin wrappers around xxHash.  No other file depends on the choice of hash function. */
#include "reference/base/hash.h"

#include "reference/base/number.h"

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
    *out_hash = (rt_hash){0};
    if (digits.length != sizeof(rt_hash_text) - 1) return false;
    rt_text high = {digits.data, digits.length / 2}, low = rt_text_skip(digits, high.length);
    rt_hash hash;
    bool is_read = rt_number_take(&high, 16, UINT64_MAX, &hash.high) && high.length == 0 &&
                   rt_number_take(&low, 16, UINT64_MAX, &hash.low) && low.length == 0;
    /* Only lower-case digits are accepted, so that every hash has exactly one text. */
    if (!is_read || !rt_text_is(digits, rt_hash_print(hash).digits)) return false;
    *out_hash = hash;
    return true;
}
