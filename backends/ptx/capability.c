/* The table of features per compute capability. */
#include "backends/ptx/capability.h"

#include "reference/device/device.h"

/* Half from 5.3 on; double from 1.3; 64-bit atomics of all kinds from 6.0; pointers to functions
 * from 2.0. */
static const struct feature {
    dev_aspect aspect;
    uint32_t since;
} features[] = {
    {DEV_ASPECT_FP16, 53},
    {DEV_ASPECT_FP64, 13},
    {DEV_ASPECT_ATOMIC64, 60},
    {DEV_ASPECT_VIRTUAL_FUNCTIONS, 20},
};

uint32_t ptx_aspects(uint32_t capability)
{
    uint32_t aspects = 0;
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (capability >= features[i].since) aspects |= 1u << features[i].aspect;
    return aspects;
}
