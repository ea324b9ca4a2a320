/* Tests of fusion by what fused kernels do: the same, element by element, as their kernels do when
 * they are launched one after the other. */
#include "conformance/compile/test/fusion_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS = 16 };

/* The kernels of most tests. */
static const char arithmetic[] =
    "kernel void store(global int *out, int base) {"
    " out[get_global_id(0)] = base + (int)get_global_id(0); }\n"
    "kernel void twice(global const int *in, global int *out) {"
    " size_t i = get_global_id(0); out[i] = 2 * in[i]; }\n"
    "kernel void add(global const int *a, global const int *b, global int *out) {"
    " size_t i = get_global_id(0); out[i] = a[i] + b[i]; }\n";

static rt_fusion_kernel kernel_of(const rt_link_code *code, const char *name, rt_fusion_range range)
{
    return (rt_fusion_kernel){rt_text_of(name), code, 1, range};
}

static rt_fusion_request request_of(const rt_fusion_kernel *kernels, uint32_t count,
                                    rt_fusion_range range)
{
    return (rt_fusion_request){.name = RT_TEXT("fused_0"),
                               .kernels = kernels,
                               .kernel_count = count,
                               .range = range,
                               .barriers = true,
                               .format = RT_FORMAT_SPIRV64,
                               .spirv_version_max = 0x00010200};
}

static sim_argument pass_int(const int32_t *value)
{
    return (sim_argument){.kind = SIM_PARAMETER_VALUE,
                          .bytes = {(const uint8_t *)value, sizeof *value}};
}

static int32_t int_at(fusion_fixture *fixture, sim_object object, uint32_t index)
{
    int32_t value;
    sim_object_read(fixture->world, object, index * sizeof value, sizeof value, &value);
    return value;
}

/* store(a, 5); twice(a, b); add(a, b, c): c[i] is 3 * (5 + i). */
static void kernels_of_one_range_are_one_kernel(void **state)
{
    fusion_fixture *fixture = *state;
    const rt_link_code code = {fixture_compile(fixture, arithmetic), NULL, 0};
    rt_fusion_range range = fixture_range(ITEMS, 0, 0);
    const rt_fusion_kernel kernels[] = {kernel_of(&code, "store", range),
                                        kernel_of(&code, "twice", range),
                                        kernel_of(&code, "add", range)};
    const rt_fusion_identity identities[] = {{{0, 0}, {1, 0}}, {{0, 0}, {2, 0}}, {{1, 1}, {2, 1}}};
    rt_fusion_request request = request_of(kernels, 3, range);
    request.identities = identities;
    request.identity_count = 3;
    fixture_must_fuse(fixture, &request);
    assert_int_equal(fixture->result.image.kernel_count, 1);
    assert_true(rt_text_is(fixture->result.image.kernels[0], "fused_0"));
    /* a, 5, b, c in this order. */
    assert_int_equal(fixture->result.parameter_count, 4);
    assert_int_equal(fixture->result.parameters[2].kernel, 1);
    assert_int_equal(fixture->result.parameters[2].parameter, 1);
    assert_int_equal(fixture->result.parameters[3].kernel, 2);
    assert_int_equal(fixture->result.parameters[3].parameter, 2);
    sim_object a = fixture_ints(fixture, ITEMS, 0), b = fixture_ints(fixture, ITEMS, 0),
               c = fixture_ints(fixture, ITEMS, 0);
    const int32_t five = 5;
    const sim_argument arguments[] = {fixture_pass(a), pass_int(&five), fixture_pass(b),
                                      fixture_pass(c)};
    fixture_launch(fixture, fixture->result.image.code, RT_TEXT("fused_0"), &range, arguments, 4);
    for (int32_t i = 0; i < ITEMS; i++)
        assert_int_equal(int_at(fixture, c, (uint32_t)i), 3 * (5 + i));
    assert_int_equal(fixture->finding_count, 0);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fusion_fixture_open, fusion_fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(kernels_of_one_range_are_one_kernel),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
