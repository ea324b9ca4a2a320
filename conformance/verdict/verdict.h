/* Verdicts: the result of one scenario on one subject. Source: docs/internals/conformance.md. */
#ifndef CONFORMANCE_VERDICT_VERDICT_H
#define CONFORMANCE_VERDICT_VERDICT_H

#include "conformance/verdict/messages.h"

/* verdict, its word in records and matrices, its effect on the exit status
 *
 *     PASS            every expectation was observed or is unobservable here; some were observed
 *     FAIL            the signature says what differs
 *     XFAIL           fails as an expectation file says
 *     XPASS           passes although an expectation file says that it fails
 *     XFAIL_MISMATCH  fails in another way than the expectation file says
 *     SKIP            the subject lacks a capability; the record has its answer
 *     UNAVAILABLE     the subject, or something that it needs, is not installed
 *     CRASH           the process died
 *     TIMEOUT         the time limit expired; the device still answers
 *     HANG            the time limit expired; the device no longer answers
 *     INVALID         the scenario itself is wrong
 *     LINKED          a link-only subject: everything up to the launch agreed
 *     NOT_RUN         the run was interrupted, or a process or program could not be started
 *     POISONED        not run, because an earlier scenario lost the device */
#define CNF_VERDICTS(VERDICT)                                                                      \
    VERDICT(PASS, "PASS", EXPECTED)                                                                \
    VERDICT(FAIL, "FAIL", UNEXPECTED)                                                              \
    VERDICT(XFAIL, "XFAIL", EXPECTED)                                                              \
    VERDICT(XPASS, "XPASS", UNEXPECTED)                                                            \
    VERDICT(XFAIL_MISMATCH, "XFAIL_MISMATCH", UNEXPECTED)                                          \
    VERDICT(SKIP, "SKIP", EXPECTED)                                                                \
    VERDICT(UNAVAILABLE, "UNAVAILABLE", EXPECTED)                                                  \
    VERDICT(CRASH, "CRASH", UNEXPECTED)                                                            \
    VERDICT(TIMEOUT, "TIMEOUT", UNEXPECTED)                                                        \
    VERDICT(HANG, "HANG", UNEXPECTED)                                                              \
    VERDICT(INVALID, "INVALID", USAGE)                                                             \
    VERDICT(LINKED, "LINKED", EXPECTED)                                                            \
    VERDICT(NOT_RUN, "NOT_RUN", INFRASTRUCTURE)                                                    \
    VERDICT(POISONED, "POISONED", UNEXPECTED)

typedef enum cnf_verdict {
#define CNF_VERDICT_ENUM(verdict, word, effect) CNF_VERDICT_##verdict,
    CNF_VERDICTS(CNF_VERDICT_ENUM)
#undef CNF_VERDICT_ENUM
        CNF_VERDICT_COUNT
} cnf_verdict;

/* A verdict's effect on the exit status; the values are the statuses. */
typedef enum cnf_effect {
    CNF_EFFECT_EXPECTED = 0,
    CNF_EFFECT_UNEXPECTED = 1,
    CNF_EFFECT_USAGE = 2,
    CNF_EFFECT_INFRASTRUCTURE = 3,
} cnf_effect;

/* The table's word (static), and the table's effect. */
const char *cnf_verdict_word(cnf_verdict verdict);
cnf_effect cnf_verdict_effect(cnf_verdict verdict);

/* Finds a verdict by its word; CNF_VERDICT_COUNT if there is none. */
cnf_verdict cnf_verdict_find(rt_text word);

/* True if the scenario ran on the subject, with any result. */
bool cnf_verdict_ran(cnf_verdict verdict);

/* A verdict with its reasons. Texts live in the arena passed to the judging function. */
typedef struct cnf_judgement {
    cnf_verdict verdict;
    rt_text signature;         /* stage:class:code:place of an unexpected result; otherwise empty */
    rt_text message;           /* for people, several lines; empty for PASS */
    rt_text rule;              /* cited by the failed check; empty: none */
    uint32_t step;             /* the scenario's step that failed; SCN_NONE: none */
    uint32_t line;             /* of the scenario file; 0: none */
    uint32_t expected;         /* checks that the child judged */
    uint32_t observed;         /* the checks that the subject can observe */
    const rt_text *unobserved; /* kinds of the other checks, each once */
    uint32_t unobserved_count;
    rt_text capability, answer; /* SKIP */
} cnf_judgement;

/* Returns "stage:class:code:place" in the arena. Characters that a part must not contain (colons,
 * blanks, quotes) become '-'; an empty part is "-". */
rt_text cnf_signature(rt_arena *arena, rt_text stage, rt_text class, rt_text code, rt_text place);

#endif
