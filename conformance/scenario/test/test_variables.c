/* Unit tests of resolving the device_globals that steps refer to, in a scenario whose modules
 * describe their variables. */
#include "conformance/scenario/model/scenario.h"
#include "conformance/scenario/resolve/variables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MODULES                                                                                    \
    "assay: 1\nsummary: Something.\nmodules:\n"                                                    \
    "  app: {sources: [{language: opencl-c, code: \"counter twice table read write\"}]}\n"         \
    "  lib: {sources: [{language: opencl-c, code: \"counter twice inner Bar\"}]}\n"                \
    "memory:\n  data: {type: int, count: 4}\nsteps:\n"

/* `counter` is a single variable that both modules share; `twice` is a separate variable in each
 * module.
 */
static const rt_device_global app_globals[] = {
    {{"_Z7counter", 10}, {"counter", 7}, 4, false, RT_HOST_ACCESS_READ_WRITE},
    {{"app_twice", 9}, {"twice", 5}, 4, false, RT_HOST_ACCESS_READ_WRITE},
    {{"_Z5table", 8}, {"table", 5}, 16, false, RT_HOST_ACCESS_READ_WRITE},
    {{"_Z4read", 7}, {"read", 4}, 4, true, RT_HOST_ACCESS_READ},
    {{"_Z5write", 8}, {"write", 5}, 4, true, RT_HOST_ACCESS_WRITE},
};
static const rt_device_global lib_globals[] = {
    {{"_Z7counter", 10}, {"counter", 7}, 4, false, RT_HOST_ACCESS_READ_WRITE},
    {{"lib_twice", 9}, {"twice", 5}, 4, false, RT_HOST_ACCESS_READ_WRITE},
    {{"_ZN5inner3BarE", 14}, {"inner::Bar", 10}, 4, false, RT_HOST_ACCESS_READ_WRITE},
};

/* Reads and resolves the steps; returns the problem in the arena, or "" if there is none. */
static const char *resolve(rt_arena *arena, const char *steps, scn_scenario *out_scenario)
{
    rt_text text = rt_arena_printf(arena, MODULES "%s", steps);
    scn_problems problems;
    const scn_scenario *read =
        scn_read(arena, text, RT_TEXT("f.yaml"), RT_TEXT("f.yaml"), &problems);
    if (!read) return problems.items[0].text.data;
    *out_scenario = *read;
    scn_module *modules = rt_arena_alloc_array(arena, 2, sizeof *modules);
    memcpy(modules, read->modules, 2 * sizeof *modules);
    modules[0].device_globals = (rt_device_global_list){app_globals, 5};
    modules[1].device_globals = (rt_device_global_list){lib_globals, 3};
    out_scenario->modules = modules;
    scn_position at;
    rt_text problem;
    bool is_valid = scn_variables_resolve(arena, out_scenario, &at, &problem);
    assert_true(is_valid == (problem.length == 0));
    if (!is_valid) assert_int_equal(at.line, 9); /* of the first step */
    return is_valid ? "" : problem.data;
}

static const struct found_row {
    const char *steps;
    uint32_t module, global;
    uint64_t size;
} found_rows[] = {
    {"  - copy: {from: data, to: counter}\n", 0, 0, 4},
    {"  - copy: {from: data, to: {variable: counter, module: lib}}\n", 1, 0, 4},
    {"  - copy: {from: {variable: twice, module: app}, to: data}\n", 0, 1, 4},
    {"  - copy: {from: {variable: twice, module: lib}, to: data}\n", 1, 1, 4},
    {"  - copy: {from: {variable: lib_twice}, to: data}\n", 1, 1, 4},
    {"  - copy: {from: \"inner::Bar\", to: data}\n", 1, 2, 4},
    /* Copies the rest of the variable, and a part of it. */
    {"  - copy: {from: data, to: table}\n", 0, 2, 16},
    {"  - copy: {from: data, to: table, to_offset: 3}\n", 0, 2, 4},
    {"  - memcpy: {from: table, to: data, from_offset: 5, size: 3}\n", 0, 2, 3},
    {"  - copy: {from: read, to: data}\n", 0, 3, 4},
    {"  - copy: {from: data, to: write}\n", 0, 4, 4},
    /* A step may expect the refusal. */
    {"  - copy: {from: data, to: read}\n    expect: {error: {documents: compile-time}}\n", 0, 3, 4},
    {"  - copy: {from: data, to: table, count: 5}\n"
     "    expect: {error: {documents: \"errc::invalid\"}}\n",
     0, 2, 20},
};

static void copies_find_their_variables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof found_rows / sizeof *found_rows; i++) {
        const struct found_row *row = &found_rows[i];
        rt_arena arena = {0};
        scn_scenario scenario;
        char steps[512];
        snprintf(steps, sizeof steps, "%s  - expect: {launches: 0}\n", row->steps);
        const char *problem = resolve(&arena, steps, &scenario);
        if (*problem) fail_msg("row %zu: %s", i, problem);
        const scn_transfer *transfer = &scenario.steps[0].transfer;
        assert_int_equal(transfer->variable.module, row->module);
        assert_int_equal(transfer->variable.global, row->global);
        assert_int_equal(transfer->size, row->size);
        assert_true(scn_variables_are_used(&scenario));
        rt_arena_reset(&arena);
    }
}

static const struct problem_row {
    const char *steps, *problem;
} problem_rows[] = {
    {"  - copy: {from: data, to: twice}\n",
     "several device_globals have the name 'twice' (unique ids app_twice and lib_twice); add the "
     "module, {variable: twice, module: ...}, or give the unique id instead of the name"},
    {"  - copy: {from: data, to: count}\n",
     "no memory and no device_global has the name 'count'; did you mean 'counter'?"},
    {"  - copy: {from: data, to: {variable: inner, module: app}}\n",
     "module 'app' has no device_global 'inner'; expected one of: counter, twice, table, read, "
     "write"},
    {"  - copy: {from: data, to: {variable: table, module: lib}}\n",
     "module 'lib' has no device_global 'table'; module 'app' has one, so write 'module: app', or "
     "omit 'module'"},
    {"  - copy: {from: data, to: read}\n",
     "the host may not write 'read' (property host_access), so the copy would not compile; expect "
     "{error: {documents: compile-time}}"},
    {"  - copy: {from: write, to: data}\n",
     "the host may not read 'write' (property host_access), so the copy would not compile; expect "
     "{error: {documents: compile-time}}"},
    {"  - copy: {from: data, to: table, to_offset: 4}\n",
     "nothing is left to copy from byte 16 on: 'table' has 16 bytes"},
    {"  - copy: {from: data, to: table, to_offset: 2, count: 3}\n",
     "12 bytes from byte 8 on are not inside device_global 'table', which has 16 bytes; choose a "
     "part inside it, or "
     "expect the error"},
    {"  - copy: {from: table, to: data, to_offset: 1}\n",
     "16 bytes from byte 4 on are not inside memory 'data', which has 16 bytes; choose a part "
     "inside it, or expect the "
     "error"},
    {"  - expect: {variable: table, type: int, equals: [1, 2]}\n",
     "the expected values have 8 bytes, but 'table' has 16"},
    {"  - expect: {variable: write, type: int, equals: [1]}\n",
     "the host may not read 'write' (property host_access); have a kernel read it"},
    {"  - expect: {one_of: [{variable: table, type: int, equals: [1]}, {launches: 0}]}\n",
     "the expected values have 4 bytes, but 'table' has 16"},
};

static void impossible_references_are_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof problem_rows / sizeof *problem_rows; i++) {
        rt_arena arena = {0};
        scn_scenario scenario;
        char steps[512];
        snprintf(steps, sizeof steps, "%s  - expect: {launches: 0}\n", problem_rows[i].steps);
        assert_string_equal(resolve(&arena, steps, &scenario), problem_rows[i].problem);
        rt_arena_reset(&arena);
    }
}

static void scenarios_without_variables_stay_as_they_are(void **state)
{
    (void)state;
    rt_arena arena = {0};
    scn_scenario scenario;
    assert_string_equal(resolve(&arena, "  - expect: {launches: 0}\n", &scenario), "");
    assert_false(scn_variables_are_used(&scenario));
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_find_their_variables),
        cmocka_unit_test(impossible_references_are_reported),
        cmocka_unit_test(scenarios_without_variables_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
