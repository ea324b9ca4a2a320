/* Events: the driver's, and ours on top of them.
 *
 * The driver reads an event while any command waits for it and writes it when the event's own
 * command ends, but keeps neither the event nor any other object that a command uses alive.  So
 * every command stays in a list until it is known to be done, and holds its own event and those
 * that it waits for.  A memory, kernel or program waits for the whole list before it is freed
 * (l0_device_settle). A lost device ends every wait, so no wait here is endless unless the driver's
 * is.
 *
 * Source: Level Zero specification 1.8, "Events" and "Memory" (lifetime of resources). */
#include "backends/level_zero/l0_internal.h"
#include "reference/base/alloc.h"

typedef struct l0_event {
    vendor_event base;
    l0_device *device;
    l0_signal *signal; /* a reference */
} l0_event;

/* ---- The driver's events; the device's lock is held --------------------------------------- */

_Static_assert(L0_POOL_EVENTS == sizeof((l0_pool){0}.used) * 8, "a bit for each event of a pool");

/* Creates an event in the first pool that has room, or in a new pool. */
static rt_status signal_make(l0_device *device, l0_signal **out_signal)
{
    const l0_library *ze = &device->library;
    uint32_t pool = 0;
    while (pool < device->pools.count && device->pools.items[pool].used == UINT64_MAX)
        pool++;
    if (pool == device->pools.count) {
        const ze_event_pool_desc_t description = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                                  .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                                  .count = L0_POOL_EVENTS};
        ze_event_pool_handle_t handle = NULL;
        ze_result_t result =
            ze->zeEventPoolCreate(device->context, &description, 1, &device->id, &handle);
        if (result != ZE_RESULT_SUCCESS || !handle)
            return l0_fail(device->sink, L0_STAGE_QUEUE, "zeEventPoolCreate", result, (rt_text){0});
        *rt_vector_push(&device->pools) = (l0_pool){.pool = handle};
    }
    CHECK(pool < device->pools.count && device->pools.items[pool].used != UINT64_MAX);
    uint32_t slot = (uint32_t)__builtin_ctzll(~device->pools.items[pool].used);
    CHECK(slot < L0_POOL_EVENTS && (device->pools.items[pool].used >> slot & 1) == 0);
    const ze_event_desc_t description = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                         .index = slot,
                                         .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                         .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t handle = NULL;
    ze_result_t result = ze->zeEventCreate(device->pools.items[pool].pool, &description, &handle);
    if (result != ZE_RESULT_SUCCESS || !handle)
        return l0_fail(device->sink, L0_STAGE_QUEUE, "zeEventCreate", result, (rt_text){0});
    device->pools.items[pool].used |= UINT64_C(1) << slot;
    l0_signal *signal = rt_alloc(sizeof *signal);
    *signal = (l0_signal){.event = handle, .pool = pool, .slot = slot, .references = 1};
    *out_signal = signal;
    return RT_STATUS_OK;
}

static void signal_release(l0_device *device, l0_signal *signal);

/* Releases the events that a command waits for, once the command is done or will never begin. */
static void waits_release(l0_device *device, l0_signal *signal)
{
    uint32_t count = signal->wait_count;
    signal->wait_count = 0;
    for (uint32_t i = 0; i < count; i++)
        signal_release(device, signal->waits[i]);
}

/* Releases a reference. When the last one is released, the signal's command has ended and dropped
 * its waits, so this does not recurse through the chain of earlier commands. */
static void signal_release(l0_device *device, l0_signal *signal)
{
    CHECK(signal->references >= 1);
    if (--signal->references > 0) return;
    CHECK(signal->wait_count == 0);
    CHECK(signal->pool < device->pools.count);
    CHECK(device->pools.items[signal->pool].used >> signal->slot & 1);
    device->library.zeEventDestroy(signal->event);
    device->pools.items[signal->pool].used &= ~(UINT64_C(1) << signal->slot);
    rt_free(signal->waits);
    rt_free(signal->staging);
    rt_free(signal);
}

static void pending_pop(l0_device *device)
{
    l0_signal *first = device->pending;
    CHECK(first->references >= 1);
    CHECK(device->pending_end != &device->pending);
    device->pending = first->next;
    if (!device->pending) device->pending_end = &device->pending;
    waits_release(device, first);
    signal_release(device, first);
}

/* A failure found here has been reported already, or will be by the next wait for the event. */
void l0_device_settle(l0_device *device)
{
    pthread_mutex_lock(&device->lock);
    while (device->pending) {
        if (!device->captures)
            device->library.zeEventHostSynchronize(device->pending->event, UINT64_MAX);
        pending_pop(device);
    }
    pthread_mutex_unlock(&device->lock);
}

void l0_pools_free(l0_device *device)
{
    CHECK(!device->pending);
    for (uint32_t i = 0; i < device->pools.count; i++) {
        CHECK(device->pools.items[i].used == 0); /* all events have been released */
        device->library.zeEventPoolDestroy(device->pools.items[i].pool);
    }
    rt_vector_free(&device->pools);
}

/* ---- Our events --------------------------------------------------------------------------- */

static void l0_event_destroy(dev_event *base)
{
    l0_event *event = (l0_event *)base;
    pthread_mutex_lock(&event->device->lock);
    signal_release(event->device, event->signal);
    pthread_mutex_unlock(&event->device->lock);
    vendor_event_end(&event->base);
    rt_free(event);
}

static rt_status event_wait(dev_event *base)
{
    const l0_event *event = (const l0_event *)base;
    const l0_device *device = event->device;
    if (device->captures) return RT_STATUS_OK;
    L0_TRY(device->sink, L0_STAGE_WAIT, "zeEventHostSynchronize",
           device->library.zeEventHostSynchronize(event->signal->event, UINT64_MAX));
    return RT_STATUS_OK;
}

static dev_event_state event_state(dev_event *base)
{
    const l0_event *event = (const l0_event *)base;
    if (event->device->captures) return DEV_EVENT_COMPLETE;
    ze_result_t result = event->device->library.zeEventQueryStatus(event->signal->event);
    if (result == ZE_RESULT_NOT_READY) return DEV_EVENT_PENDING;
    return result == ZE_RESULT_SUCCESS ? DEV_EVENT_COMPLETE : DEV_EVENT_FAILED;
}

static const dev_event_ops l0_event_ops = {
    .destroy = l0_event_destroy,
    .wait = vendor_event_wait,
    .state = vendor_event_state,
};

/* ---- Around every command ----------------------------------------------------------------- */

rt_status l0_append_begin(l0_device *device, dev_command command, l0_append *out_append)
{
    *out_append = (l0_append){.wait_count = command.wait_count};
    pthread_mutex_lock(&device->lock);
    rt_status status = signal_make(device, &out_append->signal);
    if (rt_ok(status) && command.wait_count > 0) {
        l0_signal *signal = out_append->signal;
        signal->waits = rt_alloc_array(command.wait_count, sizeof *signal->waits);
        signal->wait_count = command.wait_count;
        out_append->waits = rt_alloc_array(command.wait_count, sizeof(ze_event_handle_t));
        for (uint32_t i = 0; i < command.wait_count; i++) {
            signal->waits[i] = ((const l0_event *)command.wait[i])->signal;
            CHECK(signal->waits[i]->references >= 1);
            signal->waits[i]->references++;
            out_append->waits[i] = signal->waits[i]->event;
        }
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

rt_status l0_append_drop(l0_device *device, l0_append *append, rt_status status)
{
    pthread_mutex_lock(&device->lock);
    waits_release(device, append->signal);
    signal_release(device, append->signal);
    pthread_mutex_unlock(&device->lock);
    rt_free(append->waits);
    return status;
}

rt_status l0_append_end(l0_device *device, l0_append *append, l0_stage stage, const char *call,
                        ze_result_t result, dev_event **out_event)
{
    if (result != ZE_RESULT_SUCCESS)
        return l0_append_drop(device, append,
                              l0_fail(device->sink, stage, call, result, (rt_text){0}));
    pthread_mutex_lock(&device->lock);
    /* A captured command never runs, so nothing waits for it. */
    while (device->pending &&
           (device->captures ||
            device->library.zeEventQueryStatus(device->pending->event) == ZE_RESULT_SUCCESS))
        pending_pop(device);
    append->signal->references++;
    *device->pending_end = append->signal;
    device->pending_end = &append->signal->next;
    CHECK(append->signal->references == 2); /* held by the list and the event */
    pthread_mutex_unlock(&device->lock);
    rt_free(append->waits);
    l0_event *event = rt_alloc(sizeof *event);
    vendor_event_begin(&event->base, &l0_event_ops, event_wait, event_state);
    event->device = device;
    event->signal = append->signal; /* the creator's reference */
    *out_event = &event->base.base;
    return RT_STATUS_OK;
}
