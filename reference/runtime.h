/* The reference runtime: all of its parts, composed.
 *
 * One value of this type is one process as an application sees it: modules are loaded, devices are
 * there, queues take launches.  A real process can hold as many as it likes; they share nothing. */
#ifndef REFERENCE_RUNTIME_H
#define REFERENCE_RUNTIME_H

#include "reference/sched/sched.h"

typedef struct rt_runtime rt_runtime;

/* Makes a runtime that knows the modules (none is loaded yet; the table is copied, its contents are
 * borrowed).  The seed decides what the documents leave open. */
rt_runtime *rt_runtime_create(rt_sink *sink, const rt_module *modules, uint32_t module_count,
                              uint64_t seed);

/* Waits for all commands, frees everything, and checks that nothing is left.  The devices are the
 * caller's to destroy afterwards.  NULL does nothing. */
void rt_runtime_destroy(rt_runtime *runtime);

/* The record of what happens; valid as long as the runtime. */
rt_trace *rt_runtime_trace(rt_runtime *runtime);

/* Makes an opened device (borrowed) known under a name (borrowed). */
const rt_device *rt_runtime_device_add(rt_runtime *runtime, rt_text name, dev_device *device);

/* The loader: rt_loader_start, rt_loader_open, rt_loader_close. */
rt_loader *rt_runtime_loader(rt_runtime *runtime);

/* The scheduler: queues, launches, host reads, waits. */
rt_scheduler *rt_runtime_scheduler(rt_runtime *runtime);

/* Makes a memory that lives as long as the runtime.  Codes of rt_memory_create. */
RT_MUST_USE rt_status rt_runtime_memory_create(rt_runtime *runtime, rt_text name, uint64_t size,
                                               const void *initial, rt_memory **out_memory);

#endif
