/* The tests that every device has to pass: real programs through the device interface, with
 * expected values derived by hand. The test of a new adapter calls device_suite_run. */
#ifndef REFERENCE_DEVICE_TEST_DEVICE_SUITE_H
#define REFERENCE_DEVICE_TEST_DEVICE_SUITE_H

#include "reference/device/device.h"

typedef struct device_suite {
    const dev_backend *backend;
    const char *selector;
    const dev_tools *tools; /* NULL: none */
    const char *modules;    /* folder with the SPIR-V of test/modules, NAME.spv */
    /* Appends the native image of a SPIR-V module; NULL: the device accepts none. */
    rt_status (*offline_compile)(rt_sink *sink, rt_bytes spirv, rt_buffer *out_image);
    /* The driver is known to accept a symbol that two modules define, or to refuse it without a
     * reason (scenarios/FINDINGS.md); an adapter's own linker must be right. */
    bool misjudges_duplicates;
} device_suite;

/* Runs the suite under cmocka and returns the number of failed tests; -1 if the device is
 * UNAVAILABLE (printed). */
int device_suite_run(const device_suite *suite);

#endif
