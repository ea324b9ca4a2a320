/* Whether a subject can be asked a scenario at all. */
#ifndef CONFORMANCE_SUBJECT_SKIP_H
#define CONFORMANCE_SUBJECT_SKIP_H

#include "conformance/subject/emit.h"

/* Emits a skip message and returns true where the device lacks a capability that the scenario
 * needs, or where nothing of the scenario reaches a device and this subject is not the oracle. */
bool cnf_skip(cnf_emitter *emitter, const cnf_subject *subject, const scn_scenario *scenario,
              const dev_capabilities *capabilities);

#endif
