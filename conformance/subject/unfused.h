/* Runs a subject without kernel fusion, as the oracle for the same subject with fusion.
 *
 * Except in promoted buffers, and provided that no work-group of a list depends on another, a fused
 * run gives the same results as the unfused one (document 001, "Tasks": memory is as if the kernels
 * had run one by one). `sim{fusion=off}`, or `ASSAY_FUSION=off` in the environment of a driver's
 * subject, runs every list kernel by kernel, as after cancel_fusion. Memories are judged and
 * compared as usual, but promoted buffers, and the events of the fusion itself, are not observed.
 *
 * With `shipped` instead of `off`, our runtime schedules, and the original compiler fuses. */
#ifndef CONFORMANCE_SUBJECT_UNFUSED_H
#define CONFORMANCE_SUBJECT_UNFUSED_H

#include "conformance/subject/execute.h"

/* True if the options, or the environment of this process, ask for an unfused run. */
bool cnf_unfused(const cnf_subject_options *options);

/* True if they ask for the original fusion compiler (conformance/build/shipped_fusion.h). */
bool cnf_fuses_as_shipped(const cnf_subject_options *options);

/* Returns, in the arena, all settings but `fusion`: those that are for the device. */
rt_text cnf_unfused_device_settings(rt_arena *arena, rt_text settings);

/* True if an unfused run cannot decide the expectation. */
bool cnf_unfused_hides(const cnf_execution *execution, const scn_expect *expect);

/* True if an unfused run may leave different bytes in the memory than a fused one, because the
 * scenario permits the memory's promotion. */
bool cnf_unfused_hides_memory(const cnf_execution *execution, uint32_t memory);

#endif
