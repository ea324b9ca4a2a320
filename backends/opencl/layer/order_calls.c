/* Commands that order others, or move memory without changing it.  Only a capture needs to see
 * them: launches wait for their events. */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "backends/opencl/layer/layer_internal.h"

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueMarker(cl_command_queue queue,
                                                              cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueMarker", queue, 0, NULL);
    return layer_command_end(&record, layer_next()->clEnqueueMarker(queue, out_event), out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueBarrier(cl_command_queue queue)
{
    layer_record record = layer_command_begin("clEnqueueBarrier", queue, 0, NULL);
    return layer_command_end(&record, layer_next()->clEnqueueBarrier(queue), NULL);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueWaitForEvents(cl_command_queue queue,
                                                                     cl_uint count,
                                                                     const cl_event *events)
{
    layer_record record = layer_command_begin("clEnqueueWaitForEvents", queue, count, events);
    cl_int result = layer_next()->clEnqueueWaitForEvents(queue, count, events);
    return layer_command_end(&record, result, NULL);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueMigrateMemObjects(
    cl_command_queue queue, cl_uint count, const cl_mem *memories, cl_mem_migration_flags flags,
    cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_record record =
        layer_command_begin("clEnqueueMigrateMemObjects", queue, wait_count, wait);
    layer_put_number(&record, "flags", flags);
    cl_int result = layer_next()->clEnqueueMigrateMemObjects(queue, count, memories, flags,
                                                             wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL
record_clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *pointer,
                       size_t size, cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueSVMMap", queue, wait_count, wait);
    layer_put_number(&record, "blocking", blocking);
    layer_put_number(&record, "flags", flags);
    layer_put_pointer(&record, "pointer", pointer);
    layer_put_number(&record, "size", size);
    if (blocking) layer_record_announce(&record);
    cl_int result = layer_next()->clEnqueueSVMMap(queue, blocking, flags, pointer, size, wait_count,
                                                  wait, out_event);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueSVMUnmap(cl_command_queue queue,
                                                                void *pointer, cl_uint wait_count,
                                                                const cl_event *wait,
                                                                cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueSVMUnmap", queue, wait_count, wait);
    layer_put_pointer(&record, "pointer", pointer);
    cl_int result = layer_next()->clEnqueueSVMUnmap(queue, pointer, wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

/* The blocks are forgotten before the driver is called, as by clMemFreeINTEL. */
static CL_API_ENTRY cl_int CL_API_CALL
record_clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void *pointers[],
                        void(CL_CALLBACK *notify)(cl_command_queue, cl_uint, void **, void *),
                        void *user, cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueSVMFree", queue, wait_count, wait);
    for (cl_uint i = 0; pointers && i < count; i++)
        layer_block_remove(pointers[i]);
    cl_int result = layer_next()->clEnqueueSVMFree(queue, count, pointers, notify, user, wait_count,
                                                   wait, out_event);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueSVMMigrateMem(
    cl_command_queue queue, cl_uint count, const void **pointers, const size_t *sizes,
    cl_mem_migration_flags flags, cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueSVMMigrateMem", queue, wait_count, wait);
    layer_put_number(&record, "flags", flags);
    cl_int result = layer_next()->clEnqueueSVMMigrateMem(queue, count, pointers, sizes, flags,
                                                         wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

void layer_order_calls(cl_icd_dispatch *dispatch)
{
    LAYER_RECORD(dispatch, clEnqueueMarker);
    LAYER_RECORD(dispatch, clEnqueueBarrier);
    LAYER_RECORD(dispatch, clEnqueueWaitForEvents);
    LAYER_RECORD(dispatch, clEnqueueMigrateMemObjects);
    LAYER_RECORD(dispatch, clEnqueueSVMMap);
    LAYER_RECORD(dispatch, clEnqueueSVMUnmap);
    LAYER_RECORD(dispatch, clEnqueueSVMFree);
    LAYER_RECORD(dispatch, clEnqueueSVMMigrateMem);
}
