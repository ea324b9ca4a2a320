/* Answers of the compile worker that travel with a packed scenario. */
#ifndef CONFORMANCE_COMPILE_PACKED_ANSWER_H
#define CONFORMANCE_COMPILE_PACKED_ANSWER_H

#include "conformance/build/compile.h"

/* What such an answer is refused for that the pack lacks, and what the refusal says. */
#define CNF_PACKED_CAPABILITY "packed-format"
#define CNF_PACKED_MISSING                                                                         \
    "the pack does not hold what this run asks the compiler for; pack the scenario with the same " \
    "--seed, with this profile among --profile and the device's format among --formats; what is "  \
    "fused with more buffers in local memory than fit depends on how much of that the device has"

/* Appends the answer to a request that the scenario's pack has.  Where it has none, the answer is a
 * failure, UNAVAILABLE, that names the capability `packed-format` and says what to pack again;
 * nobody asks a compiler, which may be another one here or none; the result is false then.  The
 * scenario is packed. */
bool cnf_packed_answer(const scn_scenario *scenario, rt_bytes request, rt_buffer *out_answer);

/* True for an answer that another machine may be given too: it tells of the request, or names a
 * capability, and not that a compiler died or that one which every machine should have is missing.
 */
bool cnf_answer_travels(const cnf_compile_answer *answer);

#endif
