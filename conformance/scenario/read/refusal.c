/* Refusals: the error that a step is refused with, or several outcomes of which one must hold. */
#include "conformance/scenario/schema/schema.h"

/* The classes that requirements.yaml has; rt_code_matches says which of ours they stand for. */
static const char *documents_class(uint32_t index)
{
    if (index == 0) return "exception";
    return index <= RT_DRIVER_ERROR ? rt_code_name((rt_code)index) : NULL;
}
static const scn_shape shape_documents_class = {
    .kind = SCN_SHAPE_WORD,
    .noun = "a class of error",
    .word = documents_class,
};

static const char *reference_class(uint32_t index)
{
    return index + 1 < RT_CODE_COUNT ? rt_code_name((rt_code)(index + 1)) : NULL;
}
static const scn_shape shape_reference_class = {
    .kind = SCN_SHAPE_WORD,
    .noun = "a code of the reference runtime",
    .word = reference_class,
};

static const scn_shape shape_message = {.kind = SCN_SHAPE_TEXT, .noun = "a part of a message"};
static const scn_shape shape_symbol = {.kind = SCN_SHAPE_TEXT, .noun = "a symbol"};
static const scn_shape shape_symbols = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of symbols",
    .element = &shape_symbol,
    .element_size = sizeof(rt_text),
    .least = 1,
};

static const scn_row reference_rows[] = {
    {"class", &shape_reference_class, 0, SCN_FIELD(scn_error, reference_class),
     "The name of the reference runtime's own code."},
    {"names", &shape_symbols, 0, SCN_ITEMS(scn_error, names, name_count),
     "Symbols, kernels or variables that the message names, in any order."},
    {"text", &shape_message, 0, SCN_FIELD(scn_error, reference_text), "A part of the message."},
};
static const scn_shape shape_reference = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "the reference runtime's part of an error",
    SCN_ROWS(reference_rows),
};

enum { ERROR_DOCUMENTS, ERROR_REFERENCE };
static const scn_row error_rows[] = {
    [ERROR_DOCUMENTS] = {"documents", &shape_documents_class, SCN_SUFFICES,
                         SCN_FIELD(scn_error, documents),
                         "The class that the rule fixes: exception, errc::build, link-error ..."},
    [ERROR_REFERENCE] = {"reference", &shape_reference, SCN_SUFFICES, SCN_SAME,
                         "What the reference runtime says beyond that."},
};
static const scn_shape shape_error_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an error",
    SCN_ROWS(error_rows),
};

/* An error, or `none` among several outcomes. */
static bool error_read(scn_reader *reader, const scn_node *node, bool among_several,
                       scn_error *out_error)
{
    uint64_t given;
    out_error->at = node->at;
    if (scn_node_is_word(node, "none")) {
        out_error->none = true;
        if (among_several) return true;
        return scn_report(reader->reporter, node->at,
                          "'error: none' is one outcome of a one_of; a step without 'expect' "
                          "succeeds");
    }
    if (!scn_object_read(reader, &shape_error_object, node, out_error, &given)) return false;
    if (given != 0) return true;
    return scn_report(reader->reporter, node->at,
                      "an error needs documents, reference or both: which refusal is it?");
}

static const scn_shape shape_no_error = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "none",
    .pattern = "^none$",
};
const scn_shape scn_shape_error = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an error",
    .read = scn_node_keep, /* read beside a verb, refused elsewhere */
    .alternatives = {&shape_error_object, &shape_no_error},
};

bool scn_outcomes_check(scn_reader *reader, const scn_node *node)
{
    if (node->kind != SCN_NODE_LIST) {
        return scn_report(reader->reporter, node->at, "expected a list of outcomes, found %s",
                          scn_node_describe(reader->arena, node));
    }
    if (node->count >= 2 && node->count <= SCN_OUTCOME_COUNT_MAX) return true;
    return scn_report(reader->reporter, node->at, "expected from 2 to %d outcomes, found %u",
                      SCN_OUTCOME_COUNT_MAX, node->count);
}

/* The key of a mapping with one entry; NULL where it is anything else. */
static const scn_entry *only_entry(const scn_node *node, const char *key)
{
    bool one = node->kind == SCN_NODE_MAPPING && node->count == 1;
    return one ? scn_node_entry(node, key) : NULL;
}

static bool outcomes_read(scn_reader *reader, const scn_node *node, scn_step *out_step)
{
    if (!scn_outcomes_check(reader, node)) return false;
    scn_outcome *outcomes = rt_arena_alloc_array(reader->arena, node->count, sizeof *outcomes);
    bool fine = true;
    for (uint32_t i = 0; i < node->count; i++) {
        const scn_node *item = &node->items[i];
        scn_error *error = rt_arena_alloc(reader->arena, sizeof *error);
        const scn_entry *entry = only_entry(item, "error");
        outcomes[i] = (scn_outcome){.at = item->at, .error = error};
        if (entry) {
            fine = error_read(reader, &entry->value, true, error) && fine;
        } else {
            fine = scn_report(reader->reporter, item->at,
                              "beside a verb an outcome is {error: ...} or {error: none}, found %s",
                              scn_node_describe(reader->arena, item));
        }
    }
    out_step->outcomes = outcomes;
    out_step->outcome_count = node->count;
    return fine;
}

bool scn_refusal_read(scn_reader *reader, const scn_node *node, scn_step *out_step)
{
    const scn_entry *one_of = only_entry(node, "one_of");
    if (one_of) return outcomes_read(reader, &one_of->value, out_step);
    const scn_entry *entry = only_entry(node, "error");
    if (!entry) {
        return scn_report(reader->reporter, node->at,
                          "beside a verb, expect holds {error: ...} or {one_of: [...]} and nothing "
                          "else; write '- expect: ...' as a step of its own");
    }
    scn_error *error = rt_arena_alloc(reader->arena, sizeof *error);
    out_step->error = error;
    return error_read(reader, &entry->value, false, error);
}

/* ---- Modules ------------------------------------------------------------------------------- */

enum { REFUSED_COMPILE, REFUSED_POSTLINK };

typedef struct stage_draft {
    const scn_node *stages[2];
} stage_draft;

static const scn_row stage_error_rows[] = {
    {"error", &scn_shape_error, SCN_REQUIRED, SCN_FIELD(stage_draft, stages[0]),
     "The error that it is refused with."},
};
static const scn_shape shape_stage_error = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a refusal",
    .also = "{'properties': {'error': {'type': 'object'}}}", /* `none` is of a one_of */
    SCN_ROWS(stage_error_rows),
};
static const scn_shape shape_stage = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a refusal",
    .read = scn_node_keep,
    .alternatives = {&shape_stage_error},
};
static const scn_row module_refusal_rows[] = {
    [REFUSED_COMPILE] = {"compile", &shape_stage, SCN_ALTERNATIVE,
                         SCN_FIELD(stage_draft, stages[REFUSED_COMPILE]),
                         "The compiler refuses a source: {error: ...}."},
    [REFUSED_POSTLINK] = {"postlink", &shape_stage, SCN_ALTERNATIVE,
                          SCN_FIELD(stage_draft, stages[REFUSED_POSTLINK]),
                          "Post-link refuses the module: {error: ...}."},
};
static const scn_shape shape_module_refusal_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "the refusal of a module",
    SCN_ROWS(module_refusal_rows),
};

static bool module_refusal_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_module_refusal *refusal = out;
    stage_draft draft = {0}, one = {0};
    uint64_t given;
    if (!scn_object_read(reader, &shape_module_refusal_object, node, &draft, &given)) return false;
    uint32_t stage = scn_object_alternative(reader, &shape_module_refusal_object, node, given,
                                            "the stage that refuses it");
    if (stage == SCN_NONE) return false;
    if (!scn_object_read(reader, &shape_stage_error, draft.stages[stage], &one, &given))
        return false;
    scn_error *error = rt_arena_alloc(reader->arena, sizeof *error);
    *refusal = (scn_module_refusal){error, stage == REFUSED_COMPILE};
    return error_read(reader, one.stages[0], false, error);
}

const scn_shape scn_shape_refused = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the refusal of a module",
    .read = module_refusal_read,
    .alternatives = {&shape_module_refusal_object},
};
