/* Events: waiting, queries, user events, callbacks. */
#include "opencl/misuse.h"

#include <pthread.h>

cl_int icd_event_status(cl_event event)
{
    if (!event->queue) return event->user_status;
    switch (dev_event_query(event->event)) {
    case DEV_EVENT_COMPLETE: return CL_COMPLETE;
    case DEV_EVENT_FAILED: return icd_code(dev_event_wait(event->event));
    case DEV_EVENT_PENDING: break;
    }
    return event->is_flushed ? CL_SUBMITTED : CL_QUEUED;
}

cl_int icd_event_wait(cl_event event)
{
    icd_reference(event);
    icd_unlock();
    rt_status ended = dev_event_wait(event->event);
    (void)ended; /* read below, with what the program knows of a user event */
    icd_lock();
    cl_int status = icd_event_status(event);
    CHECK(status <= CL_COMPLETE);
    icd_release(event);
    return status;
}

void icd_event_free(cl_event event)
{
    if (event->is_awaited) icd_misuse_wait_end(event);
    dev_event_destroy(event->event);
    dev_event_destroy(event->first);
    CHECK(event->kept.count == 0);
    rt_vector_free(&event->kept);
    for (uint32_t i = 0; i < event->user_events.count; i++)
        icd_forget(event->user_events.items[i]);
    rt_vector_free(&event->user_events);
    icd_release(event->queue);
    icd_release(event->context);
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *events)
{
    ICD_ENTER;
    if (count == 0 || !events) return REFUSE(CL_INVALID_VALUE, "no events");
    for (cl_uint i = 0; i < count; i++) {
        if (!icd_is(events[i], ICD_EVENT, ICD_CALL))
            return REFUSE(CL_INVALID_EVENT, "entry %u is not an event", i);
        if (events[i]->context != events[0]->context)
            return REFUSE(CL_INVALID_CONTEXT, "events of several contexts");
    }
    icd_misuse_in_callback(ICD_CALL);
    RT_VECTOR(cl_event) waited = {0};
    for (cl_uint i = 0; i < count; i++)
        *rt_vector_push(&waited) = icd_reference(events[i]);
    cl_int code = CL_SUCCESS;
    for (uint32_t i = 0; i < waited.count; i++) {
        cl_event event = waited.items[i];
        if (icd_event_wait(event) < 0) code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        cl_command_queue queue = event->queue;
        if (queue && queue->pending.count > 0) icd_queue_collect(queue);
        icd_release(event);
    }
    rt_vector_free(&waited);
    return code;
}

/* A program that polls makes progress, although nothing runs without a wait: from the second query
 * on, commands run. */
static cl_int polled_status(cl_event event)
{
    cl_int status = icd_event_status(event);
    if (!event->queue || status <= CL_COMPLETE || event->polls++ == 0) return status;
    icd_reference(event);
    icd_unlock();
    dev_event_advance(event->event);
    icd_lock();
    status = icd_event_status(event);
    icd_release(event);
    return status;
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t capacity,
                                               void *out, size_t *out_size)
{
    ICD_ENTER;
    if (!icd_is(event, ICD_EVENT, ICD_CALL)) return CL_INVALID_EVENT;
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE: return ICD_ANSWER(cl_command_queue, event->queue);
    case CL_EVENT_CONTEXT: return ICD_ANSWER(cl_context, event->context);
    case CL_EVENT_COMMAND_TYPE: return ICD_ANSWER(cl_command_type, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return ICD_ANSWER(cl_int, out ? polled_status(event) : CL_QUEUED);
    case CL_EVENT_REFERENCE_COUNT: return ICD_ANSWER(cl_uint, event->base.user_references);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info name,
                                                        size_t capacity, void *out,
                                                        size_t *out_size)
{
    ICD_ENTER;
    if (!icd_is(event, ICD_EVENT, ICD_CALL)) return REFUSE(CL_INVALID_EVENT, "expected an event");
    bool is_known = name >= CL_PROFILING_COMMAND_QUEUED && name <= CL_PROFILING_COMMAND_COMPLETE;
    if (!is_known) return CL_INVALID_VALUE;
    if (!event->queue || !(event->queue->flags & CL_QUEUE_PROFILING_ENABLE))
        return REFUSE(CL_PROFILING_INFO_NOT_AVAILABLE, "the queue does not profile");
    if (dev_event_query(event->event) != DEV_EVENT_COMPLETE)
        return REFUSE(CL_PROFILING_INFO_NOT_AVAILABLE, "the command is not complete");
    dev_times times, first;
    rt_status status = dev_event_times(event->event, &times);
    if (rt_ok(status) && event->first) status = dev_event_times(event->first, &first);
    if (!rt_ok(status)) return icd_code(status);
    if (event->first) {
        times.submit = first.submit;
        times.start = first.start;
    }
    switch (name) {
    case CL_PROFILING_COMMAND_QUEUED: return ICD_ANSWER(cl_ulong, event->queued);
    case CL_PROFILING_COMMAND_SUBMIT: return ICD_ANSWER(cl_ulong, times.submit);
    case CL_PROFILING_COMMAND_START: return ICD_ANSWER(cl_ulong, times.start);
    default: return ICD_ANSWER(cl_ulong, times.end); /* there are no child kernels */
    }
}

/* ---- User events -------------------------------------------------------------------------- */

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *out_code)
{
    ICD_ENTER;
    if (!icd_is(context, ICD_CONTEXT, ICD_CALL)) {
        icd_store(out_code, REFUSE(CL_INVALID_CONTEXT, "expected a context"));
        return NULL;
    }
    dev_event *created;
    rt_status status = dev_host_event_create(icd_device.device, &created);
    icd_store(out_code, icd_code(status));
    if (!rt_ok(status)) return NULL;
    cl_event event = icd_object_create(sizeof *event, ICD_EVENT);
    event->context = icd_reference(context);
    event->type = CL_COMMAND_USER;
    event->event = created;
    event->user_status = CL_SUBMITTED;
    return event;
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status)
{
    ICD_ENTER;
    if (!icd_is(event, ICD_EVENT, ICD_CALL) || event->queue)
        return REFUSE(CL_INVALID_EVENT, "expected a user event");
    if (status > CL_COMPLETE)
        return REFUSE(CL_INVALID_VALUE, "status %d; expected CL_COMPLETE or a negative one",
                      status);
    if (!rt_ok(dev_host_event_complete(event->event, status < 0)))
        return REFUSE(CL_INVALID_OPERATION, "event %u has a status already", event->base.number);
    event->user_status = status;
    icd_misuse_wait_end(event);
    return CL_SUCCESS;
}

/* ---- Callbacks ---------------------------------------------------------------------------- */

/* The body of a thread that waits for one event.  Callbacks are few, so each has its own. */
static void *callback_run(void *user)
{
    icd_event_callback *callback = user;
    icd_lock();
    cl_int status = callback->status;
    if (status != CL_SUBMITTED) {
        cl_int final = icd_event_wait(callback->event);
        if (final < 0) status = final;
    }
    icd_unlock();
    icd_callback_begin();
    callback->function(callback->event, status, callback->user);
    icd_callback_end();
    icd_lock();
    cl_command_queue queue = callback->event->queue;
    if (queue && queue->pending.count > 0) icd_queue_collect(queue);
    icd_release(callback->event);
    icd_unlock();
    rt_free(callback);
    return NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int status,
                                                   void(CL_CALLBACK *function)(cl_event, cl_int,
                                                                               void *),
                                                   void *user)
{
    ICD_ENTER;
    if (!icd_is(event, ICD_EVENT, ICD_CALL)) return REFUSE(CL_INVALID_EVENT, "expected an event");
    bool is_known = status == CL_SUBMITTED || status == CL_RUNNING || status == CL_COMPLETE;
    if (!function || !is_known)
        return REFUSE(CL_INVALID_VALUE, "no function, or status %d", status);
    return icd_event_call_back(event, status, function, user);
}

cl_int icd_event_call_back(cl_event event, cl_int status,
                           void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *user)
{
    icd_event_callback *callback = rt_alloc(sizeof *callback);
    *callback = (icd_event_callback){icd_reference(event), status, function, user};
    pthread_t thread;
    int error = pthread_create(&thread, NULL, callback_run, callback);
    if (!error) error = pthread_detach(thread);
    if (!error) return CL_SUCCESS;
    icd_release(event);
    rt_free(callback);
    return CL_OUT_OF_HOST_MEMORY;
}
