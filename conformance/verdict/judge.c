/* Decides verdicts: from how a child ended and what it sent, or, for some cases, without a child.
 *
 * The order of the checks matters: first how the process ended, then whether it violated the
 * protocol, then the results that its messages claim. PASS remains if nothing else applies.
 * Subjects are compared in differential.c, and expectation files are applied in expectations.c.
 * Source: docs/internals/conformance.md. */
#include "conformance/verdict/judge.h"

#include "reference/base/alloc.h"
#include "reference/base/lines.h"

#include <string.h>

/* The stage of a check: "step3", for example, or "step" after the last step. */
static rt_text step_text(rt_arena *arena, uint32_t step)
{
    return step == SCN_NONE ? RT_TEXT("step") : rt_arena_printf(arena, "step%u", step);
}

/* The stage of a failure that ended the process. Commands are asynchronous, so it is left to chance
 * whether the driver's thread hits a defect in one of them during a step or at the end; all steps
 * and the end are therefore one stage here. */
static rt_text process_stage(const cnf_messages *messages)
{
    bool runs = messages->step != SCN_NONE || rt_text_is(messages->stage, "finish");
    return runs ? RT_TEXT("run") : messages->stage;
}

/* ---- Judging ------------------------------------------------------------------------------- */

typedef struct judge_case {
    rt_arena *arena;
    const cnf_child_result *child;
    const cnf_messages *messages;
    cnf_judgement *out;
} judge_case;

/* Appends the end of the child's output to a message. */
static rt_text with_output(const judge_case *judge, rt_text message)
{
    rt_text printed = rt_lines_trim(rt_buffer_text(&judge->child->output));
    if (printed.length == 0) return message;
    return rt_arena_printf(judge->arena, "%.*s\nit printed last:\n%.*s", RT_TEXT_ARG(message),
                           RT_TEXT_ARG(printed));
}

/* Sets the verdict of a process that did not end as it should; the message includes the end of its
 * output. */
static void judge_process(const judge_case *judge, cnf_verdict verdict, const char *class,
                          rt_text code, rt_text message)
{
    const cnf_messages *messages = judge->messages;
    judge->out->verdict = verdict;
    const cnf_failure failure = {.cause = CNF_CAUSE_PROCESS,
                                 .signature = cnf_signature(judge->arena, process_stage(messages),
                                                            rt_text_of(class), code, (rt_text){0}),
                                 .message = with_output(judge, message),
                                 .step = messages->step,
                                 .line = messages->line};
    cnf_judgement_add(judge->arena, judge->out, &failure, 1);
}

/* What the process was doing when it ended, for people. */
static rt_text activity_text(const judge_case *judge)
{
    static const struct {
        const char *stage, *text;
    } rows[] = {
        {"start", "before it opened the device"}, {"open", "while it opened the device"},
        {"load", "while it loaded the modules"},  {"step", "in a step"},
        {"finish", "after the last step"},
    };
    const cnf_messages *messages = judge->messages;
    if (messages->step != SCN_NONE && messages->line > 0)
        return rt_arena_printf(judge->arena, "in the step at line %u", messages->line);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rt_text_is(messages->stage, rows[i].stage)) return rt_text_of(rows[i].text);
    return rt_arena_printf(judge->arena, "in stage '%.*s'", RT_TEXT_ARG(messages->stage));
}

/* Describes the process's memory limit and the option that sets it; "" if there is no limit. */
static const char *memory_limit_text(const judge_case *judge)
{
    uint64_t limit = judge->child->memory_bytes;
    if (limit == 0) return "";
    return rt_arena_printf(judge->arena,
                           "; the memory limit of a process is %llu MiB (--memory MIB)",
                           (unsigned long long)(limit >> 20))
        .data;
}

/* Judges a process that was killed by a signal or exited with a failure. */
static void judge_crash(const judge_case *judge)
{
    const cnf_child_result *child = judge->child;
    rt_arena *arena = judge->arena;
    bool signalled = child->end == CNF_PROCESS_SIGNALLED;
    bool exhausted = !signalled && child->code == RT_EXIT_OUT_OF_MEMORY;
    const char *name = signalled ? sigabbrev_np(child->code) : NULL;
    rt_text code, event;
    if (signalled) {
        code = name ? rt_arena_printf(arena, "SIG%s", name)
                    : rt_arena_printf(arena, "signal-%d", child->code);
        event = rt_arena_printf(arena, "was ended by %.*s", RT_TEXT_ARG(code));
    } else if (exhausted) {
        code = RT_TEXT("out-of-memory");
        event = RT_TEXT("ran out of memory");
    } else {
        code = rt_arena_printf(arena, "exit-%d", child->code);
        event = rt_arena_printf(arena, "ended with status %d", child->code);
    }
    /* Signs that the process exceeded its memory limit: when an allocation fails, the allocator
     * usually aborts with a message, or its caller writes through NULL. */
    const char *printed = rt_buffer_string(&child->output);
    bool near_limit = child->resident_bytes > child->memory_bytes / 8 * 7;
    bool names_memory = strcasestr(printed, "memory") || strstr(printed, "bad_alloc");
    rt_text message = rt_arena_printf(
        arena, "the process %.*s %.*s%s", RT_TEXT_ARG(event), RT_TEXT_ARG(activity_text(judge)),
        exhausted || near_limit || names_memory ? memory_limit_text(judge) : "");
    judge_process(judge, CNF_VERDICT_CRASH, "crash", code, message);
}

/* Judges the end of the process; false if it ended normally. */
static bool judge_end(const judge_case *judge)
{
    const cnf_child_result *child = judge->child;
    rt_arena *arena = judge->arena;
    switch (child->end) {
    case CNF_PROCESS_SIGNALLED: judge_crash(judge); return true;
    case CNF_PROCESS_TIMED_OUT:
        judge_process(judge, CNF_VERDICT_TIMEOUT, "timeout", (rt_text){0},
                      rt_arena_printf(arena,
                                      "the time limit expired after %.1f s, %.*s; set another "
                                      "with --timeout SECONDS",
                                      child->seconds, RT_TEXT_ARG(activity_text(judge))));
        return true;
    case CNF_PROCESS_OVERFLOWED:
        judge_process(judge, CNF_VERDICT_FAIL, "protocol", RT_TEXT("flood"),
                      rt_arena_printf(arena,
                                      "the process sent more than %zu bytes of messages, the "
                                      "limit; final memories are sent as two digits per byte, so "
                                      "all memories of a scenario together must be smaller than "
                                      "half of it",
                                      child->messages.size));
        return true;
    case CNF_PROCESS_NOT_STARTED:
        judge_process(judge, CNF_VERDICT_NOT_RUN, "start", rt_text_of(strerrorname_np(child->code)),
                      rt_arena_printf(arena, "no process could be started: %s%s",
                                      strerrordesc_np(child->code), cnf_child_advice(child->code)));
        return true;
    case CNF_PROCESS_EXITED:
        /* If the messages violate the protocol, they are judged, whatever the exit status.
         * Otherwise, a nonzero status is a crash. */
        if (child->code == 0 || judge->messages->fault) return false;
        judge_crash(judge);
        return true;
    }
    UNREACHABLE();
}

/* Makes the failure for a check. */
static cnf_failure failure_of(const judge_case *judge, const cnf_check *check)
{
    rt_arena *arena = judge->arena;
    /* A fault that the device found is reported after the last step, but is the cause of other
     * failures. */
    bool is_finding = check->step == SCN_NONE && rt_text_is(check->kind, "finding");
    bool is_start = rt_text_is(check->kind, "start");
    rt_text place = check->place.length == 0
                        ? check->what
                        : rt_arena_printf(arena, "%.*s/%.*s", RT_TEXT_ARG(check->what),
                                          RT_TEXT_ARG(check->place));
    rt_text message = check->message;
    if (is_start) message = with_output(judge, message);
    if (rt_text_is(check->code, "errc::memory_allocation"))
        message = rt_arena_printf(arena, "%.*s%s", RT_TEXT_ARG(message), memory_limit_text(judge));
    return (cnf_failure){.cause = is_finding ? CNF_CAUSE_FINDING : CNF_CAUSE_CHECK,
                         .signature = cnf_signature(arena, step_text(arena, check->step),
                                                    check->kind, check->code, place),
                         .message = message,
                         .rule = check->rule,
                         .step = check->step,
                         .step_id = check->step_id,
                         .line = check->line,
                         .code = check->code_at,
                         .memories = check->memories,
                         .memory_count = check->memory_count};
}

/* Adds the failing checks and, if there are any, sets the verdict. */
static void judge_checks(const judge_case *judge)
{
    const cnf_messages *messages = judge->messages;
    cnf_failure *failures =
        rt_arena_alloc_array(judge->arena, messages->check_count, sizeof *failures);
    uint32_t count = 0;
    bool begun = true;
    for (uint32_t i = 0; i < messages->check_count; i++) {
        const cnf_check *check = &messages->checks[i];
        if (check->ok || !check->observed) continue;
        failures[count++] = failure_of(judge, check);
        /* If the machine could not start the program, the verdict is NOT_RUN, not FAIL. */
        begun = begun && !rt_text_is(check->kind, "start");
    }
    if (count > 0) judge->out->verdict = begun ? CNF_VERDICT_FAIL : CNF_VERDICT_NOT_RUN;
    cnf_judgement_add(judge->arena, judge->out, failures, count);
}

/* Judges a device that the scenario has left unfit for the next one; false if it has not. */
static bool judge_release(const judge_case *judge)
{
    const cnf_messages *messages = judge->messages;
    if (messages->release_code.length == 0) return false;
    const cnf_failure failure = {.cause = CNF_CAUSE_PROCESS,
                                 .signature = cnf_signature(judge->arena, RT_TEXT("release"),
                                                            RT_TEXT("device"),
                                                            messages->release_code, (rt_text){0}),
                                 .message = messages->release_reason,
                                 .step = SCN_NONE};
    judge->out->verdict = CNF_VERDICT_FAIL;
    cnf_judgement_add(judge->arena, judge->out, &failure, 1);
    return true;
}

void cnf_judge(rt_arena *arena, const cnf_child_result *child, const cnf_messages *messages,
               cnf_judgement *out_judgement)
{
    CHECK(messages->stage.length > 0);
    cnf_judgement *out = out_judgement;
    *out = (cnf_judgement){.step = SCN_NONE, .expected = messages->check_count};
    /* Lists the kinds of the checks that were not observed, where "launch" is more specific than
     * "count". */
    rt_text *kinds = rt_arena_alloc_array(arena, messages->check_count + 1, sizeof *kinds);
    for (uint32_t i = 0; i < messages->check_count; i++) {
        const cnf_check *check = &messages->checks[i];
        out->observed += check->observed;
        rt_text kind = rt_text_is(check->kind, "count") ? check->what : check->kind;
        bool known = check->observed;
        for (uint32_t j = 0; j < out->unobserved_count && !known; j++)
            known = rt_text_equal(kinds[j], kind);
        if (!known) kinds[out->unobserved_count++] = kind;
    }
    out->unobserved = kinds;
    CHECK(out->observed + out->unobserved_count <= out->expected);

    const judge_case judge = {arena, child, messages, out};
    bool skipped = messages->end == CNF_MESSAGES_SKIPPED;
    bool ran = !skipped && messages->end != CNF_MESSAGES_UNAVAILABLE;
    if (ran) judge_checks(&judge);
    if (judge_end(&judge)) return;
    if (messages->fault) {
        judge_process(&judge, CNF_VERDICT_FAIL, "protocol", rt_text_of(messages->fault),
                      messages->fault_message);
    } else if (judge_release(&judge)) {
        return;
    } else if (child->child != 0 && !messages->is_released) {
        judge_process(&judge, CNF_VERDICT_FAIL, "protocol", RT_TEXT("not-released"),
                      RT_TEXT("the process is ready for the next scenario, but did not say that "
                              "it has released the device"));
    } else if (messages->end == CNF_MESSAGES_CUT) {
        judge_process(&judge, CNF_VERDICT_FAIL, "protocol", RT_TEXT("no-end"),
                      RT_TEXT("the process exited normally, but did not send its last message"));
    } else if (!ran) { /* the subject refused to run the scenario */
        out->verdict = skipped ? CNF_VERDICT_SKIP : CNF_VERDICT_UNAVAILABLE;
        out->message = messages->reason;
        out->capability = messages->capability;
        out->answer = messages->answer;
    } else if (out->failure_count > 0) {
        CHECK(out->observed > 0);
    } else if (out->expected > 0 && messages->links_only) {
        out->verdict = CNF_VERDICT_LINKED;
    } else if (out->observed > 0) {
        out->verdict = CNF_VERDICT_PASS;
    } else if (out->expected > 0) {
        out->verdict = CNF_VERDICT_SKIP;
        out->capability = RT_TEXT("observation");
        out->answer = rt_arena_printf(arena, "0 of %u", out->expected);
        out->message = RT_TEXT("this subject observes nothing that the scenario expects");
    } else {
        judge_process(&judge, CNF_VERDICT_FAIL, "protocol", RT_TEXT("no-check"),
                      RT_TEXT("the scenario ended without judging any expectation"));
    }
}

/* ---- The device after a crash or a time limit ----------------------------------------------- */

rt_text cnf_judge_device(rt_arena *arena, const cnf_child_result *probe, cnf_judgement *inout)
{
    CHECK(inout->verdict == CNF_VERDICT_TIMEOUT || inout->verdict == CNF_VERDICT_CRASH);
    cnf_messages answer;
    cnf_messages_read(arena, rt_buffer_text(&probe->messages), &answer);
    rt_text complaint = RT_TEXT("the device no longer answers: the process that probed it died");
    if (probe->end == CNF_PROCESS_NOT_STARTED) return (rt_text){0};
    if (answer.probe == CNF_PROBE_RIGHT && probe->end == CNF_PROCESS_EXITED) return (rt_text){0};
    if (answer.probe == CNF_PROBE_WRONG)
        complaint = rt_arena_printf(arena, "the device no longer computes: %.*s",
                                    RT_TEXT_ARG(answer.reason));
    else if (answer.end == CNF_MESSAGES_UNAVAILABLE)
        complaint = rt_arena_printf(arena, "the device can no longer be opened: %.*s",
                                    RT_TEXT_ARG(answer.reason));
    else if (probe->end == CNF_PROCESS_TIMED_OUT)
        complaint = rt_arena_printf(arena, "the device no longer answers (probed for %d s)",
                                    (int)probe->seconds);
    if (inout->verdict == CNF_VERDICT_TIMEOUT) inout->verdict = CNF_VERDICT_HANG;
    inout->message =
        rt_arena_printf(arena, "%.*s\n%.*s", RT_TEXT_ARG(inout->message), RT_TEXT_ARG(complaint));
    return complaint;
}

/* ---- Without a child ------------------------------------------------------------------------ */

cnf_judgement cnf_judge_unreadable(rt_arena *arena, const char *class, rt_text message,
                                   uint32_t line)
{
    return (cnf_judgement){.verdict = CNF_VERDICT_INVALID,
                           .signature = cnf_signature(arena, RT_TEXT("read"), rt_text_of(class),
                                                      (rt_text){0}, (rt_text){0}),
                           .message = message,
                           .step = SCN_NONE,
                           .line = line};
}

cnf_judgement cnf_judge_refusal(const cnf_judgement *found, bool is_oracle)
{
    if (found->verdict != CNF_VERDICT_PASS || is_oracle) return *found;
    return (cnf_judgement){
        .verdict = CNF_VERDICT_SKIP,
        .step = SCN_NONE,
        .capability = RT_TEXT("only-on-sim"),
        .answer = RT_TEXT("yes"),
        .message = RT_TEXT("a module is refused as expected before anything reaches the "
                           "device: only the compiler decides, and it is judged on sim"),
    };
}

void cnf_judge_other_format(cnf_judgement *inout)
{
    CHECK(inout->verdict == CNF_VERDICT_INVALID);
    inout->verdict = CNF_VERDICT_SKIP;
    inout->capability = RT_TEXT("ptx-source");
    inout->answer = inout->message;
    inout->signature = (rt_text){0};
}

cnf_judgement cnf_judge_unavailable(rt_text reason)
{
    return (cnf_judgement){.verdict = CNF_VERDICT_UNAVAILABLE, .step = SCN_NONE, .message = reason};
}

cnf_judgement cnf_judge_poisoned(rt_arena *arena, rt_text reason)
{
    return (cnf_judgement){
        .verdict = CNF_VERDICT_POISONED,
        .signature =
            cnf_signature(arena, RT_TEXT("start"), RT_TEXT("poisoned"), (rt_text){0}, (rt_text){0}),
        .message = rt_arena_printf(arena, "%.*s; the device was not used again in this run",
                                   RT_TEXT_ARG(reason)),
        .step = SCN_NONE};
}

cnf_judgement cnf_judge_interrupted(void)
{
    return (cnf_judgement){.verdict = CNF_VERDICT_NOT_RUN,
                           .step = SCN_NONE,
                           .signature = RT_TEXT("start:interrupted:-:-"),
                           .message = RT_TEXT("the run was interrupted")};
}

/* ---- Changing a judgement ------------------------------------------------------------------- */

void cnf_judge_strayed(rt_arena *arena, rt_text reason, cnf_judgement *inout)
{
    inout->verdict = CNF_VERDICT_FAIL;
    inout->failure_count = 0; /* the failures belong to a run that made other choices */
    inout->signature =
        cnf_signature(arena, RT_TEXT("finish"), RT_TEXT("choices"), (rt_text){0}, (rt_text){0});
    inout->message =
        rt_arena_printf(arena, "the run did not follow its script: %.*s", RT_TEXT_ARG(reason));
}

void cnf_judge_uncompared(rt_arena *arena, cnf_judgement *inout)
{
    if (inout->verdict != CNF_VERDICT_PASS) return;
    uint32_t count = inout->unobserved_count;
    rt_text *kinds = rt_arena_alloc_array(arena, count + 1, sizeof *kinds);
    for (uint32_t i = 0; i < count; i++)
        kinds[i] = inout->unobserved[i];
    kinds[count] = RT_TEXT("final memories, since sim did not pass");
    inout->unobserved = kinds;
    inout->unobserved_count = count + 1;
    inout->expected++;
    CHECK(inout->observed < inout->expected);
}

void cnf_judge_differing(rt_arena *arena, const cnf_attempt *first, const cnf_attempt *other,
                         uint32_t number, cnf_judgement *inout)
{
    inout->verdict = CNF_VERDICT_FAIL;
    inout->failures = NULL;
    inout->failure_count = 0; /* they belong to one of the two */
    inout->signature = cnf_signature(arena, RT_TEXT(CNF_STAGE_REPEAT), RT_TEXT("differs"),
                                     (rt_text){0}, (rt_text){0});
    inout->message = rt_arena_printf(
        arena,
        "this subject is deterministic, but two runs differ: run 1 was %s %.*s, run %u %s %.*s",
        cnf_verdict_word(first->verdict), RT_TEXT_ARG(first->signature), number,
        cnf_verdict_word(other->verdict), RT_TEXT_ARG(other->signature));
}
