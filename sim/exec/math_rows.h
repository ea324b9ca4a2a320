/* The functions of number/math.h over rows of lanes, built once per engine. */
#ifndef SIM_MATH_ROWS_H
#define SIM_MATH_ROWS_H

#include "sim/exec/exec.h"
#include "sim/number/math.h"

/* sim_math_float for whole chunks of lanes: the same bits, but the operands of lanes that are not
 * computed are read as well. */
void SIM_NAME(sim_math_rows)(sim_math function, const sim_math_lanes *lanes);

#endif
