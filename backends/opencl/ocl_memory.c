/* Buffers, unified shared memory, and the variables of programs.  OpenCL does not report which
 * bytes were written, so all count as defined. Source: OpenCL 3.0 API specification, 5.2;
 * cl_intel_unified_shared_memory; cl_intel_global_variable_access (ocl_library.h). */
#include "backends/opencl/ocl_internal.h"
#include "backends/vendor/validate.h"
#include "reference/base/alloc.h"

static ocl_memory *memory_wrap(ocl_device *device, const dev_memory_ops *ops)
{
    ocl_memory *memory = rt_alloc(sizeof *memory);
    memory->base.ops = ops;
    memory->device = device;
    return memory;
}

static uint64_t pointer_address(dev_memory *memory)
{
    return (uint64_t)(uintptr_t)((const ocl_memory *)memory)->pointer;
}

/* ---- Buffers ------------------------------------------------------------------------------ */

/* The driver keeps the buffer while enqueued commands use it (clReleaseMemObject). */
static void buffer_destroy(dev_memory *base)
{
    ocl_memory *memory = (ocl_memory *)base;
    memory->device->library.clReleaseMemObject(memory->buffer);
    rt_free(memory);
}

static const dev_memory_ops buffer_ops = {.destroy = buffer_destroy};

rt_status ocl_memory_create(dev_device *base, uint64_t size, rt_text label, dev_memory **out_memory)
{
    (void)label;
    ocl_device *device = (ocl_device *)base;
    cl_int result = CL_SUCCESS;
    cl_mem buffer = device->library.clCreateBuffer(device->context, CL_MEM_READ_WRITE, (size_t)size,
                                                   NULL, &result);
    if (!buffer || result != CL_SUCCESS)
        return ocl_fail(device->sink, OCL_STAGE_MEMORY, "clCreateBuffer", result, (rt_text){0});
    ocl_memory *memory = memory_wrap(device, &buffer_ops);
    memory->buffer = buffer;
    *out_memory = &memory->base;
    return RT_STATUS_OK;
}

/* ---- Unified shared memory ---------------------------------------------------------------- */

/* Freeing memory that commands still use is the caller's error; waiting for them turns it into a
 * wrong result instead of a write to freed memory. */
static void usm_destroy(dev_memory *base)
{
    ocl_memory *memory = (ocl_memory *)base;
    const ocl_device *device = memory->device;
    device->extensions.clMemBlockingFreeINTEL(device->context, memory->pointer);
    rt_free(memory);
}

static const dev_memory_ops usm_ops = {.destroy = usm_destroy, .address = pointer_address};

/* Alignment 0 means the alignment of the device's largest type. */
static void *usm_allocate(const ocl_device *device, dev_memory_kind kind, size_t size,
                          const char **out_call, cl_int *out_result)
{
    const ocl_extensions *cl = &device->extensions;
    if (kind == DEV_MEMORY_USM_HOST) {
        *out_call = "clHostMemAllocINTEL";
        return cl->clHostMemAllocINTEL(device->context, NULL, size, 0, out_result);
    }
    if (kind == DEV_MEMORY_USM_DEVICE) {
        *out_call = "clDeviceMemAllocINTEL";
        return cl->clDeviceMemAllocINTEL(device->context, device->id, NULL, size, 0, out_result);
    }
    CHECK(kind == DEV_MEMORY_USM_SHARED);
    *out_call = "clSharedMemAllocINTEL";
    return cl->clSharedMemAllocINTEL(device->context, device->id, NULL, size, 0, out_result);
}

rt_status ocl_usm_create(dev_device *base, dev_memory_kind kind, uint64_t size, rt_text label,
                         dev_memory **out_memory)
{
    (void)label;
    ocl_device *device = (ocl_device *)base;
    CHECK(device->capabilities.usm);
    const char *call;
    cl_int result = CL_SUCCESS;
    void *pointer = usm_allocate(device, kind, (size_t)size, &call, &result);
    if (!pointer || result != CL_SUCCESS)
        return ocl_fail(device->sink, OCL_STAGE_MEMORY, call, result, (rt_text){0});
    ocl_memory *memory = memory_wrap(device, &usm_ops);
    memory->pointer = pointer;
    *out_memory = &memory->base;
    return RT_STATUS_OK;
}

/* ---- Variables of programs ---------------------------------------------------------------- */

static void global_destroy(dev_memory *base)
{
    ocl_memory *memory = (ocl_memory *)base;
    rt_buffer_free(&memory->name);
    rt_free(memory);
}

static const dev_memory_ops global_ops = {.destroy = global_destroy, .address = pointer_address};

/* Checks what the driver reported about a variable. */
static rt_status global_validate(const ocl_device *device, rt_text name, cl_int result,
                                 const void *pointer, size_t size)
{
    static const char call[] = "clGetDeviceGlobalVariablePointerINTEL";
    if (result == CL_INVALID_ARG_VALUE)
        return rt_fail_naming(device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "%s: the program has no variable '%.*s' (%s); it must be exported, "
                              "and the program linked",
                              call, RT_TEXT_ARG(name), ocl_result_name(result));
    if (result != CL_SUCCESS || !pointer || size == 0)
        return ocl_fail(device->sink, OCL_STAGE_GLOBAL, call, result, (rt_text){0});
    return vendor_variable_validate(device->sink, name, size);
}

rt_status ocl_global_take(ocl_device *device, cl_program program, rt_text name,
                          dev_memory **out_memory)
{
    CHECK(device->capabilities.globals_by_name && program != NULL);
    RT_TRY(vendor_name_validate(device->sink, "a variable", "OpenCL", name));
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, name);
    size_t size = 0;
    void *pointer = NULL;
    cl_int result = device->extensions.clGetDeviceGlobalVariablePointerINTEL(
        device->id, program, rt_buffer_string(&terminated), &size, &pointer);
    rt_status status = global_validate(device, name, result, pointer, size);
    if (!rt_ok(status)) {
        rt_buffer_free(&terminated);
        return status;
    }
    ocl_memory *memory = memory_wrap(device, &global_ops);
    memory->base.size = size;
    memory->pointer = pointer;
    memory->program = program;
    memory->name = terminated;
    *out_memory = &memory->base;
    return RT_STATUS_OK;
}
