/* Specialisation constants of SYCL sources: their names. */
#ifndef CONFORMANCE_SCENARIO_CONSTANTS_H
#define CONFORMANCE_SCENARIO_CONSTANTS_H

#include "conformance/scenario/model/model.h"

/* In the steps of a scenario whose modules have their images, replaces each name of a
 * specialisation constant that no image has with the symbolic id of the only specialization_id that
 * has this name in its source (NAME or NAMESPACE::NAME). Tables that change are copied into the
 * arena. False if several have the name, because translation units have their own; *out_at is then
 * the position and *out_problem the message. */
bool scn_constants_resolve(rt_arena *arena, scn_scenario *scenario, scn_position *out_at,
                           rt_text *out_problem);

/* True if some module's source mentions the name, or a table of an image has it, so that such a
 * specialisation constant may be declared. */
bool scn_constant_may_be(const scn_scenario *scenario, rt_text name);

#endif
