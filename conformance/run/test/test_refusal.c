/* Tests the judgement of modules that must be refused: which parts of the expectation hold and
 * which do not. */
#include "conformance/run/refusal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define STATIC_TEXT(literal)                                                                       \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static const rt_text counter[] = {STATIC_TEXT("counter")}, unknown_name[] = {STATIC_TEXT("other")};
static const cnf_compile_message message = {.source = STATIC_TEXT("app/0"),
                                            .line = 3,
                                            .severity = CNF_SEVERITY_ERROR,
                                            .text = STATIC_TEXT("no member named 'x'")};

/* Answers with a message from post-link, with messages from the front end, and with none. */
static const cnf_compile_answer torn = {.code = RT_POSTLINK_ERROR,
                                        .message = STATIC_TEXT("app/0:1: variable is torn"),
                                        .names = counter,
                                        .name_count = 1};
static const cnf_compile_answer wrong = {.code = RT_COMPILE_TIME,
                                         .message = STATIC_TEXT("1 error"),
                                         .messages = &message,
                                         .message_count = 1};
static const cnf_compile_answer success = {.code = RT_OK};

static cnf_judgement judge(rt_arena *arena, const scn_error *error, bool by_front_end,
                           const cnf_compile_answer *answer)
{
    const scn_module module = {.name = RT_TEXT("app"), .refusal = {error, by_front_end}};
    cnf_judgement judgement;
    cnf_refusal_judge(arena, &module, answer, &judgement);
    assert_int_equal(judgement.expected, 1);
    assert_int_equal(judgement.observed, 1);
    return judgement;
}

static void what_is_expected_passes(void **state)
{
    (void)state;
    static const struct {
        scn_error error;
        bool by_front_end;
        const cnf_compile_answer *answer;
    } rows[] = {
        {{.documents = STATIC_TEXT("postlink-error")}, false, &torn},
        {{.reference_class = STATIC_TEXT("postlink-error"), .names = counter, .name_count = 1},
         false,
         &torn},
        {{.reference_text = STATIC_TEXT("is torn")}, false, &torn},
        {{.documents = STATIC_TEXT("compile-time"), .reference_text = STATIC_TEXT("member named")},
         true,
         &wrong},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_arena arena = {0};
        cnf_judgement judgement =
            judge(&arena, &rows[i].error, rows[i].by_front_end, rows[i].answer);
        assert_int_equal(judgement.verdict, CNF_VERDICT_PASS);
        rt_arena_reset(&arena);
    }
}

static void what_is_not_is_told(void **state)
{
    (void)state;
    static const struct {
        scn_error error;
        bool by_front_end;
        const cnf_compile_answer *answer;
        const char *signature, *message;
    } rows[] = {
        {{.documents = STATIC_TEXT("postlink-error")},
         false,
         &success,
         "compile:error:succeeded:app",
         "module app is not refused as expected: it was compiled"},
        {{.documents = STATIC_TEXT("postlink-error")},
         false,
         &wrong,
         "compile:error:stage:app",
         "module app is not refused as expected: the front end refused it, expected the post-link "
         "tool\n1 error\nno member named 'x'"},
        {{.documents = STATIC_TEXT("compile-time")},
         true,
         &torn,
         "compile:error:stage:app",
         "module app is not refused as expected: the post-link tool refused it, expected the front "
         "end\napp/0:1: variable is torn"},
        {{.documents = STATIC_TEXT("link-error")},
         false,
         &torn,
         "compile:error:documents:app",
         "module app is not refused as expected: the class is postlink-error, expected "
         "link-error\napp/0:1: variable is torn"},
        {{.reference_class = STATIC_TEXT("link-error")},
         false,
         &torn,
         "compile:error:class:app",
         "module app is not refused as expected: our class is postlink-error, expected "
         "link-error\napp/0:1: variable is torn"},
        {{.names = unknown_name, .name_count = 1},
         false,
         &torn,
         "compile:error:names:app",
         "module app is not refused as expected: it does not name 'other'\napp/0:1: variable is "
         "torn"},
        {{.reference_text = STATIC_TEXT("is whole")},
         false,
         &torn,
         "compile:error:text:app",
         "module app is not refused as expected: it does not say 'is whole'\napp/0:1: variable is "
         "torn"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_arena arena = {0};
        scn_error error = rows[i].error;
        error.at = (scn_position){7, 1};
        cnf_judgement judgement = judge(&arena, &error, rows[i].by_front_end, rows[i].answer);
        assert_int_equal(judgement.verdict, CNF_VERDICT_FAIL);
        assert_int_equal(judgement.line, 7);
        assert_true(rt_text_is(judgement.signature, rows[i].signature));
        assert_true(rt_text_is(judgement.message, rows[i].message));
        rt_arena_reset(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_expected_passes),
        cmocka_unit_test(what_is_not_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
