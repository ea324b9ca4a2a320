/* Launches. */
#include "opencl/misuse.h"
#include "opencl/usm.h"

#include <string.h>

static dev_access access_of(cl_mem memory)
{
    if (memory->flags & CL_MEM_READ_ONLY) return DEV_ACCESS_READ;
    return memory->flags & CL_MEM_WRITE_ONLY ? DEV_ACCESS_WRITE : DEV_ACCESS_READ_WRITE;
}

/* Reports what a launch does with a memory object that the specification leaves undefined. */
static void memory_judge(const icd_command *command, cl_uint index, cl_kernel kernel)
{
    cl_mem memory = kernel->arguments[index].memory;
    if (memory->base.user_references == 0)
        icd_report_misuse(command->call, "use-after-release", kernel->fact->name,
                          "argument %u of kernel '%.*s' is buffer %u, which has been released",
                          index, RT_TEXT_ARG(kernel->fact->name), memory->base.number);
    if (memory->base.kind == ICD_DEAD) return;
    /* Whether the kernel writes is unknown, unless it may do nothing else. */
    icd_misuse_mapped(command, memory, (memory->flags & CL_MEM_WRITE_ONLY) != 0, kernel, index);
    for (cl_uint i = 0; i < index; i++)
        if (kernel->arguments[i].memory && kernel->arguments[i].address == 0)
            icd_misuse_host_overlap(command, kernel->arguments[i].memory, memory);
}

/* A pointer into an allocation, at its address on the host. */
static cl_int pointer_make(uint64_t address, uint32_t index, cl_kernel kernel, icd_call call,
                           dev_argument *out)
{
    out->kind = DEV_ARGUMENT_POINTER;
    out->memory = icd_usm_find(address, &out->offset);
    if (out->memory) return CL_SUCCESS;
    icd_report_misuse(call, "use-after-free", kernel->fact->name,
                      "argument %u of kernel '%.*s' points into an allocation that has been freed",
                      index, RT_TEXT_ARG(kernel->fact->name));
    return icd_refuse(call, CL_INVALID_KERNEL_ARGS, "argument %u points to freed memory", index);
}

/* Fills the device's arguments, and keeps their memory objects. */
static cl_int arguments_make(icd_command *command, cl_kernel kernel, dev_argument *out,
                             icd_call call)
{
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const icd_argument *argument = &kernel->arguments[i];
        if (!argument->is_set)
            return icd_refuse(call, CL_INVALID_KERNEL_ARGS,
                              "argument %u of kernel '%.*s' has not been set", i,
                              RT_TEXT_ARG(kernel->fact->name));
        out[i] = (dev_argument){.kind = argument->parameter.kind};
        if (argument->parameter.kind == DEV_ARGUMENT_BYTES) {
            out[i].bytes = (rt_bytes){argument->bytes, argument->parameter.size};
        } else if (argument->parameter.kind == DEV_ARGUMENT_LOCAL) {
            out[i].size = argument->size;
        } else if (argument->address != 0) {
            cl_int code = pointer_make(argument->address, i, kernel, call, &out[i]);
            if (code != CL_SUCCESS) return code;
        } else if (argument->memory) {
            memory_judge(command, i, kernel);
            if (argument->memory->base.kind == ICD_DEAD)
                return icd_refuse(call, CL_INVALID_KERNEL_ARGS,
                                  "argument %u of kernel '%.*s' is a buffer that has been freed", i,
                                  RT_TEXT_ARG(kernel->fact->name));
            out[i].access = access_of(argument->memory);
            icd_command_keep(command, argument->memory);
            if (argument->memory->is_svm) {
                uint64_t host = (uintptr_t)argument->memory->host;
                cl_int code = pointer_make(host, i, kernel, call, &out[i]);
                if (code != CL_SUCCESS) return code;
                continue;
            }
            out[i].kind = argument->memory->parent ? DEV_ARGUMENT_MEMORY : DEV_ARGUMENT_POINTER;
            out[i].memory = argument->memory->memory;
        }
    }
    return CL_SUCCESS;
}

/* Refuses sizes of work-groups, in the order of the specification. */
static cl_int local_validate(cl_kernel kernel, const dev_nd_range *range, icd_call call)
{
    uint64_t items = 1;
    for (uint32_t i = 0; i < range->dimensions; i++) {
        if (range->local[i] == 0)
            return icd_refuse(call, CL_INVALID_WORK_GROUP_SIZE, "0 work-items in dimension %u", i);
        if (range->local[i] > icd_device.facts.group_size_max)
            return icd_refuse(call, CL_INVALID_WORK_ITEM_SIZE,
                              "%llu work-items in dimension %u of a group; at most %u",
                              (unsigned long long)range->local[i], i,
                              icd_device.facts.group_size_max);
        items *= range->local[i];
        if (range->global[i] % range->local[i] == 0 || kernel->program->is_non_uniform) continue;
        return icd_refuse(call, CL_INVALID_WORK_GROUP_SIZE,
                          "groups of %llu work-items do not divide %llu in dimension %u; a program "
                          "built with -cl-std=CL2.0 or newer permits that",
                          (unsigned long long)range->local[i], (unsigned long long)range->global[i],
                          i);
    }
    if (items > icd_device.facts.group_size_max)
        return icd_refuse(call, CL_INVALID_WORK_GROUP_SIZE,
                          "%llu work-items of a group; at most %u", (unsigned long long)items,
                          icd_device.facts.group_size_max);
    const uint64_t *required = kernel->fact->group_size;
    if (required[0] > 0 && memcmp(required, range->local, sizeof range->local) != 0)
        return icd_refuse(call, CL_INVALID_WORK_GROUP_SIZE,
                          "kernel '%.*s' requires groups of %llu x %llu x %llu work-items",
                          RT_TEXT_ARG(kernel->fact->name), (unsigned long long)required[0],
                          (unsigned long long)required[1], (unsigned long long)required[2]);
    return CL_SUCCESS;
}

/* Makes the range of a launch; *out_is_empty: it has no work-items. */
static cl_int range_make(cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                         const size_t *global, const size_t *local, icd_call call,
                         dev_nd_range *out_range, bool *out_is_empty)
{
    *out_range = (dev_nd_range){.dimensions = dimensions, .global = {1, 1, 1}};
    if (dimensions < 1 || dimensions > RT_ND_RANGE_DIMENSIONS)
        return icd_refuse(call, CL_INVALID_WORK_DIMENSION, "%u dimensions; expected 1 to 3",
                          dimensions);
    *out_is_empty = !global;
    for (uint32_t i = 0; i < RT_ND_RANGE_DIMENSIONS; i++) {
        bool is_used = i < dimensions;
        out_range->global[i] = is_used && global ? global[i] : 1;
        out_range->offset[i] = is_used && offset ? offset[i] : 0;
        out_range->local[i] = !local ? 0 : is_used ? local[i] : 1;
        *out_is_empty |= out_range->global[i] == 0;
        if (out_range->offset[i] > UINT64_MAX - out_range->global[i])
            return icd_refuse(call, CL_INVALID_GLOBAL_OFFSET,
                              "offset %llu in dimension %u is too "
                              "large",
                              (unsigned long long)out_range->offset[i], i);
    }
    if (!local) {
        if (kernel->fact->group_size[0] == 0) return CL_SUCCESS; /* the device chooses */
        memcpy(out_range->local, kernel->fact->group_size, sizeof out_range->local);
    }
    cl_int code = local_validate(kernel, out_range, call);
    if (code != CL_SUCCESS) return code;
    for (uint32_t i = 0; i < dimensions; i++)
        out_range->is_non_uniform |= out_range->global[i] % out_range->local[i] != 0;
    return CL_SUCCESS;
}

static cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                     const size_t *offset, const size_t *global, const size_t *local,
                     cl_uint wait_count, const cl_event *wait, cl_event *out_event, icd_call call)
{
    icd_command command;
    cl_int code =
        icd_command_begin(&command, queue, CL_COMMAND_NDRANGE_KERNEL, wait_count, wait, call);
    if (code != CL_SUCCESS) return code;
    if (!icd_is(kernel, ICD_KERNEL, call))
        return icd_command_drop(&command, icd_refuse(call, CL_INVALID_KERNEL, "expected a kernel"));
    if (kernel->program->context != queue->context)
        return icd_command_drop(
            &command, icd_refuse(call, CL_INVALID_CONTEXT, "the kernel is of another context"));
    dev_nd_range range;
    bool is_empty = false;
    dev_argument *arguments = rt_alloc_array(kernel->argument_count, sizeof *arguments);
    code = arguments_make(&command, kernel, arguments, call);
    if (code == CL_SUCCESS)
        code = range_make(kernel, dimensions, offset, global, local, call, &range, &is_empty);
    if (code == CL_SUCCESS && !is_empty) {
        dev_event *event = NULL;
        rt_status status =
            dev_enqueue_kernel(icd_device.queue, icd_command_device(&command), kernel->kernel,
                               &range, arguments, kernel->argument_count, &event);
        if (!rt_ok(status))
            icd_refuse(call, icd_code(status), "%.*s", RT_TEXT_ARG(icd_message(status)));
        icd_command_part(&command, status, event);
    }
    rt_free(arguments);
    if (code != CL_SUCCESS) return icd_command_drop(&command, code);
    icd_command_keep(&command, kernel);
    return icd_command_end(&command, out_event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                       cl_uint dimensions, const size_t *offset,
                                                       const size_t *global, const size_t *local,
                                                       cl_uint wait_count, const cl_event *wait,
                                                       cl_event *out_event)
{
    ICD_ENTER;
    return launch(queue, kernel, dimensions, offset, global, local, wait_count, wait, out_event,
                  ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel,
                                              cl_uint wait_count, const cl_event *wait,
                                              cl_event *out_event)
{
    ICD_ENTER;
    const size_t one = 1;
    return launch(queue, kernel, 1, NULL, &one, &one, wait_count, wait, out_event, ICD_CALL);
}
