/* Unit tests of packs: round trips, and that no damage does more than make a status. */
#include "conformance/scenario/pack.h"
#include "conformance/scenario/test/print.h"
#include "conformance/scenario/test/sample.h"
#include "reference/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const rt_property property = {.name = {"f", 1}, .type = RT_PROPERTY_UINT32, .number = 1};
static const rt_property_set set = {{RT_SET_IMPORTED_SYMBOLS, 21}, &property, 1};
static const rt_text kernel = {"k", 1};

/* The sample, read, and with an image in its first module as a compiled scenario has. */
static const scn_scenario *sample_read(rt_arena *arena)
{
    scn_problems problems;
    const scn_scenario *read = scn_read(arena, scn_sample(), RT_TEXT("sample.yaml"),
                                        RT_TEXT("tests/sample.yaml"), &problems);
    assert_int_equal(problems.count, 0);
    assert_non_null(read);
    scn_scenario *compiled = rt_arena_alloc(arena, sizeof *compiled);
    scn_module *modules = rt_arena_alloc_array(arena, read->module_count, sizeof *modules);
    rt_image *image = rt_arena_alloc(arena, sizeof *image);
    *compiled = *read;
    memcpy(modules, read->modules, read->module_count * sizeof *modules);
    *image = (rt_image){.name = RT_TEXT("app/0"),
                        .kernels = &kernel,
                        .kernel_count = 1,
                        .sets = &set,
                        .set_count = 1,
                        .code = {(const uint8_t *)"code", 4}};
    rt_image_hash(image);
    modules[0].images = (rt_image_list){image, 1};
    compiled->modules = modules;
    return compiled;
}

static rt_buffer sample_pack(void)
{
    rt_arena arena = {0};
    rt_buffer pack = {0};
    scn_pack_write(&pack, sample_read(&arena));
    rt_arena_reset(&arena);
    return pack;
}

static void a_pack_gives_the_same_scenario(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    rt_buffer pack = {0}, again = {0}, before = {0}, after = {0};
    const scn_scenario *scenario = sample_read(&arena), *unpacked;
    scn_pack_write(&pack, scenario);
    assert_true(rt_ok(scn_pack_read(sink, &arena, rt_buffer_bytes(&pack), &unpacked)));
    scn_print(&before, scenario);
    scn_print(&after, unpacked);
    assert_string_equal(rt_buffer_string(&before), rt_buffer_string(&after));
    scn_pack_write(&again, unpacked);
    assert_int_equal(pack.size, again.size);
    assert_memory_equal(pack.data, again.data, pack.size);
    rt_buffer_free(&pack);
    rt_buffer_free(&again);
    rt_buffer_free(&before);
    rt_buffer_free(&after);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

/* Reads bytes from a block of exactly their size, so that sanitizers see a read past the end. */
static rt_code code_of(const char *data, size_t size)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    uint8_t *block = rt_alloc(size);
    memcpy(block, data, size);
    const scn_scenario *scenario;
    rt_status status = scn_pack_read(sink, &arena, (rt_bytes){block, size}, &scenario);
    assert_true(rt_ok(status) == (scenario != NULL));
    if (scenario) {
        rt_buffer text = {0};
        scn_print(&text, scenario); /* touches everything, follows every index */
        rt_buffer_free(&text);
    }
    rt_code code = (rt_code)status.code;
    rt_free(block);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
    return code;
}

static void every_truncation_is_malformed(void **state)
{
    (void)state;
    rt_buffer pack = sample_pack();
    assert_int_equal(code_of(pack.data, pack.size), RT_OK);
    for (size_t size = 0; size < pack.size; size++)
        assert_int_equal(code_of(pack.data, size), RT_MALFORMED);
    rt_buffer_append_byte(&pack, 0);
    assert_int_equal(code_of(pack.data, pack.size), RT_MALFORMED);
    rt_buffer_free(&pack);
}

static void every_bit_flip_is_survived(void **state)
{
    (void)state;
    rt_buffer pack = sample_pack();
    size_t refused = 0;
    for (size_t bit = 0; bit < 8 * pack.size; bit++) {
        pack.data[bit / 8] = (char)(pack.data[bit / 8] ^ 1 << bit % 8);
        refused += code_of(pack.data, pack.size) != RT_OK;
        pack.data[bit / 8] = (char)(pack.data[bit / 8] ^ 1 << bit % 8);
    }
    /* Flips in texts and values go unnoticed; those in counts, indices and enumerators do not. */
    assert_true(refused > pack.size);
    rt_buffer_free(&pack);
}

static void a_foreign_file_and_another_version_are_told_apart(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    rt_buffer pack = sample_pack();
    const scn_scenario *scenario;
    pack.data[4]++;
    rt_status status = scn_pack_read(sink, &arena, rt_buffer_bytes(&pack), &scenario);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_non_null(strstr(rt_sink_diagnostic(sink, status)->message.data, "version 2"));
    rt_bytes foreign = {(const uint8_t *)scn_sample().data, scn_sample().length};
    status = scn_pack_read(sink, &arena, foreign, &scenario);
    assert_non_null(strstr(rt_sink_diagnostic(sink, status)->message.data, "not a packed"));
    assert_null(scenario);
    rt_buffer_free(&pack);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pack_gives_the_same_scenario),
        cmocka_unit_test(every_truncation_is_malformed),
        cmocka_unit_test(every_bit_flip_is_survived),
        cmocka_unit_test(a_foreign_file_and_another_version_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
