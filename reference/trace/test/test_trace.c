/* Unit tests of the trace. */
#include "reference/trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void table_knows_names_and_fields(void **state)
{
    (void)state;
    assert_int_equal(rt_event_find(RT_TEXT("link")), RT_EVENT_LINK);
    assert_int_equal(rt_event_find(RT_TEXT("lin")), RT_EVENT_COUNT);
    bool is_list = false;
    assert_true(rt_event_has_field(RT_EVENT_LINK, RT_TEXT("inputs"), &is_list));
    assert_true(is_list);
    assert_true(rt_event_has_field(RT_EVENT_LINK, RT_TEXT("by"), &is_list));
    assert_false(is_list);
    assert_false(rt_event_has_field(RT_EVENT_LINK, RT_TEXT("input"), NULL));
    assert_false(rt_event_has_field(RT_EVENT_LINK, RT_TEXT("inputs[]"), NULL));
    assert_true(rt_event_has_field(RT_EVENT_WAIT, RT_TEXT("commands"), NULL));
    assert_false(rt_event_has_field(RT_EVENT_WAIT, RT_TEXT(""), NULL));
}

static void events_keep_copies_in_order(void **state)
{
    (void)state;
    rt_trace *trace = rt_trace_create();
    char name[] = "apply";
    uint64_t global[] = {8, 1, 1};
    RT_TRACE(trace, SELECT, RT_T("kernel", rt_text_of(name)), RT_T("image", RT_TEXT("app/0")));
    RT_TRACE(trace, LAUNCH, RT_N("command", 7), RT_NS("global", global, 3));
    name[0] = 'X';
    global[0] = 0;
    assert_int_equal(rt_trace_count(trace), 2);
    const rt_event *select = rt_trace_event(trace, 0);
    assert_true(rt_text_is(rt_event_field_find(select, RT_TEXT("kernel"))->values[0], "apply"));
    const rt_event *launch = rt_trace_event(trace, 1);
    assert_int_equal(launch->kind, RT_EVENT_LAUNCH);
    const rt_event_field *field = rt_event_field_find(launch, RT_TEXT("global"));
    assert_true(field->is_list);
    assert_int_equal(field->value_count, 3);
    assert_true(rt_text_is(field->values[0], "8"));
    assert_null(rt_event_field_find(launch, RT_TEXT("kernel")));
    rt_trace_destroy(trace);
}

static void a_stopped_trace_keeps_nothing(void **state)
{
    (void)state;
    rt_trace *trace = rt_trace_create();
    RT_TRACE(trace, RELEASE, RT_N("program", 1));
    rt_trace_stop(trace);
    RT_TRACE(trace, RELEASE, RT_N("program", 2));
    assert_int_equal(rt_trace_count(trace), 1);
    rt_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_knows_names_and_fields),
        cmocka_unit_test(events_keep_copies_in_order),
        cmocka_unit_test(a_stopped_trace_keeps_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
