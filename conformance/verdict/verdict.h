/* Verdicts: the result of one scenario on one subject. Source: docs/internals/conformance.md. */
#ifndef CONFORMANCE_VERDICT_VERDICT_H
#define CONFORMANCE_VERDICT_VERDICT_H

#include "conformance/verdict/messages.h"

/* verdict, its word in records and matrices, its effect on the exit status
 *
 *     PASS            every observable expectation was met, and at least one was observable
 *     FAIL            the signature says what differs
 *     XFAIL           fails as an expectation file predicts
 *     XPASS           passes although an expectation file predicts a failure
 *     XFAIL_MISMATCH  fails, but not as the expectation file predicts
 *     SKIP            the subject lacks a capability; the record has the device's answer
 *     UNAVAILABLE     the subject, or something that it needs, is not installed
 *     CRASH           the process died
 *     TIMEOUT         the time limit expired; the device still answers
 *     HANG            the time limit expired; the device no longer answers
 *     INVALID         the scenario itself is wrong
 *     LINKED          a link-only subject: everything up to the launch agreed
 *     NOT_RUN         the run was interrupted, or a process or program could not be started
 *     POISONED        not run, because an earlier scenario lost the device
 *     FLAKE           failed, and then passed when it was tried again (--retries) */
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
    VERDICT(POISONED, "POISONED", UNEXPECTED)                                                      \
    VERDICT(FLAKE, "FLAKE", EXPECTED)

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

/* The verdict's word (static) and effect, from the table. */
const char *cnf_verdict_word(cnf_verdict verdict);
cnf_effect cnf_verdict_effect(cnf_verdict verdict);

/* Finds a verdict by its word; CNF_VERDICT_COUNT if there is none. */
cnf_verdict cnf_verdict_find(rt_text word);

/* True if the scenario ran on the subject, with any result. */
bool cnf_verdict_ran(cnf_verdict verdict);

/* Why a check counts as failing, in the order in which failures are listed: the end of the process,
 * and a fault that the device found, come first because they explain other failures. */
typedef enum cnf_failure_cause {
    CNF_CAUSE_PROCESS, /* a crash, a time limit, a violation of the protocol */
    CNF_CAUSE_FINDING, /* a finding of the device that no step expects */
    CNF_CAUSE_CHECK,   /* an expectation that does not hold */
    CNF_CAUSE_COUNT
} cnf_failure_cause;

/* One failing check. */
typedef struct cnf_failure {
    cnf_failure_cause cause;
    rt_text signature;       /* stage:class:code:place */
    rt_text message;         /* for people, several lines */
    rt_text rule;            /* cited by the check; empty: none */
    uint32_t step;           /* of the scenario; SCN_NONE: none, or after the last one */
    rt_text step_id;         /* its id; empty: none */
    uint32_t line;           /* of the scenario file; 0: none */
    cnf_code_place code;     /* what failed, if it is in another file */
    const rt_text *memories; /* names of the memories that the check depends on */
    uint32_t memory_count;
    rt_text entry;    /* FILE:LINE of the expectation entry that covers the failure; empty: none */
    bool is_poisoned; /* the entry names another failure, which spoiled one of the memories */
} cnf_failure;

/* One of several runs of a scenario on a subject. */
typedef struct cnf_attempt {
    cnf_verdict verdict;
    rt_text signature; /* of its failures; empty: none */
    double seconds;
} cnf_attempt;

/* A verdict with its reasons. Texts live in the arena passed to the judging function. */
typedef struct cnf_judgement {
    cnf_verdict verdict;
    rt_text signature;           /* for an unexpected result, the signatures of the failures, in
                                  * their order, separated by blanks; otherwise empty */
    rt_text message;             /* for people, several lines; empty for PASS */
    rt_text rule;                /* cited by the first failure; empty: none */
    uint32_t step;               /* of the first failure; SCN_NONE: none */
    uint32_t line;               /* of the scenario file; 0: none */
    cnf_code_place code;         /* of the first failure, if it is in another file */
    const cnf_failure *failures; /* ordered by cause, step and signature, without duplicates. Empty
                                  * for a result with a single reason, which the members above
                                  * describe */
    uint32_t failure_count;
    uint32_t expected;         /* number of checks that the child judged */
    uint32_t observed;         /* number of those that the subject can observe */
    const rt_text *unobserved; /* kinds of the remaining checks, each listed once */
    uint32_t unobserved_count;
    uint32_t compared;           /* final memories that were compared with those of the oracle */
    rt_text capability, answer;  /* SKIP */
    const cnf_attempt *attempts; /* in their order; empty if the scenario ran once */
    uint32_t attempt_count;
} cnf_judgement;

/* Returns "stage:class:code:place" in the arena. Characters that a part must not contain (colons,
 * blanks, quotes) become '-'; an empty part is "-". */
rt_text cnf_signature(rt_arena *arena, rt_text stage, rt_text class, rt_text code, rt_text place);

/* Adds failing checks to a judgement, whose signature, message, rule, step and line then describe
 * all its failures, the first one in full, with readable names in messages
 * (reference/base/demangle.h). Does not change the verdict. Of several failures with the same
 * signature, only the first is kept. */
void cnf_judgement_add(rt_arena *arena, cnf_judgement *inout, const cnf_failure *failures,
                       uint32_t count);

/* The failures of a judgement that has a signature, in the arena; a single reason counts as one
 * failure. */
cnf_failure *cnf_judgement_failures(rt_arena *arena, const cnf_judgement *judgement,
                                    uint32_t *out_count);

#endif
