/* Images as text: property sets that post-link writes are decoded, others are shown unchanged.
 * Source of the sets' meaning: reference/image/image.h. */
#include "conformance/cli/postlink_text.h"

#include "conformance/cli/image_text.h"
#include "conformance/json/json.h"
#include "reference/base/demangle.h"
#include "reference/base/number.h"
#include "reference/device/device.h"
#include "reference/image/spec_constants.h"
#include "reference/image/virtual_functions.h"

#include <jansson.h>
#include <stdlib.h>

/* ---- Decoding ------------------------------------------------------------------------------ */

/* SYCL's name of an aspect, or its number. */
static rt_text aspect_name(rt_arena *arena, uint32_t number)
{
    const char *name = dev_aspect_number_name(number);
    if (name) return rt_text_of(name);
    return rt_arena_printf(arena, "aspect %u", number);
}

/* True for properties of "SYCL/device requirements" that list aspects. */
static bool is_aspects(const rt_property *property)
{
    return property->type == RT_PROPERTY_BYTES && rt_text_is(property->name, "aspects") &&
           property->bytes.size % 4 == 0;
}

/* ---- Text ---------------------------------------------------------------------------------- */

/* Begins a line: with the label if it is the first of its group, otherwise with blanks. */
static void line_begin(rt_buffer *out, const char *label, bool first)
{
    rt_buffer_printf(out, "  %-10s", first ? label : "");
}

/* A line with a symbol, its demangled name if it has one, and a value if that is not empty. */
static void symbol_append(rt_buffer *out, rt_arena *arena, const char *label, bool first,
                          rt_text symbol, rt_text value)
{
    rt_text readable = rt_demangle(arena, symbol);
    line_begin(out, label, first);
    rt_buffer_append_text(out, symbol);
    if (readable.length > 0) rt_buffer_printf(out, "  %.*s", RT_TEXT_ARG(readable));
    if (value.length > 0) rt_buffer_printf(out, "  %.*s", RT_TEXT_ARG(value));
    rt_buffer_append_byte(out, '\n');
}

/* A line for each property of a set: a symbol, with its value if the set has values. */
static void symbols_append(rt_buffer *out, rt_arena *arena, const char *label,
                           const rt_property_set *set, bool has_values)
{
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        const rt_property *property = &set->properties[i];
        rt_text value = has_values ? rt_property_text_value(property) : (rt_text){0};
        symbol_append(out, arena, label, i == 0, property->name, value);
    }
}

static void constants_append(rt_buffer *out, const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_SPEC_CONSTANTS);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        rt_spec_descriptor constant;
        line_begin(out, "constants", i == 0);
        rt_buffer_append_text(out, set->properties[i].name);
        if (rt_spec_descriptor_read(image, i, &constant))
            rt_buffer_printf(out, "  id %u, bytes: %u", constant.id, constant.size_bytes);
        if (constant.scalar_count > 1)
            rt_buffer_printf(out, ", scalars: %u", constant.scalar_count);
        if (constant.scalar_count == 1 && constant.default_value.size > 0) {
            rt_buffer_printf(out, ", default: 0x"); /* stored least significant byte first */
            for (size_t k = constant.default_value.size; k-- > 0;)
                rt_buffer_printf(out, "%02x", constant.default_value.data[k]);
        }
        rt_buffer_append_byte(out, '\n');
    }
}

static void aspects_append(rt_buffer *out, rt_arena *arena, const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_REQUIREMENTS);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        if (!is_aspects(&set->properties[i])) continue;
        rt_reader reader = rt_reader_of(set->properties[i].bytes);
        line_begin(out, "aspects", true);
        for (size_t k = 0; k < set->properties[i].bytes.size / 4; k++) {
            rt_text name = aspect_name(arena, rt_read_u32(&reader));
            rt_buffer_printf(out, "%s%.*s", k ? ", " : "", RT_TEXT_ARG(name));
        }
        rt_buffer_append_byte(out, '\n');
    }
}

static void virtual_functions_append(rt_buffer *out, rt_arena *arena, const rt_image *image)
{
    rt_virtual_functions functions;
    if (rt_virtual_functions_read(image, &functions)) return; /* printed unchanged */
    const struct sets_row {
        const char *label;
        rt_text sets;
        bool is_dummy;
    } rows[] = {{"provides", functions.provides, functions.dummy},
                {"calls", functions.calls, false},
                {"creates", functions.creates, false},
                {"uses", functions.uses, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].sets.length == 0) continue;
        line_begin(out, rows[i].label, true);
        rt_buffer_printf(out, "%.*s%s\n", RT_TEXT_ARG(rows[i].sets),
                         rows[i].is_dummy ? " (dummy)" : "");
    }
    symbols_append(out, arena, "virtual", rt_image_set(image, RT_SET_VIRTUAL_FUNCTION_SETS), true);
    symbols_append(out, arena, "callers", rt_image_set(image, RT_SET_KERNEL_CALLS), true);
}

/* True if the functions above print the whole set; they print sets of virtual functions only if
 * these are well-formed. */
static bool is_decoded(const rt_image *image, const rt_property_set *set)
{
    static const char *const decoded[] = {RT_SET_IMPORTED_SYMBOLS, RT_SET_EXPORTED_SYMBOLS,
                                          RT_SET_SPEC_CONSTANTS, RT_SET_SPEC_CONSTANT_DEFAULTS};
    static const char *const keys[] = {RT_VIRTUAL_FUNCTIONS_PROVIDES, RT_VIRTUAL_FUNCTIONS_DUMMY,
                                       RT_VIRTUAL_FUNCTIONS_CALLS, RT_VIRTUAL_FUNCTIONS_CREATES,
                                       RT_VIRTUAL_FUNCTIONS_USES};
    rt_virtual_functions functions;
    bool is_well_formed = !rt_virtual_functions_read(image, &functions);
    for (size_t i = 0; i < sizeof decoded / sizeof *decoded; i++)
        if (rt_text_is(set->name, decoded[i])) return true;
    if (rt_text_is(set->name, RT_SET_VIRTUAL_FUNCTION_SETS) ||
        rt_text_is(set->name, RT_SET_KERNEL_CALLS))
        return is_well_formed;
    if (rt_text_is(set->name, RT_SET_EMBEDDED_IR)) return rt_image_embedded_ir(image).size > 0;
    uint32_t count = 0;
    if (rt_text_is(set->name, RT_SET_VIRTUAL_FUNCTIONS) && is_well_formed) {
        for (uint32_t i = 0; i < set->property_count; i++)
            for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
                count += rt_text_is(set->properties[i].name, keys[k]);
    } else if (rt_text_is(set->name, RT_SET_DEVICE_REQUIREMENTS)) {
        for (uint32_t i = 0; i < set->property_count; i++)
            count += is_aspects(&set->properties[i]);
    } else {
        return false;
    }
    CHECK(count <= set->property_count);
    return count == set->property_count;
}

static void image_append(rt_buffer *out, rt_arena *arena, const rt_image *image)
{
    rt_buffer_printf(out, "image %.*s: %s, bytes: %zu\n", RT_TEXT_ARG(image->name),
                     rt_format_name(image->format), image->code.size);
    for (uint32_t i = 0; i < image->kernel_count; i++)
        symbol_append(out, arena, "kernels", i == 0, image->kernels[i], (rt_text){0});
    symbols_append(out, arena, "exports", rt_image_set(image, RT_SET_EXPORTED_SYMBOLS), false);
    symbols_append(out, arena, "imports", rt_image_set(image, RT_SET_IMPORTED_SYMBOLS), false);
    constants_append(out, image);
    aspects_append(out, arena, image);
    virtual_functions_append(out, arena, image);
    size_t embedded_size = rt_image_embedded_ir(image).size;
    if (embedded_size > 0)
        rt_buffer_printf(out, "  %-10sLLVM IR, bytes: %zu\n", "embeds", embedded_size);
    if (image->compile_options.length > 0)
        rt_buffer_printf(out, "  compile options: %.*s\n", RT_TEXT_ARG(image->compile_options));
    if (image->link_options.length > 0)
        rt_buffer_printf(out, "  link options: %.*s\n", RT_TEXT_ARG(image->link_options));
    for (uint32_t i = 0; i < image->set_count; i++)
        if (!is_decoded(image, &image->sets[i]))
            cnf_property_sets_text(out, "  ", (rt_property_sets){&image->sets[i], 1});
}

/* Appends the device_globals that the module's host code registers, whether or not an image has
 * them. */
static void globals_append(rt_buffer *out, rt_device_global_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        const rt_device_global *global = &list.globals[i];
        line_begin(out, "registers", i == 0);
        rt_buffer_printf(out, "%.*s  id %.*s, %llu byte%s%s, host access: %s\n",
                         RT_TEXT_ARG(global->name), RT_TEXT_ARG(global->unique_id),
                         (unsigned long long)global->size, global->size == 1 ? "" : "s",
                         global->image_scope ? ", image scope" : "",
                         rt_host_access_name(global->host_access));
    }
}

void cnf_postlink_text(rt_buffer *out, rt_arena *arena, const cnf_postlinked *module)
{
    rt_buffer_printf(out, "module %.*s, split %s, images: %u\n", RT_TEXT_ARG(module->module),
                     module->split, module->images.count);
    globals_append(out, module->device_globals);
    for (uint32_t i = 0; i < module->images.count; i++)
        image_append(out, arena, &module->images.images[i]);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *bytes_json(rt_bytes bytes)
{
    rt_buffer text = {0};
    rt_buffer_append_hex(&text, bytes);
    json_t *value = cnf_json_text(rt_buffer_text(&text));
    rt_buffer_free(&text);
    return value;
}

static json_t *symbol_json(rt_arena *arena, rt_text symbol)
{
    json_t *object = cnf_json_checked(json_pack("{s:o}", "symbol", cnf_json_text(symbol)));
    rt_text readable = rt_demangle(arena, symbol);
    if (readable.length > 0) cnf_json_set(object, "demangled", cnf_json_text(readable));
    return object;
}

static json_t *symbols_json(rt_arena *arena, const rt_property_set *set)
{
    json_t *array = json_array();
    for (uint32_t i = 0; set && i < set->property_count; i++)
        cnf_json_append(array, symbol_json(arena, set->properties[i].name));
    return array;
}

static json_t *constants_json(const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_SPEC_CONSTANTS);
    json_t *array = json_array();
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        rt_spec_descriptor constant;
        if (!rt_spec_descriptor_read(image, i, &constant)) continue;
        cnf_json_append(array, json_pack("{s:o, s:I, s:I, s:o}", "name",
                                         cnf_json_text(set->properties[i].name), "id",
                                         (json_int_t)constant.id, "size_bytes",
                                         (json_int_t)constant.size_bytes, "default",
                                         bytes_json(constant.default_value)));
    }
    return array;
}

static json_t *aspects_json(rt_arena *arena, const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_REQUIREMENTS);
    json_t *array = json_array();
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        if (!is_aspects(&set->properties[i])) continue;
        rt_reader reader = rt_reader_of(set->properties[i].bytes);
        while (reader.position < set->properties[i].bytes.size)
            cnf_json_append(array, cnf_json_text(aspect_name(arena, rt_read_u32(&reader))));
    }
    return array;
}

static json_t *sets_json(const rt_image *image)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < image->set_count; i++) {
        const rt_property_set *set = &image->sets[i];
        json_t *properties = json_array();
        for (uint32_t k = 0; k < set->property_count; k++) {
            const rt_property *property = &set->properties[k];
            bool is_number = property->type == RT_PROPERTY_UINT32;
            json_t *value =
                is_number ? json_integer(property->number) : bytes_json(property->bytes);
            cnf_json_append(properties,
                            json_pack("{s:o, s:o}", "name", cnf_json_text(property->name),
                                      is_number ? "number" : "bytes", value));
        }
        cnf_json_append(array, json_pack("{s:o, s:o}", "name", cnf_json_text(set->name),
                                         "properties", properties));
    }
    return array;
}

static json_t *image_json(rt_arena *arena, const rt_image *image)
{
    json_t *kernels = json_array();
    for (uint32_t i = 0; i < image->kernel_count; i++)
        cnf_json_append(kernels, symbol_json(arena, image->kernels[i]));
    json_t *exports = symbols_json(arena, rt_image_set(image, RT_SET_EXPORTED_SYMBOLS));
    json_t *imports = symbols_json(arena, rt_image_set(image, RT_SET_IMPORTED_SYMBOLS));
    return json_pack("{s:o, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                     cnf_json_text(image->name), "format", rt_format_name(image->format),
                     "size_bytes", (json_int_t)image->code.size, "kernels", kernels, "exports",
                     exports, "imports", imports, "constants", constants_json(image), "aspects",
                     aspects_json(arena, image), "property_sets", sets_json(image));
}

static json_t *globals_json(rt_device_global_list list)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < list.count; i++) {
        const rt_device_global *global = &list.globals[i];
        cnf_json_append(array,
                        json_pack("{s:o, s:o, s:I, s:b, s:s}", "name", cnf_json_text(global->name),
                                  "id", cnf_json_text(global->unique_id), "size_bytes",
                                  (json_int_t)global->size, "image_scope", global->image_scope,
                                  "host_access", rt_host_access_name(global->host_access)));
    }
    return array;
}

void cnf_postlink_json(rt_buffer *out, rt_arena *arena, const cnf_postlinked *modules,
                       uint32_t module_count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < module_count; i++) {
        json_t *images = json_array();
        for (uint32_t k = 0; k < modules[i].images.count; k++)
            cnf_json_append(images, image_json(arena, &modules[i].images.images[k]));
        cnf_json_append(
            array, json_pack("{s:o, s:s, s:o, s:o}", "module", cnf_json_text(modules[i].module),
                             "split", modules[i].split, "device_globals",
                             globals_json(modules[i].device_globals), "images", images));
    }
    CHECK(json_array_size(array) == module_count);
    cnf_json_write(out, array, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    rt_buffer_append_byte(out, '\n');
}
