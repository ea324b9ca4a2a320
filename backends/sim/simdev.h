/* The adapter of assay's simulated device (sim/). */
#ifndef BACKENDS_SIM_SIMDEV_H
#define BACKENDS_SIM_SIMDEV_H

#include "reference/device/device.h"

/* Takes SPIR-V and images in its native format, links and executes them, and reports faults.
 * Commands run late, when a caller waits for an event or destroys a queue, in an order that the
 * wait lists allow and the seed chooses. The same seed and the same calls give the same order. The
 * selector is "", or "schedule=NAME" with the name of a schedule for kernels (sim_schedule_name),
 * "engine=NAME" with the name of an engine (sim_world_choose_engine), "clock=host" for times of
 * commands in nanoseconds of the host's monotonic clock ("clock=steps", the default, counts),
 * "usm=mapped" for USM of the kinds host and shared that the host accesses at dev_memory_address,
 * or several of these separated by commas. */
extern const dev_backend simdev_backend;

/* The device's offline compiler: appends to *out_image the native image (sim/sim.h) of one SPIR-V
 * module. Imports stay unresolved, and specialisation constants get their defaults. Fails with the
 * codes of sim_module_create, or with LIMIT. */
RT_MUST_USE rt_status simdev_offline_compile(rt_sink *sink, rt_bytes spirv, rt_buffer *out_image);

/* Finds the address of an exported function of an executable program of this adapter, which the
 * program's kernels can call (sim_world_function).  ERRC_INVALID: none with that name has one; also
 * ERRC_MEMORY_ALLOCATION and LIMIT. */
RT_MUST_USE rt_status simdev_function_find(dev_program *program, rt_text name,
                                           uint64_t *out_address);

#endif
