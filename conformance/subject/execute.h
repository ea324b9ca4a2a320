/* Executing a scenario's steps on the runtime of one subject. */
#ifndef CONFORMANCE_SUBJECT_EXECUTE_H
#define CONFORMANCE_SUBJECT_EXECUTE_H

#include "conformance/subject/emit.h"
#include "conformance/subject/output.h"
#include "conformance/subject/runtime.h"
#include "reference/base/vector.h"
#include "reference/fusion/compiler.h"

#include <pthread.h>

/* A finding of the device, stored until it is compared with the expectations. */
typedef struct cnf_finding {
    const char *kind;
    rt_text message, kernel, source, object;
    uint32_t source_line;
    uint32_t command; /* the command that caused it */
    uint64_t offset;
    uint32_t step; /* after its process has ended: the step of that command, or SCN_NONE */
    bool expected; /* an expectation names it */
} cnf_finding;

/* Objects of a step that later steps refer to. */
typedef struct cnf_step_result {
    uint32_t command; /* SUBMIT, COPY, FILL; CNF_NO_OBJECT: none */
    uint32_t queue;   /* QUEUE; CNF_NO_OBJECT: none */
    uint32_t context; /* CONTEXT; CNF_NO_OBJECT: none */
    uint32_t bundle;  /* BUNDLE; CNF_NO_OBJECT: none */
    bool begun;
    bool failed; /* it did not succeed although it should have: its object does not exist */
} cnf_step_result;

/* An outcome's name, from a one_of that was judged. */
typedef struct cnf_named_outcome {
    rt_text name;
    bool held;
} cnf_named_outcome;

struct cnf_layer; /* layer.h */

/* One scenario running on one subject.
 *
 * The threads of a parallel step take turns (reference/base/handover.h), so only one thread at a
 * time uses this structure; only findings may arrive from a thread of the device. */
struct cnf_execution {
    const scn_scenario *scenario;
    const cnf_subject *subject;
    const cnf_subject_options *options;
    cnf_emitter *emitter;
    rt_sink *sink;
    const dev_tools *tools;                    /* for the subject's device */
    const rt_fusion_compiler *fusion_compiler; /* NULL: kernels cannot be fused */
    bool unfused;                              /* kernels must not be fused: see unfused.h */
    rt_arena arena;           /* for everything that lives until the scenario ends */
    cnf_runtime *runtime;     /* NULL until it is opened */
    uint32_t *queues;         /* per device: its default queue; CNF_NO_OBJECT until it is used */
    cnf_step_result *results; /* per step */
    uint32_t *counted;        /* per event kind: number of trace events at its last count
                               * expectation */
    RT_VECTOR(cnf_named_outcome) outcomes;
    RT_VECTOR(cnf_finding) findings; /* guarded by findings_lock until the last wait */
    rt_arena finding_texts; /* of the findings, guarded too: a device may report a finding from
                             * its own thread while a step allocates in the arena */
    uint32_t settled;       /* number of findings of processes that have ended; they come first */
    pthread_mutex_t findings_lock;
    uint32_t thread; /* of the current step; for runtimes that switch threads between steps only */
    const struct cnf_layer
        *layer;        /* beneath the devices; NULL: they are not reached through OpenCL */
    cnf_output output; /* opened and closed by the caller of cnf_execute */
    bool stopped;      /* the program was lost, or could not be started again: no step can run */
    bool refused;      /* a step was refused as expected */
    bool skipped;      /* set-up refused something that no real program can have, and said so */
    bool was_used;     /* cnf_runtime_operations.was_used, before the final reads */
};

/* Opens the subject's runtime; scenario, subject, options, sink and tools are set. Any failure
 * means that it is not available. The caller calls cnf_execution_close in any case. */
RT_MUST_USE rt_status cnf_execution_open(cnf_execution *execution);
void cnf_execution_close(cnf_execution *execution);

/* Runs all steps and judges all expectations, emitting stages, checks, final memories, choices and
 * the trace.  The runtime is open; emitter and output are set. */
void cnf_execute(cnf_execution *execution);

/* For dev_open_parameters.on_finding; user is the cnf_execution. */
void cnf_execution_finding(void *user, const dev_finding *finding);

/* Reads a script of choices, "0,1,0", into numbers in the arena. False: it is not such a list. */
bool cnf_choices_read(rt_arena *arena, rt_text script, const uint32_t **out_choices,
                      uint32_t *out_count);

/* ---- execute.c, commands.c, bundles.c, parallel.c: steps
 * --------------------------------------------- */

/* Runs one step, unless it belongs to another profile, and judges it. */
void cnf_run_step(cnf_execution *execution, uint32_t step);

/* Creates a context or a queue; submits a kernel, a copy or a fill; waits. */
rt_status cnf_run_context(cnf_execution *execution, uint32_t step);
rt_status cnf_run_queue(cnf_execution *execution, uint32_t step);
rt_status cnf_run_submit(cnf_execution *execution, uint32_t step);
rt_status cnf_run_transfer(cnf_execution *execution, uint32_t step);
rt_status cnf_run_host_task(cnf_execution *execution, uint32_t step);
/* START_FUSION, COMPLETE_FUSION, CANCEL_FUSION, END_QUEUE, END_MEMORY. */
rt_status cnf_run_fusion(cnf_execution *execution, uint32_t step);
rt_status cnf_run_wait(cnf_execution *execution, uint32_t step);

/* The default queue of a device, created at its first use. */
RT_MUST_USE rt_status cnf_default_queue(cnf_execution *execution, uint32_t device,
                                        uint32_t *out_queue);

/* The type of the variable that a copy or an expectation names. MALFORMED: it was not found when
 * the scenario was packed, so the name is ambiguous. */
RT_MUST_USE rt_status cnf_variable_find(cnf_execution *execution, const scn_variable *variable,
                                        const rt_device_global **out_global);

/* Creates a kernel bundle. */
rt_status cnf_run_bundle(cnf_execution *execution, uint32_t step);

/* The number of the bundle that a step created; ERRC_INVALID if the step was refused. */
rt_status cnf_bundle_number(cnf_execution *execution, uint32_t step, uint32_t *out_bundle);

/* Runs the lists of a parallel step on threads and joins them. */
void cnf_run_parallel(cnf_execution *execution, uint32_t step);

/* Reads times and judges them (profiling.c). */
void cnf_run_profiling(cnf_execution *execution, uint32_t step);

/* ---- judge*.c: expectations --------------------------------------------------------------- */

/* Evaluates one expectation, with no side effect except a host read if it needs one: fills in kind,
 * what, ok, observed, code, place, line and message of a check whose step is set. */
typedef void cnf_evaluate(cnf_execution *execution, const scn_expect *expect,
                          cnf_emitted_check *check);
cnf_evaluate cnf_evaluate_memory, cnf_evaluate_variable, cnf_evaluate_count, cnf_evaluate_program,
    cnf_evaluate_trace, cnf_evaluate_never, cnf_evaluate_host_symbol, cnf_evaluate_fusion_mode,
    cnf_evaluate_event, cnf_evaluate_bundle, cnf_evaluate_output;
/* True if the event's images meet the conditions of the expected event (judge/images.c). */
bool cnf_event_images_fit(const scn_scenario *scenario, const rt_event *event,
                          const scn_trace_event *expected);
/* True if two lists name the same images, and the list as "a, b" in the arena (judge/images.c). */
bool cnf_images_equal(const rt_text *images, uint32_t count, const rt_text *peers,
                      uint32_t peer_count);
rt_text cnf_images_print(rt_arena *arena, const rt_text *images, uint32_t count);
/* Marks an expectation as neither met nor missed, because the subject does not show what it is
 * about. */
void cnf_leave_unobserved(cnf_emitted_check *check);
/* Later expectations of output start after what has been printed so far. */
void cnf_output_seen(cnf_execution *execution);

/* True if the outcome's name permits it to hold, and all that it expects does; `number` counts from
 * 1. Otherwise the reason is appended. Clears *inout_observed if the subject does not show all of
 * it (judge/judge.c). */
bool cnf_outcome_holds(cnf_execution *execution, const scn_outcome *outcome, uint32_t number,
                       bool *inout_observed, rt_buffer *out_reasons);
/* Records which names held after a one_of of which the outcome `branch`, from 1, held and was
 * observed, and advances what its expectations count. Branch 0: none, so every name stays open. */
void cnf_outcomes_judged(cnf_execution *execution, const scn_outcome *outcomes, uint32_t count,
                         uint32_t branch);

/* Emits a judged check. */
void cnf_judged(cnf_execution *execution, const cnf_emitted_check *check);

/* True if the step, or the expectation, is about an object that an earlier step failed to create
 * (judge/dependences.c). */
bool cnf_step_lacks_object(const cnf_execution *execution, const scn_step *step);
bool cnf_expect_lacks_object(const cnf_execution *execution, const scn_expect *expect);
/* Sets the names of the memories and device_globals that a step's command uses, or that an
 * expectation reads, in the check (judge/dependences.c). */
void cnf_step_memories(cnf_execution *execution, const scn_step *step, cnf_emitted_check *check);
void cnf_expect_memories(cnf_execution *execution, const scn_expect *expect,
                         cnf_emitted_check *check);

/* Judges a step that returned `status` against the error or outcomes that it expects (none: it
 * must have succeeded) and emits the check. */
void cnf_judge_step(cnf_execution *execution, uint32_t step, const char *kind, rt_text what,
                    rt_status status);

/* Judges an expectation of an expect step.  Findings are judged at the end (cnf_judge_findings). */
void cnf_judge_expect(cnf_execution *execution, uint32_t step, const scn_expect *expect);

/* Called when the program and all its commands have ended: resolves the step of each finding, since
 * the next process reuses command ids. */
void cnf_findings_settle(cnf_execution *execution);

/* Judges all expectations of findings, and the unexpected findings. Every command has ended. */
void cnf_judge_findings(cnf_execution *execution);

#endif
