/* Content hashes (XXH3).  They name artefacts in caches and images in traces; they guard against
 * accident, not against an adversary. */
#ifndef REFERENCE_BASE_HASH_H
#define REFERENCE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct rt_hash {
    uint64_t low, high;
} rt_hash;

/* Text form of a hash: 32 hexadecimal digits and a NUL byte. */
typedef struct rt_hash_text {
    char digits[33];
} rt_hash_text;

/* 64-bit hash for tables in memory; data may be NULL when size is 0. */
uint64_t rt_hash64(const void *data, size_t size);

/* 128-bit hash of content; the same on every machine. */
rt_hash rt_hash128(const void *data, size_t size);

/* The hexadecimal form, most significant digit first. */
rt_hash_text rt_hash_print(rt_hash hash);

#endif
