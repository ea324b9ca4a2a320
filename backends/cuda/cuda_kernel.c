/* Kernels and launches: passes arguments to cuLaunchKernel by the convention of
 * reference/base/ptx.h.
 *
 * Source: CUDA Driver API reference manual, "Execution Control". */
#include "backends/cuda/cuda_internal.h"
#include "reference/base/alloc.h"

#include <string.h>

/* ---- Kernels ------------------------------------------------------------------------------ */

static void cuda_kernel_destroy(dev_kernel *base)
{
    cuda_kernel *kernel = (cuda_kernel *)base;
    cuda_program_release(kernel->program);
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
static rt_status kernel_missing(const cuda_device *device, rt_text name, const char *where)
{
    return rt_fail_naming(device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                          "the program has no kernel '%.*s' (%s)", RT_TEXT_ARG(name), where);
}

static rt_status function_find(const cuda_program *program, rt_text name,
                               cuda_function **out_function)
{
    const cuda_device *device = program->device;
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, name);
    *out_function = NULL;
    cuda_result result = device->library.cuModuleGetFunction(out_function, program->module,
                                                             rt_buffer_string(&terminated));
    rt_buffer_free(&terminated);
    if (result == CUDA_NOT_FOUND)
        return kernel_missing(device, name, "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND");
    if (result != CUDA_SUCCESS || !*out_function)
        return cuda_fail(device, CUDA_STAGE_KERNEL, "cuModuleGetFunction", result, (rt_text){0});
    return RT_STATUS_OK;
}

/* Queries the resources that the kernel itself uses, and gives launches the rest of the device's
 * shared memory; the driver withholds part of it unless it is requested. */
static rt_status kernel_ask(cuda_kernel *kernel)
{
    const cuda_device *device = kernel->program->device;
    int threads = 0, used = 0;
    CUDA_TRY(device, CUDA_STAGE_KERNEL, cuFuncGetAttribute, &threads,
             CUDA_FUNCTION_MAX_THREADS_PER_BLOCK, kernel->function);
    CUDA_TRY(device, CUDA_STAGE_KERNEL, cuFuncGetAttribute, &used, CUDA_FUNCTION_SHARED_SIZE_BYTES,
             kernel->function);
    kernel->limits = device->limits;
    if (threads >= 1 && (uint32_t)threads < kernel->limits.group_size_max)
        kernel->limits.group_size_max = (uint32_t)threads;
    uint64_t taken = used > 0 ? (uint64_t)used : 0;
    kernel->limits.shared_max =
        taken < device->limits.shared_max ? device->limits.shared_max - taken : 0;
    CUDA_TRY(device, CUDA_STAGE_KERNEL, cuFuncSetAttribute, kernel->function,
             CUDA_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)kernel->limits.shared_max);
    return RT_STATUS_OK;
}

rt_status cuda_kernel_take(cuda_program *program, rt_text name, dev_kernel **out_kernel)
{
    const cuda_device *device = program->device;
    CHECK(program->module != NULL);
    const ptx_kernel *entry = ptx_kernels_find(&program->ptx.kernels, name);
    if (!entry) return kernel_missing(device, name, "no PTX of it declares one");
    RT_TRY(cuda_enter(device, CUDA_STAGE_KERNEL));
    cuda_kernel made = {.program = program, .entry = entry};
    RT_TRY(function_find(program, name, &made.function));
    RT_TRY(kernel_ask(&made));
    cuda_kernel *kernel = rt_alloc(sizeof *kernel);
    *kernel = made;
    kernel->base.ops = &cuda_kernel_ops;
    unsigned before = atomic_fetch_add(&program->references, 1);
    CHECK(before >= 1);
    *out_kernel = &kernel->base;
    return RT_STATUS_OK;
}

/* ---- Launches ----------------------------------------------------------------------------- */

static rt_status launch_enqueue(const cuda_command *command, const cuda_kernel *kernel,
                                const ptx_launch *launch)
{
    const uint32_t *grid = launch->grid, *block = launch->block;
    CUDA_TRY(command->device, CUDA_STAGE_LAUNCH, cuLaunchKernel, kernel->function, grid[0], grid[1],
             grid[2], block[0], block[1], block[2], launch->shared_size, command->stream,
             launch->parameters, NULL);
    return RT_STATUS_OK;
}

rt_status cuda_enqueue_kernel(dev_queue *base, dev_command command, dev_kernel *kernel_base,
                              const dev_nd_range *range, const dev_argument *arguments,
                              uint32_t argument_count, dev_event **out_event)
{
    cuda_queue *queue = (cuda_queue *)base;
    const cuda_kernel *kernel = (const cuda_kernel *)kernel_base;
    rt_arena arena = {0}; /* holds the values; the driver copies them */
    ptx_launch launch;
    cuda_command begun;
    rt_status status = ptx_launch_make(queue->device->sink, &arena, &kernel->limits, kernel->entry,
                                       range, arguments, argument_count, &launch);
    if (rt_ok(status)) status = cuda_command_begin(queue, command, &begun);
    if (rt_ok(status))
        status = cuda_command_end(&begun, launch_enqueue(&begun, kernel, &launch), out_event);
    rt_arena_reset(&arena);
    return status;
}
