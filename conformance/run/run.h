/* Running scenarios on subjects: every file read, its modules compiled, and a child for each
 * subject, several at once, until every pair has its record. */
#ifndef CONFORMANCE_RUN_RUN_H
#define CONFORMANCE_RUN_RUN_H

#include "conformance/report/record.h"
#include "conformance/run/files.h"
#include "conformance/subject/subject.h"

typedef struct cnf_run_options {
    const cnf_subject *const *subjects; /* each once; one named "sim" is the differential oracle */
    uint32_t subject_count;             /* >= 1 */
    uint32_t job_count;                 /* children at once, >= 1 */
    uint32_t timeout_ms;                /* of a child, >= 1 */
    uint64_t seed;
    rt_text cache; /* folder of the artefact cache, as cnf_cache_open takes it */
} cnf_run_options;

/* Gets each record as soon as it is final, in no particular order; its texts are valid during the
 * call.  Returning false stops the run. */
typedef bool cnf_run_listener(void *user, const cnf_record *record);

typedef enum cnf_run_end {
    CNF_RUN_COMPLETE,
    CNF_RUN_INTERRUPTED, /* by a signal; what had not ended is NOT_RUN */
    CNF_RUN_STOPPED,     /* by the listener; it gets no record any more */
} cnf_run_end;

/* Runs the files and returns when no child of theirs lives any more.  There is one record for each
 * file and subject, or a single INVALID one with subject "-" where the file itself is wrong.  The
 * process must be single-threaded and have no other children. */
cnf_run_end cnf_run(const cnf_run_options *options, const cnf_file *files, uint32_t file_count,
                    cnf_run_listener *listener, void *user);

#endif
