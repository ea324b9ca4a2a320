/* Executes a scenario's steps on the runtime of one subject. */
#ifndef CONFORMANCE_SUBJECT_EXECUTE_H
#define CONFORMANCE_SUBJECT_EXECUTE_H

#include "conformance/subject/emit.h"
#include "conformance/subject/output.h"
#include "conformance/subject/runtime.h"
#include "reference/base/vector.h"
#include "reference/fusion/compiler.h"

#include <pthread.h>

#define CNF_NO_COMMAND (UINT32_MAX - 1) /* the id of no command, nor CNF_NO_OBJECT */

/* A finding of the device, stored until it is compared with the expectations. */
typedef struct cnf_finding {
    const char *kind;
    rt_text message, kernel, object;
    rt_text source, other_source; /* as dev_finding */
    uint32_t source_line, source_column, other_line;
    bool has_other, is_host;            /* as dev_finding */
    uint32_t other_command, other_step; /* of has_other; other_step like step */
    uint32_t command; /* the command that caused it, or CNF_NO_COMMAND: not known */
    uint64_t offset;
    uint32_t step; /* set when its process has ended: the step of that command, or SCN_NONE */
    bool expected; /* an expectation names it */
} cnf_finding;

/* The choices among ready commands. */
typedef struct cnf_orders {
    uint32_t count;             /* made so far */
    RT_VECTOR(rt_order) taken;  /* those that the script prescribed, as they were made */
    RT_VECTOR(rt_order) wanted; /* alternatives that would exchange commands which conflict */
} cnf_orders;

/* The objects that a step created, for use by later steps. */
typedef struct cnf_step_result {
    uint32_t command; /* of a verb that creates a command; CNF_NO_OBJECT: none */
    uint32_t mapping; /* MAP; CNF_NO_OBJECT: none */
    uint32_t queue;   /* QUEUE; CNF_NO_OBJECT: none */
    uint32_t context; /* CONTEXT; CNF_NO_OBJECT: none */
    uint32_t bundle;  /* BUNDLE; CNF_NO_OBJECT: none */
    bool begun;
    bool failed; /* should have succeeded, but did not: its object does not exist */
} cnf_step_result;

/* The name of an outcome in a one_of that has been judged. */
typedef struct cnf_named_outcome {
    rt_text name;
    bool held;
} cnf_named_outcome;

struct cnf_layer; /* layer.h */

/* One scenario running on one subject.
 *
 * The threads of a parallel step take turns (reference/base/handover.h), so only one of them uses
 * this structure at a time. Findings are the exception: they may arrive on a thread of the device.
 */
struct cnf_execution {
    const scn_scenario *scenario;
    const cnf_subject *subject;
    const cnf_subject_options *options;
    cnf_emitter *emitter;
    rt_sink *sink;
    const dev_tools *tools; /* for the subject's device */
    struct cnf_kept *kept;  /* devices that stay open (kept.h); NULL: they are closed with the
                             * runtime */
    const rt_fusion_compiler *fusion_compiler; /* NULL: kernels cannot be fused */
    bool unfused;                              /* kernels must not be fused: see unfused.h */
    rt_arena arena;           /* holds everything that lives until the scenario ends */
    cnf_runtime *runtime;     /* NULL until it is opened */
    uint32_t *queues;         /* per device: its default queue; CNF_NO_OBJECT until it is used */
    cnf_step_result *results; /* per step */
    uint32_t *counted;        /* per event kind: number of trace events at its last count
                               * expectation */
    RT_VECTOR(cnf_named_outcome) outcomes;
    RT_VECTOR(cnf_finding) findings; /* guarded by findings_lock until the last wait */
    rt_arena finding_texts; /* texts of the findings, guarded by the same lock: a device may report
                             * a finding from its own thread while a step allocates in `arena` */
    uint32_t settled;       /* number of findings from ended processes, which come first
                             */
    pthread_mutex_t findings_lock;
    cnf_orders orders;        /* in which commands ran; guarded by the same lock */
    dev_calls calls;          /* of the devices, with options->fail_call */
    bool call_is_judged;      /* whether the failure of that call had the right consequences */
    bool has_other_failure;   /* since that call, a step returned another failure, as expected: only
                               * the first of several is returned */
    bool is_wrong_since;      /* since that call, a memory had other contents than expected */
    bool failure_is_returned; /* a step or the end returned the failure of the call that failed on
                               * demand; from then on nothing can be as the scenario expects */
    uint32_t thread; /* of the current step; for runtimes that switch threads only between steps */
    const struct cnf_layer *layer; /* the OpenCL layer beneath the devices; NULL: they are not
                                    * reached through OpenCL */
    cnf_output output;             /* opened and closed by the caller of cnf_execute */
    const rt_diagnostic *lack;     /* the first refusal of a kernel, not expected by the scenario,
                                    * because of what the device lacks; NULL: none */
    bool permits_findings;         /* an expectation that was met permits further findings */
    bool stopped; /* the program was lost, or could not be started again: no step can run */
    bool refused; /* a step was refused as expected */
    bool stop_is_returned; /* a step or the end returned the failure of a kernel that was stopped */
    bool skipped;      /* the scenario does what no real program can do, and a skip was emitted */
    rt_status offline; /* of the images that the subject's driver compiled (native_images.h) */
    bool was_used;     /* result of cnf_runtime_operations.was_used before the final reads */
};

/* Opens the subject's runtime; the caller has set scenario, subject, options, sink and tools. Any
 * failure means that the runtime is not available. The caller must always call cnf_execution_close,
 * even on failure. */
RT_MUST_USE rt_status cnf_execution_open(cnf_execution *execution);
void cnf_execution_close(cnf_execution *execution);

/* Runs all steps and judges all expectations, emitting stages, checks, final memories, choices and
 * the trace.  The runtime must be open, and emitter and output set. */
void cnf_execute(cnf_execution *execution);

/* For dev_open_parameters.on_finding; user is the cnf_execution. */
void cnf_execution_finding(void *user, const dev_finding *finding);

/* For dev_open_parameters.choose_command and on_order; user is the cnf_execution. */
uint32_t cnf_execution_choose(void *user, uint32_t count, uint32_t drawn, uint32_t *out_number);
void cnf_execution_order(void *user, uint32_t number, uint32_t alternative);

/* Parses the choices of a valid script (reference/base/script.h) into numbers in the arena. */
void cnf_choices_read(rt_arena *arena, rt_text script, const uint32_t **out_choices,
                      uint32_t *out_count);

/* ---- execute.c, commands.c, bundles.c, parallel.c: steps ---------------------------------- */

/* Runs one step, unless it belongs to another profile, and judges it. */
void cnf_run_step(cnf_execution *execution, uint32_t step);

/* Each runs a step: creates a context or a queue; submits a kernel, a copy, a fill or a host task;
 * creates or completes a user event; or waits. */
rt_status cnf_run_context(cnf_execution *execution, uint32_t step);
rt_status cnf_run_queue(cnf_execution *execution, uint32_t step);
rt_status cnf_run_submit(cnf_execution *execution, uint32_t step);
rt_status cnf_run_transfer(cnf_execution *execution, uint32_t step);
rt_status cnf_run_marker(cnf_execution *execution, uint32_t step); /* BARRIER, MARKER */
rt_status cnf_run_user_event(cnf_execution *execution, uint32_t step);
rt_status cnf_run_complete_event(cnf_execution *execution, uint32_t step);
rt_status cnf_run_map(cnf_execution *execution, uint32_t step);
rt_status cnf_run_map_write(cnf_execution *execution, uint32_t step);
rt_status cnf_run_unmap(cnf_execution *execution, uint32_t step);
rt_status cnf_run_host_task(cnf_execution *execution, uint32_t step);
/* START_FUSION, COMPLETE_FUSION, CANCEL_FUSION, END_QUEUE, END_MEMORY. */
rt_status cnf_run_fusion(cnf_execution *execution, uint32_t step);
rt_status cnf_run_wait(cnf_execution *execution, uint32_t step);

/* Returns a device's default queue, which is created on first use. */
RT_MUST_USE rt_status cnf_default_queue(cnf_execution *execution, uint32_t device,
                                        uint32_t *out_queue);

/* Finds the type of the variable that a copy or an expectation names. MALFORMED: the variable was
 * not resolved when the scenario was packed, because its name is ambiguous. */
RT_MUST_USE rt_status cnf_variable_find(cnf_execution *execution, const scn_variable *variable,
                                        const rt_device_global **out_global);

/* Creates a kernel bundle. */
rt_status cnf_run_bundle(cnf_execution *execution, uint32_t step);

/* Looks up the number of the bundle that a step created; ERRC_INVALID if the step was refused. */
rt_status cnf_bundle_number(cnf_execution *execution, uint32_t step, uint32_t *out_bundle);

/* Runs each list of a parallel step on its own thread and joins the threads. */
void cnf_run_parallel(cnf_execution *execution, uint32_t step);

/* Reads the profiling times of commands and judges them (profiling.c). */
void cnf_run_profiling(cnf_execution *execution, uint32_t step);

/* ---- judge/: expectations ----------------------------------------------------------------- */

/* Evaluates one expectation, with no side effect except a host read where one is needed: fills in
 * kind, what, ok, observed, code, place, line and message of a check whose step is already set. */
typedef void cnf_evaluate(cnf_execution *execution, const scn_expect *expect,
                          cnf_emitted_check *check);
cnf_evaluate cnf_evaluate_memory, cnf_evaluate_variable, cnf_evaluate_count, cnf_evaluate_program,
    cnf_evaluate_trace, cnf_evaluate_never, cnf_evaluate_host_symbol, cnf_evaluate_fusion_mode,
    cnf_evaluate_event, cnf_evaluate_mapped, cnf_evaluate_bundle, cnf_evaluate_output,
    cnf_evaluate_warnings;
/* True if the event's images meet the conditions of the expected event (judge/images.c). */
bool cnf_event_images_fit(const scn_scenario *scenario, const rt_event *event,
                          const scn_trace_event *expected);
/* The first returns true if two lists name the same images; the second prints a list as "a, b" in
 * the arena (judge/images.c). */
bool cnf_images_equal(const rt_text *images, uint32_t count, const rt_text *peers,
                      uint32_t peer_count);
rt_text cnf_images_print(rt_arena *arena, const rt_text *images, uint32_t count);
/* Marks an expectation as neither met nor missed, because the subject does not show what would
 * decide it. */
void cnf_leave_unobserved(cnf_emitted_check *check);
/* Makes later expectations of this kind, OUTPUT or WARNINGS, start after everything printed so far.
 */
void cnf_output_judged(cnf_execution *execution, const scn_expect *expect);

/* True if the outcome's name permits it to hold and all its expectations do; otherwise appends the
 * reason. `number` is the outcome's position, from 1. Clears *inout_observed if the subject does
 * not show everything that the outcome expects (judge/judge.c). */
bool cnf_outcome_holds(cnf_execution *execution, const scn_outcome *outcome, uint32_t number,
                       bool *inout_observed, rt_buffer *out_reasons);
/* Records which names held after a one_of whose outcome `branch`, from 1, held and was observed,
 * and advances the counts of the expectations in all its outcomes. Branch 0: no outcome was seen to
 * hold, so every name stays open. */
void cnf_outcomes_judged(cnf_execution *execution, const scn_outcome *outcomes, uint32_t count,
                         uint32_t branch);

/* True if the message is that of a call that failed on demand, or contains it. */
bool cnf_is_on_demand(rt_text message);

/* Notes that a step or the end returned the failure of the call that failed on demand, if it did.
 */
void cnf_failure_note(cnf_execution *execution, rt_status status);

/* Emits a judged check. Once the failure of a call that failed on demand has been returned, no
 * check fails any more. */
void cnf_judged(cnf_execution *execution, const cnf_emitted_check *check);

/* True if the step, or the expectation, is about an object that an earlier step failed to create
 * (judge/dependences.c). */
bool cnf_step_lacks_object(const cnf_execution *execution, const scn_step *step);
bool cnf_expect_lacks_object(const cnf_execution *execution, const scn_expect *expect);
/* Stores in the check the names of the memories and device_globals that a step's command uses, or
 * that an expectation reads (judge/dependences.c). */
void cnf_step_memories(cnf_execution *execution, const scn_step *step, cnf_emitted_check *check);
void cnf_expect_memories(cnf_execution *execution, const scn_expect *expect,
                         cnf_emitted_check *check);

/* Judges a step that returned `status` against the error or outcomes that it expects (with neither,
 * it must have succeeded) and emits the check. */
void cnf_judge_step(cnf_execution *execution, uint32_t step, const char *kind, rt_text what,
                    rt_status status);

/* Judges an expectation of an expect step.  Findings are judged at the end (cnf_judge_findings). */
void cnf_judge_expect(cnf_execution *execution, uint32_t step, const scn_expect *expect);

/* Called when the program and all its commands have ended: resolves the step of each finding now,
 * since the next process reuses command ids. */
void cnf_findings_settle(cnf_execution *execution);

/* Judges all expectations of findings, and the unexpected findings. Every command must have ended.
 */
void cnf_judge_findings(cnf_execution *execution);

#endif
