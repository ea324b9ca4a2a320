/* Device images written by hand: their own code, and the properties that a scenario claims for it,
 * true or not. The runtime decides what images mean. */
#include "conformance/scenario/read/source.h"

#include "conformance/scenario/yaml/number.h"
#include "reference/base/stream.h"

#include <string.h>

/* ---- Formats ------------------------------------------------------------------------------ */

/* An image cannot claim the format of source: a subject that wants source makes it from every
 * image. The format after it is not used by any subject. */
_Static_assert(RT_FORMAT_OPENCL_C == RT_FORMAT_COUNT - 2, "the formats before it are offered");
static const char *format_word(uint32_t index)
{
    return index < RT_FORMAT_OPENCL_C ? rt_format_name((rt_format)index) : NULL;
}
static const scn_shape shape_format_name = {SCN_WORD("a format", format_word)};

static bool format_read(scn_reader *reader, const scn_node *node, void *out)
{
    rt_text name;
    if (!scn_value_read(reader, &shape_format_name, node, &name)) return false;
    rt_format format = rt_format_find(name);
    CHECK(format != RT_FORMAT_COUNT);
    memcpy(out, &format, sizeof format);
    return true;
}

static const scn_shape shape_format_number = {SCN_NUMBER(RT_FORMAT_COUNT - 1)};
static const scn_shape shape_format = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a format",
    .read = format_read,
    .stored = &shape_format_number,
    .alternatives = {&shape_format_name},
};

/* ---- Values of properties ----------------------------------------------------------------- */

static const scn_shape shape_number = {SCN_INTEGER("a 32-bit number", 0, UINT32_MAX)};
static const scn_shape shape_text = {SCN_TEXT("a text"), .empty = true};
static const scn_shape shape_numbers = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of 32-bit numbers",
    .element = &shape_number,
};

static bool bytes_read(scn_reader *reader, const scn_node *node, void *out)
{
    return scn_hexadecimal_read(reader->reporter, node, out);
}

/* An empty text is a value of 0 bytes. */
static bool text_read(scn_reader *reader, const scn_node *node, void *out)
{
    if (node->kind != SCN_NODE_SCALAR || scn_node_is_nothing(node)) {
        return scn_report(reader->reporter, node->at, "expected a text, found %s",
                          scn_node_describe(reader->arena, node));
    }
    *(rt_bytes *)out = (rt_bytes){(const uint8_t *)node->text.data, node->text.length};
    return true;
}

static bool numbers_read(scn_reader *reader, const scn_node *node, void *out)
{
    if (node->kind != SCN_NODE_LIST) {
        return scn_report(reader->reporter, node->at, "expected %s, found %s", shape_numbers.noun,
                          scn_node_describe(reader->arena, node));
    }
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

static const scn_shape shape_digits = {SCN_TEXT("bytes"), .pattern = SCN_HEXADECIMAL_PATTERN};
static const scn_shape shape_bytes_value = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "bytes",
    .read = bytes_read,
    .alternatives = {&shape_digits},
};
static const scn_shape shape_text_value = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a text",
    .read = text_read,
    .alternatives = {&shape_text},
};
static const scn_shape shape_numbers_value = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a list of 32-bit numbers",
    .read = numbers_read,
    .alternatives = {&shape_numbers},
};

static const scn_row value_rows[] = {
    {"bytes", &shape_bytes_value, SCN_ALTERNATIVE, SCN_FIELD(rt_property, bytes),
     "The bytes, in hexadecimal digits."},
    {"text", &shape_text_value, SCN_ALTERNATIVE, SCN_FIELD(rt_property, bytes),
     "The bytes of a text, without a terminating NUL."},
    {"u32", &shape_numbers_value, SCN_ALTERNATIVE, SCN_FIELD(rt_property, bytes),
     "32-bit numbers, little-endian."},
};
static const scn_shape shape_value_object = {SCN_OBJECT("the value of a property", value_rows)};

/* A whole number is a property of that type; everything else has the type of bytes. */
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

/* Maps whose keys may be any text; they are read here, because a map in a map has no row. */
static const scn_shape shape_set = {
    .kind = SCN_SHAPE_MAP,
    .noun = "a property set: a mapping of names to values",
    .element = &shape_value,
    .any_key = true,
};
static const scn_shape shape_set_map = {
    .kind = SCN_SHAPE_MAP,
    .noun = "property sets: a mapping of their names to mappings",
    .element = &shape_set,
    .any_key = true,
};

static bool mapping_check(scn_reader *reader, const scn_shape *shape, const scn_node *node)
{
    if (node->kind == SCN_NODE_MAPPING) return true;
    return scn_report(reader->reporter, node->at, "expected %s, found %s", shape->noun,
                      scn_node_describe(reader->arena, node));
}

static bool set_read(scn_reader *reader, const scn_node *node, rt_property_set *set)
{
    if (!mapping_check(reader, &shape_set, node)) return false;
    rt_property *properties = rt_arena_alloc_array(reader->arena, node->count, sizeof *properties);
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++) {
        properties[i].name = node->entries[i].key;
        valid = value_read(reader, &node->entries[i].value, &properties[i]) && valid;
    }
    set->properties = properties;
    set->property_count = node->count;
    return valid;
}

static bool sets_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_hand_image *image = out;
    if (!mapping_check(reader, &shape_set_map, node)) return false;
    rt_property_set *sets = rt_arena_alloc_array(reader->arena, node->count, sizeof *sets);
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++) {
        sets[i].name = node->entries[i].key;
        valid = set_read(reader, &node->entries[i].value, &sets[i]) && valid;
    }
    image->sets = sets;
    image->set_count = node->count;
    return valid;
}

static const scn_shape shape_stored_set = {.kind = SCN_SHAPE_SET};
static const scn_shape shape_stored_sets = {SCN_TABLE(rt_property_set, &shape_stored_set)};
static const scn_shape shape_sets = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "property sets",
    .read = sets_read,
    .alternatives = {&shape_set_map},
};

/* ---- Images ------------------------------------------------------------------------------- */

static const scn_shape shape_kernels = {SCN_LIST("a list of kernels", rt_text, &scn_shape_kernel)};
static const scn_shape shape_options = {SCN_TEXT("options for the device")};

typedef struct image_draft {
    scn_hand_image image;
    scn_source_draft source;
} image_draft;
_Static_assert(offsetof(image_draft, image) == 0, "rows of the model fill the draft");

/* Rows that files and the model share; the rest of an image is its source. */
#define MODEL_ROWS                                                                                 \
    {"format", &shape_format, 0, SCN_FIELD(scn_hand_image, format),                                \
     "The format that the image claims to have; default: spirv64."},                               \
        {"kernels", &shape_kernels, 0,                                                             \
         SCN_ITEMS_IF(scn_hand_image, kernels, kernel_count, kernels_given),                       \
         "The kernels that the image claims to have, instead of those of the code."},              \
        {"properties",                                                                             \
         &shape_sets,                                                                              \
         0,                                                                                        \
         {0, 0, 0, (uint32_t)offsetof(scn_hand_image, sets_given)},                                \
         "All its property sets, {SET: {PROPERTY: VALUE}}, instead of those of the code; a value " \
         "is a number, {bytes: HEX}, {text: TEXT} or {u32: [NUMBERS]}."},                          \
        {"compile_options", &shape_options, 0, SCN_FIELD(scn_hand_image, compile_options),         \
         "Options for the device's compiler."},                                                    \
    {                                                                                              \
        "link_options", &shape_options, 0, SCN_FIELD(scn_hand_image, link_options),                \
            "Options for the device's linker."                                                     \
    }

static const scn_row image_rows[] = {SCN_SOURCE_ROWS(image_draft, source), MODEL_ROWS};
static const scn_shape shape_image_object = {
    SCN_OBJECT("an image", image_rows),
    .also = SCN_SOURCE_ALSO,
};
static const scn_row stored_rows[] = {
    SCN_HIDDEN(&scn_shape_position, scn_hand_image, at),
    SCN_HIDDEN(&scn_shape_stored_source, scn_hand_image, source),
    {NULL, &shape_stored_sets, 0, SCN_ITEMS_IF(scn_hand_image, sets, set_count, sets_given), NULL},
    MODEL_ROWS,
};
static const scn_shape shape_stored_image = {SCN_STRUCT(stored_rows)};

static bool image_read(scn_reader *reader, const scn_node *node, void *out)
{
    image_draft draft = {.image = {.at = node->at, .format = RT_FORMAT_SPIRV64}};
    if (!scn_object_read(reader, &shape_image_object, node, &draft)) return false;
    bool valid =
        scn_source_finish(reader, &shape_image_object, node, &draft.source, &draft.image.source);
    *(scn_hand_image *)out = draft.image;
    return valid;
}

static const scn_shape shape_image = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an image",
    .read = image_read,
    .stored = &shape_stored_image,
    .alternatives = {&shape_image_object},
};
const scn_shape scn_shape_hand_images = {
    SCN_LIST("the list of images", scn_hand_image, &shape_image),
    .least = 1,
};
