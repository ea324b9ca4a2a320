/* Compares the records of two runs, for pull requests. Records with the same scenario, subject and
 * conditions (such as `--seed 5`) are compared; if one file has several such records, only the last
 * counts.
 */
#ifndef CONFORMANCE_VERDICT_COMPARISON_H
#define CONFORMANCE_VERDICT_COMPARISON_H

#include "conformance/verdict/record.h"

/* kind, words, whether it is a regression
 *
 *     NEW       the verdict is unexpected; before, it was expected, or there was no record, or only
 *               some of the checks that fail now failed
 *     CHANGED   still unexpected, or still known, but with a different verdict or signature
 *     FIXED     was a failure, known or not, and now passes
 *     KNOWN     was no failure or an unexpected one, and is now covered by an expectation entry
 *     SKIPPED   ran before and is now skipped or not available: one check fewer
 *     RESUMED   was skipped or not available and now passes
 *     FLAKY     passed, and now failed and passed when it was tried again
 *     SLOWER    still passes, but took longer than the bound
 *     ADDED     has no record in the old run, and is as expected in the new one
 *     REMOVED   ran in the old run and has no record in the new one: one check fewer
 *
 * A subject or a scenario that only one of the runs has is a matter of their selections: if more
 * than a few records have no partner, one line says so instead of one for each. */
#define CNF_CHANGES(CHANGE)                                                                        \
    CHANGE(NEW, "new failure", true)                                                               \
    CHANGE(CHANGED, "changed failure", false)                                                      \
    CHANGE(SKIPPED, "skipped now", true)                                                           \
    CHANGE(REMOVED, "not in the new run", true)                                                    \
    CHANGE(FLAKY, "flaky now", false)                                                              \
    CHANGE(SLOWER, "slower", true)                                                                 \
    CHANGE(KNOWN, "known failure now", false)                                                      \
    CHANGE(FIXED, "fixed", false)                                                                  \
    CHANGE(RESUMED, "no longer skipped", false)                                                    \
    CHANGE(ADDED, "added", false)

typedef enum cnf_change {
#define CNF_CHANGE_ENUM(change, words, worse) CNF_CHANGE_##change,
    CNF_CHANGES(CNF_CHANGE_ENUM)
#undef CNF_CHANGE_ENUM
        CNF_CHANGE_COUNT
} cnf_change;

/* A test is slower if it took more than `factor` times as long and at least `least_seconds` longer,
 * because short times depend more on the machine than on the subject. */
typedef struct cnf_slower_bound {
    double factor, least_seconds;
} cnf_slower_bound;

/* Appends the changes, one per line or as a Markdown table, in the order of the table above, then
 * the counts. Returns true if any change is a regression. */
bool cnf_comparison_write(rt_buffer *out, const cnf_records *old_run, const cnf_records *new_run,
                          cnf_slower_bound bound, bool markdown);

#endif
