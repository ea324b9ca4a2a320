/* Executing a scenario's steps on the reference runtime over the devices of one subject. */
#ifndef CONFORMANCE_SUBJECT_EXECUTE_H
#define CONFORMANCE_SUBJECT_EXECUTE_H

#include "conformance/subject/emit.h"
#include "conformance/subject/output.h"
#include "reference/runtime.h"

/* A finding of the device, kept until it is compared with the expectations. */
typedef struct cnf_kept_finding {
    const char *kind;
    rt_text message, kernel, source, object;
    uint32_t source_line;
    rt_command_id command; /* that it happened in */
    uint64_t offset;
    bool expected; /* some expectation named it */
} cnf_kept_finding;

/* What a step has made that later steps refer to. */
typedef struct cnf_step_result {
    rt_command_id command; /* SUBMIT, COPY, FILL; UINT32_MAX: none was made */
    rt_queue_id queue;     /* QUEUE; UINT32_MAX: none was made */
    rt_context_id context; /* CONTEXT */
    bool begun;
} cnf_step_result;

/* One scenario on one subject, while it runs.
 *
 * Threads of a parallel take turns (reference/base/handover.h), so that one at a time works on
 * this; only findings may come from a thread of the device. */
struct cnf_layer; /* layer.h */

typedef struct cnf_execution {
    const scn_scenario *scenario;
    cnf_emitter *emitter;
    rt_sink *sink;
    uint64_t seed; /* of everything that may be chosen */
    rt_profile profile;
    rt_text choices; /* the script, as cnf_subject_options has it */
    rt_arena arena;  /* of everything that lives until the scenario ends */
    rt_runtime *runtime;
    const rt_device **devices; /* index as in the scenario */
    rt_queue_id *queues;       /* per device: its default queue; UINT32_MAX: not made yet */
    rt_memory **memories;      /* index as in the scenario */
    cnf_step_result *results;  /* per step */
    uint32_t *counted;         /* per event kind: trace events seen by its last count expectation */
    RT_VECTOR(cnf_kept_finding) findings; /* guarded by findings_lock until the last wait */
    pthread_mutex_t findings_lock;
    const struct cnf_layer *layer; /* under the devices; NULL: they are not reached by OpenCL */
    cnf_output output;             /* opened and closed by the caller of cnf_execute */
    bool failed;           /* some check was not ok: later steps would only follow from it */
    bool device_was_asked; /* to make a program or to move content; known at the end */
} cnf_execution;

/* Runs all steps and judges all expectations, emitting stages, checks, final memories, choices and
 * the trace.  The execution holds scenario, emitter, sink, seed, profile and choices; the rest is
 * set up here.  `devices`, one for each of the scenario's, are opened by the caller with
 * cnf_execution_finding as their on_finding, and closed by the caller afterwards. */
void cnf_execute(cnf_execution *execution, dev_device *const *devices);

/* For dev_open_parameters.on_finding; user is the cnf_execution. */
void cnf_execution_finding(void *user, const dev_finding *finding);

/* Reads a script of choices, "0,1,0", into numbers in the arena.  False: it is no such list. */
bool cnf_choices_read(rt_arena *arena, rt_text script, const uint32_t **out_choices,
                      uint32_t *out_count);

/* ---- execute.c, commands.c, parallel.c: steps --------------------------------------------- */

/* Runs one step, unless it belongs to another profile, and judges it. */
void cnf_run_step(cnf_execution *execution, uint32_t step);

/* Creates a queue; submits a kernel, a copy or a fill; waits. */
rt_status cnf_run_queue(cnf_execution *execution, uint32_t step);
rt_status cnf_run_submit(cnf_execution *execution, uint32_t step);
rt_status cnf_run_transfer(cnf_execution *execution, uint32_t step);
rt_status cnf_run_wait(cnf_execution *execution, uint32_t step);

/* Runs the lists of a parallel step on threads and waits for the threads. */
void cnf_run_parallel(cnf_execution *execution, uint32_t step);

/* ---- judge*.c: expectations --------------------------------------------------------------- */

/* Evaluates one expectation without an effect besides the host read that it may be: fills kind,
 * what, ok, observed, code, place, line and message of a check, whose step is set. */
void cnf_evaluate_memory(cnf_execution *execution, const scn_expect *expect,
                         cnf_emitted_check *check);
void cnf_evaluate_count(cnf_execution *execution, const scn_expect *expect,
                        cnf_emitted_check *check);
void cnf_evaluate_program(cnf_execution *execution, const scn_expect *expect,
                          cnf_emitted_check *check);
void cnf_evaluate_trace(cnf_execution *execution, const scn_expect *expect,
                        cnf_emitted_check *check);
void cnf_evaluate_never(cnf_execution *execution, const scn_expect *expect,
                        cnf_emitted_check *check);
void cnf_evaluate_host_symbol(cnf_execution *execution, const scn_expect *expect,
                              cnf_emitted_check *check);
void cnf_evaluate_output(cnf_execution *execution, const scn_expect *expect,
                         cnf_emitted_check *check);
/* Later expectations of output begin behind what was printed so far. */
void cnf_output_seen(cnf_execution *execution);

/* Which bytes of a memory hold a value, a bit a byte as dev_memory_defined has it: as the device
 * says that wrote it last, else all or none.  After a host read.  Codes of dev_memory_defined. */
rt_status cnf_memory_defined(const rt_memory *memory, uint8_t *out_bits);

/* Emits a judged check; one that is not ok ends the scenario. */
void cnf_judged(cnf_execution *execution, const cnf_emitted_check *check);

/* Judges a step that returned `status` against the error or outcomes that it expects (none: it
 * must have succeeded) and emits the check. */
void cnf_judge_step(cnf_execution *execution, uint32_t step, const char *kind, rt_text what,
                    rt_status status);

/* Judges an expectation of an expect step.  Findings are judged at the end (cnf_judge_findings). */
void cnf_judge_expect(cnf_execution *execution, uint32_t step, const scn_expect *expect);

/* Judges all expectations of findings, and the findings that none expects.  Every command is done.
 */
void cnf_judge_findings(cnf_execution *execution);

#endif
