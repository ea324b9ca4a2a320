/* Determines how a chunk's lanes are laid out in memory, for the whole chunk at once.
 *
 * Most rows consist of chunks whose lanes are contiguous or all at one place, because the index in
 * dimension 0 increases from lane to lane. A processor loads such a chunk at once; scattered lanes
 * are loaded one by one. The two ends of a chunk nearly always reveal its kind, so a failing test
 * costs next to nothing. Inactive lanes are no obstacle: if there is room, they get the places that
 * they would have if they were active.
 *
 * Included by the engine's files. */
#ifndef SIM_CHUNKS_H
#define SIM_CHUNKS_H

#include "sim/exec/exec.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

/* Iterates over the chunks of the running fragment: `c` is a chunk's first lane. */
#define FOR_CHUNKS(x) for (uint32_t c = (x)->low; c < (x)->high; c += SIM_CHUNK)
/* Iterates over the lanes of a chunk; iterations are independent. Unrolling is disabled, since
 * compilers tend to unroll short loops before they notice that one vector would do. */
#ifdef __clang__
#define CHUNK_LANES _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define CHUNK_LANES _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif
#define FOR_CHUNK_LANES CHUNK_LANES for (uint32_t i = 0; i < SIM_CHUNK; i++)

/* Sixteen words at once, which the compiler maps to the vectors of the x86-64 level being built: it
 * does not vectorise such short loops by itself if they use a mask. A comparison sets all bits of a
 * word or none. */
#pragma GCC diagnostic ignored "-Wpsabi" /* no vector crosses file boundaries */
typedef uint32_t sim_words __attribute__((vector_size(64)));
typedef uint8_t sim_lane_bytes_16 __attribute__((vector_size(16)));
_Static_assert(sizeof(sim_words) == SIM_CHUNK * sizeof(uint32_t), "a word for each lane");
typedef int32_t sim_words_signed __attribute__((vector_size(64)));

static inline sim_words sim_words_get(const uint32_t *from)
{
    sim_words words;
    memcpy(&words, from, sizeof words);
    return words;
}
static inline void sim_words_put(uint32_t *to, sim_words words)
{
    memcpy(to, &words, sizeof words);
}
/* 0, 1, 2, … */
static inline sim_words sim_words_count(void)
{
    return (sim_words){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}
/* Returns a word for each lane of a chunk: all bits set if the lane is active, otherwise 0. */
static inline sim_words sim_words_mask(const uint8_t *mask)
{
    sim_lane_bytes_16 lanes;
    memcpy(&lanes, mask, sizeof lanes);
    return -__builtin_convertvector(lanes, sim_words);
}
static inline bool sim_words_any(sim_words words)
{
#ifdef __AVX512F__
    return _mm512_test_epi32_mask((__m512i)words, (__m512i)words) != 0;
#else
    typedef uint64_t quarter __attribute__((vector_size(16)));
    quarter q[4];
    memcpy(q, &words, sizeof q);
    quarter all = (q[0] | q[1]) | (q[2] | q[3]);
    return (all[0] | all[1]) != 0;
#endif
}

/* Gathers bit 0 of each byte; byte i becomes bit i. The other bits are 0. */
static inline uint32_t sim_bits_of_bytes(uint64_t bytes)
{
    /* Multiplication by this moves bit 0 of byte i to bit 56 + i. */
    return (uint32_t)(bytes * UINT64_C(0x0102040810204080) >> 56);
}

/* Returns a bit for each lane of a chunk: 1 if the lane is active. */
static inline uint32_t sim_chunk_active(const uint8_t *mask)
{
    uint64_t words[2];
    _Static_assert(SIM_CHUNK == sizeof words, "two words of mask");
    memcpy(words, mask, sizeof words);
    return sim_bits_of_bytes(words[0]) | sim_bits_of_bytes(words[1]) << 8;
}
#define SIM_CHUNK_ALL ((1u << SIM_CHUNK) - 1)

/* Determines, from the places of its lanes, the kind of a chunk whose lanes are all active. `steps`
 * holds the multiples of `step`, which is at least 1. */
static inline sim_chunk_kind sim_chunk_kind_of(const uint32_t *at, uint32_t step, sim_words steps)
{
    /* The caller has filled all places. */
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    uint32_t first = at[0], last = at[SIM_CHUNK - 1] - first;
    sim_words distances = sim_words_get(at) - first;
    if (last == (SIM_CHUNK - 1) * step) {
        return sim_words_any(distances ^ steps) ? SIM_CHUNK_MIXED : SIM_CHUNK_RUN;
    }
    return last != 0 || sim_words_any(distances) ? SIM_CHUNK_MIXED : SIM_CHUNK_SAME;
}

/* Returns the kind of a chunk of which only some lanes are active. Unless it is MIXED, inactive
 * lanes get places, from 0 to `most`, that continue those of the active lanes. */
static inline sim_chunk_kind sim_chunk_complete(uint32_t *at, const uint8_t *mask, uint32_t active,
                                                uint32_t step, sim_words steps, uint64_t most)
{
    uint32_t low = (uint32_t)__builtin_ctz(active), high = 31 - (uint32_t)__builtin_clz(active);
    uint32_t first = at[low], room = (SIM_CHUNK - 1) * step, start = first;
    bool may_run = high > low && at[high] - first == (high - low) * step;
    if (!may_run && at[high] != first) return SIM_CHUNK_MIXED;
    if (may_run) {
        start = first - low * step;
        if (most < room || start > most - room) return SIM_CHUNK_MIXED;
    }
    sim_words places = (may_run ? steps : (sim_words){0}) + start;
    if (sim_words_any((sim_words_get(at) ^ places) & sim_words_mask(mask))) return SIM_CHUNK_MIXED;
    sim_words_put(at, places);
    return may_run ? SIM_CHUNK_RUN : SIM_CHUNK_SAME;
}

/* Determines the kinds of all chunks of a row of `count` lanes, a multiple of SIM_CHUNK, with
 * places up to `most`; `mask` is NULL if all lanes are active. */
static inline void sim_chunks_find(uint32_t *at, const uint8_t *mask, uint32_t count, uint32_t step,
                                   uint64_t most, uint8_t *out_kinds)
{
    sim_words steps = sim_words_count() * step;
    for (uint32_t c = 0; c < count; c += SIM_CHUNK) {
        uint32_t active = mask ? sim_chunk_active(mask + c) : SIM_CHUNK_ALL;
        uint8_t kind = SIM_CHUNK_IDLE;
        if (active == SIM_CHUNK_ALL) {
            kind = (uint8_t)sim_chunk_kind_of(at + c, step, steps);
        } else if (active != 0) {
            kind = (uint8_t)sim_chunk_complete(at + c, mask + c, active, step, steps, most);
            kind |= SIM_CHUNK_PART;
        }
        out_kinds[c / SIM_CHUNK] = kind;
    }
}

#endif
