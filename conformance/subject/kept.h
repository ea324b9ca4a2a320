/* Devices that stay open while one child runs several scenarios (--reuse).
 *
 * Between two scenarios nothing of the first may be left: every object is released, which is
 * counted (dev_device_live), a computation with a known answer still gives it (probe.h), and the
 * memories of the next one hold a pattern instead of old contents (dev_device_fill_memories).
 * Source: docs/decisions/025-devices-that-stay-open.md. */
#ifndef CONFORMANCE_SUBJECT_KEPT_H
#define CONFORMANCE_SUBJECT_KEPT_H

#include "conformance/subject/execute.h"
#include "conformance/subject/probe.h"

typedef struct cnf_kept_device {
    dev_device *device;
    dev_queue *filler; /* fills new memories; NULL: the device runs no command */
    cnf_probe *probe;  /* NULL: not probed yet */
} cnf_kept_device;

/* Must not move while a device is open. */
typedef struct cnf_kept {
    rt_sink *sink;            /* of all devices; outlives them */
    cnf_execution *execution; /* the scenario that uses the devices; NULL: none does */
    RT_VECTOR(cnf_kept_device) devices;
} cnf_kept;

/* Lends the device with the given index, from 0 and without gaps, to the execution; a device that
 * is not open yet is opened with the parameters, whose findings go to the execution that uses the
 * device when they arrive. Statuses of dev_device_open. */
RT_MUST_USE rt_status cnf_kept_open(cnf_kept *kept, cnf_execution *execution, uint32_t index,
                                    const dev_open_parameters *parameters, rt_text selector,
                                    dev_device **out_device);

/* What is wrong with a device after a scenario. */
typedef enum cnf_kept_fault {
    CNF_KEPT_CLEAN,
    CNF_KEPT_OBJECTS, /* it still has objects of the scenario */
    CNF_KEPT_ANSWER,  /* the known computation gives something else, or fails */
} cnf_kept_fault;

/* Takes the devices back from the execution and checks them. A fault is described in out_message,
 * and the devices must then not be used again, nor closed. */
cnf_kept_fault cnf_kept_release(cnf_kept *kept, rt_buffer *out_message);

/* Closes all devices, none of which may have objects of a scenario. */
void cnf_kept_close(cnf_kept *kept);

#endif
