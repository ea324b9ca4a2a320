/* A device for unit tests: it executes commands immediately, counts its calls, and fails on demand.
 */
#ifndef REFERENCE_PROGRAM_TEST_COUNTING_DEVICE_H
#define REFERENCE_PROGRAM_TEST_COUNTING_DEVICE_H

#include "reference/device/device.h"

#include <pthread.h>

typedef struct counting_device {
    dev_device base;
    bool renamed;                 /* is called "renamed", not "counting" */
    bool links;                   /* advertises linking of SPIR-V */
    bool fail_builds;             /* compile, link and build are refused */
    bool fail_kernels;            /* launches are refused */
    bool fail_waits;              /* launches fail while they run */
    bool holds;                   /* launches stay pending until they are waited for */
    bool fail_loads;              /* binaries are refused */
    bool completes_twice;         /* host events may be completed again */
    bool no_binaries;             /* no program can be serialised */
    bool fail_globals;            /* no program has a variable */
    bool fail_fills, fail_writes; /* fills or writes are refused */
    uint32_t fail_call;   /* the number, from 1, of the one call that fails with DRIVER_ERROR, which
                           * every operation may return; 0: none */
    uint32_t calls;       /* of operations that return a status, and waits; atomic */
    uint32_t global_size; /* bytes of every variable; 0: 64 */
    uint32_t build_delay_us; /* duration of a build or link */
    uint32_t compiles, links_done, builds, kernels, launches, reads, writes; /* atomic counters */
    uint32_t last_link_inputs; /* written under lock */
    uint32_t copies, fills;
    uint32_t maps, unmaps, advances;
    rt_buffer accesses; /* "[read 1 0+2]" for each access to mapped bytes: its tag and range; under
                         * lock */
    rt_buffer markers;  /* "[all barrier 0]" for each marker: its flags, and for how many events it
                         * waits; under lock */
    uint32_t loads;     /* number of loaded binaries */
    uint32_t usms;
    rt_buffer usm_sizes; /* "[device 4]" for each USM allocation: its kind and bytes; under lock */
    rt_buffer globals; /* "[name]" for each variable looked up, "[name+0:1122334455660000]" (offset
                        * and bytes) for each write to one; guarded by lock */
    pthread_mutex_t lock;
    rt_buffer codes;  /* "[options 1=07000000]" for each image compiled or built; guarded by lock */
    rt_buffer names;  /* "[image]" for each such image; guarded by lock */
    rt_buffer hashes; /* "[HASH]" of the code of each such image, rt_hash128; guarded by lock */
    rt_buffer link_options; /* "[options]" for each link; guarded by lock */
    rt_buffer arguments;    /* those of the newest launch: "m" memory, "0" null, "p40" pointer with
                             * offset, "b00ff" bytes, "l16" local; guarded by lock */
} counting_device;

/* The start address of every USM allocation on the device. */
#define COUNTING_ADDRESS UINT64_C(0x1122334455660000)

/* A program has a variable for every name that is looked up.  The selector passed to
 * dev_device_open chooses the device: "" links, and supports USM, specialisation constants and all
 * aspects; "unlinked" does not link; "renamed" links and has another name.  A program's binary is
 * COUNTING_BINARY. */
#define COUNTING_BINARY "counted"
extern const dev_backend counting_backend;

#endif
