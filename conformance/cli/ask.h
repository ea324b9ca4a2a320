/* Queries each subject in a child process, because opening a vendor's library may crash or hang. */
#ifndef CONFORMANCE_CLI_ASK_H
#define CONFORMANCE_CLI_ASK_H

#include "conformance/subject/subject.h"
#include "conformance/verdict/messages.h"

/* A subject's answer, valid during the callback. */
typedef struct cnf_answer {
    const cnf_subject *subject;
    bool is_valid; /* false: its child died, or sent nothing valid in time */
    const cnf_messages *messages;
} cnf_answer;

/* Queries all subjects in turn and calls `report` for each. Returns false after reporting on stderr
 * that children cannot be started or watched. */
bool cnf_subjects_ask(void (*report)(void *user, const cnf_answer *answer), void *user);

#endif
