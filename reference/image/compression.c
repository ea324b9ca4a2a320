/* Zstandard compression of the code of binaries. */
#include "reference/image/compression.h"

#include <zstd.h>

static rt_status fault(rt_sink *sink, uint32_t index, const char *reason)
{
    return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "image %u has a damaged Zstandard frame: %s",
                   index, reason);
}

/* Decompresses a frame, which must state its decompressed size, as the compiler's frames do.  The
 * size is checked before anything is allocated. */
static rt_status decompress(rt_sink *sink, rt_arena *arena, uint32_t index, uint64_t *remaining,
                            rt_device_binary *binary)
{
    const rt_bytes frame = binary->code;
    unsigned long long size = ZSTD_getFrameContentSize(frame.data, frame.size);
    if (size == ZSTD_CONTENTSIZE_ERROR)
        return fault(sink, index, "its header is damaged or cut off");
    if (size == ZSTD_CONTENTSIZE_UNKNOWN)
        return fault(sink, index, "it does not state its decompressed size");
    if (size > RT_IMAGE_SIZE_MAX || size > *remaining) {
        return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                       "image %u has %llu bytes after decompression; at most %u are allowed, and "
                       "%llu in all images together",
                       index, size, RT_IMAGE_SIZE_MAX, (unsigned long long)RT_DECOMPRESSED_MAX);
    }
    *remaining -= size;
    CHECK(*remaining <= RT_DECOMPRESSED_MAX);
    uint8_t *code = rt_arena_alloc(arena, (size_t)size);
    size_t result = ZSTD_decompress(code, (size_t)size, frame.data, frame.size);
    if (ZSTD_isError(result)) return fault(sink, index, ZSTD_getErrorName(result));
    if (result != size)
        return fault(sink, index, "its decompressed size differs from the stated size");
    binary->code = (rt_bytes){code, result};
    binary->format = rt_binary_format_of(binary->code);
    if (binary->format == RT_BINARY_COMPRESSED)
        return fault(sink, index, "it decompresses to another frame");
    return RT_STATUS_OK;
}

rt_status rt_device_binaries_decompress(rt_sink *sink, rt_arena *arena, rt_device_binaries binaries,
                                        rt_device_binaries *out_binaries)
{
    *out_binaries = (rt_device_binaries){0};
    rt_device_binary *items = rt_arena_copy(arena, binaries.items, binaries.count, sizeof *items);
    uint64_t remaining = RT_DECOMPRESSED_MAX;
    for (uint32_t i = 0; i < binaries.count; i++) {
        bool compressed = items[i].format == RT_BINARY_COMPRESSED;
        if (items[i].format == RT_BINARY_UNKNOWN)
            compressed = rt_binary_format_of(items[i].code) == RT_BINARY_COMPRESSED;
        if (compressed) RT_TRY(decompress(sink, arena, i, &remaining, &items[i]));
    }
    *out_binaries = (rt_device_binaries){items, binaries.count};
    return RT_STATUS_OK;
}

rt_device_binaries rt_device_binaries_compress(rt_arena *arena, rt_device_binaries binaries)
{
    enum { LEVEL = 10 }; /* the level that the compiler uses */
    rt_device_binary *items = rt_arena_copy(arena, binaries.items, binaries.count, sizeof *items);
    for (uint32_t i = 0; i < binaries.count; i++) {
        const rt_bytes code = items[i].code;
        if (code.size == 0 || items[i].format == RT_BINARY_COMPRESSED) continue;
        size_t bound = ZSTD_compressBound(code.size);
        uint8_t *frame = rt_arena_alloc(arena, bound);
        size_t size = ZSTD_compress(frame, bound, code.data, code.size, LEVEL);
        CHECK(!ZSTD_isError(size)); /* the bound suffices, and allocation does not fail */
        items[i].code = (rt_bytes){frame, size};
        items[i].format = RT_BINARY_COMPRESSED;
    }
    return (rt_device_binaries){items, binaries.count};
}
