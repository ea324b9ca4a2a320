/* The types of values that launches pass, compared with those of the kernels' parameters. No device
 * can do this: the interfaces of drivers know only the sizes of values. */
#ifndef CONFORMANCE_RUN_VALUE_TYPES_H
#define CONFORMANCE_RUN_VALUE_TYPES_H

#include "conformance/scenario/model/model.h"

/* False if a launch passes an integer to a parameter of a floating-point type of the same size, or
 * the reverse; *out_at is then the argument's position and *out_problem the message, in the arena.
 * The modules must have their images. Kernels that are not in SPIR-V, and launches with another
 * number of arguments than the kernel has parameters, are left to the runtime. */
bool cnf_value_types_check(rt_arena *arena, const scn_scenario *scenario, scn_position *out_at,
                           rt_text *out_problem);

#endif
