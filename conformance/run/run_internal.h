/* The state of a run, shared by the files of this folder; private to it. */
#ifndef CONFORMANCE_RUN_RUN_INTERNAL_H
#define CONFORMANCE_RUN_RUN_INTERNAL_H

#include "conformance/process/child.h"
#include "conformance/run/explore.h"
#include "conformance/run/modules.h"
#include "conformance/run/run.h"

/* Where a case is on its way; cases.c draws the transitions. */
typedef enum case_state {
    CASE_WAITING, /* for the pack or for a job */
    CASE_RUNNING,
    CASE_PROBING, /* died or timed out; a probe asks whether the device still computes */
    CASE_HELD,    /* judged, waits for the oracle */
    CASE_DONE,    /* its record is out */
    CASE_STATE_COUNT
} case_state;

typedef enum case_event {
    CASE_STARTED,    /* a child of it is about to start */
    CASE_DOUBTED,    /* its child ended so that the device may have suffered */
    CASE_JUDGED,     /* its child ended and has a judgement, which a probe may have changed */
    CASE_DECIDED,    /* it has a judgement without a child */
    CASE_CUT_SHORT,  /* the device was lost while choices were explored: the worst run counts */
    CASE_COMPARABLE, /* the oracle is DONE */
    CASE_ABANDONED,  /* the run was interrupted */
    CASE_EVENT_COUNT
} case_event;

/* One scenario on one subject. */
typedef struct run_case {
    case_state state;
    bool is_recorded;  /* it has a record already and runs only to be compared with */
    bool has_messages; /* a child of it has ended, and these are its messages */
    double seconds;
    cnf_messages messages;
    rt_text log; /* the end of what the OpenCL layer recorded; empty: none */
    bool log_is_tail;
    cnf_judgement judgement;
    rt_text scratch;        /* folder of the child that runs; empty: it needs none */
    rt_text script;         /* of the choices of the child that runs, or ran last */
    cnf_explorer *explorer; /* NULL: runs once */
    struct run_case *worst; /* of the runs explored so far; NULL: none yet */
} run_case;

/* A scenario with its images, for the subjects whose devices take one format. */
typedef struct run_build {
    bool wanted; /* some subject of the run has the format */
    cnf_modules modules;
    const scn_scenario *compiled; /* with its images; NULL: not yet, or never */
    rt_buffer pack;
} run_build;

/* Formats that subjects want: each has a build of its own, the first one is the scenario's. */
enum { RUN_BUILDS = 2 };

/* One file in between, in a slot of its own. */
typedef struct run_scenario {
    const cnf_file *file;
    rt_text hash; /* of the file's content */
    rt_arena arena;
    rt_sink *sink;
    rt_buffer text;
    const scn_scenario *scenario;
    run_build builds[RUN_BUILDS];
    bool packed;     /* all builds are made: the cases can begin, or are decided */
    run_case *cases; /* per subject */
    uint32_t done_count;
} run_scenario;

/* The facts learnt about a subject during the run. */
typedef struct run_subject {
    bool unavailable, lost;
    rt_text reason;           /* of unavailable; after which scenario it was lost */
    const char **environment; /* of its executed children, NULL at the end */
} run_subject;

typedef struct run_state {
    const cnf_run_options *options;
    const cnf_file *files;
    uint32_t file_count, next_file;
    cnf_run_listener *listener;
    void *user;
    bool stopped; /* by the listener */
    rt_arena arena;
    cnf_pool *pool;
    cnf_cache *cache;
    run_subject *subjects;
    uint32_t oracle; /* index of the subject; SCN_NONE where it does not run */
    const char **worker_environment;
    run_scenario **slots; /* active scenarios; NULL: free */
    uint32_t slot_count;
} run_state;

/* ---- run.c -------------------------------------------------------------------------------- */

/* The build whose images a subject of the run gets. */
run_build *cnf_run_build(const run_state *run, run_scenario *scenario, uint32_t subject);

/* ---- cases.c: one scenario on one subject, from the start of its child to its record ------ */

/* Hands a record to the listener, unless that has stopped the run. */
void cnf_run_record_send(run_state *run, const cnf_record *record, const cnf_run_detail *detail);

/* Makes the transition of a case at an event.  Explores, compares with the oracle and sends the
 * record where the transition asks for it; where the oracle becomes DONE, also for the cases that
 * it holds. */
void cnf_run_case_advance(run_state *run, run_scenario *scenario, uint32_t subject,
                          case_event event);

/* Ends a waiting case with a judgement and without a child of its own. */
void cnf_run_case_decide(run_state *run, run_scenario *scenario, uint32_t subject,
                         const cnf_judgement *judgement);

/* For CHECK_SLOW: everything that holds for the whole run while it waits for a child. */
bool cnf_run_check(const run_state *run);

/* ---- jobs.c: the children of a run -------------------------------------------------------- */

typedef enum job_kind { JOB_COMPILE, JOB_CASE, JOB_PROBE } job_kind;

/* The purpose of a child. */
typedef struct run_job {
    job_kind kind;
    uint32_t slot;
    uint32_t item; /* COMPILE: module and build; CASE, PROBE: subject */
} run_job;

/* Removes the folder of a case's child, which has ended; does nothing where there is none. */
void cnf_run_case_tidy(run_case *test_case);

/* The job of a child, from its result's tag. */
run_job cnf_run_job_of(uint64_t tag);

/* Starts a child that compiles a module of the scenario in the slot for one of its builds. */
void cnf_run_compile_start(run_state *run, uint32_t slot, uint32_t build, uint32_t module);

/* Takes the job of a compiling child apart. */
void cnf_run_compile_of(const run_job *job, uint32_t *out_build, uint32_t *out_module);

/* Starts the child of a waiting case, with its pack and the next of its scripts. */
void cnf_run_case_start(run_state *run, uint32_t slot, uint32_t subject);

/* Judges what a case's child sent; a device that may have suffered is probed first. */
void cnf_run_case_ended(run_state *run, uint32_t slot, uint32_t subject, cnf_child_result *result);

/* Takes the device's answer; one that does not compute any more is lost for the run. */
void cnf_run_probe_ended(run_state *run, uint32_t slot, uint32_t subject, cnf_child_result *result);

#endif
