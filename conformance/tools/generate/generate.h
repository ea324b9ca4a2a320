/* Generates kernels and lists of kernels from seeds, to compare devices.
 *
 * A kernel is valid by construction: it has no undefined behaviour, stays within its memories, has
 * no races, terminates quickly, and its results do not depend on the order of work-items; floats
 * are used only in operations that are exact or correctly rounded on every device.  Therefore all
 * devices must agree on every bit, and any finding of the simulated device is a defect.
 *
 * Source: OpenCL C 3.0, "Operators", "Built-in Functions". */
#ifndef CONFORMANCE_TOOLS_GENERATE_GENERATE_H
#define CONFORMANCE_TOOLS_GENERATE_GENERATE_H

#include "reference/base/text.h"

/* Another program with the same results: all results that the documents determine stay the same. */
typedef enum gen_variation {
    GEN_AS_DRAWN,
    GEN_UNRELATED, /* with a library loaded that nothing uses */
    GEN_RENAMED,   /* all functions and kernels have other names */
    GEN_IN_ORDER,  /* all queues are in order */
    GEN_NOT_FUSED, /* fusion lists are cancelled */
    GEN_SPLIT,     /* the same images come from sources that are split in another way */
    GEN_FRESH,     /* the launches again, and once more in a new process with the same modules */
    GEN_VARIATIONS
} gen_variation;

struct gen_weights;

typedef struct gen_request {
    uint64_t seed;
    gen_variation variation;           /* of programs; kernels have none */
    const struct gen_weights *weights; /* of programs; NULL: the defaults */
    const uint32_t *without;           /* numbers of the statements to omit, from 1; borrowed */
    uint32_t without_count;
} gen_request;

/* True if the request omits the statement, or other unit, of the number. */
bool gen_request_omits(const gen_request *request, uint32_t number);

/* Appends a complete scenario to `out`: the kernel, its memories and its launch.  `assay run`
 * compares the resulting memories of several subjects; the scenario itself expects that every
 * work-item reached its end.  *out_statement_count is the number of statements that can be omitted,
 * regardless of those that the request omits. */
void gen_scenario_write(const gen_request *request, rt_buffer *out, uint32_t *out_statement_count);

/* Appends a scenario with a list of kernels that must be fused, unless the documents permit to
 * refuse it; subjects with and without fusion must leave the same memories.  What can be omitted
 * are the kernels of the list. */
void gen_list_write(const gen_request *request, rt_buffer *out, uint32_t *out_submit_count);

/* The same with ranges of one dimension, for a compiler that may refuse any list. */
void gen_flat_list_write(const gen_request *request, rt_buffer *out, uint32_t *out_submit_count);

#endif
