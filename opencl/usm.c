/* Allocations, and the extension's commands. */
#include "opencl/usm.h"

#include "opencl/guard.h"
#include "opencl/report.h"

#include "backends/sim/simdev.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static RT_VECTOR(icd_allocation) allocations;
static RT_VECTOR(icd_allocation) freed; /* whose addresses have not been given out again */
static uint32_t number;                 /* of the last allocation, for messages */

/* ---- Allocations -------------------------------------------------------------------------- */

static icd_allocation *allocation_find(uint64_t address, uint64_t reach)
{
    for (uint32_t i = 0; i < allocations.count; i++) {
        icd_allocation *each = &allocations.items[i];
        if (address - each->address < each->size + reach) return each;
    }
    return NULL;
}

const icd_allocation *icd_allocation_find(uint64_t address, uint64_t reach)
{
    return allocation_find(address, reach);
}

dev_memory *icd_usm_find(uint64_t address, uint64_t *out_offset)
{
    const icd_allocation *found = allocation_find(address, 1);
    if (!found) return NULL;
    *out_offset = address - found->address;
    return found->memory;
}

void *icd_allocation_make(icd_allocation template, size_t size, cl_int *out_code, icd_call call)
{
    static const dev_memory_kind kinds[] = {
        [CL_MEM_TYPE_HOST_INTEL - CL_MEM_TYPE_HOST_INTEL] = DEV_MEMORY_USM_HOST,
        [CL_MEM_TYPE_DEVICE_INTEL - CL_MEM_TYPE_HOST_INTEL] = DEV_MEMORY_USM_DEVICE,
        [CL_MEM_TYPE_SHARED_INTEL - CL_MEM_TYPE_HOST_INTEL] = DEV_MEMORY_USM_SHARED,
    };
    CHECK(template.type - CL_MEM_TYPE_HOST_INTEL < sizeof kinds / sizeof *kinds);
    cl_int code = icd_memory_take(size, call);
    icd_store(out_code, code);
    if (code != CL_SUCCESS) return NULL;
    char label[32];
    int length = snprintf(label, sizeof label, "allocation %u", ++number);
    rt_status status =
        dev_usm_create(icd_device.device, kinds[template.type - CL_MEM_TYPE_HOST_INTEL], size,
                       (rt_text){label, (size_t)length}, &template.memory);
    icd_store(out_code, icd_code(status));
    if (!rt_ok(status)) {
        icd_memory_give(size);
        return NULL;
    }
    template.context = icd_reference(template.context);
    template.address = dev_memory_address(template.memory);
    template.size = size;
    for (uint32_t i = 0; i < freed.count; i++)
        if (freed.items[i].address == template.address)
            freed.items[i--] = freed.items[--freed.count];
    *rt_vector_push(&allocations) = template;
    return (void *)(uintptr_t) template.address;
}

bool icd_allocation_free(void *pointer, bool is_svm)
{
    icd_allocation *found = allocation_find((uintptr_t)pointer, 0);
    if (!found || found->program || found->is_svm != is_svm || found->address != (uintptr_t)pointer)
        return false;
    dev_memory_destroy(found->memory);
    icd_memory_give(found->size);
    icd_release(found->context);
    *rt_vector_push(&freed) = (icd_allocation){.address = found->address, .size = found->size};
    *found = allocations.items[--allocations.count];
    return true;
}

cl_int icd_allocation_validate(cl_context context, const cl_mem_properties_intel *properties,
                               size_t size, cl_uint alignment, icd_call call)
{
    if (!icd_is(context, ICD_CONTEXT, call))
        return icd_refuse(call, CL_INVALID_CONTEXT, "expected a context");
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

static void *usm_allocate(cl_context context, cl_unified_shared_memory_type_intel type,
                          cl_device_id device, const cl_mem_properties_intel *properties,
                          size_t size, cl_uint alignment, cl_int *out_code, icd_call call)
{
    cl_int code = icd_allocation_validate(context, properties, size, alignment, call);
    /* Shared memory need not belong to a device. */
    bool is_device =
        type == CL_MEM_TYPE_DEVICE_INTEL ? device == &icd_device : !device || device == &icd_device;
    if (code == CL_SUCCESS && !is_device)
        code = icd_refuse(call, CL_INVALID_DEVICE, "the device is not of the context");
    icd_store(out_code, code);
    if (code != CL_SUCCESS) return NULL;
    return icd_allocation_make((icd_allocation){.context = context, .type = type, .device = device},
                               size, out_code, call);
}

CL_API_ENTRY void *CL_API_CALL clDeviceMemAllocINTEL(cl_context context, cl_device_id device,
                                                     const cl_mem_properties_intel *properties,
                                                     size_t size, cl_uint alignment,
                                                     cl_int *out_code)
{
    ICD_ENTER;
    return usm_allocate(context, CL_MEM_TYPE_DEVICE_INTEL, device, properties, size, alignment,
                        out_code, ICD_CALL);
}

CL_API_ENTRY void *CL_API_CALL clHostMemAllocINTEL(cl_context context,
                                                   const cl_mem_properties_intel *properties,
                                                   size_t size, cl_uint alignment, cl_int *out_code)
{
    ICD_ENTER;
    return usm_allocate(context, CL_MEM_TYPE_HOST_INTEL, NULL, properties, size, alignment,
                        out_code, ICD_CALL);
}

CL_API_ENTRY void *CL_API_CALL clSharedMemAllocINTEL(cl_context context, cl_device_id device,
                                                     const cl_mem_properties_intel *properties,
                                                     size_t size, cl_uint alignment,
                                                     cl_int *out_code)
{
    ICD_ENTER;
    return usm_allocate(context, CL_MEM_TYPE_SHARED_INTEL, device, properties, size, alignment,
                        out_code, ICD_CALL);
}

static cl_int memory_free(cl_context context, void *pointer, icd_call call)
{
    if (!icd_is(context, ICD_CONTEXT, call))
        return icd_refuse(call, CL_INVALID_CONTEXT, "expected a context");
    if (!pointer) return CL_SUCCESS;
    if (icd_allocation_free(pointer, false)) return CL_SUCCESS;
    return icd_refuse(call, CL_INVALID_VALUE, "%p is not the start of an allocation", pointer);
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
    rt_status status = dev_enqueue_marker(icd_device.queue, (dev_command){0},
                                          (dev_marker){.waits_for_all = true}, &marker);
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
    const icd_allocation *found = allocation_find((uintptr_t)pointer, 0);
    if (found && found->is_svm) found = NULL;
    switch (name) {
    case CL_MEM_ALLOC_TYPE_INTEL:
        return ICD_ANSWER(cl_unified_shared_memory_type_intel,
                          found ? found->type : CL_MEM_TYPE_UNKNOWN_INTEL);
    case CL_MEM_ALLOC_BASE_PTR_INTEL:
        return ICD_ANSWER(void *, found ? (void *)(uintptr_t)found->address : NULL);
    case CL_MEM_ALLOC_SIZE_INTEL: return ICD_ANSWER(size_t, found ? found->size : 0);
    case CL_MEM_ALLOC_DEVICE_INTEL: return ICD_ANSWER(cl_device_id, found ? found->device : NULL);
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

/* ---- Variables and functions of programs --------------------------------------------------- */

/* Finds a variable of an executable program, and makes it an allocation. */
static cl_int variable_find(cl_program program, const char *name, icd_call call,
                            icd_allocation *out_variable)
{
    cl_int code = icd_program_validate_built(program, call);
    if (code != CL_SUCCESS) return code;
    if (!name) return icd_refuse(call, CL_INVALID_ARG_VALUE, "no name");
    dev_memory *memory;
    rt_status status = dev_global_find(program->program, rt_text_of(name), &memory);
    if (!rt_ok(status))
        return icd_refuse(call, CL_INVALID_ARG_VALUE, "%.*s", RT_TEXT_ARG(icd_message(status)));
    uint64_t address = dev_memory_address(memory);
    const icd_allocation *found = allocation_find(address, 0);
    if (found) {
        dev_memory_destroy(memory); /* it has been found before */
        *out_variable = *found;
        return CL_SUCCESS;
    }
    *out_variable = (icd_allocation){.program = program,
                                     .memory = memory,
                                     .address = address,
                                     .size = memory->size,
                                     .type = CL_MEM_TYPE_DEVICE_INTEL,
                                     .device = &icd_device};
    *rt_vector_push(&allocations) = *out_variable;
    return CL_SUCCESS;
}

/* No header declares what follows: Intel's runtimes offer it by name only.  A name that the program
 * does not have is CL_INVALID_ARG_VALUE, as there; libsycl distinguishes that code from others. */
static cl_int CL_API_CALL clGetDeviceGlobalVariablePointerINTEL(cl_device_id device,
                                                                cl_program program,
                                                                const char *name, size_t *out_size,
                                                                void **out_pointer)
{
    ICD_ENTER;
    icd_allocation variable = {0};
    if (device != &icd_device) return REFUSE(CL_INVALID_DEVICE, "expected the program's device");
    if (!out_pointer) return REFUSE(CL_INVALID_ARG_VALUE, "no place for a pointer");
    cl_int code = variable_find(program, name, ICD_CALL, &variable);
    if (code != CL_SUCCESS) return code;
    if (out_size) *out_size = variable.size;
    *out_pointer = (void *)(uintptr_t)variable.address;
    return CL_SUCCESS;
}

/* The address is a number that kernels of the program can convert to a pointer and call; it says
 * nothing to the host. */
static cl_int CL_API_CALL clGetDeviceFunctionPointerINTEL(cl_device_id device, cl_program program,
                                                          const char *name, cl_ulong *out_pointer)
{
    ICD_ENTER;
    if (device != &icd_device) return REFUSE(CL_INVALID_DEVICE, "expected the program's device");
    cl_int code = icd_program_validate_built(program, ICD_CALL);
    if (code != CL_SUCCESS) return code;
    if (!name || !out_pointer)
        return REFUSE(CL_INVALID_ARG_VALUE, "no name, or no place for an address");
    uint64_t address;
    rt_status status = simdev_function_find(program->program, rt_text_of(name), &address);
    if (!rt_ok(status))
        return REFUSE(CL_INVALID_ARG_VALUE, "%.*s", RT_TEXT_ARG(icd_message(status)));
    *out_pointer = address;
    return CL_SUCCESS;
}

/* The pointer to a range of a variable; the copy that follows validates the range. */
static cl_int variable_range(cl_program program, const char *name, size_t offset, icd_call call,
                             void **out_pointer)
{
    icd_allocation variable = {0};
    cl_int code = variable_find(program, name, call, &variable);
    if (code != CL_SUCCESS) return code;
    if (offset > variable.size)
        return icd_refuse(call, CL_INVALID_VALUE, "offset %zu in '%s', which has %llu bytes",
                          offset, name, (unsigned long long)variable.size);
    *out_pointer = (void *)(uintptr_t)(variable.address + offset);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL clEnqueueWriteGlobalVariableINTEL(
    cl_command_queue queue, cl_program program, const char *name, cl_bool is_blocking, size_t size,
    size_t offset, const void *host, cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    ICD_ENTER;
    void *pointer = NULL;
    cl_int code = variable_range(program, name, offset, ICD_CALL, &pointer);
    if (code != CL_SUCCESS) return code;
    return icd_usm_copy(queue, CL_COMMAND_MEMCPY_INTEL, is_blocking, pointer, host, size,
                        wait_count, wait, out_event, ICD_CALL);
}

static cl_int CL_API_CALL clEnqueueReadGlobalVariableINTEL(
    cl_command_queue queue, cl_program program, const char *name, cl_bool is_blocking, size_t size,
    size_t offset, void *host, cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    ICD_ENTER;
    void *pointer = NULL;
    cl_int code = variable_range(program, name, offset, ICD_CALL, &pointer);
    if (code != CL_SUCCESS) return code;
    return icd_usm_copy(queue, CL_COMMAND_MEMCPY_INTEL, is_blocking, host, pointer, size,
                        wait_count, wait, out_event, ICD_CALL);
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

cl_int icd_place_make(const void *pointer, size_t size, icd_call call, icd_place *out_place)
{
    const uint64_t address = (uintptr_t)pointer;
    *out_place = (icd_place){.host = (uint8_t *)(uintptr_t)pointer};
    if (!pointer) return icd_refuse(call, CL_INVALID_VALUE, "the pointer is NULL");
    for (uint32_t i = 0; i < freed.count; i++) {
        if (address - freed.items[i].address >= freed.items[i].size) continue;
        icd_report_misuse(call, "use-after-free", (rt_text){0},
                          "%p is in an allocation that has been freed", pointer);
        return icd_refuse(call, CL_INVALID_VALUE, "%p points to freed memory", pointer);
    }
    /* What follows an allocation is not the host's memory: the device places allocations that far
     * apart, at addresses at which systems map nothing by themselves. */
    const icd_allocation *found = allocation_find(address, RT_MEMORY_SIZE_MAX);
    if (!found) return CL_SUCCESS;
    out_place->memory = found->memory;
    out_place->offset = address - found->address;
    if (out_place->offset <= found->size && size <= found->size - out_place->offset)
        return CL_SUCCESS;
    return icd_refuse(call, CL_INVALID_VALUE,
                      "%zu bytes at offset %llu of an allocation of %llu bytes", size,
                      (unsigned long long)out_place->offset, (unsigned long long)found->size);
}

/* Reads into memory of the host, which is guarded until then if the host must not use it. */
static rt_status read_enqueue(const icd_command *command, dev_command described, dev_memory *memory,
                              uint64_t offset, size_t size, void *destination,
                              dev_event **out_event)
{
    bool is_guarded = !command->is_blocking && !command->is_host_using;
    if (is_guarded) icd_guard_begin(command->tag, destination, size);
    rt_status status =
        dev_enqueue_read(icd_device.queue, described, memory, offset, size, destination, out_event);
    if (!rt_ok(status)) icd_guard_end(NULL, destination, size);
    return status;
}

/* Copies between two ranges of the host, through memory of the device: as late as other commands.
 */
static void host_part(icd_command *command, icd_place to, icd_place from, size_t size)
{
    dev_queue *queue = icd_device.queue;
    dev_memory *between;
    dev_event *event = NULL;
    rt_status status =
        dev_memory_create(icd_device.device, size, RT_TEXT("copy of the host"), &between);
    if (!rt_ok(status)) {
        icd_command_part(command, status, NULL);
        return;
    }
    dev_command first = icd_command_device(command);
    status = dev_enqueue_write(queue, first, between, 0, size, from.host, &event);
    icd_command_part(command, status, event);
    if (rt_ok(status)) {
        dev_command second = icd_command_device(command);
        second.wait = &event;
        second.wait_count = 1;
        dev_event *read = NULL;
        status = read_enqueue(command, second, between, 0, size, to.host, &read);
        icd_command_part(command, status, read);
    }
    dev_memory_destroy(between); /* once the commands are complete */
}

void icd_copy_part(icd_command *command, icd_place to, icd_place from, size_t size)
{
    dev_event *event = NULL;
    dev_queue *queue = icd_device.queue;
    const dev_command described = icd_command_device(command);
    rt_status status;
    if (!to.memory && !from.memory) {
        host_part(command, to, from, size);
        return;
    }
    if (to.memory && from.memory && to.memory->number == from.memory->number) {
        /* Buffers on shared virtual memory, and pointers to it, can be the same bytes. */
        uint64_t a = to.memory->origin + to.offset, b = from.memory->origin + from.offset;
        if (a == b) return;
        if (a < b + size && b < a + size) {
            command->failure = icd_refuse(command->call, CL_MEM_COPY_OVERLAP,
                                          "%zu bytes are copied to %llu bytes from where they are",
                                          size, (unsigned long long)(a < b ? b - a : a - b));
            return;
        }
    }
    if (to.memory && from.memory)
        status = dev_enqueue_copy(queue, described, from.memory, from.offset, to.memory, to.offset,
                                  size, &event);
    else if (to.memory)
        status = dev_enqueue_write(queue, described, to.memory, to.offset, size, from.host, &event);
    else
        status = read_enqueue(command, described, from.memory, from.offset, size, to.host, &event);
    icd_command_part(command, status, event);
}

cl_int icd_usm_copy(cl_command_queue queue, cl_command_type type, bool is_blocking, void *to,
                    const void *from, size_t size, cl_uint wait_count, const cl_event *wait,
                    cl_event *out_event, icd_call call)
{
    icd_command command;
    icd_place destination, source;
    cl_int code = icd_command_begin(&command, queue, type, wait_count, wait, call);
    if (code != CL_SUCCESS) return code;
    command.is_blocking = is_blocking;
    code = icd_place_make(to, size, call, &destination);
    if (code == CL_SUCCESS) code = icd_place_make(from, size, call, &source);
    uint64_t begin = (uintptr_t)to, other = (uintptr_t)from;
    if (code == CL_SUCCESS && begin < other + size && other < begin + size)
        code = icd_refuse(call, CL_MEM_COPY_OVERLAP, "the two ranges overlap");
    if (code != CL_SUCCESS) return icd_command_drop(&command, code);
    if (size > 0) icd_copy_part(&command, destination, source, size);
    return icd_command_end(&command, out_event);
}

cl_int icd_usm_fill(cl_command_queue queue, cl_command_type type, void *to, const void *pattern,
                    size_t pattern_size, size_t size, cl_uint wait_count, const cl_event *wait,
                    cl_event *out_event, icd_call call)
{
    icd_command command;
    icd_place destination;
    cl_int code = icd_command_begin(&command, queue, type, wait_count, wait, call);
    if (code != CL_SUCCESS) return code;
    code = icd_place_make(to, size, call, &destination);
    bool is_size = icd_is_pattern_size(pattern_size) && size % pattern_size == 0;
    if (code == CL_SUCCESS &&
        (!destination.memory || !pattern || !is_size || destination.offset % pattern_size != 0))
        code = icd_refuse(call, CL_INVALID_VALUE,
                          "a fill of %zu bytes with %zu, or not of one of the allocations", size,
                          pattern_size);
    if (code != CL_SUCCESS) return icd_command_drop(&command, code);
    icd_fill_part(&command, destination.memory, destination.offset, size, pattern, pattern_size);
    return icd_command_end(&command, out_event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemcpyINTEL(cl_command_queue queue, cl_bool is_blocking,
                                                     void *to, const void *from, size_t size,
                                                     cl_uint wait_count, const cl_event *wait,
                                                     cl_event *out_event)
{
    ICD_ENTER;
    return icd_usm_copy(queue, CL_COMMAND_MEMCPY_INTEL, is_blocking, to, from, size, wait_count,
                        wait, out_event, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemFillINTEL(cl_command_queue queue, void *to,
                                                      const void *pattern, size_t pattern_size,
                                                      size_t size, cl_uint wait_count,
                                                      const cl_event *wait, cl_event *out_event)
{
    ICD_ENTER;
    return icd_usm_fill(queue, CL_COMMAND_MEMFILL_INTEL, to, pattern, pattern_size, size,
                        wait_count, wait, out_event, ICD_CALL);
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
    return icd_command_end(&command, out_event);
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
        FUNCTION(clDeviceMemAllocINTEL),
        FUNCTION(clHostMemAllocINTEL),
        FUNCTION(clSharedMemAllocINTEL),
        FUNCTION(clMemFreeINTEL),
        FUNCTION(clMemBlockingFreeINTEL),
        FUNCTION(clGetMemAllocInfoINTEL),
        FUNCTION(clEnqueueMemcpyINTEL),
        FUNCTION(clSetKernelArgMemPointerINTEL),
        FUNCTION(clEnqueueMemFillINTEL),
        FUNCTION(clEnqueueMigrateMemINTEL),
        FUNCTION(clEnqueueMemAdviseINTEL),
        FUNCTION(clGetDeviceGlobalVariablePointerINTEL),
        FUNCTION(clGetDeviceFunctionPointerINTEL),
        FUNCTION(clEnqueueWriteGlobalVariableINTEL),
        FUNCTION(clEnqueueReadGlobalVariableINTEL),
#undef FUNCTION
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0) return rows[i].function;
    return NULL;
}
