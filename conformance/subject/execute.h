/* Executing a scenario's steps on the reference runtime over one device. */
#ifndef CONFORMANCE_SUBJECT_EXECUTE_H
#define CONFORMANCE_SUBJECT_EXECUTE_H

#include "conformance/subject/emit.h"
#include "reference/runtime.h"

/* A finding of the device, kept until it is compared with the expectations. */
typedef struct cnf_kept_finding {
    const char *kind;
    rt_text message, kernel, source, object;
    uint32_t source_line;
    uint64_t offset;
    bool expected; /* some expectation named it */
} cnf_kept_finding;

/* One scenario on one device, while it runs. */
typedef struct cnf_execution {
    const scn_scenario *scenario;
    cnf_emitter *emitter;
    rt_sink *sink;
    uint64_t seed;  /* of everything that may be chosen */
    rt_arena arena; /* of everything that lives until the scenario ends */
    rt_runtime *runtime;
    const rt_device *device;
    rt_queue_id queue;
    rt_memory **memories;    /* index as in the scenario */
    rt_command_id *commands; /* per step: what it submitted, or UINT32_MAX */
    uint32_t *counted;       /* per event kind: trace events seen by its last count expectation */
    RT_VECTOR(cnf_kept_finding) findings; /* guarded by findings_lock until the last wait */
    pthread_mutex_t findings_lock;
    uint32_t step_count; /* steps begun */
    bool failed;         /* some check was not ok: later steps would only follow from it */
} cnf_execution;

/* Runs all steps and judges all expectations, emitting stages, checks, final memories and the
 * trace. The execution holds scenario, emitter, sink and seed; the rest is set up here.  `device`
 * is opened by the caller, with cnf_execution_finding as its on_finding, and closed by the caller
 * afterwards. */
void cnf_execute(cnf_execution *execution, dev_device *device);

/* For dev_open_parameters.on_finding; user is the cnf_execution. */
void cnf_execution_finding(void *user, const dev_finding *finding);

/* ---- judge.c: one expectation each -------------------------------------------------------- */

/* Judges a step that returned `status` against the error it expects (NULL: none) and emits the
 * check. */
void cnf_judge_step(cnf_execution *execution, uint32_t step, const char *kind, rt_text what,
                    rt_status status);

/* Judges an expectation of an expect step.  Findings are judged at the end (cnf_judge_findings). */
void cnf_judge_expect(cnf_execution *execution, uint32_t step, const scn_expect *expect);

/* Judges all expectations of findings, and the findings that none expects.  Every command is done.
 */
void cnf_judge_findings(cnf_execution *execution);

#endif
