/* Makes launches.  CUDA has no open work-group sizes, so a group size that the launch leaves open
 * is chosen here: as many threads as divide the first dimension, and more than 1 in the others only
 * if the grid could not hold the groups otherwise.  The kernel's index space is then exactly the
 * range.
 *
 * Source: CUDA C++ programming guide, "Thread Hierarchy" and "Compute Capabilities". */
#include "backends/ptx/launch.h"

#include <string.h>

/* Most threads in a group whose size is open: the size that many kernels are written for. */
enum { OPEN_GROUP_SIZE = 256 };

/* ---- Ranges ------------------------------------------------------------------------------- */

/* Returns the largest divisor of n that is at most `limit`, which is at least 1. */
static uint64_t divisor_below(uint64_t n, uint64_t limit)
{
    CHECK(n >= 1 && limit >= 1);
    uint64_t divisor = n < limit ? n : limit;
    while (n % divisor != 0)
        divisor--;
    return divisor;
}

/* Returns the smallest divisor of n, from 1 to `limit`, that leaves at most `groups_max` groups; 0
 * if there is none. */
static uint64_t divisor_leaving(uint64_t n, uint64_t limit, uint64_t groups_max)
{
    for (uint64_t divisor = 1; divisor <= limit; divisor++) {
        if (n % divisor == 0 && n / divisor <= groups_max) return divisor;
    }
    return 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Chooses the group size of an open range; the caller checks afterwards that the grid fits. */
static void group_choose(const ptx_limits *limits, const dev_nd_range *range,
                         uint64_t out_local[RT_ND_RANGE_DIMENSIONS])
{
    uint64_t room = smaller(limits->group_size_max, OPEN_GROUP_SIZE);
    for (uint32_t d = RT_ND_RANGE_DIMENSIONS - 1; d >= 1; d--) {
        uint64_t found = divisor_leaving(range->global[d], smaller(room, limits->local_max[d]),
                                         limits->grid_max[d]);
        out_local[d] = found > 0 ? found : 1;
        room /= out_local[d];
    }
    out_local[0] = divisor_below(range->global[0], smaller(room, limits->local_max[0]));
}

/* Refuses a group size that the kernel or device does not take. */
static rt_status group_validate(rt_sink *sink, const ptx_limits *limits, const ptx_kernel *kernel,
                                const uint64_t local[RT_ND_RANGE_DIMENSIONS])
{
    const uint32_t *required = kernel->required_local;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        if (required[0] != 0 && local[d] != required[d])
            return rt_fail(sink, RT_ERRC_ND_RANGE, RT_RULE_NONE,
                           "kernel '%.*s' requires groups of %u x %u x %u work-items and was given "
                           "%llu x %llu x %llu",
                           RT_TEXT_ARG(kernel->entry.name), required[0], required[1], required[2],
                           (unsigned long long)local[0], (unsigned long long)local[1],
                           (unsigned long long)local[2]);
        if (local[d] > limits->local_max[d])
            return rt_fail(sink, RT_ERRC_ND_RANGE, RT_RULE_NONE,
                           "a group has %llu work-items in dimension %u; the device takes at most "
                           "%u there",
                           (unsigned long long)local[d], d, limits->local_max[d]);
    }
    return RT_STATUS_OK;
}

static rt_status range_make(rt_sink *sink, const ptx_limits *limits, const ptx_kernel *kernel,
                            const dev_nd_range *range, ptx_launch *launch)
{
    dev_nd_range chosen = *range;
    bool is_open = range->local[0] == 0;
    if (is_open && kernel->required_local[0] == 0) group_choose(limits, range, chosen.local);
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS && is_open; d++)
        if (kernel->required_local[0] != 0)
            chosen.local[d] = d < range->dimensions ? kernel->required_local[d] : 1;
    RT_TRY(group_validate(sink, limits, kernel, chosen.local));
    RT_TRY(dev_nd_range_validate(sink, &chosen, limits->group_size_max));
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        uint64_t groups = chosen.global[d] / chosen.local[d];
        if (groups > limits->grid_max[d])
            return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                           "%llu work-items in dimension %u in groups of %llu are %llu groups; the "
                           "device takes at most %u: give a larger local size",
                           (unsigned long long)chosen.global[d], d,
                           (unsigned long long)chosen.local[d], (unsigned long long)groups,
                           limits->grid_max[d]);
        launch->grid[d] = (uint32_t)groups;
        launch->block[d] = (uint32_t)chosen.local[d];
    }
    return RT_STATUS_OK;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

/* The kind of parameter for each kind of argument, and its name in messages. */
static const struct argument_row {
    rt_ptx_parameter_kind fits;
    const char *name;
} argument_rows[DEV_ARGUMENT_KINDS] = {
    [DEV_ARGUMENT_MEMORY] = {RT_PTX_POINTER, "a buffer"},
    [DEV_ARGUMENT_POINTER] = {RT_PTX_POINTER, "a pointer"},
    [DEV_ARGUMENT_BYTES] = {RT_PTX_VALUE, "a value"},
    [DEV_ARGUMENT_LOCAL] = {RT_PTX_LOCAL, "local memory"},
};

static const char *const parameter_names[RT_PTX_PARAMETER_KINDS] = {
    [RT_PTX_POINTER] = "a pointer to global or constant memory",
    [RT_PTX_LOCAL] = "a pointer to local memory",
    [RT_PTX_VALUE] = "a value",
};

static bool argument_fits(const rt_ptx_parameter *parameter, const dev_argument *argument)
{
    if (argument_rows[argument->kind].fits != parameter->kind) return false;
    return argument->kind != DEV_ARGUMENT_BYTES || argument->bytes.size == parameter->size;
}

static rt_status argument_fail(rt_sink *sink, const ptx_kernel *kernel, uint32_t index,
                               const dev_argument *argument)
{
    const rt_ptx_parameter *parameter = &kernel->entry.parameters[index];
    uint64_t size = argument->kind == DEV_ARGUMENT_BYTES   ? argument->bytes.size
                    : argument->kind == DEV_ARGUMENT_LOCAL ? argument->size
                    : argument->memory                     ? argument->memory->size
                                                           : 0;
    return rt_fail(sink, RT_ERRC_KERNEL_ARGUMENT, RT_RULE_NONE,
                   "argument %u of %u (from 0) of kernel '%.*s' is %s of %llu bytes and its "
                   "parameter is %s of %u bytes: compare with the kernel's source",
                   index, kernel->entry.parameter_count, RT_TEXT_ARG(kernel->entry.name),
                   argument_rows[argument->kind].name, (unsigned long long)size,
                   parameter_names[parameter->kind], parameter->size);
}

/* Allocates local memory after the launch's earlier allocations. */
static rt_status local_take(rt_sink *sink, const ptx_limits *limits, uint64_t size,
                            ptx_launch *launch, uint32_t *out_offset)
{
    enum { ALIGN = RT_PTX_LOCAL_ALIGNMENT };
    uint64_t left = limits->shared_max - launch->shared_size;
    if (size > left)
        return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                       "the launch asks for %llu bytes of local memory and %llu are left of the "
                       "device's %llu",
                       (unsigned long long)size, (unsigned long long)left,
                       (unsigned long long)limits->shared_max);
    *out_offset = launch->shared_size;
    uint64_t end = (launch->shared_size + size + ALIGN - 1) / ALIGN * ALIGN;
    launch->shared_size = (uint32_t)smaller(end, limits->shared_max);
    return RT_STATUS_OK;
}

/* Makes the value of one parameter. */
static rt_status argument_make(rt_sink *sink, rt_arena *arena, const ptx_limits *limits,
                               const dev_argument *argument, ptx_launch *launch, void **out_value)
{
    if (argument->kind == DEV_ARGUMENT_BYTES) {
        uint8_t *bytes = rt_arena_alloc(arena, argument->bytes.size);
        memcpy(bytes, argument->bytes.data, argument->bytes.size);
        *out_value = bytes;
        return RT_STATUS_OK;
    }
    if (argument->kind == DEV_ARGUMENT_LOCAL) {
        uint32_t *offset = rt_arena_alloc(arena, sizeof *offset);
        *out_value = offset;
        return local_take(sink, limits, argument->size, launch, offset);
    }
    /* In an adapter for PTX every memory has an address, including buffers. */
    dev_memory *memory = argument->memory;
    uint64_t *address = rt_arena_alloc(arena, sizeof *address);
    if (memory) *address = memory->ops->address(memory);
    if (argument->kind == DEV_ARGUMENT_POINTER) *address += argument->offset;
    *out_value = address;
    return RT_STATUS_OK;
}

/* Makes the hidden last parameter. */
static void *hidden_make(rt_arena *arena, const dev_nd_range *range)
{
    rt_ptx_launch *hidden = rt_arena_alloc(arena, sizeof *hidden);
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++)
        hidden->global_offset[d] = range->offset[d];
    hidden->dimensions = range->dimensions;
    return hidden;
}

rt_status ptx_launch_make(rt_sink *sink, rt_arena *arena, const ptx_limits *limits,
                          const ptx_kernel *kernel, const dev_nd_range *range,
                          const dev_argument *arguments, uint32_t argument_count,
                          ptx_launch *out_launch)
{
    *out_launch = (ptx_launch){.shared_size = RT_PTX_LAUNCH_SIZE};
    RT_TRY(dev_argument_count_validate(sink, kernel->entry.parameter_count, argument_count));
    RT_TRY(range_make(sink, limits, kernel, range, out_launch));
    if (limits->shared_max < RT_PTX_LAUNCH_SIZE)
        return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                       "kernel '%.*s' leaves %llu bytes of local memory; every launch needs %d",
                       RT_TEXT_ARG(kernel->entry.name), (unsigned long long)limits->shared_max,
                       RT_PTX_LAUNCH_SIZE);
    out_launch->parameters =
        rt_arena_alloc_array(arena, (size_t)argument_count + 1, sizeof(void *));
    for (uint32_t i = 0; i < argument_count; i++) {
        if (!argument_fits(&kernel->entry.parameters[i], &arguments[i]))
            return argument_fail(sink, kernel, i, &arguments[i]);
        RT_TRY(argument_make(sink, arena, limits, &arguments[i], out_launch,
                             &out_launch->parameters[i]));
    }
    out_launch->parameters[argument_count] = hidden_make(arena, range);
    out_launch->parameter_count = argument_count + 1;
    return RT_STATUS_OK;
}
