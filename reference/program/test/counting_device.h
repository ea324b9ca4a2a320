/* A device for unit tests: it does at once what it is asked, counts it, and fails on demand. */
#ifndef REFERENCE_PROGRAM_TEST_COUNTING_DEVICE_H
#define REFERENCE_PROGRAM_TEST_COUNTING_DEVICE_H

#include "reference/device/device.h"

typedef struct counting_device {
    dev_device base;
    bool links;              /* advertises linking of SPIR-V */
    bool fail_builds;        /* compile, link and build are refused */
    bool fail_kernels;       /* launches are refused */
    bool fail_waits;         /* launches fail while they run */
    uint32_t build_delay_us; /* how long a build or link takes */
    uint32_t compiles, links_done, builds, kernels, launches, reads, writes; /* atomic */
    uint32_t last_link_inputs;
} counting_device;

/* Opened with dev_device_open and selector "": links; "unlinked": does not. */
extern const dev_backend counting_backend;

#endif
