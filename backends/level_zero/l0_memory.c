/* Memories: a buffer is device memory, unified shared memory is allocated as the kind requested,
 * and a program's variable is at the address that the driver reports.  Level Zero does not report
 * which bytes were written, so all bytes count as defined.
 *
 * Source: Level Zero specification 1.8, "Memory". */
#include "backends/level_zero/l0_internal.h"
#include "reference/base/alloc.h"

/* Sufficient for every OpenCL C type: double16 is the largest. */
enum { ALIGNMENT = 128 };

static void memory_destroy(dev_memory *base)
{
    l0_memory *memory = (l0_memory *)base;
    if (!memory->is_variable) {
        l0_device_settle(memory->device);
        memory->device->library.zeMemFree(memory->device->context, memory->pointer);
    }
    rt_free(memory);
}

static uint64_t memory_address(dev_memory *base)
{
    return (uint64_t)(uintptr_t)((const l0_memory *)base)->pointer;
}

static const dev_memory_ops memory_ops = {.destroy = memory_destroy, .address = memory_address};

static l0_memory *memory_wrap(l0_device *device, void *pointer)
{
    l0_memory *memory = rt_alloc(sizeof *memory);
    memory->base.ops = &memory_ops;
    memory->device = device;
    memory->pointer = pointer;
    return memory;
}

static ze_result_t allocate(const l0_device *device, dev_memory_kind kind, size_t size,
                            const char **out_call, void **out_pointer)
{
    const l0_library *ze = &device->library;
    const ze_device_mem_alloc_desc_t of_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t of_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    *out_pointer = NULL;
    if (kind == DEV_MEMORY_USM_HOST) {
        *out_call = "zeMemAllocHost";
        return ze->zeMemAllocHost(device->context, &of_host, size, ALIGNMENT, out_pointer);
    }
    if (kind == DEV_MEMORY_USM_SHARED) {
        *out_call = "zeMemAllocShared";
        return ze->zeMemAllocShared(device->context, &of_device, &of_host, size, ALIGNMENT,
                                    device->id, out_pointer);
    }
    CHECK(kind == DEV_MEMORY_USM_DEVICE || kind == DEV_MEMORY_BUFFER);
    *out_call = "zeMemAllocDevice";
    return ze->zeMemAllocDevice(device->context, &of_device, size, ALIGNMENT, device->id,
                                out_pointer);
}

rt_status l0_usm_create(dev_device *base, dev_memory_kind kind, uint64_t size, rt_text label,
                        dev_memory **out_memory)
{
    (void)label;
    l0_device *device = (l0_device *)base;
    CHECK(size >= 1 && size <= RT_MEMORY_SIZE_MAX);
    CHECK_IMPLIES(kind != DEV_MEMORY_BUFFER, device->capabilities.usm);
    const char *call;
    void *pointer;
    ze_result_t result = allocate(device, kind, (size_t)size, &call, &pointer);
    if (result != ZE_RESULT_SUCCESS || !pointer)
        return l0_fail(device->sink, L0_STAGE_MEMORY, call, result, (rt_text){0});
    *out_memory = &memory_wrap(device, pointer)->base;
    return RT_STATUS_OK;
}

rt_status l0_memory_create(dev_device *device, uint64_t size, rt_text label,
                           dev_memory **out_memory)
{
    return l0_usm_create(device, DEV_MEMORY_BUFFER, size, label, out_memory);
}

dev_memory *l0_variable_wrap(l0_device *device, void *pointer, size_t size)
{
    CHECK(size >= 1 && size <= RT_MEMORY_SIZE_MAX);
    l0_memory *memory = memory_wrap(device, pointer);
    memory->is_variable = true;
    memory->base.size = size;
    return &memory->base;
}
