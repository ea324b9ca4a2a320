/* Captures what kernels and the runtime print.
 *
 * Drivers and the simulated device print what kernels print to the standard output of their
 * process, and runtimes print warnings to its standard error. If a scenario expects output or
 * warnings, that stream is redirected to an in-memory file while the scenario runs; at the end, the
 * file's contents are written to the original stream. Source: OpenCL C specification 3.0, section
 * 6.15.14.1 "printf output synchronization". */
#ifndef CONFORMANCE_SUBJECT_OUTPUT_H
#define CONFORMANCE_SUBJECT_OUTPUT_H

#include "conformance/scenario/model/model.h"

enum { CNF_STREAM_COUNT = 2 };

typedef struct cnf_output {
    struct cnf_stream {
        int file, original; /* descriptors; -1 while nothing is captured */
        size_t seen;        /* bytes already compared by an expectation */
    } streams[CNF_STREAM_COUNT];
} cnf_output;

/* Starts capturing the streams that the scenario has expectations of; false, with errno, if the
 * system cannot. The caller must always call cnf_output_close, even on failure. */
bool cnf_output_open(cnf_output *output, const scn_scenario *scenario);

/* Appends what has been printed since the last call of cnf_output_seen to the stream that this kind
 * of expectation is about, OUTPUT or WARNINGS; it must be captured. False, with errno, on an error.
 */
bool cnf_output_read(const cnf_output *output, scn_expect_kind kind, rt_buffer *out_text);

/* Makes later reads of that stream start `size` bytes later. */
void cnf_output_seen(cnf_output *output, scn_expect_kind kind, size_t size);

/* Stops capturing and writes everything captured to the original streams. */
void cnf_output_close(cnf_output *output);

#endif
