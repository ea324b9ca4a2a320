/* The report of a run as JUnit's XML, the format of continuous-integration servers.
 *
 * Each subject has a testsuite, in the order of the columns; a final testsuite named "scenarios"
 * holds invalid scenario files. Each record is a testcase named after the scenario, with the
 * scenario's folder as classname. The elements of the verdicts:
 *
 *   PASS, LINKED, FLAKE                              an empty testcase
 *   SKIP, XFAIL, UNAVAILABLE of the subject          <skipped>, with the reason
 *   FAIL, CRASH, TIMEOUT, HANG, POISONED             <failure>, with the signature as type
 *   XPASS, XFAIL_MISMATCH                            <failure>, with what the entry expects
 *   INVALID, NOT_RUN, UNAVAILABLE of the compiler    <error>
 *
 * The element's text is the whole message; its attribute `message` has one line. A testcase has the
 * scenario's file and, if a check failed, its line; a testsuite has the time at which the run began
 * and the host, unless its scenarios ran on several (assay merge): then each testcase has its own.
 * <system-out> has the rule, the device, that host and the command that runs the scenario again.
 * Characters that XML 1.0 does not allow (section 2.2) and bytes that are not UTF-8 become U+FFFD.
 */
#ifndef CONFORMANCE_REPORT_JUNIT_H
#define CONFORMANCE_REPORT_JUNIT_H

#include "conformance/report/matrix.h"

/* Appends the document. */
void cnf_junit_write(rt_buffer *out, cnf_report *report, const cnf_column *columns,
                     uint32_t column_count);

#endif
