/* The explanation of a scenario's verdict on a subject, as text for people. */
#ifndef CONFORMANCE_REPORT_WHY_H
#define CONFORMANCE_REPORT_WHY_H

#include "conformance/requirements/rules.h"
#include "conformance/verdict/record.h"

/* The input of an explanation; borrowed. */
typedef struct cnf_why {
    const cnf_record *record; /* of the subject */
    const char *sim;          /* the oracle's verdict as a word; NULL: the subject is the oracle */
    const scn_scenario *scenario; /* NULL: reading or compiling failed */
    const cnf_messages *messages; /* from the subject's child; NULL: none ran */
    const cnf_messages *oracle;   /* from sim's child; NULL: sim's run did not pass */
    rt_text log;                  /* record of the OpenCL layer; empty: none */
    bool log_is_tail;             /* the beginning of the log was dropped */
    rt_text source;               /* the scenario file's contents */
    const cnf_rules *rules;       /* NULL: no table of rules */
} cnf_why;

/* The first function returns a check's result, "agrees", "FAILS" or "unseen" (static); the second
 * appends a description of the check. */
const char *cnf_check_word(const cnf_check *check);
void cnf_check_print(rt_buffer *out, const cnf_check *check);

/* Appends, in this order:
 *
 *   - the verdict;
 *   - the failing check with the scenario's lines around it;
 *   - every check, and whether it was observed;
 *   - the rule that the check cites, else the rules that the scenario covers at that step, else all
 *     that it covers: each with its text, its source, its reading and how shipped DPC++ departs
 *     from it;
 *   - the events around the first one in which the subject's trace differs from sim's;
 *   - if the subject did not pass, the last calls to its OpenCL driver;
 *   - the entry of the expectation file that applies. */
void cnf_why_write(rt_buffer *out, const cnf_why *why);

#endif
