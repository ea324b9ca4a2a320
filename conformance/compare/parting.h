/* Where the traces of two subjects part. */
#ifndef CONFORMANCE_COMPARE_PARTING_H
#define CONFORMANCE_COMPARE_PARTING_H

#include "conformance/compare/verdict.h"

/* Appends to the judgement's message the first event in which the other subject's trace differs
 * from the oracle's, or that they are the same.  Which device it was, and whether a driver or a
 * tool linked, is no difference.  Nothing is appended where one of them sent no trace. */
void cnf_traces_part(rt_arena *arena, const cnf_messages *oracle, const cnf_messages *other,
                     cnf_judgement *inout_judgement);

#endif
