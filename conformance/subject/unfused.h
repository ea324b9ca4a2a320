/* A subject without kernel fusion, as the oracle for the same subject with it.
 *
 * Outside promoted buffers, and for lists in which no work-group depends on another, a fused run
 * equals the unfused one (document 001, "Tasks": memory is as if the kernels had run one by one).
 * `sim{fusion=off}`, or `ASSAY_FUSION=off` in the environment of a driver's subject, runs every
 * list kernel by kernel, as after cancel_fusion. Memories are judged and compared as usual; events
 * of the fusion itself, and promoted buffers, are not observed. */
#ifndef CONFORMANCE_SUBJECT_UNFUSED_H
#define CONFORMANCE_SUBJECT_UNFUSED_H

#include "conformance/subject/execute.h"

/* True if the options, or the environment of this process, ask for an unfused run. */
bool cnf_unfused(const cnf_subject_options *options);

/* The remaining settings, which are for the device, in the arena. */
rt_text cnf_unfused_device_settings(rt_arena *arena, rt_text settings);

/* True if an unfused run cannot decide the expectation. */
bool cnf_unfused_hides(const cnf_execution *execution, const scn_expect *expect);

/* True if an unfused run may leave other bytes in the memory than a fused one, because the scenario
 * permits its promotion. */
bool cnf_unfused_hides_memory(const cnf_execution *execution, uint32_t memory);

#endif
