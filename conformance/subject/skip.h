/* Decides whether a scenario can run on a subject. */
#ifndef CONFORMANCE_SUBJECT_SKIP_H
#define CONFORMANCE_SUBJECT_SKIP_H

#include "conformance/subject/emit.h"
#include "conformance/subject/runtime.h"
#include "reference/base/profile.h"

/* Emits a skip message and returns true if the runtime, or its device, lacks a capability that the
 * scenario needs. */
bool cnf_skip(cnf_emitter *emitter, const scn_scenario *scenario, const cnf_runtime *runtime);

/* Like cnf_skip, for the reference runtime under the profile of shipped DPC++, which links no
 * format but SPIR-V and Intel's GPU code, whatever the device can link (requirements.yaml, key
 * dpcpp, tag A29): a device that takes neither runs no scenario whose images must be linked. */
bool cnf_skip_shipped_linking(cnf_emitter *emitter, const scn_scenario *scenario,
                              const cnf_runtime *runtime, rt_profile profile);

/* The reason to skip a scenario that needs a feature which only the reference runtime has; NULL if
 * there is none. */
typedef struct cnf_skip_row cnf_skip_row;
const cnf_skip_row *cnf_skip_reason(const scn_scenario *scenario,
                                    const cnf_runtime_operations *runtime);

/* Appends the capability of each reason that cnf_skip_reason can return, each preceded by a space.
 */
void cnf_skip_words_write(rt_buffer *out);

/* Like cnf_skip, but called after the scenario ran: skips it if its device was never used, because
 * what the reference runtime alone decides is judged once, on the oracle. On a device that does not
 * execute, only uses with a visible effect count. */
bool cnf_skip_unused(cnf_emitter *emitter, const cnf_subject *subject, bool device_was_used,
                     bool device_executes);

#endif
