/* Asking each subject whether it can be opened, in a child of its own, because opening a vendor's
 * library may crash or hang. */
#ifndef CONFORMANCE_CLI_ASK_H
#define CONFORMANCE_CLI_ASK_H

#include "conformance/subject/subject.h"
#include "conformance/verdict/messages.h"

/* What a subject answered; valid during the call that tells it. */
typedef struct cnf_asked {
    const cnf_subject *subject;
    bool answered; /* false: its child died, or said nothing sensible in time */
    const cnf_messages *answer;
} cnf_asked;

/* Asks all subjects one after the other.  False: children cannot be started or watched, which has
 * been said on stderr. */
bool cnf_subjects_ask(void (*told)(void *user, const cnf_asked *asked), void *user);

#endif
