/* Stores of a chunk's active lanes to places anywhere. If several lanes have one place, the last
 * one's element remains. Where the processor has an instruction for it, no branch depends on how
 * many lanes are active.
 *
 * Included by the engine's files. */
#ifndef SIM_SCATTER_H
#define SIM_SCATTER_H

#include "sim/exec/chunks.h"

/* Iterates over the lanes of a mask, whose lowest bit is for lane `first`. */
#define FOR_MASKED_FROM(first, mask, i)                                                            \
    for (uint32_t left = (mask), i; left && (i = (first) + (uint32_t)__builtin_ctz(left), true);   \
         left &= left - 1)
#define FOR_MASKED(mask, i) FOR_MASKED_FROM(0, mask, i)

/* Stores words to to[at[i]]. */
static inline void sim_words_scatter(uint32_t *to, const uint32_t *at, uint32_t mask,
                                     sim_words words)
{
#ifdef __AVX512F__
    _mm512_mask_i32scatter_epi32(to, (__mmask16)mask, (__m512i)sim_words_get(at), (__m512i)words,
                                 sizeof *to);
#else
    uint32_t all[SIM_CHUNK];
    sim_words_put(all, words);
    FOR_MASKED(mask, i) to[at[i]] = all[i];
#endif
}

/* sim_chunk_scatter_8 and so on store elements at[i] bytes after `to`. */
#define SIM_CHUNK_SCATTER(bits)                                                                    \
    static inline void sim_chunk_scatter_##bits(uint8_t *to, const uint32_t *at, uint32_t mask,    \
                                                const uint##bits##_t *from)                        \
    {                                                                                              \
        FOR_MASKED(mask, i) memcpy(to + at[i], from + i, sizeof *from);                            \
    }
SIM_CHUNK_SCATTER(8)
SIM_CHUNK_SCATTER(16)
#ifdef __AVX512F__
static inline void sim_chunk_scatter_32(uint8_t *to, const uint32_t *at, uint32_t mask,
                                        const uint32_t *from)
{
    _mm512_mask_i32scatter_epi32(to, (__mmask16)mask, (__m512i)sim_words_get(at),
                                 _mm512_loadu_si512(from), 1);
}
static inline void sim_chunk_scatter_64(uint8_t *to, const uint32_t *at, uint32_t mask,
                                        const uint64_t *from)
{
    for (uint32_t i = 0; i < SIM_CHUNK; i += 8) {
        __m256i places = _mm256_loadu_si256((const __m256i *)(const void *)(at + i));
        _mm512_mask_i32scatter_epi64(to, (__mmask8)(mask >> i), places,
                                     _mm512_loadu_si512(from + i), 1);
    }
}
#else
SIM_CHUNK_SCATTER(32)
SIM_CHUNK_SCATTER(64)
#endif
#undef SIM_CHUNK_SCATTER

#endif
