/* A fake of NVIDIA's driver library: two devices with configurable behaviour and failures. Device
 * addresses are host addresses, so copies and fills really take place.  Its kernels take (a value
 * of four bytes, a pointer), followed by the hidden parameter of reference/base/ptx.h, and store
 * the value's first byte at the pointer.  Programs have one variable, "counter", and a function for
 * every name that does not begin with "missing".  A command is complete when the call that enqueues
 * it returns. */
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
    /* Properties of the devices. */
    int attributes[FAKE_ATTRIBUTES]; /* by attribute number; -1 if unknown to the driver */
    const char *name;
    size_t variable_size; /* the reported size of "counter", which has FAKE_VARIABLE_SIZE bytes */
    int function_threads; /* CUDA_FUNCTION_MAX_THREADS_PER_BLOCK */
    int function_shared;  /* CUDA_FUNCTION_SHARED_SIZE_BYTES */
    float time_step;      /* milliseconds from one recorded event to the next */
    /* Failures. */
    bool second_text;      /* the second text of a link fails, regardless of fail_call */
    bool sticky;           /* after the first failure, all calls fail but those that free */
    bool pending;          /* events do not complete */
    const char *log;       /* log of a compile or link that fails */
    const char *hang_call; /* calls with this name do not return until this member is changed */
    bool ignore_streams;   /* several threads enqueue at the same time */
    atomic_bool hanging;   /* a call is hanging */
    /* Observations. */
    bool lost;                               /* a sticky failure has occurred */
    int ordinal;                             /* ordinal of the device whose context was retained */
    unsigned optimisation, registers;        /* options of the last link; ~0u if not given */
    uint32_t added_size, added_count;        /* of the last link: size of its last text; number of
                                              * texts */
    unsigned grid[3], block[3], shared_size; /* of the last launch */
    rt_ptx_launch hidden;                    /* its last parameter */
    int dynamic_shared;                      /* bytes last permitted to a function */
    cuda_stream *stream;                     /* of the last command or wait */
    _Alignas(8) unsigned char variable[FAKE_VARIABLE_SIZE];
} fake_cuda;

#endif
