/* Reads SYCLBIN.  The file is untrusted: every offset is checked against the table that it refers
 * to, and the metadata parsed may not exceed the size of its table in total, so that a small file
 * cannot cause much parsing. */
#include "reference/image/syclbin_layout.h"

#include <string.h>

typedef struct syclbin_reader {
    rt_sink *sink;
    rt_arena *arena;
    rt_bytes file;
    rt_reader at; /* reads the file up to the end of the entry's image */
    rt_bytes metadata, code;
    uint64_t metadata_left; /* bytes of metadata that may still be parsed */
} syclbin_reader;

static rt_status fault(const syclbin_reader *reader, size_t offset, const char *reason)
{
    return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                   "damaged SYCLBIN at byte %zu of %zu: %s", offset, reader->file.size, reason);
}

static rt_status unsupported(const syclbin_reader *reader, size_t offset, const char *field,
                             uint64_t number)
{
    return rt_fail(reader->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "unsupported SYCLBIN field at byte %zu: %s is %llu", offset, field,
                   (unsigned long long)number);
}

bool rt_syclbin_is(rt_bytes file)
{
    return file.size >= 4 && memcmp(file.data, OFFLOAD_MAGIC, 4) == 0;
}

/* ---- The offload binary -------------------------------------------------------------------- */

/* Positions reader->at at the image of the file's only entry. */
static rt_status offload_open(syclbin_reader *reader)
{
    if (!rt_syclbin_is(reader->file)) return fault(reader, 0, "expected the bytes 10 FF 10 AD");
    if (reader->file.size < OFFLOAD_HEADER_SIZE + OFFLOAD_ENTRY_SIZE)
        return fault(reader, reader->file.size, "the header is cut off");
    reader->at = rt_reader_of(reader->file);
    reader->at.position = 4;
    uint32_t version = rt_read_u32(&reader->at);
    uint64_t file_size = rt_read_u64(&reader->at), entry = rt_read_u64(&reader->at);
    uint64_t count = rt_read_u64(&reader->at);
    if (version != OFFLOAD_VERSION)
        return unsupported(reader, 4, "the version of the offload binary", version);
    if (file_size != reader->file.size)
        return fault(reader, 8, "the file's size differs from the stated size");
    if (count != 1) return unsupported(reader, 24, "the number of entries", count);
    if (entry > reader->file.size - OFFLOAD_ENTRY_SIZE)
        return fault(reader, OFFLOAD_ENTRY_FIELD, "the entry lies outside the file");
    reader->at.position = (size_t)entry + OFFLOAD_ENTRY_IMAGE;
    uint64_t offset = rt_read_u64(&reader->at), size = rt_read_u64(&reader->at);
    CHECK(!reader->at.failed);
    rt_bytes image;
    if (!rt_bytes_slice(reader->file, offset, size, &image))
        return fault(reader, (size_t)entry + OFFLOAD_ENTRY_IMAGE,
                     "the image lies outside the file");
    reader->at = rt_reader_of((rt_bytes){reader->file.data, (size_t)(offset + size)});
    reader->at.position = (size_t)offset;
    CHECK(reader->at.position <= reader->at.input.size);
    return RT_STATUS_OK;
}

/* ---- Headers ------------------------------------------------------------------------------- */

/* `at` is the file offset at which the header states `offset` and `size`. */
static rt_status metadata_read(syclbin_reader *reader, size_t at, uint64_t offset, uint64_t size,
                               rt_property_sets *out_sets)
{
    rt_bytes text;
    if (!rt_bytes_slice(reader->metadata, offset, size, &text))
        return fault(reader, at, "metadata lies outside its table");
    if (size > reader->metadata_left) return fault(reader, at, "metadata overlaps");
    reader->metadata_left -= size;
    CHECK(reader->metadata_left <= reader->metadata.size);
    size_t in_file = (size_t)(text.data - reader->file.data);
    return rt_property_text_read(reader->sink, reader->arena,
                                 (rt_text){(const char *)text.data, text.size}, in_file, out_sets);
}

static bool range_inside(uint32_t count, uint32_t first, uint32_t total)
{
    return first <= total && count <= total - first;
}

/* Reads the headers of the modules and of their code, which follow the file header. */
static rt_status bodies_read(syclbin_reader *reader, const syclbin_counts *counts,
                             rt_syclbin *out_syclbin)
{
    uint64_t code_count = (uint64_t)counts->ir + counts->native;
    rt_syclbin_code *codes = rt_arena_alloc_array(reader->arena, code_count, sizeof *codes);
    rt_syclbin_module *modules =
        rt_arena_alloc_array(reader->arena, counts->modules, sizeof *modules);
    for (uint32_t i = 0; i < counts->modules; i++) {
        size_t at = reader->at.position;
        uint64_t offset = rt_read_u64(&reader->at), size = rt_read_u64(&reader->at);
        uint32_t ir_count = rt_read_u32(&reader->at), ir_first = rt_read_u32(&reader->at);
        uint32_t native_count = rt_read_u32(&reader->at), native_first = rt_read_u32(&reader->at);
        RT_TRY(metadata_read(reader, at, offset, size, &modules[i].metadata));
        if (!range_inside(ir_count, ir_first, counts->ir))
            return fault(reader, at + 16, "the range of IR modules exceeds their number");
        if (!range_inside(native_count, native_first, counts->native))
            return fault(reader, at + 24, "the range of native images exceeds their number");
        CHECK((uint64_t)ir_first + ir_count <= counts->ir);
        CHECK((uint64_t)native_first + native_count <= counts->native);
        modules[i].ir = codes + ir_first;
        modules[i].ir_count = ir_count;
        modules[i].native = codes + counts->ir + native_first;
        modules[i].native_count = native_count;
    }
    for (uint64_t i = 0; i < code_count; i++) {
        size_t at = reader->at.position;
        uint64_t offset = rt_read_u64(&reader->at), size = rt_read_u64(&reader->at);
        uint64_t code_offset = rt_read_u64(&reader->at), code_size = rt_read_u64(&reader->at);
        RT_TRY(metadata_read(reader, at, offset, size, &codes[i].metadata));
        if (!rt_bytes_slice(reader->code, code_offset, code_size, &codes[i].code))
            return fault(reader, at + 16, "code lies outside its table");
    }
    CHECK(!reader->at.failed);
    out_syclbin->modules = modules;
    out_syclbin->module_count = counts->modules;
    return RT_STATUS_OK;
}

static rt_status file_read(syclbin_reader *reader, rt_syclbin *out_syclbin)
{
    RT_TRY(offload_open(reader));
    size_t header = reader->at.position, end = reader->at.input.size;
    uint32_t magic = rt_read_u32(&reader->at), version = rt_read_u32(&reader->at);
    syclbin_counts counts;
    counts.modules = rt_read_u32(&reader->at);
    counts.ir = rt_read_u32(&reader->at);
    counts.native = rt_read_u32(&reader->at);
    (void)rt_read_u32(&reader->at);
    uint64_t metadata_size = rt_read_u64(&reader->at), code_size = rt_read_u64(&reader->at);
    uint64_t offset = rt_read_u64(&reader->at), size = rt_read_u64(&reader->at);
    if (magic != SYCLBIN_MAGIC) return fault(reader, header, "expected the bytes IBYS");
    if (version != SYCLBIN_VERSION) return unsupported(reader, header + 4, "the version", version);
    if (reader->at.failed) return fault(reader, reader->at.fault, "the header is cut off");
    CHECK(reader->at.position == header + SYCLBIN_HEADER_SIZE);
    /* The tables of metadata and code follow the headers. */
    uint64_t headers = ((uint64_t)counts.modules + counts.ir + counts.native) * HEADER_SIZE;
    if (headers > end - reader->at.position)
        return fault(reader, header + 8, "the headers are cut off");
    uint64_t begin = reader->at.position + headers;
    CHECK(begin <= end && end <= reader->file.size);
    if (!rt_bytes_slice(reader->at.input, begin, metadata_size, &reader->metadata))
        return fault(reader, header + 24, "the metadata is cut off");
    uint64_t code = header + padded(begin + metadata_size - header);
    if (!rt_bytes_slice(reader->at.input, code, code_size, &reader->code))
        return fault(reader, header + 32, "the code is cut off");
    CHECK(reader->metadata.size + reader->code.size <= reader->file.size);
    reader->metadata_left = metadata_size;
    RT_TRY(metadata_read(reader, header + 40, offset, size, &out_syclbin->metadata));
    return bodies_read(reader, &counts, out_syclbin);
}

rt_status rt_syclbin_read(rt_sink *sink, rt_arena *arena, rt_bytes file, rt_syclbin *out_syclbin)
{
    *out_syclbin = (rt_syclbin){0};
    syclbin_reader reader = {.sink = sink, .arena = arena, .file = file};
    rt_status status = file_read(&reader, out_syclbin);
    if (!rt_ok(status)) *out_syclbin = (rt_syclbin){0};
    return status;
}
