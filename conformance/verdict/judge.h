/* Judging: the only place that turns events into verdicts. Expectation entries are applied
 * afterwards (expectations.h), and modules that do not compile are judged where they are compiled
 * (run/modules.h). */
#ifndef CONFORMANCE_VERDICT_JUDGE_H
#define CONFORMANCE_VERDICT_JUDGE_H

#include "conformance/process/child.h"
#include "conformance/verdict/messages.h"
#include "conformance/verdict/verdict.h"

/* Judges one child by how it ended and by its messages. */
void cnf_judge(rt_arena *arena, const cnf_child_result *child, const cnf_messages *messages,
               cnf_judgement *out_judgement);

/* Adds the result of a probe of the device to a CRASH or TIMEOUT. Returns the device's defect, in
 * which case the device is lost for the run; empty if it computes or was not probed. */
rt_text cnf_judge_device(rt_arena *arena, const cnf_child_result *probe, cnf_judgement *inout);

/* INVALID, because `what` cannot be read: a "file", a "pack" or a "scenario". Borrows the message.
 */
cnf_judgement cnf_judge_unreadable(rt_arena *arena, const char *class, rt_text message,
                                   uint32_t line);

/* The judgement of a subject that did not run because its modules were judged `found`. A refusal
 * that the scenario expects is judged once, on the oracle, because assay's compiler decides it, not
 * the device. */
cnf_judgement cnf_judge_refusal(const cnf_judgement *found, bool is_oracle);

/* Converts an INVALID judgement that is specific to one image format into a SKIP. */
void cnf_judge_other_format(cnf_judgement *inout);

/* UNAVAILABLE, POISONED and NOT_RUN of a case without a run. They borrow the reason. */
cnf_judgement cnf_judge_unavailable(rt_text reason);
cnf_judgement cnf_judge_poisoned(rt_arena *arena, rt_text reason);
cnf_judgement cnf_judge_interrupted(void);

/* FAIL: a run that should have repeated given choices made different ones. */
void cnf_judge_strayed(rt_arena *arena, rt_text reason, cnf_judgement *inout);

/* Notes in a PASS that final memories were not compared, because the oracle did not pass. */
void cnf_judge_uncompared(rt_arena *arena, cnf_judgement *inout);

#endif
