/* The backend in a build without Level Zero's headers: present, but UNAVAILABLE. */
#include "backends/level_zero/level_zero.h"

static rt_status absent_open(const dev_open_parameters *parameters, rt_text selector,
                             dev_device **out_device)
{
    (void)selector, (void)out_device;
    return rt_fail(parameters->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                   "this build does not support Level Zero, because its headers were missing; "
                   "install them (Debian: libze-dev) and build again");
}

const dev_backend l0_backend = {.name = "level_zero", .open = absent_open};
