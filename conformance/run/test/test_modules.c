/* Tests how the compile worker's answers are judged, and the locations in messages. The answers are
 * made by hand; no compiler runs. */
#include "conformance/build/answer.h"
#include "conformance/run/modules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const scn_source sources[2] = {
    {.name = {"app/0", 5}, .code = {"a", 1}, .code_at = {10, 11}},
    {.name = {"app/1", 5}, .code = {"b", 1}, .file = {"code/b.cl", 9}, .code_at = {20, 15}},
};
static const scn_hand_image image = {
    .source = {.name = {"app/2", 5}, .code = {"c", 1}, .code_at = {30, 13}},
};
static const scn_module modules[2] = {
    {.name = {"app", 3},
     .at = {5, 3},
     .sources = sources,
     .source_count = 2,
     .hand_images = &image,
     .hand_image_count = 1},
    {.name = {"empty", 5}, .at = {40, 3}},
};
static const scn_scenario scenario = {
    .path = {"s.yaml", 6},
    .file = {"dir/s.yaml", 10},
    .modules = modules,
    .module_count = 2,
};

/* Judges a scenario whose first module gets this answer from the worker. */
static cnf_judgement judge_for(rt_format format, rt_arena *arena, rt_sink *sink,
                               const cnf_compile_answer *answer)
{
    cnf_modules state;
    cnf_judgement judgement;
    const scn_scenario *complete;
    uint32_t module;
    rt_text warning;
    cnf_cache *none = cnf_cache_open(RT_TEXT("/proc/nowhere"), &warning);
    cnf_modules_begin(&state, arena, sink, &scenario, none, RT_PROFILE_DOCUMENTS, format);
    assert_true(cnf_modules_next(&state, &module));
    assert_int_equal(module, 0);
    assert_false(cnf_modules_next(&state, &module)); /* an empty module needs no worker */
    cnf_child_result result = {.end = CNF_PROCESS_EXITED};
    cnf_answer_write(&result.messages, answer);
    cnf_modules_answer(&state, 0, &result);
    assert_true(cnf_modules_complete(&state));
    assert_false(cnf_modules_finish(&state, &complete, &judgement));
    cnf_modules_free(&state);
    cnf_cache_close(none);
    return judgement;
}

static cnf_judgement judge(rt_arena *arena, rt_sink *sink, const cnf_compile_answer *answer)
{
    return judge_for(RT_FORMAT_SPIRV64, arena, sink, answer);
}

/* Checks the message and the scenario's line for one error in a source. */
static void assert_message(const char *source, uint32_t line, uint32_t column, const char *expected,
                           uint32_t expected_line)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    const cnf_compile_message message = {.source = rt_text_of(source),
                                         .line = line,
                                         .column = column,
                                         .severity = CNF_SEVERITY_ERROR,
                                         .text = RT_TEXT("no")};
    const cnf_compile_answer answer = {.code = RT_COMPILE_TIME,
                                       .message = RT_TEXT("refused"),
                                       .messages = &message,
                                       .message_count = 1};
    cnf_judgement judgement = judge(&arena, sink, &answer);
    assert_int_equal(judgement.verdict, CNF_VERDICT_INVALID);
    assert_string_equal(judgement.message.data, expected);
    assert_int_equal(judgement.line, expected_line);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

static void embedded_code_is_in_the_scenario(void **state)
{
    (void)state;
    assert_message("app/0", 3, 5, "dir/s.yaml:12:15: error: no", 12);
    assert_message("app/0", 3, 0, "dir/s.yaml:12:11: error: no", 12);
    assert_message("app/2", 1, 1, "dir/s.yaml:30:13: error: no\nc\n^", 30);
    assert_message("app/2", 1, 2, "dir/s.yaml:30:14: error: no\nc\n ^", 30);
    assert_message("app/2", 1, 3, "dir/s.yaml:30:15: error: no", 30); /* past the line's end */
    assert_message("app/2", 0, 0, "dir/s.yaml:30:13: error: no", 30);
}

static void messages_name_the_file_of_the_code(void **state)
{
    (void)state;
    assert_message("app/1", 3, 5, "dir/code/b.cl:3:5: error: no", 20);
    assert_message("app/1", 3, 0, "dir/code/b.cl:3:1: error: no", 20);
    /* A message without a line is about the whole file, which the scenario names. */
    assert_message("app/1", 0, 0, "dir/s.yaml:20:15: error: no", 20);
}

static void what_is_about_no_source_is_about_the_module(void **state)
{
    (void)state;
    assert_message("", 0, 0, "dir/s.yaml:5:3: error: no", 5);
}

/* A required compiler is missing, then an optional one. */
static void a_missing_compiler_is_a_lack_of_the_machine_or_of_a_capability(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    const rt_text capability = RT_TEXT("sycl-compiler");
    cnf_compile_answer answer = {.code = RT_UNAVAILABLE, .message = RT_TEXT("it is not installed")};
    cnf_judgement judgement = judge(&arena, sink, &answer);
    assert_int_equal(judgement.verdict, CNF_VERDICT_UNAVAILABLE);
    assert_string_equal(judgement.signature.data, "compile:tool:unavailable:-");
    answer.names = &capability;
    answer.name_count = 1;
    judgement = judge(&arena, sink, &answer);
    assert_int_equal(judgement.verdict, CNF_VERDICT_SKIP);
    assert_int_equal(judgement.signature.length, 0);
    assert_true(rt_text_is(judgement.capability, "sycl-compiler"));
    assert_true(rt_text_is(judgement.answer, "it is not installed"));
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

/* PTX from source if every module can be; otherwise SPIR-V, which is translated. */
static void a_scenario_is_in_ptx_or_spirv(void **state)
{
    (void)state;
    const uint32_t spirv = 1u << RT_FORMAT_SPIRV64, ptx = 1u << RT_FORMAT_PTX,
                   native = 1u << RT_FORMAT_SPIRV64_X86_64;
    static const struct {
        scn_language source, image;
        uint32_t formats, links, constant_count;
        rt_format image_format, expected;
    } rows[] = {
#define C SCN_LANGUAGE_OPENCL_C
        {C, C, 0, 0, 0, RT_FORMAT_SPIRV64, RT_FORMAT_PTX},
        {SCN_LANGUAGE_OPENCL_CPP, C, 0, 0, 0, RT_FORMAT_SPIRV64, RT_FORMAT_PTX},
        {SCN_LANGUAGE_SYCL, C, 0, 0, 0, RT_FORMAT_SPIRV64, RT_FORMAT_SPIRV64},
        {SCN_LANGUAGE_SPIRV_ASM, C, 0, 0, 0, RT_FORMAT_SPIRV64, RT_FORMAT_SPIRV64},
        {SCN_LANGUAGE_LLVM_IR, C, 0, 0, 0, RT_FORMAT_SPIRV64, RT_FORMAT_SPIRV64},
        {C, SCN_LANGUAGE_SPIRV, 0, 0, 0, RT_FORMAT_SPIRV64, RT_FORMAT_SPIRV64},
        /* An image for another device says nothing about this one. */
        {C, SCN_LANGUAGE_SPIRV, 0, 0, 0, RT_FORMAT_SPIRV64_X86_64, RT_FORMAT_PTX},
        {C, C, spirv, 0, 0, RT_FORMAT_SPIRV64, RT_FORMAT_SPIRV64},
        {C, C, spirv | native, 0, 0, RT_FORMAT_SPIRV64, RT_FORMAT_SPIRV64},
        {C, C, spirv | ptx, 0, 0, RT_FORMAT_SPIRV64, RT_FORMAT_PTX},
        {C, C, native, 0, 0, RT_FORMAT_SPIRV64, RT_FORMAT_PTX},
        {C, C, 0, spirv, 0, RT_FORMAT_SPIRV64, RT_FORMAT_SPIRV64},
        {C, C, 0, ptx, 0, RT_FORMAT_SPIRV64, RT_FORMAT_PTX},
        {C, C, 0, 0, 1, RT_FORMAT_SPIRV64, RT_FORMAT_SPIRV64},
#undef C
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const scn_source source = {.language = rows[i].source};
        const scn_hand_image hand = {.format = rows[i].image_format,
                                     .source = {.language = rows[i].image}};
        const scn_module module = {.sources = &source,
                                   .source_count = 1,
                                   .hand_images = &hand,
                                   .hand_image_count = 1,
                                   .formats = rows[i].formats};
        const scn_device device = {.links = rows[i].links};
        const scn_step step = {.verb = SCN_VERB_SUBMIT,
                               .submit = {.constant_count = rows[i].constant_count}};
        const scn_scenario made = {.modules = &module,
                                   .module_count = 1,
                                   .devices = &device,
                                   .device_count = 1,
                                   .steps = &step,
                                   .step_count = 1};
        assert_int_equal(cnf_modules_ptx_format(&made), rows[i].expected);
    }
}

/* A device that accepts only PTX skips the scenario; for SPIR-V the same answer is a failure. */
static void code_without_a_form_in_ptx_is_skipped_there(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    const cnf_compile_answer answer = {.code = RT_UNSUPPORTED,
                                       .message = RT_TEXT("app/0:3: 'printf' is not there")};
    cnf_judgement judgement = judge_for(RT_FORMAT_PTX, &arena, sink, &answer);
    assert_int_equal(judgement.verdict, CNF_VERDICT_SKIP);
    assert_true(rt_text_is(judgement.capability, "ptx-source"));
    assert_int_equal(judgement.line, 12);
    assert_string_equal(judgement.answer.data, "dir/s.yaml:12:11: 'printf' is not there");
    assert_int_equal(judgement.signature.length, 0);
    assert_int_equal(judge(&arena, sink, &answer).verdict, CNF_VERDICT_FAIL);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embedded_code_is_in_the_scenario),
        cmocka_unit_test(messages_name_the_file_of_the_code),
        cmocka_unit_test(what_is_about_no_source_is_about_the_module),
        cmocka_unit_test(code_without_a_form_in_ptx_is_skipped_there),
        cmocka_unit_test(a_scenario_is_in_ptx_or_spirv),
        cmocka_unit_test(a_missing_compiler_is_a_lack_of_the_machine_or_of_a_capability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
