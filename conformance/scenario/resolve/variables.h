/* Finds the device_globals that steps refer to, once the modules have their images. */
#ifndef CONFORMANCE_SCENARIO_VARIABLES_H
#define CONFORMANCE_SCENARIO_VARIABLES_H

#include "conformance/scenario/model/model.h"

/* Replaces, in the steps of a scenario whose modules have their images, the name of each
 * device_global by its place (scn_variable.module and .global), and gives a copy of the rest of a
 * variable its size. Tables that change are copied into the arena. False if a name refers to no
 * variable or to several; if the copied part is not inside it; if the host may not read or write it
 * (property host_access), which would not compile; or if an expected value has another size. A step
 * that expects to be refused is exempt from the last three. *out_at is the place and *out_problem
 * the message. */
bool scn_variables_resolve(rt_arena *arena, scn_scenario *scenario, scn_position *out_at,
                           rt_text *out_problem);

/* True if a step copies to or from a device_global or has expectations of one. */
bool scn_variables_are_meant(const scn_scenario *scenario);

/* True if some module's source or list of variables mentions the name, so that it may have such a
 * variable; more is not known before images are made. */
bool scn_variable_may_be(const scn_scenario *scenario, rt_text name);

/* The variable that scn_variables_resolve has found. */
const rt_device_global *scn_variable_of(const scn_scenario *scenario, const scn_variable *variable);

#endif
