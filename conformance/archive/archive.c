/* Writes and reads packs as SQLite archives. The database exists in memory only. Files are not
 * trusted: the header is checked before SQLite reads the file, the schema before any row is read,
 * and each row before it is used. If any part of a pack is damaged, the whole pack is rejected. */
#include "conformance/archive/archive.h"

#include "reference/base/alloc.h"
#include "reference/base/hash.h"
#include "reference/base/map.h"
#include "reference/base/vector.h"

#include <sqlite3.h>
#include <string.h>
#include <zlib.h>

enum {
    APPLICATION = 0x61737061, /* "aspa", stored in the file's header */
    FORMAT_VERSION = 2,       /* version 1 was a tar archive in a Zstandard frame */
    PAGE_SIZE = 4096,         /* bytes; a file consists of whole pages */
    FILE_MODE = 0100644,      /* st_mode of every member: a plain file */
    DEFLATE_RATIO_MAX = 1040, /* zlib expands one byte to at most 1032 bytes; the rest is a margin
                               * for short inputs */
};
_Static_assert(CNF_ARCHIVE_FILE_MAX < 1000000000, "SQLite can hold a blob of that size");

static const char manifest_name[] = "MANIFEST";

/* The table definition that `sqlite3 -A` uses. SQLite stores this text in the file, and the reader
 * requires exactly this text. */
static const char table[] = "CREATE TABLE sqlar(\n"
                            "  name TEXT PRIMARY KEY,\n"
                            "  mode INT,\n"
                            "  mtime INT,\n"
                            "  sz INT,\n"
                            "  data BLOB\n"
                            ")";

/* True for a relative path without empty, "." or ".." components, which cannot be unpacked outside
 * the target folder. */
static bool name_is_safe(rt_text name)
{
    if (name.length == 0 || name.length > CNF_MEMBER_NAME_MAX) return false;
    if (memchr(name.data, '\0', name.length) || memchr(name.data, '\n', name.length)) return false;
    size_t part = 0;
    for (size_t i = 0; i <= name.length; i++) {
        if (i < name.length && name.data[i] != '/') continue;
        rt_text piece = {name.data + part, i - part};
        if (piece.length == 0 || rt_text_is(piece, ".") || rt_text_is(piece, "..")) return false;
        part = i + 1;
    }
    return true;
}

/* ---- Writing ------------------------------------------------------------------------------- */

/* Runs fixed statements on the in-memory database; they can fail only if memory runs out. */
static void run_sql(sqlite3 *database, const char *sql)
{
    int code = sqlite3_exec(database, sql, NULL, NULL, NULL);
    CHECK(code == SQLITE_OK);
}

static rt_status too_large(rt_sink *sink)
{
    return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                   "a pack holds at most %llu bytes, %zu when compressed; pack fewer scenarios at "
                   "a time",
                   (unsigned long long)CNF_ARCHIVE_CONTENT_MAX, CNF_ARCHIVE_FILE_MAX);
}

/* Adds a row. Contents that zlib cannot shrink are stored uncompressed; readers recognise this
 * because the stored size then equals `sz`. */
static rt_status member_write(rt_sink *sink, sqlite3_stmt *insert, const cnf_member *member,
                              size_t *inout_stored)
{
    uLongf size = compressBound(member->content.size);
    uint8_t *compressed = rt_alloc(size);
    int packed = compress2(compressed, &size, member->content.data, member->content.size,
                           Z_BEST_COMPRESSION);
    CHECK(packed == Z_OK); /* the bound is sufficient, and allocation cannot fail */
    bool is_smaller = size < member->content.size;
    const void *data = is_smaller ? compressed : member->content.data;
    size_t stored = is_smaller ? size : member->content.size;
    *inout_stored += stored;
    rt_status status = RT_STATUS_OK;
    if (*inout_stored > CNF_ARCHIVE_FILE_MAX) {
        status = too_large(sink);
    } else {
        sqlite3_bind_text(insert, 1, member->name.data, (int)member->name.length, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 2, (sqlite3_int64)member->content.size);
        sqlite3_bind_blob64(insert, 3, data ? data : "", stored, SQLITE_STATIC);
        int code = sqlite3_step(insert);
        CHECK(code == SQLITE_DONE || code == SQLITE_CONSTRAINT);
        if (code == SQLITE_CONSTRAINT)
            status = rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                             "a pack cannot hold %.*s twice; rename a scenario",
                             RT_TEXT_ARG(member->name));
        sqlite3_reset(insert);
    }
    rt_free(compressed);
    return status;
}

static rt_status members_write(rt_sink *sink, sqlite3_stmt *insert, const cnf_archive *archive)
{
    rt_buffer manifest = {0};
    for (uint32_t i = 0; i < archive->count; i++) {
        const cnf_member *member = &archive->members[i];
        rt_hash_text hash = rt_hash_print(rt_hash128(member->content.data, member->content.size));
        rt_buffer_printf(&manifest, "%s %.*s\n", hash.digits, RT_TEXT_ARG(member->name));
    }
    const cnf_member first = {rt_text_of(manifest_name), rt_buffer_bytes(&manifest)};
    size_t stored = 0;
    rt_status status = member_write(sink, insert, &first, &stored);
    uint64_t total = manifest.size;
    for (uint32_t i = 0; i < archive->count && rt_ok(status); i++) {
        const cnf_member *member = &archive->members[i];
        total += member->content.size;
        if (!name_is_safe(member->name)) {
            status = rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                             "a pack cannot hold the name %.*s: a name has at most %d bytes, no "
                             "line breaks and no component that is empty, . or ..; rename the "
                             "scenario",
                             RT_TEXT_ARG(member->name), CNF_MEMBER_NAME_MAX);
        } else if (total > CNF_ARCHIVE_CONTENT_MAX) {
            status = too_large(sink);
        } else {
            status = member_write(sink, insert, member, &stored);
        }
    }
    CHECK_IMPLIES(rt_ok(status), stored <= CNF_ARCHIVE_FILE_MAX);
    rt_buffer_free(&manifest);
    return status;
}

rt_status cnf_archive_write(rt_sink *sink, rt_buffer *out, const cnf_archive *archive)
{
    sqlite3 *database;
    sqlite3_stmt *insert;
    char pragmas[128];
    int code = sqlite3_open_v2(":memory:", &database, SQLITE_OPEN_READWRITE, NULL);
    CHECK(code == SQLITE_OK);
    sqlite3_snprintf(sizeof pragmas, pragmas,
                     "PRAGMA page_size = %d; PRAGMA application_id = %d; PRAGMA user_version = %d;",
                     PAGE_SIZE, APPLICATION, FORMAT_VERSION);
    run_sql(database, pragmas);
    run_sql(database, table);
    run_sql(database, "BEGIN");
    char sql[64];
    sqlite3_snprintf(sizeof sql, sql, "INSERT INTO sqlar VALUES (?1, %d, 0, ?2, ?3)", FILE_MODE);
    code = sqlite3_prepare_v2(database, sql, -1, &insert, NULL);
    CHECK(code == SQLITE_OK);
    rt_status status = members_write(sink, insert, archive);
    sqlite3_finalize(insert);
    run_sql(database, "COMMIT");
    if (rt_ok(status)) {
        sqlite3_int64 size = 0;
        unsigned char *file = sqlite3_serialize(database, "main", &size, 0);
        CHECK(file && size > 0 && size % PAGE_SIZE == 0);
        if ((uint64_t)size > CNF_ARCHIVE_FILE_MAX)
            status = too_large(sink);
        else
            rt_buffer_append(out, file, (size_t)size);
        sqlite3_free(file);
    }
    sqlite3_close(database);
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------- */

typedef struct archive_reader {
    rt_sink *sink;
    rt_arena *arena;
    sqlite3 *database;
    uint64_t total; /* total bytes of the members' contents so far */
    RT_VECTOR(cnf_member) members;
} archive_reader;

static rt_status damaged(rt_sink *sink, const char *problem)
{
    return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "damaged pack: %s; pack the scenarios again",
                   problem);
}

static rt_status other_version(rt_sink *sink, uint32_t version)
{
    return rt_fail(
        sink, RT_MALFORMED, RT_RULE_NONE,
        "a pack of version %u, but this assay reads version %d; pack the scenarios again", version,
        FORMAT_VERSION);
}

/* Reads a big-endian number from the database header. */
static uint32_t header_number(rt_bytes file, size_t at, size_t size)
{
    CHECK(at + size <= file.size && size <= 4);
    uint32_t number = 0;
    for (size_t i = 0; i < size; i++)
        number = number << 8 | file.data[at + i];
    return number;
}

/* Checks the header fields that describe the whole file ("The Database Header"), so that SQLite
 * never reads another application's database, or one whose journal mode needs additional files. */
static rt_status header_check(rt_sink *sink, rt_bytes file)
{
    static const char magic[16] = "SQLite format 3";
    static const uint8_t zstandard[] = {0x28, 0xb5, 0x2f, 0xfd};
    enum { HEADER_SIZE = 100, PAGE_SIZE_AT = 16, WRITE_VERSION_AT = 18, PAGE_COUNT_AT = 28 };
    enum { USER_VERSION_AT = 60, APPLICATION_AT = 68, ROLLBACK_JOURNAL = 0x0101 };
    if (file.size >= sizeof zstandard && memcmp(file.data, zstandard, sizeof zstandard) == 0)
        return other_version(sink, 1);
    if (file.size < HEADER_SIZE || memcmp(file.data, magic, sizeof magic) != 0)
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "not a pack: not an SQLite archive");
    if (header_number(file, APPLICATION_AT, 4) != APPLICATION)
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "not a pack: a database of another application");
    uint32_t version = header_number(file, USER_VERSION_AT, 4);
    if (version != FORMAT_VERSION) return other_version(sink, version);
    if (header_number(file, PAGE_SIZE_AT, 2) != PAGE_SIZE ||
        header_number(file, WRITE_VERSION_AT, 2) != ROLLBACK_JOURNAL)
        return damaged(sink, "its header is not that of a pack");
    uint64_t size = (uint64_t)header_number(file, PAGE_COUNT_AT, 4) * PAGE_SIZE;
    if (file.size > CNF_ARCHIVE_FILE_MAX)
        return rt_fail(
            sink, RT_LIMIT, RT_RULE_NONE,
            "the pack has %zu bytes, but assay reads at most %zu; pack fewer scenarios at a time",
            file.size, CNF_ARCHIVE_FILE_MAX);
    if (file.size < size) return damaged(sink, "it is truncated");
    if (file.size > size) return damaged(sink, "something follows its end");
    return RT_STATUS_OK;
}

/* Opens the file's bytes as a read-only database whose own SQL (views and triggers) never runs. */
static rt_status database_open(archive_reader *reader, rt_bytes file)
{
    static const struct {
        int option, value;
    } options[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                   {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                   {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                   {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
    static const struct {
        int limit, value;
    } limits[] = {{SQLITE_LIMIT_LENGTH, (int)CNF_ARCHIVE_FILE_MAX},
                  {SQLITE_LIMIT_SQL_LENGTH, 1000},
                  {SQLITE_LIMIT_COLUMN, 8},
                  {SQLITE_LIMIT_EXPR_DEPTH, 20},
                  {SQLITE_LIMIT_ATTACHED, 0}};
    int code = sqlite3_open_v2(":memory:", &reader->database, SQLITE_OPEN_READWRITE, NULL);
    CHECK(code == SQLITE_OK);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        code = sqlite3_db_config(reader->database, options[i].option, options[i].value, NULL);
        CHECK(code == SQLITE_OK);
    }
    run_sql(reader->database, "PRAGMA cell_size_check = ON");
    /* The bytes are borrowed, and never written because the database is read-only. */
    unsigned char *bytes = (unsigned char *)(uintptr_t)file.data;
    code = sqlite3_deserialize(reader->database, "main", bytes, (sqlite3_int64)file.size,
                               (sqlite3_int64)file.size, SQLITE_DESERIALIZE_READONLY);
    if (code != SQLITE_OK) return damaged(reader->sink, sqlite3_errmsg(reader->database));
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(reader->database, limits[i].limit, limits[i].value);
    return RT_STATUS_OK;
}

/* Checks that the database holds exactly the table that the writer creates, with its index, and no
 * other table, view or trigger. */
static rt_status schema_check(archive_reader *reader)
{
    static const char sql[] =
        "SELECT count(*), total(type = 'table' AND name = 'sqlar' AND sql = ?1),"
        " total(type = 'index' AND name = 'sqlite_autoindex_sqlar_1' AND sql IS NULL)"
        " FROM sqlite_master";
    sqlite3_stmt *statement = NULL;
    bool is_ours = false, is_read = false;
    if (sqlite3_prepare_v2(reader->database, sql, -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
        is_read = sqlite3_step(statement) == SQLITE_ROW;
        is_ours = is_read && sqlite3_column_int(statement, 0) == 2 &&
                  sqlite3_column_int(statement, 1) == 1 && sqlite3_column_int(statement, 2) == 1;
    }
    rt_status status = RT_STATUS_OK;
    if (!is_read)
        status = damaged(reader->sink, sqlite3_errmsg(reader->database));
    else if (!is_ours)
        status = damaged(reader->sink, "it holds something other than the table of an archive");
    sqlite3_finalize(statement);
    return status;
}

/* Reads one row, and checks the member in it. */
static rt_status member_read(archive_reader *reader, sqlite3_stmt *row)
{
    enum { ROWID, NAME, MODE, MTIME, SIZE, DATA };
    static const int types[] = {
        [ROWID] = SQLITE_INTEGER, [NAME] = SQLITE_TEXT,    [MODE] = SQLITE_INTEGER,
        [MTIME] = SQLITE_INTEGER, [SIZE] = SQLITE_INTEGER, [DATA] = SQLITE_BLOB};
    bool is_file = true;
    for (int i = ROWID; i <= DATA; i++)
        is_file = is_file && sqlite3_column_type(row, i) == types[i];
    if (!is_file || sqlite3_column_int64(row, MODE) != FILE_MODE)
        return damaged(reader->sink, "a member is not a plain file");
    if (sqlite3_column_int64(row, ROWID) != (sqlite3_int64)reader->members.count + 1)
        return damaged(reader->sink, "its members are not in order");
    const rt_text name = {(const char *)sqlite3_column_text(row, NAME),
                          (size_t)sqlite3_column_bytes(row, NAME)};
    if (!name_is_safe(name)) return damaged(reader->sink, "a member has an invalid name");
    const rt_bytes stored = {sqlite3_column_blob(row, DATA),
                             (size_t)sqlite3_column_bytes(row, DATA)};
    sqlite3_int64 size = sqlite3_column_int64(row, SIZE);
    if (size < 0 || (uint64_t)size < stored.size ||
        (uint64_t)size > (uint64_t)stored.size * DEFLATE_RATIO_MAX)
        return damaged(reader->sink, "a member records an impossible size");
    reader->total += (uint64_t)size;
    if (reader->total > CNF_ARCHIVE_CONTENT_MAX)
        return rt_fail(
            reader->sink, RT_LIMIT, RT_RULE_NONE,
            "the pack holds more than %llu bytes, the most that assay reads; pack fewer scenarios "
            "at a time",
            (unsigned long long)CNF_ARCHIVE_CONTENT_MAX);
    uint8_t *content = rt_arena_alloc(reader->arena, (size_t)size + 1);
    /* Contents stored in fewer bytes than their size are compressed; inflating must consume all the
     * stored bytes. */
    CHECK((uint64_t)size >= stored.size);
    uLongf written = (uLongf)size;
    uLong used = stored.size;
    bool is_whole = true;
    if (written > stored.size)
        is_whole = uncompress2(content, &written, stored.data, &used) == Z_OK &&
                   written == (uLongf)size && used == stored.size;
    else if (size > 0)
        memcpy(content, stored.data, stored.size);
    if (!is_whole)
        return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                       "damaged pack: the contents of %.*s are corrupt; pack the scenarios again",
                       RT_TEXT_ARG(name));
    *rt_vector_push(&reader->members) =
        (cnf_member){rt_arena_text(reader->arena, name), {content, (size_t)size}};
    return RT_STATUS_OK;
}

static rt_status members_read(archive_reader *reader)
{
    static const char sql[] =
        "SELECT rowid, name, mode, mtime, sz, data FROM sqlar NOT INDEXED ORDER BY rowid";
    sqlite3_stmt *rows = NULL;
    rt_status status = RT_STATUS_OK;
    int code = sqlite3_prepare_v2(reader->database, sql, -1, &rows, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(rows);
        if (code == SQLITE_ROW) status = member_read(reader, rows);
        if (!rt_ok(status)) break;
    }
    if (rt_ok(status) && code != SQLITE_DONE)
        status = damaged(reader->sink, sqlite3_errmsg(reader->database));
    sqlite3_finalize(rows);
    return status;
}

/* Takes the next line; false if no complete line is left. */
static bool line_take(rt_text *inout_text, rt_text *out_line)
{
    const char *end =
        inout_text->length > 0 ? memchr(inout_text->data, '\n', inout_text->length) : NULL;
    if (!end) return false;
    *out_line = (rt_text){inout_text->data, (size_t)(end - inout_text->data)};
    *inout_text = (rt_text){end + 1, inout_text->length - out_line->length - 1};
    return true;
}

/* Checks that the members after the manifest are exactly the ones it lists, in the same order. */
static rt_status manifest_check(const archive_reader *reader)
{
    enum { DIGITS = 32 };
    if (reader->members.count == 0 || !rt_text_is(reader->members.items[0].name, manifest_name))
        return damaged(reader->sink, "its first member is not the MANIFEST");
    const rt_bytes manifest = reader->members.items[0].content;
    rt_text text = {(const char *)manifest.data, manifest.size}, line;
    rt_map names = {0};
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 1; i < reader->members.count && rt_ok(status); i++) {
        const cnf_member *member = &reader->members.items[i];
        rt_hash_text hash = rt_hash_print(rt_hash128(member->content.data, member->content.size));
        bool is_listed =
            line_take(&text, &line) && line.length == DIGITS + 1 + member->name.length &&
            line.data[DIGITS] == ' ' &&
            memcmp(line.data + DIGITS + 1, member->name.data, member->name.length) == 0;
        bool is_repeated = rt_map_find(&names, member->name) != RT_MAP_NONE;
        rt_map_set(&names, member->name, i);
        if (!is_listed || is_repeated) {
            status = damaged(reader->sink, "its members are not the ones that its MANIFEST lists");
        } else if (memcmp(line.data, hash.digits, DIGITS) != 0) {
            status =
                rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                        "damaged pack: the contents of %.*s are corrupt; pack the scenarios again",
                        RT_TEXT_ARG(member->name));
        }
    }
    rt_map_free(&names);
    if (rt_ok(status) && text.length > 0)
        status = damaged(reader->sink, "members that its MANIFEST lists are missing");
    return status;
}

rt_status cnf_archive_read(rt_sink *sink, rt_arena *arena, rt_bytes file, cnf_archive *out_archive)
{
    *out_archive = (cnf_archive){0};
    archive_reader reader = {.sink = sink, .arena = arena};
    RT_TRY(header_check(sink, file));
    rt_status status = database_open(&reader, file);
    if (rt_ok(status)) status = schema_check(&reader);
    if (rt_ok(status)) status = members_read(&reader);
    if (rt_ok(status)) status = manifest_check(&reader);
    if (rt_ok(status)) {
        CHECK(reader.members.count > 0);
        uint32_t count = reader.members.count - 1;
        cnf_member *members = rt_arena_alloc_array(arena, count + 1, sizeof *members);
        memcpy(members, reader.members.items + 1, count * sizeof *members);
        *out_archive = (cnf_archive){members, count};
    }
    rt_vector_free(&reader.members);
    sqlite3_close(reader.database);
    return status;
}

rt_bytes cnf_archive_find(const cnf_archive *archive, const char *name)
{
    for (uint32_t i = 0; i < archive->count; i++)
        if (rt_text_is(archive->members[i].name, name)) return archive->members[i].content;
    return (rt_bytes){0};
}
