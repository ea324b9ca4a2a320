/* Buffers, unified shared memory, and program variables.  OpenCL does not report which bytes were
 * written, so all bytes count as defined.  Source: OpenCL 3.0 API specification, 5.2;
 * cl_intel_unified_shared_memory; cl_intel_global_variable_access (ocl_library.h). */
#include "backends/opencl/ocl_internal.h"
#include "backends/vendor/validate.h"
#include "reference/base/alloc.h"

/* The driver keeps a buffer while enqueued commands use it (clReleaseMemObject).  Freeing unified
 * shared memory that commands still use is the caller's error; since the call waits for the
 * commands, the worst outcome is a wrong result, not a write to freed memory. */
static void memory_destroy(dev_memory *base)
{
    ocl_memory *memory = (ocl_memory *)base;
    const ocl_device *device = memory->device;
    CHECK((memory->buffer == NULL) != (memory->pointer == NULL));
    CHECK((memory->program != NULL) == (base->kind == DEV_MEMORY_GLOBAL));
    if (memory->buffer)
        device->library.clReleaseMemObject(memory->buffer);
    else if (!memory->program)
        device->extensions.clMemBlockingFreeINTEL(device->context, memory->pointer);
    rt_buffer_free(&memory->name);
    rt_free(memory);
}

static uint64_t memory_address(dev_memory *memory)
{
    return (uint64_t)(uintptr_t)((const ocl_memory *)memory)->pointer;
}

static const dev_memory_ops memory_ops = {.destroy = memory_destroy, .address = memory_address};

static ocl_memory *memory_wrap(ocl_device *device, dev_memory **out_memory)
{
    ocl_memory *memory = rt_alloc(sizeof *memory);
    memory->base.ops = &memory_ops;
    memory->device = device;
    *out_memory = &memory->base;
    return memory;
}

/* ---- Buffers and unified shared memory ---------------------------------------------------- */

rt_status ocl_memory_create(dev_device *base, uint64_t size, rt_text label, dev_memory **out_memory)
{
    (void)label;
    ocl_device *device = (ocl_device *)base;
    CHECK(size >= 1);
    cl_int result = CL_SUCCESS;
    cl_mem buffer = device->library.clCreateBuffer(device->context, CL_MEM_READ_WRITE, (size_t)size,
                                                   NULL, &result);
    if (!buffer || result != CL_SUCCESS)
        return ocl_fail(device->sink, OCL_STAGE_MEMORY, "clCreateBuffer", result, (rt_text){0});
    memory_wrap(device, out_memory)->buffer = buffer;
    return RT_STATUS_OK;
}

/* The part keeps the driver's whole buffer (clReleaseMemObject). */
rt_status ocl_memory_part_create(dev_memory *base, uint64_t offset, uint64_t size, rt_text label,
                                 dev_memory **out_memory)
{
    (void)label;
    const ocl_memory *whole = (const ocl_memory *)base;
    ocl_device *device = whole->device;
    CHECK(whole->buffer && size >= 1);
    const cl_buffer_region region = {(size_t)offset, (size_t)size};
    cl_int result = CL_SUCCESS;
    cl_mem buffer = device->library.clCreateSubBuffer(
        whole->buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
    if (!buffer || result != CL_SUCCESS)
        return ocl_fail(device->sink, OCL_STAGE_PART, "clCreateSubBuffer", result, (rt_text){0});
    memory_wrap(device, out_memory)->buffer = buffer;
    return RT_STATUS_OK;
}

/* Passing alignment 0 requests the alignment of the device's largest type. */
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
    CHECK(device->capabilities.usm && size >= 1);
    const char *call;
    cl_int result = CL_SUCCESS;
    void *pointer = usm_allocate(device, kind, (size_t)size, &call, &result);
    if (!pointer || result != CL_SUCCESS)
        return ocl_fail(device->sink, OCL_STAGE_MEMORY, call, result, (rt_text){0});
    memory_wrap(device, out_memory)->pointer = pointer;
    return RT_STATUS_OK;
}

/* ---- Program variables -------------------------------------------------------------------- */

rt_status ocl_global_find(dev_program *base, rt_text name, dev_memory **out_memory)
{
    static const char call[] = "clGetDeviceGlobalVariablePointerINTEL";
    const ocl_program *program = (const ocl_program *)base;
    ocl_device *device = program->device;
    CHECK(device->capabilities.globals_by_name && program->program != NULL);
    RT_TRY(vendor_name_validate(device->sink, "a variable", "OpenCL", name));
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, name);
    size_t size = 0;
    void *pointer = NULL;
    cl_int result = device->extensions.clGetDeviceGlobalVariablePointerINTEL(
        device->id, program->program, rt_buffer_string(&terminated), &size, &pointer);
    rt_status status;
    if (result == CL_INVALID_ARG_VALUE)
        status =
            rt_fail_naming(device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                           "%s: the program has no variable '%.*s' (CL_INVALID_ARG_VALUE); the "
                           "variable must be exported and the program linked",
                           call, RT_TEXT_ARG(name));
    else if (result != CL_SUCCESS || !pointer || size == 0)
        status = ocl_fail(device->sink, OCL_STAGE_GLOBAL, call, result, (rt_text){0});
    else
        status = vendor_variable_validate(device->sink, name, size);
    if (!rt_ok(status)) {
        rt_buffer_free(&terminated);
        return status;
    }
    ocl_memory *memory = memory_wrap(device, out_memory);
    memory->base.size = size;
    memory->pointer = pointer;
    memory->program = program->program;
    memory->name = terminated;
    return RT_STATUS_OK;
}
