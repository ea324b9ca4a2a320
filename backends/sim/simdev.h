/* assay's simulated device (sim/) behind the device interface. */
#ifndef BACKENDS_SIM_SIMDEV_H
#define BACKENDS_SIM_SIMDEV_H

#include "reference/device/device.h"

/* Takes SPIR-V, links it itself, executes, finds faults.  Commands run late: when somebody waits
 * for an event or closes a queue, in an order that the wait lists allow and the seed chooses.  The
 * same seed and the same calls give the same order.  Its selector is "", or "schedule=NAME" with
 * the name of a schedule of kernels (sim_schedule_name). */
extern const dev_backend simdev_backend;

#endif
