/* Events of the adapters. */
#include "backends/vendor/event.h"

void vendor_event_begin(vendor_event *out_event, const dev_event_ops *ops,
                        rt_status (*driver_wait)(dev_event *event),
                        dev_event_state (*driver_state)(dev_event *event))
{
    CHECK(ops->wait == vendor_event_wait);
    CHECK(ops->state == vendor_event_state);
    *out_event =
        (vendor_event){.base.ops = ops, .driver_wait = driver_wait, .driver_state = driver_state};
    pthread_mutex_init(&out_event->lock, NULL);
}

void vendor_event_end(vendor_event *event)
{
    pthread_mutex_destroy(&event->lock);
}

rt_status vendor_event_wait(dev_event *base)
{
    vendor_event *event = (vendor_event *)base;
    pthread_mutex_lock(&event->lock);
    if (!event->is_known) {
        event->status = event->driver_wait(base);
        event->is_known = true;
    }
    rt_status status = event->status;
    pthread_mutex_unlock(&event->lock);
    return status;
}

dev_event_state vendor_event_state(dev_event *base)
{
    vendor_event *event = (vendor_event *)base;
    bool is_known = false;
    rt_status status = RT_STATUS_OK;
    if (pthread_mutex_trylock(&event->lock) == 0) {
        is_known = event->is_known;
        status = event->status;
        pthread_mutex_unlock(&event->lock);
    }
    if (!is_known) return event->driver_state(base);
    return rt_ok(status) ? DEV_EVENT_COMPLETE : DEV_EVENT_FAILED;
}
