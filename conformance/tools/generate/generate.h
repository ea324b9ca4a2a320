/* Makes kernels from seeds, to compare devices by.
 *
 * A kernel is valid by construction: it has no undefined behaviour, stays inside its memories, has
 * no race, ends soon, and its results do not depend on the order of work-items; floats are only in
 * operations that are exact or correctly rounded on every device.  So every two devices have to
 * agree on every bit, and a finding of the simulated device is a defect.  Source: OpenCL C 3.0,
 * "Operators", "Built-in Functions". */
#ifndef CONFORMANCE_TOOLS_GENERATE_GENERATE_H
#define CONFORMANCE_TOOLS_GENERATE_GENERATE_H

#include "reference/base/text.h"

typedef struct gen_request {
    uint64_t seed;
    const uint32_t *without; /* numbers of statements that are left out, from 1; borrowed */
    uint32_t without_count;
} gen_request;

/* Appends a whole scenario to `out`: the kernel, its memories and its launch.  The memories that it
 * leaves are compared by `assay run` on several subjects; what the scenario itself expects is that
 * every work-item came to its end.  The number of statements that can be left out is
 * *out_statement_count, whatever the request leaves out. */
void gen_scenario_write(const gen_request *request, rt_buffer *out, uint32_t *out_statement_count);

#endif
