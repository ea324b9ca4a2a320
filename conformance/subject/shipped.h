/* The shipped DPC++ runtime as an executor of scenarios, through a host program that is linked with
 * it (conformance/host); shared by the files shipped*.c. */
#ifndef CONFORMANCE_SUBJECT_SHIPPED_H
#define CONFORMANCE_SUBJECT_SHIPPED_H

#include "conformance/host/host.h"
#include "conformance/subject/execute.h"

enum {
    CNF_LAYER_VARIABLES = 3,     /* at most */
    CNF_SIMULATED_VARIABLES = 8, /* of dpcpp{device=sim} */
    CNF_CACHE_VARIABLES = 2,     /* of a persistent cache */
};

typedef struct cnf_shipped {
    cnf_runtime base;
    const scn_scenario *declared; /* with the images' formats before cnf_shipped_images */
    cnf_host *host;               /* NULL: no process was started, or the scenario is skipped */
    rt_status started;            /* the result of starting it */
    /* Of each of its processes, in addition to the subject's; NULL-terminated. */
    const char
        *environment[CNF_LAYER_VARIABLES + CNF_SIMULATED_VARIABLES + CNF_CACHE_VARIABLES + 1];
    uint32_t processes;   /* that have been started */
    uint32_t *memories;   /* per memory: its number in the host program */
    bool sees_driver;     /* the OpenCL layer is in the host program, and its log can be read */
    uint32_t calls_seen;  /* number of the layer's observations already in the trace */
    int findings;         /* dpcpp{device=sim}: the file of the driver's findings; otherwise -1 */
    size_t findings_read; /* bytes of it that are in the execution's findings */
    cnf_cache *cache;     /* holds the built parts of the host program */
} cnf_shipped;

/* The execution's runtime, which is the shipped one. */
cnf_shipped *cnf_shipped_of(const cnf_execution *execution);

/* ---- shipped_ask.c ------------------------------------------------------------------------ */

/* A request to the host program, and the program's answer. */
typedef struct cnf_question {
    rt_buffer request;
    rt_arena arena;   /* holds the answer */
    rt_reader answer; /* the part of the answer after the status, set by cnf_shipped_ask */
} cnf_question;

/* Begins a request. The caller must end it with cnf_question_end, unless one of the last two
 * functions here reads the answer. */
cnf_question cnf_question_begin(host_request kind);
void cnf_question_end(cnf_question *question);

/* If the host program was killed by a signal, kills this process with the same signal: the verdict
 * is about the program, so its death becomes ours. Otherwise returns the status. */
rt_status cnf_shipped_fate(cnf_execution *execution, rt_status status);

/* Sends the request on the channel of the current step's thread and waits for the answer. Fails as
 * cnf_host_ask does. */
RT_MUST_USE rt_status cnf_shipped_ask(cnf_execution *execution, cnf_question *question);

/* Called after reading the answer: MALFORMED if it was too short, too long or out of range. */
RT_MUST_USE rt_status cnf_shipped_answered(cnf_execution *execution, const cnf_question *question);

/* Sends the request, reads the answer and ends the question. The answer is empty for the first
 * function; for the second, it is `size` bytes (out_content may be NULL), and for the third the
 * number of the created object. */
RT_MUST_USE rt_status cnf_shipped_ask_done(cnf_execution *execution, cnf_question *question);
RT_MUST_USE rt_status cnf_shipped_ask_content(cnf_execution *execution, cnf_question *question,
                                              uint64_t size, cnf_content *out_content);
RT_MUST_USE rt_status cnf_shipped_ask_number(cnf_execution *execution, cnf_question *question,
                                             uint32_t *out_number);

/* ---- shipped_events.c --------------------------------------------------------------------- */

/* Adds to the trace what constructors and destructors did. */
void cnf_shipped_trace(cnf_execution *execution, cnf_host_events events);

/* cnf_runtime_operations.observes and .identifies_program. */
bool cnf_shipped_observes(const cnf_runtime *runtime, rt_event_kind kind, rt_text field);
bool cnf_shipped_tells_program(const cnf_runtime *runtime, rt_event_kind kind);

/* ---- shipped_calls.c ---------------------------------------------------------------------- */

/* Fills a list of environment variables, in the arena, with which the OpenCL layer is in the host
 * program, hides aspects there and logs to this process's log. Returns their number, 0 if there is
 * no log. Only while the variables of cnf_layer_begin are set. */
uint32_t cnf_shipped_layer_variables(cnf_execution *execution,
                                     const char *variables[CNF_LAYER_VARIABLES]);

/* cnf_runtime_operations.look: adds the driver calls since the last look. */
void cnf_shipped_look(cnf_execution *execution);

/* ---- shipped_simulated.c ------------------------------------------------------------------- */

/* True if the user selected the simulated device (dpcpp{device=sim}). */
bool cnf_shipped_is_simulated(void);

/* Makes the simulated device the only one in the host program: fills CNF_SIMULATED_VARIABLES
 * environment variables, in the arena, and creates the file of findings, which shipped_close
 * closes. UNAVAILABLE: the library is missing; IO. */
RT_MUST_USE rt_status cnf_shipped_simulate(cnf_execution *execution, const char **out_variables);

/* Adds what the file of findings has gained since the last call to the execution's findings. */
void cnf_shipped_findings(cnf_execution *execution);

/* ---- shipped_globals.c: .transfer of a device_global, and .read_global --------------------- */

rt_status cnf_shipped_copy_global(cnf_execution *execution, uint32_t queue,
                                  const scn_transfer *transfer, cnf_after after,
                                  uint32_t *out_command);
rt_status cnf_shipped_read_global(cnf_execution *execution, const scn_variable *variable,
                                  uint32_t queue, bool existing, cnf_content *out_content);

/* ---- shipped_bundles.c: cnf_runtime_operations.bundle and .bundle_show --------------------- */

rt_status cnf_shipped_bundle(cnf_execution *execution, const scn_bundle *bundle, uint32_t context,
                             const uint32_t *sources, uint32_t *out_bundle);
rt_status cnf_shipped_bundle_show(cnf_execution *execution, uint32_t bundle,
                                  cnf_bundle_content *out_content);

/* ---- shipped_commands.c: cnf_runtime_operations.submit and .transfer ---------------------- */

/* Appends the field `after` of a request. */
void cnf_shipped_write_after(rt_buffer *out, cnf_after after);

rt_status cnf_shipped_submit(cnf_execution *execution, uint32_t queue, const scn_submit *submit,
                             uint32_t bundle, cnf_after after, uint32_t *out_command);
rt_status cnf_shipped_transfer(cnf_execution *execution, uint32_t queue,
                               const scn_transfer *transfer, cnf_after after,
                               uint32_t *out_command);
rt_status cnf_shipped_host_task(cnf_execution *execution, uint32_t queue, const scn_host_task *task,
                                uint32_t awaited, cnf_after after, uint32_t *out_command);
rt_status cnf_shipped_user_event(cnf_execution *execution, uint32_t device, uint32_t *out_command);
rt_status cnf_shipped_complete_event(cnf_execution *execution, uint32_t command, bool has_failed);
rt_status cnf_shipped_map(cnf_execution *execution, uint32_t queue, const scn_map *map,
                          cnf_after after, uint32_t *out_command, uint32_t *out_mapping);
rt_status cnf_shipped_unmap(cnf_execution *execution, uint32_t queue, uint32_t mapping,
                            cnf_after after, uint32_t *out_command);
rt_status cnf_shipped_mapped_read(cnf_execution *execution, uint32_t step, uint32_t mapping,
                                  uint64_t size, cnf_content *out_content);
rt_status cnf_shipped_mapped_write(cnf_execution *execution, uint32_t step, uint32_t mapping,
                                   uint64_t offset, rt_bytes bytes);
rt_status cnf_shipped_part(cnf_execution *execution, uint32_t memory, uint32_t whole,
                           uint64_t offset);
rt_status cnf_shipped_end_part(cnf_execution *execution, uint32_t memory);
rt_status cnf_shipped_marker(cnf_execution *execution, uint32_t queue, bool is_barrier,
                             bool waits_for_all, cnf_after after, uint32_t *out_command);

#endif
