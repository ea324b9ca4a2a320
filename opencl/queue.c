/* Command queues, and how a command enters one. */
#include "opencl/misuse.h"

#include <time.h>

enum { COLLECT_AT = 64 }; /* pending commands before they are first looked through */

cl_ulong icd_now(void)
{
    struct timespec now;
    int failed = clock_gettime(CLOCK_MONOTONIC, &now);
    CHECK(!failed);
    return (cl_ulong)now.tv_sec * 1000000000u + (cl_ulong)now.tv_nsec;
}

static bool is_out_of_order(cl_command_queue queue)
{
    return (queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

/* ---- Queues ------------------------------------------------------------------------------- */

static cl_command_queue queue_create(cl_context context, cl_device_id device,
                                     cl_command_queue_properties flags, cl_int *out_code,
                                     icd_call call)
{
    const cl_command_queue_properties taken =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    const cl_command_queue_properties known =
        taken | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    cl_int code = CL_SUCCESS;
    if (!icd_is(context, ICD_CONTEXT, call))
        code = icd_refuse(call, CL_INVALID_CONTEXT, "expected a context");
    else if (device != &icd_device)
        code = icd_refuse(call, CL_INVALID_DEVICE, "the device is not of the context");
    else if (flags & ~known)
        code = icd_refuse(call, CL_INVALID_VALUE, "unknown properties 0x%llx",
                          (unsigned long long)flags);
    else if (flags & ~taken)
        code = icd_refuse(call, CL_INVALID_QUEUE_PROPERTIES, "the device has no on-device queues");
    icd_store(out_code, code);
    if (code != CL_SUCCESS) return NULL;
    icd_misuse_in_callback(call);
    cl_command_queue queue = icd_object_create(sizeof *queue, ICD_QUEUE);
    queue->context = icd_reference(context);
    queue->flags = flags;
    queue->collect_at = COLLECT_AT;
    return queue;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context,
                                                               cl_device_id device,
                                                               cl_command_queue_properties flags,
                                                               cl_int *out_code)
{
    ICD_ENTER;
    return queue_create(context, device, flags, out_code, ICD_CALL);
}

CL_API_ENTRY cl_command_queue CL_API_CALL
clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                   const cl_queue_properties *properties, cl_int *out_code)
{
    ICD_ENTER;
    cl_command_queue_properties flags = 0;
    const cl_queue_properties *p = properties;
    for (; p && *p; p += 2) {
        if (*p == CL_QUEUE_PROPERTIES) {
            flags = p[1];
            continue;
        }
        cl_int code = *p == CL_QUEUE_SIZE ? CL_INVALID_QUEUE_PROPERTIES : CL_INVALID_VALUE;
        icd_store(out_code, REFUSE(code, "property 0x%llx", (unsigned long long)*p));
        return NULL;
    }
    cl_command_queue queue = queue_create(context, device, flags, out_code, ICD_CALL);
    for (p = properties; queue && p && *p; p += 2) {
        *rt_vector_push(&queue->properties) = p[0];
        *rt_vector_push(&queue->properties) = p[1];
    }
    if (queue && properties) *rt_vector_push(&queue->properties) = 0;
    return queue;
}

/* Forgets all of the queue's commands; the caller knows that they are complete or leaves them to
 * the device. */
void icd_queue_free(cl_command_queue queue)
{
    CHECK(queue->pending.count == 0); /* each holds a reference to the queue */
    icd_release(queue->last);
    icd_release(queue->barrier);
    rt_vector_free(&queue->pending);
    rt_vector_free(&queue->properties);
    icd_release(queue->context);
}

CL_API_ENTRY cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue,
                                                      cl_command_queue_info name, size_t capacity,
                                                      void *out, size_t *out_size)
{
    ICD_ENTER;
    if (!icd_is(queue, ICD_QUEUE, ICD_CALL)) return CL_INVALID_COMMAND_QUEUE;
    switch (name) {
    case CL_QUEUE_CONTEXT: return ICD_ANSWER(cl_context, queue->context);
    case CL_QUEUE_DEVICE: return ICD_ANSWER(cl_device_id, &icd_device);
    case CL_QUEUE_REFERENCE_COUNT: return ICD_ANSWER(cl_uint, queue->base.user_references);
    case CL_QUEUE_PROPERTIES: return ICD_ANSWER(cl_command_queue_properties, queue->flags);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return icd_answer(queue->properties.items,
                          queue->properties.count * sizeof *queue->properties.items, capacity, out,
                          out_size);
    case CL_QUEUE_DEVICE_DEFAULT: return ICD_ANSWER(cl_command_queue, NULL);
    case CL_QUEUE_SIZE: return CL_INVALID_COMMAND_QUEUE; /* only of on-device queues */
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue,
                                                          cl_command_queue_properties flags,
                                                          cl_bool enable,
                                                          cl_command_queue_properties *out_old)
{
    (void)flags, (void)enable, (void)out_old;
    ICD_ENTER;
    if (!icd_is(queue, ICD_QUEUE, ICD_CALL))
        return REFUSE(CL_INVALID_COMMAND_QUEUE, "expected a queue");
    return REFUSE(CL_INVALID_OPERATION, "removed in OpenCL 1.1");
}

CL_API_ENTRY cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context,
                                                               cl_device_id device,
                                                               cl_command_queue queue)
{
    (void)queue;
    ICD_ENTER;
    if (!icd_is(context, ICD_CONTEXT, ICD_CALL))
        return REFUSE(CL_INVALID_CONTEXT, "expected a context");
    if (device != &icd_device) return REFUSE(CL_INVALID_DEVICE, "the device is not of the context");
    return REFUSE(CL_INVALID_OPERATION, "the device has no on-device queues");
}

void icd_queue_collect(cl_command_queue queue)
{
    uint32_t kept = 0, count = queue->pending.count;
    /* The queue must survive the release of its last command. */
    icd_reference(queue);
    for (uint32_t i = 0; i < count; i++) {
        cl_event event = queue->pending.items[i];
        /* A command that is done, but of which the program does not know it, is still one that
         * clFinish, a marker and the next command of an in-order queue wait for. */
        if (!dev_event_is_known(event->event)) {
            queue->pending.items[kept++] = event;
            continue;
        }
        for (uint32_t k = 0; k < event->kept.count; k++)
            icd_release(event->kept.items[k]);
        rt_vector_free(&event->kept);
        icd_release(event);
    }
    queue->pending.count = kept;
    queue->collect_at = kept < COLLECT_AT / 2 ? COLLECT_AT : 2 * kept;
    if (kept == 0) {
        /* The last command of an in-order queue refers to the queue: a cycle. */
        icd_release(queue->last);
        icd_release(queue->barrier);
        queue->last = queue->barrier = NULL;
    }
    icd_release(queue);
}

void icd_queue_advance(cl_command_queue queue)
{
    for (uint32_t i = 0; i < queue->pending.count; i++)
        dev_event_advance(queue->pending.items[i]->event);
    icd_queue_collect(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
    ICD_ENTER;
    if (!icd_is(queue, ICD_QUEUE, ICD_CALL))
        return REFUSE(CL_INVALID_COMMAND_QUEUE, "expected a queue");
    for (uint32_t i = 0; i < queue->pending.count; i++)
        queue->pending.items[i]->is_flushed = true;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    ICD_ENTER;
    if (!icd_is(queue, ICD_QUEUE, ICD_CALL))
        return REFUSE(CL_INVALID_COMMAND_QUEUE, "expected a queue");
    icd_misuse_in_callback(ICD_CALL);
    icd_reference(queue);
    RT_VECTOR(cl_event) events = {0};
    for (uint32_t i = 0; i < queue->pending.count; i++)
        *rt_vector_push(&events) = icd_reference(queue->pending.items[i]);
    for (uint32_t i = 0; i < events.count; i++) {
        icd_event_wait(events.items[i]);
        icd_release(events.items[i]);
    }
    rt_vector_free(&events);
    icd_queue_collect(queue);
    icd_release(queue);
    return CL_SUCCESS;
}

/* ---- Commands ----------------------------------------------------------------------------- */

/* Notes a user event without a status. */
static void user_event_add(icd_command *command, cl_event user)
{
    if (user->user_status <= CL_COMPLETE) return;
    for (uint32_t i = 0; i < command->user_events.count; i++)
        if (command->user_events.items[i] == user) return;
    *rt_vector_push(&command->user_events) = icd_watch(user);
}

/* Adds an event to those that a command waits for. */
static void wait_add(icd_command *command, cl_event event)
{
    *rt_vector_push(&command->wait) = event->event;
    if (!event->queue) user_event_add(command, event);
    for (uint32_t i = 0; i < event->user_events.count; i++)
        user_event_add(command, event->user_events.items[i]);
}

cl_int icd_command_begin(icd_command *command, cl_command_queue queue, cl_command_type type,
                         cl_uint wait_count, const cl_event *wait, icd_call call)
{
    *command = (icd_command){.queue = queue, .type = type, .queued = icd_now(), .call = call};
    if (!icd_is(queue, ICD_QUEUE, call))
        return icd_refuse(call, CL_INVALID_COMMAND_QUEUE, "expected a queue");
    if ((wait_count > 0) != (wait != NULL))
        return icd_refuse(call, CL_INVALID_EVENT_WAIT_LIST, "%u events at %p", wait_count,
                          (const void *)wait);
    for (cl_uint i = 0; i < wait_count; i++) {
        if (!icd_is(wait[i], ICD_EVENT, call))
            return icd_refuse(call, CL_INVALID_EVENT_WAIT_LIST, "entry %u, %p, is not an event", i,
                              (const void *)wait[i]);
        if (wait[i]->context != queue->context)
            return icd_refuse(call, CL_INVALID_CONTEXT, "event %u is of another context",
                              wait[i]->base.number);
    }
    if (queue->pending.count >= queue->collect_at) icd_queue_collect(queue);
    for (cl_uint i = 0; i < wait_count; i++)
        wait_add(command, wait[i]);
    command->wait_list = wait;
    command->wait_count = wait_count;
    cl_event before = is_out_of_order(queue) ? queue->barrier : queue->last;
    if (before) wait_add(command, before);
    /* Without a list, a marker or barrier waits for all earlier commands. */
    bool waits_for_all = type == CL_COMMAND_MARKER || type == CL_COMMAND_BARRIER;
    for (uint32_t i = 0; waits_for_all && wait_count == 0 && i < queue->pending.count; i++)
        wait_add(command, queue->pending.items[i]);
    command->tag = icd_report_command(call, queue->base.number);
    return CL_SUCCESS;
}

static void command_free(icd_command *command)
{
    rt_vector_free(&command->wait);
    rt_vector_free(&command->parts);
    rt_vector_free(&command->kept);
    for (uint32_t i = 0; i < command->user_events.count; i++)
        icd_forget(command->user_events.items[i]);
    rt_vector_free(&command->user_events);
}

cl_int icd_command_drop(icd_command *command, cl_int code)
{
    for (uint32_t i = 0; i < command->parts.count; i++)
        dev_event_destroy(command->parts.items[i]);
    for (uint32_t i = 0; i < command->kept.count; i++)
        icd_release(command->kept.items[i]);
    command_free(command);
    return code;
}

dev_command icd_command_device(const icd_command *command)
{
    return (dev_command){command->tag, command->wait.items, command->wait.count};
}

void icd_command_part(icd_command *command, rt_status status, dev_event *event)
{
    if (rt_ok(status))
        *rt_vector_push(&command->parts) = event;
    else if (command->failure == CL_SUCCESS)
        command->failure = icd_code(status);
}

void icd_command_keep(icd_command *command, void *object)
{
    *rt_vector_push(&command->kept) = icd_reference(object);
}

/* Makes one event of the command's parts: the only one, or a marker that waits for all. */
static rt_status parts_join(icd_command *command, dev_event **out_event, dev_event **out_first)
{
    *out_first = NULL;
    if (command->parts.count == 1) {
        *out_event = command->parts.items[0];
        return RT_STATUS_OK;
    }
    dev_command marker = icd_command_device(command);
    if (command->parts.count > 0) {
        marker.wait = command->parts.items;
        marker.wait_count = command->parts.count;
    }
    rt_status status = dev_enqueue_marker(icd_device.queue, marker, (dev_marker){0}, out_event);
    for (uint32_t i = 1; i < command->parts.count; i++)
        dev_event_destroy(command->parts.items[i]);
    if (command->parts.count > 0) *out_first = command->parts.items[0];
    command->parts.count = 0;
    return status;
}

/* Makes a command the last one of its queue. */
static void queue_enter(cl_command_queue queue, cl_event event)
{
    *rt_vector_push(&queue->pending) = icd_reference(event);
    if (!is_out_of_order(queue)) {
        icd_release(queue->last);
        queue->last = icd_reference(event);
    } else if (event->type == CL_COMMAND_BARRIER) {
        icd_release(queue->barrier);
        queue->barrier = icd_reference(event);
    }
}

cl_int icd_command_end(icd_command *command, cl_event *out_event)
{
    if (command->failure != CL_SUCCESS) return icd_command_drop(command, command->failure);
    const icd_call call = command->call;
    const bool is_blocking = command->is_blocking;
    dev_event *joined, *first;
    rt_status status = parts_join(command, &joined, &first);
    if (!rt_ok(status)) return icd_command_drop(command, icd_code(status));
    for (cl_uint i = 0; i < command->wait_count; i++)
        icd_misuse_wait(command->wait_list[i]);
    cl_event event = icd_object_create(sizeof *event, ICD_EVENT);
    event->context = icd_reference(command->queue->context);
    event->queue = icd_reference(command->queue);
    event->type = command->type;
    event->event = joined;
    event->first = first;
    event->queued = command->queued;
    for (uint32_t i = 0; i < command->kept.count; i++)
        *rt_vector_push(&event->kept) = command->kept.items[i];
    for (uint32_t i = 0; i < command->user_events.count; i++)
        *rt_vector_push(&event->user_events) = icd_watch(command->user_events.items[i]);
    command->parts.count = 0;
    command_free(command);
    queue_enter(event->queue, event);
    cl_int code = CL_SUCCESS;
    if (is_blocking) {
        icd_misuse_in_callback(call);
        code = icd_event_wait(event);
        icd_queue_collect(event->queue);
    }
    if (out_event)
        *out_event = event;
    else
        icd_event_drop(event);
    return code;
}

void icd_event_drop(cl_event event)
{
    event->base.user_references = 0;
    icd_release(event);
}

/* ---- Markers and barriers ----------------------------------------------------------------- */

static cl_int marker_enqueue(cl_command_queue queue, cl_command_type type, cl_uint wait_count,
                             const cl_event *wait, cl_event *out_event, icd_call call)
{
    icd_command command;
    cl_int code = icd_command_begin(&command, queue, type, wait_count, wait, call);
    return code == CL_SUCCESS ? icd_command_end(&command, out_event) : code;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue,
                                                            cl_uint wait_count,
                                                            const cl_event *wait,
                                                            cl_event *out_event)
{
    ICD_ENTER;
    return marker_enqueue(queue, CL_COMMAND_MARKER, wait_count, wait, out_event, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue,
                                                             cl_uint wait_count,
                                                             const cl_event *wait,
                                                             cl_event *out_event)
{
    ICD_ENTER;
    return marker_enqueue(queue, CL_COMMAND_BARRIER, wait_count, wait, out_event, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event *out_event)
{
    ICD_ENTER;
    if (!out_event) return REFUSE(CL_INVALID_VALUE, "a marker without an event");
    return marker_enqueue(queue, CL_COMMAND_MARKER, 0, NULL, out_event, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue)
{
    ICD_ENTER;
    return marker_enqueue(queue, CL_COMMAND_BARRIER, 0, NULL, NULL, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint wait_count,
                                                       const cl_event *wait)
{
    ICD_ENTER;
    if (wait_count == 0 || !wait) return REFUSE(CL_INVALID_VALUE, "no events");
    return marker_enqueue(queue, CL_COMMAND_BARRIER, wait_count, wait, NULL, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count,
                                                           const cl_mem *objects,
                                                           cl_mem_migration_flags flags,
                                                           cl_uint wait_count, const cl_event *wait,
                                                           cl_event *out_event)
{
    ICD_ENTER;
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    icd_command command;
    cl_int code = icd_command_begin(&command, queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, wait_count,
                                    wait, ICD_CALL);
    if (code != CL_SUCCESS) return code;
    if (count == 0 || !objects || (flags & ~known))
        return icd_command_drop(&command, REFUSE(CL_INVALID_VALUE, "%u objects, flags 0x%llx",
                                                 count, (unsigned long long)flags));
    for (cl_uint i = 0; i < count; i++) {
        if (!icd_is(objects[i], ICD_MEMORY, ICD_CALL))
            return icd_command_drop(
                &command, REFUSE(CL_INVALID_MEM_OBJECT, "entry %u is not a memory object", i));
        if (objects[i]->context != queue->context)
            return icd_command_drop(&command,
                                    REFUSE(CL_INVALID_CONTEXT, "buffer %u is of another context",
                                           objects[i]->base.number));
        icd_command_keep(&command, objects[i]);
    }
    /* There is one memory, so there is nothing to do but to keep the order. */
    return icd_command_end(&command, out_event);
}
