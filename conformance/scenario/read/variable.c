/* References to device_globals, as they can be read before any image is made: a name, and where
 * several modules have variables of that name, a module.  variables.c finds what they mean. */
#include "conformance/scenario/read/variable.h"

#include "conformance/scenario/model/type.h"

#include <string.h>

/* ---- What a name may mean ------------------------------------------------------------------ */

static bool holds(rt_text text, rt_text part)
{
    return part.length <= text.length && memmem(text.data, text.length, part.data, part.length);
}

/* The last part of a qualified name: "Bar" of "inner::Bar". */
static rt_text last_part(rt_text name)
{
    size_t begin = name.length;
    while (begin > 0 && name.data[begin - 1] != ':')
        begin--;
    return (rt_text){name.data + begin, name.length - begin};
}

/* A source that is not embedded is not read yet and may hold any name. */
static bool source_may_declare(const scn_source *source, rt_text name)
{
    return source->file.length > 0 || holds(source->code, last_part(name));
}

static bool module_may_have(const scn_module *module, rt_text name)
{
    for (uint32_t i = 0; i < module->source_count; i++) {
        if (source_may_declare(&module->sources[i], name)) return true;
    }
    for (uint32_t i = 0; i < module->hand_image_count; i++) {
        if (source_may_declare(&module->hand_images[i].source, name)) return true;
    }
    for (uint32_t i = 0; i < module->device_globals.count; i++) {
        const rt_device_global *global = &module->device_globals.globals[i];
        if (rt_text_equal(global->name, name) || rt_text_equal(global->unique_id, name))
            return true;
    }
    return false;
}

bool scn_variable_may_be(const scn_reader *reader, rt_text name)
{
    for (uint32_t i = 0; i < reader->scenario->module_count; i++) {
        if (module_may_have(&reader->scenario->modules[i], name)) return true;
    }
    return false;
}

/* ---- A variable ---------------------------------------------------------------------------- */

static const scn_shape shape_variable_name = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "the name of a device_global",
};

enum { VARIABLE_NAME, VARIABLE_MODULE };
static const scn_row variable_rows[] = {
    [VARIABLE_NAME] = {"variable", &shape_variable_name, SCN_REQUIRED,
                       SCN_FIELD(scn_variable, name),
                       "Its name as its source has it, namespaces included, or its unique id."},
    [VARIABLE_MODULE] = {"module", &scn_shape_module_reference, 0, SCN_FIELD(scn_variable, module),
                         "The module whose variable it is, where several have one of that name."},
};
static const scn_shape shape_variable_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a device_global",
    SCN_ROWS(variable_rows),
};

static bool variable_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_variable variable = {.at = node->at, .module = SCN_NONE, .global = SCN_NONE};
    uint64_t given;
    bool fine = node->kind == SCN_NODE_MAPPING
                    ? scn_object_read(reader, &shape_variable_object, node, &variable, &given)
                    : scn_value_read(reader, &shape_variable_name, node, &variable.name);
    if (!fine) return false;
    memcpy(out, &variable, sizeof variable);
    /* A unique id is in no source. */
    if (node->kind == SCN_NODE_MAPPING || scn_variable_may_be(reader, variable.name)) return true;
    return scn_report(reader->reporter, node->at,
                      "no module has a device_global '%s': no source mentions it",
                      scn_shown(reader->arena, variable.name));
}

const scn_shape scn_shape_variable = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a device_global",
    .read = variable_read,
    .alternatives = {&shape_variable_object, &shape_variable_name},
};

/* ---- One end of a copy --------------------------------------------------------------------- */

/* A plain name is a memory's where there is such a memory. */
static bool end_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_copy_end end = {.memory = SCN_NONE, .variable = {.module = SCN_NONE, .global = SCN_NONE}};
    bool named = node->kind == SCN_NODE_SCALAR && node->text.length > 0;
    bool memory = named && rt_map_find(&reader->memories.map, node->text) != RT_MAP_NONE;
    bool fine = named && (memory || !scn_variable_may_be(reader, node->text))
                    ? scn_memory_reference_read(reader, node, &end.memory)
                    : variable_read(reader, node, &end.variable);
    memcpy(out, &end, sizeof end);
    return fine;
}

static const scn_shape shape_end_name = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "the name of a memory or device_global",
};

const scn_shape scn_shape_copy_end = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the name of a memory, or a device_global",
    .read = end_read,
    .alternatives = {&shape_end_name, &shape_variable_object},
};

/* ---- What a variable is made of ------------------------------------------------------------ */

static const scn_shape shape_type_word = {
    .kind = SCN_SHAPE_WORD,
    .noun = "a type",
    .word = scn_type_word,
};

static bool element_type_read(scn_reader *reader, const scn_node *node, void *out)
{
    rt_text name;
    scn_type type;
    uint32_t lanes;
    if (!scn_value_read(reader, &shape_type_word, node, &name)) return false;
    if (!scn_type_find(name, &type, &lanes)) {
        return scn_report(
            reader->reporter, node->at,
            "a variable is read as scalars or vectors; copy it to a memory of structs "
            "and expect that");
    }
    scn_layout layout = scn_layout_of(reader->arena, type, lanes);
    memcpy(out, &layout, sizeof layout);
    return true;
}

const scn_shape scn_shape_element_type = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a type",
    .read = element_type_read,
    .alternatives = {&scn_shape_value_type},
};
