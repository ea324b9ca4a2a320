/* Modules that a scenario expects to be refused when they are compiled. */
#ifndef CONFORMANCE_RUN_REFUSAL_H
#define CONFORMANCE_RUN_REFUSAL_H

#include "conformance/build/compile.h"
#include "conformance/verdict/verdict.h"

/* Judges the answer for a module that must be refused: PASS, with one observed check, if the front
 * end or post-link refused it as expected; otherwise FAIL, at the expectation's line. Texts live in
 * the arena. Infrastructure failures are not judged here. */
void cnf_refusal_judge(rt_arena *arena, const scn_module *module, const cnf_compile_answer *answer,
                       cnf_judgement *out_judgement);

#endif
