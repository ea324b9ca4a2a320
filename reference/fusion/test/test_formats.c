/* Which formats are fused, and from what: SPIR-V from the code, PTX from the bitcode beside it.
 *
 * Source: document 001, "Support for non SPIR-V targets". */
#include "reference/fusion/fusion.h"
#include "reference/program/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const fixture_module modules[] = {
    {"spirv", "s", NULL, NULL},
    {"with", "w", NULL, NULL, RT_FORMAT_PTX, .embedded_ir = "bitcode of with"},
    {"without", "o", NULL, NULL, RT_FORMAT_PTX},
    {"native", "n", NULL, NULL, RT_FORMAT_NATIVE},
    {"amd", "d", NULL, NULL, RT_FORMAT_AMDGCN},
};
enum { MODULES = sizeof modules / sizeof *modules };

typedef struct world {
    fixture *f;
    rt_scheduler *scheduler;
    rt_fusion *fusion;
    rt_queue_id queue;
    rt_memory *a;
    rt_fusion_compiler compiler;
    uint32_t asked;
    rt_format format; /* of the newest request */
    rt_text code;     /* the first code of it */
} world;

/* Answers with a kernel of the request's format. */
static rt_status fuse(void *user, rt_sink *sink, const rt_fusion_request *request,
                      rt_buffer *out_result)
{
    world *w = user;
    (void)sink;
    w->asked++;
    w->format = request->format;
    rt_bytes code = rt_arena_bytes(&w->f->arena, request->kernels[0].codes[0].spirv);
    w->code = (rt_text){(const char *)code.data, code.size};
    const rt_fusion_place places[] = {{0, 0}, {0, 1}};
    rt_fusion_result result = {.parameters = places, .parameter_count = 2};
    result.image = (rt_image){.name = request->name,
                              .format = request->format,
                              .kernels = &request->name,
                              .kernel_count = 1,
                              .code = {(const uint8_t *)"fused", 5}};
    rt_image_hash(&result.image);
    rt_fusion_result_write(out_result, &result);
    return RT_STATUS_OK;
}

static int set_up(void **state)
{
    world *w = rt_alloc(sizeof *w);
    w->f = fixture_create(modules, MODULES, "");
    w->f->device.capabilities.formats_taken |=
        1u << RT_FORMAT_PTX | 1u << RT_FORMAT_NATIVE | 1u << RT_FORMAT_AMDGCN;
    for (uint32_t i = 0; i < MODULES; i++)
        rt_loader_open(&w->f->loader, i);
    w->scheduler = rt_scheduler_create(w->f->sink, w->f->trace, w->f->manager, NULL);
    w->compiler = (rt_fusion_compiler){w, fuse};
    w->fusion = rt_fusion_create(&(rt_fusion_parts){
        .tools = {.sink = w->f->sink,
                  .trace = w->f->trace,
                  .programs = w->f->manager,
                  .profile = RT_PROFILE_DOCUMENTS,
                  .compiler = &w->compiler},
        .scheduler = w->scheduler,
        .warning_level = 1,
    });
    assert_true(rt_ok(rt_scheduler_queue_create(w->scheduler, &w->f->device, 0, false, &w->queue)));
    rt_scheduler_queue_enable_fusion(w->scheduler, w->queue);
    assert_true(
        rt_ok(rt_memory_create(w->f->sink, 0, RT_TEXT("a"), 16, "0123456789abcdef", &w->a)));
    w->a->element_size = 4;
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    rt_scheduler_destroy(w->scheduler);
    rt_fusion_destroy(w->fusion);
    rt_memory_destroy(w->a);
    fixture_destroy(w->f);
    rt_free(w);
    return 0;
}

static void launch(world *w, const char *kernel)
{
    const uint32_t value = 7;
    const rt_argument arguments[] = {
        {.kind = RT_ARGUMENT_MEMORY, .memory = w->a, .access = RT_ACCESS_READ_WRITE},
        {.kind = RT_ARGUMENT_BYTES, .bytes = {(const uint8_t *)&value, sizeof value}},
    };
    const rt_launch what = {.kernel = rt_text_of(kernel),
                            .range = {.dimensions = 1, .global = {4, 1, 1}},
                            .arguments = arguments,
                            .argument_count = 2};
    rt_command_id command;
    assert_true(rt_ok(rt_scheduler_launch(w->scheduler, w->queue, &what, &command)));
}

static rt_status complete(world *w, const char *first, const char *second)
{
    rt_command_id command = RT_COMMAND_NONE;
    assert_true(rt_ok(rt_fusion_start(w->fusion, w->queue)));
    launch(w, first);
    launch(w, second);
    return rt_fusion_complete(w->fusion, w->queue, false, &command);
}

static void the_code_itself_is_fused_of_spirv(void **state)
{
    world *w = *state;
    assert_true(rt_ok(complete(w, "s", "s")));
    assert_int_equal(w->asked, 1);
    assert_int_equal(w->format, RT_FORMAT_SPIRV64);
    assert_true(rt_text_is(w->code, "code of spirv"));
    assert_int_equal(w->f->counting->launches, 1);
}

static void KF_TARGET_03_the_bitcode_beside_the_code_is_fused_of_ptx(void **state)
{
    world *w = *state;
    assert_true(rt_ok(complete(w, "w", "w")));
    assert_int_equal(w->asked, 1);
    assert_int_equal(w->format, RT_FORMAT_PTX);
    assert_true(rt_text_is(w->code, "bitcode of with"));
    assert_int_equal(w->f->counting->launches, 1);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "kernel"), "fused_0");
}

/* The first kernel has its bitcode; that one of the list has none is enough. */
static void KF_TARGET_05_ptx_without_bitcode_runs_one_by_one(void **state)
{
    world *w = *state;
    assert_true(rt_ok(complete(w, "w", "o")));
    assert_int_equal(w->asked, 0);
    assert_int_equal(w->f->counting->launches, 2);
    assert_int_equal(fixture_count(w->f, RT_EVENT_FUSE), 0);
    const char *reason = fixture_newest(w->f, RT_EVENT_FUSION_CANCEL, "detail");
    if (!strstr(reason, "No suitable IR available for fusion: kernel 'o'"))
        fail_msg("the reason is '%s'", reason);
}

/* Not offered means that the kernels run one by one: the application is not refused.  The twin is
 * the_code_itself_is_fused_of_spirv. */
static void KF_TARGET_06_kernels_for_amd_run_one_by_one(void **state)
{
    world *w = *state;
    assert_true(rt_ok(complete(w, "d", "d")));
    assert_int_equal(w->asked, 0);
    assert_int_equal(w->f->counting->launches, 2);
    assert_int_equal(fixture_count(w->f, RT_EVENT_FUSE), 0);
    const char *reason = fixture_newest(w->f, RT_EVENT_FUSION_CANCEL, "detail");
    if (!strstr(reason, "kernel 'd' is in image amd/0 of format amdgcn"))
        fail_msg("the reason is '%s'", reason);
}

static void formats_do_not_mix_and_machine_code_is_not_fused(void **state)
{
    world *w = *state;
    assert_true(rt_ok(complete(w, "w", "s")));
    assert_true(rt_ok(complete(w, "n", "n")));
    assert_int_equal(w->asked, 0);
    assert_int_equal(w->f->counting->launches, 4);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_code_itself_is_fused_of_spirv, set_up, tear_down),
        cmocka_unit_test_setup_teardown(KF_TARGET_03_the_bitcode_beside_the_code_is_fused_of_ptx,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(KF_TARGET_05_ptx_without_bitcode_runs_one_by_one, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(KF_TARGET_06_kernels_for_amd_run_one_by_one, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(formats_do_not_mix_and_machine_code_is_not_fused, set_up,
                                        tear_down),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
