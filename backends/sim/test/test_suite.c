/* Runs the suite for all devices on the simulated device. */
#include "backends/sim/simdev.h"
#include "reference/device/test/device_suite.h"

int main(void)
{
    const device_suite suite = {
        .backend = &simdev_backend,
        .selector = "",
        .modules = SUITE_MODULES,
        .offline_compile = simdev_offline_compile,
    };
    return device_suite_run(&suite);
}
