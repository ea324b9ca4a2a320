/* Content hashes (XXH3).  They name artefacts in caches and images in traces; they guard against
 * accidental collisions, not against an adversary. */
#ifndef REFERENCE_BASE_HASH_H
#define REFERENCE_BASE_HASH_H

#include "reference/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rt_hash {
    uint64_t low, high;
} rt_hash;

/* Text form of a hash: 32 hexadecimal digits and a NUL byte. */
typedef struct rt_hash_text {
    char digits[33];
} rt_hash_text;

/* 64-bit hash for in-memory tables; data may be NULL if size is 0. */
uint64_t rt_hash64(const void *data, size_t size);

/* The increment of a SplitMix64 sequence's state. Source: Steele, Lea, Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014, figure 17. */
#define RT_MIX_STEP UINT64_C(0x9E3779B97F4A7C15)

/* The output of a SplitMix64 sequence for the given state; same source. */
uint64_t rt_mix64(uint64_t state);

/* 128-bit hash of the bytes; the same on every machine. */
rt_hash rt_hash128(const void *data, size_t size);

/* Formats the hash in hexadecimal, most significant digit first. */
rt_hash_text rt_hash_print(rt_hash hash);

/* Parses the form that rt_hash_print writes.  False: the text is not 32 lower-case hexadecimal
 * digits. */
bool rt_hash_read(rt_text digits, rt_hash *out_hash);

#endif
