/* The only place that turns what happened into verdicts. Expectation entries are applied afterwards
 * (expectations.h), and modules that do not compile are judged where they are compiled
 * (run/modules.h). */
#ifndef CONFORMANCE_VERDICT_JUDGE_H
#define CONFORMANCE_VERDICT_JUDGE_H

#include "conformance/process/child.h"
#include "conformance/verdict/messages.h"
#include "conformance/verdict/verdict.h"

/* Judges one child by how it ended and by its messages. */
void cnf_judge(rt_arena *arena, const cnf_child_result *child, const cnf_messages *messages,
               cnf_judgement *out_judgement);

/* Adds the result of probing the device to a CRASH or TIMEOUT. Returns what is wrong with the
 * device, which is then lost for the rest of the run; empty if the device computes or was not
 * probed. */
rt_text cnf_judge_device(rt_arena *arena, const cnf_child_result *probe, cnf_judgement *inout);

/* INVALID: something cannot be read. `what` is "file", "pack" or "scenario". Borrows the message.
 */
cnf_judgement cnf_judge_unreadable(rt_arena *arena, const char *class, rt_text message,
                                   uint32_t line);

/* The judgement of a subject that did not run because of the judgement `found` on the scenario's
 * modules. An expected refusal is judged only once, on the oracle, because assay's compiler decides
 * it, not the device. */
cnf_judgement cnf_judge_refusal(const cnf_judgement *found, bool is_oracle);

/* Converts an INVALID judgement that is specific to one image format into a SKIP. */
void cnf_judge_other_format(cnf_judgement *inout);

/* UNAVAILABLE, POISONED and NOT_RUN, for cases that did not run. They borrow the reason. */
cnf_judgement cnf_judge_unavailable(rt_text reason);
cnf_judgement cnf_judge_poisoned(rt_arena *arena, rt_text reason);
cnf_judgement cnf_judge_interrupted(void);

/* FAIL: the run was to repeat given choices, but made different ones. */
void cnf_judge_strayed(rt_arena *arena, rt_text reason, cnf_judgement *inout);

/* Notes in a PASS that final memories were not compared because the oracle did not pass. */
void cnf_judge_uncompared(rt_arena *arena, cnf_judgement *inout);

/* The stage of the signature of cnf_judge_differing. */
#define CNF_STAGE_REPEAT "repeat"

/* FAIL: two runs on a subject that is deterministic differ, the first and the one with the given
 * number. */
void cnf_judge_differing(rt_arena *arena, const cnf_attempt *first, const cnf_attempt *other,
                         uint32_t number, cnf_judgement *inout);

#endif
