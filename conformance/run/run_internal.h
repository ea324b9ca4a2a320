/* The state of a run, shared by the files of this folder; private to it. */
#ifndef CONFORMANCE_RUN_RUN_INTERNAL_H
#define CONFORMANCE_RUN_RUN_INTERNAL_H

#include "conformance/process/child.h"
#include "conformance/run/explore.h"
#include "conformance/run/modules.h"
#include "conformance/run/run.h"

/* The state of a case; the comment at the top of cases.c has the transitions. */
typedef enum case_state {
    CASE_WAITING, /* for the images or for a job */
    CASE_RUNNING,
    CASE_PROBING, /* died or timed out; a probe checks whether the device still computes */
    CASE_HELD,    /* judged; waits for the oracle */
    CASE_DONE,    /* its record has been sent */
    CASE_STATE_COUNT
} case_state;

typedef enum case_event {
    CASE_STARTED, /* its child is about to start */
    CASE_DOUBTED, /* its child ended in a way that may have damaged the device */
    CASE_JUDGED,  /* its child has ended and been judged; a probe may have changed the judgement */
    CASE_DECIDED, /* it was judged without a child */
    CASE_CUT_SHORT,  /* the device was lost while the case was explored or repeated: the worst run
                      * counts */
    CASE_COMPARABLE, /* the oracle is DONE */
    CASE_ABANDONED,  /* the run was interrupted */
    CASE_EVENT_COUNT
} case_event;

/* One scenario on one subject. */
typedef struct run_case {
    case_state state;
    bool is_recorded;  /* it has a record already and runs only for comparison */
    bool has_messages; /* a child of the case has ended; `messages` are that child's */
    double seconds;
    cnf_messages messages;
    rt_text log; /* the end of what the OpenCL layer recorded; empty: none */
    bool log_is_tail;
    cnf_judgement judgement;
    rt_text scratch;        /* folder of the running child; empty: none needed */
    rt_text script;         /* script of the choices of the current or last child */
    cnf_explorer *explorer; /* NULL: runs once */
    struct run_case *worst; /* the worst of the runs so far, if the case is explored or repeated;
                             * NULL: none yet */
    cnf_attempt *attempts;  /* the runs so far, if it is repeated */
    uint32_t attempt_count;
    double attempted_seconds; /* of these runs */
    uint32_t call_count;      /* with `fail_max`: the calls of the first run, in which none fails */
    /* With --reuse: the child that ran the case on a device which other scenarios may have used
     * (0: none), and these scenarios. */
    uint32_t child;
    const rt_text *predecessors;
    uint32_t predecessor_count;
    bool is_alone;      /* it must run in a process of its own, because it did not do well there; */
    cnf_attempt shared; /* this was the result */
} run_case;

/* A scenario with its images, for the subjects whose devices take a given format. */
typedef struct run_build {
    bool is_used; /* a subject of the run takes the format */
    cnf_modules modules;
    const scn_scenario *compiled; /* with its images; NULL: not compiled yet, or has none */
    rt_buffer pack; /* of `compiled`, for executed children; empty until the first one starts */
} run_build;

/* The number of formats that subjects take; each has a separate build, and the first is the
 * scenario's own. */
enum { RUN_BUILDS = 2 };

/* One file in progress, in its slot. */
typedef struct run_scenario {
    const cnf_file *file;
    rt_text hash; /* of the file's contents */
    rt_arena arena;
    rt_sink *sink;
    rt_buffer text;
    const scn_scenario *scenario;
    run_build builds[RUN_BUILDS];
    bool is_complete; /* all builds are: the cases can begin, or are decided */
    run_case *cases;  /* per subject */
    uint32_t done_count;
} run_scenario;

/* What a run has learnt about a subject. */
typedef struct run_subject {
    bool unavailable, lost;
    bool lacks_faults;        /* it has skipped a scenario because its device reports no faults */
    rt_text reason;           /* why it is unavailable, or the scenario after which it was lost */
    const char **environment; /* of its executed children, NULL-terminated */
} run_subject;

/* A child that runs several scenarios of a subject, one after another (shared.c). */
typedef struct run_shared {
    bool is_used;
    bool is_waiting; /* for a scenario */
    bool is_doubted; /* a scenario has not done well in it, so it gets no other one */
    uint32_t child;  /* its number in the pool */
    uint32_t subject;
    RT_VECTOR(rt_text) served; /* the paths of its scenarios, in their order */
} run_shared;

typedef struct run_state {
    const cnf_run_options *options;
    const cnf_file *files;
    uint32_t file_count, next_file;
    cnf_run_listener *listener;
    void *user;
    bool stopped; /* the listener stopped the run */
    rt_arena arena;
    cnf_pool *pool;
    cnf_cache *cache;
    run_subject *subjects;
    uint32_t oracle; /* its index among the subjects; SCN_NONE if it does not run */
    const char **worker_environment;
    RT_VECTOR(uint32_t) workers; /* the numbers of those that wait for a request */
    RT_VECTOR(run_shared) shared;
    run_scenario **slots; /* active scenarios; NULL: free */
    uint32_t slot_count;
} run_state;

/* ---- run.c -------------------------------------------------------------------------------- */

/* The build whose images a subject of the run takes. */
run_build *cnf_run_build(const run_state *run, run_scenario *scenario, uint32_t subject);

/* ---- cases.c: one scenario on one subject, from the start of its child to its record ------ */

/* Sends a record to the listener, unless the listener has stopped the run. */
void cnf_run_record_send(run_state *run, const cnf_record *record, const cnf_run_detail *detail);

/* The `fail_call` of a case's next run. */
uint32_t cnf_run_fail_call(const cnf_run_options *options, const run_case *test_case);

/* Makes a case's transition for an event. Explores, compares with the oracle and sends the record,
 * as the transition requires; when the oracle becomes DONE, also advances the cases held for it. */
void cnf_run_case_advance(run_state *run, run_scenario *scenario, uint32_t subject,
                          case_event event);

/* Ends a waiting case with a judgement, without starting a child. */
void cnf_run_case_decide(run_state *run, run_scenario *scenario, uint32_t subject,
                         const cnf_judgement *judgement);

/* Checks every invariant of the run that holds while it waits for a child, for CHECK_SLOW. */
bool cnf_run_check(const run_state *run);

/* True if the case has just run on a device that other scenarios had used, so that even an answer
 * that concerns the whole subject may be due to them. */
bool cnf_run_case_follows(const run_case *test_case);

/* ---- jobs.c: the children of a run -------------------------------------------------------- */

typedef enum job_kind {
    JOB_COMPILE,
    JOB_CASE,
    JOB_PROBE,
    JOB_SHARED, /* the end of a child of shared.c that has no case */
    JOB_WORKER, /* the end of a compile worker that has no request */
    JOB_KINDS
} job_kind;

/* The purpose of a child. */
typedef struct run_job {
    job_kind kind;
    uint32_t slot; /* SHARED, WORKER: none */
    uint32_t item; /* COMPILE: module * RUN_BUILDS + build; CASE, PROBE: subject; SHARED: its row;
                    * WORKER: none */
} run_job;

/* Removes the folder of a case's child, which has ended; does nothing if it has none. */
void cnf_run_case_tidy(run_case *test_case);

/* The tag of a child's results, and the job in it. */
uint64_t cnf_run_job_encode(job_kind kind, uint32_t slot, uint32_t item);
run_job cnf_run_job_decode(uint64_t tag);

/* Gives the request of a module, for a build of the scenario in the slot, to a compile worker that
 * waits, or starts one. */
void cnf_run_compile_start(run_state *run, uint32_t slot, uint32_t build, uint32_t module);

/* Dismisses the compile workers that wait. */
void cnf_run_workers_dismiss(run_state *run);

/* Starts the child of a waiting case, with the compiled scenario and the current script. */
void cnf_run_case_start(run_state *run, uint32_t slot, uint32_t subject);

/* Judges the result of a case's child; if the device may have been damaged, probes it first. */
void cnf_run_case_ended(run_state *run, uint32_t slot, uint32_t subject, cnf_child_result *result);

/* Judges the result of probing a device; a device that no longer computes is lost for the run. */
void cnf_run_probe_ended(run_state *run, uint32_t slot, uint32_t subject, cnf_child_result *result);

/* ---- shared.c: children that run several scenarios ----------------------------------------- */

/* True if the next run of the case may be in such a child. */
bool cnf_run_case_shares(const run_state *run, const run_scenario *scenario, uint32_t subject);

/* Gives the case to a child that waits, or starts one; `start` is that of a child of the case. */
void cnf_run_shared_start(run_state *run, uint32_t slot, uint32_t subject, cnf_child_start *start);

/* Notes that the child has answered for its case: it waits for another one, or has ended. */
void cnf_run_shared_answered(run_state *run, uint32_t child, bool waits);

/* Gives the child no further case, because the result of one is not believed. Does nothing if it
 * has ended. */
void cnf_run_shared_doubt(run_state *run, uint32_t child);

/* Dismisses all children that wait. */
void cnf_run_shared_dismiss(run_state *run);

/* Notes that a child has ended while it had no case, and reports it if it did not end well. */
void cnf_run_shared_ended(run_state *run, uint32_t row, const cnf_child_result *result);

/* Frees the rows of these children, which have all ended. */
void cnf_run_shared_free(run_state *run);

/* Checks the invariants of these children, for CHECK_SLOW. */
bool cnf_run_shared_check(const run_state *run);

#endif
