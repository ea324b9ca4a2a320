/* Packs: what is written reads as the same, and a file that was cut, changed or made by somebody
 * else is refused with what is wrong. */
#include "conformance/archive/packed.h"

#include "reference/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

typedef struct fixture {
    rt_arena arena;
    rt_sink *sink;
    rt_buffer file;
} fixture;

static const uint8_t model_bytes[] = {1, 0, 2, 255};

/* A pack of two scenarios, the later path first. */
static void pack_make(fixture *made)
{
    static const cnf_packed_scenario scenarios[] = {
        {.path = {"linking/b.yaml", 14}, .source = {"assay: 1\n", 9}, .model = {model_bytes, 4}},
        {.path = {"linking/a.yaml", 14}, .source = {"", 0}, .model = {model_bytes, 1}},
    };
    const cnf_pack pack = {.about = RT_TEXT("formats: spirv\n"),
                           .expectations = {model_bytes, 2},
                           .scenarios = scenarios,
                           .count = 2};
    rt_status status = cnf_pack_write(made->sink, &made->file, &pack);
    assert_true(rt_ok(status));
}

static int set_up(void **state)
{
    fixture *made = rt_alloc(sizeof *made);
    made->sink = rt_sink_create();
    *state = made;
    return 0;
}

static int tear_down(void **state)
{
    fixture *made = *state;
    rt_buffer_free(&made->file);
    rt_sink_destroy(made->sink);
    rt_arena_reset(&made->arena);
    rt_free(made);
    return 0;
}

/* Reads the file and demands that it is refused with words that hold `part`. */
static void refused(fixture *made, rt_bytes file, const char *part)
{
    const cnf_pack *pack;
    rt_status status = cnf_pack_read(made->sink, &made->arena, file, &pack);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_null(pack);
    rt_text message = rt_sink_diagnostic(made->sink, status)->message;
    if (!memmem(message.data, message.length, part, strlen(part)))
        fail_msg("\"%.*s\" does not say \"%s\"", RT_TEXT_ARG(message), part);
}

/* The archive inside the frame, for tests that change it. */
static rt_bytes tar_of(fixture *made)
{
    size_t size = (size_t)ZSTD_getFrameContentSize(made->file.data, made->file.size);
    uint8_t *tar = rt_arena_alloc(&made->arena, size);
    assert_int_equal(ZSTD_decompress(tar, size, made->file.data, made->file.size), size);
    return (rt_bytes){tar, size};
}

static rt_bytes frame_of(fixture *made, rt_bytes tar)
{
    size_t bound = ZSTD_compressBound(tar.size);
    uint8_t *frame = rt_arena_alloc(&made->arena, bound);
    size_t size = ZSTD_compress(frame, bound, tar.data, tar.size, 1);
    assert_false(ZSTD_isError(size));
    return (rt_bytes){frame, size};
}

static void test_round_trip(void **state)
{
    fixture *made = *state;
    pack_make(made);
    const cnf_pack *pack;
    rt_status status = cnf_pack_read(made->sink, &made->arena, rt_buffer_bytes(&made->file), &pack);
    assert_true(rt_ok(status));
    assert_true(rt_text_is(pack->about, "formats: spirv\n"));
    assert_int_equal(pack->expectations.size, 2);
    assert_int_equal(pack->count, 2);
    assert_true(rt_text_is(pack->scenarios[0].path, "linking/a.yaml"));
    assert_true(rt_text_is(pack->scenarios[1].path, "linking/b.yaml"));
    assert_true(rt_text_is(pack->scenarios[1].source, "assay: 1\n"));
    assert_int_equal(pack->scenarios[1].model.size, 4);
    assert_memory_equal(pack->scenarios[1].model.data, model_bytes, 4);
    assert_int_equal(pack->scenarios[0].source.length, 0);
    assert_ptr_equal(pack->scenarios[0].pack, pack);
}

static void test_same_content_gives_same_bytes(void **state)
{
    fixture *made = *state;
    pack_make(made);
    size_t size = made->file.size;
    pack_make(made);
    assert_int_equal(made->file.size, 2 * size);
    assert_memory_equal(made->file.data, made->file.data + size, size);
}

/* The layout is that of POSIX: a name at 0, a size in octal at 124, "ustar" at 257, the content at
 * 512. */
static void test_it_is_a_tar_archive(void **state)
{
    fixture *made = *state;
    pack_make(made);
    rt_bytes tar = tar_of(made);
    assert_string_equal((const char *)tar.data, "MANIFEST");
    assert_string_equal((const char *)tar.data + 257, "ustar");
    assert_memory_equal(tar.data + 512, "assay pack 1\n", 13);
    /* Behind one block of manifest stands about.txt with 15 = 017 bytes. */
    assert_string_equal((const char *)tar.data + 1024, "about.txt");
    assert_string_equal((const char *)tar.data + 1024 + 124, "00000000017");
    assert_memory_equal(tar.data + 1536, "formats: spirv\n", 15);
    assert_int_equal(tar.size % 512, 0);
}

static void test_every_cut_is_refused(void **state)
{
    fixture *made = *state;
    pack_make(made);
    for (size_t size = 0; size < made->file.size; size++) {
        const cnf_pack *pack;
        const rt_bytes cut = {(const uint8_t *)made->file.data, size};
        rt_status status = cnf_pack_read(made->sink, &made->arena, cut, &pack);
        assert_int_equal(status.code, RT_MALFORMED);
    }
    refused(made, (rt_bytes){(const uint8_t *)made->file.data, made->file.size / 2}, "it is cut");
    refused(made, (rt_bytes){NULL, 0}, "not a pack");
}

/* A frame of Zstandard has a few bits that mean nothing; whatever is read all the same is what was
 * written. */
static void test_every_changed_byte_is_noticed(void **state)
{
    fixture *made = *state;
    pack_make(made);
    const size_t size = made->file.size;
    uint32_t meaningless = 0;
    const cnf_pack *whole;
    rt_buffer unchanged = {0};
    assert_true(
        rt_ok(cnf_pack_read(made->sink, &made->arena, rt_buffer_bytes(&made->file), &whole)));
    assert_true(rt_ok(cnf_pack_write(made->sink, &unchanged, whole)));
    for (size_t i = 0; i < size; i++) {
        made->file.data[i] ^= 0x10;
        const cnf_pack *pack;
        rt_status status = cnf_pack_read(made->sink, &made->arena,
                                         (rt_bytes){(uint8_t *)made->file.data, size}, &pack);
        made->file.data[i] ^= 0x10;
        if (!rt_ok(status)) continue;
        meaningless++;
        rt_buffer again = {0};
        assert_true(rt_ok(cnf_pack_write(made->sink, &again, pack)));
        assert_int_equal(again.size, unchanged.size);
        assert_memory_equal(again.data, unchanged.data, again.size);
        rt_buffer_free(&again);
    }
    rt_buffer_free(&unchanged);
    assert_true(meaningless < size / 20);
}

static void test_changed_content_is_named(void **state)
{
    fixture *made = *state;
    pack_make(made);
    rt_bytes tar = tar_of(made);
    uint8_t *source = memmem(tar.data, tar.size, "assay: 1\n", 9);
    assert_non_null(source);
    source[7] = '2';
    refused(made, frame_of(made, tar), "the content of scenarios/linking/b.yaml was changed");
}

static void test_other_version_is_named(void **state)
{
    fixture *made = *state;
    pack_make(made);
    rt_bytes tar = tar_of(made);
    ((uint8_t *)(uintptr_t)tar.data)[512 + 11] = '9';
    refused(made, frame_of(made, tar), "a pack of version 9, this assay reads version 1");
}

static void test_other_archives_are_refused(void **state)
{
    fixture *made = *state;
    pack_make(made);
    rt_bytes tar = tar_of(made);
    refused(made, frame_of(made, (rt_bytes){tar.data + 1024, tar.size - 1024}),
            "not a MANIFEST of assay");
    refused(made, frame_of(made, (rt_bytes){tar.data, tar.size - 1024}), "it has no end");
    refused(made, frame_of(made, (rt_bytes){tar.data + tar.size - 1024, 1024}), "it is empty");
    uint8_t *header = (uint8_t *)(uintptr_t)tar.data + 1024;
    header[0] = 'A';
    refused(made, frame_of(made, tar), "the sum of a member's header is wrong");
    header[0] = 'a';
    header[156] = '2'; /* a symbolic link */
    refused(made, frame_of(made, tar), "a member is not a plain file");
}

static void test_bytes_behind_the_end_are_refused(void **state)
{
    fixture *made = *state;
    pack_make(made);
    rt_buffer_append_byte(&made->file, 'x');
    refused(made, rt_buffer_bytes(&made->file), "something stands behind its end");
}

static void test_missing_model_is_refused(void **state)
{
    fixture *made = *state;
    static const cnf_member members[] = {
        {{"about.txt", 9}, {model_bytes, 1}},
        {{"expectations", 12}, {model_bytes, 1}},
        {{"scenarios/a.yaml", 16}, {model_bytes, 1}},
    };
    rt_status status = cnf_archive_write(made->sink, &made->file, &(cnf_archive){members, 3});
    assert_true(rt_ok(status));
    refused(made, rt_buffer_bytes(&made->file), "members are missing");
}

static void test_names_that_leave_the_folder_are_refused(void **state)
{
    fixture *made = *state;
    static const char *const names[] = {"../a", "a/../b", "/a", "a//b", "./a", "", "a/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const cnf_member member = {rt_text_of(names[i]), {model_bytes, 1}};
        rt_status status = cnf_archive_write(made->sink, &made->file, &(cnf_archive){&member, 1});
        assert_int_equal(status.code, RT_LIMIT);
        assert_int_equal(made->file.size, 0);
    }
    char name[102];
    memset(name, 'a', sizeof name);
    const cnf_member longest = {{name, 100}, {model_bytes, 1}},
                     longer = {{name, 101}, {model_bytes, 1}};
    rt_status status = cnf_archive_write(made->sink, &made->file, &(cnf_archive){&longer, 1});
    assert_int_equal(status.code, RT_LIMIT);
    status = cnf_archive_write(made->sink, &made->file, &(cnf_archive){&longest, 1});
    assert_true(rt_ok(status));
    cnf_archive archive;
    status = cnf_archive_read(made->sink, &made->arena, rt_buffer_bytes(&made->file), &archive);
    assert_true(rt_ok(status));
    assert_int_equal(archive.members[0].name.length, 100);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_round_trip),
        TEST(test_same_content_gives_same_bytes),
        TEST(test_it_is_a_tar_archive),
        TEST(test_every_cut_is_refused),
        TEST(test_every_changed_byte_is_noticed),
        TEST(test_changed_content_is_named),
        TEST(test_other_version_is_named),
        TEST(test_other_archives_are_refused),
        TEST(test_bytes_behind_the_end_are_refused),
        TEST(test_missing_model_is_refused),
        TEST(test_names_that_leave_the_folder_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
