/* What kernels print.
 *
 * Drivers print on the standard output of their process, and so does the simulated device.  For a
 * scenario that expects some output this process' standard output is a file in memory while the
 * scenario runs; what is in it goes where it would have gone when the scenario ends.
 * Source: OpenCL C specification 3.0, section 6.15.14.1 "printf output synchronization". */
#ifndef CONFORMANCE_SUBJECT_OUTPUT_H
#define CONFORMANCE_SUBJECT_OUTPUT_H

#include "conformance/scenario/model/model.h"

typedef struct cnf_output {
    int file, standard; /* descriptors; -1 while nothing is captured */
    size_t seen;        /* bytes already compared by an expectation */
} cnf_output;

/* Starts capturing output if the scenario expects any; false, with errno, if the system cannot.
 * Close it in any case. */
bool cnf_output_open(cnf_output *output, const scn_scenario *scenario);

/* Appends the output since the last text marked as seen; false, with errno, on an error. */
bool cnf_output_read(const cnf_output *output, rt_buffer *out_text);

/* Writes everything to the original standard output. */
void cnf_output_close(cnf_output *output);

#endif
