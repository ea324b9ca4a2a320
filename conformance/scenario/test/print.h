/* A checked scenario as text that shows every field of the model, for golden tests and for
 * comparisons. */
#ifndef CONFORMANCE_SCENARIO_TEST_PRINT_H
#define CONFORMANCE_SCENARIO_TEST_PRINT_H

#include "conformance/scenario/model/model.h"

/* Appends the text form; two scenarios give equal texts if and only if they are equal. */
void scn_print(rt_buffer *out, const scn_scenario *scenario);

#endif
