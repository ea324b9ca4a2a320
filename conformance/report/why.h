/* Why a scenario has its verdict on a subject, told for people. */
#ifndef CONFORMANCE_REPORT_WHY_H
#define CONFORMANCE_REPORT_WHY_H

#include "conformance/requirements/rules.h"
#include "conformance/verdict/record.h"

/* All that there is to tell it from; borrowed. */
typedef struct cnf_why {
    const cnf_record *record;     /* of the subject */
    const char *sim;              /* word of the oracle's verdict; NULL: it is the subject itself */
    const scn_scenario *scenario; /* NULL: it could not be read or compiled */
    const cnf_messages *messages; /* of the subject's child; NULL: none ran */
    const cnf_messages *oracle;   /* of sim's; NULL: it did not pass */
    rt_text log;                  /* what the OpenCL layer recorded; empty: nothing */
    bool log_is_tail;             /* it is the end of a longer one */
    rt_text source;               /* content of the scenario file */
    const cnf_rules *rules;       /* NULL: there is no table of them */
} cnf_why;

/* What became of a check, "agrees", "FAILS" or "unseen" (static); and appends what was checked. */
const char *cnf_check_word(const cnf_check *check);
void cnf_check_print(rt_buffer *out, const cnf_check *check);

/* Appends the verdict; the failing check with the lines of the scenario around it; every check and
 * whether it was observed; the rule that the check cites, else the rules that the scenario shows at
 * that step, else all that it shows, each with its text, where it is written, how it is read and
 * how shipped DPC++ departs; the events around the first one at which the subject's trace leaves
 * sim's; what an OpenCL driver was asked last, where the subject did not pass; and the entry of the
 * expectation file that was applied. */
void cnf_why_write(rt_buffer *out, const cnf_why *why);

#endif
