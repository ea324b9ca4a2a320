/* The tables of features and limits per compute capability. */
#include "backends/ptx/capability.h"

#include "reference/base/check.h"

/* fp16 from 5.3; fp64 from 1.3; all 64-bit atomics from 6.0; function pointers from 2.0. */
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

/* Sorted by capability; a row applies until the next one begins. */
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

bool ptx_translates(const dev_tools *tools)
{
    return tools && tools->spirv_to_ptx;
}

dev_capabilities ptx_capabilities(uint32_t capability, uint32_t warp_size, const ptx_limits *limits,
                                  const dev_tools *tools, const char *extensions[PTX_EXTENSIONS])
{
    enum { SUB_GROUP_MAX = 64 }; /* bits of sub_group_sizes */
    uint32_t aspects = ptx_aspects(capability);
    uint64_t hidden = RT_PTX_LOCAL_ALIGNMENT; /* rt_ptx_launch, and what aligns what follows */
    bool translates = ptx_translates(tools);
    extensions[0] = rt_format_link_extension(RT_FORMAT_PTX);
    extensions[1] = rt_format_link_extension(RT_FORMAT_SPIRV64);
    return (dev_capabilities){
        .formats_taken = 1u << RT_FORMAT_PTX | 1u << RT_FORMAT_NATIVE |
                         (translates ? 1u << RT_FORMAT_SPIRV64 : 0),
        .extensions = extensions,
        .extension_count = translates ? 2 : 1,
        .aspects = aspects,
        .program_variables = true,
        .globals_by_name = true,
        .function_pointers = (aspects >> DEV_ASPECT_VIRTUAL_FUNCTIONS & 1) != 0,
        .spec_constants = translates,
        .asserts = translates,
        .program_binaries = true,
        .profiling = true,
        .sub_groups = true,
        .sub_group_operations = true,
        .local_size_max = limits->shared_max > hidden ? limits->shared_max - hidden : 0,
        .group_size_max = limits->group_size_max,
        .sub_group_sizes =
            warp_size >= 1 && warp_size <= SUB_GROUP_MAX ? UINT64_C(1) << (warp_size - 1) : 0,
    };
}
