/* A fake of NVIDIA's driver library: two devices, behaviour and failures on request.
 *
 * Addresses are those of the host, so that copies and fills do what they say.  Its kernels take (a
 * value of four bytes, a pointer), with the hidden last parameter of reference/base/ptx.h behind,
 * and store the value's first byte where the pointer leads.  Programs have one variable, "counter",
 * and a function for every name that does not begin with "missing".  Commands are done when their
 * enqueue returns. */
#ifndef BACKENDS_CUDA_TEST_FAKE_CUDA_H
#define BACKENDS_CUDA_TEST_FAKE_CUDA_H

#include "backends/cuda/cuda_api.h"
#include "backends/vendor/test/fake_script.h"
#include "reference/base/ptx.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { FAKE_VARIABLE_SIZE = 12, FAKE_DEVICES = 2, FAKE_ATTRIBUTES = 128 };

typedef struct fake_cuda {
    fake_script script;
    /* What the devices are. */
    int attributes[FAKE_ATTRIBUTES]; /* by number; -1: the driver does not know it */
    const char *name;
    size_t variable_size; /* the reported size of "counter", which has FAKE_VARIABLE_SIZE bytes */
    int function_threads; /* CUDA_FUNCTION_MAX_THREADS_PER_BLOCK */
    int function_shared;  /* CUDA_FUNCTION_SHARED_SIZE_BYTES */
    float time_step;      /* milliseconds from one recorded event to the next */
    /* What goes wrong. */
    bool second_text;      /* what fails is the second text of a link, whatever fail_call says */
    bool sticky;           /* from the first call that fails on all fail, but those that free */
    bool pending;          /* events are not complete */
    const char *log;       /* what a call that compiles or links and fails writes */
    const char *hang_call; /* calls of this name return when it is another one again */
    bool ignore_streams;   /* several threads enqueue at once */
    atomic_bool hanging;   /* one of them is there */
    /* What happened. */
    bool lost;                               /* a sticky failure was there */
    int ordinal;                             /* of the device whose context was retained */
    unsigned optimisation, registers;        /* options of the last link; ~0u: not given */
    uint32_t added_size, added_count;        /* of the last link: bytes of the last text; texts */
    unsigned grid[3], block[3], shared_size; /* of the last launch */
    rt_ptx_launch hidden;                    /* its last parameter */
    int dynamic_shared;                      /* what a function was permitted last */
    cuda_stream *stream;                     /* of the last command */
    _Alignas(8) unsigned char variable[FAKE_VARIABLE_SIZE];
} fake_cuda;

#endif
