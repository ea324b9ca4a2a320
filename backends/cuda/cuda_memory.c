/* Buffers, unified shared memory, and the variables of programs.
 *
 * CUDA does not report which bytes were written, so all count as defined.  Freeing memory first
 * waits for the context, because the driver guarantees nothing for commands that still use the
 * memory.
 *
 * Source: CUDA Driver API reference manual, "Memory Management", "Unified Addressing";
 * cuModuleGetGlobal. */
#include "backends/cuda/cuda_internal.h"
#include "backends/vendor/validate.h"
#include "reference/base/alloc.h"
#include "reference/base/rule.h"

static uint64_t memory_address(dev_memory *memory)
{
    return ((const cuda_memory *)memory)->address;
}

static void memory_destroy(dev_memory *base)
{
    cuda_memory *memory = (cuda_memory *)base;
    const cuda_device *device = memory->device;
    if (!memory->is_variable) {
        cuda_enter_to_free(device);
        device->library.cuCtxSynchronize();
        if (memory->host)
            device->library.cuMemFreeHost(memory->host);
        else
            device->library.cuMemFree_v2(memory->address);
    }
    rt_free(memory);
}

static const dev_memory_ops memory_ops = {.destroy = memory_destroy, .address = memory_address};

static dev_memory *memory_wrap(cuda_device *device, const cuda_memory *made)
{
    cuda_memory *memory = rt_alloc(sizeof *memory);
    *memory = *made;
    memory->base.ops = &memory_ops;
    memory->device = device;
    return &memory->base;
}

/* ---- Allocations -------------------------------------------------------------------------- */

static rt_status nothing_given(const cuda_device *device, const char *call)
{
    return cuda_fail(device, CUDA_STAGE_MEMORY, call, CUDA_SUCCESS, (rt_text){0});
}

static rt_status device_allocate(const cuda_device *device, uint64_t size, cuda_memory *out_memory)
{
    CUDA_TRY(device, CUDA_STAGE_MEMORY, cuMemAlloc_v2, &out_memory->address, (size_t)size);
    return out_memory->address ? RT_STATUS_OK : nothing_given(device, "cuMemAlloc_v2");
}

static rt_status shared_allocate(const cuda_device *device, uint64_t size, cuda_memory *out_memory)
{
    CUDA_TRY(device, CUDA_STAGE_MEMORY, cuMemAllocManaged, &out_memory->address, (size_t)size,
             CUDA_ATTACH_GLOBAL);
    return out_memory->address ? RT_STATUS_OK : nothing_given(device, "cuMemAllocManaged");
}

static rt_status host_allocate(const cuda_device *device, uint64_t size, cuda_memory *out_memory)
{
    static const char call[] = "cuMemHostGetDevicePointer_v2";
    CUDA_TRY(device, CUDA_STAGE_MEMORY, cuMemHostAlloc, &out_memory->host, (size_t)size,
             CUDA_HOST_PORTABLE | CUDA_HOST_DEVICE_MAP);
    if (!out_memory->host) return nothing_given(device, "cuMemHostAlloc");
    cuda_result result =
        device->library.cuMemHostGetDevicePointer_v2(&out_memory->address, out_memory->host, 0);
    if (result == CUDA_SUCCESS && out_memory->address) return RT_STATUS_OK;
    device->library.cuMemFreeHost(out_memory->host);
    return cuda_fail(device, CUDA_STAGE_MEMORY, call, result, (rt_text){0});
}

rt_status cuda_memory_create(dev_device *base, uint64_t size, rt_text label,
                             dev_memory **out_memory)
{
    (void)label;
    cuda_device *device = (cuda_device *)base;
    cuda_memory made = {0};
    RT_TRY(cuda_enter(device, CUDA_STAGE_MEMORY));
    RT_TRY(device_allocate(device, size, &made));
    *out_memory = memory_wrap(device, &made);
    return RT_STATUS_OK;
}

rt_status cuda_usm_create(dev_device *base, dev_memory_kind kind, uint64_t size, rt_text label,
                          dev_memory **out_memory)
{
    (void)label;
    cuda_device *device = (cuda_device *)base;
    CHECK(device->capabilities.usm);
    cuda_memory made = {0};
    RT_TRY(cuda_enter(device, CUDA_STAGE_MEMORY));
    if (kind == DEV_MEMORY_USM_HOST)
        RT_TRY(host_allocate(device, size, &made));
    else if (kind == DEV_MEMORY_USM_SHARED)
        RT_TRY(shared_allocate(device, size, &made));
    else
        RT_TRY(device_allocate(device, size, &made));
    *out_memory = memory_wrap(device, &made);
    return RT_STATUS_OK;
}

/* ---- Variables of programs ---------------------------------------------------------------- */

/* Checks what the driver reported about a variable. */
static rt_status global_validate(const cuda_device *device, rt_text name, cuda_result result,
                                 cuda_address address, size_t size)
{
    static const char call[] = "cuModuleGetGlobal_v2";
    if (result == CUDA_NOT_FOUND)
        return rt_fail_naming(device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "%s: the program has no variable '%.*s' (CUDA_ERROR_NOT_FOUND); it "
                              "must be exported, and the program linked",
                              call, RT_TEXT_ARG(name));
    if (result != CUDA_SUCCESS || !address || size == 0)
        return cuda_fail(device, CUDA_STAGE_GLOBAL, call, result, (rt_text){0});
    return vendor_variable_validate(device->sink, name, size);
}

rt_status cuda_global_take(const cuda_program *program, rt_text name, dev_memory **out_memory)
{
    cuda_device *device = program->device;
    CHECK(program->module != NULL);
    RT_TRY(vendor_name_validate(device->sink, "a variable", "PTX", name));
    RT_TRY(cuda_enter(device, CUDA_STAGE_GLOBAL));
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, name);
    cuda_memory found = {.is_variable = true};
    size_t size = 0;
    cuda_result result = device->library.cuModuleGetGlobal_v2(
        &found.address, &size, program->module, rt_buffer_string(&terminated));
    rt_buffer_free(&terminated);
    RT_TRY(global_validate(device, name, result, found.address, size));
    found.base.size = size;
    *out_memory = memory_wrap(device, &found);
    return RT_STATUS_OK;
}
