/* Compares the final memories of a subject with those of the oracle (sim). */
#ifndef CONFORMANCE_VERDICT_DIFFERENTIAL_H
#define CONFORMANCE_VERDICT_DIFFERENTIAL_H

#include "conformance/verdict/verdict.h"

/* The stage of the signatures of what differs. */
#define CNF_STAGE_DIFFERENTIAL "differential"

/* Compares every byte that the oracle marks as defined, by the rules of elements.h and the
 * scenario's declarations. Each memory that differs, unless a failing check is already about it, is
 * a failure, and turns the subject's PASS into FAIL. If the two took different branches of a
 * one_of, nothing is compared: both conform, and their memories may differ. Both must have run to
 * completion. */
void cnf_differential(rt_arena *arena, const scn_scenario *scenario, const cnf_messages *oracle,
                      const cnf_messages *subject, cnf_judgement *inout_judgement);

#endif
