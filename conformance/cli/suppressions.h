/* Files of suppressions for `assay exec`: findings that the user knows and does not want to see.
 *
 *     assay_suppressions: 1
 *     entries:
 *       - class: race                  # of the finding
 *         kernel: scan_*               # its name, as messages print it, or its symbol
 *         file: program-*.cl           # the kernel's source, or the program or library that called
 *         reason: One or two sentences.
 *
 * In a pattern, * matches any characters (fnmatch(3)). A finding is suppressed by the first
 * entry whose keys all match. Source: docs/exec.md. */
#ifndef CONFORMANCE_CLI_SUPPRESSIONS_H
#define CONFORMANCE_CLI_SUPPRESSIONS_H

#include "conformance/scenario/model/scenario.h"

typedef struct cnf_suppression {
    rt_text class, kernel, file; /* empty: any */
    rt_text reason;
    rt_text entry; /* "FILE:LINE", its name in reports */
    scn_position at;
} cnf_suppression;

/* In the arena. */
typedef struct cnf_suppressions {
    const cnf_suppression *items;
    uint32_t count;
} cnf_suppressions;

/* Reads a file; false after reporting its problems on stderr. */
bool cnf_suppressions_read(rt_sink *sink, rt_arena *arena, const char *file,
                           cnf_suppressions *out_suppressions);

/* Appends them as libassay_opencl.so reads them (opencl/suppress.c): their number, and the five
 * texts of each. */
void cnf_suppressions_write(const cnf_suppressions *suppressions, rt_buffer *out);

/* The class of findings with that index, with the sentence that describes it; NULL after the last.
 * These are all that a program under `assay exec` can have. */
const char *cnf_finding_class(uint32_t index, const char **out_description);

#endif
