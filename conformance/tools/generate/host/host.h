/* Generates host programs from seeds: scenarios that load and unload libraries, launch kernels and
 * restart, in random order.
 *
 * Names come from a small pool, so that they collide: several libraries define one function, a
 * kernel of one library is named like a function of another, two libraries have kernels of the same
 * name. Each definition has a number, and a kernel stores the sum of those of all definitions that
 * it calls, so the sum shows what was linked. A small model of the documents' linking (model.h)
 * predicts the sum, or the set of sums that conform. Launches set specialisation constants, and
 * increment device_globals, on two devices; other steps work on memories (work.h).
 *
 * Source: SharedLibraries.md ("Runtime changes", "Program manager"). */
#ifndef CONFORMANCE_TOOLS_GENERATE_HOST_HOST_H
#define CONFORMANCE_TOOLS_GENERATE_HOST_HOST_H

#include "conformance/tools/generate/generate.h"
#include "conformance/tools/generate/host/weights.h"

/* Appends a complete scenario to `out`. What can be omitted are steps, images, needs, definitions
 * and calls; the model predicts anew how the remaining launches end, and steps that have become
 * impossible are left out too. *out_unit_count is the number of things that can be omitted,
 * regardless of those that the request omits. */
void gen_host_write(const gen_request *request, rt_buffer *out, uint32_t *out_unit_count);

#endif
