/* Unit tests of the formats that are fused, and of what is fused: the image's code for SPIR-V, the
 * embedded bitcode for PTX.
 *
 * Source: document 001, "Support for non SPIR-V targets". */
#include "reference/fusion/test/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const fixture_module modules[] = {
    {"spirv", "s", NULL, NULL},
    {"with", "w", NULL, NULL, RT_FORMAT_PTX, .embedded_ir = "bitcode of with"},
    {"without", "o", NULL, NULL, RT_FORMAT_PTX},
    {"short", "h", NULL, NULL, RT_FORMAT_PTX, .embedded_ir = "."},
    {"native", "n", NULL, NULL, RT_FORMAT_NATIVE},
    {"amd", "d", NULL, NULL, RT_FORMAT_AMDGCN},
};
enum { MODULES = sizeof modules / sizeof *modules };

/* What the newest request contained. */
static struct {
    rt_format format;
    rt_text code; /* of the first kernel's first image */
} newest;

/* Answers with a kernel in the request's format. */
static rt_status fuse(void *user, rt_sink *sink, const rt_fusion_request *request,
                      rt_buffer *out_result)
{
    world *w = user;
    (void)sink;
    w->request_count++;
    newest.format = request->format;
    rt_bytes code = rt_arena_bytes(&w->f->arena, request->kernels[0].codes[0].spirv);
    newest.code = (rt_text){(const char *)code.data, code.size};
    const rt_fusion_place places[] = {{0, 0}, {0, 1}};
    world_answer(request, places, out_result);
    return RT_STATUS_OK;
}

static int set_up(void **state)
{
    world *w = world_create(fixture_create(modules, MODULES, ""), fuse);
    w->f->device.capabilities.formats_taken |=
        1u << RT_FORMAT_PTX | 1u << RT_FORMAT_NATIVE | 1u << RT_FORMAT_AMDGCN;
    for (uint32_t i = 0; i < MODULES; i++)
        rt_loader_open(&w->f->loader, i);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    world_destroy(*state);
    return 0;
}

static rt_status complete(world *w, const char *first, const char *second)
{
    rt_command_id command = RT_COMMAND_NONE;
    assert_true(rt_ok(rt_fusion_start(w->fusion, w->queue)));
    world_launch(w, first, RT_PROMOTION_NONE);
    world_launch(w, second, RT_PROMOTION_NONE);
    return rt_fusion_complete(w->fusion, w->queue, false, &command);
}

static void the_code_itself_is_fused_of_spirv(void **state)
{
    world *w = *state;
    assert_true(rt_ok(complete(w, "s", "s")));
    assert_int_equal(w->request_count, 1);
    assert_int_equal(newest.format, RT_FORMAT_SPIRV64);
    assert_true(rt_text_is(newest.code, "code of spirv"));
    assert_int_equal(w->f->counting->launches, 1);
}

static void KF_TARGET_03_the_bitcode_beside_the_code_is_fused_of_ptx(void **state)
{
    world *w = *state;
    assert_true(rt_ok(complete(w, "w", "w")));
    assert_int_equal(w->request_count, 1);
    assert_int_equal(newest.format, RT_FORMAT_PTX);
    assert_true(rt_text_is(newest.code, "bitcode of with"));
    assert_int_equal(w->f->counting->launches, 1);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "kernel"), "fused_0");
}

/* A single byte of bitcode is bitcode: the compiler says whether it can be read. */
static void bitcode_of_any_size_is_fused_of_ptx(void **state)
{
    world *w = *state;
    assert_true(rt_ok(complete(w, "h", "h")));
    assert_int_equal(w->request_count, 1);
    assert_true(rt_text_is(newest.code, "."));
}

/* The first kernel has bitcode, but one kernel without bitcode is enough to refuse the list. */
static void KF_TARGET_05_ptx_without_bitcode_runs_one_by_one(void **state)
{
    world *w = *state;
    assert_true(rt_ok(complete(w, "w", "o")));
    assert_int_equal(w->request_count, 0);
    assert_int_equal(w->f->counting->launches, 2);
    assert_int_equal(fixture_count(w->f, RT_EVENT_FUSE), 0);
    const char *reason = fixture_newest(w->f, RT_EVENT_FUSION_CANCEL, "detail");
    if (!strstr(reason, "No suitable IR available for fusion: kernel 'o'"))
        fail_msg("the reason is '%s'", reason);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_FUSION_CANCEL, "rule"), "KF-TARGET-05");
}

/* Kernels of an unsupported format run one by one: the application gets no error. The counterpart
 * is the_code_itself_is_fused_of_spirv. */
static void KF_TARGET_06_kernels_for_amd_run_one_by_one(void **state)
{
    world *w = *state;
    assert_true(rt_ok(complete(w, "d", "d")));
    assert_int_equal(w->request_count, 0);
    assert_int_equal(w->f->counting->launches, 2);
    assert_int_equal(fixture_count(w->f, RT_EVENT_FUSE), 0);
    const char *reason = fixture_newest(w->f, RT_EVENT_FUSION_CANCEL, "detail");
    if (!strstr(reason, "kernel 'd' is in image amd/0 of format amdgcn"))
        fail_msg("the reason is '%s'", reason);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_FUSION_CANCEL, "rule"), "KF-TARGET-06");
}

static void formats_do_not_mix_and_machine_code_is_not_fused(void **state)
{
    world *w = *state;
    assert_true(rt_ok(complete(w, "w", "s")));
    assert_true(rt_ok(complete(w, "n", "n")));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_FUSION_CANCEL, "rule"), "KF-TARGET-07");
    assert_int_equal(w->request_count, 0);
    assert_int_equal(w->f->counting->launches, 4);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_code_itself_is_fused_of_spirv, set_up, tear_down),
        cmocka_unit_test_setup_teardown(KF_TARGET_03_the_bitcode_beside_the_code_is_fused_of_ptx,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(bitcode_of_any_size_is_fused_of_ptx, set_up, tear_down),
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
