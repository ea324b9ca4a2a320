/* What a subject's child said, read back: the messages of conformance/subject/subject.h.
 *
 * The child may have died in the middle of a line or have printed anything at all into its channel,
 * so nothing here is trusted: the first thing that breaks the protocol is remembered as the fault,
 * and everything before it counts. */
#ifndef CONFORMANCE_VERDICT_MESSAGES_H
#define CONFORMANCE_VERDICT_MESSAGES_H

#include "conformance/scenario/model/model.h"

/* One expectation judged by the child. */
typedef struct cnf_check {
    uint32_t step; /* SCN_NONE where the message named none */
    uint32_t line; /* of the scenario, 0 where unknown */
    rt_text kind, what, code, place, rule, message;
    uint32_t branch, branches; /* of a one_of: which held, from 1, of how many; 0: none held, or
                                  it is not a one_of */
    bool ok, observed;
} cnf_check;

/* One choice among several alternatives that the child's runtime made (reference/base/choose.h). */
typedef struct cnf_choice {
    rt_text rule;
    uint32_t of, taken; /* taken < of */
} cnf_choice;

/* What a probe with a known answer came to. */
typedef enum cnf_probe_answer { CNF_PROBE_NONE, CNF_PROBE_RIGHT, CNF_PROBE_WRONG } cnf_probe_answer;

/* A memory's content when the scenario had ended. */
typedef struct cnf_final_memory {
    rt_text name;
    rt_bytes data;    /* as the scenario's layout says */
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
    rt_text capabilities; /* of a probe: lines for people; empty: not told */
    bool links_only;      /* the device compiles and links, but runs no kernel */
    const cnf_check *checks;
    uint32_t check_count;
    const cnf_final_memory *memories;
    uint32_t memory_count;
    const cnf_choice *choices; /* in the order in which they were made */
    uint32_t choice_count;
    const scn_artefact *artefacts; /* of the compile worker, each as often as it was asked for */
    uint32_t artefact_count;
    cnf_probe_answer probe; /* `reason` says what was wrong */
    rt_text trace; /* the trace message as it was sent, which parting.h reads; empty: none */
    cnf_messages_end end;
    rt_text capability, answer; /* SKIPPED: what was asked of the device, and what it said */
    rt_text reason;             /* SKIPPED, UNAVAILABLE, a probe: for people */
    const char *fault;          /* code of the first breach of the protocol; NULL: none */
    rt_text fault_message;      /* which line, and what is wrong with it */
} cnf_messages;

/* Reads everything that a child sent.  All texts are copied into the arena. */
void cnf_messages_read(rt_arena *arena, rt_text sent, cnf_messages *out_messages);

#endif
