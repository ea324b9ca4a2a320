/* Requests to the fusion compiler and its results survive their serialised form; damaged ones are
 * refused and never crash. */
#include "reference/image/fusion_request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const rt_link_constant constant = {7, {(const uint8_t *)"\1\2\3\4", 4}};
static const rt_link_code code = {{(const uint8_t *)"code", 4}, &constant, 1};

static const rt_fusion_range line = {1, {16, 1, 1}, {4, 1, 1}, {3, 0, 0}};
static const rt_fusion_range square = {2, {4, 4, 1}, {0, 0, 0}, {0, 0, 0}};

static rt_fusion_request make_request(void)
{
    static const rt_fusion_identity identity = {{0, 1}, {1, 0}};
    static const rt_fusion_promotion promotion = {{0, 1}, RT_FUSION_LOCAL, 5, 8};
    static const rt_text variables[2] = {{"counter", 7}, {"_ZL5total", 9}};
    static const rt_fusion_constant value = {{1, 2}, {(const uint8_t *)"\0\1", 2}};
    static const rt_fusion_kernel kernels[2] = {
        {{"first", 5}, &code, 1, {1, {16, 1, 1}, {4, 1, 1}, {3, 0, 0}}},
        {{"second", 6}, &code, 1, {2, {4, 4, 1}, {0, 0, 0}, {0, 0, 0}}}};
    return (rt_fusion_request){.name = RT_TEXT("fused_0"),
                               .kernels = kernels,
                               .kernel_count = 2,
                               .range = line,
                               .barriers = true,
                               .identities = &identity,
                               .identity_count = 1,
                               .promotions = &promotion,
                               .promotion_count = 1,
                               .constants = &value,
                               .constant_count = 1,
                               .variables = variables,
                               .variable_count = 2,
                               .local_size_max = UINT64_C(1) << 40,
                               .format = RT_FORMAT_SPIRV64,
                               .spirv_version_max = 0x00010200};
}

static void assert_range(const rt_fusion_range *range, const rt_fusion_range *expected)
{
    assert_int_equal(range->dimensions, expected->dimensions);
    assert_memory_equal(range->global, expected->global, sizeof range->global);
    assert_memory_equal(range->local, expected->local, sizeof range->local);
    assert_memory_equal(range->offset, expected->offset, sizeof range->offset);
}

static void a_request_is_read_as_it_was_written(void **state)
{
    (void)state;
    rt_fusion_request request = make_request();
    rt_buffer bytes = {0};
    rt_arena arena = {0};
    rt_fusion_request_write(&bytes, &request);
    rt_reader reader = rt_reader_of(rt_buffer_bytes(&bytes));
    rt_fusion_request read = rt_fusion_request_read(&arena, &reader);
    assert_true(rt_reader_finished(&reader));
    assert_true(rt_text_is(read.name, "fused_0"));
    assert_int_equal(read.kernel_count, 2);
    assert_true(rt_text_is(read.kernels[1].name, "second"));
    assert_range(&read.kernels[0].range, &line);
    assert_range(&read.kernels[1].range, &square);
    assert_range(&read.range, &line);
    assert_int_equal(read.kernels[0].codes[0].constants[0].id, 7);
    assert_memory_equal(read.kernels[0].codes[0].spirv.data, "code", 4);
    assert_true(read.barriers);
    assert_int_equal(read.identities[0].duplicate.kernel, 1);
    assert_int_equal(read.promotions[0].kind, RT_FUSION_LOCAL);
    assert_int_equal(read.promotions[0].elements, 5);
    assert_int_equal(read.promotions[0].element_bytes, 8);
    assert_int_equal(read.constants[0].parameter.parameter, 2);
    assert_memory_equal(read.constants[0].value.data, "\0\1", 2);
    assert_int_equal(read.variable_count, 2);
    assert_true(rt_text_is(read.variables[0], "counter"));
    assert_true(rt_text_is(read.variables[1], "_ZL5total"));
    assert_true(read.local_size_max == UINT64_C(1) << 40);
    rt_arena_reset(&arena);
    rt_buffer_free(&bytes);
}

/* Invalid requests, each derived from a valid one. */
static void invalid_requests_are_refused(void **state)
{
    (void)state;
    rt_fusion_request wrong[5];
    rt_fusion_kernel kernels[2];
    for (uint32_t i = 0; i < 5; i++)
        wrong[i] = make_request();
    memcpy(kernels, wrong[0].kernels, sizeof kernels);
    kernels[1].range.offset[2] = 1; /* past its dimensions */
    wrong[0].kernels = kernels;
    wrong[1].range.global[0] = wrong[1].range.global[1] = UINT64_C(1) << 40; /* too many */
    wrong[2].range.local[1] = 0; /* half of a local size is unspecified */
    rt_fusion_identity backwards = {{1, 0}, {0, 1}}, nowhere = {{0, 0}, {2, 0}};
    wrong[3].identities = &backwards;
    wrong[4].identities = &nowhere;
    for (uint32_t i = 0; i < 5; i++) {
        rt_buffer bytes = {0};
        rt_arena arena = {0};
        rt_fusion_request_write(&bytes, &wrong[i]);
        rt_reader reader = rt_reader_of(rt_buffer_bytes(&bytes));
        rt_fusion_request_read(&arena, &reader);
        assert_false(rt_reader_finished(&reader));
        rt_arena_reset(&arena);
        rt_buffer_free(&bytes);
    }
}

static void make_result(rt_buffer *out)
{
    static const rt_fusion_place places[2] = {{0, 0}, {1, 2}};
    static const uint64_t local_bytes[2] = {64, 0};
    static const bool promoted[2] = {true, false};
    static const rt_text reasons[2] = {{"", 0}, {"it escapes", 10}};
    static const rt_text kernel = {"fused_0", 7};
    const rt_fusion_result result = {.image = {.name = kernel,
                                               .kernels = &kernel,
                                               .kernel_count = 1,
                                               .code = {(const uint8_t *)"spirv", 5}},
                                     .parameters = places,
                                     .local_bytes = local_bytes,
                                     .range = {2, {3, 5, 1}, {0, 0, 0}, {1, 0, 0}},
                                     .parameter_count = 2,
                                     .promoted = promoted,
                                     .reasons = reasons,
                                     .promotion_count = 2};
    rt_fusion_result_write(out, &result);
}

static void a_result_is_read_as_it_was_written(void **state)
{
    (void)state;
    rt_buffer bytes = {0};
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    make_result(&bytes);
    rt_fusion_result read;
    assert_true(rt_ok(rt_fusion_result_read(sink, &arena, rt_buffer_bytes(&bytes), &read)));
    assert_int_equal(read.parameter_count, 2);
    assert_int_equal(read.parameters[1].kernel, 1);
    assert_int_equal(read.parameters[1].parameter, 2);
    assert_int_equal(read.local_bytes[0], 64);
    assert_int_equal(read.local_bytes[1], 0);
    assert_int_equal(read.range.dimensions, 2);
    assert_int_equal(read.range.global[1], 5);
    assert_int_equal(read.range.offset[0], 1);
    assert_true(read.promoted[0]);
    assert_false(read.promoted[1]);
    assert_true(rt_text_is(read.reasons[1], "it escapes"));
    assert_true(rt_text_is(read.image.kernels[0], "fused_0"));
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
    rt_buffer_free(&bytes);
}

/* Input that is truncated at any byte is refused. */
static void truncated_input_is_refused(void **state)
{
    (void)state;
    rt_fusion_request request = make_request();
    rt_buffer request_bytes = {0}, result_bytes = {0};
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    rt_fusion_request_write(&request_bytes, &request);
    make_result(&result_bytes);
    for (size_t size = 0; size < request_bytes.size; size++) {
        rt_reader reader = rt_reader_of((rt_bytes){(const uint8_t *)request_bytes.data, size});
        rt_fusion_request_read(&arena, &reader);
        assert_false(rt_reader_finished(&reader));
    }
    for (size_t size = 0; size < result_bytes.size; size++) {
        rt_fusion_result result;
        rt_bytes cut = {(const uint8_t *)result_bytes.data, size};
        rt_status status = rt_fusion_result_read(sink, &arena, cut, &result);
        assert_int_equal(status.code, RT_MALFORMED);
    }
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
    rt_buffer_free(&request_bytes);
    rt_buffer_free(&result_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_read_as_it_was_written),
        cmocka_unit_test(invalid_requests_are_refused),
        cmocka_unit_test(a_result_is_read_as_it_was_written),
        cmocka_unit_test(truncated_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
