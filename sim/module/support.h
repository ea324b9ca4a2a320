/* The supported capabilities, extensions, execution modes and built-in variables. */
#ifndef SIM_SUPPORT_H
#define SIM_SUPPORT_H

#include "reference/base/text.h"

/* True if a module may declare the capability (SIM_Capability…).  A capability is accepted even if
 * only some of its instructions are executed: a module that contains one of the others is refused.
 */
bool sim_supports_capability(uint32_t capability);

/* True if a module may declare the extension. */
bool sim_supports_extension(rt_text name);

/* True if an entry point may have the execution mode (SIM_ExecutionMode…). */
bool sim_supports_mode(uint32_t mode);

/* The number of components of a built-in variable (SIM_BuiltIn…): 1, 3 or 4 integers; 0 for a
 * built-in that kernels do not have. */
uint32_t sim_built_in_components(uint32_t built_in);

#endif
