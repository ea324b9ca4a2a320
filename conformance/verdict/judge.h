/* Judging: the one place where what happened becomes a verdict.  Entries of expectation files are
 * applied afterwards (expectations.h), and modules that do not compile are judged where they are
 * compiled (run/modules.h). */
#ifndef CONFORMANCE_VERDICT_JUDGE_H
#define CONFORMANCE_VERDICT_JUDGE_H

#include "conformance/process/child.h"
#include "conformance/verdict/messages.h"
#include "conformance/verdict/verdict.h"

/* Judges one child by how it ended and by what it sent. */
void cnf_judge(rt_arena *arena, const cnf_child_result *child, const cnf_messages *messages,
               cnf_judgement *out_judgement);

/* Adds to a CRASH or TIMEOUT what a probe of the device found afterwards.  Returns what is wrong
 * with the device, which is then lost for the run; empty where it computes or was not asked. */
rt_text cnf_judge_device(rt_arena *arena, const cnf_child_result *probe, cnf_judgement *inout);

/* INVALID: what cannot be read is a "file", a "pack" or a "scenario".  Borrows the message. */
cnf_judgement cnf_judge_unreadable(rt_arena *arena, const char *what, rt_text message,
                                   uint32_t line);

/* What a subject gets that is not asked because of the modules.  A refusal that the scenario
 * expects is judged once, on the oracle, since assay's compiler decides it and not the device. */
cnf_judgement cnf_judge_refusal(const cnf_judgement *found, bool is_oracle);

/* Makes a SKIP of an INVALID judgement that holds for one format of images only. */
void cnf_judge_other_format(cnf_judgement *inout);

/* UNAVAILABLE, POISONED and NOT_RUN of a case whose subject is not asked.  They borrow the reason.
 */
cnf_judgement cnf_judge_unavailable(rt_text reason);
cnf_judgement cnf_judge_poisoned(rt_arena *arena, rt_text reason);
cnf_judgement cnf_judge_interrupted(void);

/* FAIL: a run that was to repeat choices made others. */
void cnf_judge_strayed(rt_arena *arena, rt_text reason, cnf_judgement *inout);

/* Notes on a PASS that final memories were not compared, because the oracle did not pass. */
void cnf_judge_uncompared(rt_arena *arena, cnf_judgement *inout);

#endif
