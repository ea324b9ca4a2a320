/* Scenarios with two modules for unit tests of subjects. */
#include "conformance/subject/test/scenario_fixture.h"

#include "reference/base/descriptors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

scn_scenario *scenario_fixture_read(rt_arena *arena, const scenario_fixture *fixture,
                                    const char *steps)
{
    rt_text text = rt_arena_printf(arena, "%s%s", fixture->head, steps);
    scn_problems problems;
    const scn_scenario *read =
        scn_read(arena, text, RT_TEXT("test.yaml"), RT_TEXT("test.yaml"), &problems);
    for (uint32_t i = 0; i < problems.count; i++)
        print_error("%u: %.*s\n", problems.items[i].at.line, RT_TEXT_ARG(problems.items[i].text));
    assert_non_null(read);
    assert_int_equal(read->module_count, 2);
    scn_scenario *scenario = rt_arena_alloc(arena, sizeof *scenario);
    scn_module *modules = rt_arena_alloc_array(arena, 2, sizeof *modules);
    for (int i = 0; i < 2; i++) {
        modules[i] = read->modules[i];
        modules[i].images = fixture->images[i];
    }
    if (fixture->library.length > 0) modules[1].file_name = fixture->library;
    *scenario = *read;
    scenario->modules = modules;
    return scenario;
}

void scenario_fixture_messages(rt_arena *arena, int descriptor, cnf_messages *out_messages)
{
    rt_buffer sent = {0};
    assert_true(rt_read_all(descriptor, &sent));
    close(descriptor);
    cnf_messages_read(arena, rt_arena_text(arena, rt_buffer_text(&sent)), out_messages);
    rt_buffer_free(&sent);
}
