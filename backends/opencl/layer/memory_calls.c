/* Buffers and shared virtual memory: creating, copying, filling, reading and writing. */
#include "backends/opencl/layer/layer_internal.h"

/* ---- Making --------------------------------------------------------------------------------- */

static CL_API_ENTRY cl_mem CL_API_CALL record_clCreateBuffer(cl_context context, cl_mem_flags flags,
                                                             size_t size, void *host,
                                                             cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on("clCreateBuffer", LAYER_CONTEXT, context);
    layer_put_number(&record, "flags", flags);
    layer_put_number(&record, "size", size);
    cl_mem object = layer_next()->clCreateBuffer(context, flags, size, host, &result);
    return layer_record_end_create(&record, LAYER_MEMORY, object, result, out_result);
}

static CL_API_ENTRY cl_mem CL_API_CALL
record_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size, void *host, cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on("clCreateBufferWithProperties", LAYER_CONTEXT, context);
    layer_put_number(&record, "flags", flags);
    layer_put_number(&record, "size", size);
    cl_mem object =
        layer_next()->clCreateBufferWithProperties(context, properties, flags, size, host, &result);
    return layer_record_end_create(&record, LAYER_MEMORY, object, result, out_result);
}

static CL_API_ENTRY cl_mem CL_API_CALL record_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                                                                cl_buffer_create_type type,
                                                                const void *region,
                                                                cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_record_begin("clCreateSubBuffer");
    const cl_buffer_region *part = type == CL_BUFFER_CREATE_TYPE_REGION ? region : NULL;
    layer_put_object(&record, "memory", LAYER_MEMORY, buffer);
    layer_put_number(&record, "flags", flags);
    if (part) layer_put_number(&record, "offset", part->origin);
    if (part) layer_put_number(&record, "size", part->size);
    cl_mem object = layer_next()->clCreateSubBuffer(buffer, flags, type, region, &result);
    return layer_record_end_create(&record, LAYER_MEMORY, object, result, out_result);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clReleaseMemObject(cl_mem memory)
{
    layer_record record = layer_begin_on("clReleaseMemObject", LAYER_MEMORY, memory);
    return layer_record_end(&record, layer_next()->clReleaseMemObject(memory));
}

static CL_API_ENTRY void *CL_API_CALL record_clSVMAlloc(cl_context context, cl_svm_mem_flags flags,
                                                        size_t size, cl_uint alignment)
{
    layer_record record = layer_begin_on("clSVMAlloc", LAYER_CONTEXT, context);
    layer_put_number(&record, "flags", flags);
    layer_put_number(&record, "size", size);
    layer_put_number(&record, "alignment", alignment);
    void *block = layer_next()->clSVMAlloc(context, flags, size, alignment);
    layer_block_add(LAYER_BLOCK_SVM, block, size);
    layer_put_object(&record, "made", LAYER_BLOCK, block);
    layer_record_end(&record, block ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE);
    return block;
}

static CL_API_ENTRY void CL_API_CALL record_clSVMFree(cl_context context, void *pointer)
{
    layer_record record = layer_record_begin("clSVMFree");
    layer_put_pointer(&record, "pointer", pointer);
    layer_next()->clSVMFree(context, pointer);
    layer_block_remove(pointer);
    layer_record_end(&record, CL_SUCCESS);
}

/* ---- Moving content ------------------------------------------------------------------------- */

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueReadBuffer(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void *to,
    cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueReadBuffer", queue, wait_count, wait);
    layer_put_object(&record, "memory", LAYER_MEMORY, buffer);
    layer_put_number(&record, "blocking", blocking);
    layer_put_number(&record, "offset", offset);
    layer_put_number(&record, "size", size);
    if (blocking) layer_record_announce(&record);
    cl_int result = layer_next()->clEnqueueReadBuffer(queue, buffer, blocking, offset, size, to,
                                                      wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueWriteBuffer(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
    const void *from, cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueWriteBuffer", queue, wait_count, wait);
    layer_put_object(&record, "memory", LAYER_MEMORY, buffer);
    layer_put_number(&record, "blocking", blocking);
    layer_put_number(&record, "offset", offset);
    layer_put_number(&record, "size", size);
    if (!blocking && layer_memory_has(buffer, offset, size))
        layer_capture_store(&record, from, size);
    if (blocking) layer_record_announce(&record);
    cl_int result = layer_next()->clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, from,
                                                       wait_count, wait, out_event);
    if (blocking && result == CL_SUCCESS) layer_capture_store(&record, from, size);
    return layer_command_end(&record, result, out_event);
}

/* The rectangle's origin on the host does not affect the driver's memory. */
static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueReadBufferRect(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *origin,
    const size_t *host_origin, const size_t *region, size_t row, size_t slice, size_t host_row,
    size_t host_slice, void *to, cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueReadBufferRect", queue, wait_count, wait);
    layer_put_object(&record, "memory", LAYER_MEMORY, buffer);
    layer_put_number(&record, "blocking", blocking);
    layer_put_sizes(&record, "origin", origin, 3);
    layer_put_sizes(&record, "region", region, 3);
    if (blocking) layer_record_announce(&record);
    cl_int result = layer_next()->clEnqueueReadBufferRect(
        queue, buffer, blocking, origin, host_origin, region, row, slice, host_row, host_slice, to,
        wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueWriteBufferRect(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *origin,
    const size_t *host_origin, const size_t *region, size_t row, size_t slice, size_t host_row,
    size_t host_slice, const void *from, cl_uint wait_count, const cl_event *wait,
    cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueWriteBufferRect", queue, wait_count, wait);
    layer_put_object(&record, "memory", LAYER_MEMORY, buffer);
    layer_put_number(&record, "blocking", blocking);
    layer_put_sizes(&record, "origin", origin, 3);
    layer_put_sizes(&record, "region", region, 3);
    if (blocking) layer_record_announce(&record);
    cl_int result = layer_next()->clEnqueueWriteBufferRect(
        queue, buffer, blocking, origin, host_origin, region, row, slice, host_row, host_slice,
        from, wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueCopyBuffer(
    cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
    size_t size, cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueCopyBuffer", queue, wait_count, wait);
    layer_put_object(&record, "from", LAYER_MEMORY, from);
    layer_put_object(&record, "to", LAYER_MEMORY, to);
    layer_put_number(&record, "from_offset", from_offset);
    layer_put_number(&record, "to_offset", to_offset);
    layer_put_number(&record, "size", size);
    cl_int result = layer_next()->clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, size,
                                                      wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueCopyBufferRect(
    cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
    const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
    size_t to_row, size_t to_slice, cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueCopyBufferRect", queue, wait_count, wait);
    layer_put_object(&record, "from", LAYER_MEMORY, from);
    layer_put_object(&record, "to", LAYER_MEMORY, to);
    layer_put_sizes(&record, "from_origin", from_origin, 3);
    layer_put_sizes(&record, "to_origin", to_origin, 3);
    layer_put_sizes(&record, "region", region, 3);
    cl_int result = layer_next()->clEnqueueCopyBufferRect(queue, from, to, from_origin, to_origin,
                                                          region, from_row, from_slice, to_row,
                                                          to_slice, wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueFillBuffer(
    cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset,
    size_t size, cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueFillBuffer", queue, wait_count, wait);
    layer_put_object(&record, "memory", LAYER_MEMORY, buffer);
    layer_put_number(&record, "offset", offset);
    layer_put_number(&record, "size", size);
    layer_put_number(&record, "pattern_size", pattern_size);
    cl_int result = layer_next()->clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset,
                                                      size, wait_count, wait, out_event);
    if (result == CL_SUCCESS) layer_capture_pattern(&record, pattern, pattern_size);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY void *CL_API_CALL record_clEnqueueMapBuffer(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
    size_t size, cl_uint wait_count, const cl_event *wait, cl_event *out_event, cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_command_begin("clEnqueueMapBuffer", queue, wait_count, wait);
    layer_put_object(&record, "memory", LAYER_MEMORY, buffer);
    layer_put_number(&record, "blocking", blocking);
    layer_put_number(&record, "flags", flags);
    layer_put_number(&record, "offset", offset);
    layer_put_number(&record, "size", size);
    if (blocking) layer_record_announce(&record);
    void *mapped = layer_next()->clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size,
                                                    wait_count, wait, out_event, &result);
    layer_command_end(&record, result, out_event);
    if (out_result) *out_result = result;
    return mapped;
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueUnmapMemObject(cl_command_queue queue,
                                                                      cl_mem memory, void *mapped,
                                                                      cl_uint wait_count,
                                                                      const cl_event *wait,
                                                                      cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueUnmapMemObject", queue, wait_count, wait);
    layer_put_object(&record, "memory", LAYER_MEMORY, memory);
    cl_int result =
        layer_next()->clEnqueueUnmapMemObject(queue, memory, mapped, wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueSVMMemcpy(
    cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size,
    cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueSVMMemcpy", queue, wait_count, wait);
    layer_put_number(&record, "blocking", blocking);
    layer_put_pointer(&record, "to", to);
    layer_put_pointer(&record, "from", from);
    layer_put_number(&record, "size", size);
    if (!blocking && layer_block_has(to, size)) layer_capture_store(&record, from, size);
    if (blocking) layer_record_announce(&record);
    cl_int result = layer_next()->clEnqueueSVMMemcpy(queue, blocking, to, from, size, wait_count,
                                                     wait, out_event);
    if (blocking && result == CL_SUCCESS) layer_capture_store(&record, from, size);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueSVMMemFill(
    cl_command_queue queue, void *to, const void *pattern, size_t pattern_size, size_t size,
    cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueSVMMemFill", queue, wait_count, wait);
    layer_put_pointer(&record, "to", to);
    layer_put_number(&record, "size", size);
    layer_put_number(&record, "pattern_size", pattern_size);
    cl_int result = layer_next()->clEnqueueSVMMemFill(queue, to, pattern, pattern_size, size,
                                                      wait_count, wait, out_event);
    if (result == CL_SUCCESS) layer_capture_pattern(&record, pattern, pattern_size);
    return layer_command_end(&record, result, out_event);
}

void layer_memory_calls(cl_icd_dispatch *dispatch)
{
    LAYER_RECORD(dispatch, clCreateBuffer);
    LAYER_RECORD(dispatch, clCreateBufferWithProperties);
    LAYER_RECORD(dispatch, clCreateSubBuffer);
    LAYER_RECORD(dispatch, clReleaseMemObject);
    LAYER_RECORD(dispatch, clSVMAlloc);
    LAYER_RECORD(dispatch, clSVMFree);
    LAYER_RECORD(dispatch, clEnqueueReadBuffer);
    LAYER_RECORD(dispatch, clEnqueueWriteBuffer);
    LAYER_RECORD(dispatch, clEnqueueReadBufferRect);
    LAYER_RECORD(dispatch, clEnqueueWriteBufferRect);
    LAYER_RECORD(dispatch, clEnqueueCopyBuffer);
    LAYER_RECORD(dispatch, clEnqueueCopyBufferRect);
    LAYER_RECORD(dispatch, clEnqueueFillBuffer);
    LAYER_RECORD(dispatch, clEnqueueMapBuffer);
    LAYER_RECORD(dispatch, clEnqueueUnmapMemObject);
    LAYER_RECORD(dispatch, clEnqueueSVMMemcpy);
    LAYER_RECORD(dispatch, clEnqueueSVMMemFill);
}
