/* Prepares launches. CUDA requires a block size, so a group size that the launch leaves open is
 * chosen here: in the first dimension the largest that divides the range, in the others 1 unless
 * the grid could not hold that many groups. The kernel's index space is thus exactly the range.
 *
 * Source: CUDA C++ programming guide, "Thread Hierarchy" and "Compute Capabilities". */
#include "backends/ptx/launch.h"

/* Maximum number of threads in a group whose size is chosen here: many kernels are written for this
 * size. */
enum { OPEN_GROUP_SIZE = 256 };

/* ---- Ranges ------------------------------------------------------------------------------- */

/* Returns the smallest divisor of n, from 1 to `limit`, that gives at most `groups_max` groups; 0
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

/* Chooses the group size for a range that leaves it open; the caller checks afterwards that the
 * grid fits. */
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
    /* In the first dimension, the largest divisor that fits. */
    CHECK(room >= 1 && limits->local_max[0] >= 1);
    out_local[0] = smaller(range->global[0], smaller(room, limits->local_max[0]));
    if (out_local[0] == 0) out_local[0] = 1; /* an empty range */
    while (range->global[0] % out_local[0] != 0)
        out_local[0]--;
}

/* Determines the group size, refuses one that the kernel or device does not accept, and counts the
 * groups. */
static rt_status range_make(rt_sink *sink, const ptx_limits *limits, const ptx_kernel *kernel,
                            const dev_nd_range *range, ptx_launch *launch)
{
    const uint32_t *required = kernel->required_local;
    dev_nd_range chosen = *range;
    bool is_open = range->local[0] == 0;
    if (is_open && required[0] == 0) group_choose(limits, range, chosen.local);
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        CHECK((required[d] == 0) == (required[0] == 0));
        if (is_open && required[0] != 0) chosen.local[d] = d < range->dimensions ? required[d] : 1;
    }
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        if (required[0] != 0 && chosen.local[d] != required[d])
            return rt_fail(sink, RT_ERRC_ND_RANGE, RT_RULE_NONE,
                           "kernel '%.*s' requires groups of %u x %u x %u work-items, but was "
                           "given %llu x %llu x %llu",
                           RT_TEXT_ARG(kernel->entry.name), required[0], required[1], required[2],
                           (unsigned long long)chosen.local[0], (unsigned long long)chosen.local[1],
                           (unsigned long long)chosen.local[2]);
        if (chosen.local[d] > limits->local_max[d])
            return rt_fail(sink, RT_ERRC_ND_RANGE, RT_RULE_NONE,
                           "a group has %llu work-items in dimension %u; the device takes at most "
                           "%u there",
                           (unsigned long long)chosen.local[d], d, limits->local_max[d]);
    }
    RT_TRY(dev_nd_range_validate(sink, &chosen, limits->group_size_max));
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        uint64_t groups = chosen.global[d] / chosen.local[d];
        if (groups > limits->grid_max[d])
            return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                           "%llu work-items in dimension %u, in groups of %llu, make %llu groups, "
                           "but the device takes at most %u; give a larger local size",
                           (unsigned long long)chosen.global[d], d,
                           (unsigned long long)chosen.local[d], (unsigned long long)groups,
                           limits->grid_max[d]);
        CHECK_IMPLIES(groups == 0, dev_nd_range_is_empty(range));
        launch->grid[d] = (uint32_t)groups;
        launch->block[d] = (uint32_t)chosen.local[d];
    }
    return RT_STATUS_OK;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

/* For each kind of argument, the kind of parameter that it fits, and the argument's name in
 * messages. */
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

static rt_status argument_fail(rt_sink *sink, const ptx_kernel *kernel, uint32_t index,
                               const dev_argument *argument)
{
    const rt_ptx_parameter *parameter = &kernel->entry.parameters[index];
    uint64_t size = argument->kind == DEV_ARGUMENT_BYTES   ? argument->bytes.size
                    : argument->kind == DEV_ARGUMENT_LOCAL ? argument->size
                    : argument->memory                     ? argument->memory->size
                                                           : 0;
    return rt_fail(sink, RT_ERRC_KERNEL_ARGUMENT, RT_RULE_NONE,
                   "argument %u of %u (counted from 0) of kernel '%.*s' is %s of %llu bytes, but "
                   "the parameter is %s of %u bytes; compare with the kernel's source",
                   index, kernel->entry.parameter_count, RT_TEXT_ARG(kernel->entry.name),
                   argument_rows[argument->kind].name, (unsigned long long)size,
                   parameter_names[parameter->kind], parameter->size);
}

/* Makes the value of one parameter. Local memory is placed after the launch's earlier allocations.
 */
static rt_status argument_make(rt_sink *sink, rt_arena *arena, const ptx_limits *limits,
                               const dev_argument *argument, ptx_launch *launch, void **out_value)
{
    enum { ALIGN = RT_PTX_LOCAL_ALIGNMENT };
    if (argument->kind == DEV_ARGUMENT_BYTES) {
        *out_value = rt_arena_copy(arena, argument->bytes.data, argument->bytes.size, 1);
        return RT_STATUS_OK;
    }
    if (argument->kind == DEV_ARGUMENT_LOCAL) {
        CHECK(launch->shared_size <= limits->shared_max);
        uint64_t start = ((uint64_t)launch->shared_size + ALIGN - 1) / ALIGN * ALIGN;
        uint64_t left = start < limits->shared_max ? limits->shared_max - start : 0;
        if (argument->size > left)
            return rt_fail(
                sink, RT_LIMIT, RT_RULE_NONE,
                "the launch asks for %llu bytes of local memory, but only %llu are left of the "
                "%llu available",
                (unsigned long long)argument->size, (unsigned long long)left,
                (unsigned long long)limits->shared_max);
        uint32_t offset = (uint32_t)start;
        *out_value = rt_arena_copy(arena, &offset, 1, sizeof offset);
        launch->shared_size = (uint32_t)(start + argument->size);
        return RT_STATUS_OK;
    }
    /* In PTX adapters every memory has an address, even a buffer. */
    CHECK(argument->kind == DEV_ARGUMENT_MEMORY || argument->kind == DEV_ARGUMENT_POINTER);
    CHECK_IMPLIES(argument->kind == DEV_ARGUMENT_POINTER,
                  argument->offset <= argument->memory->size);
    dev_memory *memory = argument->memory;
    uint64_t *address = rt_arena_alloc(arena, sizeof *address);
    if (memory) *address = memory->ops->address(memory);
    if (argument->kind == DEV_ARGUMENT_POINTER) *address += argument->offset;
    *out_value = address;
    return RT_STATUS_OK;
}

rt_status ptx_launch_make(rt_sink *sink, rt_arena *arena, const ptx_limits *limits,
                          const ptx_kernel *kernel, const dev_nd_range *range,
                          const dev_argument *arguments, uint32_t argument_count,
                          ptx_launch *out_launch)
{
    CHECK(range->dimensions >= 1 && range->dimensions <= RT_ND_RANGE_DIMENSIONS);
    *out_launch = (ptx_launch){.shared_size = RT_PTX_LAUNCH_SIZE};
    RT_TRY(dev_argument_count_validate(sink, kernel->entry.parameter_count, argument_count));
    RT_TRY(range_make(sink, limits, kernel, range, out_launch));
    if (limits->shared_max < RT_PTX_LAUNCH_SIZE)
        return rt_fail(
            sink, RT_LIMIT, RT_RULE_NONE,
            "kernel '%.*s' leaves only %llu bytes of local memory, but every launch needs %d; "
            "declare less local memory in the kernel",
            RT_TEXT_ARG(kernel->entry.name), (unsigned long long)limits->shared_max,
            RT_PTX_LAUNCH_SIZE);
    out_launch->parameters =
        rt_arena_alloc_array(arena, (size_t)argument_count + 1, sizeof(void *));
    for (uint32_t i = 0; i < argument_count; i++) {
        const rt_ptx_parameter *parameter = &kernel->entry.parameters[i];
        const dev_argument *argument = &arguments[i];
        CHECK(argument->kind < DEV_ARGUMENT_KINDS && parameter->kind < RT_PTX_PARAMETER_KINDS);
        if (argument_rows[argument->kind].fits != parameter->kind ||
            (argument->kind == DEV_ARGUMENT_BYTES && argument->bytes.size != parameter->size))
            return argument_fail(sink, kernel, i, argument);
        RT_TRY(
            argument_make(sink, arena, limits, argument, out_launch, &out_launch->parameters[i]));
    }
    /* The hidden last parameter. */
    rt_ptx_launch *hidden = rt_arena_alloc(arena, sizeof *hidden);
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++)
        hidden->global_offset[d] = range->offset[d];
    hidden->dimensions = range->dimensions;
    out_launch->parameters[argument_count] = hidden;
    out_launch->parameter_count = argument_count + 1;
    CHECK(out_launch->shared_size <= limits->shared_max);
    return RT_STATUS_OK;
}
