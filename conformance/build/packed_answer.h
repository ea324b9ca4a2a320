/* Answers of the compile worker that travel with a packed scenario. */
#ifndef CONFORMANCE_BUILD_PACKED_ANSWER_H
#define CONFORMANCE_BUILD_PACKED_ANSWER_H

#include "conformance/build/compile.h"

/* The capability that a missing answer names, and the message that goes with it. */
#define CNF_PACKED_CAPABILITY "packed-format"
#define CNF_PACKED_MISSING                                                                         \
    "the pack does not hold what this run asks the compiler for; pack the scenario with the same " \
    "--seed, with this profile among --profile and the device's format among --formats; what is "  \
    "fused with more buffers in local memory than fit depends on how much of that the device has"

/* Appends the answer that the scenario's pack holds for a request. If it holds none, appends a
 * failing answer (UNAVAILABLE) that names the capability `packed-format` and says what to pack
 * again, and returns false; no compiler is asked, since the one installed here may be another. The
 * scenario is a packed one. */
bool cnf_packed_answer(const scn_scenario *scenario, rt_bytes request, rt_buffer *out_answer);

/* True if an answer is valid on other machines too: it is about the request or names a capability,
 * and does not say that a compiler died or that one which every machine should have is missing. */
bool cnf_answer_travels(const cnf_compile_answer *answer);

#endif
