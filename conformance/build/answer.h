/* Writes the answers that compile.h reads; used by the worker. */
#ifndef CONFORMANCE_BUILD_ANSWER_H
#define CONFORMANCE_BUILD_ANSWER_H

#include "conformance/build/compile.h"

/* Appends an answer. A failed one has no artefact. */
void cnf_answer_write(rt_buffer *out, const cnf_compile_answer *answer);

/* Appends the artefact of a module. */
void cnf_artefact_write(rt_buffer *out, const cnf_compile_artefact *artefact);

#endif
