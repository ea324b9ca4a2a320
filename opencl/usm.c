/* Allocations, and the extension's commands. */
#include "opencl/usm.h"

#include "opencl/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct allocation {
    cl_context context; /* a reference; NULL: a variable */
    cl_program program; /* of a variable, which is forgotten before it; otherwise NULL */
    dev_memory *memory;
    uint64_t address, size;
} allocation;

static RT_VECTOR(allocation) allocations;
static uint32_t number; /* of the last allocation, for messages */

/* ---- Allocations -------------------------------------------------------------------------- */

/* The allocation that an address points into; `reach` is 1 if its end counts too. */
static allocation *allocation_find(uint64_t address, uint64_t reach)
{
    for (uint32_t i = 0; i < allocations.count; i++) {
        allocation *each = &allocations.items[i];
        if (address - each->address < each->size + reach) return each;
    }
    return NULL;
}

dev_memory *icd_usm_find(uint64_t address, uint64_t *out_offset)
{
    const allocation *found = allocation_find(address, 1);
    if (!found) return NULL;
    *out_offset = address - found->address;
    return found->memory;
}

static cl_int allocation_validate(cl_context context, cl_device_id device,
                                  const cl_mem_properties_intel *properties, size_t size,
                                  cl_uint alignment, icd_call call)
{
    if (!icd_is(context, ICD_CONTEXT, call))
        return icd_refuse(call, CL_INVALID_CONTEXT, "expected a context");
    if (device != &icd_device)
        return icd_refuse(call, CL_INVALID_DEVICE, "the device is not of the context");
    for (const cl_mem_properties_intel *p = properties; p && *p; p += 2)
        if (*p != CL_MEM_ALLOC_FLAGS_INTEL)
            return icd_refuse(call, CL_INVALID_PROPERTY, "property 0x%llx", (unsigned long long)*p);
    if (alignment > ICD_BASE_ALIGNMENT || (alignment & (alignment - 1)) != 0)
        return icd_refuse(call, CL_INVALID_VALUE,
                          "an alignment of %u bytes; expected a power of two up to %u", alignment,
                          ICD_BASE_ALIGNMENT);
    if (size == 0 || size > RT_MEMORY_SIZE_MAX)
        return icd_refuse(call, CL_INVALID_BUFFER_SIZE, "%zu bytes", size);
    return CL_SUCCESS;
}

CL_API_ENTRY void *CL_API_CALL clDeviceMemAllocINTEL(cl_context context, cl_device_id device,
                                                     const cl_mem_properties_intel *properties,
                                                     size_t size, cl_uint alignment,
                                                     cl_int *out_code)
{
    ICD_ENTER;
    cl_int code = allocation_validate(context, device, properties, size, alignment, ICD_CALL);
    icd_store(out_code, code);
    if (code != CL_SUCCESS) return NULL;
    char label[32];
    int length = snprintf(label, sizeof label, "allocation %u", ++number);
    dev_memory *memory;
    rt_status status = dev_usm_create(icd_device.device, DEV_MEMORY_USM_DEVICE, size,
                                      (rt_text){label, (size_t)length}, &memory);
    icd_store(out_code, icd_code(status));
    if (!rt_ok(status)) return NULL;
    uint64_t address = dev_memory_address(memory);
    *rt_vector_push(&allocations) =
        (allocation){icd_reference(context), NULL, memory, address, size};
    return (void *)(uintptr_t)address;
}

static void *refuse_kind(cl_int *out_code, icd_call call)
{
    icd_store(out_code,
              icd_refuse(call, CL_INVALID_OPERATION,
                         "the host cannot access the simulated device's memory: use the device's"));
    return NULL;
}

CL_API_ENTRY void *CL_API_CALL clHostMemAllocINTEL(cl_context context,
                                                   const cl_mem_properties_intel *properties,
                                                   size_t size, cl_uint alignment, cl_int *out_code)
{
    (void)context, (void)properties, (void)size, (void)alignment;
    return refuse_kind(out_code, ICD_CALL);
}

CL_API_ENTRY void *CL_API_CALL clSharedMemAllocINTEL(cl_context context, cl_device_id device,
                                                     const cl_mem_properties_intel *properties,
                                                     size_t size, cl_uint alignment,
                                                     cl_int *out_code)
{
    (void)context, (void)device, (void)properties, (void)size, (void)alignment;
    return refuse_kind(out_code, ICD_CALL);
}

static cl_int memory_free(cl_context context, void *pointer, icd_call call)
{
    if (!icd_is(context, ICD_CONTEXT, call))
        return icd_refuse(call, CL_INVALID_CONTEXT, "expected a context");
    if (!pointer) return CL_SUCCESS;
    allocation *found = allocation_find((uintptr_t)pointer, 0);
    if (!found || found->program || found->address != (uintptr_t)pointer)
        return icd_refuse(call, CL_INVALID_VALUE, "%p is not the start of an allocation", pointer);
    dev_memory_destroy(found->memory);
    icd_release(found->context);
    *found = allocations.items[--allocations.count];
    return CL_SUCCESS;
}

/* A later use by a command that is enqueued already is a finding. */
CL_API_ENTRY cl_int CL_API_CALL clMemFreeINTEL(cl_context context, void *pointer)
{
    ICD_ENTER;
    return memory_free(context, pointer, ICD_CALL);
}

/* Waits for all commands of the device, which include those that use the allocation. */
CL_API_ENTRY cl_int CL_API_CALL clMemBlockingFreeINTEL(cl_context context, void *pointer)
{
    ICD_ENTER;
    dev_event *marker;
    rt_status status =
        dev_enqueue_marker(icd_device.queue, (dev_command){0}, (dev_marker){0}, &marker);
    if (!rt_ok(status)) return icd_code(status);
    dev_event_advance(marker);
    dev_event_destroy(marker);
    return memory_free(context, pointer, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clGetMemAllocInfoINTEL(cl_context context, const void *pointer,
                                                       cl_mem_info_intel name, size_t capacity,
                                                       void *out, size_t *out_size)
{
    ICD_ENTER;
    if (!icd_is(context, ICD_CONTEXT, ICD_CALL)) return CL_INVALID_CONTEXT;
    const allocation *found = allocation_find((uintptr_t)pointer, 0);
    switch (name) {
    case CL_MEM_ALLOC_TYPE_INTEL:
        return ICD_ANSWER(cl_unified_shared_memory_type_intel,
                          found ? CL_MEM_TYPE_DEVICE_INTEL : CL_MEM_TYPE_UNKNOWN_INTEL);
    case CL_MEM_ALLOC_BASE_PTR_INTEL:
        return ICD_ANSWER(void *, found ? (void *)(uintptr_t)found->address : NULL);
    case CL_MEM_ALLOC_SIZE_INTEL: return ICD_ANSWER(size_t, found ? found->size : 0);
    case CL_MEM_ALLOC_DEVICE_INTEL: return ICD_ANSWER(cl_device_id, found ? &icd_device : NULL);
    case CL_MEM_ALLOC_FLAGS_INTEL: return ICD_ANSWER(cl_mem_alloc_flags_intel, 0);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint index,
                                                              const void *pointer)
{
    ICD_ENTER;
    if (!icd_is(kernel, ICD_KERNEL, ICD_CALL))
        return REFUSE(CL_INVALID_KERNEL, "expected a kernel");
    return icd_argument_set_address(kernel, index, (uintptr_t)pointer, ICD_CALL);
}

/* ---- Variables ---------------------------------------------------------------------------- */

/* No header declares it: Intel's runtimes offer it by name only. */
static cl_int CL_API_CALL clGetDeviceGlobalVariablePointerINTEL(cl_device_id device,
                                                                cl_program program,
                                                                const char *name, size_t *out_size,
                                                                void **out_pointer)
{
    ICD_ENTER;
    if (device != &icd_device) return REFUSE(CL_INVALID_DEVICE, "expected the program's device");
    if (!icd_is(program, ICD_PROGRAM, ICD_CALL))
        return REFUSE(CL_INVALID_PROGRAM, "expected a program");
    if (!program->program)
        return REFUSE(CL_INVALID_PROGRAM_EXECUTABLE, "program %u has not been built",
                      program->base.number);
    if (!name || !out_pointer)
        return REFUSE(CL_INVALID_VALUE, "no name, or no place for a pointer");
    dev_memory *memory;
    rt_status status = dev_global_find(program->program, rt_text_of(name), &memory);
    if (!rt_ok(status)) return REFUSE(CL_INVALID_VALUE, "%.*s", RT_TEXT_ARG(icd_message(status)));
    uint64_t address = dev_memory_address(memory), size = memory->size;
    if (allocation_find(address, 0))
        dev_memory_destroy(memory); /* it has been found before */
    else
        *rt_vector_push(&allocations) = (allocation){NULL, program, memory, address, size};
    if (out_size) *out_size = size;
    *out_pointer = (void *)(uintptr_t)address;
    return CL_SUCCESS;
}

void icd_usm_forget(cl_program program)
{
    for (uint32_t i = 0; i < allocations.count; i++) {
        if (allocations.items[i].program != program) continue;
        dev_memory_destroy(allocations.items[i].memory);
        allocations.items[i--] = allocations.items[--allocations.count];
    }
}

/* ---- Commands ----------------------------------------------------------------------------- */

/* One side of a copy: memory of the device, or of the host. */
typedef struct place {
    dev_memory *memory; /* NULL: of the host */
    uint64_t offset;
    uint8_t *host;
} place;

static cl_int place_make(const void *pointer, size_t size, icd_call call, place *out_place)
{
    *out_place = (place){.host = (uint8_t *)(uintptr_t)pointer};
    if (!pointer) return icd_refuse(call, CL_INVALID_VALUE, "the pointer is NULL");
    const allocation *found = allocation_find((uintptr_t)pointer, 1);
    if (!found) return CL_SUCCESS;
    out_place->memory = found->memory;
    out_place->offset = (uintptr_t)pointer - found->address;
    if (size <= found->size - out_place->offset) return CL_SUCCESS;
    return icd_refuse(call, CL_INVALID_VALUE,
                      "%zu bytes at offset %llu of an allocation of %llu bytes", size,
                      (unsigned long long)out_place->offset, (unsigned long long)found->size);
}

static void copy_part(icd_command *command, place to, place from, size_t size)
{
    dev_event *event = NULL;
    dev_queue *queue = icd_device.queue;
    const dev_command described = icd_command_device(command);
    rt_status status;
    if (to.memory && from.memory)
        status = dev_enqueue_copy(queue, described, from.memory, from.offset, to.memory, to.offset,
                                  size, &event);
    else if (to.memory)
        status = dev_enqueue_write(queue, described, to.memory, to.offset, size, from.host, &event);
    else
        status =
            dev_enqueue_read(queue, described, from.memory, from.offset, size, to.host, &event);
    icd_command_part(command, status, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemcpyINTEL(cl_command_queue queue, cl_bool is_blocking,
                                                     void *to, const void *from, size_t size,
                                                     cl_uint wait_count, const cl_event *wait,
                                                     cl_event *out_event)
{
    ICD_ENTER;
    icd_command command;
    place destination, source;
    cl_int code =
        icd_command_begin(&command, queue, CL_COMMAND_MEMCPY_INTEL, wait_count, wait, ICD_CALL);
    if (code != CL_SUCCESS) return code;
    code = place_make(to, size, ICD_CALL, &destination);
    if (code == CL_SUCCESS) code = place_make(from, size, ICD_CALL, &source);
    if (code == CL_SUCCESS && destination.memory && destination.memory == source.memory &&
        destination.offset < source.offset + size && source.offset < destination.offset + size)
        code = REFUSE(CL_MEM_COPY_OVERLAP, "the two ranges overlap");
    if (code == CL_SUCCESS && size > 0 && !destination.memory && !source.memory)
        code = REFUSE(CL_INVALID_VALUE, "neither pointer is one of the device's allocations");
    if (code != CL_SUCCESS) return icd_command_drop(&command, code);
    if (size > 0) copy_part(&command, destination, source, size);
    return icd_command_end(&command, is_blocking, out_event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemFillINTEL(cl_command_queue queue, void *to,
                                                      const void *pattern, size_t pattern_size,
                                                      size_t size, cl_uint wait_count,
                                                      const cl_event *wait, cl_event *out_event)
{
    ICD_ENTER;
    icd_command command;
    place destination;
    cl_int code =
        icd_command_begin(&command, queue, CL_COMMAND_MEMFILL_INTEL, wait_count, wait, ICD_CALL);
    if (code != CL_SUCCESS) return code;
    code = place_make(to, size, ICD_CALL, &destination);
    bool is_size = pattern_size >= 1 && pattern_size <= 128 &&
                   (pattern_size & (pattern_size - 1)) == 0 && size % pattern_size == 0;
    if (code == CL_SUCCESS &&
        (!destination.memory || !pattern || !is_size || destination.offset % pattern_size != 0))
        code = REFUSE(CL_INVALID_VALUE,
                      "a fill of %zu bytes with %zu, or not of one of the device's allocations",
                      size, pattern_size);
    if (code != CL_SUCCESS) return icd_command_drop(&command, code);
    icd_fill_parts(&command, destination.memory, destination.offset, size, pattern, pattern_size);
    return icd_command_end(&command, false, out_event);
}

/* Migration and advice change nothing; their commands keep the order. */
static cl_int hint_enqueue(cl_command_queue queue, cl_command_type type, const void *pointer,
                           cl_uint wait_count, const cl_event *wait, cl_event *out_event,
                           icd_call call)
{
    icd_command command;
    cl_int code = icd_command_begin(&command, queue, type, wait_count, wait, call);
    if (code != CL_SUCCESS) return code;
    if (!pointer)
        return icd_command_drop(&command,
                                icd_refuse(call, CL_INVALID_VALUE, "the pointer is NULL"));
    return icd_command_end(&command, false, out_event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemINTEL(cl_command_queue queue,
                                                         const void *pointer, size_t size,
                                                         cl_mem_migration_flags flags,
                                                         cl_uint wait_count, const cl_event *wait,
                                                         cl_event *out_event)
{
    (void)size, (void)flags;
    ICD_ENTER;
    return hint_enqueue(queue, CL_COMMAND_MIGRATEMEM_INTEL, pointer, wait_count, wait, out_event,
                        ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemAdviseINTEL(cl_command_queue queue, const void *pointer,
                                                        size_t size, cl_mem_advice_intel advice,
                                                        cl_uint wait_count, const cl_event *wait,
                                                        cl_event *out_event)
{
    (void)size, (void)advice;
    ICD_ENTER;
    return hint_enqueue(queue, CL_COMMAND_MEMADVISE_INTEL, pointer, wait_count, wait, out_event,
                        ICD_CALL);
}

void (*icd_usm_function(const char *name))(void)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } rows[] = {
#define FUNCTION(function) {#function, (void (*)(void))(function)}
        FUNCTION(clDeviceMemAllocINTEL),   FUNCTION(clHostMemAllocINTEL),
        FUNCTION(clSharedMemAllocINTEL),   FUNCTION(clMemFreeINTEL),
        FUNCTION(clMemBlockingFreeINTEL),  FUNCTION(clGetMemAllocInfoINTEL),
        FUNCTION(clEnqueueMemcpyINTEL),    FUNCTION(clSetKernelArgMemPointerINTEL),
        FUNCTION(clEnqueueMemFillINTEL),   FUNCTION(clEnqueueMigrateMemINTEL),
        FUNCTION(clEnqueueMemAdviseINTEL), FUNCTION(clGetDeviceGlobalVariablePointerINTEL),
#undef FUNCTION
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0) return rows[i].function;
    return NULL;
}
