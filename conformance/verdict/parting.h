/* Where the traces of two subjects part. */
#ifndef CONFORMANCE_VERDICT_PARTING_H
#define CONFORMANCE_VERDICT_PARTING_H

#include "conformance/verdict/verdict.h"

/* Two traces beside each other.  Events are lines for people: "link program: 1 inputs: [a, b]". */
typedef struct cnf_parting {
    bool told;             /* both subjects sent a trace; else nothing below */
    bool same;             /* no event differs */
    uint32_t index;        /* of the first event that does; may be past the end of one of them */
    const rt_text *oracle; /* the oracle's events, all of them */
    const rt_text *other;  /* the other subject's */
    uint32_t oracle_count, other_count;
} cnf_parting;

/* An event for people; `key` is the same text for events that cnf_traces_compare takes for one. */
typedef struct cnf_trace_line {
    rt_text line, key;
} cnf_trace_line;

/* The events that a subject sent, in the arena; NULL and 0 where it sent no whole trace. */
const cnf_trace_line *cnf_trace_lines(rt_arena *arena, const cnf_messages *messages,
                                      uint32_t *out_count);

/* Compares the traces event by event.  Whether a driver or a tool linked, and in which format the
 * images of a subject are, is not a difference; everything else is, the scenario's devices, which
 * have the same names on every subject, included.  What is not an event counts as one that nothing
 * equals. Everything lives in the arena. */
void cnf_traces_compare(rt_arena *arena, const cnf_messages *oracle, const cnf_messages *other,
                        cnf_parting *out_parting);

/* Appends to the judgement's message the first event in which the other subject's trace differs
 * from the oracle's, or that they are the same.  Nothing is appended where one of them sent no
 * trace. */
void cnf_traces_part(rt_arena *arena, const cnf_messages *oracle, const cnf_messages *other,
                     cnf_judgement *inout_judgement);

#endif
