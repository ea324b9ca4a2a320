/* Reads requirements.yaml and the scenarios' `covers:` with libyaml's document tree.
 * conformance/scenario checks the scenarios, with positions and advice. */
#include "conformance/requirements/rules.h"

#include "reference/base/limits.h"
#include "reference/base/vector.h"

#include <string.h>
#include <yaml.h>

enum { TABLE_SIZE_MAX = 64 << 20 };

/* ---- The tree ------------------------------------------------------------------------------ */

static rt_text scalar_text(const yaml_node_t *node)
{
    if (!node || node->type != YAML_SCALAR_NODE) return (rt_text){0};
    return (rt_text){(const char *)node->data.scalar.value, node->data.scalar.length};
}

/* The value of a key; NULL if the node is not a mapping or has no such key. */
static yaml_node_t *mapping_value(yaml_document_t *document, const yaml_node_t *node,
                                  const char *key)
{
    if (!node || node->type != YAML_MAPPING_NODE) return NULL;
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name = yaml_document_get_node(document, pair->key);
        if (rt_text_is(scalar_text(name), key))
            return yaml_document_get_node(document, pair->value);
    }
    return NULL;
}

/* Loads the first document of the text; false if it is empty or not YAML. The text must outlive the
 * document, which the caller deletes. */
static bool document_load(rt_text text, yaml_document_t *out_document)
{
    yaml_parser_t parser;
    /* libyaml does not accept NULL. */
    if (text.length == 0 || !yaml_parser_initialize(&parser)) return false;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.data, text.length);
    bool loaded = yaml_parser_load(&parser, out_document) == 1;
    yaml_parser_delete(&parser);
    if (loaded && yaml_document_get_root_node(out_document)) return true;
    if (loaded) yaml_document_delete(out_document);
    return false;
}

/* ---- Rules --------------------------------------------------------------------------------- */

/* ---- Umbrellas ----------------------------------------------------------------------------- */

static rt_status refuse_parts(rt_sink *sink, const cnf_rule *rule, rt_text part, const char *why)
{
    return rt_fail_naming(sink, RT_MALFORMED, RT_RULE_NONE, &part, 1, "rule %.*s: part '%.*s' %s",
                          RT_TEXT_ARG(rule->id), RT_TEXT_ARG(part), why);
}

/* Finds the rules that the list `parts:` names, and stores their indices in the rule. */
static rt_status parts_find(rt_sink *sink, rt_arena *arena, yaml_document_t *document,
                            const yaml_node_t *list, const cnf_rules *rules, cnf_rule *rule)
{
    CHECK(rule);
    if (!list) return RT_STATUS_OK;
    if (list->type != YAML_SEQUENCE_NODE || !rt_text_is(rule->proof, "parts"))
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "rule %.*s: `parts:` must be a list of ids, with `proof: parts`",
                       RT_TEXT_ARG(rule->id));
    const yaml_node_item_t *first = list->data.sequence.items.start;
    size_t count = (size_t)(list->data.sequence.items.top - first);
    uint32_t *parts = rt_arena_alloc_array(arena, count, sizeof *parts);
    for (size_t i = 0; i < count; i++) {
        rt_text id = scalar_text(yaml_document_get_node(document, first[i]));
        parts[i] = cnf_rules_find(rules, id);
        if (parts[i] == UINT32_MAX)
            return refuse_parts(sink, rule, id, "is not a rule of the table");
        if (rt_text_is(rules->items[parts[i]].proof, "parts"))
            return refuse_parts(sink, rule, id, "is an umbrella itself; name its parts");
    }
    CHECK(count <= UINT32_MAX);
    rule->parts = parts;
    rule->part_count = (uint32_t)count;
    return RT_STATUS_OK;
}

/* ---- The table ----------------------------------------------------------------------------- */

/* Reads the rules of the list; false if it is not a list of mappings, each with an id. */
static bool rules_collect(rt_arena *arena, yaml_document_t *document, cnf_rule **out_rules,
                          uint32_t *out_count)
{
    const yaml_node_t *root = yaml_document_get_root_node(document);
    if (root->type != YAML_SEQUENCE_NODE) return false;
    const yaml_node_item_t *first = root->data.sequence.items.start;
    size_t count = (size_t)(root->data.sequence.items.top - first);
    if (count == 0 || count > UINT32_MAX / 2) return false;
    cnf_rule *rules = rt_arena_alloc_array(arena, count, sizeof *rules);
    for (size_t i = 0; i < count; i++) {
        cnf_rule *rule = &rules[i];
        const struct {
            const char *key;
            rt_text *text;
        } keys[] = {
            {"id", &rule->id},           {"proof", &rule->proof},
            {"source", &rule->source},   {"statement", &rule->statement},
            {"outcome", &rule->outcome}, {"reading", &rule->reading},
            {"dpcpp", &rule->dpcpp},
        };
        const yaml_node_t *entry = yaml_document_get_node(document, first[i]);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            *keys[k].text =
                rt_arena_text(arena, scalar_text(mapping_value(document, entry, keys[k].key)));
        if (rule->id.length == 0) return false;
        rt_text id = rule->id;
        rule->family = rt_text_take_until(&id, '-');
    }
    *out_rules = rules;
    *out_count = (uint32_t)count;
    return true;
}

rt_status cnf_rules_read(rt_sink *sink, rt_arena *arena, rt_text file, cnf_rules *out_rules)
{
    *out_rules = (cnf_rules){0};
    rt_buffer text;
    RT_TRY(cnf_file_read(sink, file, TABLE_SIZE_MAX, &text));
    yaml_document_t document;
    rt_status status = RT_STATUS_OK;
    bool is_table = document_load(rt_buffer_text(&text), &document);
    if (is_table) {
        cnf_rule *rules = NULL;
        uint32_t count = 0;
        is_table = rules_collect(arena, &document, &rules, &count);
        if (is_table) *out_rules = (cnf_rules){rules, count};
        /* Umbrellas may name rules that follow them. */
        const yaml_node_t *root = yaml_document_get_root_node(&document);
        for (uint32_t i = 0; i < out_rules->count && rt_ok(status); i++) {
            const yaml_node_t *entry =
                yaml_document_get_node(&document, root->data.sequence.items.start[i]);
            const yaml_node_t *list = mapping_value(&document, entry, "parts");
            status = parts_find(sink, arena, &document, list, out_rules, &rules[i]);
        }
        yaml_document_delete(&document);
    }
    rt_buffer_free(&text);
    if (is_table) return status;
    return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                   "%.*s: expected a list of rules, each a mapping with an id", RT_TEXT_ARG(file));
}

/* ---- Citations ----------------------------------------------------------------------------- */

typedef RT_VECTOR(cnf_citation) citation_list;

/* Each entry of `covers:` is an id or a mapping {rule: ID, at: STEP}. */
static void citations_collect(rt_arena *arena, yaml_document_t *document, const cnf_rules *rules,
                              uint32_t scenario, citation_list *list)
{
    const yaml_node_t *root = yaml_document_get_root_node(document);
    const yaml_node_t *covers = mapping_value(document, root, "covers");
    if (!covers || covers->type != YAML_SEQUENCE_NODE) return;
    const yaml_node_item_t *item = covers->data.sequence.items.start;
    for (; item < covers->data.sequence.items.top; item++) {
        const yaml_node_t *entry = yaml_document_get_node(document, *item);
        const yaml_node_t *named = mapping_value(document, entry, "rule");
        cnf_citation citation = {.scenario = scenario,
                                 .line = (uint32_t)entry->start_mark.line + 1};
        citation.id = rt_arena_text(arena, scalar_text(named ? named : entry));
        citation.at = rt_arena_text(arena, scalar_text(mapping_value(document, entry, "at")));
        citation.rule = cnf_rules_find(rules, citation.id);
        CHECK(citation.rule == UINT32_MAX || citation.rule < rules->count);
        *rt_vector_push(list) = citation;
    }
}

rt_status cnf_citations_read(rt_sink *sink, rt_arena *arena, const cnf_files *files,
                             const cnf_rules *rules, cnf_citations *out_citations)
{
    *out_citations = (cnf_citations){0};
    citation_list list = {0};
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < files->count && rt_ok(status); i++) {
        rt_buffer text;
        yaml_document_t document;
        status = cnf_file_read(sink, files->items[i].file, RT_SCENARIO_SIZE_MAX, &text);
        if (rt_ok(status) && document_load(rt_buffer_text(&text), &document)) {
            citations_collect(arena, &document, rules, i, &list);
            yaml_document_delete(&document);
        }
        rt_buffer_free(&text);
    }
    if (rt_ok(status) && list.count > 0) {
        cnf_citation *items = rt_arena_alloc_array(arena, list.count, sizeof *items);
        memcpy(items, list.items, list.count * sizeof *items);
        *out_citations = (cnf_citations){items, list.count};
    }
    rt_vector_free(&list);
    return status;
}
