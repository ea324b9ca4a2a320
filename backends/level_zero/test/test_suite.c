/* Runs the suite for all devices on one Level Zero device: `backend_level_zero_suite_tests
 * SELECTOR`. Exits with 77, CTest's skip code, if there is no such device. */
#include "backends/level_zero/level_zero.h"
#include "reference/device/test/device_suite.h"

#include <stdio.h>

int main(int argument_count, char **arguments)
{
    if (argument_count != 2) {
        fprintf(stderr, "usage: %s SELECTOR\n", arguments[0]);
        return 2;
    }
    const device_suite suite = {.backend = &l0_backend,
                                .selector = arguments[1],
                                .modules = SUITE_MODULES,
                                .misjudges_duplicates = true};
    int failed = device_suite_run(&suite);
    return failed < 0 ? 77 : failed;
}
