/* The first difference between the traces of two subjects. */
#ifndef CONFORMANCE_VERDICT_PARTING_H
#define CONFORMANCE_VERDICT_PARTING_H

#include "conformance/verdict/verdict.h"

/* Two traces side by side. Events are lines for people, such as "link program: 1 inputs: [a, b]".
 */
typedef struct cnf_parting {
    bool is_complete;       /* both subjects sent a complete trace; otherwise the rest is unset */
    bool is_equal;          /* no event differs */
    uint32_t index;         /* index of the first difference; may be past the end of one trace */
    const rt_text *oracle;  /* the oracle's events, all of them */
    const rt_text *subject; /* the other subject's */
    uint32_t oracle_count, subject_count;
} cnf_parting;

/* An event as a line for people, with a key. Two keys are equal if cnf_traces_compare treats the
 * events as equal. */
typedef struct cnf_trace_line {
    rt_text line, key;
} cnf_trace_line;

/* The events that a subject sent, in the arena; NULL and 0 if it sent no complete trace. */
const cnf_trace_line *cnf_trace_lines(rt_arena *arena, const cnf_messages *messages,
                                      uint32_t *out_count);

/* Compares the traces event by event. Two fields are not compared: whether a driver or a tool
 * linked, and the format of the images. All others are, including the scenario's devices, which
 * have the same names on every subject. A value that is not an event differs from everything.
 * Everything lives in the arena. */
void cnf_traces_compare(rt_arena *arena, const cnf_messages *oracle, const cnf_messages *subject,
                        cnf_parting *out_parting);

/* Appends to the judgement's message the first event at which the other subject's trace differs
 * from the oracle's, or a note that the traces are equal; appends nothing if either sent no
 * complete trace. */
void cnf_traces_part(rt_arena *arena, const cnf_messages *oracle, const cnf_messages *subject,
                     cnf_judgement *inout_judgement);

#endif
