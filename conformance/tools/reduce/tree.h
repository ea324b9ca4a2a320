/* A scenario as a tree that can be cut, and its text. */
#ifndef CONFORMANCE_TOOLS_REDUCE_TREE_H
#define CONFORMANCE_TOOLS_REDUCE_TREE_H

#include "conformance/scenario/yaml/yaml.h"

typedef enum red_kind {
    RED_SCALAR,
    RED_LIST,
    RED_MAPPING,
    RED_TEXT, /* a literal text, such as a kernel; its children are its lines */
    RED_LINE,
} red_kind;

typedef struct red_node {
    red_kind kind;
    bool is_quoted;          /* SCALAR: text, even if it looks like a number */
    bool is_removed;         /* with everything below it */
    uint32_t depth;          /* 0: the root */
    rt_text key;             /* in the mapping that it belongs to; empty: not in a mapping */
    rt_text text;            /* SCALAR, LINE */
    struct red_node *parent; /* NULL: the root */
    struct red_node *children;
    uint32_t child_count;
} red_node;

/* Copies the tree of a scenario file into the arena. Texts are borrowed. */
red_node *red_tree_copy(rt_arena *arena, const scn_node *root);

/* The only item, entry or line that a node still has; NULL if it has none or several. */
const red_node *red_only_child(const red_node *node);

/* The text of a SCALAR or TEXT, without the lines that are removed, in the arena; and replaces it
 * by another one, which is copied. */
rt_text red_text_of(rt_arena *arena, const red_node *node);
void red_text_set(rt_arena *arena, red_node *node, rt_text text);

/* Appends the tree's text, without what is removed, in the layout that people write: short lists
 * and mappings in one line, texts of several lines as literals. The file means the same, except
 * that a text of one line may lose its line feed, and that comments are lost. It is not formatted
 * (conformance/tools/fmt). */
void red_tree_write(const red_node *root, rt_buffer *out);

#endif
