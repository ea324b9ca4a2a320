/* Whether a subject can be asked a scenario at all. */
#ifndef CONFORMANCE_SUBJECT_SKIP_H
#define CONFORMANCE_SUBJECT_SKIP_H

#include "conformance/subject/emit.h"

/* Emits a skip message and returns true where the device lacks a capability that the scenario
 * needs. */
bool cnf_skip(cnf_emitter *emitter, const scn_scenario *scenario,
              const dev_capabilities *capabilities);

/* The same after the scenario ran, where its device was asked for nothing: what the reference
 * runtime decides by itself is judged once, on the oracle. */
bool cnf_skip_unasked(cnf_emitter *emitter, const cnf_subject *subject, bool device_was_asked);

#endif
