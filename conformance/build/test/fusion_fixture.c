/* Runs clang, the plugin, SPIRV-Tools and the simulated device for the fusion tests. */
#include "conformance/build/test/fusion_fixture.h"

#include "reference/base/alloc.h"
#include "reference/compiler/test/plugin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int fusion_fixture_open(void **state)
{
    fusion_fixture *fixture = rt_alloc(sizeof *fixture);
    fixture->api = test_plugin_open();
    fixture->sink = rt_sink_create();
    fixture->world = sim_world_create(fixture->sink, 1);
    *state = fixture;
    return 0;
}

int fusion_fixture_close(void **state)
{
    fusion_fixture *fixture = *state;
    sim_world_destroy(fixture->world);
    rt_buffer_free(&fixture->result_bytes);
    rt_arena_reset(&fixture->arena);
    rt_sink_destroy(fixture->sink);
    rt_free(fixture);
    return 0;
}

const char *fixture_message(fusion_fixture *fixture, rt_status status)
{
    assert_false(rt_ok(status));
    return rt_sink_diagnostic(fixture->sink, status)->message.data;
}

static void must(fusion_fixture *fixture, rt_status status)
{
    if (!rt_ok(status)) fail_msg("%s", fixture_message(fixture, status));
}

/* ---- Code ---------------------------------------------------------------------------------- */

rt_bytes fixture_compile(fusion_fixture *fixture, const char *source)
{
    rt_buffer images = {0}, bitcode = test_clang("-target spir64 -x cl -cl-std=CL2.0",
                                                 TEST_SPEC_CONSTANT, source);
    const rt_postlink_source input = {RT_TEXT("m/0"), rt_buffer_bytes(&bitcode)};
    const rt_postlink_request request = {.module = RT_TEXT("m"),
                                         .sources = &input,
                                         .source_count = 1,
                                         .split = RT_SPLIT_OFF,
                                         .format = RT_FORMAT_SPIRV64,
                                         .spirv_version_max = 0x00010200};
    must(fixture, fixture->api->postlink(fixture->sink, &request, &images));
    rt_reader reader = rt_reader_of(rt_arena_bytes(&fixture->arena, rt_buffer_bytes(&images)));
    rt_image_list list;
    must(fixture, rt_image_list_read(fixture->sink, &fixture->arena, &reader, &list));
    assert_int_equal(list.count, 1);
    rt_buffer_free(&bitcode);
    rt_buffer_free(&images);
    return list.images[0].code;
}

rt_status fixture_fuse(fusion_fixture *fixture, const rt_fusion_request *request)
{
    rt_buffer_free(&fixture->result_bytes);
    rt_status status =
        fixture->api->fuse(fixture->sink, request, (rt_text){0}, &fixture->result_bytes);
    if (!rt_ok(status)) return status;
    must(fixture, rt_fusion_result_read(fixture->sink, &fixture->arena,
                                        rt_buffer_bytes(&fixture->result_bytes), &fixture->result));
    test_spirv_validate(false, fixture->result.image.code);
    return status;
}

void fixture_must_fuse(fusion_fixture *fixture, const rt_fusion_request *request)
{
    must(fixture, fixture_fuse(fixture, request));
}

/* ---- Launches ------------------------------------------------------------------------------ */

rt_fusion_range fixture_range(uint64_t x, uint64_t y, uint64_t z)
{
    rt_fusion_range range = {.dimensions = z ? 3 : y ? 2 : 1, .global = {x, y ? y : 1, z ? z : 1}};
    return range;
}

rt_fusion_range fixture_range_local(rt_fusion_range range, uint64_t x, uint64_t y, uint64_t z)
{
    range.local[0] = x;
    range.local[1] = y ? y : 1;
    range.local[2] = z ? z : 1;
    return range;
}

static void count_finding(void *user, const sim_finding *finding)
{
    fusion_fixture *fixture = user;
    fixture->finding_count++;
    print_message("finding: %.*s\n", RT_TEXT_ARG(finding->message));
}

void fixture_launch(fusion_fixture *fixture, rt_bytes code, rt_text kernel,
                    const rt_fusion_range *range, const sim_argument *arguments, uint32_t count)
{
    sim_module *module;
    sim_program *program;
    must(fixture, sim_module_create(fixture->sink, code, NULL, 0, &module));
    must(fixture,
         sim_program_link(fixture->sink, (const sim_module *const[]){module}, 1, &program));
    const sim_kernel *found = sim_program_kernel(program, kernel);
    assert_non_null(found);
    sim_range launched = {.dimensions = range->dimensions};
    memcpy(launched.global, range->global, sizeof launched.global);
    memcpy(launched.local, range->local, sizeof launched.local);
    memcpy(launched.offset, range->offset, sizeof launched.offset);
    if (range->local[0] == 0) sim_range_choose_local(found, &launched);
    const sim_launch_options options = {.on_finding = count_finding, .user = fixture};
    must(fixture, sim_launch(fixture->world, found, &launched, arguments, count, &options));
    sim_world_forget(fixture->world, program);
    sim_program_destroy(program);
    sim_module_destroy(module);
}

static sim_object make_object(fusion_fixture *fixture, const void *content, uint64_t size)
{
    sim_object object;
    must(fixture, sim_object_create(fixture->world, size, RT_TEXT("memory"), &object));
    sim_object_write(fixture->world, object, 0, size, content);
    return object;
}

sim_object fixture_words(fusion_fixture *fixture, uint64_t count, uint64_t value)
{
    uint64_t *words = rt_alloc(count * sizeof *words);
    for (uint64_t i = 0; i < count; i++)
        words[i] = value;
    sim_object object = make_object(fixture, words, count * sizeof *words);
    rt_free(words);
    return object;
}

sim_object fixture_ints(fusion_fixture *fixture, uint64_t count, int32_t value)
{
    int32_t *words = rt_alloc(count * sizeof *words);
    for (uint64_t i = 0; i < count; i++)
        words[i] = value;
    sim_object object = make_object(fixture, words, count * sizeof *words);
    rt_free(words);
    return object;
}

sim_argument fixture_pass(sim_object object)
{
    return (sim_argument){.kind = SIM_PARAMETER_GLOBAL, .object = object};
}
