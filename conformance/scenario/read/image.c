/* Device images written by hand: their own code, and the properties that the scenario claims for
 * it, true or not. What the images mean is left to the runtime. */
#include "conformance/scenario/read/source.h"

#include "conformance/scenario/yaml/number.h"
#include "reference/base/stream.h"

#include <string.h>

/* ---- Values of properties ----------------------------------------------------------------- */

static const scn_shape shape_number = {SCN_INTEGER("a 32-bit number", 0, UINT32_MAX)};
static const scn_shape shape_text_value, shape_numbers_value;

static bool bytes_read(scn_reader *reader, const scn_node *node, void *out)
{
    return scn_hexadecimal_read(reader->reporter, node, out);
}

/* The text may be empty: a value of 0 bytes. */
static bool text_read(scn_reader *reader, const scn_node *node, void *out)
{
    rt_text text;
    if (!scn_kind_read(reader, &shape_text_value, node, &text)) return false;
    *(rt_bytes *)out = (rt_bytes){(const uint8_t *)text.data, text.length};
    return true;
}

static bool numbers_read(scn_reader *reader, const scn_node *node, void *out)
{
    if (!scn_items_check(reader, &shape_numbers_value, node)) return false;
    rt_buffer bytes = {0};
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++) {
        uint64_t number = 0;
        valid = scn_value_read(reader, &shape_number, &node->items[i], &number) && valid;
        rt_write_u32(&bytes, (uint32_t)number);
    }
    *(rt_bytes *)out = rt_arena_bytes(reader->arena, rt_buffer_bytes(&bytes));
    rt_buffer_free(&bytes);
    return valid;
}

static const scn_shape shape_bytes_value = {SCN_TEXT("bytes"), .pattern = SCN_HEXADECIMAL_PATTERN,
                                            .read = bytes_read};
static const scn_shape shape_text_value = {SCN_TEXT("a text"), .empty = true, .read = text_read};
static const scn_shape shape_numbers_value = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of 32-bit numbers",
    .element = &shape_number,
    .read = numbers_read,
};

static const scn_row value_rows[] = {
    {"bytes", &shape_bytes_value, SCN_ALTERNATIVE, SCN_FIELD(rt_property, bytes),
     "The bytes, as hexadecimal digits."},
    {"text", &shape_text_value, SCN_ALTERNATIVE, SCN_FIELD(rt_property, bytes),
     "A text whose bytes are the value, without a terminating NUL."},
    {"u32", &shape_numbers_value, SCN_ALTERNATIVE, SCN_FIELD(rt_property, bytes),
     "32-bit numbers that are the value, in little-endian byte order."},
};
static const scn_shape shape_value_object = {SCN_OBJECT("the value of a property", value_rows)};

/* A number gives a property of type UINT32; everything else gives one of type BYTES. */
static bool value_read(scn_reader *reader, const scn_node *node, void *out)
{
    rt_property *property = out;
    if (node->kind == SCN_NODE_SCALAR) {
        uint64_t number;
        if (!scn_value_read(reader, &shape_number, node, &number)) return false;
        property->type = RT_PROPERTY_UINT32;
        property->number = (uint32_t)number;
        return true;
    }
    property->type = RT_PROPERTY_BYTES;
    return scn_object_read(reader, &shape_value_object, node, property) &&
           scn_object_alternative(reader, &shape_value_object, node, "a kind of value") != SCN_NONE;
}

static const scn_shape shape_value = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the value of a property",
    .read = value_read,
    .alternatives = {&shape_number, &shape_value_object},
};

/* ---- Property sets ------------------------------------------------------------------------ */

/* Maps whose keys may be any text. They are read by sets_read, because rows cannot describe a map
 * inside a map. */
static const scn_shape shape_set = {
    .kind = SCN_SHAPE_MAP,
    .noun = "a property set: a mapping from names to values",
    .element = &shape_value,
    .any_key = true,
};

static bool sets_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_hand_image *image = out;
    if (node->kind != SCN_NODE_MAPPING)
        return scn_report_expected(reader, node,
                                   "property sets: a mapping from set names to mappings");
    rt_property_set *sets = rt_arena_alloc_array(reader->arena, node->count, sizeof *sets);
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++) {
        const scn_node *set = &node->entries[i].value;
        if (set->kind != SCN_NODE_MAPPING) {
            valid = scn_report_expected(reader, set, shape_set.noun);
            continue;
        }
        rt_property *properties =
            rt_arena_alloc_array(reader->arena, set->count, sizeof *properties);
        for (uint32_t k = 0; k < set->count; k++) {
            properties[k].name = set->entries[k].key;
            valid = value_read(reader, &set->entries[k].value, &properties[k]) && valid;
        }
        sets[i].name = node->entries[i].key;
        sets[i].properties = properties;
        sets[i].property_count = set->count;
    }
    image->sets = sets;
    image->set_count = node->count;
    return valid;
}

static const scn_shape shape_stored_set = {.kind = SCN_SHAPE_SET};
static const scn_shape shape_stored_sets = {SCN_TABLE(rt_property_set, &shape_stored_set)};
static const scn_shape shape_sets = {
    .kind = SCN_SHAPE_MAP,
    .noun = "property sets",
    .element = &shape_set,
    .any_key = true,
    .read = sets_read,
};

/* ---- Images ------------------------------------------------------------------------------- */

static const scn_shape shape_kernels = {SCN_LIST("a list of kernels", rt_text, &scn_shape_kernel)};
static const scn_shape shape_options = {SCN_TEXT("options for the device")};

static const scn_row image_rows[] = {
    SCN_SOURCE_ROWS(scn_hand_image, source.language, SCN_WRITTEN),
    SCN_HIDDEN(&scn_shape_position, scn_hand_image, at),
    SCN_HIDDEN(&scn_shape_source, scn_hand_image, source),
    {NULL, &shape_stored_sets, 0, SCN_ITEMS_IF(scn_hand_image, sets, set_count, sets_given), NULL},
    {"format", &scn_shape_format, 0, SCN_FIELD(scn_hand_image, format),
     "The format that the image claims to have; default: spirv64."},
    {"kernels", &shape_kernels, 0,
     SCN_ITEMS_IF(scn_hand_image, kernels, kernel_count, kernels_given),
     "The kernels that the image claims to have, instead of those in the code."},
    {"properties",
     &shape_sets,
     0,
     {0, 0, 0, (uint32_t)offsetof(scn_hand_image, sets_given)},
     "All property sets of the image, {SET: {PROPERTY: VALUE}}, instead of those derived from the "
     "code; a value is a number, {bytes: HEX}, {text: TEXT} or {u32: [NUMBERS]}."},
    {"compile_options", &shape_options, 0, SCN_FIELD(scn_hand_image, compile_options),
     "Options for the device's compiler."},
    {"link_options", &shape_options, 0, SCN_FIELD(scn_hand_image, link_options),
     "Options for the device's linker."},
};
_Static_assert(RT_FORMAT_SPIRV64 == 0, "spirv64 is the default format");
static const scn_shape shape_image;

static bool image_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_hand_image *image = object;
    image->at = node->at;
    return scn_source_finish(reader, &shape_image, node, &image->source);
}

static const scn_shape shape_image = {
    SCN_OBJECT("an image", image_rows),
    .also = SCN_SOURCE_ALSO,
    .finish = image_finish,
};
const scn_shape scn_shape_hand_images = {
    SCN_LIST("the list of images", scn_hand_image, &shape_image),
    .least = 1,
};
