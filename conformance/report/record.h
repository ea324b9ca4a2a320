/* Records: one verdict of one scenario on one subject, as a line of JSON.
 *
 *   {"scenario": "linking/twice.yaml", "subject": "sim", "verdict": "PASS", "signature": "",
 *    "observed": 3, "unobserved": ["launches"], "seconds": 0.012, …}
 *
 * "scenario" is the path from the scenarios' root and "subject" is "-" where the scenario itself is
 * wrong.  Present where there is something to say: "expected", "message", "rule", "file", "line",
 * "step", "step_id", "capability", "answer", "device", "driver". */
#ifndef CONFORMANCE_REPORT_RECORD_H
#define CONFORMANCE_REPORT_RECORD_H

#include "conformance/compare/verdict.h"

typedef struct cnf_record {
    rt_text scenario; /* path from the scenarios' root */
    rt_text file;     /* as the user reaches it from where the run began */
    rt_text subject;  /* "-": the scenario itself */
    cnf_judgement judgement;
    rt_text step_id; /* of judgement.step, where the scenario gives one */
    double seconds;
    rt_text device, driver; /* empty where the subject was never opened */
} cnf_record;

/* Appends the record's line, its newline included.  Bytes that are no UTF-8 become '?'. */
void cnf_record_write(rt_buffer *out, const cnf_record *record);

/* Copies a record with everything that it points to into the arena. */
cnf_record cnf_record_copy(rt_arena *arena, const cnf_record *record);

/* Appends the record to a file that was opened with O_APPEND, by one write, so that lines of
 * several runs do not mix.  Returns 0 or an errno; a line that was written in part is ENOSPC. */
int cnf_record_append(int file, const cnf_record *record);

#endif
