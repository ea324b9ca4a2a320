/* Queries each subject in a child process, because opening a vendor's library may crash or hang. */
#ifndef CONFORMANCE_CLI_ASK_H
#define CONFORMANCE_CLI_ASK_H

#include "conformance/subject/subject.h"
#include "conformance/verdict/messages.h"

/* A subject's answer, valid during the callback. */
typedef struct cnf_asked {
    const cnf_subject *subject;
    bool answered; /* false: its child died, or sent nothing valid in time */
    const cnf_messages *answer;
} cnf_asked;

/* Queries all subjects in turn and calls `told` for each. Returns false after reporting on stderr
 * that children cannot be started or watched. */
bool cnf_subjects_ask(void (*told)(void *user, const cnf_asked *asked), void *user);

#endif
