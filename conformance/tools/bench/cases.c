/* The table of kernels, and the contents of their buffers. */
#include "conformance/tools/bench/cases.h"

#include "reference/base/check.h"

#include <string.h>

/* clang-format off */
#define IN(size, filling)  {.kind = BENCH_BUFFER, .bytes = (size), .fill = (filling)}
#define OUT(size, filling) {.kind = BENCH_BUFFER, .bytes = (size), .fill = (filling), .written = true}
#define WORD(value)        {.kind = BENCH_WORD, .word = (value)}
#define REAL(value)        {.kind = BENCH_REAL, .real = (value)}
#define LOCAL(size)        {.kind = BENCH_LOCAL, .bytes = (size)}
#define LINE(items, group)    .dimensions = 1, .global = {(items), 1}, .local = {(group), 1}
#define PLANE(x, y, gx, gy)   .dimensions = 2, .global = {x, y}, .local = {gx, gy}
#define KIB 1024u
#define MIB (1024u * KIB)
#define INTS BENCH_SMALL_INTS
#define FLOATS BENCH_SMALL_FLOATS
#define ZEROS BENCH_ZEROS
/* All kernels of these sets have the same parameters: two buffers, the output, and a number. */
#define LIKE_WILD(set, name, items, group, fill_a, fill_b, fill_out, number, tolerance)            \
    {name, set, LINE(items, group), tolerance,                                                     \
     {IN(BENCH_WILD_BYTES, fill_a), IN(BENCH_WILD_BYTES, fill_b), OUT(BENCH_WILD_BYTES, fill_out), \
      WORD(number)}}
#define WILD(...)   LIKE_WILD(BENCH_WILD, __VA_ARGS__)
#define UNSEEN(...) LIKE_WILD(BENCH_UNSEEN, __VA_ARGS__)

const bench_case bench_cases[] = {
    {"vadd", BENCH_SIX, LINE(1 << 20, 256), 0,
     {IN(4 * MIB, FLOATS), IN(4 * MIB, FLOATS), OUT(4 * MIB, ZEROS)}},
    {"lcg", BENCH_SIX, LINE(4096, 256), 0, {OUT(16 * KIB, ZEROS), WORD(1024)}},
    {"matmul", BENCH_SIX, PLANE(256, 256, 16, 16), 0,
     {IN(256 * KIB, FLOATS), IN(256 * KIB, FLOATS), OUT(256 * KIB, ZEROS), WORD(256)}},
    {"reduce", BENCH_SIX, LINE(65536, 256), 0,
     {IN(256 * KIB, INTS), OUT(KIB, ZEROS), LOCAL(KIB)}},
    {"mandel", BENCH_SIX, PLANE(512, 512, 16, 16), 0,
     {OUT(MIB, ZEROS), WORD(512), WORD(512), WORD(256)}},
    {"nbody", BENCH_SIX, LINE(1024, 256), 1e-3f,
     {IN(16 * KIB, FLOATS), OUT(16 * KIB, ZEROS), WORD(1024), REAL(0.01f)}},

    {"stencil", BENCH_WIDE, PLANE(256, 256, 16, 16), 0,
     {IN(256 * KIB, FLOATS), OUT(256 * KIB, ZEROS), WORD(256)}},
    {"life", BENCH_WIDE, PLANE(256, 256, 16, 16), 0,
     {IN(256 * KIB, INTS), OUT(256 * KIB, ZEROS), WORD(256)}},
    {"convolution", BENCH_WIDE, LINE(65536, 256), 0,
     {IN(256 * KIB, FLOATS), IN(KIB, FLOATS), OUT(256 * KIB, ZEROS), WORD(16)}},
    {"sobel", BENCH_WIDE, PLANE(256, 256, 16, 16), 0,
     {IN(256 * KIB, INTS), OUT(256 * KIB, ZEROS), WORD(256)}},
    {"transpose", BENCH_WIDE, PLANE(512, 512, 16, 16), 0,
     {IN(MIB, INTS), OUT(MIB, ZEROS), LOCAL(17 * 16 * 4), WORD(512)}},
    {"histogram", BENCH_WIDE, LINE(65536, 256), 0, {IN(256 * KIB, INTS), OUT(KIB, ZEROS)}},
    {"histogram_local", BENCH_WIDE, LINE(65536, 256), 0,
     {IN(256 * KIB, INTS), OUT(KIB, ZEROS), LOCAL(KIB)}},
    {"scan", BENCH_WIDE, LINE(65536, 256), 0, {IN(256 * KIB, INTS), OUT(256 * KIB, ZEROS), LOCAL(KIB)}},
    {"sort", BENCH_WIDE, LINE(16384, 256), 0, {IN(64 * KIB, INTS), OUT(64 * KIB, ZEROS), LOCAL(KIB)}},
    {"fft", BENCH_WIDE, LINE(16384, 128), 1e-3f,
     {IN(256 * KIB, FLOATS), OUT(256 * KIB, ZEROS), LOCAL(2 * KIB)}},
    {"spmv", BENCH_WIDE, LINE(4096, 256), 0,
     {IN(16 * KIB + 4, BENCH_ROW_STARTS), IN(128 * KIB, BENCH_COLUMNS), IN(128 * KIB, FLOATS),
      IN(16 * KIB, FLOATS), OUT(16 * KIB, ZEROS)}},
    {"search", BENCH_WIDE, LINE(16384, 256), 0,
     {IN(32 * KIB, BENCH_BYTES), IN(KIB, BENCH_BYTES), OUT(64 * KIB, ZEROS), WORD(12)}},
    {"collatz", BENCH_WIDE, LINE(8192, 256), 0, {OUT(32 * KIB, ZEROS), WORD(500)}},
    {"bisect", BENCH_WIDE, LINE(16384, 256), 0,
     {IN(64 * KIB, BENCH_ROW_STARTS), IN(64 * KIB, INTS), OUT(64 * KIB, ZEROS), WORD(16384)}},
    {"compact", BENCH_WIDE, LINE(65536, 256), 0,
     {IN(256 * KIB, INTS), OUT(KIB, ZEROS), LOCAL(4), WORD(500)}},
    {"dot_product", BENCH_WIDE, LINE(65536, 256), 0,
     {IN(256 * KIB, FLOATS), IN(256 * KIB, FLOATS), OUT(KIB, ZEROS), LOCAL(KIB)}},
    {"gemv", BENCH_WIDE, LINE(1024, 64), 0,
     {IN(4 * MIB, FLOATS), IN(4 * KIB, FLOATS), OUT(4 * KIB, ZEROS), WORD(1024)}},
    {"matmul_tiled", BENCH_WIDE, PLANE(128, 128, 16, 16), 0,
     {IN(64 * KIB, FLOATS), IN(64 * KIB, FLOATS), OUT(64 * KIB, ZEROS), LOCAL(KIB), LOCAL(KIB),
      WORD(128)}},
    {"hash", BENCH_WIDE, LINE(16384, 256), 0, {IN(256 * KIB, INTS), OUT(64 * KIB, ZEROS), WORD(16)}},
    {"bits", BENCH_WIDE, LINE(65536, 256), 0, {IN(256 * KIB, INTS), OUT(256 * KIB, ZEROS)}},

    WILD("binomial_tree", 1024, 64, FLOATS, FLOATS, ZEROS, 48, 1e-3f),
    WILD("monte_carlo_pi", 4096, 256, INTS, INTS, ZEROS, 256, 0),
    WILD("grid_distance", 4096, 256, INTS, INTS, ZEROS, 24, 0),
    WILD("edge_relax", 16384, 256, INTS, INTS, INTS, 4096, 0),
    WILD("floyd_warshall", 4096, 256, INTS, INTS, ZEROS, 32, 0),
    WILD("kmeans_assign", 8192, 256, FLOATS, FLOATS, ZEROS, 16, 0),
    WILD("lattice_boltzmann", 4096, 256, FLOATS, FLOATS, ZEROS, 8, 1e-3f),
    WILD("sha256", 4096, 256, BENCH_NOISE, INTS, ZEROS, 64, 0),
    WILD("murmur3", 16384, 256, BENCH_NOISE, INTS, ZEROS, 64, 0),
    WILD("crc32", 8192, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 64, 0),
    WILD("lu_local", 8192, 256, FLOATS, FLOATS, ZEROS, 16, 1e-3f),
    WILD("cholesky_local", 4096, 16, FLOATS, FLOATS, ZEROS, 16, 1e-3f),
    WILD("gauss_pivot", 2048, 64, FLOATS, FLOATS, ZEROS, 8, 1e-3f),
    WILD("n_queens", 1024, 64, INTS, INTS, ZEROS, 7, 0),
    WILD("subset_sum", 256, 64, INTS, INTS, ZEROS, 300, 0),
    WILD("permutations", 1024, 64, INTS, INTS, ZEROS, 1, 0),
    WILD("insertion_sort", 4096, 64, INTS, INTS, ZEROS, 4096, 0),
    WILD("heap_sort", 2048, 64, INTS, INTS, ZEROS, 4096, 0),
    WILD("quick_sort", 2048, 64, INTS, INTS, ZEROS, 4096, 0),
    WILD("radix_sort_local", 8192, 256, INTS, INTS, ZEROS, 10, 0),
    WILD("merge_rank", 32768, 256, BENCH_ROW_STARTS, BENCH_ROW_STARTS, ZEROS, 32768, 0),
    WILD("levenshtein", 4096, 64, BENCH_BYTES, BENCH_BYTES, ZEROS, 24, 0),
    WILD("needleman_wunsch", 4096, 64, BENCH_BYTES, BENCH_BYTES, ZEROS, 64, 0),
    WILD("smith_waterman", 4096, 256, BENCH_BYTES, BENCH_BYTES, ZEROS, 32, 0),
    WILD("kmp_search", 8192, 256, BENCH_BYTES, BENCH_BYTES, ZEROS, 64, 0),
    WILD("virtual_machine", 4096, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 64, 0),
    WILD("tokenise", 8192, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 96, 0),
    WILD("base64", 16384, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 4, 0),
    WILD("run_lengths", 8192, 256, BENCH_BYTES, INTS, ZEROS, 32, 0),
    WILD("prefix_codes", 4096, 256, BENCH_NOISE, INTS, ZEROS, 24, 0),
    WILD("sliding_window", 2048, 64, BENCH_NOISE, BENCH_NOISE, ZEROS, 16, 0),
    WILD("aes_rounds", 2048, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 6, 0),
    WILD("syndromes", 2048, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 16, 0),
    WILD("chacha", 4096, 256, BENCH_NOISE, INTS, ZEROS, 10, 0),
    WILD("siphash", 4096, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 16, 0),
    WILD("collatz_long", 4096, 256, INTS, INTS, ZEROS, 400, 0),
    WILD("trial_division", 8192, 256, INTS, INTS, ZEROS, 400, 0),
    WILD("binary_gcd", 2048, 64, INTS, INTS, ZEROS, 4, 0),
    WILD("miller_rabin", 2048, 64, INTS, INTS, ZEROS, 5, 0),
    WILD("big_product", 2048, 64, BENCH_NOISE, BENCH_NOISE, ZEROS, 16, 0),
    WILD("dct_rows", 4096, 64, BENCH_NOISE, FLOATS, ZEROS, 4, 1e-3f),
    WILD("haar_wavelet", 16384, 256, FLOATS, FLOATS, ZEROS, 1, 1e-3f),
    WILD("bilateral_filter", 16384, 256, FLOATS, FLOATS, ZEROS, 2, 1e-3f),
    WILD("median_filter", 16384, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 128, 0),
    WILD("equalise", 16384, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 37, 0),
    WILD("hough_votes", 4096, 256, INTS, INTS, ZEROS, 32, 0),
    WILD("sphere_tracer", 16384, 256, FLOATS, FLOATS, ZEROS, 8, 1e-2f),
    WILD("julia_double", 16384, 256, ZEROS, ZEROS, ZEROS, 64, 0),
    WILD("bodies_double", 1024, 64, FLOATS, FLOATS, ZEROS, 256, 1e-3f),
    WILD("lennard_jones", 8192, 256, FLOATS, INTS, ZEROS, 16, 1e-3f),
    WILD("cell_lists", 8192, 256, BENCH_NOISE, FLOATS, ZEROS, 8000, 1e-3f),
    WILD("hotspot", 8192, 256, FLOATS, FLOATS, ZEROS, 12, 1e-3f),
    WILD("path_finder", 8192, 256, INTS, INTS, ZEROS, 16, 0),
    WILD("speckle", 65536, 256, FLOATS, FLOATS, ZEROS, 256, 1e-3f),
    WILD("layer_forward", 16384, 256, FLOATS, FLOATS, ZEROS, 1024, 1e-3f),
    WILD("atax", 256, 64, FLOATS, FLOATS, ZEROS, 256, 1e-3f),
    WILD("column_sums", 256, 64, FLOATS, FLOATS, ZEROS, 256, 1e-3f),
    WILD("covariance", 4096, 256, FLOATS, FLOATS, ZEROS, 128, 1e-3f),
    WILD("gram_schmidt", 1024, 64, FLOATS, FLOATS, ZEROS, 8, 1e-2f),
    WILD("particles_soa", 16384, 256, FLOATS, FLOATS, ZEROS, 16, 1e-3f),
    WILD("particles_aos", 4096, 256, FLOATS, FLOATS, ZEROS, 16, 1e-3f),
    WILD("half_blend", 8192, 256, BENCH_HALVES, BENCH_HALVES, ZEROS, 8, 0),
    WILD("byte_blend", 8192, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 8, 0),
    WILD("runge_kutta", 2048, 64, FLOATS, FLOATS, ZEROS, 16, 1e-3f),
    WILD("long_division", 4096, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 8, 0),
    WILD("tree_walk", 4096, 256, INTS, BENCH_NOISE, ZEROS, 4096, 0),
    WILD("trie_lookup", 8192, 256, INTS, BENCH_NOISE, ZEROS, 64, 0),
    WILD("hash_table", 8192, 256, INTS, INTS, ZEROS, 200, 0),
    WILD("subgroup_sums", 16384, 256, INTS, INTS, ZEROS, 4, 0),
    WILD("plain_calls", 4096, 256, BENCH_NOISE, INTS, ZEROS, 32, 0),
    WILD("rule_110", 8192, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 16, 0),
    WILD("scan_blelloch", 16384, 256, INTS, INTS, ZEROS, 2, 0),
    WILD("strided_gather", 65536, 256, INTS, INTS, ZEROS, 4, 0),
    WILD("permuted_scatter", 65536, 256, INTS, INTS, ZEROS, 12345, 0),
    WILD("float4_chain", 16384, 256, FLOATS, FLOATS, ZEROS, 32, 1e-3f),
    WILD("matrix_chain", 1024, 64, INTS, INTS, ZEROS, 12, 0),
    WILD("early_exit", 8192, 256, INTS, INTS, ZEROS, 100, 0),
    WILD("polynomial_roots", 8192, 256, FLOATS, FLOATS, ZEROS, 20, 1e-3f),
    WILD("recursion", 1024, 64, INTS, INTS, ZEROS, 6, 0),
    WILD("frontier_bits", 16384, 256, INTS, INTS, ZEROS, 8, 0),
    WILD("bins_local", 8192, 256, BENCH_NOISE, INTS, ZEROS, 32, 0),
    WILD("half_distances", 4096, 64, BENCH_HALVES, BENCH_HALVES, ZEROS, 16, 1e-3f),
    WILD("subgroup_votes", 16384, 256, INTS, INTS, ZEROS, 4, 0),

    UNSEEN("asian_option", 4096, 256, FLOATS, FLOATS, ZEROS, 64, 1e-3f),
    UNSEEN("label_propagation", 16384, 256, INTS, INTS, ZEROS, 24, 0),
    UNSEEN("shallow_water", 2048, 64, FLOATS, FLOATS, ZEROS, 16, 1e-3f),
    UNSEEN("xxhash64", 8192, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 32, 0),
    UNSEEN("householder_local", 2048, 16, FLOATS, FLOATS, ZEROS, 15, 1e-2f),
    UNSEEN("table_interpolation", 16384, 256, FLOATS, INTS, ZEROS, 16, 1e-3f),
    UNSEEN("utf8_decode", 8192, 256, BENCH_NOISE, INTS, ZEROS, 32, 0),
    UNSEEN("kepler_double", 4096, 64, FLOATS, FLOATS, ZEROS, 12, 1e-3f),
    UNSEEN("knight_tours", 512, 64, INTS, INTS, ZEROS, 5, 0),
    UNSEEN("cloth_springs", 8192, 256, FLOATS, FLOATS, ZEROS, 12, 1e-3f),
    UNSEEN("fir_shorts", 16384, 256, BENCH_NOISE, BENCH_NOISE, ZEROS, 16, 0),
    UNSEEN("stack_calculator", 4096, 64, BENCH_NOISE, BENCH_NOISE, ZEROS, 64, 0),
    UNSEEN("bitonic_pairs", 8192, 256, INTS, INTS, ZEROS, 256, 0),
    UNSEEN("lz_expand", 4096, 64, BENCH_NOISE, INTS, ZEROS, 96, 0),
    UNSEEN("value_noise", 16384, 256, FLOATS, FLOATS, ZEROS, 6, 1e-3f),
    UNSEEN("jump_flood", 16384, 256, INTS, INTS, ZEROS, 32, 0),
    UNSEEN("pointer_jumping", 16384, 256, INTS, INTS, ZEROS, 64, 0),
    UNSEEN("biquad_fixed", 8192, 256, INTS, INTS, ZEROS, 48, 0),
    UNSEEN("twister_state", 4096, 64, BENCH_NOISE, INTS, ZEROS, 64, 0),
    UNSEEN("tridiagonal", 2048, 64, FLOATS, FLOATS, ZEROS, 32, 1e-3f),
};
/* clang-format on */

const uint32_t bench_case_count = sizeof bench_cases / sizeof bench_cases[0];

uint32_t bench_argument_count(const bench_case *test_case)
{
    uint32_t count = 0;
    while (count < BENCH_ARGUMENTS_MAX && test_case->arguments[count].kind != BENCH_NONE)
        count++;
    return count;
}

static uint32_t fill_word(bench_fill fill, uint32_t index, uint32_t argument)
{
    uint32_t spread = index * 7 + argument * 3;
    float real = (float)(spread % 17) * 0.25f - 1.0f;
    uint32_t word = 0;
    switch (fill) {
    case BENCH_ZEROS: break;
    case BENCH_SMALL_INTS: word = (index * 2654435761u >> 7) % 1000; break;
    case BENCH_SMALL_FLOATS: memcpy(&word, &real, 4); break;
    case BENCH_BYTES: word = 0x61616161u + ((index * 2654435761u >> 5) & 0x03030303u); break;
    case BENCH_ROW_STARTS: word = 8 * index; break;
    case BENCH_NOISE:
        word = (index + argument * 77777u) * 2654435761u;
        word = (word ^ word >> 15) * 2246822519u;
        word ^= word >> 13;
        break;
    case BENCH_HALVES: word = 0x38003800u + (spread % 1024 << 16 | spread * 5 % 1024); break;
    case BENCH_COLUMNS: word = (index * 2654435761u >> 9) % 4096; break;
    }
    return word;
}

void bench_fill_buffer(const bench_case *test_case, uint32_t argument, void *data)
{
    CHECK(argument < BENCH_ARGUMENTS_MAX);
    const bench_argument *buffer = &test_case->arguments[argument];
    CHECK(buffer->bytes <= BENCH_BUFFER_BYTES_MAX);
    CHECK(buffer->kind == BENCH_BUFFER && buffer->bytes % 4 == 0);
    for (uint32_t i = 0; i < buffer->bytes / 4; i++) {
        uint32_t word = fill_word(buffer->fill, i, argument);
        memcpy((uint8_t *)data + 4 * (uint64_t)i, &word, 4);
    }
}
