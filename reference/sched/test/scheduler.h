/* What unit tests of the scheduler begin with: a loaded module, a scheduler and its queues. */
#ifndef REFERENCE_SCHED_TEST_SCHEDULER_H
#define REFERENCE_SCHED_TEST_SCHEDULER_H

#include "reference/program/test/fixture.h"
#include "reference/sched/sched.h"

/* Creates a fixture whose only module is loaded and has the kernel "k", and a scheduler on it that
 * knows no device_globals.  The caller destroys the scheduler and then the fixture. */
rt_scheduler *scheduler_create(fixture **out_fixture);

/* Creates a queue of context 0 on the device. */
rt_queue_id queue_create(rt_scheduler *scheduler, const rt_device *device, bool in_order);

#endif
