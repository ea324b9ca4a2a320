/* The device_globals that steps mean, found when the modules have their images. */
#ifndef CONFORMANCE_SCENARIO_VARIABLES_H
#define CONFORMANCE_SCENARIO_VARIABLES_H

#include "conformance/scenario/model/model.h"

/* Replaces, in the steps of a scenario whose modules have their images, the name of each
 * device_global by its place (scn_variable.module and .global), and the size of a copy that takes
 * the rest of one by that size.  Tables that change are copied into the arena.
 * False: a name means no variable or several; the part that is copied does not lie in it; the host
 * may not read or write it (property host_access), which would not compile; an expected value has
 * another size.  A step that expects to be refused may do the last three.  *out_at is where, and
 * *out_problem what there is to say. */
bool scn_variables_resolve(rt_arena *arena, scn_scenario *scenario, scn_position *out_at,
                           rt_text *out_problem);

/* True where a step copies to or from a device_global or expects something of one. */
bool scn_variables_are_meant(const scn_scenario *scenario);

/* True when some module's source or list of variables mentions the name, so that it may have such a
 * variable; before images are made nothing more is known. */
bool scn_variable_may_be(const scn_scenario *scenario, rt_text name);

/* The variable that was found. */
const rt_device_global *scn_variable_of(const scn_scenario *scenario, const scn_variable *variable);

#endif
