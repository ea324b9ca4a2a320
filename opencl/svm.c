/* Shared virtual memory (OpenCL 3.0, 5.6): fine-grained buffers, whose bytes the host and the
 * device access at the same addresses, so that mapping changes nothing. */
#include "opencl/report.h"
#include "opencl/usm.h"

#include <string.h>

/* ---- Allocations -------------------------------------------------------------------------- */

static bool flags_are_valid(cl_svm_mem_flags flags)
{
    const cl_svm_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    cl_svm_mem_flags chosen = flags & access;
    bool is_one = (chosen & (chosen - 1)) == 0; /* or none, which is CL_MEM_READ_WRITE */
    return is_one && (flags & ~(access | CL_MEM_SVM_FINE_GRAIN_BUFFER)) == 0;
}

/* There is no place for an error: a refusal is NULL. */
CL_API_ENTRY void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size,
                                          cl_uint alignment)
{
    ICD_ENTER;
    cl_int code = icd_allocation_validate(context, NULL, size, alignment, ICD_CALL);
    if (code == CL_SUCCESS && !flags_are_valid(flags))
        code = REFUSE(CL_INVALID_VALUE, "flags 0x%llx", (unsigned long long)flags);
    if (code != CL_SUCCESS) return NULL;
    const icd_allocation template = {
        .context = context, .type = CL_MEM_TYPE_SHARED_INTEL, .is_svm = true};
    return icd_allocation_make(template, size, &code, ICD_CALL);
}

static void svm_free(void *pointer, icd_call call)
{
    if (pointer && !icd_allocation_free(pointer, true))
        icd_report_misuse(call, "invalid-free", (rt_text){0},
                          "%p is not the start of an allocation", pointer);
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context context, void *pointer)
{
    ICD_ENTER;
    if (icd_is(context, ICD_CONTEXT, ICD_CALL)) svm_free(pointer, ICD_CALL);
}

/* ---- Freeing as a command ----------------------------------------------------------------- */

typedef void(CL_CALLBACK *free_function)(cl_command_queue queue, cl_uint count, void *pointers[],
                                         void *user);

/* What happens when the command is complete. */
typedef struct svm_release {
    cl_command_queue queue; /* a reference */
    free_function function; /* NULL: the platform frees them */
    void *user;
    icd_call call;
    cl_uint count;
    void *pointers[];
} svm_release;

static void CL_CALLBACK release_run(cl_event event, cl_int status, void *user)
{
    (void)event, (void)status;
    svm_release *release = user;
    if (release->function)
        release->function(release->queue, release->count, release->pointers, release->user);
    icd_lock();
    for (cl_uint i = 0; !release->function && i < release->count; i++)
        svm_free(release->pointers[i], release->call);
    icd_release(release->queue);
    icd_unlock();
    rt_free(release);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint count,
                                                 void *pointers[], free_function function,
                                                 void *user, cl_uint wait_count,
                                                 const cl_event *wait, cl_event *out_event)
{
    ICD_ENTER;
    icd_command command;
    cl_event event;
    cl_int code =
        icd_command_begin(&command, queue, CL_COMMAND_SVM_FREE, wait_count, wait, ICD_CALL);
    if (code != CL_SUCCESS) return code;
    bool has_all = (count > 0) == (pointers != NULL);
    for (cl_uint i = 0; has_all && i < count; i++)
        has_all = pointers[i] != NULL;
    if (!has_all)
        return icd_command_drop(&command, REFUSE(CL_INVALID_VALUE,
                                                 "%u pointers at %p; expected none that is NULL",
                                                 count, (const void *)pointers));
    code = icd_command_end(&command, &event);
    if (code != CL_SUCCESS) return code;
    svm_release *release = rt_alloc(sizeof *release + count * sizeof *pointers);
    *release = (svm_release){icd_reference(queue), function, user, ICD_CALL, count};
    if (count > 0) memcpy(release->pointers, pointers, count * sizeof *pointers);
    code = icd_event_call_back(event, CL_COMPLETE, release_run, release);
    if (code != CL_SUCCESS) {
        icd_release(queue);
        rt_free(release);
    }
    if (out_event && code == CL_SUCCESS)
        *out_event = event;
    else
        icd_event_drop(event);
    return code;
}

/* ---- Other commands ----------------------------------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool is_blocking,
                                                   void *to, const void *from, size_t size,
                                                   cl_uint wait_count, const cl_event *wait,
                                                   cl_event *out_event)
{
    ICD_ENTER;
    return icd_usm_copy(queue, CL_COMMAND_SVM_MEMCPY, is_blocking, to, from, size, wait_count, wait,
                        out_event, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void *to,
                                                    const void *pattern, size_t pattern_size,
                                                    size_t size, cl_uint wait_count,
                                                    const cl_event *wait, cl_event *out_event)
{
    ICD_ENTER;
    return icd_usm_fill(queue, CL_COMMAND_SVM_MEMFILL, to, pattern, pattern_size, size, wait_count,
                        wait, out_event, ICD_CALL);
}

/* A command that only orders others; it has no effect on fine-grained memory. */
static cl_int order_enqueue(cl_command_queue queue, cl_command_type type, bool is_blocking,
                            const void *const *pointers, const size_t *sizes, cl_uint count,
                            cl_uint wait_count, const cl_event *wait, cl_event *out_event,
                            icd_call call)
{
    icd_command command;
    cl_int code = icd_command_begin(&command, queue, type, wait_count, wait, call);
    if (code != CL_SUCCESS) return code;
    command.is_blocking = is_blocking;
    for (cl_uint i = 0; i < count; i++) {
        const icd_allocation *found = icd_allocation_find((uintptr_t)pointers[i], 0);
        uint64_t offset = found ? (uintptr_t)pointers[i] - found->address : 0;
        if (found && found->is_svm && (!sizes || sizes[i] <= found->size - offset)) continue;
        return icd_command_drop(&command,
                                icd_refuse(call, CL_INVALID_VALUE,
                                           "%p, or a range of %zu bytes from it, is not in one of "
                                           "the allocations",
                                           pointers[i], sizes ? sizes[i] : 0));
    }
    return icd_command_end(&command, out_event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool is_blocking,
                                                cl_map_flags flags, void *pointer, size_t size,
                                                cl_uint wait_count, const cl_event *wait,
                                                cl_event *out_event)
{
    ICD_ENTER;
    const cl_map_flags written = CL_MAP_READ | CL_MAP_WRITE;
    bool is_valid = flags == CL_MAP_WRITE_INVALIDATE_REGION ||
                    ((flags & written) != 0 && (flags & ~written) == 0);
    const void *const pointers[] = {pointer};
    if (!icd_is(queue, ICD_QUEUE, ICD_CALL))
        return REFUSE(CL_INVALID_COMMAND_QUEUE, "expected a queue");
    if (!is_valid || size == 0)
        return REFUSE(CL_INVALID_VALUE, "%zu bytes, flags 0x%llx", size, (unsigned long long)flags);
    return order_enqueue(queue, CL_COMMAND_SVM_MAP, is_blocking, pointers, &size, 1, wait_count,
                         wait, out_event, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void *pointer,
                                                  cl_uint wait_count, const cl_event *wait,
                                                  cl_event *out_event)
{
    ICD_ENTER;
    const void *const pointers[] = {pointer};
    return order_enqueue(queue, CL_COMMAND_SVM_UNMAP, false, pointers, NULL, 1, wait_count, wait,
                         out_event, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint count,
                                                       const void **pointers, const size_t *sizes,
                                                       cl_mem_migration_flags flags,
                                                       cl_uint wait_count, const cl_event *wait,
                                                       cl_event *out_event)
{
    ICD_ENTER;
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    if (!icd_is(queue, ICD_QUEUE, ICD_CALL))
        return REFUSE(CL_INVALID_COMMAND_QUEUE, "expected a queue");
    if (count == 0 || !pointers || (flags & ~known))
        return REFUSE(CL_INVALID_VALUE, "%u pointers, flags 0x%llx", count,
                      (unsigned long long)flags);
    return order_enqueue(queue, CL_COMMAND_SVM_MIGRATE_MEM, false, pointers, sizes, count,
                         wait_count, wait, out_event, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index,
                                                         const void *pointer)
{
    ICD_ENTER;
    if (!icd_is(kernel, ICD_KERNEL, ICD_CALL))
        return REFUSE(CL_INVALID_KERNEL, "expected a kernel");
    return icd_argument_set_address(kernel, index, (uintptr_t)pointer, ICD_CALL);
}
