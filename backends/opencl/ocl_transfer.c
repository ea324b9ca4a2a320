/* Commands that transfer the bytes of memories.  A buffer is named by the driver's handle; every
 * other memory by a pointer, which the driver accepts wherever it accepts a host pointer; a
 * program's variable is read and written by name, as DeviceGlobal.md specifies.  A variable is
 * filled by writing the repeated pattern, since the driver's fill requires the pattern's size as
 * alignment and a variable only has its type's.
 *
 * Source: OpenCL 3.0 API specification, 5.2.2 to 5.2.4; cl_intel_unified_shared_memory;
 * cl_intel_global_variable_access (ocl_library.h). */
#include "backends/opencl/ocl_internal.h"
#include "reference/base/alloc.h"
#include "reference/base/rule.h"

#include <string.h>

/* The arguments of a transfer, in OpenCL's terms. */
typedef struct transfer {
    const ocl_library *cl;
    const ocl_extensions *extensions;
    cl_command_queue queue;
    ocl_waits waits;
    cl_event event;   /* returned by the call */
    const char *call; /* the call's name */
} transfer;

static rt_status transfer_begin(ocl_queue *queue, dev_command command, transfer *out_transfer)
{
    *out_transfer = (transfer){
        .cl = &queue->device->library,
        .extensions = &queue->device->extensions,
        .queue = queue->queue,
    };
    return ocl_waits_make(queue, command, &out_transfer->waits);
}

/* Ends a transfer that transfer_begin has begun; `status` is transfer_begin's, `result` the call's
 * if `status` is a success. */
static rt_status transfer_end(ocl_queue *queue, transfer *t, rt_status status, cl_int result,
                              dev_event **out_event)
{
    rt_free(t->waits.events);
    RT_TRY(status);
    return ocl_command_finish(queue, OCL_STAGE_QUEUE, t->call, result, t->event, out_event);
}

/* ---- Between the host and a memory -------------------------------------------------------- */

static cl_int pointers_copy(transfer *t, void *to, const void *from, size_t size)
{
    t->call = "clEnqueueMemcpyINTEL";
    return t->extensions->clEnqueueMemcpyINTEL(t->queue, CL_FALSE, to, from, size, t->waits.count,
                                               t->waits.events, &t->event);
}

static cl_int read_enqueue(transfer *t, const ocl_memory *from, size_t offset, size_t size,
                           void *to)
{
    if (from->buffer) {
        t->call = "clEnqueueReadBuffer";
        return t->cl->clEnqueueReadBuffer(t->queue, from->buffer, CL_FALSE, offset, size, to,
                                          t->waits.count, t->waits.events, &t->event);
    }
    if (from->program && RULE(DG_PLUGIN_11)) {
        t->call = "clEnqueueReadGlobalVariableINTEL";
        return t->extensions->clEnqueueReadGlobalVariableINTEL(
            t->queue, from->program, rt_buffer_string(&from->name), CL_FALSE, size, offset, to,
            t->waits.count, t->waits.events, &t->event);
    }
    return pointers_copy(t, to, from->pointer + offset, size);
}

static cl_int write_enqueue(transfer *t, const ocl_memory *to, size_t offset, size_t size,
                            const void *from)
{
    if (to->buffer) {
        t->call = "clEnqueueWriteBuffer";
        return t->cl->clEnqueueWriteBuffer(t->queue, to->buffer, CL_FALSE, offset, size, from,
                                           t->waits.count, t->waits.events, &t->event);
    }
    if (to->program) {
        t->call = "clEnqueueWriteGlobalVariableINTEL";
        return t->extensions->clEnqueueWriteGlobalVariableINTEL(
            t->queue, to->program, rt_buffer_string(&to->name), CL_FALSE, size, offset, from,
            t->waits.count, t->waits.events, &t->event);
    }
    return pointers_copy(t, to->pointer + offset, from, size);
}

rt_status ocl_enqueue_read(dev_queue *base, dev_command command, dev_memory *memory,
                           uint64_t offset, uint64_t size, void *destination, dev_event **out_event)
{
    ocl_queue *queue = (ocl_queue *)base;
    transfer t;
    cl_int result = CL_SUCCESS;
    rt_status status = transfer_begin(queue, command, &t);
    if (rt_ok(status))
        result =
            read_enqueue(&t, (const ocl_memory *)memory, (size_t)offset, (size_t)size, destination);
    return transfer_end(queue, &t, status, result, out_event);
}

rt_status ocl_enqueue_write(dev_queue *base, dev_command command, dev_memory *memory,
                            uint64_t offset, uint64_t size, const void *source,
                            dev_event **out_event)
{
    ocl_queue *queue = (ocl_queue *)base;
    transfer t;
    cl_int result = CL_SUCCESS;
    rt_status status = transfer_begin(queue, command, &t);
    if (rt_ok(status))
        result =
            write_enqueue(&t, (const ocl_memory *)memory, (size_t)offset, (size_t)size, source);
    return transfer_end(queue, &t, status, result, out_event);
}

/* ---- Between memories --------------------------------------------------------------------- */

/* A copy between a pointer and a buffer is a read or write of the buffer; a copy between a variable
 * and unified shared memory is a read or write of the variable by name. */
static cl_int copy_enqueue(transfer *t, const ocl_memory *from, size_t from_offset,
                           const ocl_memory *to, size_t to_offset, size_t size)
{
    if (from->buffer && to->buffer) {
        t->call = "clEnqueueCopyBuffer";
        return t->cl->clEnqueueCopyBuffer(t->queue, from->buffer, to->buffer, from_offset,
                                          to_offset, size, t->waits.count, t->waits.events,
                                          &t->event);
    }
    if (from->buffer) return read_enqueue(t, from, from_offset, size, to->pointer + to_offset);
    if (to->buffer) return write_enqueue(t, to, to_offset, size, from->pointer + from_offset);
    if (from->program) return read_enqueue(t, from, from_offset, size, to->pointer + to_offset);
    if (to->program) return write_enqueue(t, to, to_offset, size, from->pointer + from_offset);
    return pointers_copy(t, to->pointer + to_offset, from->pointer + from_offset, size);
}

rt_status ocl_enqueue_copy(dev_queue *base, dev_command command, dev_memory *source,
                           uint64_t source_offset, dev_memory *destination,
                           uint64_t destination_offset, uint64_t size, dev_event **out_event)
{
    ocl_queue *queue = (ocl_queue *)base;
    transfer t;
    cl_int result = CL_SUCCESS;
    rt_status status = transfer_begin(queue, command, &t);
    if (rt_ok(status))
        result =
            copy_enqueue(&t, (const ocl_memory *)source, (size_t)source_offset,
                         (const ocl_memory *)destination, (size_t)destination_offset, (size_t)size);
    return transfer_end(queue, &t, status, result, out_event);
}

/* ---- Fills -------------------------------------------------------------------------------- */

/* Called by the driver when the write of a staged fill has ended, successfully or not. */
static void CL_CALLBACK staging_free(cl_event event, cl_int status, void *staging)
{
    (void)event, (void)status;
    rt_free(staging);
}

/* Fills a variable by writing the repeated pattern, which stays allocated until the write has
 * ended. */
static cl_int fill_by_write(transfer *t, const ocl_memory *to, size_t offset, size_t size,
                            rt_bytes pattern)
{
    CHECK(size % pattern.size == 0);
    t->call = "the repeated pattern of a fill";
    uint8_t *staging = rt_try_alloc(size);
    if (!staging) return CL_OUT_OF_HOST_MEMORY;
    for (size_t done = 0; done < size; done += pattern.size)
        memcpy(staging + done, pattern.data, pattern.size);
    cl_int result = write_enqueue(t, to, offset, size, staging);
    if (result != CL_SUCCESS || !t->event) {
        rt_free(staging);
        return result;
    }
    cl_int kept = t->cl->clSetEventCallback(t->event, CL_COMPLETE, staging_free, staging);
    if (kept == CL_SUCCESS) return CL_SUCCESS;
    t->call = "clSetEventCallback";
    t->cl->clWaitForEvents(1, &t->event);
    t->cl->clReleaseEvent(t->event);
    t->event = NULL;
    rt_free(staging);
    return kept;
}

static cl_int fill_enqueue(transfer *t, const ocl_memory *to, size_t offset, size_t size,
                           rt_bytes pattern)
{
    if (to->buffer) {
        t->call = "clEnqueueFillBuffer";
        return t->cl->clEnqueueFillBuffer(t->queue, to->buffer, pattern.data, pattern.size, offset,
                                          size, t->waits.count, t->waits.events, &t->event);
    }
    if (to->program) return fill_by_write(t, to, offset, size, pattern);
    t->call = "clEnqueueMemFillINTEL";
    return t->extensions->clEnqueueMemFillINTEL(t->queue, to->pointer + offset, pattern.data,
                                                pattern.size, size, t->waits.count, t->waits.events,
                                                &t->event);
}

rt_status ocl_enqueue_fill(dev_queue *base, dev_command command, dev_memory *memory,
                           uint64_t offset, uint64_t size, rt_bytes pattern, dev_event **out_event)
{
    ocl_queue *queue = (ocl_queue *)base;
    transfer t;
    cl_int result = CL_SUCCESS;
    rt_status status = transfer_begin(queue, command, &t);
    if (rt_ok(status))
        result =
            fill_enqueue(&t, (const ocl_memory *)memory, (size_t)offset, (size_t)size, pattern);
    return transfer_end(queue, &t, status, result, out_event);
}
