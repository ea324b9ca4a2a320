/* Subjects compared with each other: the final memories against those of the oracle (sim). */
#ifndef CONFORMANCE_VERDICT_DIFFERENTIAL_H
#define CONFORMANCE_VERDICT_DIFFERENTIAL_H

#include "conformance/verdict/verdict.h"

/* Compares every byte that the oracle calls defined, as elements.h says and the scenario declares.
 * A difference makes the judgement of the other subject FAIL with the first memory that differs;
 * otherwise it stays.  Nothing is compared where the two took different branches of a one_of: both
 * conform, and the memories may differ.  Both must have run to their end. */
void cnf_differential(rt_arena *arena, const scn_scenario *scenario, const cnf_messages *oracle,
                      const cnf_messages *other, cnf_judgement *inout_judgement);

#endif
