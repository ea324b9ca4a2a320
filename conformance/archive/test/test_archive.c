/* Tests of packs: a written pack reads back unchanged, and a file that has been truncated, modified
 * or written by another program is rejected with a message that names the problem. */
#include "conformance/archive/packed.h"

#include "reference/base/alloc.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    rt_arena arena;
    rt_sink *sink;
    rt_buffer file;
} fixture;

static const uint8_t model_bytes[] = {1, 0, 2, 255};

/* Makes a pack of two scenarios, with the later path first. */
static void pack_make(fixture *f)
{
    static const cnf_packed_scenario scenarios[] = {
        {.path = {"linking/b.yaml", 14}, .source = {"assay: 1\n", 9}, .model = {model_bytes, 4}},
        {.path = {"linking/a.yaml", 14}, .source = {"", 0}, .model = {model_bytes, 1}},
    };
    const cnf_pack pack = {.about = RT_TEXT("formats: spirv\n"),
                           .expectations = {model_bytes, 2},
                           .scenarios = scenarios,
                           .count = 2};
    rt_status status = cnf_pack_write(f->sink, &f->file, &pack);
    assert_true(rt_ok(status));
}

static int set_up(void **state)
{
    fixture *f = rt_alloc(sizeof *f);
    f->sink = rt_sink_create();
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    rt_buffer_free(&f->file);
    rt_sink_destroy(f->sink);
    rt_arena_reset(&f->arena);
    rt_free(f);
    return 0;
}

/* Checks that reading the file fails with a message that contains `part`. */
static void refused(fixture *f, rt_bytes file, const char *part)
{
    const cnf_pack *pack;
    rt_status status = cnf_pack_read(f->sink, &f->arena, file, &pack);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_null(pack);
    rt_text message = rt_sink_diagnostic(f->sink, status)->message;
    if (!memmem(message.data, message.length, part, strlen(part)))
        fail_msg("\"%.*s\" does not say \"%s\"", RT_TEXT_ARG(message), part);
}

/* The pack file after SQLite has run the statements on it. The fixture's arena owns it. */
static rt_bytes altered(fixture *f, const char *sql)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
    unsigned char *copy = sqlite3_malloc64(f->file.size);
    memcpy(copy, f->file.data, f->file.size);
    const sqlite3_int64 size = (sqlite3_int64)f->file.size;
    int code = sqlite3_deserialize(database, "main", copy, size, size,
                                   SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    assert_int_equal(code, SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(database));
    sqlite3_int64 written = 0;
    unsigned char *file = sqlite3_serialize(database, "main", &written, 0);
    assert_non_null(file);
    rt_bytes original = rt_arena_bytes(&f->arena, (rt_bytes){file, (size_t)written});
    sqlite3_free(file);
    sqlite3_close(database);
    return original;
}

/* The pack file with one byte replaced. */
static rt_bytes patched(fixture *f, size_t at, uint8_t byte)
{
    rt_bytes file = rt_arena_bytes(&f->arena, rt_buffer_bytes(&f->file));
    ((uint8_t *)(uintptr_t)file.data)[at] = byte;
    return file;
}

static void test_round_trip(void **state)
{
    fixture *f = *state;
    pack_make(f);
    const cnf_pack *pack;
    rt_status status = cnf_pack_read(f->sink, &f->arena, rt_buffer_bytes(&f->file), &pack);
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
    fixture *f = *state;
    pack_make(f);
    size_t size = f->file.size;
    pack_make(f);
    assert_int_equal(f->file.size, 2 * size);
    assert_memory_equal(f->file.data, f->file.data + size, size);
}

/* The format that sqlite.org describes: the application id at 68, the version at 60, 4096-byte
 * pages at 16, and a table sqlar whose data has the length given in sz, or is compressed. */
static void test_it_is_an_sqlite_archive(void **state)
{
    fixture *f = *state;
    pack_make(f);
    assert_memory_equal(f->file.data, "SQLite format 3\0\x10\0", 18);
    assert_memory_equal(f->file.data + 60, "\0\0\0\2", 4);
    assert_memory_equal(f->file.data + 68, "aspa", 4);
    /* The CHECK constraint makes an insertion fail if the selected value is false. */
    (void)altered(
        f, "CREATE TEMP TABLE ok (c CHECK (c));"
           "INSERT INTO ok SELECT group_concat(name, ' ') = 'MANIFEST about.txt "
           "expectations scenarios/linking/b.yaml models/linking/b.yaml "
           "scenarios/linking/a.yaml models/linking/a.yaml' FROM (SELECT name FROM sqlar ORDER BY "
           "rowid);"
           "INSERT INTO ok SELECT mode = 33188 AND mtime = 0 FROM sqlar;"
           "INSERT INTO ok SELECT sz = 15 AND data = CAST('formats: spirv' || "
           "char(10) AS BLOB) FROM sqlar WHERE name = 'about.txt'");
}

static void test_every_truncation_is_refused(void **state)
{
    fixture *f = *state;
    pack_make(f);
    for (size_t size = 0; size < f->file.size; size++) {
        const cnf_pack *pack;
        const rt_bytes cut = {(const uint8_t *)f->file.data, size};
        rt_status status = cnf_pack_read(f->sink, &f->arena, cut, &pack);
        assert_int_equal(status.code, RT_MALFORMED);
    }
    refused(f, (rt_bytes){(const uint8_t *)f->file.data, f->file.size / 2}, "it is truncated");
    refused(f, (rt_bytes){NULL, 0}, "not a pack");
}

/* Some bytes of a database page are unused; if a changed file is still read, its contents must be
 * the original ones. */
static void test_a_changed_byte_never_changes_content(void **state)
{
    fixture *f = *state;
    pack_make(f);
    const size_t size = f->file.size;
    uint32_t refused_count = 0;
    const cnf_pack *full;
    rt_buffer unchanged = {0};
    assert_true(rt_ok(cnf_pack_read(f->sink, &f->arena, rt_buffer_bytes(&f->file), &full)));
    assert_true(rt_ok(cnf_pack_write(f->sink, &unchanged, full)));
    for (size_t i = 0; i < size; i += 5) {
        f->file.data[i] ^= 0x10;
        const cnf_pack *pack;
        rt_status status =
            cnf_pack_read(f->sink, &f->arena, (rt_bytes){(uint8_t *)f->file.data, size}, &pack);
        f->file.data[i] ^= 0x10;
        if (!rt_ok(status)) {
            refused_count++;
            continue;
        }
        rt_buffer second = {0};
        assert_true(rt_ok(cnf_pack_write(f->sink, &second, pack)));
        assert_int_equal(second.size, unchanged.size);
        assert_memory_equal(second.data, unchanged.data, second.size);
        rt_buffer_free(&second);
    }
    rt_buffer_free(&unchanged);
    assert_true(refused_count > 100);
}

static void test_changed_content_is_named(void **state)
{
    fixture *f = *state;
    pack_make(f);
    refused(f,
            altered(f, "UPDATE sqlar SET data = x'617373617920320a', sz = 8"
                       " WHERE name = 'scenarios/linking/b.yaml'"),
            "the contents of scenarios/linking/b.yaml are corrupt");
}

/* 15 bytes of text are not a zlib stream that expands to 20 bytes, and no 15 bytes can expand to a
 * million. */
static void test_content_that_does_not_inflate_is_refused(void **state)
{
    fixture *f = *state;
    pack_make(f);
    refused(f, altered(f, "UPDATE sqlar SET sz = 20 WHERE name = 'about.txt'"),
            "the contents of about.txt are corrupt");
    refused(f, altered(f, "UPDATE sqlar SET sz = 1000000 WHERE name = 'about.txt'"),
            "records an impossible size");
    refused(f, altered(f, "UPDATE sqlar SET sz = 3 WHERE name = 'about.txt'"),
            "records an impossible size");
    refused(f, altered(f, "UPDATE sqlar SET sz = -1 WHERE name = 'about.txt'"),
            "records an impossible size");
}

static void test_other_versions_are_named(void **state)
{
    fixture *f = *state;
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0};
    pack_make(f);
    refused(f, patched(f, 63, 9),
            "a pack of version 9, but this assay reads version 2; pack the scenarios again");
    refused(f, (rt_bytes){frame, sizeof frame}, "a pack of version 1, but");
}

static void test_other_databases_are_refused(void **state)
{
    fixture *f = *state;
    pack_make(f);
    refused(f, patched(f, 71, 'b'), "not a pack: a database of another application");
    refused(f, patched(f, 19, 2), "its header is not that of a pack"); /* write-ahead log */
    refused(f, patched(f, 16, 8), "its header is not that of a pack"); /* pages of 2048 */
    refused(f, patched(f, 100, 0), "malformed"); /* page 1 no longer belongs to a table */
    rt_buffer_append_byte(&f->file, 'x');
    refused(f, rt_buffer_bytes(&f->file), "something follows its end");
}

/* Databases with other schema objects, and rows that the writer does not produce. */
static const struct hostile_row {
    const char *sql, *part;
} hostile_rows[] = {
    {"CREATE VIEW v AS SELECT 1", "something other than the table of an archive"},
    {"CREATE TRIGGER t AFTER INSERT ON sqlar BEGIN SELECT 1; END", "something other"},
    {"CREATE TABLE other (a)", "something other"},
    {"CREATE INDEX i ON sqlar (sz)", "something other"},
    {"DROP TABLE sqlar; CREATE VIEW sqlar AS SELECT 1 AS name", "something other"},
    {"DROP TABLE sqlar; CREATE TABLE sqlar (name TEXT PRIMARY KEY, mode, mtime, sz, data)",
     "something other"},
    {"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE sqlar (' WHERE "
     "type = 'table'",
     "malformed"},
    {"DELETE FROM sqlar", "its first member is not the MANIFEST"},
    {"DELETE FROM sqlar WHERE rowid = 1", "not in order"},
    {"DELETE FROM sqlar WHERE rowid = 7", "members that its MANIFEST lists are missing"},
    {"INSERT INTO sqlar VALUES ('more', 33188, 0, 1, x'00')",
     "not the ones that its MANIFEST lists"},
    {"UPDATE sqlar SET rowid = 100 WHERE rowid = 3", "not in order"},
    {"UPDATE sqlar SET name = '../b' WHERE rowid = 3", "invalid name"},
    {"UPDATE sqlar SET name = x'61' WHERE rowid = 3", "not a plain file"},
    {"UPDATE sqlar SET name = NULL WHERE rowid = 3", "not a plain file"},
    {"UPDATE sqlar SET mode = 41471 WHERE rowid = 3", "not a plain file"}, /* a symbolic link */
    {"UPDATE sqlar SET sz = 'x' WHERE rowid = 3", "not a plain file"},
    {"UPDATE sqlar SET data = 'text' WHERE rowid = 3", "not a plain file"},
};

static void test_hostile_databases_are_refused(void **state)
{
    fixture *f = *state;
    pack_make(f);
    for (size_t i = 0; i < sizeof hostile_rows / sizeof *hostile_rows; i++)
        refused(f, altered(f, hostile_rows[i].sql), hostile_rows[i].part);
}

static void test_a_member_cannot_occur_twice(void **state)
{
    fixture *f = *state;
    static const cnf_member members[] = {{{"a", 1}, {model_bytes, 1}},
                                         {{"a", 1}, {model_bytes, 1}}};
    rt_status status = cnf_archive_write(f->sink, &f->file, &(cnf_archive){members, 2});
    assert_int_equal(status.code, RT_LIMIT);
    assert_int_equal(f->file.size, 0);
}

static void test_missing_model_is_refused(void **state)
{
    fixture *f = *state;
    static const cnf_member members[] = {
        {{"about.txt", 9}, {model_bytes, 1}},
        {{"expectations", 12}, {model_bytes, 1}},
        {{"scenarios/a.yaml", 16}, {model_bytes, 1}},
    };
    rt_status status = cnf_archive_write(f->sink, &f->file, &(cnf_archive){members, 3});
    assert_true(rt_ok(status));
    refused(f, rt_buffer_bytes(&f->file), "members are missing");
}

static void test_names_that_leave_the_folder_are_refused(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"../a", "a/../b", "/a", "a//b", "./a", "", "a/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const cnf_member member = {rt_text_of(names[i]), {model_bytes, 1}};
        rt_status status = cnf_archive_write(f->sink, &f->file, &(cnf_archive){&member, 1});
        assert_int_equal(status.code, RT_LIMIT);
        assert_int_equal(f->file.size, 0);
    }
    char name[102];
    memset(name, 'a', sizeof name);
    const cnf_member longest = {{name, 100}, {model_bytes, 1}},
                     longer = {{name, 101}, {model_bytes, 1}};
    rt_status status = cnf_archive_write(f->sink, &f->file, &(cnf_archive){&longer, 1});
    assert_int_equal(status.code, RT_LIMIT);
    status = cnf_archive_write(f->sink, &f->file, &(cnf_archive){&longest, 1});
    assert_true(rt_ok(status));
    cnf_archive archive;
    status = cnf_archive_read(f->sink, &f->arena, rt_buffer_bytes(&f->file), &archive);
    assert_true(rt_ok(status));
    assert_int_equal(archive.members[0].name.length, 100);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_round_trip),
        TEST(test_same_content_gives_same_bytes),
        TEST(test_it_is_an_sqlite_archive),
        TEST(test_every_truncation_is_refused),
        TEST(test_a_changed_byte_never_changes_content),
        TEST(test_changed_content_is_named),
        TEST(test_content_that_does_not_inflate_is_refused),
        TEST(test_other_versions_are_named),
        TEST(test_other_databases_are_refused),
        TEST(test_hostile_databases_are_refused),
        TEST(test_a_member_cannot_occur_twice),
        TEST(test_missing_model_is_refused),
        TEST(test_names_that_leave_the_folder_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
