/* Kernels and launches: passes arguments to cuLaunchKernel by the convention of
 * reference/base/ptx.h.
 *
 * Source: CUDA Driver API reference manual, "Execution Control". */
#include "backends/cuda/cuda_internal.h"
#include "reference/base/alloc.h"

/* ---- Kernels ------------------------------------------------------------------------------ */

static void cuda_kernel_destroy(dev_kernel *base)
{
    cuda_kernel *kernel = (cuda_kernel *)base;
    cuda_program_destroy(&kernel->program->ptx.base);
    rt_free(kernel);
}

static uint32_t cuda_kernel_argument_count(dev_kernel *kernel)
{
    return ((const cuda_kernel *)kernel)->entry->entry.parameter_count;
}

static const dev_kernel_ops cuda_kernel_ops = {
    .destroy = cuda_kernel_destroy,
    .argument_count = cuda_kernel_argument_count,
};

/* A function whose parameters are unknown cannot be launched, so the program is treated as lacking
 * that kernel. */
static rt_status kernel_missing(const cuda_device *device, rt_text name, const char *source)
{
    return rt_fail_naming(device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                          "the program has no kernel '%.*s' (%s)", RT_TEXT_ARG(name), source);
}

rt_status cuda_kernel_create(dev_program *base, rt_text name, dev_kernel **out_kernel)
{
    cuda_program *program = (cuda_program *)base;
    const cuda_device *device = program->device;
    CHECK(program->module != NULL);
    const ptx_kernel *entry = ptx_kernels_find(&program->ptx.kernels, name);
    if (!entry) return kernel_missing(device, name, "no PTX of it declares one");
    RT_TRY(cuda_enter(device, CUDA_STAGE_KERNEL));
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, entry->entry.name);
    cuda_function *function = NULL;
    cuda_result result = device->library.cuModuleGetFunction(&function, program->module,
                                                             rt_buffer_string(&terminated));
    rt_buffer_free(&terminated);
    if (result == CUDA_NOT_FOUND)
        return kernel_missing(device, name, "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND");
    if (result != CUDA_SUCCESS || !function)
        return cuda_fail(device, CUDA_STAGE_KERNEL, "cuModuleGetFunction", result, (rt_text){0});
    /* The kernel itself uses some resources; its launches get the rest of the device's shared
     * memory, part of which the driver withholds unless it is requested. */
    int threads = 0, used = 0;
    CUDA_TRY(device, CUDA_STAGE_KERNEL, cuFuncGetAttribute, &threads,
             CUDA_FUNCTION_MAX_THREADS_PER_BLOCK, function);
    CUDA_TRY(device, CUDA_STAGE_KERNEL, cuFuncGetAttribute, &used, CUDA_FUNCTION_SHARED_SIZE_BYTES,
             function);
    ptx_limits limits = device->limits;
    if (threads >= 1 && (uint32_t)threads < limits.group_size_max)
        limits.group_size_max = (uint32_t)threads;
    uint64_t static_size = used > 0 ? (uint64_t)used : 0;
    limits.shared_max = static_size < limits.shared_max ? limits.shared_max - static_size : 0;
    CHECK(limits.group_size_max >= 1 && limits.shared_max <= device->limits.shared_max);
    CUDA_TRY(device, CUDA_STAGE_KERNEL, cuFuncSetAttribute, function,
             CUDA_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)limits.shared_max);
    cuda_kernel *kernel = rt_alloc(sizeof *kernel);
    *kernel = (cuda_kernel){.base.ops = &cuda_kernel_ops,
                            .program = program,
                            .function = function,
                            .entry = entry,
                            .limits = limits};
    unsigned before = atomic_fetch_add(&program->references, 1);
    CHECK(before >= 1);
    *out_kernel = &kernel->base;
    return RT_STATUS_OK;
}

/* ---- Launches ----------------------------------------------------------------------------- */

rt_status cuda_enqueue_kernel(dev_queue *base, dev_command command, dev_kernel *kernel_base,
                              const dev_nd_range *range, const dev_argument *arguments,
                              uint32_t argument_count, dev_event **out_event)
{
    cuda_queue *queue = (cuda_queue *)base;
    const cuda_device *device = queue->device;
    const cuda_kernel *kernel = (const cuda_kernel *)kernel_base;
    rt_arena arena = {0}; /* holds the values; the driver copies them */
    ptx_launch launch;
    cuda_command begun;
    rt_status status = ptx_launch_make(device->sink, &arena, &kernel->limits, kernel->entry, range,
                                       arguments, argument_count, &launch);
    bool is_empty = dev_nd_range_is_empty(range);
    if (rt_ok(status) && is_empty)
        status = cuda_enqueue_marker(base, command, (dev_marker){0}, out_event);
    if (rt_ok(status) && !is_empty) status = cuda_command_begin(queue, command, &begun);
    if (rt_ok(status) && !is_empty) {
        const uint32_t *grid = launch.grid, *block = launch.block;
        cuda_result result = device->library.cuLaunchKernel(
            kernel->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
            launch.shared_size, begun.stream, launch.parameters, NULL);
        status = cuda_check(device, CUDA_STAGE_LAUNCH, "cuLaunchKernel", result);
        status = cuda_command_end(&begun, status, out_event);
        if (rt_ok(status))
            cuda_launch_add((cuda_event *)*out_event, kernel->entry->entry.name, command.tag);
    }
    rt_arena_reset(&arena);
    return status;
}
