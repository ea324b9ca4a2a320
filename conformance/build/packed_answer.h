/* Compile-worker answers that travel with a packed scenario. */
#ifndef CONFORMANCE_BUILD_PACKED_ANSWER_H
#define CONFORMANCE_BUILD_PACKED_ANSWER_H

#include "conformance/build/compile.h"
#include "conformance/process/files.h"

/* The message with which a missing answer is reported; its capability is CNF_PACKED_CAPABILITY. */
#define CNF_PACKED_MISSING                                                                         \
    "the pack does not hold an answer that this run needs; pack the scenario with the same "       \
    "--seed, with this profile among --profile and the device's format among --formats; a fusion " \
    "with more buffers in local memory than fit also depends on how much of it the device has"

/* Appends the answer that the scenario's pack holds for a request. If it holds none, appends a
 * failing answer (UNAVAILABLE) that names the capability `packed-format` and says how to pack
 * again, and returns false; no compiler is asked, since the one installed here may be a different
 * one. The scenario must come from a pack. */
bool cnf_packed_answer(const scn_scenario *scenario, rt_bytes request, rt_buffer *out_answer);

/* True if an answer is valid on other machines too: it concerns the request or names a capability,
 * rather than reporting that a compiler died or that a compiler which every machine should have is
 * missing. */
bool cnf_answer_travels(const cnf_compile_answer *answer);

#endif
