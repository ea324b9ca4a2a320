/* libFuzzer target: arbitrary bytes as a pack file. Few mutants keep a header that matches their
 * size, so the bytes are also tried after a valid header and, since hashes guard the contents, as
 * the names and contents of members. Each file must be rejected with a message, or read; what was
 * read is written back, and must then read as the same members. */
#include "conformance/archive/packed.h"

#include "reference/base/alloc.h"

#include <string.h>

static void check_round_trip(rt_sink *sink, rt_arena *arena, const cnf_pack *pack)
{
    rt_buffer file = {0}, second = {0};
    const cnf_pack *read;
    CHECK(rt_ok(cnf_pack_write(sink, &file, pack)));
    CHECK(rt_ok(cnf_pack_read(sink, arena, rt_buffer_bytes(&file), &read)));
    CHECK(rt_ok(cnf_pack_write(sink, &second, read)));
    CHECK(rt_text_equal(rt_buffer_text(&file), rt_buffer_text(&second)));
    rt_buffer_free(&file);
    rt_buffer_free(&second);
}

static void try_file(rt_bytes file)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    const cnf_pack *pack;
    rt_status status = cnf_pack_read(sink, &arena, file, &pack);
    CHECK(rt_ok(status) == (pack != NULL));
    if (rt_ok(status))
        check_round_trip(sink, &arena, pack);
    else
        CHECK(rt_sink_diagnostic(sink, status)->message.length > 0);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Tries the bytes, padded to whole pages, under the header of a pack of that size. */
static void try_pages(const uint8_t *data, size_t size)
{
    enum { PAGE = 4096, VERSIONS_AT = 18, COUNT_AT = 28, VERSION_AT = 60, APPLICATION_AT = 68 };
    uint32_t count = (uint32_t)((size + PAGE - 1) / PAGE);
    if (count == 0) return;
    uint8_t *file = rt_alloc((size_t)count * PAGE);
    memset(file, 0, (size_t)count * PAGE);
    memcpy(file, data, size);
    const uint8_t begin[] = "SQLite format 3\0\x10\0\1\1"; /* pages of 0x1000 bytes, no write-ahead
                                                            * log */
    memcpy(file, begin, VERSIONS_AT + 2);
    for (int i = 0; i < 4; i++)
        file[COUNT_AT + i] = (uint8_t)(count >> (8 * (3 - i)));
    memcpy(file + VERSION_AT, "\0\0\0\2", 4);
    memcpy(file + APPLICATION_AT, "aspa", 4);
    try_file((rt_bytes){file, (size_t)count * PAGE});
    rt_free(file);
}

/* The position of `wanted` at or after `at`; the end if it does not occur. */
static size_t find(const uint8_t *data, size_t size, size_t at, uint8_t wanted)
{
    while (at < size && data[at] != wanted)
        at++;
    return at;
}

/* Tries the bytes as a sequence of members: each a name, a tab, the contents and a NUL byte. */
static void try_members(const uint8_t *data, size_t size)
{
    enum { MEMBERS_MAX = 16 };
    cnf_member members[MEMBERS_MAX];
    uint32_t count = 0;
    for (size_t at = 0; at < size && count < MEMBERS_MAX; count++) {
        size_t end = find(data, size, at, '\0'), tab = find(data, end, at, '\t');
        size_t content = tab < end ? tab + 1 : end;
        members[count] =
            (cnf_member){{(const char *)data + at, tab - at}, {data + content, end - content}};
        at = end + 1;
    }
    rt_buffer file = {0};
    rt_sink *sink = rt_sink_create();
    if (rt_ok(cnf_archive_write(sink, &file, &(cnf_archive){members, count})))
        try_file(rt_buffer_bytes(&file));
    rt_sink_destroy(sink);
    rt_buffer_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_file((rt_bytes){data, size});
    try_pages(data, size);
    try_members(data, size);
    return 0;
}
