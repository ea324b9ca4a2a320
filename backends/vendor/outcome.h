/* What the wait for a command has found.
 *
 * A driver that has lost its device answers differently each time, but every caller must get the
 * same answer; so the first wait's status is kept, and after it the driver is not asked any more.
 */
#ifndef BACKENDS_VENDOR_OUTCOME_H
#define BACKENDS_VENDOR_OUTCOME_H

#include "reference/device/device.h"

#include <pthread.h>

/* A member of an adapter's event. */
typedef struct vendor_outcome {
    pthread_mutex_t lock; /* of the two below */
    bool is_known;        /* a wait has returned: */
    rt_status status;     /* this */
} vendor_outcome;

/* Makes one of which nothing is known; vendor_outcome_end frees it. */
void vendor_outcome_begin(vendor_outcome *out_outcome);
void vendor_outcome_end(vendor_outcome *outcome);

/* The result of the first wait for the event, which this call makes with `wait` if there was none.
 * Several threads may wait at once; one of them calls `wait`. */
RT_MUST_USE rt_status vendor_outcome_wait(vendor_outcome *outcome, dev_event *event,
                                          rt_status (*wait)(dev_event *event));

/* The state of the command after a wait has returned; PENDING before, and then the caller asks the
 * driver.  It never waits, not even for the lock of a thread that does. */
dev_event_state vendor_outcome_state(vendor_outcome *outcome);

#endif
