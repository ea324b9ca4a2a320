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

const bench_case bench_cases[] = {
    {"vadd", false, LINE(1 << 20, 256), 0,
     {IN(4 * MIB, FLOATS), IN(4 * MIB, FLOATS), OUT(4 * MIB, ZEROS)}},
    {"lcg", false, LINE(4096, 256), 0, {OUT(16 * KIB, ZEROS), WORD(1024)}},
    {"matmul", false, PLANE(256, 256, 16, 16), 0,
     {IN(256 * KIB, FLOATS), IN(256 * KIB, FLOATS), OUT(256 * KIB, ZEROS), WORD(256)}},
    {"reduce", false, LINE(65536, 256), 0,
     {IN(256 * KIB, INTS), OUT(KIB, ZEROS), LOCAL(KIB)}},
    {"mandel", false, PLANE(512, 512, 16, 16), 0,
     {OUT(MIB, ZEROS), WORD(512), WORD(512), WORD(256)}},
    {"nbody", false, LINE(1024, 256), 1e-3f,
     {IN(16 * KIB, FLOATS), OUT(16 * KIB, ZEROS), WORD(1024), REAL(0.01f)}},

    {"stencil", true, PLANE(256, 256, 16, 16), 0,
     {IN(256 * KIB, FLOATS), OUT(256 * KIB, ZEROS), WORD(256)}},
    {"life", true, PLANE(256, 256, 16, 16), 0,
     {IN(256 * KIB, INTS), OUT(256 * KIB, ZEROS), WORD(256)}},
    {"convolution", true, LINE(65536, 256), 0,
     {IN(256 * KIB, FLOATS), IN(KIB, FLOATS), OUT(256 * KIB, ZEROS), WORD(16)}},
    {"sobel", true, PLANE(256, 256, 16, 16), 0,
     {IN(256 * KIB, INTS), OUT(256 * KIB, ZEROS), WORD(256)}},
    {"transpose", true, PLANE(512, 512, 16, 16), 0,
     {IN(MIB, INTS), OUT(MIB, ZEROS), LOCAL(17 * 16 * 4), WORD(512)}},
    {"histogram", true, LINE(65536, 256), 0, {IN(256 * KIB, INTS), OUT(KIB, ZEROS)}},
    {"histogram_local", true, LINE(65536, 256), 0,
     {IN(256 * KIB, INTS), OUT(KIB, ZEROS), LOCAL(KIB)}},
    {"scan", true, LINE(65536, 256), 0, {IN(256 * KIB, INTS), OUT(256 * KIB, ZEROS), LOCAL(KIB)}},
    {"sort", true, LINE(16384, 256), 0, {IN(64 * KIB, INTS), OUT(64 * KIB, ZEROS), LOCAL(KIB)}},
    {"fft", true, LINE(16384, 128), 1e-3f,
     {IN(256 * KIB, FLOATS), OUT(256 * KIB, ZEROS), LOCAL(2 * KIB)}},
    {"spmv", true, LINE(4096, 256), 0,
     {IN(16 * KIB + 4, BENCH_ROW_STARTS), IN(128 * KIB, BENCH_COLUMNS), IN(128 * KIB, FLOATS),
      IN(16 * KIB, FLOATS), OUT(16 * KIB, ZEROS)}},
    {"search", true, LINE(16384, 256), 0,
     {IN(32 * KIB, BENCH_BYTES), IN(KIB, BENCH_BYTES), OUT(64 * KIB, ZEROS), WORD(12)}},
    {"collatz", true, LINE(8192, 256), 0, {OUT(32 * KIB, ZEROS), WORD(500)}},
    {"bisect", true, LINE(16384, 256), 0,
     {IN(64 * KIB, BENCH_ROW_STARTS), IN(64 * KIB, INTS), OUT(64 * KIB, ZEROS), WORD(16384)}},
    {"compact", true, LINE(65536, 256), 0,
     {IN(256 * KIB, INTS), OUT(KIB, ZEROS), LOCAL(4), WORD(500)}},
    {"dot_product", true, LINE(65536, 256), 0,
     {IN(256 * KIB, FLOATS), IN(256 * KIB, FLOATS), OUT(KIB, ZEROS), LOCAL(KIB)}},
    {"gemv", true, LINE(1024, 64), 0,
     {IN(4 * MIB, FLOATS), IN(4 * KIB, FLOATS), OUT(4 * KIB, ZEROS), WORD(1024)}},
    {"matmul_tiled", true, PLANE(128, 128, 16, 16), 0,
     {IN(64 * KIB, FLOATS), IN(64 * KIB, FLOATS), OUT(64 * KIB, ZEROS), LOCAL(KIB), LOCAL(KIB),
      WORD(128)}},
    {"hash", true, LINE(16384, 256), 0, {IN(256 * KIB, INTS), OUT(64 * KIB, ZEROS), WORD(16)}},
    {"bits", true, LINE(65536, 256), 0, {IN(256 * KIB, INTS), OUT(256 * KIB, ZEROS)}},
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
