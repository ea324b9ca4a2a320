/* The text and the files of memories. */
#include "conformance/cli/dump.h"

#include "conformance/cli/commands.h"
#include "conformance/report/output.h"
#include "conformance/scenario/model/type.h"
#include "conformance/verdict/scenario_text.h"
#include "conformance/verdict/value.h"
#include "reference/base/nearest.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum {
    SHOWN_MAX = 64,   /* elements of a memory that --dump does not name */
    LINE_WIDTH = 100, /* characters */
};

static const char *const format_words[CNF_DUMP_FORMATS] = {"decimal", "hex", "bytes"};

/* ---- Options ------------------------------------------------------------------------------- */

static bool dump_read(const char *value, cnf_dump *out)
{
    rt_text rest = rt_text_of(value);
    out->name = rt_text_take_until(&rest, ':');
    if (!strchr(value, ':')) return true;
    for (uint32_t i = 0; i < CNF_DUMP_FORMATS; i++) {
        out->format = (cnf_dump_format)i;
        if (rt_text_is(rest, format_words[i])) return true;
    }
    cnf_command_unknown("--dump: ", "format", rest.data, format_words, CNF_DUMP_FORMATS);
    return false;
}

static bool folder_make(const char *option, const char *name)
{
    if (mkdir(name, 0777) == 0 || errno == EEXIST) return true;
    fprintf(stderr, "assay: %s %s: the folder cannot be created: %s\n", option, name,
            strerror(errno));
    return false;
}

bool cnf_dumps_read(const cnf_arguments *arguments, rt_arena *arena, bool prints_written,
                    cnf_dumps *out_dumps)
{
    cnf_dump *items = rt_arena_alloc_array(arena, arguments->given_count + 1, sizeof *items);
    *out_dumps = (cnf_dumps){.items = items, .folder = arguments->values[CNF_OPTION_DUMP_NPY]};
    for (uint32_t i = 0; i < arguments->given_count; i++) {
        if (arguments->given[i].id != CNF_OPTION_DUMP) continue;
        if (!dump_read(arguments->given[i].value, &items[out_dumps->count++])) return false;
    }
    out_dumps->prints_written = prints_written && out_dumps->count == 0;
    return !out_dumps->folder || folder_make("--dump-npy", out_dumps->folder);
}

/* ---- Contents ------------------------------------------------------------------------------ */

/* True if all bytes from `offset` on are defined. */
static bool bytes_are_defined(const cnf_final_memory *final, uint64_t offset, uint64_t size)
{
    if (!final->defined.data) return true;
    for (uint64_t i = offset; i < offset + size; i++)
        if (i / 8 >= final->defined.size || !(final->defined.data[i / 8] >> i % 8 & 1))
            return false;
    return true;
}

bool cnf_memory_is_defined(const scn_memory *memory, const cnf_final_memory *final)
{
    const scn_layout *layout = &memory->layout;
    for (uint64_t i = 0; i < memory->count; i++)
        for (uint32_t f = 0; f < layout->field_count; f++) {
            const scn_field *field = &layout->fields[f];
            if (!bytes_are_defined(final, i * layout->size + field->offset,
                                   (uint64_t)field->lanes * scn_type_size(field->type)))
                return false;
        }
    return true;
}

bool cnf_memory_is_written(const scn_memory *memory, const cnf_final_memory *final)
{
    if (memory->initial.data)
        return final->data.size != memory->initial.size ||
               memcmp(final->data.data, memory->initial.data, final->data.size) != 0;
    if (!final->defined.data) return true; /* the subject does not track it */
    for (size_t i = 0; i < final->defined.size; i++)
        if (final->defined.data[i] != 0) return true;
    return false;
}

const scn_memory *cnf_memory_find(const scn_scenario *scenario, rt_text name)
{
    for (uint32_t i = 0; i < scenario->memory_count; i++)
        if (rt_text_equal(scenario->memories[i].name, name)) return &scenario->memories[i];
    return NULL;
}

/* ---- Text ---------------------------------------------------------------------------------- */

static void field_append(rt_buffer *out, const scn_field *field, const cnf_final_memory *final,
                         uint64_t offset, cnf_dump_format format)
{
    uint32_t size = scn_type_size(field->type);
    if (field->lanes > 1) rt_buffer_append_byte(out, '[');
    for (uint32_t lane = 0; lane < field->lanes; lane++, offset += size) {
        if (lane > 0) rt_buffer_printf(out, ", ");
        const uint8_t *bytes = final->data.data + offset;
        if (!bytes_are_defined(final, offset, size))
            rt_buffer_append_byte(out, '?');
        else if (format == CNF_DUMP_HEX)
            rt_buffer_printf(out, "0x%0*" PRIx64, (int)(2 * size),
                             cnf_value_bits(field->type, bytes));
        else
            cnf_number_append(out, field->type, bytes);
    }
    if (field->lanes > 1) rt_buffer_append_byte(out, ']');
}

static void element_append(rt_buffer *out, const scn_memory *memory, const cnf_final_memory *final,
                           uint64_t index, cnf_dump_format format)
{
    const scn_layout *layout = &memory->layout;
    uint64_t offset = index * layout->size;
    if (format == CNF_DUMP_BYTES) {
        for (uint64_t i = offset; i < offset + layout->size; i++) {
            if (bytes_are_defined(final, i, 1))
                rt_buffer_printf(out, "%02x", final->data.data[i]);
            else
                rt_buffer_printf(out, "??");
        }
        return;
    }
    if (layout->is_struct) rt_buffer_append_byte(out, '{');
    for (uint32_t f = 0; f < layout->field_count; f++) {
        const scn_field *field = &layout->fields[f];
        if (layout->is_struct)
            rt_buffer_printf(out, "%s%.*s: ", f ? ", " : "", RT_TEXT_ARG(field->name));
        field_append(out, field, final, offset + field->offset, format);
    }
    if (layout->is_struct) rt_buffer_append_byte(out, '}');
}

/* Appends a memory, several elements a line, each line with the index of its first. */
static void memory_append(rt_buffer *out, const scn_memory *memory, const cnf_final_memory *final,
                          rt_text subject, cnf_dump_format format, uint64_t shown)
{
    rt_arena arena = {0};
    rt_buffer_printf(out, "%.*s on %.*s: %.*s[%" PRIu64 "]", RT_TEXT_ARG(memory->name),
                     RT_TEXT_ARG(subject), RT_TEXT_ARG(scn_layout_print(&arena, &memory->layout)),
                     memory->count);
    size_t begin = 0;
    for (uint64_t i = 0; i < memory->count && i < shown; i++) {
        rt_buffer element = {0};
        element_append(&element, memory, final, i, format);
        bool breaks = i == 0 || out->size - begin + element.size + 1 > LINE_WIDTH;
        if (breaks) {
            rt_buffer_append_byte(out, '\n');
            begin = out->size;
            rt_buffer_printf(out, "  %6" PRIu64 ":", i);
        }
        rt_buffer_append_byte(out, ' ');
        rt_buffer_append_text(out, rt_buffer_text(&element));
        rt_buffer_free(&element);
    }
    rt_buffer_append_byte(out, '\n');
    if (memory->count > shown)
        rt_buffer_printf(out, "  and %" PRIu64 " more; --dump %.*s prints all\n",
                         memory->count - shown, RT_TEXT_ARG(memory->name));
    rt_arena_reset(&arena);
}

/* ---- Arrays -------------------------------------------------------------------------------- */

/* Appends an array in NumPy's format, version 1.0; structs become rows of bytes. */
static void array_append(rt_buffer *out, const scn_memory *memory, const cnf_final_memory *final)
{
    enum { PREFIX_SIZE = 10, ALIGNMENT = 64 };
    const scn_layout *layout = &memory->layout;
    const scn_field *field = &layout->fields[0];
    uint32_t size = layout->is_struct ? 1 : scn_type_size(field->type);
    uint64_t lanes = layout->is_struct ? layout->size : field->lanes;
    rt_buffer header = {0};
    rt_buffer_printf(&header, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (%" PRIu64 ",",
                     size == 1 ? '|' : '<', layout->is_struct ? 'u' : scn_type_class(field->type),
                     size, memory->count);
    if (lanes > 1) rt_buffer_printf(&header, " %" PRIu64, lanes);
    rt_buffer_printf(&header, "), }");
    while ((PREFIX_SIZE + header.size + 1) % ALIGNMENT != 0)
        rt_buffer_append_byte(&header, ' ');
    rt_buffer_append_byte(&header, '\n');
    CHECK(header.size <= UINT16_MAX);
    const char prefix[PREFIX_SIZE] = {'\x93',
                                      'N',
                                      'U',
                                      'M',
                                      'P',
                                      'Y',
                                      1,
                                      0,
                                      (char)(header.size & 0xff),
                                      (char)(header.size >> 8)};
    rt_buffer_append(out, prefix, sizeof prefix);
    rt_buffer_append_text(out, rt_buffer_text(&header));
    rt_buffer_free(&header);
    for (uint64_t i = 0; i < memory->count; i++)
        rt_buffer_append(out, final->data.data + i * layout->size, (size_t)(lanes * size));
}

/* Makes DIR/SUBJECT, or DIR/SUBJECT/LAUNCH, in which '/' becomes '_'. */
static bool array_folder(const char *folder, rt_text subject, rt_text launch, rt_buffer *out)
{
    const rt_text names[2] = {subject, launch};
    rt_buffer_printf(out, "%s", folder);
    for (size_t n = 0; n < 2 && names[n].length > 0; n++) {
        rt_buffer_append_byte(out, '/');
        for (size_t i = 0; i < names[n].length; i++)
            rt_buffer_append_byte(out, names[n].data[i] == '/' ? '_' : names[n].data[i]);
        if (!folder_make("--dump-npy", rt_buffer_string(out))) return false;
    }
    return true;
}

static bool array_write(const char *folder, const scn_memory *memory, const cnf_final_memory *final)
{
    rt_buffer name = {0}, content = {0};
    rt_buffer_printf(&name, "%s/%.*s.npy", folder, RT_TEXT_ARG(memory->name));
    array_append(&content, memory, final);
    bool written = cnf_command_file_replace("--dump-npy", rt_buffer_string(&name), &content);
    rt_buffer_free(&name);
    return written;
}

/* ---- A run --------------------------------------------------------------------------------- */

static const cnf_dump *dump_find(const cnf_dumps *dumps, rt_text name)
{
    for (uint32_t i = 0; i < dumps->count; i++)
        if (rt_text_equal(dumps->items[i].name, name)) return &dumps->items[i];
    return NULL;
}

static void unknown_report(rt_text name, const rt_nearest *nearest)
{
    rt_buffer hint = {0};
    rt_nearest_hint(nearest, &hint);
    fprintf(stderr, "assay: --dump %.*s: no memory has that name%s\n", RT_TEXT_ARG(name),
            rt_buffer_string(&hint));
    rt_buffer_free(&hint);
}

bool cnf_dumps_check(const cnf_dumps *dumps, const cnf_launch *launch)
{
    for (uint32_t i = 0; i < dumps->count; i++) {
        rt_nearest nearest = rt_nearest_to(dumps->items[i].name);
        bool is_found = false;
        for (uint32_t k = 0; k < launch->item_count; k++) {
            if (launch->items[k].memory.length == 0) continue;
            is_found = is_found || rt_text_equal(launch->items[k].name, dumps->items[i].name);
            rt_nearest_offer(&nearest, launch->items[k].name);
        }
        if (!is_found) unknown_report(dumps->items[i].name, &nearest);
        if (!is_found) return false;
    }
    return true;
}

/* Reports the memories that the scenario does not have. */
static bool names_check(const cnf_dumps *dumps, const scn_scenario *scenario)
{
    bool is_valid = true;
    for (uint32_t i = 0; i < dumps->count; i++) {
        rt_nearest nearest = rt_nearest_to(dumps->items[i].name);
        if (cnf_memory_find(scenario, dumps->items[i].name)) continue;
        for (uint32_t k = 0; k < scenario->memory_count; k++)
            rt_nearest_offer(&nearest, scenario->memories[k].name);
        unknown_report(dumps->items[i].name, &nearest);
        is_valid = false;
    }
    return is_valid;
}

int cnf_dumps_write(rt_buffer *out, const cnf_dumps *dumps, rt_text subject, rt_text launch,
                    const scn_scenario *scenario, const cnf_messages *messages)
{
    bool is_known = names_check(dumps, scenario), is_valid = true;
    rt_buffer folder = {0};
    bool writes = dumps->folder && messages->memory_count > 0;
    if (writes) is_valid = array_folder(dumps->folder, subject, launch, &folder);
    for (uint32_t i = 0; i < messages->memory_count; i++) {
        const cnf_final_memory *final = &messages->memories[i];
        const scn_memory *memory = cnf_memory_find(scenario, final->name);
        /* The child's word is checked before it is indexed by the layout. */
        if (!memory || final->data.size != memory->count * memory->layout.size) continue;
        const cnf_dump *dump = dump_find(dumps, final->name);
        bool is_written = cnf_memory_is_written(memory, final);
        if (dump)
            memory_append(out, memory, final, subject, dump->format, UINT64_MAX);
        else if (dumps->prints_written && is_written)
            memory_append(out, memory, final, subject, CNF_DUMP_DECIMAL, SHOWN_MAX);
        if (writes && is_valid && (dump || (dumps->count == 0 && is_written)))
            is_valid = array_write(rt_buffer_string(&folder), memory, final);
    }
    rt_buffer_free(&folder);
    if (!is_valid) return CNF_EXIT_INFRASTRUCTURE;
    return is_known ? CNF_EXIT_EXPECTED : CNF_EXIT_USAGE;
}
