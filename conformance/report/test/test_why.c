/* Tests of the explanation of a verdict against golden texts. */
#include "conformance/report/why.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define STAGE "{\"type\":\"stage\",\"stage\":\"step\",\"step\":1,\"line\":4}\n"
#define CHECK_LINE(line, kind, what, ok, observed)                                                 \
    "{\"type\":\"check\",\"line\":" line ",\"kind\":\"" kind "\",\"what\":\"" what "\",\"ok\":" ok \
    ",\"observed\":" observed "}\n"
#define EVENT(kind, n) "{\"event\":\"" kind "\",\"n\":\"" n "\"}"
#define COMMON         EVENT("load", "0") "," EVENT("load", "1") "," EVENT("load", "2") ","
#define TRACE(events)  "{\"type\":\"trace\",\"events\":[" events "]}\n"
#define END            "{\"type\":\"end\"}\n"

static const char source[] = "assay: 1\nsummary: S.\nsteps:\n  - submit: {kernel: k}\n"
                             "  - expect: {launches: 1}\n  - wait:\n";

#define LITERAL(text)                                                                              \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

static const cnf_rule rule_items[] = {
    {.id = LITERAL("DL-REQ-01"),
     .source = LITERAL("003_7bcb16774cd09d34.txt \xc2\xa7 introduction"),
     .statement = LITERAL("A kernel that calls a function of a library runs with the library's "
                          "body, and this sentence goes on for more than a line."),
     .outcome = LITERAL("must"),
     .reading = LITERAL("Any library."),
     .dpcpp = LITERAL("same (A56)")},
};
static const cnf_rules rules = {rule_items, 1};

static const char *explain(rt_arena *arena, const cnf_record *record, const char *sim,
                           const char *sent, const char *oracle_sent, const cnf_rules *table)
{
    static const scn_cover covers[] = {{.rule = RT_RULE_DL_REQ_01}};
    static const scn_scenario scenario = {.covers = covers, .cover_count = 1};
    cnf_messages messages, oracle;
    if (sent) cnf_messages_read(arena, rt_text_of(sent), &messages);
    if (oracle_sent) cnf_messages_read(arena, rt_text_of(oracle_sent), &oracle);
    const cnf_why why = {.record = record,
                         .sim = sim,
                         .scenario = &scenario,
                         .messages = sent ? &messages : NULL,
                         .oracle = oracle_sent ? &oracle : NULL,
                         .source = rt_text_of(source),
                         .rules = table};
    rt_buffer text = {0};
    cnf_why_write(&text, &why);
    const char *copy = rt_arena_text(arena, rt_buffer_text(&text)).data;
    rt_buffer_free(&text);
    return copy;
}

static void a_failure_is_explained(void **state)
{
    (void)state;
    rt_arena arena = {0};
    cnf_record record = {.scenario = RT_TEXT("a/b.yaml"),
                         .file = RT_TEXT("s/a/b.yaml"),
                         .subject = RT_TEXT("pocl"),
                         .step_id = RT_TEXT("second"),
                         .device = RT_TEXT("basic"),
                         .driver = RT_TEXT("PoCL 3.1"),
                         .judgement = {.verdict = CNF_VERDICT_XFAIL_MISMATCH,
                                       .signature = RT_TEXT("step1:count:fewer:launch"),
                                       .message = RT_TEXT("expected 1,\ngot 0"),
                                       .line = 5,
                                       .step = 1,
                                       .expected = 3,
                                       .observed = 2},
                         .known = {.entry = RT_TEXT("pocl.yaml:4"),
                                   .seen = CNF_VERDICT_FAIL,
                                   .class = RT_TEXT("crash-or-hang"),
                                   .reason = RT_TEXT("It hangs."),
                                   .failure = RT_TEXT("HANG")}};
    const char *sent = STAGE CHECK_LINE("4", "memory", "data", "true", "true")
        CHECK_LINE("5", "count", "launch", "false", "true")
            CHECK_LINE("5", "program", "k", "true", "false")
                TRACE(COMMON EVENT("load", "3") "," EVENT("error", "4")) END;
    const char *oracle = TRACE(COMMON EVENT("load", "3") "," EVENT("launch", "4") "," EVENT(
        "wait", "5") "," EVENT("wait", "6")) END;
    assert_string_equal(
        explain(&arena, &record, "PASS", sent, oracle, &rules),
        "XFAIL_MISMATCH 2/3 s/a/b.yaml on pocl\n"
        "  signature: step1:count:fewer:launch\n"
        "  device: basic (PoCL 3.1)\n"
        "  sim: PASS\n"
        "  expected: HANG (pocl.yaml:4)\n"
        "  class: crash or hang\n"
        "  reason: It hangs.\n"
        "\n"
        "s/a/b.yaml:5, step 'second'\n"
        "     3 | steps:\n"
        "     4 |   - submit: {kernel: k}\n"
        ">    5 |   - expect: {launches: 1}\n"
        "     6 |   - wait:\n"
        "\n"
        "  expected 1,\n"
        "  got 0\n"
        "\n"
        "Expectations and observations:\n"
        "  agrees  line 4: memory data\n"
        "  FAILS   line 5: count launch\n"
        "  unseen  line 5: program k\n"
        "\n"
        "Rule DL-REQ-01 (SharedLibraries.md, introduction; must)\n"
        "  The rule: A kernel that calls a function of a library runs with the library's body, and "
        "this\n"
        "    sentence goes on for more than a line.\n"
        "  Our reading: Any library.\n"
        "  Shipped DPC++: same (A56)\n"
        "\n"
        "The traces of sim and pocl part at event 4:\n"
        "     1  both  load n: 1\n"
        "     2  both  load n: 2\n"
        "     3  both  load n: 3\n"
        ">    4  sim   launch n: 4\n"
        ">       pocl  error n: 4\n"
        "     5  sim   wait n: 5\n"
        "        pocl  nothing more\n"
        "     6  sim   wait n: 6\n"
        "        pocl  nothing more\n");
    rt_arena_reset(&arena);
}

static void a_pass_lists_its_observations(void **state)
{
    (void)state;
    rt_arena arena = {0};
    cnf_record record = {
        .scenario = RT_TEXT("a/b.yaml"),
        .file = RT_TEXT("s/a/b.yaml"),
        .subject = RT_TEXT("sim"),
        .judgement = {.verdict = CNF_VERDICT_PASS, .step = SCN_NONE, .expected = 1, .observed = 1}};
    const char *sent = CHECK_LINE("4", "memory", "data", "true", "true")
        CHECK_LINE("5", "trace", "", "true", "true") TRACE("") END;
    assert_string_equal(explain(&arena, &record, NULL, sent, NULL, &rules),
                        "PASS s/a/b.yaml on sim\n"
                        "\n"
                        "Expectations and observations:\n"
                        "  agrees  line 4: memory data\n"
                        "  agrees  line 5: trace\n"
                        "\n"
                        "Rule DL-REQ-01 (SharedLibraries.md, introduction; must)\n"
                        "  The rule: A kernel that calls a function of a library runs with the "
                        "library's body, and this\n"
                        "    sentence goes on for more than a line.\n"
                        "  Our reading: Any library.\n"
                        "  Shipped DPC++: same (A56)\n");
    rt_arena_reset(&arena);
}

static void missing_data_is_left_out(void **state)
{
    (void)state;
    rt_arena arena = {0};
    cnf_record record = {.scenario = RT_TEXT("b.yaml"),
                         .file = RT_TEXT("b.yaml"),
                         .subject = RT_TEXT("cuda"),
                         .judgement = {.verdict = CNF_VERDICT_SKIP,
                                       .step = SCN_NONE,
                                       .rule = RT_TEXT("VF-A-01"),
                                       .capability = RT_TEXT("fp64"),
                                       .answer = RT_TEXT("no")}};
    assert_string_equal(explain(&arena, &record, "PASS", NULL, NULL, NULL),
                        "SKIP b.yaml on cuda\n"
                        "  required of the device: fp64; its answer: no\n"
                        "  sim: PASS\n"
                        "\n"
                        "Rule VF-A-01: its text is not installed\n");
    /* The same traces, and a line number past the end of the file. */
    record.judgement = (cnf_judgement){.verdict = CNF_VERDICT_CRASH, .line = 99};
    const char *sent = TRACE(EVENT("load", "1")) END;
    assert_string_equal(explain(&arena, &record, "PASS", sent, sent, NULL),
                        "CRASH b.yaml on cuda\n"
                        "  sim: PASS\n"
                        "\n"
                        "b.yaml:99\n"
                        "\n"
                        "Rule DL-REQ-01: its text is not installed\n"
                        "\n"
                        "The traces are the same as on sim: 1 event.\n");
    rt_arena_reset(&arena);
}

/* The explanation of a verdict with a log, after its first line. */
static const char *explain_log(rt_arena *arena, cnf_verdict verdict, const char *log, bool is_tail)
{
    const cnf_record record = {
        .file = RT_TEXT("a.yaml"), .subject = RT_TEXT("-"), .judgement = {.verdict = verdict}};
    const cnf_why why = {.record = &record, .log = rt_text_of(log), .log_is_tail = is_tail};
    rt_buffer text = {0};
    cnf_why_write(&text, &why);
    rt_text explanation = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return strchr(explanation.data, '\n') + 1;
}

#define LAYER_BEGINS "7 0 0 < layer version=1 hides= result=0\n"

/* A crash in the driver's linker: the last recorded call has not returned. */
static void the_last_calls_of_a_driver_are_shown(void **state)
{
    (void)state;
    rt_arena arena = {0};
    static const char log[] =
        LAYER_BEGINS "7 1 0 < clCreateKernel program=0 name=a%1bb made=- result=-46\n"
                     "7 2 0 > clLinkProgram inputs=0,1 options=-\n"
                     "7 3 0 > clFin";
    assert_string_equal(explain_log(&arena, CNF_VERDICT_CRASH, log, false),
                        "\nThe last calls to the OpenCL driver:\n"
                        "  clCreateKernel program 0 name a\\x1bb made -: -46\n"
                        "  clLinkProgram inputs 0,1 options -: has not returned\n");
    assert_string_equal(explain_log(&arena, CNF_VERDICT_PASS, log, false), "");
    rt_arena_reset(&arena);
}

/* Prints the last ten of thirteen calls, without releases; the beginning of the log itself may be
 * missing. */
static void of_many_calls_the_last_are_shown(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_buffer log = {0}, expected = {0};
    rt_buffer_printf(&log, "queue=0 result=0\n");
    rt_buffer_printf(&expected, "\nThe last calls to the OpenCL driver:\n");
    for (int i = 1; i <= 13; i++) {
        rt_buffer_printf(&log, "7 %d 0 < clFlush queue=%d result=0\n", i, i);
        if (i > 3) rt_buffer_printf(&expected, "  clFlush queue %d\n", i);
    }
    rt_buffer_printf(&log, "7 14 0 < clReleaseProgram program=0 result=0\n7 15 0 < full\n");
    rt_buffer_printf(&expected, "  and later ones, which the log could not hold\n");
    assert_string_equal(explain_log(&arena, CNF_VERDICT_FAIL, rt_buffer_string(&log), true),
                        rt_buffer_string(&expected));
    assert_string_equal(explain_log(&arena, CNF_VERDICT_FAIL, LAYER_BEGINS, false), "");
    const char *refused = explain_log(&arena, CNF_VERDICT_FAIL, "nonsense\n", false);
    assert_non_null(strstr(refused, "\nThe calls to the OpenCL driver are unknown: line 1 of"));
    rt_buffer_free(&log);
    rt_buffer_free(&expected);
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_is_explained),
        cmocka_unit_test(a_pass_lists_its_observations),
        cmocka_unit_test(missing_data_is_left_out),
        cmocka_unit_test(the_last_calls_of_a_driver_are_shown),
        cmocka_unit_test(of_many_calls_the_last_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
