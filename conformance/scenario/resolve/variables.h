/* Finds the device_globals that steps refer to, after the modules' images have been built. */
#ifndef CONFORMANCE_SCENARIO_VARIABLES_H
#define CONFORMANCE_SCENARIO_VARIABLES_H

#include "conformance/scenario/model/model.h"

/* In the steps of a scenario whose modules have their images, resolves each device_global to its
 * module and index (scn_variable.module and .global), and fills in the size of each copy of the
 * rest of a variable. Tables that change are copied into the arena. False if a name refers to no
 * variable or to several; if the copied part is not inside the variable; if the host may not read
 * or write it (property host_access), which would not compile; or if the expected values differ in
 * size from the variable. A copy that expects a refusal is exempt from the conditions on its part
 * (unless nothing is left to copy) and on access. *out_at is the position and *out_problem the
 * message. */
bool scn_variables_resolve(rt_arena *arena, scn_scenario *scenario, scn_position *out_at,
                           rt_text *out_problem);

/* True if some step copies to or from a device_global, or expects something of one. */
bool scn_variables_are_used(const scn_scenario *scenario);

/* True if some module's source or list of variables mentions the name, so that such a variable may
 * exist; whether it does is not known before the images have been built. */
bool scn_variable_may_be(const scn_scenario *scenario, rt_text name);

/* The variable that scn_variables_resolve has found. */
const rt_device_global *scn_variable_of(const scn_scenario *scenario, const scn_variable *variable);

#endif
