/* Commands that transfer bytes of memory objects.  A buffer is passed as the driver's handle, every
 * other memory object as a pointer, which the driver accepts wherever it accepts a host pointer; a
 * program's variable is read and written by name, as DeviceGlobal.md specifies.  A variable is
 * filled by writing the repeated pattern: the driver's fill requires the destination to be aligned
 * to the pattern's size, but a variable is aligned only to its type.  So is every memory if the
 * pattern's size is not a power of two, which drivers do not take.
 *
 * Source: OpenCL 3.0 API specification, 5.2.2 to 5.2.4; cl_intel_unified_shared_memory;
 * cl_intel_global_variable_access (ocl_library.h). */
#include "backends/opencl/ocl_internal.h"
#include "reference/base/alloc.h"
#include "reference/base/rule.h"

#include <string.h>

/* One end of a transfer. */
typedef struct place {
    const ocl_memory *memory; /* host_memory if the bytes are on the host */
    size_t offset;            /* in bytes from the start of the memory */
    char *pointer;            /* address of the bytes; NULL for a buffer */
} place;

static const ocl_memory host_memory;

static place place_in(const dev_memory *base, uint64_t offset)
{
    const ocl_memory *memory = (const ocl_memory *)base;
    CHECK(offset < base->size);
    return (place){memory, (size_t)offset, memory->pointer ? memory->pointer + offset : NULL};
}

/* A transfer in progress. */
typedef struct transfer {
    ocl_queue *queue;
    ocl_waits waits;
    const char *call; /* the name of the driver's function */
    cl_event event;   /* returned by that function */
} transfer;

static rt_status transfer_end(transfer *t, cl_int result, dev_event **out_event)
{
    rt_free(t->waits.events);
    return ocl_command_finish(t->queue, OCL_STAGE_QUEUE, t->call, result, t->event, out_event);
}

/* ---- Copies ------------------------------------------------------------------------------- */

/* A copy between a pointer and a buffer is a read or write of the buffer; a copy between a variable
 * and a pointer is a read or write of the variable by name. */
static cl_int bytes_move(transfer *t, place to, place from, size_t size)
{
    const ocl_library *cl = &t->queue->device->library;
    const ocl_extensions *extensions = &t->queue->device->extensions;
    cl_command_queue queue = t->queue->queue;
    const ocl_waits *waits = &t->waits;
    CHECK(size >= 1);
    CHECK((from.memory->buffer == NULL) == (from.pointer != NULL));
    CHECK((to.memory->buffer == NULL) == (to.pointer != NULL));
    if (from.memory->buffer && to.memory->buffer) {
        t->call = "clEnqueueCopyBuffer";
        return cl->clEnqueueCopyBuffer(queue, from.memory->buffer, to.memory->buffer, from.offset,
                                       to.offset, size, waits->count, waits->events, &t->event);
    }
    if (from.memory->buffer) {
        t->call = "clEnqueueReadBuffer";
        return cl->clEnqueueReadBuffer(queue, from.memory->buffer, CL_FALSE, from.offset, size,
                                       to.pointer, waits->count, waits->events, &t->event);
    }
    if (to.memory->buffer) {
        t->call = "clEnqueueWriteBuffer";
        return cl->clEnqueueWriteBuffer(queue, to.memory->buffer, CL_FALSE, to.offset, size,
                                        from.pointer, waits->count, waits->events, &t->event);
    }
    if (RULE(DG_PLUGIN_11, from.memory->program)) {
        t->call = "clEnqueueReadGlobalVariableINTEL";
        return extensions->clEnqueueReadGlobalVariableINTEL(
            queue, from.memory->program, rt_buffer_string(&from.memory->name), CL_FALSE, size,
            from.offset, to.pointer, waits->count, waits->events, &t->event);
    }
    if (to.memory->program && !from.memory->program) {
        t->call = "clEnqueueWriteGlobalVariableINTEL";
        return extensions->clEnqueueWriteGlobalVariableINTEL(
            queue, to.memory->program, rt_buffer_string(&to.memory->name), CL_FALSE, size,
            to.offset, from.pointer, waits->count, waits->events, &t->event);
    }
    t->call = "clEnqueueMemcpyINTEL";
    return extensions->clEnqueueMemcpyINTEL(queue, CL_FALSE, to.pointer, from.pointer, size,
                                            waits->count, waits->events, &t->event);
}

static rt_status enqueue_move(dev_queue *base, dev_command command, place to, place from,
                              uint64_t size, dev_event **out_event)
{
    transfer t = {.queue = (ocl_queue *)base};
    RT_TRY(ocl_waits_make(t.queue, command, &t.waits));
    cl_int result = bytes_move(&t, to, from, (size_t)size);
    return transfer_end(&t, result, out_event);
}

rt_status ocl_enqueue_read(dev_queue *queue, dev_command command, dev_memory *memory,
                           uint64_t offset, uint64_t size, void *destination, dev_event **out_event)
{
    const place host = {&host_memory, 0, destination};
    return enqueue_move(queue, command, host, place_in(memory, offset), size, out_event);
}

rt_status ocl_enqueue_write(dev_queue *queue, dev_command command, dev_memory *memory,
                            uint64_t offset, uint64_t size, const void *source,
                            dev_event **out_event)
{
    const place host = {&host_memory, 0, (char *)(uintptr_t)source};
    return enqueue_move(queue, command, place_in(memory, offset), host, size, out_event);
}

rt_status ocl_enqueue_copy(dev_queue *queue, dev_command command, dev_memory *source,
                           uint64_t source_offset, dev_memory *destination,
                           uint64_t destination_offset, uint64_t size, dev_event **out_event)
{
    return enqueue_move(queue, command, place_in(destination, destination_offset),
                        place_in(source, source_offset), size, out_event);
}

/* ---- Markers ------------------------------------------------------------------------------ */

/* Creates an event that is complete: OpenCL takes an empty wait list for every command before a
 * marker, so a marker that waits for none gets a list with this one. */
static cl_int complete_event_create(transfer *t)
{
    const ocl_device *device = t->queue->device;
    cl_int result = CL_SUCCESS;
    t->call = "clCreateUserEvent";
    cl_event event = device->library.clCreateUserEvent(device->context, &result);
    if (result != CL_SUCCESS || !event) return result == CL_SUCCESS ? CL_INVALID_EVENT : result;
    t->waits.events = rt_alloc(sizeof *t->waits.events);
    t->waits.events[0] = event;
    t->waits.count = 1;
    t->call = "clSetUserEventStatus";
    return device->library.clSetUserEventStatus(event, CL_COMPLETE);
}

rt_status ocl_enqueue_marker(dev_queue *base, dev_command command, dev_marker marker,
                             dev_event **out_event)
{
    transfer t = {.queue = (ocl_queue *)base};
    const ocl_library *cl = &t.queue->device->library;
    RT_TRY(ocl_waits_make(t.queue, command, &t.waits));
    bool waits_for_none = t.waits.count == 0 && !marker.waits_for_all;
    cl_int result = waits_for_none ? complete_event_create(&t) : CL_SUCCESS;
    if (result == CL_SUCCESS && marker.is_barrier) {
        t.call = "clEnqueueBarrierWithWaitList";
        result = cl->clEnqueueBarrierWithWaitList(t.queue->queue, t.waits.count, t.waits.events,
                                                  &t.event);
    } else if (result == CL_SUCCESS) {
        t.call = "clEnqueueMarkerWithWaitList";
        result = cl->clEnqueueMarkerWithWaitList(t.queue->queue, t.waits.count, t.waits.events,
                                                 &t.event);
    }
    if (waits_for_none && t.waits.events) cl->clReleaseEvent(t.waits.events[0]);
    return transfer_end(&t, result, out_event);
}

/* ---- Fills -------------------------------------------------------------------------------- */

/* Called by the driver when the write of a staged fill has ended, successfully or not. */
static void CL_CALLBACK staging_free(cl_event event, cl_int status, void *staging)
{
    (void)event, (void)status;
    rt_free(staging);
}

/* Fills by writing the repeated pattern, which stays allocated until the write has
 * ended. */
static cl_int fill_by_write(transfer *t, place to, size_t size, rt_bytes pattern)
{
    const ocl_library *cl = &t->queue->device->library;
    t->call = "the repeated pattern of a fill";
    char *staging = rt_try_alloc(size);
    if (!staging) return CL_OUT_OF_HOST_MEMORY;
    for (size_t done = 0; done < size; done += pattern.size)
        memcpy(staging + done, pattern.data, pattern.size);
    cl_int result = bytes_move(t, to, (place){&host_memory, 0, staging}, size);
    if (result != CL_SUCCESS || !t->event) {
        rt_free(staging);
        return result;
    }
    result = cl->clSetEventCallback(t->event, CL_COMPLETE, staging_free, staging);
    if (result == CL_SUCCESS) return CL_SUCCESS;
    t->call = "clSetEventCallback";
    cl->clWaitForEvents(1, &t->event);
    cl->clReleaseEvent(t->event);
    t->event = NULL;
    rt_free(staging);
    return result;
}

rt_status ocl_enqueue_fill(dev_queue *base, dev_command command, dev_memory *memory,
                           uint64_t offset, uint64_t size, rt_bytes pattern, dev_event **out_event)
{
    CHECK(pattern.size >= 1 && size % pattern.size == 0);
    transfer t = {.queue = (ocl_queue *)base};
    const ocl_device *device = t.queue->device;
    place to = place_in(memory, offset);
    RT_TRY(ocl_waits_make(t.queue, command, &t.waits));
    cl_int result;
    bool is_power = (pattern.size & (pattern.size - 1)) == 0;
    if (to.memory->program || !is_power) {
        result = fill_by_write(&t, to, (size_t)size, pattern);
    } else if (to.memory->buffer) {
        t.call = "clEnqueueFillBuffer";
        result = device->library.clEnqueueFillBuffer(
            t.queue->queue, to.memory->buffer, pattern.data, pattern.size, to.offset, (size_t)size,
            t.waits.count, t.waits.events, &t.event);
    } else {
        t.call = "clEnqueueMemFillINTEL";
        result = device->extensions.clEnqueueMemFillINTEL(t.queue->queue, to.pointer, pattern.data,
                                                          pattern.size, (size_t)size, t.waits.count,
                                                          t.waits.events, &t.event);
    }
    return transfer_end(&t, result, out_event);
}
