/* Maps results of a vendor's calls to status codes and messages. */
#include "backends/vendor/result.h"

rt_code vendor_result_code(const vendor_results *results, unsigned stage, int result)
{
    CHECK(results->count >= 1);
    CHECK(stage < sizeof results->rows->stages * 8);
    for (size_t i = 0; i < results->count; i++) {
        const vendor_result *row = &results->rows[i];
        if (row->result == result && (row->stages >> stage & 1u) != 0) return row->code;
    }
    return RT_DRIVER_ERROR;
}

const char *vendor_result_name(const vendor_results *results, int result)
{
    for (size_t i = 0; i < results->count; i++) {
        if (results->rows[i].result == result) return results->rows[i].name;
    }
    return results->unnamed;
}

void vendor_result_print(rt_buffer *out, const vendor_results *results, const char *call,
                         int result)
{
    rt_buffer_printf(out, "%s: %s ", call, vendor_result_name(results, result));
    rt_buffer_printf(out, results->is_hexadecimal ? "(0x%x)" : "(%d)", (unsigned)result);
}

rt_status vendor_fail(rt_sink *sink, const vendor_results *results, unsigned stage,
                      const char *call, int result, rt_text log)
{
    rt_buffer answer = {0};
    vendor_result_print(&answer, results, call, result);
    rt_status status = rt_fail(sink, vendor_result_code(results, stage, result), RT_RULE_NONE,
                               "%s%s%.*s", rt_buffer_string(&answer),
                               log.length > 0 ? "; the driver's log:\n" : "", RT_TEXT_ARG(log));
    rt_buffer_free(&answer);
    return status;
}
