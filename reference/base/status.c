/* Status codes, and the sink that keeps diagnostics. */
#include "reference/base/status.h"

#include "reference/base/arena.h"
#include "reference/base/lock.h"
#include "reference/base/vector.h"

#include <pthread.h>

static const char *const code_names[RT_CODE_COUNT] = {
#define RT_CODE_NAME(code, name) name,
    RT_CODES(RT_CODE_NAME)
#undef RT_CODE_NAME
};

struct rt_sink {
    pthread_mutex_t lock;
    rt_arena arena;
    RT_VECTOR(rt_diagnostic *) diagnostics; /* status.detail is index + 1 */
};

const char *rt_code_name(rt_code code)
{
    CHECK((unsigned)code < RT_CODE_COUNT);
    return code_names[code];
}

rt_code rt_code_find(rt_text name)
{
    for (int i = 0; i < RT_CODE_COUNT; i++) {
        if (rt_text_is(name, code_names[i])) return (rt_code)i;
    }
    return RT_CODE_COUNT;
}

/* The sycl::errc that an application gets for a code; RT_OK if it gets no exception. */
static rt_code errc_of(rt_code code)
{
    if (code >= RT_ERRC_RUNTIME && code <= RT_ERRC_BACKEND_MISMATCH) return code;
    if (code == RT_LINK_ERROR) return RT_ERRC_BUILD;
    if (code == RT_DRIVER_ERROR || code == RT_DEVICE_LOST || code == RT_BUDGET)
        return RT_ERRC_RUNTIME;
    return RT_OK;
}

bool rt_code_matches(rt_code code, rt_text wanted)
{
    CHECK(code != RT_OK);
    rt_code errc = errc_of(code);
    if (rt_text_is(wanted, "exception")) return errc != RT_OK;
    if (rt_text_is(wanted, code_names[code])) return true;
    return errc != RT_OK && rt_text_is(wanted, code_names[errc]);
}

rt_sink *rt_sink_create(void)
{
    rt_sink *sink = rt_alloc(sizeof *sink);
    rt_lock_init(&sink->lock);
    return sink;
}

void rt_sink_destroy(rt_sink *sink)
{
    if (!sink) return;
    rt_arena_reset(&sink->arena);
    rt_vector_free(&sink->diagnostics);
    pthread_mutex_destroy(&sink->lock);
    rt_free(sink);
}

rt_status rt_sink_fail(rt_sink *sink, rt_code code, rt_rule rule, const char *file, int line,
                       const rt_text *names, uint32_t name_count, const char *format, ...)
{
    CHECK(code > RT_OK && code < RT_CODE_COUNT);
    CHECK((unsigned)rule < RT_RULE_COUNT);
    rt_buffer message = {0};
    va_list arguments;
    va_start(arguments, format);
    rt_buffer_vprintf(&message, format, arguments);
    va_end(arguments);

    rt_lock_take(&sink->lock);
    rt_diagnostic *diagnostic = rt_arena_alloc(&sink->arena, sizeof *diagnostic);
    rt_text *copies = rt_arena_alloc_array(&sink->arena, name_count, sizeof *copies);
    for (uint32_t i = 0; i < name_count; i++)
        copies[i] = rt_arena_text(&sink->arena, names[i]);
    *diagnostic = (rt_diagnostic){
        .code = code,
        .rule = rule,
        .file = file,
        .line = line,
        .message = rt_arena_text(&sink->arena, rt_buffer_text(&message)),
        .names = copies,
        .name_count = name_count,
    };
    *rt_vector_push(&sink->diagnostics) = diagnostic;
    rt_status status = {(uint16_t)code, (uint16_t)rule, sink->diagnostics.count};
    rt_lock_release(&sink->lock);
    rt_buffer_free(&message);
    return status;
}

rt_status rt_sink_fail_prefixed(rt_sink *sink, rt_code code, rt_text prefix, const char *file,
                                int line, const char *format, va_list arguments)
{
    rt_buffer text = {0};
    rt_buffer_append_text(&text, prefix);
    rt_buffer_vprintf(&text, format, arguments);
    rt_status status =
        rt_sink_fail(sink, code, RT_RULE_NONE, file, line, NULL, 0, "%s", rt_buffer_string(&text));
    rt_buffer_free(&text);
    return status;
}

const rt_diagnostic *rt_sink_diagnostic(rt_sink *sink, rt_status status)
{
    CHECK(!rt_ok(status));
    rt_lock_take(&sink->lock);
    CHECK(status.detail >= 1 && status.detail <= sink->diagnostics.count);
    const rt_diagnostic *diagnostic = sink->diagnostics.items[status.detail - 1];
    rt_lock_release(&sink->lock);
    CHECK(diagnostic->code == (rt_code)status.code);
    return diagnostic;
}
