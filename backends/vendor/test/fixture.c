/* The fixture for tests of adapters with a fake library. */
#include "backends/vendor/test/fixture.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- A test's surroundings ---------------------------------------------------------------- */

void *fixture_find_fake(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = handle ? dlsym(handle, "fake_control") : NULL;
    if (!symbol) {
        fprintf(stderr, "%s\n", dlerror());
        return NULL;
    }
    void *(*control)(void);
    memcpy(&control, &symbol, sizeof control);
    return control();
}

int fixture_begin(void **state, const dev_backend *backend, const dev_tools *tools,
                  fake_script *script)
{
    static fixture f;
    f = (fixture){.backend = backend, .tools = tools, .script = script, .sink = rt_sink_create()};
    *state = &f;
    return 0;
}

int fixture_end(void **state)
{
    fixture *f = *state;
    fixture_close(f);
    assert_int_equal(f->script->live, 0);
    rt_sink_destroy(f->sink);
    return 0;
}

rt_status fixture_open(fixture *f, const char *selector)
{
    const dev_open_parameters parameters = {.sink = f->sink, .tools = f->tools};
    return dev_device_open(f->backend, &parameters, rt_text_of(selector), &f->device);
}

void fixture_close(fixture *f)
{
    dev_device_destroy(f->device);
    f->device = NULL;
}

rt_status program_reload(dev_device *device, dev_program *program, dev_program **out_program)
{
    rt_buffer binary = {0};
    rt_status status = dev_program_binary(program, &binary);
    if (rt_ok(status)) status = dev_program_load(device, rt_buffer_bytes(&binary), out_program);
    rt_buffer_free(&binary);
    return status;
}

/* ---- Statuses ----------------------------------------------------------------------------- */

bool message_has(rt_sink *sink, rt_status status, const char *part)
{
    rt_text message = rt_sink_diagnostic(sink, status)->message;
    return memmem(message.data, message.length, part, strlen(part)) != NULL;
}

void expect_status(rt_sink *sink, rt_status status, rt_code code, const char *part)
{
    if (rt_ok(status)) fail_msg("success instead of %s: %s", rt_code_name(code), part);
    if (status.code == code && message_has(sink, status, part)) return;
    fail_msg("%s: %.*s\ninstead of %s: %s", rt_code_name((rt_code)status.code),
             RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message), rt_code_name(code), part);
}

void expect_unavailable(const fixture *f, open_at *open, const char *missing, const char *lacking)
{
    const dev_open_parameters parameters = {.sink = f->sink};
    dev_device *device = NULL;
    rt_status status = open("libno-such-library.so", &parameters, none, &device);
    expect_status(f->sink, status, RT_UNAVAILABLE, missing);
    status = open("libm.so.6", &parameters, none, &device);
    expect_status(f->sink, status, RT_UNAVAILABLE, lacking);
    assert_null(device);
}

/* ---- Failing calls ------------------------------------------------------------------------ */

void fail_each_call(const fixture *f, const whole_use *whole, int result, bool onwards)
{
    uint32_t calls = UINT32_MAX, failures = 0;
    for (uint32_t n = 0; n <= calls; n++) { /* run 0 fails no call, but counts them */
        whole->reset();
        f->script->fail_at = n;
        f->script->fail_from = onwards ? n : 0;
        f->script->fail_with = result;
        rt_status status = whole->use(f, whole->context);
        assert_int_equal(f->script->live, 0);
        if (n == 0) assert_true(rt_ok(status));
        if (!rt_ok(status)) assert_true(rt_sink_diagnostic(f->sink, status)->message.length > 10);
        failures += !rt_ok(status);
        if (n == 0) calls = f->script->calls;
    }
    assert_in_range(calls, whole->calls_min, whole->calls_max);
    assert_true(failures > 0); /* otherwise the fake did not fail any call */
}

void expect_failures(const fixture *f, const whole_use *whole, const failure *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        whole->reset();
        f->script->fail_call = rows[i].call;
        f->script->fail_with = rows[i].result;
        rt_status status = whole->use(f, whole->context);
        if (status.code != rows[i].code) print_error("%s %d\n", rows[i].call, rows[i].result);
        expect_status(f->sink, status, rows[i].code, rows[i].part);
        assert_int_equal(f->script->live, 0);
    }
}
