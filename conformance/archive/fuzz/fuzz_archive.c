/* libFuzzer target: any bytes as the file of a pack.  Few mutants get past the frame's checksum, so
 * the bytes are also tried as what is in the frame.  A file is refused with a message, or read;
 * what is read is written as a file that reads as the same. */
#include "conformance/archive/packed.h"

#include "reference/base/alloc.h"

#include <zstd.h>

static void check_round_trip(rt_sink *sink, rt_arena *arena, const cnf_pack *pack)
{
    rt_buffer file = {0}, again = {0};
    const cnf_pack *read;
    CHECK(rt_ok(cnf_pack_write(sink, &file, pack)));
    CHECK(rt_ok(cnf_pack_read(sink, arena, rt_buffer_bytes(&file), &read)));
    CHECK(rt_ok(cnf_pack_write(sink, &again, read)));
    CHECK(rt_text_equal(rt_buffer_text(&file), rt_buffer_text(&again)));
    rt_buffer_free(&file);
    rt_buffer_free(&again);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_file((rt_bytes){data, size});
    size_t bound = ZSTD_compressBound(size);
    uint8_t *frame = rt_alloc(bound);
    size_t used = ZSTD_compress(frame, bound, data, size, 1);
    CHECK(!ZSTD_isError(used));
    try_file((rt_bytes){frame, used});
    rt_free(frame);
    return 0;
}
