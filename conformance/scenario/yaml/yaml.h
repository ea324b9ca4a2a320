/* Reads the strict subset of YAML in which scenarios are written into a tree with positions.
 *
 * Mappings, lists and scalars; block or flow style; plain, quoted, literal and folded text.  There
 * are no anchors, aliases, tags, directives, second documents, duplicate keys, keys other than
 * scalars, or tabs outside text and comments. */
#ifndef CONFORMANCE_SCENARIO_YAML_H
#define CONFORMANCE_SCENARIO_YAML_H

#include "conformance/scenario/yaml/problems.h"

/* The message of a build without libyaml, which cannot read YAML. */
#define SCN_YAML_ABSENT                                                                            \
    "this assay was built without libyaml and cannot read YAML; make a pack with 'assay pack' of " \
    "a build with libyaml, and run that"

typedef enum scn_node_kind { SCN_NODE_SCALAR, SCN_NODE_LIST, SCN_NODE_MAPPING } scn_node_kind;

typedef enum scn_style {
    SCN_STYLE_PLAIN,   /* may be a number or a truth value */
    SCN_STYLE_QUOTED,  /* is text */
    SCN_STYLE_LITERAL, /* "|": text, line breaks kept */
    SCN_STYLE_FOLDED,  /* ">": text, lines joined */
} scn_style;

typedef struct scn_node {
    scn_node_kind kind;
    scn_style style; /* SCALAR */
    scn_position at; /* of the first character (which may be a quote, a bracket, "|" or ">") or
                      * first key
                      */
    /* SCALAR: where the decoded text begins.  Exact for LITERAL: line n of the text is the file's
     * line content_at.line + n - 1, and the columns of all its lines are shifted by
     * content_at.column - 1.  For the other styles, only the first line's position is right. */
    scn_position content_at;
    rt_text text;                    /* SCALAR: decoded, UTF-8 */
    const struct scn_node *items;    /* LIST: `count` items */
    const struct scn_entry *entries; /* MAPPING: `count` entries with unique keys */
    uint32_t count;
} scn_node;

typedef struct scn_entry {
    rt_text key;
    scn_position at; /* of the key */
    scn_node value;
} scn_entry;

/* Reads the contents of a file into a tree in the reporter's arena. Reports the problems and
 * returns NULL if the text is not in the subset, is not UTF-8, is empty or exceeds
 * RT_SCENARIO_SIZE_MAX. */
const scn_node *scn_yaml_read(scn_reporter *reporter, rt_text text);

/* The entry with that key; NULL if the mapping has no such entry. */
const scn_entry *scn_node_entry(const scn_node *mapping, const char *key);

/* True if the node is that word as a plain scalar; in quotes, the word would be text. */
bool scn_node_is_word(const scn_node *node, const char *word);

/* True for an empty plain scalar: a key without a value. */
bool scn_node_is_nothing(const scn_node *node);

/* A description of the node for messages: "a list", "nothing", "'text'". */
const char *scn_node_describe(rt_arena *arena, const scn_node *node);

#endif
