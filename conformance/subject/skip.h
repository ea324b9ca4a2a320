/* Decides whether a scenario can run on a subject. */
#ifndef CONFORMANCE_SUBJECT_SKIP_H
#define CONFORMANCE_SUBJECT_SKIP_H

#include "conformance/subject/emit.h"
#include "conformance/subject/runtime.h"
#include "reference/base/profile.h"

/* Emits a skip message and returns true if the runtime, or its device, lacks a capability that the
 * scenario needs. */
bool cnf_skip(cnf_emitter *emitter, const scn_scenario *scenario, const cnf_runtime *runtime);

/* The capability that a device lacks if code has no form in PTX, the only code that it runs. */
#define CNF_PTX_CAPABILITY "ptx-source"

/* Like cnf_skip, for a device that takes PTX, to which the tools translate SPIR-V: skips the
 * scenario if an image has no form in PTX; the message says which part of it. */
bool cnf_skip_untranslated(cnf_emitter *emitter, const scn_scenario *scenario,
                           const dev_capabilities *capabilities, const dev_tools *tools);

/* Like cnf_skip, for the reference runtime under the profile of shipped DPC++, which links no
 * format but SPIR-V and Intel's GPU code, whatever the device can link, and keeps only programs
 * built from SPIR-V in the persistent cache (requirements.yaml, key dpcpp, tags A29 and A52): a
 * device that takes none of these formats skips the scenarios that need the linking or count what
 * the cache saves. */
bool cnf_skip_shipped(cnf_emitter *emitter, const scn_scenario *scenario,
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
 * execute, only uses with a visible effect count. `lack`: the refusal of a kernel that the scenario
 * does not expect; NULL: none. The aspect that it names is then the missing capability. */
bool cnf_skip_unused(cnf_emitter *emitter, const cnf_subject *subject, bool device_was_used,
                     bool device_executes, const rt_diagnostic *lack);

#endif
