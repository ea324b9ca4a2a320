/* The checks of names, variables, formats and SPIR-V that all adapters share. */
#include "backends/vendor/validate.h"

#include "reference/base/spirv.h"

#include <string.h>

rt_status vendor_name_validate(rt_sink *sink, const char *kind, const char *api, rt_text name)
{
    if (name.length == 0 || memchr(name.data, '\0', name.length) == NULL) return RT_STATUS_OK;
    return rt_fail(sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "%s's name contains a NUL byte, which no name in %s can", kind, api);
}

rt_status vendor_variable_validate(rt_sink *sink, rt_text name, uint64_t size)
{
    if (size <= RT_MEMORY_SIZE_MAX) return RT_STATUS_OK;
    return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                   "the variable '%.*s' has %llu bytes; assay accepts at most %llu",
                   RT_TEXT_ARG(name), (unsigned long long)size,
                   (unsigned long long)RT_MEMORY_SIZE_MAX);
}

rt_status vendor_format_validate(rt_sink *sink, rt_text device, rt_format expected, rt_format found)
{
    if (found == expected) return RT_STATUS_OK;
    return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE, "'%.*s' takes images of format %s, not %s",
                   RT_TEXT_ARG(device), rt_format_name(expected), rt_format_name(found));
}

rt_status vendor_spirv_validate(rt_sink *sink, rt_bytes code)
{
    rt_buffer reason = {0};
    rt_status status = RT_STATUS_OK;
    if (!rt_spirv_check(code, &reason))
        status = rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "%s", rt_buffer_string(&reason));
    rt_buffer_free(&reason);
    return status;
}
