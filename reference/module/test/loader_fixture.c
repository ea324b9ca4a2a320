/* Creates a loader for each test, with everything that it needs. */
#include "reference/module/test/loader_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

fixture *fixture_open(const rt_module *modules, uint32_t count, rt_registry_observer observer)
{
    fixture *f = rt_alloc(sizeof *f);
    f->sink = rt_sink_create();
    f->trace = rt_trace_create();
    rt_chooser_init(&f->chooser, 0, NULL, 0);
    rt_registry_init(&f->registry, f->trace);
    observer.user = f;
    f->registry.observer = observer;
    rt_loader_init(&f->loader, f->sink, &f->registry, modules, count);
    return f;
}

int fixture_close(void **state)
{
    fixture *f = *state;
    rt_loader_free(&f->loader);
    rt_registry_free(&f->registry);
    rt_trace_destroy(f->trace);
    rt_sink_destroy(f->sink);
    rt_chooser_free(&f->chooser);
    rt_buffer_free(&f->log);
    rt_free(f);
    return 0;
}

void expect_log(fixture *f, const char *expected)
{
    assert_string_equal(rt_buffer_string(&f->log), expected);
    rt_buffer_free(&f->log);
}
