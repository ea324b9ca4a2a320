/* The tables of features and limits per compute capability. */
#include "backends/ptx/capability.h"

#include "reference/base/check.h"
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

/* By capability; a row holds up to the next. */
static const struct shared_row {
    uint32_t since;
    uint32_t kibibytes;
} shared_rows[] = {
    {0, 48}, {70, 96}, {75, 64}, {80, 163}, {86, 99}, {87, 163}, {89, 99}, {90, 227}, {120, 99},
};

uint32_t ptx_shared_size_max(uint32_t capability)
{
    uint32_t kibibytes = 0;
    for (size_t i = 0; i < sizeof shared_rows / sizeof *shared_rows; i++)
        if (capability >= shared_rows[i].since) kibibytes = shared_rows[i].kibibytes;
    CHECK(kibibytes > 0);
    return kibibytes << 10;
}
