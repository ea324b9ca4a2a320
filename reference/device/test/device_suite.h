/* The tests that every device has to pass: real programs through the device interface, with
 * expected values derived by hand. The test of a new adapter calls device_suite_run. */
#ifndef REFERENCE_DEVICE_TEST_DEVICE_SUITE_H
#define REFERENCE_DEVICE_TEST_DEVICE_SUITE_H

#include "reference/device/device.h"

typedef struct device_suite {
    const dev_backend *backend;
    const char *selector;
    const dev_tools *tools; /* NULL: none */
    const char *modules;    /* folder with the SPIR-V of test/modules, as NAME.spv */
    /* Compiles a SPIR-V module and appends the native image.  NULL: the device's own binaries are
     * its native images, if it accepts any; drivers are not given damaged ones, because some do not
     * survive them. */
    rt_status (*offline_compile)(rt_sink *sink, rt_bytes spirv, rt_buffer *out_image);
    /* The driver is known to accept a symbol that two modules define, or to refuse it without
     * giving a reason (scenarios/FINDINGS.md).  Never set for an adapter with its own linker, which
     * must judge correctly. */
    bool misjudges_duplicates;
    /* The driver is known to crash at commands that follow one that a failed event has terminated
     * (scenarios/FINDINGS.md). */
    bool crashes_after_failed_events;
    /* The driver may accept SPIR-V as one of its binaries, whose format OpenCL leaves open, unless
     * its version contains this text (PoCL 6.0 does, 3.1 does not). NULL: it may not. */
    const char *takes_spirv_as_binary_unless;
} device_suite;

/* Runs the suite under cmocka and returns the number of failed tests, or -1, after printing the
 * message, if the device is UNAVAILABLE. */
int device_suite_run(const device_suite *suite);

#endif
