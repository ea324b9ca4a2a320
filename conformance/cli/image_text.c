/* Images, properties and values as text. In the file format, a property's value is either a number
 * or bytes; DPC++ defines the meaning of the bytes (sycl/doc/design/PropertySets.md). */
#include "conformance/cli/image_text.h"

#include "reference/base/stream.h"
#include "reference/image/device_global.h"

/* ---- Values -------------------------------------------------------------------------------- */

typedef enum value_form {
    FORM_U32,
    FORM_U64,
    FORM_GLOBAL,
    FORM_BITS,
    FORM_TEXT,
    FORM_HEX
} value_form;

/* The first matching row applies; "" matches every name. */
static const struct value_row {
    const char *set, *name_end;
    value_form form;
} value_rows[] = {
    {"SYCL/device requirements", "aspects", FORM_U32},
    {"SYCL/device requirements", "fixed_target", FORM_U32},
    {"SYCL/device requirements", "reqd_work_group_size", FORM_U32},
    {"SYCL/device requirements", "reqd_work_group_size_uint64_t", FORM_U64},
    {"SYCL/specialization constants", "", FORM_U32},
    {RT_SET_DEVICE_GLOBALS, "", FORM_GLOBAL},
    {"SYCL/program metadata", "@reqd_work_group_size", FORM_U32},
    {"SYCL/program metadata", "@max_work_group_size", FORM_U32},
    {"SYCL/kernel param opt", "", FORM_BITS},
    {"SYCL/specialization constants default values", "", FORM_HEX},
};

static bool ends_with(rt_text text, const char *ending)
{
    rt_text end = rt_text_of(ending);
    if (end.length > text.length) return false;
    return rt_text_equal((rt_text){text.data + text.length - end.length, end.length}, end);
}

/* The form in which a property's bytes are shown: that of the property's row if it fits the bytes,
 * otherwise text or hexadecimal. */
static value_form form_of(rt_text set, const rt_property *property)
{
    const rt_bytes bytes = property->bytes;
    const bool is_whole = property->unused_bits == 0;
    for (size_t i = 0; i < sizeof value_rows / sizeof *value_rows; i++) {
        const struct value_row *row = &value_rows[i];
        rt_device_global_value value;
        if (!rt_text_is(set, row->set) || !ends_with(property->name, row->name_end)) continue;
        if (row->form == FORM_U32 && !(bytes.size % 4 == 0 && is_whole)) continue;
        if (row->form == FORM_U64 && !(bytes.size % 8 == 0 && is_whole)) continue;
        if (row->form == FORM_GLOBAL && !rt_device_global_value_read(property, &value)) continue;
        return row->form;
    }
    bool is_printable = bytes.size > 0 && is_whole;
    for (size_t i = 0; i < bytes.size && is_printable; i++)
        is_printable = bytes.data[i] >= ' ' && bytes.data[i] <= '~';
    return is_printable ? FORM_TEXT : FORM_HEX;
}

static void words_append(rt_buffer *out, rt_bytes bytes, size_t word_size)
{
    CHECK(bytes.size % word_size == 0);
    rt_reader words = rt_reader_of(bytes);
    rt_buffer_append_byte(out, '[');
    while (words.position < bytes.size) {
        if (words.position > 0) rt_buffer_printf(out, ", ");
        uint64_t word = word_size == 8 ? rt_read_u64(&words) : rt_read_u32(&words);
        rt_buffer_printf(out, "%llu", (unsigned long long)word);
    }
    rt_buffer_append_byte(out, ']');
}

static void value_append(rt_buffer *out, rt_text set, const rt_property *property)
{
    const rt_bytes bytes = property->bytes;
    if (property->type == RT_PROPERTY_UINT32) {
        rt_buffer_printf(out, "%u", property->number);
        return;
    }
    rt_device_global_value value;
    size_t bit_count = bytes.size * 8 - property->unused_bits;
    switch (form_of(set, property)) {
    case FORM_U32: words_append(out, bytes, 4); break;
    case FORM_U64: words_append(out, bytes, 8); break;
    case FORM_GLOBAL: {
        bool read = rt_device_global_value_read(property, &value);
        CHECK(read);
        rt_buffer_printf(out, "%u byte%s%s", value.size, value.size == 1 ? "" : "s",
                         value.image_scope ? ", image scope" : "");
        break;
    }
    case FORM_BITS: /* bit 0, the first argument's, is printed first */
        rt_buffer_printf(out, bit_count > 0 ? "%zu bits " : "%zu bits", bit_count);
        for (size_t i = 0; i < bit_count; i++)
            rt_buffer_append_byte(out, bytes.data[i / 8] >> i % 8 & 1 ? '1' : '0');
        break;
    case FORM_TEXT:
        rt_buffer_append_byte(out, '"');
        rt_buffer_append_escaped(out, (rt_text){(const char *)bytes.data, bytes.size});
        rt_buffer_append_byte(out, '"');
        break;
    case FORM_HEX:
        rt_buffer_printf(out, "%zu bytes", bytes.size);
        for (size_t i = 0; i < bytes.size; i++)
            rt_buffer_printf(out, " %02x", bytes.data[i]);
        break;
    }
}

void cnf_property_sets_text(rt_buffer *out, const char *indent, rt_property_sets sets)
{
    for (uint32_t i = 0; i < sets.count; i++) {
        const rt_property_set *set = &sets.sets[i];
        rt_buffer_printf(out, "%s[", indent);
        rt_buffer_append_escaped(out, set->name);
        rt_buffer_printf(out, "]\n");
        for (uint32_t k = 0; k < set->property_count; k++) {
            rt_buffer_printf(out, "%s  ", indent);
            rt_buffer_append_escaped(out, set->properties[k].name);
            rt_buffer_printf(out, " = ");
            value_append(out, set->name, &set->properties[k]);
            rt_buffer_append_byte(out, '\n');
        }
    }
}

/* ---- Images -------------------------------------------------------------------------------- */

static void binary_append(rt_buffer *out, uint32_t index, const rt_device_binary *binary,
                          const rt_device_binary *decompressed)
{
    rt_binary_format format = decompressed->format;
    if (format == RT_BINARY_UNKNOWN) format = rt_binary_format_of(decompressed->code);
    rt_buffer_printf(out, "image %u: %s for ", index, rt_binary_format_name(format));
    rt_buffer_append_escaped(out, binary->target);
    rt_buffer_printf(out, ", %zu bytes", decompressed->code.size);
    if (binary->code.data != decompressed->code.data)
        rt_buffer_printf(out, " (compressed: %zu)", binary->code.size);
    if (binary->compile_options.length > 0) rt_buffer_printf(out, "\n  compile options: ");
    rt_buffer_append_escaped(out, binary->compile_options);
    if (binary->link_options.length > 0) rt_buffer_printf(out, "\n  link options: ");
    rt_buffer_append_escaped(out, binary->link_options);
    for (uint32_t i = 0; i < binary->entry_count; i++) {
        rt_buffer_printf(out, "\n  entry ");
        rt_buffer_append_escaped(out, binary->entries[i]);
    }
    rt_buffer_append_byte(out, '\n');
    cnf_property_sets_text(out, "  ", binary->properties);
}

void cnf_image_text(rt_buffer *out, const rt_image_file *file, rt_device_binaries decompressed)
{
    CHECK(file->binaries.count == decompressed.count);
    if (file->kind == RT_IMAGE_FILE_SYCLBIN) {
        rt_buffer_printf(out, "SYCLBIN, modules: %u, images: %u\n", file->syclbin.module_count,
                         file->binaries.count);
        cnf_property_sets_text(out, "  ", file->syclbin.metadata);
    }
    for (uint32_t i = 0; i < file->fat_count; i++)
        rt_buffer_printf(out, "fat binary of version %u, %d bytes per image, images: %u\n",
                         file->fats[i].version, (int)file->fats[i].layout,
                         file->fats[i].binaries.count);
    for (uint32_t i = 0; i < decompressed.count; i++)
        binary_append(out, i, &file->binaries.items[i], &decompressed.items[i]);
}
