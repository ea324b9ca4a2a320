/* Refusals: the error with which a step is refused, or several outcomes, one of which must hold. */
#include "conformance/scenario/schema/schema.h"

/* The error classes of requirements.yaml; rt_code_matches maps the reference runtime's codes to
 * them. */
static const char *documents_class(uint32_t index)
{
    if (index == 0) return "exception";
    return index <= RT_DRIVER_ERROR ? rt_code_name((rt_code)index) : NULL;
}
static const scn_shape shape_documents_class = {SCN_WORD("an error class", documents_class)};

static const char *reference_class(uint32_t index)
{
    return index + 1 < RT_CODE_COUNT ? rt_code_name((rt_code)(index + 1)) : NULL;
}
static const scn_shape shape_reference_class = {
    SCN_WORD("an error code of the reference runtime", reference_class),
};

static const scn_shape shape_message = {SCN_TEXT("a part of a message")};
static const scn_shape shape_symbol = {SCN_TEXT("a symbol")};
static const scn_shape shape_symbols = {
    SCN_LIST("a list of symbols", rt_text, &shape_symbol),
    .least = 1,
};

static const scn_row reference_rows[] = {
    {"class", &shape_reference_class, 0, SCN_FIELD(scn_error, reference_class),
     "The reference runtime's own error code, by name."},
    {"names", &shape_symbols, 0, SCN_ITEMS(scn_error, names, name_count),
     "The symbols, kernels or variables that the message names, in any order."},
    {"text", &shape_message, 0, SCN_FIELD(scn_error, reference_text), "A part of the message."},
};
static const scn_shape shape_reference = {
    SCN_OBJECT("the reference runtime's details of an error", reference_rows),
};

static const scn_row error_rows[] = {
    {"documents", &shape_documents_class, SCN_SUFFICES, SCN_FIELD(scn_error, documents),
     "The error class that the rule requires: exception, errc::build, link-error ..."},
    {"reference", &shape_reference, SCN_SUFFICES, SCN_SAME,
     "What the reference runtime reports in addition."},
    SCN_HIDDEN(&scn_shape_position, scn_error, at),
    SCN_HIDDEN(&scn_shape_flag, scn_error, none),
};
const scn_shape scn_shape_error = {SCN_OBJECT("an error", error_rows)};
static const scn_shape shape_no_error = {SCN_TEXT("none"), .pattern = "^none$"};

/* An error, or `none`, which check.c accepts only as one of several outcomes. */
static bool error_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_error *error = out;
    error->at = node->at;
    error->none = scn_node_is_word(node, "none");
    return error->none || scn_object_read(reader, &scn_shape_error, node, error);
}

const scn_shape scn_shape_error_value = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an error",
    .read = error_read,
    .alternatives = {&scn_shape_error, &shape_no_error},
};

/* The entry under `key` if it is the mapping's only entry; NULL for anything else. */
static const scn_entry *only_entry(const scn_node *node, const char *key)
{
    bool single = node->kind == SCN_NODE_MAPPING && node->count == 1;
    return single ? scn_node_entry(node, key) : NULL;
}

static bool outcomes_read(scn_reader *reader, const scn_entry *one_of, scn_step *out_step)
{
    const scn_node *node = &one_of->value;
    if (node->kind != SCN_NODE_LIST) return scn_report_expected(reader, node, "a list of outcomes");
    scn_outcome *outcomes = rt_arena_alloc_array(reader->arena, node->count, sizeof *outcomes);
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++)
        valid = scn_verb_outcome_read(reader, &node->items[i], &outcomes[i]) && valid;
    out_step->outcomes = outcomes;
    out_step->outcome_count = node->count;
    scn_locate(reader, &out_step->outcomes, one_of->at, node->at);
    return valid;
}

bool scn_refusal_read(scn_reader *reader, const scn_node *node, scn_step *out_step)
{
    const scn_entry *one_of = only_entry(node, "one_of");
    if (one_of) return outcomes_read(reader, one_of, out_step);
    const scn_entry *entry = only_entry(node, "error");
    if (!entry) {
        return scn_report(reader->reporter, node->at,
                          "in a step with a verb, expect holds {error: ...} or {one_of: [...]} and "
                          "nothing else; write '- expect: ...' as a separate step");
    }
    scn_error *error = rt_arena_alloc(reader->arena, sizeof *error);
    out_step->error = error;
    return error_read(reader, &entry->value, error);
}

/* ---- Modules ------------------------------------------------------------------------------- */

static const scn_shape shape_refusal_error = {
    .kind = SCN_SHAPE_POINTER,
    .element = &scn_shape_error,
    .element_size = sizeof(scn_error),
};
static const scn_row stage_rows[] = {
    {"error", &scn_shape_error_value, SCN_REQUIRED | SCN_WRITTEN, SCN_SAME,
     "The error with which this stage refuses the module."},
};
static const scn_shape shape_stage = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a refusal",
    .also = "{'properties': {'error': {'type': 'object'}}}", /* `none` is for one_of only */
    SCN_ROWS(stage_rows),
};
static const scn_row module_refusal_rows[] = {
    {"compile", &shape_stage, SCN_ALTERNATIVE | SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
     "The compiler refuses a source: {error: ...}."},
    {"postlink", &shape_stage, SCN_ALTERNATIVE | SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
     "Post-link refuses the module: {error: ...}."},
    SCN_HIDDEN(&shape_refusal_error, scn_module_refusal, error),
    SCN_HIDDEN(&scn_shape_flag, scn_module_refusal, by_front_end),
};

static bool module_refusal_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_module_refusal *refusal = object;
    uint32_t stage = scn_object_alternative(reader, &scn_shape_refused, node,
                                            "the stage that refuses the module");
    if (stage == SCN_NONE) return false;
    scn_error *error = rt_arena_alloc(reader->arena, sizeof *error);
    *refusal = (scn_module_refusal){error, stage == 0};
    return scn_object_read(reader, &shape_stage,
                           scn_node_value(node, module_refusal_rows[stage].key), error);
}

const scn_shape scn_shape_refused = {
    SCN_OBJECT("the refusal of a module", module_refusal_rows),
    .finish = module_refusal_finish,
};
