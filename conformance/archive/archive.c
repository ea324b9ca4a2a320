/* Writing and reading archives.  Everything that is read is checked: sizes against what is left,
 * the header's sum, names, hashes; nothing of a damaged archive is used. */
#include "conformance/archive/archive.h"

#include "reference/base/alloc.h"
#include "reference/base/hash.h"
#include "reference/base/map.h"
#include "reference/base/vector.h"

#include <stdio.h>
#include <string.h>
#include <zstd.h>

enum {
    FORMAT_VERSION = 1,
    BLOCK = 512, /* bytes of a header, and what contents are filled up to */
    LEVEL = 9,   /* of Zstandard: the whole suite in a second or two */
};

static const char manifest_name[] = "MANIFEST";
static const char manifest_title[] = "assay pack ";

/* A header as POSIX lays it out; numbers are octal digits. */
typedef struct tar_header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
    char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
} tar_header;
_Static_assert(sizeof(tar_header) == BLOCK, "the layout of POSIX");
_Static_assert(sizeof(((tar_header *)0)->name) == CNF_MEMBER_NAME_MAX, "names fit the field");

/* The sum of all bytes of a header, its own field counted as blanks. */
static unsigned header_sum(const tar_header *header)
{
    tar_header copy = *header;
    memset(copy.sum, ' ', sizeof copy.sum);
    const unsigned char *bytes = (const unsigned char *)&copy;
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof copy; i++)
        sum += bytes[i];
    return sum;
}

/* True for a relative path without empty, "." or ".." parts, so that unpacking one cannot leave the
 * folder. */
static bool name_is_fine(rt_text name)
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

/* Prints a number as the octal digits of a field, which end with a NUL byte. */
static void octal_print(char *field, size_t size, uint64_t value)
{
    field[size - 1] = '\0';
    for (size_t i = size - 1; i-- > 0; value >>= 3)
        field[i] = (char)('0' + (value & 7));
    CHECK(value == 0);
}

static void member_write(rt_buffer *out, rt_text name, rt_bytes content)
{
    static const char padding[BLOCK];
    tar_header header = {.type = '0', .magic = "ustar", .version = {'0', '0'}};
    memcpy(header.name, name.data, name.length);
    octal_print(header.mode, sizeof header.mode, 0644);
    octal_print(header.uid, sizeof header.uid, 0);
    octal_print(header.gid, sizeof header.gid, 0);
    octal_print(header.size, sizeof header.size, content.size);
    octal_print(header.mtime, sizeof header.mtime, 0); /* the same members are the same bytes */
    octal_print(header.sum, sizeof header.sum - 1, header_sum(&header));
    header.sum[sizeof header.sum - 1] = ' ';
    rt_buffer_append(out, &header, sizeof header);
    rt_buffer_append(out, content.data, content.size);
    rt_buffer_append(out, padding, (BLOCK - content.size % BLOCK) % BLOCK);
}

static void manifest_write(rt_buffer *out, const cnf_archive *archive)
{
    rt_buffer_printf(out, "%s%d\n", manifest_title, FORMAT_VERSION);
    for (uint32_t i = 0; i < archive->count; i++) {
        const cnf_member *member = &archive->members[i];
        rt_hash_text hash = rt_hash_print(rt_hash128(member->content.data, member->content.size));
        rt_buffer_printf(out, "%s %.*s\n", hash.digits, RT_TEXT_ARG(member->name));
    }
}

static void compress(rt_buffer *out, rt_bytes content)
{
    size_t bound = ZSTD_compressBound(content.size);
    char *frame = rt_alloc(bound);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    CHECK(context);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t size = ZSTD_compress2(context, frame, bound, content.data, content.size);
    CHECK(!ZSTD_isError(size)); /* the bound is enough, and memory is not refused */
    ZSTD_freeCCtx(context);
    rt_buffer_append(out, frame, size);
    rt_free(frame);
}

rt_status cnf_archive_write(rt_sink *sink, rt_buffer *out, const cnf_archive *archive)
{
    static const char end[2 * BLOCK];
    rt_buffer manifest = {0}, tar = {0};
    rt_status status = RT_STATUS_OK;
    manifest_write(&manifest, archive);
    member_write(&tar, rt_text_of(manifest_name), rt_buffer_bytes(&manifest));
    for (uint32_t i = 0; i < archive->count && rt_ok(status); i++) {
        const cnf_member *member = &archive->members[i];
        uint64_t whole = tar.size + (uint64_t)member->content.size + sizeof end + 2 * BLOCK;
        if (!name_is_fine(member->name)) {
            status = rt_fail(
                sink, RT_LIMIT, RT_RULE_NONE,
                "the name %.*s does not fit into a pack: at most %d bytes, no line break, no part that is "
                "empty, . or ..; rename the scenario",
                RT_TEXT_ARG(member->name), CNF_MEMBER_NAME_MAX);
        } else if (whole > CNF_ARCHIVE_CONTENT_MAX) {
            status = rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                             "a pack holds at most %llu bytes; pack the scenarios in parts",
                             (unsigned long long)CNF_ARCHIVE_CONTENT_MAX);
        } else {
            member_write(&tar, member->name, member->content);
        }
    }
    rt_buffer_append(&tar, end, sizeof end);
    if (rt_ok(status)) compress(out, rt_buffer_bytes(&tar));
    rt_buffer_free(&manifest);
    rt_buffer_free(&tar);
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------- */

typedef struct archive_reader {
    rt_sink *sink;
    rt_arena *arena;
    rt_bytes tar;
    size_t position; /* of the next header */
    RT_VECTOR(cnf_member) members;
} archive_reader;

static rt_status damaged(rt_sink *sink, const char *what)
{
    return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "damaged pack: %s; pack the scenarios anew",
                   what);
}

static rt_status decompress(rt_sink *sink, rt_arena *arena, rt_bytes file, rt_bytes *out_tar)
{
    unsigned long long size = ZSTD_getFrameContentSize(file.data, file.size);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "not a pack: it does not begin with a Zstandard frame that says its size");
    }
    if (size > CNF_ARCHIVE_CONTENT_MAX) {
        return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                       "the pack holds %llu bytes, at most %llu are read", size,
                       (unsigned long long)CNF_ARCHIVE_CONTENT_MAX);
    }
    size_t frame = ZSTD_findFrameCompressedSize(file.data, file.size);
    if (ZSTD_isError(frame)) return damaged(sink, "it is cut");
    if (frame != file.size) return damaged(sink, "something stands behind its end");
    uint8_t *tar = rt_arena_alloc(arena, (size_t)size + 1);
    size_t result = ZSTD_decompress(tar, (size_t)size, file.data, file.size);
    if (ZSTD_isError(result)) return damaged(sink, ZSTD_getErrorName(result));
    if (result != size) return damaged(sink, "its content has another size than it says");
    *out_tar = (rt_bytes){tar, result};
    return RT_STATUS_OK;
}

/* The number in a field of octal digits that a NUL byte or a blank ends; false: it is none. */
static bool octal_read(const char *field, size_t size, uint64_t *out_value)
{
    *out_value = 0;
    size_t i = 0;
    for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
        *out_value = *out_value << 3 | (uint64_t)(field[i] - '0');
    return i > 0 && i < size && (field[i] == '\0' || field[i] == ' ');
}

static bool block_is_empty(const uint8_t *block)
{
    for (size_t i = 0; i < BLOCK; i++)
        if (block[i] != 0) return false;
    return true;
}

/* Takes the next member; *out_end where the archive's end stands there instead. */
static rt_status member_read(archive_reader *reader, bool *out_end)
{
    const rt_bytes tar = reader->tar;
    if (tar.size - reader->position < BLOCK) return damaged(reader->sink, "it has no end");
    const uint8_t *at = tar.data + reader->position;
    *out_end = block_is_empty(at);
    if (*out_end) return RT_STATUS_OK;
    tar_header header;
    memcpy(&header, at, sizeof header);
    uint64_t sum, size;
    if (memcmp(header.magic, "ustar", 6) != 0 || header.type != '0' || header.prefix[0] != '\0')
        return damaged(reader->sink, "a member is not a plain file");
    if (!octal_read(header.sum, sizeof header.sum, &sum) || sum != header_sum(&header))
        return damaged(reader->sink, "the sum of a member's header is wrong");
    if (!octal_read(header.size, sizeof header.size, &size) ||
        size > tar.size - reader->position - BLOCK)
        return damaged(reader->sink, "a member is larger than what is left");
    rt_text name = {header.name, strnlen(header.name, sizeof header.name)};
    if (!name_is_fine(name)) return damaged(reader->sink, "a member has no proper name");
    cnf_member *member = rt_vector_push(&reader->members);
    *member = (cnf_member){rt_arena_text(reader->arena, name), {at + BLOCK, (size_t)size}};
    size_t filled = ((size_t)size + BLOCK - 1) / BLOCK * BLOCK;
    if (filled > tar.size - reader->position - BLOCK)
        return damaged(reader->sink, "its last member is cut");
    reader->position += BLOCK + filled;
    return RT_STATUS_OK;
}

/* Takes a line without its end; false: nothing is left. */
static bool line_take(rt_text *inout_text, rt_text *out_line)
{
    const char *end =
        inout_text->length > 0 ? memchr(inout_text->data, '\n', inout_text->length) : NULL;
    if (!end) return false;
    *out_line = (rt_text){inout_text->data, (size_t)(end - inout_text->data)};
    *inout_text = (rt_text){end + 1, inout_text->length - out_line->length - 1};
    return true;
}

static rt_status version_check(rt_sink *sink, rt_text line)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%s%d", manifest_title, FORMAT_VERSION);
    if (rt_text_is(line, expected)) return RT_STATUS_OK;
    if (!rt_text_starts(line, manifest_title) || line.length > 24)
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "not a pack: its first member is not a MANIFEST of assay");
    return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                   "a pack of version %.*s, this assay reads version %d; pack the scenarios anew",
                   (int)(line.length - strlen(manifest_title)), line.data + strlen(manifest_title),
                   FORMAT_VERSION);
}

/* Every member behind the manifest is as the manifest says, in its order, and nothing else is
 * there. */
static rt_status manifest_check(const archive_reader *reader)
{
    const cnf_member *manifest = &reader->members.items[0];
    rt_text text = {(const char *)manifest->content.data, manifest->content.size}, line;
    if (!rt_text_is(manifest->name, manifest_name) || !line_take(&text, &line)) line = (rt_text){0};
    RT_TRY(version_check(reader->sink, line));
    rt_map names = {0};
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 1; i < reader->members.count && rt_ok(status); i++) {
        const cnf_member *member = &reader->members.items[i];
        rt_hash_text hash = rt_hash_print(rt_hash128(member->content.data, member->content.size));
        bool listed = line_take(&text, &line) && line.length == 33 + member->name.length &&
                      line.data[32] == ' ' &&
                      memcmp(line.data + 33, member->name.data, member->name.length) == 0;
        bool again = rt_map_find(&names, member->name) != RT_MAP_NONE;
        rt_map_set(&names, member->name, i);
        if (!listed || again) {
            status = damaged(reader->sink, "its members are not those of its MANIFEST");
        } else if (memcmp(line.data, hash.digits, 32) != 0) {
            status =
                rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                        "damaged pack: the content of %.*s was changed; pack the scenarios anew",
                        RT_TEXT_ARG(member->name));
        }
    }
    rt_map_free(&names);
    if (rt_ok(status) && text.length > 0)
        status = damaged(reader->sink, "members of its MANIFEST are missing");
    return status;
}

rt_status cnf_archive_read(rt_sink *sink, rt_arena *arena, rt_bytes file, cnf_archive *out_archive)
{
    *out_archive = (cnf_archive){0};
    archive_reader reader = {.sink = sink, .arena = arena};
    rt_status status = decompress(sink, arena, file, &reader.tar);
    bool ended = false;
    while (rt_ok(status) && !ended)
        status = member_read(&reader, &ended);
    bool any = reader.members.items != NULL;
    if (rt_ok(status) && !any) status = damaged(sink, "it is empty");
    if (rt_ok(status) && any) status = manifest_check(&reader);
    if (rt_ok(status) && any) {
        uint32_t count = reader.members.count - 1;
        cnf_member *members = rt_arena_alloc_array(arena, count + 1, sizeof *members);
        memcpy(members, reader.members.items + 1, count * sizeof *members);
        *out_archive = (cnf_archive){members, count};
    }
    rt_vector_free(&reader.members);
    return status;
}

rt_bytes cnf_archive_find(const cnf_archive *archive, const char *name)
{
    for (uint32_t i = 0; i < archive->count; i++)
        if (rt_text_is(archive->members[i].name, name)) return archive->members[i].content;
    return (rt_bytes){0};
}
