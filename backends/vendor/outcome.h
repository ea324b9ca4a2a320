/* The result of waiting for a command.  A driver that has lost its device may answer differently on
 * each call, but all callers must get the same answer; so the status of the first wait is kept, and
 * the driver is not queried again. */
#ifndef BACKENDS_VENDOR_OUTCOME_H
#define BACKENDS_VENDOR_OUTCOME_H

#include "reference/device/device.h"

#include <pthread.h>

/* A member of an adapter's event. */
typedef struct vendor_outcome {
    pthread_mutex_t lock; /* guards the two members below */
    bool is_known;        /* a wait has returned */
    rt_status status;     /* the status of that wait */
} vendor_outcome;

/* Initialises an outcome that is not known yet; vendor_outcome_end frees it. */
void vendor_outcome_begin(vendor_outcome *out_outcome);
void vendor_outcome_end(vendor_outcome *outcome);

/* Returns the result of the first wait for the event.  If there was none, this call performs it
 * with `wait`.  Several threads may wait at the same time; only one of them calls `wait`. */
RT_MUST_USE rt_status vendor_outcome_wait(vendor_outcome *outcome, dev_event *event,
                                          rt_status (*wait)(dev_event *event));

/* Returns the command's state if a wait has returned, otherwise PENDING; the caller then queries
 * the driver.  Never blocks, not even on the lock of a thread that is waiting. */
dev_event_state vendor_outcome_state(vendor_outcome *outcome);

#endif
