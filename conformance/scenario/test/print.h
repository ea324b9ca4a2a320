/* A checked scenario as text, every field of the model: for golden tests and for comparing. */
#ifndef CONFORMANCE_SCENARIO_TEST_PRINT_H
#define CONFORMANCE_SCENARIO_TEST_PRINT_H

#include "conformance/scenario/model/model.h"

/* Appends the text form; equal scenarios, and no others, give equal text. */
void scn_print(rt_buffer *out, const scn_scenario *scenario);

#endif
