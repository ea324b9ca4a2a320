/* Images as text: property sets that post-link writes are decoded, others are shown unchanged.
 * Source of the sets' meaning: reference/image/image.h. */
#include "conformance/cli/postlink_text.h"

#include "conformance/cli/demangle.h"
#include "conformance/cli/image_text.h"
#include "conformance/json/json.h"
#include "reference/base/number.h"
#include "reference/device/device.h"
#include "reference/image/spec_constants.h"
#include "reference/image/virtual_functions.h"

#include <jansson.h>
#include <stdlib.h>

/* ---- Decoding ------------------------------------------------------------------------------ */

/* Appends the bytes as a hexadecimal number, least significant byte first. */
static void hexadecimal_append(rt_buffer *out, rt_bytes value)
{
    rt_buffer_printf(out, "0x");
    for (size_t i = value.size; i-- > 0;)
        rt_buffer_printf(out, "%02x", value.data[i]);
}

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

/* Begins a line: the label before the first line of its part, blanks before the others. */
static void line_begin(rt_buffer *out, const char *label, bool first)
{
    rt_buffer_printf(out, "  %-10s", first ? label : "");
}

static void symbols_append(rt_buffer *out, rt_arena *arena, const char *label,
                           const rt_property_set *set)
{
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        rt_text symbol = set->properties[i].name;
        rt_text readable = cnf_demangle(arena, symbol);
        line_begin(out, label, i == 0);
        rt_buffer_append_text(out, symbol);
        if (readable.length > 0) rt_buffer_printf(out, "  %.*s", RT_TEXT_ARG(readable));
        rt_buffer_append_byte(out, '\n');
    }
}

static void kernels_append(rt_buffer *out, rt_arena *arena, const rt_image *image)
{
    for (uint32_t i = 0; i < image->kernel_count; i++) {
        rt_text readable = cnf_demangle(arena, image->kernels[i]);
        line_begin(out, "kernels", i == 0);
        rt_buffer_append_text(out, image->kernels[i]);
        if (readable.length > 0) rt_buffer_printf(out, "  %.*s", RT_TEXT_ARG(readable));
        rt_buffer_append_byte(out, '\n');
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
        if (constant.scalar_count == 1 && constant.default_value.size > 0) {
            rt_buffer_printf(out, ", default: ");
            hexadecimal_append(out, constant.default_value);
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

static void sets_append(rt_buffer *out, const char *label, rt_text sets, bool dummy)
{
    if (sets.length == 0) return;
    line_begin(out, label, true);
    rt_buffer_printf(out, "%.*s%s\n", RT_TEXT_ARG(sets), dummy ? " (dummy)" : "");
}

/* Appends the functions of each set, or the sets that each kernel calls. */
static void members_append(rt_buffer *out, rt_arena *arena, const char *label,
                           const rt_property_set *set)
{
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        const rt_property *property = &set->properties[i];
        rt_text readable = cnf_demangle(arena, property->name);
        line_begin(out, label, i == 0);
        rt_buffer_printf(out, "%.*s  ", RT_TEXT_ARG(property->name));
        if (readable.length > 0) rt_buffer_printf(out, "%.*s  ", RT_TEXT_ARG(readable));
        rt_buffer_printf(out, "%.*s\n", RT_TEXT_ARG(rt_property_text_value(property)));
    }
}

static void virtual_functions_append(rt_buffer *out, rt_arena *arena, const rt_image *image)
{
    rt_virtual_functions functions;
    if (rt_virtual_functions_read(image, &functions)) return; /* shown as it is */
    sets_append(out, "provides", functions.provides, functions.dummy);
    sets_append(out, "calls", functions.calls, false);
    sets_append(out, "creates", functions.creates, false);
    sets_append(out, "uses", functions.uses, false);
    members_append(out, arena, "virtual", rt_image_set(image, RT_SET_VIRTUAL_FUNCTION_SETS));
    members_append(out, arena, "callers", rt_image_set(image, RT_SET_KERNEL_CALLS));
}

/* True if the property is part of a well-formed set of virtual functions, all of which is shown
 * above. */
static bool is_said_of_functions(const rt_image *image, const rt_property_set *set)
{
    static const char *const known[] = {RT_VIRTUAL_FUNCTIONS_PROVIDES, RT_VIRTUAL_FUNCTIONS_DUMMY,
                                        RT_VIRTUAL_FUNCTIONS_CALLS, RT_VIRTUAL_FUNCTIONS_CREATES,
                                        RT_VIRTUAL_FUNCTIONS_USES};
    rt_virtual_functions functions;
    if (rt_virtual_functions_read(image, &functions)) return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->property_count; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            count += rt_text_is(set->properties[i].name, known[k]);
    return count == set->property_count;
}

/* True if the parts above show the whole set. */
static bool is_said(const rt_image *image, const rt_property_set *set)
{
    static const char *const said[] = {RT_SET_IMPORTED_SYMBOLS, RT_SET_EXPORTED_SYMBOLS,
                                       RT_SET_SPEC_CONSTANTS, RT_SET_SPEC_CONSTANT_DEFAULTS};
    rt_virtual_functions functions;
    if (rt_text_is(set->name, RT_SET_VIRTUAL_FUNCTIONS)) return is_said_of_functions(image, set);
    bool ours = rt_text_is(set->name, RT_SET_VIRTUAL_FUNCTION_SETS) ||
                rt_text_is(set->name, RT_SET_KERNEL_CALLS);
    if (ours) return rt_virtual_functions_read(image, &functions) == NULL;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (rt_text_is(set->name, said[i])) return true;
    if (rt_text_is(set->name, RT_SET_EMBEDDED_IR)) return rt_image_embedded_ir(image).size > 0;
    if (!rt_text_is(set->name, RT_SET_DEVICE_REQUIREMENTS)) return false;
    for (uint32_t i = 0; i < set->property_count; i++)
        if (!is_aspects(&set->properties[i])) return false;
    return true;
}

static void option_append(rt_buffer *out, const char *label, rt_text options)
{
    if (options.length > 0) rt_buffer_printf(out, "  %s: %.*s\n", label, RT_TEXT_ARG(options));
}

static void embedded_append(rt_buffer *out, const rt_image *image)
{
    size_t size = rt_image_embedded_ir(image).size;
    if (size == 0) return;
    line_begin(out, "embeds", true);
    rt_buffer_printf(out, "LLVM IR, bytes: %zu\n", size);
}

static void image_append(rt_buffer *out, rt_arena *arena, const rt_image *image)
{
    rt_buffer_printf(out, "image %.*s: %s, bytes: %zu\n", RT_TEXT_ARG(image->name),
                     rt_format_name(image->format), image->code.size);
    kernels_append(out, arena, image);
    symbols_append(out, arena, "exports", rt_image_set(image, RT_SET_EXPORTED_SYMBOLS));
    symbols_append(out, arena, "imports", rt_image_set(image, RT_SET_IMPORTED_SYMBOLS));
    constants_append(out, image);
    aspects_append(out, arena, image);
    virtual_functions_append(out, arena, image);
    embedded_append(out, image);
    option_append(out, "compile options", image->compile_options);
    option_append(out, "link options", image->link_options);
    for (uint32_t i = 0; i < image->set_count; i++)
        if (!is_said(image, &image->sets[i]))
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
    json_t *object = json_object();
    cnf_json_set(object, "symbol", cnf_json_text(symbol));
    rt_text readable = cnf_demangle(arena, symbol);
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
        json_t *object = json_object();
        cnf_json_set(object, "name", cnf_json_text(set->properties[i].name));
        cnf_json_set(object, "id", json_integer(constant.id));
        cnf_json_set(object, "size_bytes", json_integer(constant.size_bytes));
        cnf_json_set(object, "default", bytes_json(constant.default_value));
        cnf_json_append(array, object);
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

static json_t *properties_json(const rt_property_set *set)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < set->property_count; i++) {
        const rt_property *property = &set->properties[i];
        bool number = property->type == RT_PROPERTY_UINT32;
        json_t *object = json_object();
        cnf_json_set(object, "name", cnf_json_text(property->name));
        cnf_json_set(object, number ? "number" : "bytes",
                     number ? json_integer(property->number) : bytes_json(property->bytes));
        cnf_json_append(array, object);
    }
    return array;
}

static json_t *sets_json(const rt_image *image)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < image->set_count; i++) {
        json_t *object = json_object();
        cnf_json_set(object, "name", cnf_json_text(image->sets[i].name));
        cnf_json_set(object, "properties", properties_json(&image->sets[i]));
        cnf_json_append(array, object);
    }
    return array;
}

static json_t *image_json(rt_arena *arena, const rt_image *image)
{
    json_t *object = json_object(), *kernels = json_array();
    for (uint32_t i = 0; i < image->kernel_count; i++)
        cnf_json_append(kernels, symbol_json(arena, image->kernels[i]));
    cnf_json_set(object, "name", cnf_json_text(image->name));
    cnf_json_set(object, "format", json_string(rt_format_name(image->format)));
    cnf_json_set(object, "size_bytes", json_integer((json_int_t)image->code.size));
    cnf_json_set(object, "kernels", kernels);
    cnf_json_set(object, "exports",
                 symbols_json(arena, rt_image_set(image, RT_SET_EXPORTED_SYMBOLS)));
    cnf_json_set(object, "imports",
                 symbols_json(arena, rt_image_set(image, RT_SET_IMPORTED_SYMBOLS)));
    cnf_json_set(object, "constants", constants_json(image));
    cnf_json_set(object, "aspects", aspects_json(arena, image));
    cnf_json_set(object, "property_sets", sets_json(image));
    return object;
}

static json_t *globals_json(rt_device_global_list list)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < list.count; i++) {
        const rt_device_global *global = &list.globals[i];
        json_t *object = json_object();
        cnf_json_set(object, "name", cnf_json_text(global->name));
        cnf_json_set(object, "id", cnf_json_text(global->unique_id));
        cnf_json_set(object, "size_bytes", json_integer((json_int_t)global->size));
        cnf_json_set(object, "image_scope", json_boolean(global->image_scope));
        cnf_json_set(object, "host_access", json_string(rt_host_access_name(global->host_access)));
        cnf_json_append(array, object);
    }
    return array;
}

void cnf_postlink_json(rt_buffer *out, rt_arena *arena, const cnf_postlinked *modules,
                       uint32_t module_count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < module_count; i++) {
        json_t *object = json_object(), *images = json_array();
        for (uint32_t k = 0; k < modules[i].images.count; k++)
            cnf_json_append(images, image_json(arena, &modules[i].images.images[k]));
        cnf_json_set(object, "module", cnf_json_text(modules[i].module));
        cnf_json_set(object, "split", json_string(modules[i].split));
        cnf_json_set(object, "device_globals", globals_json(modules[i].device_globals));
        cnf_json_set(object, "images", images);
        cnf_json_append(array, object);
    }
    cnf_json_write(out, array, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    rt_buffer_append_byte(out, '\n');
}
