/* Captures what kernels print.
 *
 * Drivers print to the standard output of their process, and so does the simulated device. If a
 * scenario expects output, this process's standard output is redirected to an in-memory file while
 * the scenario runs; at the end, the file's contents are written to the original standard output.
 * Source: OpenCL C specification 3.0, section 6.15.14.1 "printf output synchronization". */
#ifndef CONFORMANCE_SUBJECT_OUTPUT_H
#define CONFORMANCE_SUBJECT_OUTPUT_H

#include "conformance/scenario/model/model.h"

typedef struct cnf_output {
    int file, standard; /* descriptors; -1 while nothing is captured */
    size_t seen;        /* bytes already compared by an expectation */
} cnf_output;

/* Starts capturing output if the scenario expects any; false, with errno, if the system cannot. The
 * caller must always call cnf_output_close, even on failure. */
bool cnf_output_open(cnf_output *output, const scn_scenario *scenario);

/* Appends the output printed since the last output marked as seen; false, with errno, on an error.
 */
bool cnf_output_read(const cnf_output *output, rt_buffer *out_text);

/* Stops capturing and writes everything captured to the original standard output. */
void cnf_output_close(cnf_output *output);

#endif
