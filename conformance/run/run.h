/* Running scenarios on subjects: every file read, its modules compiled, and a child for each
 * subject, several at once, until every pair has its record. */
#ifndef CONFORMANCE_RUN_RUN_H
#define CONFORMANCE_RUN_RUN_H

#include "conformance/process/files.h"
#include "conformance/subject/subject.h"
#include "conformance/verdict/record.h"

/* A subject as one column of a run. */
typedef struct cnf_run_subject {
    const cnf_subject *subject;
    rt_text name;               /* of column and records: "pocl", "intel-cpu{A=1}" */
    const char *const *options; /* of its driver, "NAME=value", NULL at the end; NULL: none */
    rt_text settings; /* of its own device, "schedule=backward"; a subject that has any is not an
                         oracle */
} cnf_run_subject;

/* The functions get the listener's user. */
typedef struct cnf_run_options {
    const cnf_run_subject *subjects; /* names differ; at most one is an oracle */
    uint32_t subject_count;          /* >= 1 */
    uint32_t job_count;              /* children at once, >= 1 */
    uint32_t timeout_ms;             /* of a child, >= 1 */
    uint64_t memory_bytes;           /* that a child may allocate; 0: no limit */
    uint64_t seed;
    rt_text cache; /* folder of the artefact cache, as cnf_cache_open takes it */
    rt_profile profile;
    bool real_loader;     /* as cnf_subject_options */
    uint32_t threads;     /* as cnf_subject_options */
    rt_text choices;      /* what the first choices take, "0,1,0"; empty: nothing is prescribed */
    uint32_t explore_max; /* runs of one scenario on one subject to explore choices; 0: do not */
    rt_text conditions;   /* for the records; they say nothing to the run */
    bool record;          /* children send what the compile worker answers them, for assay pack */
    /* True: the pair has its record already and must not run; NULL: all run.  The hash is that of
     * the scenario's file, as records have it. */
    bool (*is_done)(void *user, rt_text path, rt_text hash, rt_text subject);
    void (*begun)(void *user, rt_text path, rt_text subject); /* a child was started; or NULL */
} cnf_run_options;

/* The data behind a record, for listeners that report more than the record; valid during the call.
 */
typedef struct cnf_run_detail {
    const scn_scenario
        *scenario; /* its modules hold their images; NULL: not read or not compiled */
    const struct cnf_modules
        *modules;   /* requests and answers of its modules (modules.h); NULL: not read */
    rt_text source; /* content of its file; empty: not read */
    const cnf_messages *messages; /* of the subject's child; NULL: none ran */
    const cnf_messages *oracle;   /* of sim's child; NULL: none ran, or sim did not PASS */
    rt_text log;      /* the end of what the OpenCL layer recorded (backends/opencl/layer/log.h) */
    bool log_is_tail; /* it was longer */
    rt_text warning;  /* for people, whole lines: what is worth a look beside the verdict */
} cnf_run_detail;

/* Gets each record as soon as it is final, in no particular order; its texts are valid during the
 * call, like the detail.  Returning false stops the run. */
typedef bool cnf_run_listener(void *user, const cnf_record *record, const cnf_run_detail *detail);

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
