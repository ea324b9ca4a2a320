/* Fat binaries as C source. */
#include "reference/image/fat_binary.h"

#include "reference/image/property_value.h"

#include <stdio.h>
#include <string.h>

typedef struct c_writer {
    rt_sink *sink;
    rt_buffer *out;
    rt_fat_after after;
    uint32_t binary; /* index of the binary, used in the names of its tables */
} c_writer;

static const char heading[] =
    "/* DPC++ device images, written by assay.  Build this file into a module with\n"
    " *     gcc -shared -fPIC FILE.c -Wl,--no-as-needed -lsycl */\n";

static const char declarations[] =
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "\n"
    "struct entry {\n"
    "    const void *address;\n"
    "    const char *name;\n"
    "    size_t size;\n"
    "    int32_t flags, reserved;\n"
    "};\n"
    "struct property {\n"
    "    const char *name;\n"
    "    const void *value;\n"
    "    uint32_t type;\n"
    "    uint64_t size;\n"
    "};\n"
    "struct property_set {\n"
    "    const char *name;\n"
    "    const struct property *begin, *end;\n"
    "};\n"
    "struct image {\n"
    "    uint16_t version;\n"
    "    uint8_t kind, format;\n"
    "    const char *target, *compile_options, *link_options;\n"
    "%s"
    "    const unsigned char *code_begin, *code_end;\n"
    "    const struct entry *entries_begin, *entries_end;\n"
    "    const struct property_set *sets_begin, *sets_end;\n"
    "};\n"
    "struct descriptor {\n"
    "    uint16_t version, image_count;\n"
    "    const struct image *images;\n"
    "    const struct entry *host_entries_begin, *host_entries_end;\n"
    "};\n"
    "_Static_assert(sizeof(struct image) == %d, \"layout of DPC++\");\n";

static const char registration[] =
    "\n"
    "void __sycl_register_lib(const void *descriptor);\n"
    "void __sycl_unregister_lib(const void *descriptor);\n"
    "\n"
    "__attribute__((constructor)) static void register_images(void)\n"
    "{\n"
    "    __sycl_register_lib(&descriptor);\n"
    "}\n"
    "\n"
    "__attribute__((destructor)) static void unregister_images(void)\n"
    "{\n"
    "    __sycl_unregister_lib(&descriptor);\n"
    "}\n";

/* ---- Literals ------------------------------------------------------------------------------ */

static void character_write(rt_buffer *out, char character)
{
    /* `?` could begin a trigraph. */
    if (character >= ' ' && character <= '~' && !strchr("\"\\?", character)) {
        rt_buffer_append_byte(out, character);
        return;
    }
    unsigned code = (unsigned char)character;
    const char octal[] = {'\\', (char)('0' + (code >> 6)), (char)('0' + (code >> 3 & 7)),
                          (char)('0' + (code & 7))};
    rt_buffer_append(out, octal, sizeof octal);
}

static rt_status string_write(const c_writer *writer, rt_text text)
{
    if (text.length > 0 && memchr(text.data, '\0', text.length)) {
        return rt_fail(writer->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "a name, target or option of image %u contains a NUL byte", writer->binary);
    }
    rt_buffer_append_byte(writer->out, '"');
    for (size_t i = 0; i < text.length; i++)
        character_write(writer->out, text.data[i]);
    rt_buffer_append_byte(writer->out, '"');
    return RT_STATUS_OK;
}

/* ---- Tables -------------------------------------------------------------------------------- */

/* The first byte after a value (RT_FAT_AFTER_OTHER). */
static const char after_value = '~';

/* Writes a set's values as small arrays of numbers, for readability, then the properties. */
static rt_status properties_write(const c_writer *writer, uint32_t set,
                                  const rt_property_set *properties)
{
    rt_buffer *out = writer->out;
    if (properties->property_count == 0) return RT_STATUS_OK;
    for (uint32_t i = 0; i < properties->property_count; i++) {
        const rt_property *property = &properties->properties[i];
        if (property->type != RT_PROPERTY_BYTES) continue;
        rt_buffer value = {0};
        rt_property_value_write(&value, property);
        size_t size = value.size;
        if (writer->after == RT_FAT_AFTER_OTHER) rt_buffer_append_byte(&value, after_value);
        rt_buffer_append_byte(&value, '\0');
        rt_buffer_printf(out, "static const unsigned char value_%u_%u_%u[] = {", writer->binary,
                         set, i);
        for (size_t k = 0; k < size; k++)
            rt_buffer_printf(out, "%s%u,", k % 24 == 0 ? "\n    " : "", (uint8_t)value.data[k]);
        rt_buffer_printf(out, "\n    /* after the value: */ ");
        for (size_t k = size; k < value.size; k++)
            rt_buffer_printf(out, "%u,", (uint8_t)value.data[k]);
        rt_buffer_printf(out, "\n};\n");
        rt_buffer_free(&value);
    }
    rt_buffer_printf(out, "static const struct property properties_%u_%u[] = {\n", writer->binary,
                     set);
    for (uint32_t i = 0; i < properties->property_count; i++) {
        const rt_property *property = &properties->properties[i];
        rt_buffer_printf(out, "    {");
        RT_TRY(string_write(writer, property->name));
        if (property->type == RT_PROPERTY_UINT32)
            rt_buffer_printf(out, ", NULL, 1, %u},\n", property->number);
        else
            rt_buffer_printf(out, ", value_%u_%u_%u, 2, %zu},\n", writer->binary, set, i,
                             RT_PROPERTY_LENGTH_SIZE + property->bytes.size);
    }
    rt_buffer_printf(out, "};\n");
    return RT_STATUS_OK;
}

/* Writes ", NAME, NAME + count", or null pointers: C has no empty arrays. */
static void run_write(rt_buffer *out, const char *name, size_t count)
{
    if (count == 0)
        rt_buffer_printf(out, ", NULL, NULL");
    else
        rt_buffer_printf(out, ", %s, %s + %zu", name, name, count);
}

static rt_status tables_write(const c_writer *writer, const rt_device_binary *binary)
{
    rt_buffer *out = writer->out;
    rt_buffer_append_byte(out, '\n');
    if (binary->code.size > 0) {
        /* With its explicit size, the array has no room for the string's NUL byte.  Compilers read
         * a string ten times as fast as the same bytes written as numbers. */
        rt_buffer_printf(out, "static const unsigned char code_%u[%zu] =", writer->binary,
                         binary->code.size);
        for (size_t i = 0; i < binary->code.size; i++) {
            if (i % 64 == 0) rt_buffer_printf(out, "%s\n    \"", i == 0 ? "" : "\"");
            character_write(out, (char)binary->code.data[i]);
        }
        rt_buffer_printf(out, "\";\n");
    }
    if (binary->entry_count > 0) {
        rt_buffer_printf(out, "static const struct entry entries_%u[] = {\n", writer->binary);
        for (uint32_t i = 0; i < binary->entry_count; i++) {
            rt_buffer_printf(out, "    {NULL, ");
            RT_TRY(string_write(writer, binary->entries[i]));
            rt_buffer_printf(out, ", 0, 0, 0},\n");
        }
        rt_buffer_printf(out, "};\n");
    }
    const rt_property_sets sets = binary->properties;
    for (uint32_t i = 0; i < sets.count; i++)
        RT_TRY(properties_write(writer, i, &sets.sets[i]));
    if (sets.count == 0) return RT_STATUS_OK;
    rt_buffer_printf(out, "static const struct property_set sets_%u[] = {\n", writer->binary);
    for (uint32_t i = 0; i < sets.count; i++) {
        char name[48];
        snprintf(name, sizeof name, "properties_%u_%u", writer->binary, i);
        rt_buffer_printf(out, "    {");
        RT_TRY(string_write(writer, sets.sets[i].name));
        run_write(out, name, sets.sets[i].property_count);
        rt_buffer_printf(out, "},\n");
    }
    rt_buffer_printf(out, "};\n");
    return RT_STATUS_OK;
}

static rt_status image_write(const c_writer *writer, rt_fat_layout layout,
                             const rt_device_binary *binary)
{
    char name[32];
    rt_buffer_printf(writer->out, "    {%d, 4, %d, ", layout == RT_FAT_80 ? 3 : 2,
                     (int)binary->format);
    RT_TRY(string_write(writer, binary->target));
    rt_buffer_printf(writer->out, ", ");
    RT_TRY(string_write(writer, binary->compile_options));
    rt_buffer_printf(writer->out, ", ");
    RT_TRY(string_write(writer, binary->link_options));
    if (layout == RT_FAT_96) rt_buffer_printf(writer->out, ", NULL, NULL");
    snprintf(name, sizeof name, "code_%u", writer->binary);
    run_write(writer->out, name, binary->code.size);
    snprintf(name, sizeof name, "entries_%u", writer->binary);
    run_write(writer->out, name, binary->entry_count);
    snprintf(name, sizeof name, "sets_%u", writer->binary);
    run_write(writer->out, name, binary->properties.count);
    rt_buffer_printf(writer->out, "},\n");
    return RT_STATUS_OK;
}

rt_status rt_fat_binary_write_tables(rt_sink *sink, rt_buffer *out, rt_fat_layout layout,
                                     rt_fat_after after, rt_device_binaries binaries)
{
    if (binaries.count > UINT16_MAX) {
        return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                       "%u images are too many: a fat binary holds at most %u", binaries.count,
                       UINT16_MAX);
    }
    c_writer writer = {sink, out, after, 0};
    rt_buffer_printf(out, declarations,
                     layout == RT_FAT_96 ? "    const char *manifest_begin, *manifest_end;\n" : "",
                     (int)layout);
    for (; writer.binary < binaries.count; writer.binary++)
        RT_TRY(tables_write(&writer, &binaries.items[writer.binary]));
    if (binaries.count > 0) {
        rt_buffer_printf(out, "\nstatic const struct image images[] = {\n");
        for (writer.binary = 0; writer.binary < binaries.count; writer.binary++)
            RT_TRY(image_write(&writer, layout, &binaries.items[writer.binary]));
        rt_buffer_printf(out, "};\n");
    }
    rt_buffer_printf(out, "static const struct descriptor descriptor = {1, %u, %s, NULL, NULL};\n",
                     binaries.count, binaries.count > 0 ? "images" : "NULL");
    return RT_STATUS_OK;
}

rt_status rt_fat_binary_write_c(rt_sink *sink, rt_buffer *out, rt_fat_layout layout,
                                rt_device_binaries binaries)
{
    rt_buffer_printf(out, "%s", heading);
    RT_TRY(rt_fat_binary_write_tables(sink, out, layout, RT_FAT_AFTER_OTHER, binaries));
    rt_buffer_printf(out, "%s", registration);
    return RT_STATUS_OK;
}
