/* A record is the verdict on one scenario on one subject, as a line of JSON.
 *
 *     {"scenario": "linking/twice.yaml", "subject": "sim", "verdict": "PASS", "signature": "",
 *      "observed": 3, "unobserved": ["launches"], "seconds": 0.012, "expected": 4, …}
 *
 * "scenario" is the path from the scenarios' root; "subject" is "-" if the scenario itself is
 * wrong. These keys are present only if they have a value: "hash", "file", "line", "code_file",
 * "code_line", "code_column" (of the first failure: cnf_code_place), "step", "step_id", "rule",
 * "message", "capability", "answer", "device", "driver", "host", "conditions", "choices",
 * "failures" (the failing checks, if the verdict has any: cnf_failure), "attempts" (if the scenario
 * ran several times: cnf_attempt), "predecessors", "reuse", "reuse_verdict" and "reuse_signature"
 * (if it ran on a device that other scenarios had used: --reuse); and if an expectation file has an
 * entry for the scenario, "entry", "seen", "class", "reason", "reference", "finding" and
 * "expected_failure", the members of cnf_known. */
#ifndef CONFORMANCE_VERDICT_RECORD_H
#define CONFORMANCE_VERDICT_RECORD_H

#include "conformance/verdict/expectations.h"
#include "reference/base/status.h"

#include <jansson.h>

/* Values of `reuse`: the result was the same alone, or it was not, so something that a predecessor
 * left has changed it. */
#define CNF_REUSE_CONFIRMED "confirmed"
#define CNF_REUSE_POISONED  "poisoned"

typedef struct cnf_record {
    rt_text scenario; /* path from the scenarios' root */
    rt_text file;     /* relative to the folder in which the run began */
    rt_text subject;  /* "-": the scenario itself */
    rt_text hash;     /* of the scenario file's contents, as rt_hash_print prints it; empty: not
                       * read */
    cnf_judgement judgement;
    rt_text step_id; /* id of judgement.step; empty: none */
    double seconds;
    rt_text device, driver; /* empty if the subject was never opened */
    rt_text host;           /* the machine on which it ran; empty: unknown */
    rt_text conditions;     /* options that influence verdicts, such as "--seed 5 --explore" */
    rt_text choices;        /* script of the run's choices, such as "0,1"; empty: chosen by the seed
                             */
    /* With --reuse: the scenarios that had used the device of its process before, in their order.
     * If its result there was not as good as it can be, it ran again alone, and `judgement` is that
     * result; `reuse` says whether the first one was the same, and then come its verdict and
     * signature. */
    const rt_text *predecessors;
    uint32_t predecessor_count;
    rt_text reuse; /* one of the words below; empty: it did not run again */
    rt_text reuse_verdict, reuse_signature;
    cnf_known known;
    rt_text again; /* the words after `assay run` that repeat it, if not the file's name; not part
                    * of its line */
} cnf_record;

/* True if the record is about a subject, false if about the scenario itself (subject "-"). */
bool cnf_record_has_subject(const cnf_record *record);

/* The record as a JSON object, which the caller releases; bytes that are not UTF-8 become U+FFFD.
 */
json_t *cnf_record_json(const cnf_record *record);

/* Appends the record's line with its newline. Bytes that are not UTF-8 become U+FFFD. */
void cnf_record_write(rt_buffer *out, const cnf_record *record);

/* Reads one line, without its newline, into the arena. MALFORMED: it is not a record of this
 * version; the message describes the mistake but does not give its line. */
RT_MUST_USE rt_status cnf_record_read(rt_sink *sink, rt_arena *arena, rt_text line,
                                      cnf_record *out_record);

/* The records of a file. */
typedef struct cnf_records {
    const cnf_record *items; /* in file order */
    uint32_t count;
    size_t size; /* size of the complete lines in bytes; a partial line after them was cut off when
                  * its writer died */
} cnf_records;

/* Reads the contents of a file of records into the arena, ignoring an incomplete last line.
 * MALFORMED: the message gives FILE:LINE and the mistake there. */
RT_MUST_USE rt_status cnf_records_read(rt_sink *sink, rt_arena *arena, rt_text file,
                                       rt_text content, cnf_records *out_records);

/* Applies the expectation files to the record, as if none had been applied before. */
void cnf_record_expect(cnf_record *record, cnf_expectations *expectations);

/* Copies a record and all its texts into the arena. */
cnf_record cnf_record_copy(rt_arena *arena, const cnf_record *record);

/* Appends the record to a file opened with O_APPEND, in one write, so that lines of concurrent runs
 * do not mix. Returns 0 or an errno value; ENOSPC for a partly written line. */
int cnf_record_append(int file, const cnf_record *record);

#endif
