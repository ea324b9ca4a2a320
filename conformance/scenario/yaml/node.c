/* Queries of a tree's nodes, independent of the parser that built it. */
#include "conformance/scenario/yaml/yaml.h"

const scn_entry *scn_node_entry(const scn_node *mapping, const char *key)
{
    for (uint32_t i = 0; mapping->kind == SCN_NODE_MAPPING && i < mapping->count; i++) {
        if (rt_text_is(mapping->entries[i].key, key)) return &mapping->entries[i];
    }
    return NULL;
}

bool scn_node_is_word(const scn_node *node, const char *word)
{
    bool plain = node->kind == SCN_NODE_SCALAR && node->style == SCN_STYLE_PLAIN;
    return plain && rt_text_is(node->text, word);
}

bool scn_node_is_nothing(const scn_node *node)
{
    return scn_node_is_word(node, "");
}

const char *scn_node_describe(rt_arena *arena, const scn_node *node)
{
    if (node->kind == SCN_NODE_LIST) return "a list";
    if (node->kind == SCN_NODE_MAPPING) return "a mapping";
    if (scn_node_is_nothing(node)) return "nothing";
    return rt_arena_printf(arena, "'%s'", scn_excerpt(arena, node->text)).data;
}
