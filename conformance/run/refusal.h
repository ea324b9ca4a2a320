/* Modules that a scenario expects to be refused when they are compiled. */
#ifndef CONFORMANCE_RUN_REFUSAL_H
#define CONFORMANCE_RUN_REFUSAL_H

#include "conformance/build/compile.h"
#include "conformance/verdict/verdict.h"

/* Judges the answer about a module that must be refused: PASS, one check observed, where it
 * was refused as expected, by the front end or by post-link; FAIL at the expectation's line where
 * not.  Texts live in the arena.  Infrastructure that failed is not judged here. */
void cnf_refusal_judge(rt_arena *arena, const scn_module *module, const cnf_compile_answer *answer,
                       cnf_judgement *out_judgement);

#endif
