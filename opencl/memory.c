/* Buffers and sub-buffers. */
#include "opencl/misuse.h"
#include "opencl/usm.h"

#include <stdio.h>
#include <stdlib.h>

#define FLAGS_ACCESS  (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define FLAGS_HOST    (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define FLAGS_POINTER (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)

static bool has_several(cl_mem_flags flags)
{
    return (flags & (flags - 1)) != 0;
}

/* Validates the flags of a new memory object, of which `taken` are permitted. */
static cl_int flags_validate(cl_mem_flags flags, cl_mem_flags taken, icd_call call)
{
    if (flags & ~taken)
        return icd_refuse(call, CL_INVALID_VALUE, "flags 0x%llx are not permitted here",
                          (unsigned long long)(flags & ~taken));
    if (has_several(flags & FLAGS_ACCESS) || has_several(flags & FLAGS_HOST))
        return icd_refuse(call, CL_INVALID_VALUE, "flags 0x%llx exclude each other",
                          (unsigned long long)flags);
    if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return icd_refuse(call, CL_INVALID_VALUE,
                          "CL_MEM_USE_HOST_PTR cannot be combined with another pointer flag");
    return CL_SUCCESS;
}

/* The SVM allocation in which a buffer's host memory is; NULL: it is memory of the program's own.
 */
static const icd_allocation *svm_find(cl_mem_flags flags, const void *host)
{
    const icd_allocation *found =
        flags & CL_MEM_USE_HOST_PTR ? icd_allocation_find((uintptr_t)host, 0) : NULL;
    return found && found->is_svm ? found : NULL;
}

/* True if a buffer can consist of the bytes of an SVM allocation. At other addresses, it has bytes
 * of its own, as over any memory of the host. */
static bool can_share(const icd_allocation *svm, const void *host)
{
    return svm && ((uintptr_t)host - svm->address) % DEV_PART_ALIGNMENT == 0;
}

static cl_int buffer_validate(cl_context context, cl_mem_flags flags, size_t size, const void *host,
                              icd_call call)
{
    if (!icd_is(context, ICD_CONTEXT, call))
        return icd_refuse(call, CL_INVALID_CONTEXT, "expected a context");
    cl_int code = flags_validate(flags, FLAGS_ACCESS | FLAGS_HOST | FLAGS_POINTER, call);
    if (code != CL_SUCCESS) return code;
    cl_ulong most = 0;
    clGetDeviceInfo(&icd_device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
    if (size == 0 || size > most)
        return icd_refuse(call, CL_INVALID_BUFFER_SIZE, "%zu bytes; expected 1 to %llu", size,
                          (unsigned long long)most);
    bool wants_host = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
    if (wants_host != (host != NULL))
        return icd_refuse(call, CL_INVALID_HOST_PTR, "%s",
                          host ? "a host pointer, but no flag that uses it"
                               : "a flag that uses the host pointer, which is NULL");
    const icd_allocation *svm = svm_find(flags, host);
    uint64_t room = svm ? svm->size - ((uintptr_t)host - svm->address) : size;
    if (size > room)
        return icd_refuse(call, CL_INVALID_BUFFER_SIZE,
                          "%zu bytes, of which the SVM allocation at %p has %llu", size, host,
                          (unsigned long long)room);
    return CL_SUCCESS;
}

/* Writes the first contents of a buffer. */
static cl_int contents_write(cl_mem buffer, const void *host)
{
    dev_event *event;
    rt_status status = dev_enqueue_write(icd_device.queue, (dev_command){0}, buffer->memory, 0,
                                         buffer->size, host, &event);
    if (!rt_ok(status)) return icd_code(status);
    status = dev_event_wait(event);
    dev_event_destroy(event);
    return icd_code(status);
}

/* The name of a buffer in findings, which reports look up. */
static rt_text label_print(uint32_t number, char *text, size_t capacity)
{
    int length = snprintf(text, capacity, "buffer %u", number);
    CHECK(length > 0 && (size_t)length < capacity);
    return (rt_text){text, (size_t)length};
}

/* Makes the device's memory of a buffer, or of a part of one, that is in an SVM allocation: the
 * same bytes, for transfers. Kernels get a pointer into the allocation. */
static rt_status svm_part_create(cl_mem memory, rt_text label)
{
    const icd_allocation *svm = svm_find(CL_MEM_USE_HOST_PTR, memory->host);
    if (!svm)
        return rt_fail(icd_device.sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "the SVM allocation of '%.*s' has been freed", RT_TEXT_ARG(label));
    return dev_memory_part_create(svm->memory, (uintptr_t)memory->host - svm->address, memory->size,
                                  label, &memory->memory);
}

static cl_mem buffer_create(cl_context context, const cl_mem_properties *properties,
                            cl_mem_flags flags, size_t size, void *host, cl_int *out_code,
                            icd_call call)
{
    cl_int code = buffer_validate(context, flags, size, host, call);
    bool is_svm = code == CL_SUCCESS && can_share(svm_find(flags, host), host);
    if (code == CL_SUCCESS && !is_svm) code = icd_memory_take(size, call);
    icd_store(out_code, code);
    if (code != CL_SUCCESS) return NULL;
    cl_mem buffer = icd_object_create(sizeof *buffer, ICD_MEMORY);
    buffer->context = icd_reference(context);
    buffer->flags = flags & FLAGS_ACCESS ? flags : flags | CL_MEM_READ_WRITE;
    buffer->size = size;
    buffer->host = flags & CL_MEM_USE_HOST_PTR ? host : NULL;
    if (properties) *rt_vector_push(&buffer->properties) = 0;
    buffer->is_svm = is_svm;
    char text[32];
    rt_text label = label_print(buffer->base.number, text, sizeof text);
    rt_status status = buffer->is_svm ? svm_part_create(buffer, label)
                                      : dev_usm_create(icd_device.device, DEV_MEMORY_USM_DEVICE,
                                                       size, label, &buffer->memory);
    code = icd_code(status);
    if (!rt_ok(status)) icd_refuse(call, code, "%.*s", RT_TEXT_ARG(icd_message(status)));
    if (code == CL_SUCCESS) icd_report_buffer(buffer->base.number, size, call);
    if (code == CL_SUCCESS && host && !buffer->is_svm) code = contents_write(buffer, host);
    icd_store(out_code, code);
    if (code == CL_SUCCESS) return buffer;
    buffer->base.user_references = 0;
    icd_release(buffer);
    return NULL;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                               void *host, cl_int *out_code)
{
    ICD_ENTER;
    return buffer_create(context, NULL, flags, size, host, out_code, ICD_CALL);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context,
                                                             const cl_mem_properties *properties,
                                                             cl_mem_flags flags, size_t size,
                                                             void *host, cl_int *out_code)
{
    ICD_ENTER;
    if (properties && *properties) {
        icd_store(out_code,
                  REFUSE(CL_INVALID_PROPERTY, "property 0x%llx", (unsigned long long)*properties));
        return NULL;
    }
    return buffer_create(context, properties, flags, size, host, out_code, ICD_CALL);
}

/* ---- Sub-buffers -------------------------------------------------------------------------- */

static cl_int region_validate(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                              const cl_buffer_region *region, icd_call call)
{
    if (!icd_is(parent, ICD_MEMORY, call) || parent->parent)
        return icd_refuse(call, CL_INVALID_MEM_OBJECT,
                          "expected a buffer that is not a sub-buffer");
    cl_int code = flags_validate(flags, FLAGS_ACCESS | FLAGS_HOST, call);
    if (code != CL_SUCCESS) return code;
    const cl_mem_flags all = parent->flags;
    bool widens =
        (all & CL_MEM_WRITE_ONLY && flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) ||
        (all & CL_MEM_READ_ONLY && flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) ||
        (all & CL_MEM_HOST_WRITE_ONLY && flags & CL_MEM_HOST_READ_ONLY) ||
        (all & CL_MEM_HOST_READ_ONLY && flags & CL_MEM_HOST_WRITE_ONLY) ||
        (all & CL_MEM_HOST_NO_ACCESS && flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY));
    if (widens)
        return icd_refuse(call, CL_INVALID_VALUE, "flags 0x%llx permit more than the buffer's",
                          (unsigned long long)flags);
    if (type != CL_BUFFER_CREATE_TYPE_REGION)
        return icd_refuse(call, CL_INVALID_VALUE, "unknown type of creation 0x%x", type);
    if (!region) return icd_refuse(call, CL_INVALID_VALUE, "no region");
    if (region->size == 0) return icd_refuse(call, CL_INVALID_BUFFER_SIZE, "a region of 0 bytes");
    if (region->origin > parent->size || region->size > parent->size - region->origin)
        return icd_refuse(call, CL_INVALID_VALUE,
                          "%zu bytes at offset %zu are not inside buffer %u of %zu bytes",
                          region->size, region->origin, parent->base.number, parent->size);
    if (region->origin % ICD_BASE_ALIGNMENT != 0)
        return icd_refuse(call, CL_MISALIGNED_SUB_BUFFER_OFFSET,
                          "offset %zu is not a multiple of %u bytes", region->origin,
                          ICD_BASE_ALIGNMENT);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateSubBuffer(cl_mem parent, cl_mem_flags flags,
                                                  cl_buffer_create_type type, const void *info,
                                                  cl_int *out_code)
{
    ICD_ENTER;
    const cl_buffer_region *region = info;
    cl_int code = region_validate(parent, flags, type, region, ICD_CALL);
    icd_store(out_code, code);
    if (code != CL_SUCCESS) return NULL;
    cl_mem part = icd_object_create(sizeof *part, ICD_MEMORY);
    part->context = icd_reference(parent->context);
    part->parent = icd_reference(parent);
    part->next_part = parent->parts;
    parent->parts = part;
    part->flags = flags | (parent->flags & FLAGS_POINTER);
    if (!(flags & FLAGS_ACCESS)) part->flags |= parent->flags & FLAGS_ACCESS;
    if (!(flags & FLAGS_HOST)) part->flags |= parent->flags & FLAGS_HOST;
    part->size = region->size;
    part->origin = region->origin;
    part->host = parent->host ? (uint8_t *)parent->host + region->origin : NULL;
    part->is_svm = parent->is_svm;
    char text[32];
    rt_text label = label_print(part->base.number, text, sizeof text);
    rt_status status = part->is_svm ? svm_part_create(part, label)
                                    : dev_memory_part_create(parent->memory, region->origin,
                                                             region->size, label, &part->memory);
    code = icd_code(status);
    icd_store(out_code, code);
    if (code == CL_SUCCESS) {
        icd_report_buffer(part->base.number, region->size, ICD_CALL);
        return part;
    }
    part->base.user_references = 0;
    icd_release(part);
    return NULL;
}

/* ---- The end, and queries ----------------------------------------------------------------- */

void icd_memory_free(cl_mem memory)
{
    /* In the reverse order of their registration. */
    icd_callback_begin();
    for (uint32_t i = memory->callbacks.count; i > 0; i--)
        memory->callbacks.items[i - 1].function(memory, memory->callbacks.items[i - 1].user);
    icd_callback_end();
    if (memory->parent) {
        cl_mem *place = &memory->parent->parts;
        while (*place != memory)
            place = &(*place)->next_part;
        *place = memory->next_part;
    }
    dev_memory_destroy(memory->memory);
    if (!memory->parent && !memory->is_svm) icd_memory_give(memory->size);
    free(memory->shadow);
    rt_vector_free(&memory->maps);
    rt_vector_free(&memory->callbacks);
    rt_vector_free(&memory->properties);
    icd_release(memory->parent);
    icd_release(memory->context);
}

CL_API_ENTRY cl_int CL_API_CALL clSetMemObjectDestructorCallback(
    cl_mem memory, void(CL_CALLBACK *function)(cl_mem, void *), void *user)
{
    ICD_ENTER;
    if (!icd_is(memory, ICD_MEMORY, ICD_CALL))
        return REFUSE(CL_INVALID_MEM_OBJECT, "expected a buffer");
    if (!function) return REFUSE(CL_INVALID_VALUE, "no function");
    *rt_vector_push(&memory->callbacks) = (icd_memory_callback){function, user};
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetMemObjectInfo(cl_mem memory, cl_mem_info name, size_t capacity,
                                                   void *out, size_t *out_size)
{
    ICD_ENTER;
    if (!icd_is(memory, ICD_MEMORY, ICD_CALL)) return CL_INVALID_MEM_OBJECT;
    switch (name) {
    case CL_MEM_TYPE: return ICD_ANSWER(cl_mem_object_type, CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS: return ICD_ANSWER(cl_mem_flags, memory->flags);
    case CL_MEM_SIZE: return ICD_ANSWER(size_t, memory->size);
    case CL_MEM_HOST_PTR: return ICD_ANSWER(void *, memory->host);
    case CL_MEM_MAP_COUNT: return ICD_ANSWER(cl_uint, memory->maps.count);
    case CL_MEM_REFERENCE_COUNT: return ICD_ANSWER(cl_uint, memory->base.user_references);
    case CL_MEM_CONTEXT: return ICD_ANSWER(cl_context, memory->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT: return ICD_ANSWER(cl_mem, memory->parent);
    case CL_MEM_OFFSET: return ICD_ANSWER(size_t, memory->origin);
    case CL_MEM_USES_SVM_POINTER:
        return ICD_ANSWER(cl_bool, svm_find(memory->flags, memory->host) != NULL);
    case CL_MEM_PROPERTIES:
        return icd_answer(memory->properties.items,
                          memory->properties.count * sizeof *memory->properties.items, capacity,
                          out, out_size);
    default: return CL_INVALID_VALUE;
    }
}
