/* A fake Level Zero loader: drivers, devices, behaviour and failures on request.
 *
 * What a module is made of is told by word 2 of its SPIR-V, the generator, as the bits below;
 * native code is "built" and those bits in one byte.  Its kernels are called k, take (bytes,
 * pointer) and store the first byte of the first at the second.  Commands have their effect when
 * they are appended. */
#ifndef BACKENDS_LEVEL_ZERO_TEST_FAKE_LEVEL_ZERO_H
#define BACKENDS_LEVEL_ZERO_TEST_FAKE_LEVEL_ZERO_H

#include "backends/vendor/test/fake_script.h"

#include <level_zero/ze_api.h>

#include <stdbool.h>

enum {
    FAKE_IMPORTS = 1,    /* an open symbol, and the variable "shared", */
    FAKE_EXPORTS = 2,    /* which a module like this defines (12 bytes) */
    FAKE_HAS_X = 4,      /* a variable with the linkage name "x" (4 bytes) */
    FAKE_HAS_Y = 8,      /* a variable with the linkage name "y" (8 bytes) */
    FAKE_HAS_HOST_X = 16 /* a variable without linkage that the host calls "x" (20 bytes) */
};

typedef struct fake_level_zero {
    fake_script script;
    /* What there is; fake_reset of the test gives a driver with one device. */
    uint32_t drivers, devices; /* devices of each driver */
    bool lists_program, lists_offset;
    bool no_compute;         /* no group of queues computes */
    uint32_t fill_max;       /* bytes of a fill's pattern */
    uint32_t spirv;          /* newest version, ZE_MAKE_VERSION */
    uint32_t module_flags;   /* ze_device_module_flags_t */
    uint32_t shared_access;  /* ze_memory_access_cap_flags_t of shared memory */
    uint32_t required_group; /* of kernels, in dimension 0; 0: none */
    uint32_t suggested[3];   /* sizes of groups */
    bool pending;            /* commands appended from now on stay pending until a wait */
    bool hangs;              /* a wait for an event never ends */
    bool no_binary;
    size_t variable_size; /* told of every variable; 0: its own */
    const char *log;      /* of every build and link */
    /* What happened. */
    int32_t unsettled; /* events of commands that are not done */
    uint32_t misuses;  /* something was destroyed that a command still needs */
    char flags[256];   /* of the last module */
    uint32_t joined;   /* modules of SPIR-V in the last module */
    uint32_t linked;   /* modules of the last dynamic link */
    uint32_t constant_id, constant_value, constant_count; /* of the last module: the first */
    uint32_t group[3], counts[3], offset[3];              /* of the last launch */
    uint32_t indirect;                                    /* access given to the last kernel */
    unsigned char x[4], y[8], shared[12], host_x[20];     /* the variables */
} fake_level_zero;

#endif
