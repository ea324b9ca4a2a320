/* Unit tests of the trace message: its extents, lists, and values that JSON escapes. */
#include "conformance/subject/emit.h"

#include "reference/base/descriptors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static void a_trace_is_sent_as_far_as_it_is_observed(void **state)
{
    (void)state;
    static const struct {
        cnf_trace_extent extent;
        const char *line;
    } rows[] = {
        {CNF_TRACE_COMPLETE,
         "{\"type\":\"trace\",\"events\":[{\"event\":\"module_unload\",\"module\":\"li\\\"b\"},"
         "{\"event\":\"bundle_join\",\"bundle\":\"18446744073709551615\",\"bundles\":[\"0\",\"10\"],"
         "\"images\":[]}]}\n"},
        {CNF_TRACE_OBSERVED,
         "{\"type\":\"trace\",\"partial\":true,\"events\":[{\"event\":\"module_unload\",\"module\":"
         "\"li\\\"b\"},{\"event\":\"bundle_join\",\"bundle\":\"18446744073709551615\","
         "\"bundles\":[\"0\",\"10\"],\"images\":[]}]}\n"},
        {CNF_TRACE_KINDS, "{\"type\":\"trace\",\"partial\":true,\"events\":[{\"event\":"
                          "\"module_unload\"},{\"event\":\"bundle_join\"}]}\n"},
    };
    static const uint64_t bundles[] = {0, 10};
    rt_trace *trace = rt_trace_create();
    RT_TRACE(trace, MODULE_UNLOAD, RT_T("module", RT_TEXT("li\"b")));
    RT_TRACE(trace, BUNDLE_JOIN, RT_N("bundle", UINT64_MAX), RT_NS("bundles", bundles, 2),
             RT_TS("images", NULL, 0));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int ends[2];
        rt_buffer sent = {0};
        assert_int_equal(pipe(ends), 0);
        cnf_emitter emitter = {.descriptor = ends[1]};
        cnf_emit_trace(&emitter, trace, rows[i].extent);
        close(ends[1]);
        assert_true(rt_read_all(ends[0], &sent));
        close(ends[0]);
        assert_string_equal(rt_buffer_string(&sent), rows[i].line);
        rt_buffer_free(&sent);
    }
    rt_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_is_sent_as_far_as_it_is_observed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
