/* Buffers and their parts, unified shared memory, and the variables of programs.
 *
 * CUDA does not report which bytes were written, so all bytes count as defined.  Freeing memory
 * first waits for the context, because the driver guarantees nothing for commands that still use
 * the memory.
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
    CHECK_IMPLIES(memory->is_variable, !memory->host);
    unsigned before = atomic_fetch_sub(&memory->references, 1);
    CHECK(before >= 1);
    if (before > 1) return;
    if (memory->whole) {
        memory_destroy(&memory->whole->base);
    } else if (!memory->is_variable) {
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

static dev_memory *memory_wrap(cuda_device *device, const cuda_memory *fields)
{
    cuda_memory *memory = rt_alloc(sizeof *memory);
    *memory = *fields;
    memory->base.ops = &memory_ops;
    memory->device = device;
    atomic_init(&memory->references, 1);
    return &memory->base;
}

/* ---- Allocations -------------------------------------------------------------------------- */

static rt_status allocate(const cuda_device *device, dev_memory_kind kind, uint64_t size,
                          cuda_memory *out_memory)
{
    CHECK(kind < DEV_MEMORY_GLOBAL);
    CHECK_IMPLIES(kind != DEV_MEMORY_BUFFER, device->capabilities.usm);
    RT_TRY(cuda_enter(device, CUDA_STAGE_MEMORY));
    if (kind == DEV_MEMORY_USM_SHARED) {
        CUDA_MAKE(device, CUDA_STAGE_MEMORY, cuMemAllocManaged, &out_memory->address, (size_t)size,
                  CUDA_ATTACH_GLOBAL);
        return RT_STATUS_OK;
    }
    if (kind != DEV_MEMORY_USM_HOST) {
        CUDA_MAKE(device, CUDA_STAGE_MEMORY, cuMemAlloc_v2, &out_memory->address, (size_t)size);
        return RT_STATUS_OK;
    }
    CUDA_MAKE(device, CUDA_STAGE_MEMORY, cuMemHostAlloc, &out_memory->host, (size_t)size,
              CUDA_HOST_PORTABLE | CUDA_HOST_DEVICE_MAP);
    cuda_result result =
        device->library.cuMemHostGetDevicePointer_v2(&out_memory->address, out_memory->host, 0);
    if (result == CUDA_SUCCESS && out_memory->address) return RT_STATUS_OK;
    device->library.cuMemFreeHost(out_memory->host);
    return cuda_fail(device, CUDA_STAGE_MEMORY, "cuMemHostGetDevicePointer_v2", result,
                     (rt_text){0});
}

rt_status cuda_usm_create(dev_device *base, dev_memory_kind kind, uint64_t size, rt_text label,
                          dev_memory **out_memory)
{
    (void)label;
    cuda_device *device = (cuda_device *)base;
    cuda_memory allocated = {0};
    RT_TRY(allocate(device, kind, size, &allocated));
    *out_memory = memory_wrap(device, &allocated);
    return RT_STATUS_OK;
}

rt_status cuda_memory_create(dev_device *device, uint64_t size, rt_text label,
                             dev_memory **out_memory)
{
    return cuda_usm_create(device, DEV_MEMORY_BUFFER, size, label, out_memory);
}

/* ---- Parts of buffers --------------------------------------------------------------------- */

/* A part is an address in its buffer, whose allocation lives until the last part is destroyed. */
rt_status cuda_memory_part_create(dev_memory *base, uint64_t offset, uint64_t size, rt_text label,
                                  dev_memory **out_memory)
{
    cuda_memory *whole = (cuda_memory *)base;
    CHECK(!whole->whole && !whole->is_variable);
    CHECK(size >= 1 && offset < base->size);
    RT_TRY(dev_part_validate(whole->device->sink, label, offset));
    atomic_fetch_add(&whole->references, 1);
    const cuda_memory part = {.address = whole->address + offset, .whole = whole};
    *out_memory = memory_wrap(whole->device, &part);
    return RT_STATUS_OK;
}

/* ---- Variables of programs ---------------------------------------------------------------- */

rt_status cuda_global_find(dev_program *base, rt_text name, dev_memory **out_memory)
{
    static const char call[] = "cuModuleGetGlobal_v2";
    const cuda_program *program = (const cuda_program *)base;
    cuda_device *device = program->device;
    CHECK(program->module != NULL);
    RT_TRY(vendor_name_validate(device->sink, "a variable", "PTX", name));
    RT_TRY(cuda_enter(device, CUDA_STAGE_GLOBAL));
    rt_buffer terminated = {0};
    rt_ptx_name_write(&terminated, name);
    cuda_memory found = {.is_variable = true};
    size_t size = 0;
    cuda_result result = device->library.cuModuleGetGlobal_v2(
        &found.address, &size, program->module, rt_buffer_string(&terminated));
    rt_buffer_free(&terminated);
    if (result == CUDA_NOT_FOUND)
        return rt_fail_naming(device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "%s: the program has no variable '%.*s' (CUDA_ERROR_NOT_FOUND); it "
                              "must be exported, and the program linked",
                              call, RT_TEXT_ARG(name));
    if (result != CUDA_SUCCESS || !found.address || size == 0)
        return cuda_fail(device, CUDA_STAGE_GLOBAL, call, result, (rt_text){0});
    RT_TRY(vendor_variable_validate(device->sink, name, size));
    found.base.size = size;
    *out_memory = memory_wrap(device, &found);
    return RT_STATUS_OK;
}
