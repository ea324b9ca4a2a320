/* The table of device-code formats. */
#include "reference/base/format.h"

static const struct format_row {
    const char *name, *target, *link_extension;
} format_rows[RT_FORMAT_COUNT] = {
#define RT_FORMAT_ROW(format, name, target, extension) {name, target, extension},
    RT_FORMATS(RT_FORMAT_ROW)
#undef RT_FORMAT_ROW
};

const char *rt_format_name(rt_format format)
{
    CHECK((unsigned)format < RT_FORMAT_COUNT);
    return format_rows[format].name;
}

const char *rt_format_target(rt_format format)
{
    CHECK((unsigned)format < RT_FORMAT_COUNT);
    return format_rows[format].target;
}

const char *rt_format_link_extension(rt_format format)
{
    CHECK((unsigned)format < RT_FORMAT_COUNT);
    return format_rows[format].link_extension;
}

bool rt_format_is_native(rt_format format)
{
    CHECK((unsigned)format < RT_FORMAT_COUNT);
    static const uint32_t compiled_later =
        1u << RT_FORMAT_SPIRV64 | 1u << RT_FORMAT_PTX | 1u << RT_FORMAT_OPENCL_C;
    return !(compiled_later >> format & 1);
}

rt_format rt_format_find(rt_text name)
{
    for (int i = 0; i < RT_FORMAT_COUNT; i++) {
        if (rt_text_is(name, format_rows[i].name)) return (rt_format)i;
    }
    return RT_FORMAT_COUNT;
}
