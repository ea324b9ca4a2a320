/* Sends messages (subject.h) to the runner. */
#ifndef CONFORMANCE_SUBJECT_EMIT_H
#define CONFORMANCE_SUBJECT_EMIT_H

#include "conformance/subject/subject.h"
#include "reference/base/choose.h"
#include "reference/base/script.h"
#include "reference/trace/trace.h"

typedef struct cnf_emitter {
    const cnf_receiver *receiver; /* NULL: messages go to the descriptor */
    int descriptor;
    bool failed; /* the runner stopped reading; later messages are dropped */
} cnf_emitter;

/* One judged expectation. The message omits the key of an empty text. */
typedef struct cnf_emitted_check {
    uint32_t step; /* SCN_NONE: not about a step */
    rt_text step_id;
    uint32_t line;
    rt_text code_file; /* the file with the code of a finding, if it is not the scenario's; empty:
                        * none */
    uint32_t code_line, code_column;
    const char *kind;
    rt_text what;
    bool ok, observed;
    rt_text code, place, message;
    rt_rule rule;
    const rt_text *memories; /* names of the memories that the check depends on */
    uint32_t memory_count;
    uint32_t branch, branch_count; /* one_of: the branch that held, from 1 (0: none), and the number
                                    * of branches */
} cnf_emitted_check;

/* How much of a trace is sent. */
typedef enum cnf_trace_extent {
    CNF_TRACE_COMPLETE,
    CNF_TRACE_OBSERVED, /* all there is, but the subject shows only some kinds of events or fields
                         */
    CNF_TRACE_KINDS,    /* every event without its fields */
} cnf_trace_extent;

/* Each function writes one message. The message has no step if `step` is SCN_NONE, and no line if
 * `line` is 0. */
void cnf_emit_stage(cnf_emitter *emitter, const char *stage, uint32_t step, uint32_t line);
void cnf_emit_device(cnf_emitter *emitter, const dev_capabilities *capabilities, rt_text warning);
void cnf_emit_unavailable(cnf_emitter *emitter, rt_text message);
void cnf_emit_skip(cnf_emitter *emitter, const char *capability, const char *answer,
                   rt_text message);
void cnf_emit_check(cnf_emitter *emitter, const cnf_emitted_check *check);
/* Sends nothing to a receiver. `defined` NULL: the device does not track initialisation. */
void cnf_emit_memory(cnf_emitter *emitter, const scn_memory *memory, rt_bytes data,
                     const uint8_t *defined);
void cnf_emit_trace(cnf_emitter *emitter, rt_trace *trace, cnf_trace_extent extent);
/* Writes nothing if no choice was made. */
void cnf_emit_choices(cnf_emitter *emitter, const rt_choice *choices, uint32_t count);
/* Writes nothing if there is no order.  `kind`: "taken" or "wanted". */
void cnf_emit_orders(cnf_emitter *emitter, const char *kind, const rt_order *orders,
                     uint32_t count);
/* `count`: of the calls that the devices received. */
void cnf_emit_calls(cnf_emitter *emitter, uint32_t count);
/* `message` says what is wrong with the device; empty if nothing is. */
void cnf_emit_probe(cnf_emitter *emitter, bool ok, rt_text message);
/* `code` is "" if the device is fit for the next scenario; otherwise it names what is wrong, and
 * `message` explains it. */
void cnf_emit_released(cnf_emitter *emitter, const char *code, rt_text message);
/* The device's capabilities, as lines for people. */
void cnf_emit_capabilities(cnf_emitter *emitter, rt_text lines);
/* Writes the compile worker's answer to the request with the given hash. */
void cnf_emit_artefact(cnf_emitter *emitter, const scn_artefact *artefact);
void cnf_emit_end(cnf_emitter *emitter);

#endif
