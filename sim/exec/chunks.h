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

#ifdef __AVX2__
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
/* Returns a word for each lane of a chunk: all bits set if the lane is active, otherwise 0. gcc
 * widens vectors of bytes one by one unless it is told the instruction. */
static inline sim_words sim_words_mask(const uint8_t *mask)
{
#ifdef __AVX512F__
    return -(sim_words)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)mask));
#elif defined(__AVX2__)
    sim_words words;
    for (uint32_t i = 0; i < 2; i++) {
        __m256i half = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)(mask + 8 * i)));
        memcpy((uint8_t *)&words + sizeof half * i, &half, sizeof half);
    }
    return -words;
#else
    sim_lane_bytes_16 lanes;
    memcpy(&lanes, mask, sizeof lanes);
    return -__builtin_convertvector(lanes, sim_words);
#endif
}

/* The low halves of sixteen numbers of 64 bits. */
typedef uint64_t sim_wide_words __attribute__((vector_size(64)));
static inline sim_words sim_words_narrow(sim_wide_words low, sim_wide_words high)
{
    return __builtin_shufflevector((sim_words)low, (sim_words)high, 0, 2, 4, 6, 8, 10, 12, 14, 16,
                                   18, 20, 22, 24, 26, 28, 30);
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

/* Gives the active lanes of a chunk the elements of `from`; sim_chunk_store does not even touch the
 * others. gcc turns such loops into steps of two lanes unless it is told the instructions. */
#ifdef __AVX512F__
static inline __mmask16 sim_chunk_bits(const uint8_t *mask)
{
    __m128i lanes = _mm_loadu_si128((const __m128i *)(const void *)mask);
    return _mm_test_epi8_mask(lanes, lanes);
}
#define SIM_CHUNK_BLEND(bits, vector, load, blend, store_all, store)                               \
    static inline void sim_chunk_blend_##bits(uint##bits##_t *to, const uint##bits##_t *from,      \
                                              const uint8_t *mask)                                 \
    {                                                                                              \
        vector before = load((const void *)to), after = load((const void *)from);                  \
        store_all((void *)to, blend(sim_chunk_bits(mask), before, after));                         \
    }                                                                                              \
    static inline void sim_chunk_store_##bits(void *to, const uint##bits##_t *from,                \
                                              const uint8_t *mask)                                 \
    {                                                                                              \
        store(to, sim_chunk_bits(mask), load((const void *)from));                                 \
    }
SIM_CHUNK_BLEND(8, __m128i, _mm_loadu_si128, _mm_mask_blend_epi8, _mm_storeu_si128,
                _mm_mask_storeu_epi8)
SIM_CHUNK_BLEND(16, __m256i, _mm256_loadu_si256, _mm256_mask_blend_epi16, _mm256_storeu_si256,
                _mm256_mask_storeu_epi16)
SIM_CHUNK_BLEND(32, __m512i, _mm512_loadu_si512, _mm512_mask_blend_epi32, _mm512_storeu_si512,
                _mm512_mask_storeu_epi32)
static inline void sim_chunk_blend_64(uint64_t *to, const uint64_t *from, const uint8_t *mask)
{
    __mmask16 lanes = sim_chunk_bits(mask);
    for (uint32_t i = 0; i < SIM_CHUNK; i += 8) {
        __m512i before = _mm512_loadu_si512(to + i), after = _mm512_loadu_si512(from + i);
        __mmask8 part = (__mmask8)(lanes >> i);
        _mm512_storeu_si512(to + i, _mm512_mask_blend_epi64(part, before, after));
    }
}
static inline void sim_chunk_store_64(void *to, const uint64_t *from, const uint8_t *mask)
{
    __mmask16 lanes = sim_chunk_bits(mask);
    _mm512_mask_storeu_epi64(to, (__mmask8)lanes, _mm512_loadu_si512(from));
    _mm512_mask_storeu_epi64((uint8_t *)to + 64, (__mmask8)(lanes >> 8),
                             _mm512_loadu_si512(from + 8));
}
#else
#define SIM_CHUNK_BLEND(bits)                                                                      \
    static inline void sim_chunk_blend_##bits(uint##bits##_t *to, const uint##bits##_t *from,      \
                                              const uint8_t *mask)                                 \
    {                                                                                              \
        FOR_CHUNK_LANES to[i] = mask[i] ? from[i] : to[i];                                         \
    }                                                                                              \
    static inline void sim_chunk_store_##bits(void *to, const uint##bits##_t *from,                \
                                              const uint8_t *mask)                                 \
    {                                                                                              \
        for (uint32_t i = 0; i < SIM_CHUNK; i++) {                                                 \
            if (mask[i]) memcpy((uint8_t *)to + i * sizeof *from, from + i, sizeof *from);         \
        }                                                                                          \
    }
SIM_CHUNK_BLEND(8)
SIM_CHUNK_BLEND(16)
SIM_CHUNK_BLEND(32)
SIM_CHUNK_BLEND(64)
#endif
#undef SIM_CHUNK_BLEND

/* Gathers from[at[i]] for all lanes of a chunk, active or not. */
static inline sim_words sim_words_gather(const uint32_t *from, const uint32_t *at)
{
#ifdef __AVX512F__
    return (sim_words)_mm512_i32gather_epi32((__m512i)sim_words_get(at), from, 4);
#else
    uint32_t found[SIM_CHUNK];
    FOR_CHUNK_LANES found[i] = from[at[i]];
    return sim_words_get(found);
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
