/* The report of a run as JUnit's XML, the format of continuous-integration servers.
 *
 * A testsuite for each subject, in the order of the columns, and a last one named "scenarios" for
 * invalid scenario files; a testcase for each record, named after the scenario, with its folder as
 * classname. The elements of the verdicts:
 *
 *   PASS, LINKED                                     an empty testcase
 *   SKIP, XFAIL, UNAVAILABLE of the subject          <skipped>, with the reason
 *   FAIL, CRASH, TIMEOUT, HANG, POISONED             <failure>, its type the signature
 *   XPASS, XFAIL_MISMATCH                            <failure>, with what the entry expects
 *   INVALID, NOT_RUN, UNAVAILABLE of the compiler    <error>
 *
 * <system-out> has the whole message, the rule, the device and the command that runs it again.
 * Characters that XML 1.0 does not allow (section 2.2) and bytes that are not UTF-8 become U+FFFD.
 */
#ifndef CONFORMANCE_REPORT_JUNIT_H
#define CONFORMANCE_REPORT_JUNIT_H

#include "conformance/report/matrix.h"

/* Appends the document. */
void cnf_junit_write(rt_buffer *out, cnf_report *report, const cnf_column *columns,
                     uint32_t column_count);

#endif
