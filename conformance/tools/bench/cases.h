/* The benchmark kernels: their arguments, and the tolerance for their results.
 *
 * The table is independent of engines.  Each engine (engine.h) runs a case from kernels/FILE.cl or
 * from the SPIR-V compiled from it, and saves the results, so that a fast wrong answer does not
 * count. */
#ifndef CONFORMANCE_TOOLS_BENCH_CASES_H
#define CONFORMANCE_TOOLS_BENCH_CASES_H

#include <stdbool.h>
#include <stdint.h>

enum { BENCH_ARGUMENTS_MAX = 6, BENCH_BUFFER_BYTES_MAX = 4 << 20 };

typedef enum bench_argument_kind {
    BENCH_NONE, /* marks the end of the arguments */
    BENCH_BUFFER,
    BENCH_WORD,  /* a uint */
    BENCH_REAL,  /* a float */
    BENCH_LOCAL, /* local memory */
} bench_argument_kind;

/* A buffer's contents before a launch. */
typedef enum bench_fill {
    BENCH_ZEROS,
    BENCH_SMALL_INTS,   /* 0 to 999 */
    BENCH_SMALL_FLOATS, /* multiples of a quarter from -1 to 3: long sums of products are exact */
    BENCH_BYTES,        /* letters a to d: text with many near hits */
    BENCH_ROW_STARTS,   /* word i is 8 * i: rows of eight entries */
    BENCH_COLUMNS,      /* scattered words below 4096 */
    BENCH_NOISE,        /* all bits random */
    BENCH_HALVES,       /* two halves from 0.5 to 1 */
} bench_fill;

typedef struct bench_argument {
    bench_argument_kind kind;
    uint32_t bytes; /* BUFFER, LOCAL */
    bench_fill fill;
    bool written; /* BUFFER: refilled before each launch, and part of the result */
    uint32_t word;
    float real;
} bench_argument;

/* The sets that ci/bench kernels runs. */
typedef enum bench_set {
    BENCH_SIX,
    BENCH_WIDE, /* run together with the six */
    BENCH_WILD, /* kernels/wild: a separate set, with a sequential reference (engine_host.c) */
    /* Also in kernels/wild: written after the compiled tier, to measure and never to tune.  Once a
     * change has been made because of them, they belong to the wild set, and others take their
     * place. */
    BENCH_UNSEEN,
} bench_set;

/* The size of each buffer of the sets wild and unseen. */
#define BENCH_WILD_BYTES (256u << 10)

typedef struct bench_case {
    const char *name; /* of the row, of the kernel function, and of kernels/NAME.cl */
    bench_set set;
    uint32_t dimensions;
    uint64_t global[2], local[2]; /* work-items, in the order of get_global_id */
    float tolerance; /* relative tolerance for floats that engines may round differently; 0 if the
                      * bytes must be equal */
    bench_argument arguments[BENCH_ARGUMENTS_MAX];
} bench_case;

/* The table and its length. */
extern const bench_case bench_cases[];
extern const uint32_t bench_case_count;

/* Returns the number of arguments of a case. */
uint32_t bench_argument_count(const bench_case *test_case);

/* Fills `bytes` bytes, a multiple of 4, with the argument's contents. */
void bench_fill_buffer(const bench_case *test_case, uint32_t argument, void *data);

#endif
