/* What a subject's child said, read back: the messages of conformance/subject/subject.h.
 *
 * The child may have died in the middle of a line or have printed anything at all into its channel,
 * so nothing here is trusted: the first thing that breaks the protocol is remembered as the fault,
 * and everything before it counts. */
#ifndef CONFORMANCE_COMPARE_MESSAGES_H
#define CONFORMANCE_COMPARE_MESSAGES_H

#include "conformance/scenario/model.h"

/* One expectation judged by the child. */
typedef struct cnf_check {
    uint32_t step; /* SCN_NONE where the message named none */
    uint32_t line; /* of the scenario, 0 where unknown */
    rt_text kind, what, code, place, rule, message;
    bool ok, observed;
} cnf_check;

/* A memory's content when the scenario had ended. */
typedef struct cnf_final_memory {
    rt_text name;
    scn_type type;
    rt_bytes data;
    rt_bytes defined; /* one bit a byte of data, lowest first; data NULL: not tracked */
} cnf_final_memory;

/* How the child said goodbye. */
typedef enum cnf_messages_end {
    CNF_MESSAGES_CUT, /* it did not */
    CNF_MESSAGES_ENDED,
    CNF_MESSAGES_SKIPPED,
    CNF_MESSAGES_UNAVAILABLE,
} cnf_messages_end;

typedef struct cnf_messages {
    rt_text stage;       /* that had begun last; "start" before the first message */
    uint32_t step, line; /* of that stage; SCN_NONE and 0 outside steps */
    rt_text device, driver;
    const cnf_check *checks;
    uint32_t check_count;
    const cnf_final_memory *memories;
    uint32_t memory_count;
    rt_text trace; /* the trace message as it was sent, which parting.h reads; empty: none */
    cnf_messages_end end;
    rt_text capability, answer; /* SKIPPED: what was asked of the device, and what it said */
    rt_text reason;             /* SKIPPED, UNAVAILABLE: for people */
    const char *fault;          /* code of the first breach of the protocol; NULL: none */
    rt_text fault_message;      /* which line, and what is wrong with it */
} cnf_messages;

/* Reads everything that a child sent.  All texts are copied into the arena. */
void cnf_messages_read(rt_arena *arena, rt_text sent, cnf_messages *out_messages);

#endif
