/* Kernels, their arguments, and launches.
 * Source: Level Zero specification 1.8, "Kernels"; ZE_experimental_global_offset. */
#include "backends/level_zero/l0_internal.h"
#include "backends/vendor/argument.h"
#include "backends/vendor/validate.h"
#include "reference/base/alloc.h"

#include <string.h>

/* ---- Taking a kernel ---------------------------------------------------------------------- */

/* Commands read the programs and kernels that they launch. */
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

/* Looks for the kernel in every module; returns the last module's answer. */
static rt_status kernel_find(const l0_device *device, const l0_modules *modules, rt_text name,
                             ze_kernel_handle_t *out_kernel)
{
    CHECK(modules->count >= 1);
    RT_TRY(vendor_name_validate(device->sink, "a kernel", "Level Zero", name));
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, name);
    const ze_kernel_desc_t description = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                          .pKernelName = rt_buffer_string(&terminated)};
    ze_result_t result = ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
    *out_kernel = NULL;
    for (uint32_t i = 0; i < modules->count && result == ZE_RESULT_ERROR_INVALID_KERNEL_NAME; i++)
        result = device->library.zeKernelCreate(modules->handles[i], &description, out_kernel);
    rt_buffer_free(&terminated);
    if (result == ZE_RESULT_ERROR_INVALID_KERNEL_NAME)
        return rt_fail_naming(device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "zeKernelCreate: the program has no kernel '%.*s' (%s)",
                              RT_TEXT_ARG(name), l0_result_name(result));
    if (result != ZE_RESULT_SUCCESS || !*out_kernel)
        return l0_fail(device->sink, L0_STAGE_KERNEL, "zeKernelCreate", result, (rt_text){0});
    return RT_STATUS_OK;
}

/* Queries the kernel's properties, and permits it to follow pointers that it finds in memory. */
static rt_status kernel_ask(const l0_device *device, l0_kernel *kernel)
{
    ze_kernel_properties_t answer = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    L0_TRY(device->sink, L0_STAGE_KERNEL, "zeKernelGetProperties",
           device->library.zeKernelGetProperties(kernel->kernel, &answer));
    kernel->argument_count = answer.numKernelArgs;
    kernel->required_group[0] = answer.requiredGroupSizeX;
    kernel->required_group[1] = answer.requiredGroupSizeY;
    kernel->required_group[2] = answer.requiredGroupSizeZ;
    const ze_kernel_indirect_access_flags_t all = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST |
                                                  ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE |
                                                  ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
    L0_TRY(device->sink, L0_STAGE_KERNEL, "zeKernelSetIndirectAccess",
           device->library.zeKernelSetIndirectAccess(kernel->kernel, all));
    return RT_STATUS_OK;
}

rt_status l0_kernel_take(l0_device *device, l0_modules *modules, rt_text name,
                         dev_kernel **out_kernel)
{
    ze_kernel_handle_t taken = NULL;
    RT_TRY(kernel_find(device, modules, name, &taken));
    l0_kernel *kernel = rt_alloc(sizeof *kernel);
    kernel->base.ops = &l0_kernel_ops;
    kernel->device = device;
    kernel->kernel = taken;
    rt_status status = kernel_ask(device, kernel);
    if (!rt_ok(status)) {
        device->library.zeKernelDestroy(taken);
        rt_free(kernel);
        return status;
    }
    atomic_fetch_add(&modules->references, 1);
    kernel->modules = modules;
    pthread_mutex_init(&kernel->lock, NULL);
    *out_kernel = &kernel->base;
    return RT_STATUS_OK;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

static ze_result_t argument_set(const l0_kernel *kernel, uint32_t index,
                                const dev_argument *argument)
{
    const l0_library *ze = &kernel->device->library;
    const l0_memory *memory = (const l0_memory *)argument->memory;
    switch (argument->kind) {
    case DEV_ARGUMENT_MEMORY:
    case DEV_ARGUMENT_POINTER: {
        const char *pointer = memory ? memory->pointer + argument->offset : NULL;
        return ze->zeKernelSetArgumentValue(kernel->kernel, index, sizeof pointer,
                                            pointer ? &pointer : NULL);
    }
    case DEV_ARGUMENT_BYTES:
        return ze->zeKernelSetArgumentValue(kernel->kernel, index, argument->bytes.size,
                                            argument->bytes.data);
    case DEV_ARGUMENT_LOCAL:
        return ze->zeKernelSetArgumentValue(kernel->kernel, index, (size_t)argument->size, NULL);
    case DEV_ARGUMENT_KINDS: break;
    }
    UNREACHABLE();
}

static rt_status argument_fail(const l0_kernel *kernel, uint32_t index,
                               const dev_argument *argument, ze_result_t result)
{
    rt_buffer said = {0};
    const char *name = l0_result_name(result);
    rt_code code = l0_result_code(L0_STAGE_LAUNCH, result);
    /* This call concerns a single argument, and everything else about it was checked. */
    if (result == ZE_RESULT_ERROR_INVALID_ARGUMENT) code = RT_ERRC_KERNEL_ARGUMENT;
    rt_buffer_printf(&said, "zeKernelSetArgumentValue: %s (0x%x)",
                     name ? name : "a result that Level Zero does not name", (unsigned)result);
    rt_status status = vendor_argument_refuse(
        kernel->device->sink, code, index, kernel->argument_count, argument, rt_buffer_text(&said));
    rt_buffer_free(&said);
    return status;
}

static rt_status arguments_set(const l0_kernel *kernel, const dev_argument *arguments,
                               uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ze_result_t result = argument_set(kernel, i, &arguments[i]);
        if (result != ZE_RESULT_SUCCESS) return argument_fail(kernel, i, &arguments[i], result);
    }
    return RT_STATUS_OK;
}

/* ---- Shapes ------------------------------------------------------------------------------- */

/* True if a group size can be used for the range. */
static bool group_fits(const l0_device *device, const dev_nd_range *range, const uint32_t *group)
{
    uint64_t all = 1;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        if (group[d] == 0 || range->global[d] % group[d] != 0) return false;
        all *= group[d];
    }
    return all <= device->capabilities.group_size_max;
}

/* Chooses the group size: the one given, the one that the kernel requires, the driver's suggestion
 * if it divides the range, otherwise one work-item. */
static void group_choose(const l0_kernel *kernel, const dev_nd_range *range, uint32_t *out_group)
{
    bool is_open = range->local[0] == 0;
    bool is_required = kernel->required_group[0] != 0;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        out_group[d] = 1;
        if (is_open && is_required) out_group[d] = kernel->required_group[d];
        if (!is_open) out_group[d] = (uint32_t)range->local[d]; /* at most group_size_max */
    }
    if (!is_open || is_required) return;
    uint32_t suggested[RT_ND_RANGE_DIMENSIONS], global[RT_ND_RANGE_DIMENSIONS];
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        if (range->global[d] > UINT32_MAX) return;
        global[d] = (uint32_t)range->global[d];
    }
    ze_result_t result = kernel->device->library.zeKernelSuggestGroupSize(
        kernel->kernel, global[0], global[1], global[2], &suggested[0], &suggested[1],
        &suggested[2]);
    if (result == ZE_RESULT_SUCCESS && group_fits(kernel->device, range, suggested))
        memcpy(out_group, suggested, sizeof suggested);
}

/* Computes the group counts, which the driver takes as 32-bit numbers. */
static rt_status counts_make(const l0_device *device, const dev_nd_range *range,
                             const uint32_t *group, uint32_t *out_counts)
{
    bool has_offset = false;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        uint64_t count = range->global[d] / group[d];
        has_offset = has_offset || range->offset[d] != 0;
        if (range->global[d] % group[d] != 0)
            return rt_fail(device->sink, RT_ERRC_ND_RANGE, RT_RULE_NONE,
                           "dimension %u of a launch has %llu work-items, which the %u of a group "
                           "that the kernel requires do not divide",
                           d, (unsigned long long)range->global[d], group[d]);
        if (count > UINT32_MAX || range->offset[d] > UINT32_MAX)
            return rt_fail(
                device->sink, RT_LIMIT, RT_RULE_NONE,
                "dimension %u of a launch has %llu groups and begins at %llu; Level Zero "
                "counts both in 32 bits",
                d, (unsigned long long)count, (unsigned long long)range->offset[d]);
        out_counts[d] = (uint32_t)count;
    }
    if (has_offset && !device->offsets)
        return rt_fail(device->sink, RT_LIMIT, RT_RULE_NONE,
                       "a launch has an offset; the driver of '%s' takes none "
                       "(ZE_experimental_global_offset)",
                       rt_buffer_string(&device->name));
    return RT_STATUS_OK;
}

static rt_status shape_set(const l0_kernel *kernel, const dev_nd_range *range, uint32_t *out_counts)
{
    const l0_device *device = kernel->device;
    uint32_t group[RT_ND_RANGE_DIMENSIONS];
    group_choose(kernel, range, group);
    RT_TRY(counts_make(device, range, group, out_counts));
    L0_TRY(device->sink, L0_STAGE_LAUNCH, "zeKernelSetGroupSize",
           device->library.zeKernelSetGroupSize(kernel->kernel, group[0], group[1], group[2]));
    if (!device->offsets) return RT_STATUS_OK;
    /* An offset of zero is set, too: the kernel object remembers the offset of its last launch. */
    L0_TRY(device->sink, L0_STAGE_LAUNCH, "zeKernelSetGlobalOffsetExp",
           device->library.zeKernelSetGlobalOffsetExp(kernel->kernel, (uint32_t)range->offset[0],
                                                      (uint32_t)range->offset[1],
                                                      (uint32_t)range->offset[2]));
    return RT_STATUS_OK;
}

/* ---- Launches ----------------------------------------------------------------------------- */

/* Sets arguments, group size and offset, and appends the launch; the caller holds the kernel's
 * lock. */
static rt_status launch(l0_queue *queue, dev_command command, const l0_kernel *kernel,
                        const dev_nd_range *range, const dev_argument *arguments,
                        uint32_t argument_count, dev_event **out_event)
{
    l0_append append;
    uint32_t counts[RT_ND_RANGE_DIMENSIONS];
    RT_TRY(l0_append_begin(queue->device, command, &append));
    rt_status status = arguments_set(kernel, arguments, argument_count);
    if (rt_ok(status)) status = shape_set(kernel, range, counts);
    if (!rt_ok(status)) return l0_append_drop(queue->device, &append, status);
    const ze_group_count_t groups = {counts[0], counts[1], counts[2]};
    pthread_mutex_lock(&queue->lock);
    ze_result_t result = queue->device->library.zeCommandListAppendLaunchKernel(
        queue->list, kernel->kernel, &groups, append.signal->event, append.wait_count,
        append.waits);
    pthread_mutex_unlock(&queue->lock);
    return l0_append_end(queue->device, &append, L0_STAGE_LAUNCH, "zeCommandListAppendLaunchKernel",
                         result, out_event);
}

rt_status l0_enqueue_kernel(dev_queue *base, dev_command command, dev_kernel *kernel_base,
                            const dev_nd_range *range, const dev_argument *arguments,
                            uint32_t argument_count, dev_event **out_event)
{
    l0_queue *queue = (l0_queue *)base;
    l0_kernel *kernel = (l0_kernel *)kernel_base;
    rt_sink *sink = queue->device->sink;
    RT_TRY(dev_argument_count_validate(sink, kernel->argument_count, argument_count));
    RT_TRY(dev_nd_range_validate(sink, range, queue->device->capabilities.group_size_max));
    pthread_mutex_lock(&kernel->lock);
    rt_status status = launch(queue, command, kernel, range, arguments, argument_count, out_event);
    pthread_mutex_unlock(&kernel->lock);
    return status;
}
