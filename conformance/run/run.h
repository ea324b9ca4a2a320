/* Runs scenarios on subjects: reads every file, compiles its modules, and runs a child for each
 * subject, several at a time, until every pair of scenario and subject has its record. */
#ifndef CONFORMANCE_RUN_RUN_H
#define CONFORMANCE_RUN_RUN_H

#include "conformance/process/files.h"
#include "conformance/subject/subject.h"
#include "conformance/verdict/record.h"

/* A subject as one column of a run. */
typedef struct cnf_run_subject {
    const cnf_subject *subject;
    rt_text name;               /* in the column and in records, for example "pocl" or
                                 * "intel-cpu{A=1}" */
    const char *const *options; /* for its driver, "NAME=value", NULL-terminated; NULL: none */
    rt_text settings;           /* for its device, for example "schedule=backward"; an oracle has
                                 * none */
    rt_text root;               /* folder of its installation; empty: the one of ci/setup */
} cnf_run_subject;

/* The settings of a run. The functions are called with the listener's `user`. */
typedef struct cnf_run_options {
    const cnf_run_subject *subjects; /* names differ; at most one is an oracle */
    uint32_t subject_count;          /* >= 1 */
    uint32_t job_count;              /* children at a time, >= 1 */
    uint32_t timeout_ms;             /* per child, >= 1 */
    uint64_t memory_bytes;           /* limit per process of a child; 0: none */
    uint64_t seed;
    rt_text cache; /* folder of the artefact cache, as for cnf_cache_open */
    rt_profile profile;
    bool real_loader;     /* as cnf_subject_options */
    uint32_t threads;     /* as cnf_subject_options */
    rt_text choices;      /* alternatives of the first choices, for example "0,1,0"; empty: not
                           * prescribed */
    uint32_t explore_max; /* limit of runs per scenario and subject; 0: choices are not explored */
    uint32_t fail_max; /* limit of further runs per scenario and subject, in each of which another
                        * call of the devices fails (cnf_subject_options.fail_call), until one is
                        * unexpected; the worst run is the result. 0: none. Not with
                        * `explore_max`, `repeat` and `retries`. */
    uint32_t repeat;   /* runs of every scenario on every subject; the worst is its result; 0 and
                        * 1: one */
    uint32_t retries;  /* further runs after an unexpected verdict, until one is expected; the
                        * verdict is then FLAKE. Not with `repeat` or `explore_max`. */
    uint32_t reuse;    /* scenarios that a child may run on devices that stay open; 0 and 1: one.
                        * Not with `explore_max`, `fail_max` and `real_loader`. */
    rt_text conditions, host; /* for the records only; do not affect the run */
    bool compile_only; /* nothing runs: a scenario whose modules compile, or are refused as it
                        * expects, passes */
    bool record;       /* children send the compile worker's answers, for assay pack */
    bool in_process;   /* subjects that are otherwise forked (sim) run in this process: a crash ends
                        * it, no limit of time or memory applies, final memories are not compared, and
                        * the trace has only the kinds of its events (cnf_receiver) */
    /* Returns true if the pair already has its record and need not run; NULL: every pair runs.
     * `hash` is the hash of the scenario's file, as in records. */
    bool (*is_done)(void *user, rt_text path, rt_text hash, rt_text subject);
    /* Returns true if the verdict is unexpected, for `retries`; NULL: by its effect alone. */
    bool (*is_unexpected)(void *user, const cnf_record *record);
    /* Returns true if the pair needs a process of its own in spite of `reuse`; NULL: by the
     * scenario and the subject alone. */
    bool (*runs_alone)(void *user, rt_text path, rt_text subject);
    /* Called when a child that had run several scenarios of the subject, all judged, did not end
     * well: no record says so. NULL: not called. */
    void (*child_lost)(void *user, rt_text subject, rt_text message);
    void (*begun)(void *user, rt_text path, rt_text subject); /* called when a child starts; NULL:
                                                               * not called */
} cnf_run_options;

/* The data behind a record, for listeners that report more than the record itself; valid during the
 * call. */
typedef struct cnf_run_detail {
    const scn_scenario
        *scenario; /* its modules hold their images; NULL: not read or not compiled */
    const struct cnf_modules
        *modules;   /* requests and answers of its modules (modules.h); NULL: not read */
    rt_text source; /* contents of its file; empty: not read */
    const cnf_messages *messages; /* of the subject's child; NULL: none ran */
    const cnf_messages *oracle;   /* of sim's child; NULL: none ran, or sim did not PASS */
    rt_text log;      /* the end of what the OpenCL layer recorded (backends/opencl/layer/log.h) */
    bool log_is_tail; /* the log was longer */
    rt_text warning;  /* for people, whole lines: warnings in addition to the verdict */
} cnf_run_detail;

/* Receives each record as soon as it is final, and therefore in no particular order. The record's
 * texts and the detail are valid during the call. Returns false to stop the run. */
typedef bool cnf_run_listener(void *user, const cnf_record *record, const cnf_run_detail *detail);

typedef enum cnf_run_end {
    CNF_RUN_COMPLETE,
    CNF_RUN_INTERRUPTED, /* by a signal; cases that had not ended are NOT_RUN */
    CNF_RUN_STOPPED,     /* by the listener, which gets no further records */
} cnf_run_end;

/* Runs the scenarios in the files and returns when no child is alive. Produces one record for each
 * file and subject, or a single INVALID record with subject "-" if the file itself is wrong. The
 * process must be single-threaded and have no other children. */
cnf_run_end cnf_run(const cnf_run_options *options, const cnf_file *files, uint32_t file_count,
                    cnf_run_listener *listener, void *user);

#endif
