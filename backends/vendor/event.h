/* Events of the adapters.  A driver that has lost its device may answer differently on each call,
 * but all callers must get the same answer; so the status of the first wait for a command is kept,
 * and the driver is not queried again. */
#ifndef BACKENDS_VENDOR_EVENT_H
#define BACKENDS_VENDOR_EVENT_H

#include "reference/device/device.h"

#include <pthread.h>

/* The first member of an adapter's event.  The two functions query the driver. */
typedef struct vendor_event {
    dev_event base;
    rt_status (*driver_wait)(dev_event *event);        /* waits until the command is done */
    dev_event_state (*driver_state)(dev_event *event); /* never blocks */
    pthread_mutex_t lock;                              /* guards the two members below */
    bool is_known;                                     /* a wait has returned */
    rt_status status;                                  /* the status of that wait */
} vendor_event;

/* Initialises an event whose outcome is not known yet; vendor_event_end frees what it owns.  `ops`
 * must contain vendor_event_wait and vendor_event_state. */
void vendor_event_begin(vendor_event *out_event, const dev_event_ops *ops,
                        rt_status (*driver_wait)(dev_event *event),
                        dev_event_state (*driver_state)(dev_event *event));
void vendor_event_end(vendor_event *event);

/* Returns the result of the first wait for the event, the only one that asks the driver. Several
 * threads may wait at the same time. */
RT_MUST_USE rt_status vendor_event_wait(dev_event *base);

/* Returns the command's state: the result of a wait if one has returned, otherwise the driver's
 * answer.  Never blocks, not even on the lock of a thread that is waiting. */
dev_event_state vendor_event_state(dev_event *base);

#endif
