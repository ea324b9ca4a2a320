/* References to device_globals before any image has been built: a name, and a module if several
 * modules have variables of that name. resolve/variables.c resolves them. */
#include "conformance/scenario/read/variable.h"

#include "conformance/scenario/model/type.h"
#include "conformance/scenario/resolve/variables.h"

#include <string.h>

/* ---- A variable ---------------------------------------------------------------------------- */

static const scn_shape shape_variable_name = {SCN_TEXT("the name of a device_global")};

static const scn_row variable_rows[] = {
    {"variable", &shape_variable_name, SCN_REQUIRED, SCN_FIELD(scn_variable, name),
     "The name as written in the source, including namespaces, or the unique id."},
    {"module", &scn_shape_module_reference, SCN_OR_NONE, SCN_FIELD(scn_variable, module),
     "The module that the variable belongs to, if several modules have a variable of that name."},
};
static const scn_shape shape_variable_object = {SCN_OBJECT("a device_global", variable_rows)};

static const scn_row stored_rows[] = {
    SCN_HIDDEN(&scn_shape_text, scn_variable, name),
    SCN_HIDDEN(&scn_shape_position, scn_variable, at),
    {NULL, &scn_shape_module_reference, SCN_OR_NONE, SCN_FIELD(scn_variable, module), NULL},
    SCN_HIDDEN(&scn_shape_number, scn_variable, global),
};
const scn_shape scn_shape_stored_variable = {SCN_STRUCT(stored_rows)};

static bool variable_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_variable *variable = out;
    *variable = (scn_variable){.at = node->at, .module = SCN_NONE, .global = SCN_NONE};
    if (node->kind == SCN_NODE_MAPPING)
        return scn_object_read(reader, &shape_variable_object, node, variable);
    if (!scn_value_read(reader, &shape_variable_name, node, &variable->name)) return false;
    if (scn_variable_may_be(reader->scenario, variable->name)) return true;
    return scn_report(reader->reporter, node->at,
                      "no module has a device_global '%s': no source mentions the name",
                      scn_excerpt(reader->arena, variable->name));
}

const scn_shape scn_shape_variable = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a device_global",
    .read = variable_read,
    .stored = &scn_shape_stored_variable,
    .alternatives = {&shape_variable_object, &shape_variable_name},
};

/* ---- One end of a copy --------------------------------------------------------------------- */

/* A plain name refers to a memory if a memory has that name, or if no source mentions a variable of
 * that name. */
bool scn_copy_end_read(scn_reader *reader, const scn_node *node, uint32_t *out_memory,
                       scn_variable *out_variable)
{
    *out_memory = SCN_NONE;
    bool named = node->kind == SCN_NODE_SCALAR && node->text.length > 0;
    bool memory =
        named && (rt_map_find(&reader->names[SCN_TABLE_MEMORIES].map, node->text) != RT_MAP_NONE ||
                  !scn_variable_may_be(reader->scenario, node->text));
    return memory ? scn_value_read(reader, &scn_shape_memory_reference, node, out_memory)
                  : variable_read(reader, node, out_variable);
}

static const scn_shape shape_end_name = {SCN_TEXT("the name of a memory or device_global")};

const scn_shape scn_shape_copy_end = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the name of a memory, or a device_global",
    .stored = &scn_shape_memory_reference,
    .alternatives = {&shape_end_name, &shape_variable_object},
};

/* ---- Element types ------------------------------------------------------------------------- */

static const scn_shape shape_type_word = {SCN_WORD("a type", scn_type_word)};

static bool element_type_read(scn_reader *reader, const scn_node *node, void *out)
{
    rt_text name;
    scn_type type;
    uint32_t lanes;
    if (!scn_value_read(reader, &shape_type_word, node, &name)) return false;
    if (!scn_type_find(name, &type, &lanes)) {
        return scn_report(
            reader->reporter, node->at,
            "a device_global can be read only as scalars or vectors; copy it to a memory of "
            "structs, and expect the contents of that memory");
    }
    scn_layout layout = scn_layout_of(reader->arena, type, lanes);
    memcpy(out, &layout, sizeof layout);
    return true;
}

const scn_shape scn_shape_element_type = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a type",
    .read = element_type_read,
    .stored = &scn_shape_layout,
    .alternatives = {&scn_shape_value_type},
};
