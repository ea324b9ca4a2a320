/* Whether a subject can be asked a scenario at all. */
#ifndef CONFORMANCE_SUBJECT_SKIP_H
#define CONFORMANCE_SUBJECT_SKIP_H

#include "conformance/subject/emit.h"
#include "conformance/subject/runtime.h"

/* Emits a skip message and returns true where the runtime, or its device, lacks a capability that
 * the scenario needs. */
bool cnf_skip(cnf_emitter *emitter, const scn_scenario *scenario, const cnf_runtime *runtime);

/* What a scenario asks that only the reference runtime does: the reason, or NULL. */
typedef struct cnf_skip_row cnf_skip_row;
const cnf_skip_row *cnf_skip_reason(const scn_scenario *scenario,
                                    const cnf_runtime_operations *runtime);

/* Appends the capabilities of all those reasons, each behind a blank. */
void cnf_skip_words_write(rt_buffer *out);

/* The same as cnf_skip after the scenario ran, where its device was asked for nothing: what the
 * reference runtime decides by itself is judged once, on the oracle.  Of a device that does not
 * execute, for nothing that it shows. */
bool cnf_skip_unasked(cnf_emitter *emitter, const cnf_subject *subject, bool device_was_asked,
                      bool device_executes);

#endif
