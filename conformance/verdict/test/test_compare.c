/* Tests of verdicts and comparisons, from the messages that a child sent and how it ended. */
#include "conformance/verdict/differential.h"
#include "conformance/verdict/judge.h"
#include "conformance/verdict/parting.h"

#include "reference/base/alloc.h"

#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define STAGE(name, step)                                                                          \
    "{\"type\":\"stage\",\"stage\":\"" name "\",\"step\":" step ",\"line\":31}\n"
#define OPEN "{\"type\":\"stage\",\"stage\":\"open\"}\n"
#define CHECK_LINE(kind, what, ok, observed)                                                       \
    "{\"type\":\"check\",\"step\":1,\"line\":7,\"kind\":\"" kind "\",\"what\":\"" what             \
    "\",\"ok\":" ok ",\"observed\":" observed ",\"code\":\"differs\",\"place\":\"element 3\","     \
    "\"rule\":\"DL-RESOLVE-09\",\"message\":\"why\"}\n"
#define DEVICE(executes)                                                                           \
    "{\"type\":\"device\",\"name\":\"d\",\"driver\":\"1\",\"executes\":" executes "}\n"
#define END      "{\"type\":\"end\"}\n"
#define RELEASED "{\"type\":\"released\",\"ok\":true}\n"
#define NOT_RELEASED                                                                               \
    "{\"type\":\"released\",\"ok\":false,\"code\":\"objects\",\"message\":\"1 queue\"}\n"
#define GOOD CHECK_LINE("memory", "data", "true", "true")

/* ---- Verdicts ------------------------------------------------------------------------------ */

typedef struct verdict_row {
    const char *sent;
    cnf_process_end end;
    int code;
    cnf_verdict verdict;
    const char *signature;
} verdict_row;

static const verdict_row verdict_rows[] = {
    {OPEN CHECK_LINE("memory", "data", "true", "true") END, CNF_PROCESS_EXITED, 0, CNF_VERDICT_PASS,
     ""},
    {CHECK_LINE("memory", "data", "false", "true") END, CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL,
     "step1:memory:differs:data/element-3"},
    /* A fault found by the device is the cause; the wrong contents of a memory are only its effect.
     */
    {CHECK_LINE(
         "memory", "data", "false",
         "true") "{\"type\":\"check\",\"kind\":\"finding\",\"what\":\"data\",\"ok\":false,\"observed\":true,"
                 "\"code\":\"out-of-bounds\",\"place\":\"square\",\"message\":\"why\"}\n" END,
     CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL,
     "step:finding:out-of-bounds:data/square step1:memory:differs:data/element-3"},
    /* The only check was not observed, so it neither holds nor fails. */
    {CHECK_LINE("launch", "apply", "false", "false") END, CNF_PROCESS_EXITED, 0, CNF_VERDICT_SKIP,
     ""},
    {OPEN "{\"type\":\"skip\",\"capability\":\"fp64\",\"answer\":\"no\"}\n", CNF_PROCESS_EXITED, 0,
     CNF_VERDICT_SKIP, ""},
    {OPEN "{\"type\":\"skip\",\"answer\":\"no\"}\n", CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL,
     "open:protocol:incomplete:-"},
    {"{\"type\":\"unavailable\",\"message\":\"none\"}\n", CNF_PROCESS_EXITED, 0,
     CNF_VERDICT_UNAVAILABLE, ""},
    /* A run without checks cannot PASS. */
    {OPEN END, CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL, "open:protocol:no-check:-"},
    {"", CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL, "start:protocol:no-end:-"},
    {OPEN "{\"type\":", CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL, "open:protocol:cut:-"},
    {OPEN "[1]\n", CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL, "open:protocol:no-json:-"},
    {OPEN "{\"type\":\"secret\"}\n", CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL,
     "open:protocol:unknown-type:-"},
    {OPEN CHECK_LINE("memory", "data", "true", "true") END OPEN, CNF_PROCESS_EXITED, 0,
     CNF_VERDICT_FAIL, "open:protocol:after-end:-"},
    /* A device that stays open is released once, after the last message. */
    {OPEN GOOD END RELEASED, CNF_PROCESS_EXITED, 0, CNF_VERDICT_PASS, ""},
    {OPEN GOOD END NOT_RELEASED, CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL,
     "release:device:objects:-"},
    {OPEN "{\"type\":\"skip\",\"capability\":\"fp64\",\"answer\":\"no\"}\n" NOT_RELEASED,
     CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL, "release:device:objects:-"},
    {OPEN GOOD RELEASED, CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL, "open:protocol:before-end:-"},
    {OPEN GOOD END RELEASED RELEASED, CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL,
     "open:protocol:after-end:-"},
    {OPEN GOOD END RELEASED NOT_RELEASED, CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL,
     "open:protocol:after-end:-"},
    {OPEN GOOD END "{\"type\":\"released\"}\n", CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL,
     "open:protocol:incomplete:-"},
    {"{\"type\":\"check\",\"kind\":\"memory\"}\n" END, CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL,
     "start:protocol:incomplete:-"},
    {"{\"type\":\"memory\",\"data\":\"0\"}\n" END, CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL,
     "start:protocol:incomplete:-"},
    {"{\"type\":\"memory\",\"data\":\"00112233\",\"defined\":\"0f0f\"}\n" END, CNF_PROCESS_EXITED,
     0, CNF_VERDICT_FAIL, "start:protocol:incomplete:-"},
    {"{\"type\":\"artefact\",\"request\":\"12\",\"answer\":\"00\"}\n" END, CNF_PROCESS_EXITED, 0,
     CNF_VERDICT_FAIL, "start:protocol:incomplete:-"},
    {"{\"type\":\"artefact\",\"request\":\"000000000000000100000000000000ff\"}\n" END,
     CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL, "start:protocol:incomplete:-"},
    {"{\"type\":\"choices\",\"made\":[{\"rule\":\"DL-RESOLVE-05\",\"of\":2,\"taken\":2}]}\n" END,
     CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL, "start:protocol:incomplete:-"},
    /* A device that runs no kernel: everything that it can show agrees, but that alone is not a
     * PASS.
     */
    {DEVICE("false") CHECK_LINE("memory", "data", "true", "false") END, CNF_PROCESS_EXITED, 0,
     CNF_VERDICT_LINKED, ""},
    {DEVICE("false") CHECK_LINE("error", "apply", "true", "true") END, CNF_PROCESS_EXITED, 0,
     CNF_VERDICT_LINKED, ""},
    {DEVICE("false") CHECK_LINE("error", "apply", "false", "true") END, CNF_PROCESS_EXITED, 0,
     CNF_VERDICT_FAIL, "step1:error:differs:apply/element-3"},
    {DEVICE("false") END, CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL, "start:protocol:no-check:-"},
    {DEVICE("true") CHECK_LINE("memory", "data", "true", "false") END, CNF_PROCESS_EXITED, 0,
     CNF_VERDICT_SKIP, ""},
    /* Checks that failed before a crash count; the crash comes first, in whatever step it was
     * noticed. */
    {STAGE("step", "1") CHECK_LINE("memory", "b", "false", "true") STAGE("finish", "null"),
     CNF_PROCESS_SIGNALLED, SIGSEGV, CNF_VERDICT_CRASH,
     "run:crash:SIGSEGV:- step1:memory:differs:b/element-3"},
    {STAGE("step", "1") CHECK_LINE("memory", "b", "false", "true") STAGE("step", "7"),
     CNF_PROCESS_SIGNALLED, SIGSEGV, CNF_VERDICT_CRASH,
     "run:crash:SIGSEGV:- step1:memory:differs:b/element-3"},
    /* Two failures with the same signature count as one. */
    {CHECK_LINE("memory", "b", "false", "true") CHECK_LINE("memory", "b", "false", "true") END,
     CNF_PROCESS_EXITED, 0, CNF_VERDICT_FAIL, "step1:memory:differs:b/element-3"},
    /* How the process ended takes precedence. */
    {STAGE("step", "2"), CNF_PROCESS_SIGNALLED, SIGSEGV, CNF_VERDICT_CRASH, "run:crash:SIGSEGV:-"},
    {STAGE("step", "2") "{\"ty", CNF_PROCESS_SIGNALLED, SIGABRT, CNF_VERDICT_CRASH,
     "run:crash:SIGABRT:-"},
    {OPEN, CNF_PROCESS_EXITED, 3, CNF_VERDICT_CRASH, "open:crash:exit-3:-"},
    {OPEN, CNF_PROCESS_EXITED, RT_EXIT_OUT_OF_MEMORY, CNF_VERDICT_CRASH,
     "open:crash:out-of-memory:-"},
    {STAGE("step", "0"), CNF_PROCESS_TIMED_OUT, 0, CNF_VERDICT_TIMEOUT, "run:timeout:-:-"},
    {OPEN, CNF_PROCESS_OVERFLOWED, 0, CNF_VERDICT_FAIL, "open:protocol:flood:-"},
    /* A program that the machine could not start proves nothing about the subject. */
    {CHECK_LINE("start", "set-up", "false", "true") END, CNF_PROCESS_EXITED, 0, CNF_VERDICT_NOT_RUN,
     "step1:start:differs:set-up/element-3"},
    {"", CNF_PROCESS_NOT_STARTED, 11, CNF_VERDICT_NOT_RUN, "start:start:EAGAIN:-"},
};

static cnf_judgement judge(rt_arena *arena, const char *sent, cnf_process_end end, int code)
{
    cnf_child_result child = {.end = end, .code = code};
    cnf_messages messages;
    cnf_judgement judgement;
    cnf_messages_read(arena, rt_text_of(sent), &messages);
    cnf_judge(arena, &child, &messages, &judgement);
    return judgement;
}

static void every_end_has_one_verdict(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof verdict_rows / sizeof *verdict_rows; i++) {
        const verdict_row *row = &verdict_rows[i];
        rt_arena arena = {0};
        cnf_judgement judgement = judge(&arena, row->sent, row->end, row->code);
        assert_string_equal(cnf_verdict_word(judgement.verdict), cnf_verdict_word(row->verdict));
        assert_string_equal(judgement.signature.length ? judgement.signature.data : "",
                            row->signature);
        bool silent =
            judgement.verdict == CNF_VERDICT_PASS || judgement.verdict == CNF_VERDICT_LINKED;
        assert_true(silent || judgement.message.length > 0 || judgement.capability.length > 0);
        rt_arena_reset(&arena);
    }
}

static void an_end_says_what_the_process_was_doing(void **state)
{
    static const struct {
        const char *sent, *message;
        cnf_process_end end;
    } rows[] = {
        {"", "the process was ended by SIGSEGV before it opened the device", CNF_PROCESS_SIGNALLED},
        {OPEN, "the process was ended by SIGSEGV while it opened the device",
         CNF_PROCESS_SIGNALLED},
        {STAGE("load", "null"), "the process was ended by SIGSEGV while it loaded the modules",
         CNF_PROCESS_SIGNALLED},
        {"{\"type\":\"stage\",\"stage\":\"step\",\"step\":2,\"line\":7}\n",
         "the time limit expired after 0.0 s, in the step at line 7; set another with --timeout "
         "SECONDS",
         CNF_PROCESS_TIMED_OUT},
        {STAGE("finish", "null"), "the process was ended by SIGSEGV after the last step",
         CNF_PROCESS_SIGNALLED},
        {STAGE("rest", "null"), "the process was ended by SIGSEGV in stage 'rest'",
         CNF_PROCESS_SIGNALLED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_arena arena = {0};
        cnf_judgement judgement = judge(&arena, rows[i].sent, rows[i].end, SIGSEGV);
        assert_string_equal(judgement.message.data, rows[i].message);
        rt_arena_reset(&arena);
    }
}

/* Truncated at every byte, or with many different bytes changed, a run's messages yield a verdict
 * and never a crash. */
static void damaged_messages_are_judged(void **state)
{
    (void)state;
    static const char whole[] =
        OPEN "{\"type\":\"device\",\"name\":\"d\",\"driver\":\"1\"}\n" STAGE("step", "2")
            CHECK_LINE("memory", "data", "true",
                       "true") "{\"type\":\"memory\",\"name\":\"data\",\"element\":\"int\","
                               "\"data\":\"01000000\",\"defined\":\"0f\"}\n"
                               "{\"type\":\"trace\",\"events\":[{\"event\":\"link\"}]}\n" END;
    static const char bytes[] = {'\0', '\n', '"', '{', '}', '9', '-', (char)0xff};
    char sent[sizeof whole];
    for (size_t at = 0; at < sizeof whole - 1; at++) {
        for (size_t i = 0; i <= sizeof bytes; i++) {
            rt_arena arena = {0};
            memcpy(sent, whole, sizeof whole);
            sent[at] = i < sizeof bytes ? bytes[i] : whole[at];
            const cnf_child_result child = {.end = CNF_PROCESS_EXITED};
            rt_text text = {sent, i < sizeof bytes ? sizeof whole - 1 : at};
            cnf_messages messages;
            cnf_judgement judgement;
            cnf_messages_read(&arena, text, &messages);
            cnf_judge(&arena, &child, &messages, &judgement);
            assert_true(i < sizeof bytes || judgement.verdict == CNF_VERDICT_FAIL);
            rt_arena_reset(&arena);
        }
    }
}

static void what_was_seen_is_counted(void **state)
{
    (void)state;
    rt_arena arena = {0};
    cnf_judgement judgement = judge(&arena,
                                    CHECK_LINE("memory", "data", "true", "true")
                                        CHECK_LINE("count", "launch", "true", "false")
                                            CHECK_LINE("count", "launch", "true", "false")
                                                CHECK_LINE("program", "apply", "true", "false") END,
                                    CNF_PROCESS_EXITED, 0);
    assert_int_equal(judgement.verdict, CNF_VERDICT_PASS);
    assert_int_equal(judgement.expected, 4);
    assert_int_equal(judgement.observed, 1);
    assert_int_equal(judgement.unobserved_count, 2);
    assert_string_equal(judgement.unobserved[0].data, "launch");
    assert_string_equal(judgement.unobserved[1].data, "program");
    rt_arena_reset(&arena);
}

static void every_failed_check_is_told(void **state)
{
    (void)state;
    rt_arena arena = {0};
    cnf_judgement judgement = judge(&arena,
                                    CHECK_LINE("count", "launch", "false", "false")
                                        CHECK_LINE("memory", "b", "false", "true")
                                            CHECK_LINE("memory", "c", "false", "true") END,
                                    CNF_PROCESS_EXITED, 0);
    assert_string_equal(judgement.signature.data,
                        "step1:memory:differs:b/element-3 step1:memory:differs:c/element-3");
    assert_string_equal(judgement.rule.data, "DL-RESOLVE-09");
    assert_string_equal(judgement.message.data,
                        "why\n1 more:\n  step1:memory:differs:c/element-3 (line 7): why");
    assert_int_equal(judgement.failure_count, 2);
    assert_int_equal(judgement.failures[1].cause, CNF_CAUSE_CHECK);
    assert_int_equal(judgement.failures[1].memory_count, 0);
    assert_int_equal(judgement.line, 7);
    assert_int_equal(judgement.step, 1);
    rt_arena_reset(&arena);
}

static void artefacts_and_capabilities_are_read(void **state)
{
    (void)state;
    rt_arena arena = {0};
    cnf_messages messages;
    cnf_messages_read(
        &arena,
        RT_TEXT("{\"type\":\"capabilities\",\"lines\":\"accepts: ptx\\n\"}\n"
                "{\"type\":\"artefact\",\"request\":\"000000000000000100000000000000ff\","
                "\"answer\":\"00a1ff\"}\n" END),
        &messages);
    assert_null(messages.fault);
    assert_true(rt_text_is(messages.capabilities, "accepts: ptx\n"));
    assert_int_equal(messages.artefact_count, 1);
    assert_true(messages.artefacts[0].request.high == 1 &&
                messages.artefacts[0].request.low == 255);
    assert_int_equal(messages.artefacts[0].answer.size, 3);
    assert_int_equal(messages.artefacts[0].answer.data[1], 0xa1);
    rt_arena_reset(&arena);
}

static void choices_and_probes_are_read(void **state)
{
    (void)state;
    rt_arena arena = {0};
    cnf_messages messages;
    cnf_messages_read(
        &arena,
        RT_TEXT("{\"type\":\"choices\",\"made\":[{\"rule\":\"DL-RESOLVE-05\",\"of\":3,"
                "\"taken\":2},{\"rule\":\"KF-A-01\",\"of\":2,\"taken\":0}]}\n"
                "{\"type\":\"check\",\"kind\":\"memory\",\"ok\":true,\"branch\":2,"
                "\"branches\":2}\n"
                "{\"type\":\"probe\",\"ok\":false,\"message\":\"5 and not 4\"}\n"),
        &messages);
    assert_null(messages.fault);
    assert_int_equal(messages.choice_count, 2);
    assert_string_equal(messages.choices[0].rule.data, "DL-RESOLVE-05");
    assert_int_equal(messages.choices[0].alternative_count, 3);
    assert_int_equal(messages.choices[0].alternative, 2);
    assert_int_equal(messages.checks[0].branch, 2);
    assert_int_equal(messages.probe, CNF_PROBE_WRONG);
    assert_string_equal(messages.reason.data, "5 and not 4");
    cnf_messages_read(&arena, RT_TEXT("{\"type\":\"probe\",\"ok\":true}\n"), &messages);
    assert_int_equal(messages.probe, CNF_PROBE_RIGHT);
    rt_arena_reset(&arena);
}

/* A subject in this process hands its messages over one by one, and its trace as text. */
static void messages_are_taken_one_by_one(void **state)
{
    (void)state;
    rt_arena arena = {0};
    cnf_messages messages;
    cnf_message_reader *reader = cnf_message_reader_begin(&arena, &messages);
    json_t *check = json_pack("{s:s, s:s, s:b}", "type", "check", "kind", "memory", "ok", 1);
    json_t *end = json_pack("{s:s}", "type", "end");
    cnf_message_reader_take(reader, check);
    cnf_message_reader_take_trace(reader, RT_TEXT("{\"type\":\"trace\",\"events\":[]}"));
    cnf_message_reader_take(reader, end);
    cnf_message_reader_end(reader);
    assert_null(messages.fault);
    assert_int_equal(messages.check_count, 1);
    assert_true(messages.checks[0].ok);
    assert_true(rt_text_is(messages.trace, "{\"type\":\"trace\",\"events\":[]}"));
    assert_int_equal(messages.end, CNF_MESSAGES_ENDED);
    /* The rules are those of lines. */
    reader = cnf_message_reader_begin(&arena, &messages);
    cnf_message_reader_take(reader, end);
    cnf_message_reader_take(reader, check);
    cnf_message_reader_end(reader);
    assert_string_equal(messages.fault, "after-end");
    assert_string_equal(messages.fault_message.data,
                        "message 2 of the child: sent after the last message");
    assert_int_equal(messages.check_count, 0);
    json_decref(check);
    json_decref(end);
    rt_arena_reset(&arena);
}

static void signatures_hold_no_free_text(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_text signature = cnf_signature(&arena, RT_TEXT("step1"), RT_TEXT("error"),
                                      RT_TEXT("errc::build \"x\""), (rt_text){0});
    assert_string_equal(signature.data, "step1:error:errc-build-x-:-");
    rt_arena_reset(&arena);
}

static void words_are_found_again(void **state)
{
    (void)state;
    for (cnf_verdict verdict = 0; verdict < CNF_VERDICT_COUNT; verdict++) {
        rt_text word = rt_text_of(cnf_verdict_word(verdict));
        assert_int_equal(cnf_verdict_find(word), verdict);
    }
    assert_int_equal(cnf_verdict_find(RT_TEXT("pass")), CNF_VERDICT_COUNT);
    assert_int_equal(cnf_verdict_effect(CNF_VERDICT_XPASS), CNF_EFFECT_UNEXPECTED);
    assert_int_equal(cnf_verdict_effect(CNF_VERDICT_NOT_RUN), CNF_EFFECT_INFRASTRUCTURE);
    assert_false(cnf_verdict_ran(CNF_VERDICT_SKIP));
    assert_true(cnf_verdict_ran(CNF_VERDICT_CRASH));
}

/* ---- Differential -------------------------------------------------------------------------- */

#define MEMORY(name, data, more)                                                                   \
    "{\"type\":\"memory\",\"name\":\"" name "\",\"data\":\"" data "\"" more "}\n"

static const scn_field field_int = {.type = SCN_TYPE_INT, .lanes = 1};
static const scn_field field_float = {.type = SCN_TYPE_FLOAT, .lanes = 1};
static const scn_memory memories[] = {
    {.name = {"m", 1}, .layout = {.size = 4, .fields = &field_int, .field_count = 1}, .count = 2},
    {.name = {"f", 1},
     .layout = {.size = 4, .fields = &field_float, .field_count = 1},
     .count = 1,
     .tolerance_kind = SCN_TOLERANCE_ULP,
     .tolerance = 1},
};

static cnf_judgement compare(rt_arena *arena, const char *oracle, const char *subject)
{
    const scn_scenario scenario = {.memories = memories, .memory_count = 2};
    cnf_messages expected_messages, got_messages;
    cnf_messages_read(arena, rt_text_of(oracle), &expected_messages);
    cnf_messages_read(arena, rt_text_of(subject), &got_messages);
    assert_null(expected_messages.fault);
    assert_null(got_messages.fault);
    cnf_judgement judgement = {.verdict = CNF_VERDICT_PASS, .step = SCN_NONE};
    cnf_differential(arena, &scenario, &expected_messages, &got_messages, &judgement);
    return judgement;
}

/* A one_of with two branches at step 1, of which one held. */
#define ONE_OF(branch, observed)                                                                      \
    "{\"type\":\"check\",\"step\":1,\"line\":9,\"kind\":\"one_of\",\"what\":\"outcome\",\"ok\":true," \
    "\"observed\":" observed ",\"branch\":" branch ",\"branches\":2}\n"

static const struct differential_row {
    const char *oracle, *subject;
    const char *signature; /* "": equal */
    const char *says;      /* part of the message */
} differential_rows[] = {
    {MEMORY("m", "0100000002000000", "") END, MEMORY("m", "0100000002000000", "") END, "", ""},
    {MEMORY("m", "0100000002000000", "") END, MEMORY("m", "01000000ffffffff", "") END,
     "differential:memory:differs:m/element-1",
     "at the end m[1] differs from sim's:\n  sim     2 (0x00000002)\n  subject -1 "
     "(0xffffffff)\n1 of 2 elements differs: one element"},
    /* A byte that sim marks as undefined may hold anything. */
    {MEMORY("m", "0100000002000000", ",\"defined\":\"0f\"") END,
     MEMORY("m", "01000000ffffffff", "") END, "", ""},
    {MEMORY("m", "0100000002000000", ",\"defined\":\"1f\"") END,
     MEMORY("m", "01000000ffffffff", "") END, "differential:memory:differs:m/element-1", "1 of 2"},
    /* The memory's own tolerance, one step from 1, applies here too. */
    {MEMORY("f", "0000803f", "") END, MEMORY("f", "0100803f", "") END, "", ""},
    {MEMORY("f", "0000803f", "") END, MEMORY("f", "0200803f", "") END,
     "differential:memory:differs:f/element-0", "f[0] differs from sim's, 2 ULP apart:\n"},
    {MEMORY("f", "0000c07f", "") END, MEMORY("f", "0000803f", "") END,
     "differential:memory:differs:f/element-0", "one is NaN"},
    /* The signature names every memory that differs. */
    {MEMORY("f", "00000000", "") MEMORY("m", "0100000002000000", "") END,
     MEMORY("f", "0000803f", "") MEMORY("m", "0200000002000000", "") END,
     "differential:memory:differs:f/element-0 differential:memory:differs:m/element-0", "f[0]"},
    /* If the documents leave a choice, the memories are compared only if both made the same choice.
     */
    {ONE_OF("1", "true") MEMORY("m", "0100000002000000", "") END,
     ONE_OF("1", "true") MEMORY("m", "0200000002000000", "") END,
     "differential:memory:differs:m/element-0", "m[0]"},
    {ONE_OF("1", "true") MEMORY("m", "0100000002000000", "") END,
     ONE_OF("2", "true") MEMORY("m", "0200000002000000", "") END, "", ""},
    {ONE_OF("1", "true") MEMORY("m", "0100000002000000", "") END,
     ONE_OF("1", "false") MEMORY("m", "0200000002000000", "") END, "", ""},
    /* A memory that the subject cannot read back is not compared; a memory of another size is a
     * failure. */
    {MEMORY("m", "0100000002000000", "") END, MEMORY("n", "02000000", "") END, "", ""},
    {MEMORY("m", "0100000002000000", "") END, MEMORY("m", "01000000", "") END,
     "differential:memory:size:m", "4 bytes here and 8 on sim; the scenario declares 8"},
    /* A memory that the scenario does not declare is a variable, compared as bytes if both sent it.
     */
    {MEMORY("device_global v on d", "0102", "") END, MEMORY("device_global v on d", "0103", "") END,
     "differential:memory:differs:device_global-v-on-d/element-1", "device_global v on d[1]"},
    {MEMORY("device_global v on d", "0102", "") END, MEMORY("device_global w on d", "0103", "") END,
     "", ""},
};

static void memories_are_compared(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof differential_rows / sizeof *differential_rows; i++) {
        const struct differential_row *row = &differential_rows[i];
        rt_arena arena = {0};
        cnf_judgement judgement = compare(&arena, row->oracle, row->subject);
        bool equal = row->signature[0] == '\0';
        if (judgement.verdict != (equal ? CNF_VERDICT_PASS : CNF_VERDICT_FAIL))
            fail_msg("row %zu: %s", i, cnf_verdict_word(judgement.verdict));
        assert_string_equal(equal ? "" : judgement.signature.data, row->signature);
        if (!equal && !strstr(judgement.message.data, row->says))
            fail_msg("row %zu: %s", i, judgement.message.data);
        rt_arena_reset(&arena);
    }
}

/* ---- Traces -------------------------------------------------------------------------------- */

#define TRACE(events)   "{\"type\":\"trace\",\"events\":[" events "]}\n"
#define LINK(image, by) "{\"event\":\"link\",\"inputs\":[\"" image "\"],\"by\":\"" by "\"}"

static void assert_parting(const char *oracle, const char *subject, const char *expected)
{
    rt_arena arena = {0};
    cnf_messages expected_messages, got_messages;
    cnf_messages_read(&arena, rt_text_of(oracle), &expected_messages);
    cnf_messages_read(&arena, rt_text_of(subject), &got_messages);
    cnf_judgement judgement = {.verdict = CNF_VERDICT_FAIL, .message = RT_TEXT("why")};
    cnf_traces_part(&arena, &expected_messages, &got_messages, &judgement);
    assert_string_equal(judgement.message.data, expected);
    rt_arena_reset(&arena);
}

static void the_first_other_event_is_told(void **state)
{
    (void)state;
    assert_parting(TRACE(LINK("a", "driver") "," LINK("b", "driver")),
                   TRACE(LINK("a", "tool") "," LINK("c", "tool")),
                   "why\nthe traces part at event 1:\n"
                   "  sim     link inputs: [b] by: driver\n"
                   "  subject link inputs: [c] by: tool");
    assert_parting(TRACE(LINK("a", "driver")), TRACE(""),
                   "why\nthe traces part at event 0:\n"
                   "  sim     link inputs: [a] by: driver\n"
                   "  subject nothing more");
    assert_parting(TRACE(LINK("a", "driver")), TRACE(LINK("a", "tool")),
                   "why\nthe traces are the same as on sim");
    assert_parting(TRACE(LINK("a", "driver")), OPEN, "why");
    /* One trace has an additional event; one event has an additional field. */
    assert_parting(TRACE(LINK("a", "driver")), TRACE(LINK("a", "tool") "," LINK("a", "tool")),
                   "why\nthe traces part at event 1:\n"
                   "  sim     nothing more\n"
                   "  subject link inputs: [a] by: tool");
    assert_parting(TRACE("{\"event\":\"wait\"}"), TRACE("{\"event\":\"wait\",\"queue\":\"1\"}"),
                   "why\nthe traces part at event 0:\n  sim     wait\n  subject wait queue: 1");
}

#define BUILD(device) "{\"event\":\"build\",\"device\":\"" device "\"}"
#define IMAGE(format) "{\"event\":\"image_register\",\"image\":\"a/0\",\"format\":\"" format "\"}"

/* The scenario's devices have the same names on every subject; formats depend on the subject. */
static void devices_are_compared_and_formats_are_not(void **state)
{
    (void)state;
    assert_parting(TRACE(IMAGE("spirv64") "," BUILD("first")),
                   TRACE(IMAGE("ptx") "," BUILD("second")),
                   "why\nthe traces part at event 1:\n"
                   "  sim     build device: first\n"
                   "  subject build device: second");
}

/* A malformed trace of a child: no part of it equals anything, and it is shown as received. */
static void lines_that_are_not_events_are_shown(void **state)
{
    (void)state;
    assert_parting(TRACE("1,null"), TRACE("1,null"),
                   "why\nthe traces part at event 0:\n  sim     1\n  subject 1");
    assert_parting(TRACE("{\"event\":7}"), TRACE("[[\"a\",\"b\"]]"),
                   "why\nthe traces part at event 0:\n"
                   "  sim     {\"event\":7}\n"
                   "  subject [[\"a\", \"b\"]]");
    assert_parting(TRACE("{\"event\":\"e\",\"x\":[1,\"b\"],\"y\":true}"), TRACE(""),
                   "why\nthe traces part at event 0:\n"
                   "  sim     e x: [1, b] y: true\n"
                   "  subject nothing more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_end_has_one_verdict),
        cmocka_unit_test(an_end_says_what_the_process_was_doing),
        cmocka_unit_test(damaged_messages_are_judged),
        cmocka_unit_test(what_was_seen_is_counted),
        cmocka_unit_test(every_failed_check_is_told),
        cmocka_unit_test(artefacts_and_capabilities_are_read),
        cmocka_unit_test(choices_and_probes_are_read),
        cmocka_unit_test(messages_are_taken_one_by_one),
        cmocka_unit_test(signatures_hold_no_free_text),
        cmocka_unit_test(words_are_found_again),
        cmocka_unit_test(memories_are_compared),
        cmocka_unit_test(the_first_other_event_is_told),
        cmocka_unit_test(devices_are_compared_and_formats_are_not),
        cmocka_unit_test(lines_that_are_not_events_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
