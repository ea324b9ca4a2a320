/* Writes SYCLBIN: headers, metadata and code are collected in separate buffers and joined at the
 * end. */
#include "reference/image/syclbin_layout.h"

typedef struct syclbin_writer {
    rt_sink *sink;
    rt_buffer modules, ir, native; /* headers */
    rt_buffer metadata[3];         /* of modules (after that of the whole file), IR modules, native
                                    * images */
    rt_buffer code;
} syclbin_writer;

enum { METADATA_MODULES, METADATA_IR, METADATA_NATIVE };

/* Appends the text and writes its location to the header.  `before` is the size of the preceding
 * kinds' metadata; with it, offsets count from the start of all metadata. */
static rt_status metadata_write(syclbin_writer *writer, rt_buffer *header, int kind, size_t before,
                                rt_property_sets sets)
{
    rt_buffer *text = &writer->metadata[kind];
    size_t begin = text->size;
    RT_TRY(rt_property_text_write(writer->sink, text, sets));
    rt_write_u64(header, before + begin);
    rt_write_u64(header, text->size - begin);
    return RT_STATUS_OK;
}

static rt_status code_write(syclbin_writer *writer, rt_buffer *header, int kind, size_t before,
                            const rt_syclbin_code *code)
{
    RT_TRY(metadata_write(writer, header, kind, before, code->metadata));
    rt_write_u64(header, writer->code.size);
    rt_write_u64(header, code->code.size);
    rt_buffer_append(&writer->code, code->code.data, code->code.size);
    return RT_STATUS_OK;
}

/* Appends all headers with their metadata and code, and counts them. */
static rt_status bodies_write(syclbin_writer *writer, const rt_syclbin *syclbin,
                              syclbin_counts *out_counts)
{
    *out_counts = (syclbin_counts){.modules = syclbin->module_count};
    for (uint32_t i = 0; i < syclbin->module_count; i++) {
        const rt_syclbin_module *module = &syclbin->modules[i];
        RT_TRY(metadata_write(writer, &writer->modules, METADATA_MODULES, 0, module->metadata));
        rt_write_u32(&writer->modules, module->ir_count);
        rt_write_u32(&writer->modules, out_counts->ir);
        rt_write_u32(&writer->modules, module->native_count);
        rt_write_u32(&writer->modules, module->native_count > 0 ? out_counts->native : 0);
        out_counts->ir += module->ir_count;
        out_counts->native += module->native_count;
    }
    size_t before = writer->metadata[METADATA_MODULES].size;
    for (uint32_t i = 0; i < syclbin->module_count; i++) {
        const rt_syclbin_module *module = &syclbin->modules[i];
        for (uint32_t k = 0; k < module->ir_count; k++)
            RT_TRY(code_write(writer, &writer->ir, METADATA_IR, before, &module->ir[k]));
    }
    before += writer->metadata[METADATA_IR].size;
    for (uint32_t i = 0; i < syclbin->module_count; i++) {
        const rt_syclbin_module *module = &syclbin->modules[i];
        for (uint32_t k = 0; k < module->native_count; k++)
            RT_TRY(
                code_write(writer, &writer->native, METADATA_NATIVE, before, &module->native[k]));
    }
    CHECK(writer->modules.size == (size_t)out_counts->modules * HEADER_SIZE);
    CHECK(writer->ir.size == (size_t)out_counts->ir * HEADER_SIZE);
    CHECK(writer->native.size == (size_t)out_counts->native * HEADER_SIZE);
    return RT_STATUS_OK;
}

/* Appends the offload binary, whose image consists of the collected parts. */
static void parts_join(const syclbin_writer *writer, const syclbin_counts *counts,
                       size_t global_size, rt_buffer *out)
{
    size_t metadata_size = 0, header_size = SYCLBIN_HEADER_SIZE + writer->modules.size +
                                            writer->ir.size + writer->native.size;
    for (int i = 0; i < 3; i++)
        metadata_size += writer->metadata[i].size;
    const uint64_t image_at = OFFLOAD_HEADER_SIZE + OFFLOAD_ENTRY_SIZE;
    const uint64_t code_at = padded(header_size + metadata_size);
    const uint64_t image_size = code_at + padded(writer->code.size);
    const size_t begin = out->size;
    rt_buffer_append(out, OFFLOAD_MAGIC, 4);
    rt_write_u32(out, OFFLOAD_VERSION);
    rt_write_u64(out, image_at + image_size);
    rt_write_u64(out, OFFLOAD_HEADER_SIZE);
    rt_write_u64(out, 1);
    rt_write_u32(out, OFFLOAD_IMAGE_SYCLBIN | OFFLOAD_KIND_SYCL << 16);
    rt_write_u32(out, 0); /* flags */
    rt_write_u64(out, 0); /* no strings */
    rt_write_u64(out, 0);
    rt_write_u64(out, image_at);
    rt_write_u64(out, image_size);
    CHECK(out->size == begin + image_at);
    rt_write_u32(out, SYCLBIN_MAGIC);
    rt_write_u32(out, SYCLBIN_VERSION);
    rt_write_u32(out, counts->modules);
    rt_write_u32(out, counts->ir);
    rt_write_u32(out, counts->native);
    rt_write_u32(out, 0);
    rt_write_u64(out, metadata_size);
    rt_write_u64(out, writer->code.size);
    rt_write_u64(out, 0);
    rt_write_u64(out, global_size);
    CHECK(out->size == begin + image_at + SYCLBIN_HEADER_SIZE);
    rt_buffer_append_text(out, rt_buffer_text(&writer->modules));
    rt_buffer_append_text(out, rt_buffer_text(&writer->ir));
    rt_buffer_append_text(out, rt_buffer_text(&writer->native));
    for (int i = 0; i < 3; i++)
        rt_buffer_append_text(out, rt_buffer_text(&writer->metadata[i]));
    while (out->size < begin + image_at + code_at)
        rt_buffer_append_byte(out, 0);
    rt_buffer_append_text(out, rt_buffer_text(&writer->code));
    while (out->size < begin + image_at + image_size)
        rt_buffer_append_byte(out, 0);
    CHECK(out->size == begin + image_at + image_size);
}

rt_status rt_syclbin_write(rt_sink *sink, rt_buffer *out, const rt_syclbin *syclbin)
{
    syclbin_writer writer = {.sink = sink};
    syclbin_counts counts = {0};
    rt_buffer *global = &writer.metadata[METADATA_MODULES];
    rt_status status = rt_property_text_write(sink, global, syclbin->metadata);
    size_t global_size = global->size;
    if (rt_ok(status)) status = bodies_write(&writer, syclbin, &counts);
    if (rt_ok(status)) parts_join(&writer, &counts, global_size, out);
    rt_buffer_free(&writer.modules);
    rt_buffer_free(&writer.ir);
    rt_buffer_free(&writer.native);
    rt_buffer_free(&writer.code);
    for (int i = 0; i < 3; i++)
        rt_buffer_free(&writer.metadata[i]);
    return status;
}
