/* A scenario that uses every part of the model. */
#ifndef CONFORMANCE_SCENARIO_TEST_SAMPLE_H
#define CONFORMANCE_SCENARIO_TEST_SAMPLE_H

#include "reference/base/text.h"

/* The text of the scenario's file, static. */
rt_text scn_sample(void);

#endif
