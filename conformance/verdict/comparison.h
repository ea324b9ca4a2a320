/* What changed between two runs, from their records: for a pull request.
 *
 * Records of one scenario, subject and conditions (`--seed 5`) are compared; where a file has
 * several of them the last one counts.  */
#ifndef CONFORMANCE_VERDICT_COMPARISON_H
#define CONFORMANCE_VERDICT_COMPARISON_H

#include "conformance/verdict/record.h"

/* kind, words, whether something got worse
 *
 * NEW       the verdict is unexpected and was not, or its record is new
 * CHANGED   it is as unexpected, or as known, as it was, with another verdict or signature
 * FIXED     it was a failure, known or not, and passes
 * KNOWN     it was no failure, or an unexpected one, and an expectation file knows it now
 * SKIPPED   it ran, and is skipped or not available now: a check less
 * ASKED     it was skipped or not available, and passes now
 * SLOWER    it passes as it did, and took longer than the bound
 * ADDED     it has no record in the old run, and is as expected
 * GONE      it ran in the old run and has no record in the new one: a check less */
#define CNF_CHANGES(CHANGE)                                                                        \
    CHANGE(NEW, "new failure", true)                                                               \
    CHANGE(CHANGED, "changed failure", false)                                                      \
    CHANGE(SKIPPED, "skipped now", true)                                                           \
    CHANGE(GONE, "not in the new run", true)                                                       \
    CHANGE(SLOWER, "slower", true)                                                                 \
    CHANGE(KNOWN, "known failure now", false)                                                      \
    CHANGE(FIXED, "fixed", false)                                                                  \
    CHANGE(ASKED, "no longer skipped", false)                                                      \
    CHANGE(ADDED, "added", false)

typedef enum cnf_change {
#define CNF_CHANGE_ENUM(change, words, worse) CNF_CHANGE_##change,
    CNF_CHANGES(CNF_CHANGE_ENUM)
#undef CNF_CHANGE_ENUM
        CNF_CHANGE_COUNT
} cnf_change;

/* From when on a verdict is slower: it took more than `factor` times as long, and at least
 * `least_seconds` longer, since a short time says more about the machine than about the subject. */
typedef struct cnf_slower_bound {
    double factor, least_seconds;
} cnf_slower_bound;

/* Appends what changed, a line each (or, as Markdown, a table of them), worst first, and the
 * counts. Returns true where something got worse, as the table says. */
bool cnf_comparison_write(rt_buffer *out, const cnf_records *old_run, const cnf_records *new_run,
                          cnf_slower_bound bound, bool markdown);

#endif
