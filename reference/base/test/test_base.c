/* Unit tests of base: spans, buffers, arenas, maps, streams, statuses. */
#include "reference/base/arena.h"
#include "reference/base/choose.h"
#include "reference/base/format.h"
#include "reference/base/hash.h"
#include "reference/base/lines.h"
#include "reference/base/map.h"
#include "reference/base/profile.h"
#include "reference/base/status.h"
#include "reference/base/stream.h"
#include "reference/base/vector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void text_order_puts_prefixes_first(void **state)
{
    (void)state;
    assert_true(rt_text_compare(RT_TEXT("ab"), RT_TEXT("abc")) < 0);
    assert_true(rt_text_compare(RT_TEXT("b"), RT_TEXT("abc")) > 0);
    assert_int_equal(rt_text_compare(RT_TEXT("x"), RT_TEXT("x")), 0);
    assert_true(rt_text_starts(RT_TEXT("libtwice"), "lib"));
    assert_false(rt_text_starts(RT_TEXT("li"), "lib"));
}

/* The euro sign has three bytes, the musical clef four; the byte "\x80" continues no character. */
static void texts_are_cut_between_characters(void **state)
{
    (void)state;
    const struct {
        rt_text text;
        size_t size_max, length;
    } rows[] = {
        {{"", 0}, 0, 0},
        {{"abc", 3}, 3, 3},
        {{"abc", 3}, 2, 2},
        {{"abc", 3}, 0, 0},
        {{"a\xE2\x82\xAC", 4}, 4, 4},
        {{"a\xE2\x82\xAC", 4}, 3, 1},
        {{"a\xE2\x82\xAC", 4}, 2, 1},
        {{"\xE2\x82\xAC", 3}, 2, 0},
        {{"a\xF0\x9D\x84\x9E", 5}, 4, 1},
        {{"a\x80\x80\x80\x80\x80", 6}, 5, 5},
        {{"\x80\x80\x80", 3}, 2, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(rt_text_cut(rows[i].text, rows[i].size_max).length, rows[i].length);
}

static void buffer_grows_and_stays_terminated(void **state)
{
    (void)state;
    rt_buffer buffer = {0};
    assert_string_equal(rt_buffer_string(&buffer), "");
    for (int i = 0; i < 1000; i++)
        rt_buffer_printf(&buffer, "%d,", i % 10);
    assert_int_equal(buffer.size, 2000);
    assert_int_equal(strlen(rt_buffer_string(&buffer)), 2000);
    rt_buffer_free(&buffer);
    assert_null(buffer.data);
}

static void buffer_shows_and_drops_bytes(void **state)
{
    (void)state;
    rt_buffer buffer = {0};
    rt_buffer_truncate(&buffer, 0);
    rt_buffer_append_escaped(&buffer, (rt_text){"a ~\0\n\x7F\xFF", 7});
    assert_string_equal(rt_buffer_string(&buffer), "a ~\\x00\\x0a\\x7f\\xff");
    rt_buffer_truncate(&buffer, 2);
    assert_string_equal(rt_buffer_string(&buffer), "a ");
    rt_buffer_append_text(&buffer, RT_TEXT("b"));
    assert_string_equal(rt_buffer_string(&buffer), "a b");
    rt_buffer_free(&buffer);
}

static void arena_gives_aligned_zeroed_objects(void **state)
{
    (void)state;
    rt_arena arena = {0};
    for (size_t size = 0; size < 300; size++) {
        uint8_t *object = rt_arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)object % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(object[i], 0);
        memset(object, 0xAB, size);
    }
    uint8_t *large = rt_arena_alloc(&arena, 1 << 20);
    assert_int_equal(large[(1 << 20) - 1], 0);
    assert_string_equal(rt_arena_printf(&arena, "%s/%d", "app", 3).data, "app/3");
    rt_arena_reset(&arena);
    assert_int_equal(arena.total, 0);
}

static void arena_copies_objects(void **state)
{
    (void)state;
    rt_arena arena = {0};
    static const uint32_t numbers[] = {1, 2, 3};
    uint32_t *copy = rt_arena_copy(&arena, numbers, 3, sizeof *numbers);
    assert_ptr_not_equal(copy, numbers);
    assert_memory_equal(copy, numbers, sizeof numbers);
    assert_non_null(rt_arena_copy(&arena, NULL, 0, sizeof *numbers));
    rt_arena_reset(&arena);
}

/* Offsets and sizes of a damaged file may wrap around when they are added. */
static void slices_lie_inside(void **state)
{
    (void)state;
    static const uint8_t data[4] = {10, 11, 12, 13};
    static const struct {
        uint64_t offset, size;
        bool is_inside;
    } rows[] = {
        {0, 4, true},
        {1, 3, true},
        {4, 0, true},
        {0, 0, true},
        {0, 5, false},
        {4, 1, false},
        {5, 0, false},
        {3, UINT64_MAX, false},
        {UINT64_MAX, 0, false},
        {UINT64_MAX, 1, false},
        {UINT64_MAX - 1, 4, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_bytes part = {data, 1};
        bool is_inside = rt_bytes_slice((rt_bytes){data, 4}, rows[i].offset, rows[i].size, &part);
        assert_int_equal(is_inside, rows[i].is_inside);
        assert_int_equal(part.size, is_inside ? rows[i].size : 0);
        if (is_inside) assert_ptr_equal(part.data, data + rows[i].offset);
    }
    rt_bytes part;
    assert_true(rt_bytes_slice((rt_bytes){0}, 0, 0, &part));
    assert_false(rt_bytes_slice((rt_bytes){0}, 0, 1, &part));
}

static void map_finds_what_was_set_and_not_removed(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_map map = {0};
    enum { KEYS = 500 };
    rt_text keys[KEYS];
    for (uint32_t i = 0; i < KEYS; i++) {
        keys[i] = rt_arena_printf(&arena, "symbol%u", i);
        rt_map_set(&map, keys[i], i);
    }
    for (uint32_t i = 0; i < KEYS; i += 2)
        assert_true(rt_map_remove(&map, keys[i]));
    assert_false(rt_map_remove(&map, keys[0]));
    assert_int_equal(map.count, KEYS / 2);
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_int_equal(rt_map_find(&map, keys[i]), i % 2 ? i : RT_MAP_NONE);
    }
    /* Setting and removing the same key again and again must not fill the table. */
    for (uint32_t i = 0; i < 10000; i++) {
        rt_map_set(&map, keys[0], i);
        assert_true(rt_map_remove(&map, keys[0]));
    }
    assert_true(map.slot_count <= 8192);
    rt_map_free(&map);

    rt_map_set_number(&map, 0, 10);
    rt_map_set_number(&map, UINT64_MAX, 11);
    assert_int_equal(rt_map_find_number(&map, 0), 10);
    assert_int_equal(rt_map_find_number(&map, UINT64_MAX), 11);
    assert_int_equal(rt_map_find_number(&map, 1), RT_MAP_NONE);
    rt_map_free(&map);
    rt_arena_reset(&arena);
}

static void stream_reads_what_was_written(void **state)
{
    (void)state;
    rt_buffer out = {0};
    rt_write_u8(&out, 200);
    rt_write_u32(&out, 0x12345678);
    rt_write_u64(&out, UINT64_C(0xFEDCBA9876543210));
    rt_write_text(&out, RT_TEXT("plugin"));
    rt_reader reader = rt_reader_of(rt_buffer_bytes(&out));
    assert_int_equal(rt_read_u8(&reader), 200);
    assert_int_equal(rt_read_u32(&reader), 0x12345678);
    assert_int_equal(rt_read_u64(&reader), UINT64_C(0xFEDCBA9876543210));
    assert_true(rt_text_is(rt_read_text(&reader), "plugin"));
    assert_true(rt_reader_finished(&reader));
    rt_buffer_free(&out);
}

static void stream_refuses_every_truncation(void **state)
{
    (void)state;
    rt_buffer out = {0};
    rt_write_u32(&out, 2);
    rt_write_text(&out, RT_TEXT("ab"));
    rt_write_text(&out, RT_TEXT(""));
    for (size_t size = 0; size <= out.size; size++) {
        rt_reader reader = rt_reader_of((rt_bytes){(const uint8_t *)out.data, size});
        uint32_t count = rt_read_count(&reader, 8);
        for (uint32_t i = 0; i < count; i++)
            rt_read_text(&reader);
        assert_int_equal(rt_reader_finished(&reader), size == out.size);
    }
    /* A length near 2^64 must not wrap around. */
    rt_buffer_free(&out);
    rt_write_u64(&out, UINT64_MAX - 3);
    rt_reader reader = rt_reader_of(rt_buffer_bytes(&out));
    rt_read_text(&reader);
    assert_true(reader.failed);
    rt_buffer_free(&out);
}

static void status_keeps_its_diagnostic(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_text names[] = {RT_TEXT("f"), RT_TEXT("g")};
    rt_status status =
        rt_fail_naming(sink, RT_ERRC_BUILD, RT_RULE_DL_RESOLVE_09, names, 2, "%u symbols", 2u);
    assert_false(rt_ok(status));
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(sink, status);
    assert_string_equal(diagnostic->message.data, "2 symbols");
    assert_string_equal(rt_rule_name(diagnostic->rule), "DL-RESOLVE-09");
    assert_int_equal(diagnostic->name_count, 2);
    assert_true(rt_text_is(diagnostic->names[1], "g"));
    rt_sink_destroy(sink);
}

static void code_classes_match_what_an_application_sees(void **state)
{
    (void)state;
    assert_true(rt_code_matches(RT_ERRC_BUILD, RT_TEXT("exception")));
    assert_true(rt_code_matches(RT_LINK_ERROR, RT_TEXT("exception")));
    assert_true(rt_code_matches(RT_LINK_ERROR, RT_TEXT("link-error")));
    assert_true(rt_code_matches(RT_LINK_ERROR, RT_TEXT("errc::build")));
    assert_false(rt_code_matches(RT_ERRC_BUILD, RT_TEXT("link-error")));
    assert_true(rt_code_matches(RT_BUDGET, RT_TEXT("errc::runtime")));
    assert_true(rt_code_matches(RT_BUDGET, RT_TEXT("exception")));
    assert_false(rt_code_matches(RT_POSTLINK_ERROR, RT_TEXT("exception")));
    assert_int_equal(rt_code_find(RT_TEXT("errc::nd_range")), RT_ERRC_ND_RANGE);
    assert_int_equal(rt_code_find(RT_TEXT("errc::nothing")), RT_CODE_COUNT);
}

static void rules_are_found_by_name(void **state)
{
    (void)state;
    assert_int_equal(rt_rule_find(RT_TEXT("DL-RESOLVE-09")), RT_RULE_DL_RESOLVE_09);
    assert_int_equal(rt_rule_find(RT_TEXT("DL-RESOLVE-9")), RT_RULE_NONE);
    assert_int_equal(rt_rule_find(RT_TEXT("")), RT_RULE_NONE);
}

static void formats_have_the_documents_strings(void **state)
{
    (void)state;
    assert_string_equal(rt_format_link_extension(RT_FORMAT_SPIRV64), "pi_ext_spirv64_linking");
    assert_int_equal(rt_format_find(RT_TEXT("spirv64_gen")), RT_FORMAT_SPIRV64_GEN);
    assert_string_equal(rt_format_link_extension(RT_FORMAT_NATIVE), "assay_ext_native_linking");
    assert_int_equal(rt_format_find(RT_TEXT("native")), RT_FORMAT_NATIVE);
    assert_int_equal(rt_format_find(RT_TEXT("ptx")), RT_FORMAT_PTX);
    assert_string_equal(rt_format_target(RT_FORMAT_PTX), "nvptx64");
    assert_string_equal(rt_format_link_extension(RT_FORMAT_PTX), "pi_ext_nvptx64_linking");
    assert_false(rt_format_is_native(RT_FORMAT_PTX));
    assert_true(rt_format_is_native(RT_FORMAT_SPIRV64_GEN));
    assert_string_equal(rt_format_target(RT_FORMAT_AMDGCN), "amdgcn");
    assert_true(rt_format_is_native(RT_FORMAT_AMDGCN));
    assert_int_equal(rt_format_find(RT_TEXT("dxil")), RT_FORMAT_COUNT);
}

static void hash_is_the_same_on_every_machine(void **state)
{
    (void)state;
    assert_string_equal(rt_hash_print(rt_hash128("", 0)).digits,
                        "99aa06d3014798d86001c324468d497f");
    assert_int_not_equal(rt_hash64("a", 1), rt_hash64("b", 1));
    /* The first number of SplitMix64's sequence from state 0, as its authors publish it. */
    assert_true(rt_mix64(RT_MIX_STEP) == UINT64_C(0xE220A8397B1DCDAF));
}

static void choices_follow_the_script_then_the_seed(void **state)
{
    (void)state;
    const uint32_t script[] = {1, 9, 2};
    rt_chooser chooser;
    rt_chooser_init(&chooser, 0, script, 3);
    assert_int_equal(rt_choose(&chooser, RT_RULE_DL_RESOLVE_05, 2), 1);
    assert_int_equal(rt_choose(&chooser, RT_RULE_DL_RESOLVE_05, 1),
                     0); /* does not consume a script entry */
    assert_int_equal(rt_choose(&chooser, RT_RULE_DL_RESOLVE_05, 4), 3); /* 9 is too large */
    assert_int_equal(rt_choose(&chooser, RT_RULE_DL_PRELOAD_03, 3), 2);
    assert_int_equal(rt_choose(&chooser, RT_RULE_DL_RESOLVE_05, 5), 0); /* seed 0 */
    static const rt_choice expected[] = {{RT_RULE_DL_RESOLVE_05, 2, 1},
                                         {RT_RULE_DL_RESOLVE_05, 4, 3},
                                         {RT_RULE_DL_PRELOAD_03, 3, 2},
                                         {RT_RULE_DL_RESOLVE_05, 5, 0}};
    assert_int_equal(chooser.choices.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(chooser.choices.items[i].rule, expected[i].rule);
        assert_int_equal(chooser.choices.items[i].alternative_count, expected[i].alternative_count);
        assert_int_equal(chooser.choices.items[i].alternative, expected[i].alternative);
    }
    rt_chooser_free(&chooser);
}

static void the_choices_of_a_run_replay_as_a_script(void **state)
{
    (void)state;
    rt_chooser first;
    rt_chooser_init(&first, 7, NULL, 0);
    for (uint32_t i = 0; i < 50; i++)
        rt_choose(&first, RT_RULE_DL_RESOLVE_05, 1 + i % 5);
    assert_int_equal(first.choices.count, 40);
    uint32_t script[40];
    bool not_only_the_first = false;
    for (uint32_t i = 0; i < 40; i++) {
        script[i] = first.choices.items[i].alternative;
        not_only_the_first = not_only_the_first || script[i] > 0;
    }
    assert_true(not_only_the_first);
    rt_chooser second;
    rt_chooser_init(&second, 8, script, 40);
    for (uint32_t i = 0; i < 50; i++)
        rt_choose(&second, RT_RULE_DL_RESOLVE_05, 1 + i % 5);
    assert_memory_equal(first.choices.items, second.choices.items, 40 * sizeof(rt_choice));
    rt_chooser_free(&first);
    rt_chooser_free(&second);
}

static void profiles_are_found_by_name(void **state)
{
    (void)state;
    assert_int_equal(rt_profile_find(RT_TEXT("documents")), RT_PROFILE_DOCUMENTS);
    assert_int_equal(rt_profile_find(RT_TEXT("dpcpp")), RT_PROFILE_DPCPP);
    assert_int_equal(rt_profile_find(RT_TEXT("DPCPP")), RT_PROFILE_COUNT);
    assert_string_equal(rt_profile_name(RT_PROFILE_DPCPP), "dpcpp");
}

static void lines_at_the_end(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t count;
        const char *expected;
    } rows[] = {{"", 1, ""},
                {"\n\n", 1, ""},
                {"one", 1, "one"},
                {"one\ntwo\n", 1, "two"},
                {"a\nb\nc\n\n", 2, "b\nc"},
                {"a\nb", 5, "a\nb"},
                {"\na\nb", 2, "a\nb"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_text last = rt_lines_last(rt_text_of(rows[i].text), rows[i].count);
        assert_true(rt_text_is(last, rows[i].expected));
    }
    assert_true(rt_text_is(rt_lines_trim(RT_TEXT("\na\n\n")), "\na"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_at_the_end),
        cmocka_unit_test(text_order_puts_prefixes_first),
        cmocka_unit_test(texts_are_cut_between_characters),
        cmocka_unit_test(buffer_grows_and_stays_terminated),
        cmocka_unit_test(buffer_shows_and_drops_bytes),
        cmocka_unit_test(arena_gives_aligned_zeroed_objects),
        cmocka_unit_test(arena_copies_objects),
        cmocka_unit_test(slices_lie_inside),
        cmocka_unit_test(map_finds_what_was_set_and_not_removed),
        cmocka_unit_test(stream_reads_what_was_written),
        cmocka_unit_test(stream_refuses_every_truncation),
        cmocka_unit_test(status_keeps_its_diagnostic),
        cmocka_unit_test(code_classes_match_what_an_application_sees),
        cmocka_unit_test(rules_are_found_by_name),
        cmocka_unit_test(formats_have_the_documents_strings),
        cmocka_unit_test(hash_is_the_same_on_every_machine),
        cmocka_unit_test(choices_follow_the_script_then_the_seed),
        cmocka_unit_test(the_choices_of_a_run_replay_as_a_script),
        cmocka_unit_test(profiles_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
