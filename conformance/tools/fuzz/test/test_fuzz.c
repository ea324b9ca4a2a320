/* Tests of the state of a fuzzing run: which failures are alike, what is covered, and the file. */
#include "conformance/tools/fuzz/fuzz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static fuz_bucket *add(fuz_state *state, const char *subject, const char *signature,
                       const char *variation)
{
    return fuz_bucket_add(state,
                          &(fuz_failure){rt_text_of(subject), RT_TEXT("FAIL"),
                                         rt_text_of(signature), rt_text_of(variation), 7, 5});
}

static void the_headline_is_the_first_failure_without_places(void **unused)
{
    (void)unused;
    rt_arena arena = {0};
    rt_text headline = fuz_headline(
        &arena, RT_TEXT("step7:memory:differs:out12/element-0 step9:launch:errc-build:k0"));
    assert_true(rt_text_is(headline, "memory:differs:out12"));
    assert_true(rt_text_is(fuz_headline_key(&arena, headline), "memory:differs:out"));
    rt_arena_reset(&arena);
}

static void alike_failures_share_a_bucket(void **unused)
{
    (void)unused;
    fuz_state state = {0};
    assert_int_equal(add(&state, "pocl", "step1:memory:differs:out1", "")->count, 1);
    assert_int_equal(add(&state, "pocl", "step8:memory:differs:out22/element-1", "")->count, 2);
    assert_int_equal(add(&state, "sim", "step1:memory:differs:out1", "")->count, 1);
    assert_int_equal(add(&state, "pocl", "step1:memory:differs:out1", "fresh")->count, 1);
    assert_int_equal(add(&state, "pocl", "step1:launch:errc-build:k1", "")->count, 1);
    assert_int_equal(state.buckets.count, 4);
    fuz_state_free(&state);
}

static void a_program_that_lacks_something_has_another_bucket(void **unused)
{
    (void)unused;
    fuz_state state = {0};
    fuz_failure failure = {
        RT_TEXT("pocl"), RT_TEXT("FAIL"), RT_TEXT("step1:memory:differs:out1"), {0}, 7, 3};
    fuz_bucket *bucket = fuz_bucket_add(&state, &failure);
    bucket->traits = 2; /* of what it was reduced to */
    failure.traits = 6;
    assert_int_equal(fuz_bucket_add(&state, &failure)->count, 2);
    assert_true(fuz_bucket_has(&state, bucket, &failure));
    failure.traits = 5;
    assert_false(fuz_bucket_has(&state, &state.buckets.items[0], &failure));
    bucket = fuz_bucket_add(&state, &failure);
    assert_int_equal(bucket->count, 1);
    assert_int_equal(state.buckets.count, 2);
    assert_true(fuz_bucket_has(&state, bucket, &failure));
    failure.traits = 6;
    assert_false(fuz_bucket_has(&state, bucket, &failure));
    fuz_state_free(&state);
}

static void a_bucket_of_another_subject_explains_what_has_its_traits(void **unused)
{
    (void)unused;
    fuz_state state = {0};
    add(&state, "pocl", "step1:memory:differs:out1", "");
    assert_false(fuz_is_explained(&state, RT_TEXT("sim"), 7)); /* not reduced: nothing is known */
    state.buckets.items[0].traits = 3;
    assert_true(fuz_is_explained(&state, RT_TEXT("sim"), 7));
    assert_true(fuz_is_explained(&state, RT_TEXT("sim"), 3));
    assert_false(fuz_is_explained(&state, RT_TEXT("sim"), 5));
    assert_false(fuz_is_explained(&state, RT_TEXT("pocl"), 7));
    fuz_state_free(&state);
}

static void traits_are_what_a_text_has(void **unused)
{
    (void)unused;
    uint32_t nothing = fuz_traits(RT_TEXT("")), loads = fuz_traits(RT_TEXT("  - load: liba\n"));
    assert_int_equal(nothing, 0);
    assert_int_not_equal(loads, 0);
    /* Two bits: one for the step, one for the names. */
    uint32_t kernels = fuz_traits(
        RT_TEXT("kernel void k0(global ulong *out) { }\n kernel void k0(void)\n  - load: liba\n"));
    assert_int_equal(kernels & loads, loads);
    assert_int_not_equal(kernels, loads);
    assert_int_equal(fuz_traits(RT_TEXT("kernel void k0() kernel void k01()")), 0);
    uint32_t functions = fuz_traits(RT_TEXT("ulong f0(void) { } ulong f0(void) { }"));
    assert_int_not_equal(functions, 0);
    assert_int_equal(functions & kernels, 0);
    assert_int_equal(fuz_traits(RT_TEXT("ulong f0(void), f1(void); ulong f0(void) { }")), 0);
    uint32_t roles = fuz_traits(RT_TEXT("(void) { kernel void f4(global) ulong f4(void) {"));
    assert_int_not_equal(roles, 0);
    assert_int_equal(roles & (functions | kernels), 0);
}

static void pairs_of_events_count_once(void **unused)
{
    (void)unused;
    fuz_state state = {0};
    const rt_text trace = RT_TEXT("{\"type\": \"trace\", \"events\": [{\"event\":\"load\"}, "
                                  "{\"event\": \"launch\", \"kernel\": \"\\\"event\\\":\"}, "
                                  "{\"event\": \"load\"}, {\"event\": \"launch\"}]}");
    /* (none, load), (load, launch), (launch, load) */
    assert_int_equal(fuz_events_add(&state, trace), 3);
    assert_int_equal(fuz_events_add(&state, trace), 0);
    assert_int_equal(fuz_events_add(&state, RT_TEXT("")), 0);
    assert_int_equal(fuz_events_add(&state, RT_TEXT("{\"event\":")), 1); /* (none, "") */
    /* Another state can have the newest of them. */
    fuz_state other = {0};
    assert_int_equal(state.pairs.items.count, 4);
    assert_int_equal(fuz_pairs_add(&other, state.pairs.items.items + 2, 2), 2);
    assert_int_equal(fuz_pairs_add(&other, state.pairs.items.items + 1, 3), 1);
    fuz_state_free(&other);
    fuz_state_free(&state);
}

static void refusals_are_told_apart_by_class_and_rule(void **unused)
{
    (void)unused;
    uint64_t build = fuz_refusals(RT_TEXT(
        "{\"events\": [{\"event\": \"error\", \"class\": \"errc::build\", \"rule\": \"DL-REQ-03\"}]}"));
    uint64_t both = fuz_refusals(RT_TEXT(
        "{\"events\": [{\"event\": \"error\", \"class\": \"errc::build\", \"rule\": \"DL-REQ-03\"},"
        "{\"event\": \"launch\"}, {\"event\": \"error\", \"class\": \"errc::kernel_argument\"}]}"));
    assert_int_not_equal(build, 0);
    assert_int_equal(both & build, build);
    assert_int_not_equal(both, build);
    assert_int_equal(fuz_refusals(RT_TEXT("{\"events\": [{\"event\": \"launch\"}]}")), 0);
    assert_int_equal(fuz_refusals((rt_text){0}), 0);
}

static void mutants_of_a_mark_count_once(void **unused)
{
    (void)unused;
    fuz_state state = {0};
    assert_int_equal(fuz_marks_add(&state, RT_TEXT("DL-B-02@a.c:6.0\nDL-B-02@a.c:6.1\n")), 1);
    assert_int_equal(fuz_marks_add(&state, RT_TEXT("DL-B-02@a.c:6.2\nDL-B-02@a.c:7\n"
                                                   "DL-B-03@a.c:6.0\n")),
                     2);
    assert_int_equal(fuz_marks_add(&state, RT_TEXT("")), 0);
    fuz_state_free(&state);
}

static void the_file_restores_the_state(void **unused)
{
    (void)unused;
    fuz_state state = {.conditions = RT_TEXT("program on sim"), .next = 9, .seeds = 8, .runs = 16};
    const rt_text trace = RT_TEXT("[{\"event\": \"load\"}, {\"event\": \"launch\"}]");
    fuz_events_add(&state, trace);
    fuz_marks_add(&state, RT_TEXT("DL-B-02@a.c:6\n"));
    add(&state, "sim", "step1:memory:differs:out1", "renamed")->traits = 4;
    rt_buffer file = {0};
    fuz_state_write(&state, &file);
    fuz_state again = {0};
    rt_sink *sink = rt_sink_create();
    assert_true(rt_ok(fuz_state_read(sink, rt_buffer_text(&file), &again)));
    assert_true(rt_text_is(again.conditions, "program on sim"));
    assert_int_equal(again.next, 9);
    assert_int_equal(again.runs, 16);
    assert_int_equal(fuz_events_add(&again, trace), 0);
    assert_int_equal(fuz_marks_add(&again, RT_TEXT("DL-B-02@a.c:6.4\nDL-B-02@a.c:9\n")), 1);
    assert_int_equal(again.buckets.items[0].traits, 4);
    assert_int_equal(add(&again, "sim", "step4:memory:differs:out3", "renamed")->count, 2);
    fuz_state other = {0};
    assert_false(rt_ok(fuz_state_read(sink, RT_TEXT("{}"), &other)));
    assert_false(rt_ok(fuz_state_read(sink, RT_TEXT("{"), &other)));
    rt_sink_destroy(sink);
    rt_buffer_free(&file);
    fuz_state_free(&other);
    fuz_state_free(&again);
    fuz_state_free(&state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_headline_is_the_first_failure_without_places),
        cmocka_unit_test(alike_failures_share_a_bucket),
        cmocka_unit_test(a_program_that_lacks_something_has_another_bucket),
        cmocka_unit_test(a_bucket_of_another_subject_explains_what_has_its_traits),
        cmocka_unit_test(traits_are_what_a_text_has),
        cmocka_unit_test(pairs_of_events_count_once),
        cmocka_unit_test(refusals_are_told_apart_by_class_and_rule),
        cmocka_unit_test(mutants_of_a_mark_count_once),
        cmocka_unit_test(the_file_restores_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
