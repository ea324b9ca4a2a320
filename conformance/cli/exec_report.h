/* The findings of a program under `assay exec`: read from the lines that libassay_opencl.so wrote,
 * counted, and written as SARIF. */
#ifndef CONFORMANCE_CLI_EXEC_REPORT_H
#define CONFORMANCE_CLI_EXEC_REPORT_H

#include "conformance/cli/suppressions.h"
#include "conformance/json/json.h"

typedef struct cnf_exec_report {
    json_t *lines; /* array of objects, a finding each */
    uint64_t count, suppressed_count;
} cnf_exec_report;

/* Reads the lines of a file, which may be missing: then there are no findings. Lines that are not
 * JSON objects, such as the last of a process that was killed, are skipped. */
void cnf_exec_report_read(const char *path, cnf_exec_report *out_report);
void cnf_exec_report_free(cnf_exec_report *report);

/* Appends a line for each suppression that no finding matched. */
void cnf_exec_report_unused(const cnf_exec_report *report, const cnf_suppressions *suppressions,
                            rt_buffer *out);

/* Appends a SARIF document: a result for each finding, at its kernel's line or its call, with a
 * suppression if an entry matched. `version` is assay's. */
void cnf_exec_report_sarif(const cnf_exec_report *report, rt_text version, rt_buffer *out);

#endif
