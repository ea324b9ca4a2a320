/* Reads the messages of a subject's child (conformance/subject/subject.h). The child may have died
 * in the middle of a line or printed arbitrary bytes, so nothing is trusted: the first violation of
 * the protocol is recorded as the fault, and all messages before it count. */
#ifndef CONFORMANCE_VERDICT_MESSAGES_H
#define CONFORMANCE_VERDICT_MESSAGES_H

#include "conformance/scenario/model/model.h"
#include "reference/base/script.h"

/* A place in code that is not in the scenario itself, but in a file: its path as messages write it,
 * relative to the folder in which the run began unless it is absolute.  Empty: none. */
typedef struct cnf_code_place {
    rt_text file;
    uint32_t line, column; /* from 1; column 0: unknown */
} cnf_code_place;

/* One expectation judged by the child. */
typedef struct cnf_check {
    uint32_t step; /* SCN_NONE if the message had no step */
    rt_text step_id;
    uint32_t line;          /* line of the scenario; 0 if unknown */
    cnf_code_place code_at; /* of a finding in another file */
    rt_text kind, what, code, place, rule, message;
    uint32_t branch, branches; /* of a one_of: the branch that held, from 1, and the number of
                                * branches; 0: none held, or not a one_of */
    const rt_text *memories;   /* names of the memories that the expectation depends on */
    uint32_t memory_count;
    bool ok, observed;
} cnf_check;

/* A choice that the child's runtime made among several alternatives (reference/base/choose.h). */
typedef struct cnf_choice {
    rt_text rule;
    uint32_t alternative_count, alternative; /* alternative < alternative_count */
} cnf_choice;

/* Choices among ready commands (reference/base/script.h). */
typedef struct cnf_order_list {
    const rt_order *items;
    uint32_t count;
} cnf_order_list;

/* The result of a probe, which runs a computation with a known answer. */
typedef enum cnf_probe_answer { CNF_PROBE_NONE, CNF_PROBE_RIGHT, CNF_PROBE_WRONG } cnf_probe_answer;

/* A memory's contents at the end of the scenario. */
typedef struct cnf_final_memory {
    rt_text name;
    rt_bytes data;    /* in the scenario's layout */
    rt_bytes defined; /* one bit per byte of data, lowest first; data NULL: not tracked */
} cnf_final_memory;

/* The child's last message. */
typedef enum cnf_messages_end {
    CNF_MESSAGES_CUT, /* no last message was sent */
    CNF_MESSAGES_ENDED,
    CNF_MESSAGES_SKIPPED,
    CNF_MESSAGES_UNAVAILABLE,
} cnf_messages_end;

typedef struct cnf_messages {
    rt_text stage;       /* the last stage begun; "start" before the first message */
    uint32_t step, line; /* of the stage; SCN_NONE and 0 outside steps */
    rt_text device, driver;
    rt_text capabilities; /* of a probed device, as lines for people; empty if none were sent */
    bool links_only;      /* the device compiles and links, but runs no kernel */
    const cnf_check *checks;
    uint32_t check_count;
    const cnf_final_memory *memories;
    uint32_t memory_count;
    const cnf_choice *choices; /* in the order of the run */
    uint32_t choice_count;
    uint32_t call_count;           /* of the devices, with cnf_subject_options.fail_call */
    cnf_order_list orders_taken;   /* those that the script prescribes, as they were made */
    cnf_order_list orders_wanted;  /* those that would exchange commands which conflict */
    const scn_artefact *artefacts; /* the compile worker's answers, one per request */
    uint32_t artefact_count;
    cnf_probe_answer probe; /* `reason` explains a wrong answer */
    rt_text trace; /* the trace message as it was sent, which parting.h reads; empty: none */
    cnf_messages_end end;
    rt_text capability, answer; /* SKIPPED: the capability queried, and the device's answer */
    rt_text warning;            /* about the subject, one line each; empty: none */
    rt_text reason;             /* of SKIPPED, UNAVAILABLE or a probe, for people */
    bool is_released;           /* the device is fit for the next scenario */
    rt_text release_code, release_reason; /* why it is not; empty: it is, or this was not sent */
    const char *fault;     /* code of the first violation of the protocol; NULL: none */
    rt_text fault_message; /* the offending line and the violation */
} cnf_messages;

/* Reads everything that a child sent, copying texts into the arena. */
void cnf_messages_read(rt_arena *arena, rt_text sent, cnf_messages *out_messages);

/* Reads messages of a subject in this process, one after another, in the same way (cnf_receiver in
 * conformance/subject/subject.h). *out_messages is complete when the reader has ended. */
typedef struct cnf_message_reader cnf_message_reader;
struct json_t;
cnf_message_reader *cnf_message_reader_begin(rt_arena *arena, cnf_messages *out_messages);
void cnf_message_reader_take(cnf_message_reader *reader, const struct json_t *message);
void cnf_message_reader_take_trace(cnf_message_reader *reader, rt_text message);
void cnf_message_reader_end(cnf_message_reader *reader);

#endif
