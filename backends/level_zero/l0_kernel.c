/* Kernels, their arguments, and launches.
 * Source: Level Zero specification 1.8, "Kernels"; ZE_experimental_global_offset. */
#include "backends/level_zero/l0_module.h"

#include "backends/vendor/argument.h"
#include "backends/vendor/validate.h"
#include "reference/base/alloc.h"

#include <string.h>

/* ---- Kernels ------------------------------------------------------------------------------ */

/* First waits for all commands (l0_device_settle), because a launch uses its kernel and program
 * until it is done. */
static void l0_kernel_destroy(dev_kernel *base)
{
    l0_kernel *kernel = (l0_kernel *)base;
    l0_device_settle(kernel->device);
    kernel->device->library.zeKernelDestroy(kernel->kernel);
    l0_modules_release(kernel->device, kernel->modules);
    pthread_mutex_destroy(&kernel->lock);
    rt_free(kernel);
}

static uint32_t l0_kernel_argument_count(dev_kernel *kernel)
{
    return ((const l0_kernel *)kernel)->argument_count;
}

static const dev_kernel_ops l0_kernel_ops = {
    .destroy = l0_kernel_destroy,
    .argument_count = l0_kernel_argument_count,
};

rt_status l0_kernel_create(dev_program *base, rt_text name, dev_kernel **out_kernel)
{
    const l0_program *program = (const l0_program *)base;
    l0_device *device = program->device;
    l0_modules *modules = program->modules;
    CHECK(modules->count >= 1);
    /* Looks for the kernel in one module after another, until one has it or the driver reports
     * another failure. */
    RT_TRY(vendor_name_validate(device->sink, "a kernel", "Level Zero", name));
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, name);
    const ze_kernel_desc_t description = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                          .pKernelName = rt_buffer_string(&terminated)};
    ze_result_t result = ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
    ze_kernel_handle_t handle = NULL;
    for (uint32_t i = 0; i < modules->count && result == ZE_RESULT_ERROR_INVALID_KERNEL_NAME; i++)
        result = device->library.zeKernelCreate(modules->handles[i], &description, &handle);
    rt_buffer_free(&terminated);
    if (result == ZE_RESULT_ERROR_INVALID_KERNEL_NAME)
        return rt_fail_naming(device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "zeKernelCreate: the program has no kernel '%.*s' "
                              "(ZE_RESULT_ERROR_INVALID_KERNEL_NAME)",
                              RT_TEXT_ARG(name));
    if (result != ZE_RESULT_SUCCESS || !handle)
        return l0_fail(device->sink, L0_STAGE_KERNEL, "zeKernelCreate", result, (rt_text){0});
    /* Queries the kernel's properties, and permits the kernel to follow pointers that it finds in
     * memory. */
    const char *call = "zeKernelGetProperties";
    ze_kernel_properties_t answer = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    result = device->library.zeKernelGetProperties(handle, &answer);
    if (result == ZE_RESULT_SUCCESS) {
        const ze_kernel_indirect_access_flags_t accesses = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST |
                                                           ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE |
                                                           ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
        call = "zeKernelSetIndirectAccess";
        result = device->library.zeKernelSetIndirectAccess(handle, accesses);
    }
    if (result != ZE_RESULT_SUCCESS) {
        device->library.zeKernelDestroy(handle);
        return l0_fail(device->sink, L0_STAGE_KERNEL, call, result, (rt_text){0});
    }
    l0_kernel *kernel = rt_alloc(sizeof *kernel);
    kernel->base.ops = &l0_kernel_ops;
    kernel->device = device;
    kernel->kernel = handle;
    kernel->argument_count = answer.numKernelArgs;
    const uint32_t required[] = {answer.requiredGroupSizeX, answer.requiredGroupSizeY,
                                 answer.requiredGroupSizeZ};
    /* Ignore a size that is 0 in only some dimensions: it is not a group size. */
    if (required[0] > 0 && required[1] > 0 && required[2] > 0)
        memcpy(kernel->required_group, required, sizeof required);
    unsigned before = atomic_fetch_add(&modules->references, 1);
    CHECK(before >= 1);
    kernel->modules = modules;
    pthread_mutex_init(&kernel->lock, NULL);
    *out_kernel = &kernel->base;
    return RT_STATUS_OK;
}

/* ---- Launches ----------------------------------------------------------------------------- */

static rt_status arguments_set(const l0_kernel *kernel, const dev_argument *arguments,
                               uint32_t count)
{
    const l0_device *device = kernel->device;
    for (uint32_t i = 0; i < count; i++) {
        const dev_argument *argument = &arguments[i];
        const l0_memory *memory = (const l0_memory *)argument->memory;
        const char *pointer = NULL;
        const void *value = NULL; /* stays NULL for the null pointer and for local memory */
        size_t size = 0;
        switch (argument->kind) {
        case DEV_ARGUMENT_MEMORY:
        case DEV_ARGUMENT_POINTER:
            CHECK_IMPLIES(argument->kind == DEV_ARGUMENT_POINTER,
                          argument->offset <= memory->base.size);
            if (memory) pointer = memory->pointer + argument->offset;
            size = sizeof pointer;
            if (pointer) value = &pointer;
            break;
        case DEV_ARGUMENT_BYTES:
            size = argument->bytes.size;
            value = argument->bytes.data;
            break;
        case DEV_ARGUMENT_LOCAL: size = (size_t)argument->size; break;
        case DEV_ARGUMENT_KINDS: UNREACHABLE();
        }
        CHECK(size >= 1);
        ze_result_t result =
            device->library.zeKernelSetArgumentValue(kernel->kernel, i, size, value);
        if (result != ZE_RESULT_SUCCESS)
            return vendor_argument_refuse(device->sink, &l0_results, L0_STAGE_ARGUMENT,
                                          "zeKernelSetArgumentValue", (int)result, i, count,
                                          argument);
    }
    return RT_STATUS_OK;
}

/* True if a group size that the driver suggests can be used for the range. */
static bool group_fits(const l0_device *device, const dev_nd_range *range, const uint32_t *group)
{
    uint32_t room = device->capabilities.group_size_max;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        if (group[d] == 0 || range->global[d] % group[d] != 0 || group[d] > room) return false;
        room /= group[d];
    }
    return true;
}

/* Chooses the group size and sets it, with the offset. The size is the one given; otherwise the one
 * that the kernel requires; otherwise the driver's suggestion if it divides the range; otherwise
 * one work-item. The driver takes the numbers of groups as 32-bit values. */
static rt_status shape_set(const l0_kernel *kernel, const dev_nd_range *range,
                           uint32_t out_counts[RT_ND_RANGE_DIMENSIONS])
{
    const l0_device *device = kernel->device;
    const l0_library *ze = &device->library;
    uint32_t group[RT_ND_RANGE_DIMENSIONS], suggested[RT_ND_RANGE_DIMENSIONS] = {0};
    bool is_open = range->local[0] == 0, is_required = kernel->required_group[0] != 0;
    bool is_small = true, has_offset = false;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        group[d] = 1;
        if (is_open && is_required) group[d] = kernel->required_group[d];
        if (!is_open) group[d] = (uint32_t)range->local[d]; /* at most group_size_max */
        is_small = is_small && range->global[d] <= UINT32_MAX;
    }
    if (is_open && !is_required && is_small) {
        ze_result_t result = ze->zeKernelSuggestGroupSize(
            kernel->kernel, (uint32_t)range->global[0], (uint32_t)range->global[1],
            (uint32_t)range->global[2], &suggested[0], &suggested[1], &suggested[2]);
        if (result == ZE_RESULT_SUCCESS && group_fits(device, range, suggested))
            memcpy(group, suggested, sizeof group);
    }
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        CHECK(group[d] >= 1);
        uint64_t count = range->global[d] / group[d];
        has_offset = has_offset || range->offset[d] != 0;
        if (range->global[d] % group[d] != 0)
            return rt_fail(device->sink, RT_ERRC_ND_RANGE, RT_RULE_NONE,
                           "dimension %u of a launch has %llu work-items, which is not a multiple "
                           "of %u, the kernel's required group size",
                           d, (unsigned long long)range->global[d], group[d]);
        if (count > UINT32_MAX || range->offset[d] > UINT32_MAX)
            return rt_fail(
                device->sink, RT_LIMIT, RT_RULE_NONE,
                "dimension %u of a launch has %llu groups and begins at %llu; Level Zero "
                "counts both in 32 bits",
                d, (unsigned long long)count, (unsigned long long)range->offset[d]);
        CHECK_IMPLIES(count == 0, dev_nd_range_is_empty(range));
        out_counts[d] = (uint32_t)count;
    }
    if (has_offset && !device->offsets)
        return rt_fail(device->sink, RT_LIMIT, RT_RULE_NONE,
                       "a launch has an offset, but the driver of '%s' does not support offsets "
                       "(ZE_experimental_global_offset)",
                       rt_buffer_string(&device->name));
    L0_TRY(device->sink, L0_STAGE_LAUNCH, "zeKernelSetGroupSize",
           ze->zeKernelSetGroupSize(kernel->kernel, group[0], group[1], group[2]));
    if (!device->offsets) return RT_STATUS_OK;
    /* Set even an offset of zero: the kernel object remembers the offset of its last launch. */
    L0_TRY(device->sink, L0_STAGE_LAUNCH, "zeKernelSetGlobalOffsetExp",
           ze->zeKernelSetGlobalOffsetExp(kernel->kernel, (uint32_t)range->offset[0],
                                          (uint32_t)range->offset[1], (uint32_t)range->offset[2]));
    return RT_STATUS_OK;
}

rt_status l0_enqueue_kernel(dev_queue *base, dev_command command, dev_kernel *kernel_base,
                            const dev_nd_range *range, const dev_argument *arguments,
                            uint32_t argument_count, dev_event **out_event)
{
    l0_queue *queue = (l0_queue *)base;
    l0_device *device = queue->device;
    l0_kernel *kernel = (l0_kernel *)kernel_base;
    l0_append append;
    uint32_t counts[RT_ND_RANGE_DIMENSIONS];
    RT_TRY(dev_argument_count_validate(device->sink, kernel->argument_count, argument_count));
    RT_TRY(dev_nd_range_validate(device->sink, range, device->capabilities.group_size_max));
    RT_TRY(l0_append_begin(device, command, &append));
    pthread_mutex_lock(&kernel->lock);
    rt_status status = arguments_set(kernel, arguments, argument_count);
    if (rt_ok(status)) status = shape_set(kernel, range, counts);
    /* Level Zero says nothing about a launch without groups. */
    bool is_empty = rt_ok(status) && dev_nd_range_is_empty(range);
    if (rt_ok(status) && !is_empty) {
        const ze_group_count_t groups = {counts[0], counts[1], counts[2]};
        pthread_mutex_lock(&queue->lock);
        ze_result_t result = device->library.zeCommandListAppendLaunchKernel(
            queue->list, kernel->kernel, &groups, append.signal->event, append.wait_count,
            append.waits);
        pthread_mutex_unlock(&queue->lock);
        status = l0_append_end(device, &append, L0_STAGE_LAUNCH, "zeCommandListAppendLaunchKernel",
                               result, out_event);
    } else {
        status = l0_append_drop(device, &append, status);
    }
    pthread_mutex_unlock(&kernel->lock);
    return is_empty ? l0_enqueue_marker(base, command, (dev_marker){0}, out_event) : status;
}
