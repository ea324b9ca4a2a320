/* A fake Level Zero loader with configurable drivers, devices, behaviour and failures. Word 2 of a
 * module's SPIR-V, the generator word, describes the module's contents by the bits below; native
 * code is "built" followed by those bits in one byte. Every module has one kernel, "k", which takes
 * (bytes, pointer) and stores the first of the bytes at the pointer.  Commands take effect when
 * they are appended. */
#ifndef BACKENDS_LEVEL_ZERO_TEST_FAKE_LEVEL_ZERO_H
#define BACKENDS_LEVEL_ZERO_TEST_FAKE_LEVEL_ZERO_H

#include "backends/vendor/test/fake_script.h"

#include <level_zero/ze_api.h>

#include <stdbool.h>

enum {
    FAKE_IMPORTS = 1,    /* an unresolved symbol, and the variable "shared", ... */
    FAKE_EXPORTS = 2,    /* ... which a module with this bit defines (12 bytes) */
    FAKE_HAS_X = 4,      /* a variable with the linkage name "x" (4 bytes) */
    FAKE_HAS_Y = 8,      /* a variable with the linkage name "y" (8 bytes) */
    FAKE_HAS_HOST_X = 16 /* a variable without linkage that the host calls "x" (20 bytes) */
};

typedef struct fake_level_zero {
    fake_script script;
    /* Configuration; the test's fake_reset sets up a driver with one device. */
    uint32_t drivers, devices; /* numbers of drivers, and of devices per driver */
    bool lists_program, lists_offset;
    bool no_compute;            /* no queue group can compute */
    uint32_t fill_max;          /* largest fill pattern, in bytes */
    uint32_t spirv;             /* newest version, ZE_MAKE_VERSION */
    uint32_t module_flags;      /* ze_device_module_flags_t */
    uint32_t shared_access;     /* ze_memory_access_cap_flags_t of shared memory */
    uint32_t required_group[3]; /* of kernels; all 0 if none */
    uint32_t suggested[3];      /* suggested group size */
    bool pending;               /* commands appended from now on stay pending until a wait */
    bool hangs;                 /* a wait for an event never ends */
    bool no_binary;
    size_t variable_size; /* the size reported for every variable; 0: its real size */
    const char *log;      /* log of every build and link */
    /* Observations. */
    int32_t unsettled; /* number of events whose commands are not done */
    uint32_t misuses;  /* number of objects destroyed while a command needed them */
    char flags[256];   /* of the last module */
    uint32_t joined;   /* number of SPIR-V modules in the last module */
    uint32_t linked;   /* number of modules in the last dynamic link */
    uint32_t constant_id, constant_value, constant_count; /* of the last module: its first constant,
                                                           * and the number of them */
    uint32_t group[3], counts[3], offset[3];              /* of the last launch */
    uint32_t indirect;                                    /* access given to the last kernel */
    unsigned char x[4], y[8], shared[12], host_x[20];     /* the variables */
} fake_level_zero;

#endif
