/* Copies and writes trees. A node is written on one line if everything in it fits there. */
#include "conformance/tools/reduce/tree.h"

#include <string.h>

enum { LINE_WIDTH = 130, INDENT = 2 };

/* ---- Copying ------------------------------------------------------------------------------ */

static void lines_copy(rt_arena *arena, rt_text text, red_node *node)
{
    for (size_t i = 0; i < text.length; i++)
        node->child_count += text.data[i] == '\n' || i + 1 == text.length;
    node->children = rt_arena_alloc_array(arena, node->child_count, sizeof *node->children);
    for (uint32_t i = 0; i < node->child_count; i++)
        node->children[i] = (red_node){.kind = RED_LINE,
                                       .depth = node->depth + 1,
                                       .parent = node,
                                       .text = rt_text_take_until(&text, '\n')};
    CHECK(text.length == 0);
}

static void node_copy(rt_arena *arena, const scn_node *from, red_node *node)
{
    static const red_kind kinds[] = {[SCN_NODE_SCALAR] = RED_SCALAR,
                                     [SCN_NODE_LIST] = RED_LIST,
                                     [SCN_NODE_MAPPING] = RED_MAPPING};
    node->kind = kinds[from->kind];
    node->text = from->text;
    node->is_quoted = from->style != SCN_STYLE_PLAIN;
    if (from->kind == SCN_NODE_SCALAR && from->style == SCN_STYLE_LITERAL) {
        node->kind = RED_TEXT;
        lines_copy(arena, from->text, node);
        return;
    }
    if (from->kind == SCN_NODE_SCALAR) return;
    node->child_count = from->count;
    node->children = rt_arena_alloc_array(arena, from->count, sizeof *node->children);
    for (uint32_t i = 0; i < from->count; i++) {
        bool is_mapping = from->kind == SCN_NODE_MAPPING;
        red_node *child = &node->children[i];
        *child = (red_node){.depth = node->depth + 1, .parent = node};
        if (is_mapping) child->key = from->entries[i].key;
        node_copy(arena, is_mapping ? &from->entries[i].value : &from->items[i], child);
    }
}

red_node *red_tree_copy(rt_arena *arena, const scn_node *root)
{
    red_node *copy = rt_arena_alloc(arena, sizeof *copy);
    *copy = (red_node){0};
    node_copy(arena, root, copy);
    return copy;
}

/* ---- Texts -------------------------------------------------------------------------------- */

rt_text red_text_of(rt_arena *arena, const red_node *node)
{
    CHECK(node->kind == RED_SCALAR || node->kind == RED_TEXT);
    if (node->kind == RED_SCALAR) return node->text;
    rt_buffer text = {0};
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!node->children[i].is_removed)
            rt_buffer_printf(&text, "%.*s\n", RT_TEXT_ARG(node->children[i].text));
    rt_text copy = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return copy;
}

void red_text_set(rt_arena *arena, red_node *node, rt_text text)
{
    CHECK(node->kind == RED_SCALAR || node->kind == RED_TEXT);
    node->text = rt_arena_text(arena, text);
    node->kind = RED_TEXT;
    node->child_count = 0;
    lines_copy(arena, node->text, node);
}

/* ---- Scalars ------------------------------------------------------------------------------ */

/* True if YAML would read the text as something else when it stands without quotes; in flow style,
 * brackets and commas mean something everywhere. */
static bool needs_quotes(rt_text text, bool in_flow)
{
    if (text.length == 0 || text.data[0] == ' ' || text.data[text.length - 1] == ' ') return true;
    if (strchr("-?:,[]{}#&*!|>'\"%@`", text.data[0])) {
        /* A minus sign begins a number, too. */
        bool is_number = text.data[0] == '-' && text.length > 1 && text.data[1] != ' ';
        if (!is_number) return true;
    }
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i], next = i + 1 < text.length ? text.data[i + 1] : ' ';
        if ((unsigned char)c < ' ' || (in_flow && strchr(",[]{}", c))) return true;
        if ((c == ':' && next == ' ') || (c == ' ' && next == '#')) return true;
    }
    return false;
}

static void quoted_append(rt_buffer *out, rt_text text)
{
    rt_buffer_append_byte(out, '"');
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        if (c == '"' || c == '\\')
            rt_buffer_printf(out, "\\%c", c);
        else if (c == '\n')
            rt_buffer_printf(out, "\\n");
        else if ((unsigned char)c < ' ')
            rt_buffer_printf(out, "\\x%02x", (unsigned char)c);
        else
            rt_buffer_append_byte(out, c);
    }
    rt_buffer_append_byte(out, '"');
}

static void scalar_append(rt_buffer *out, const red_node *node, bool in_flow)
{
    bool is_nothing = !node->is_quoted && node->text.length == 0;
    if (is_nothing) return;
    if (node->is_quoted || needs_quotes(node->text, in_flow))
        quoted_append(out, node->text);
    else
        rt_buffer_append_text(out, node->text);
}

static void key_append(rt_buffer *out, rt_text key)
{
    if (needs_quotes(key, true))
        quoted_append(out, key);
    else
        rt_buffer_append_text(out, key);
    rt_buffer_append_byte(out, ':');
}

/* ---- Lists and mappings ------------------------------------------------------------------- */

static const red_node *child_next(const red_node *node, uint32_t *inout_at)
{
    while (*inout_at < node->child_count) {
        const red_node *child = &node->children[(*inout_at)++];
        if (!child->is_removed) return child;
    }
    return NULL;
}

const red_node *red_only_child(const red_node *node)
{
    uint32_t at = 0;
    const red_node *child = child_next(node, &at);
    return child && !child_next(node, &at) ? child : NULL;
}

/* True if the node contains a text that needs several lines. */
static bool has_lines(const red_node *node)
{
    if (node->kind == RED_TEXT) return !red_only_child(node);
    uint32_t at = 0;
    for (const red_node *child; (child = child_next(node, &at));)
        if (has_lines(child)) return true;
    return false;
}

/* Appends the node in flow style: {a: 1, b: [2, 3]}. */
static void flow_append(rt_buffer *out, const red_node *node, bool in_flow)
{
    if (node->kind == RED_SCALAR) {
        scalar_append(out, node, in_flow);
        return;
    }
    if (node->kind == RED_TEXT) {
        quoted_append(out, red_only_child(node)->text);
        return;
    }
    CHECK(node->kind == RED_LIST || node->kind == RED_MAPPING);
    bool is_list = node->kind == RED_LIST;
    uint32_t at = 0;
    const char *separator = is_list ? "[" : "{";
    for (const red_node *child; (child = child_next(node, &at)); separator = ", ") {
        rt_buffer_printf(out, "%s", separator);
        if (!is_list) {
            key_append(out, child->key);
            rt_buffer_append_byte(out, ' ');
        }
        flow_append(out, child, true);
    }
    if (separator[0] != ',') rt_buffer_printf(out, "%s", separator);
    rt_buffer_append_byte(out, is_list ? ']' : '}');
}

static void text_append(rt_buffer *out, const red_node *node, uint32_t indent)
{
    uint32_t at = 0;
    rt_text whole = node->text;
    bool ends = whole.length > 0 && whole.data[whole.length - 1] == '\n';
    const red_node *first = child_next(node, &at);
    bool is_indented = first && (first->text.length == 0 || first->text.data[0] == ' ');
    rt_buffer_printf(out, "|");
    if (is_indented) rt_buffer_printf(out, "%d", INDENT);
    rt_buffer_printf(out, ends ? "\n" : "-\n");
    at = 0;
    for (const red_node *line; (line = child_next(node, &at));)
        rt_buffer_printf(out, "%*s%.*s\n", line->text.length > 0 ? (int)indent : 0, "",
                         RT_TEXT_ARG(line->text));
}

static void node_append(rt_buffer *out, const red_node *node, uint32_t indent);

/* Appends the items or entries of a node, each on lines of its own; the first goes on where the
 * line is if `begun`. */
static void block_append(rt_buffer *out, const red_node *node, uint32_t indent, bool begun)
{
    uint32_t at = 0;
    for (const red_node *child; (child = child_next(node, &at)); begun = false) {
        rt_buffer_printf(out, "%*s", begun ? 0 : (int)indent, "");
        if (node->kind == RED_MAPPING)
            key_append(out, child->key);
        else
            rt_buffer_append_byte(out, '-');
        node_append(out, child, indent + INDENT);
    }
}

/* True for what has an item or entry on each line: "- submit: {kernel: k}". */
static bool is_in_lines(const red_node *node)
{
    static const char *const keys[] = {"modules", "memory", "steps"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys && node->depth == 1; i++)
        if (rt_text_is(node->key, keys[i])) return true;
    uint32_t at = 0;
    bool is_step = node->depth == 2 && node->key.length == 0 && node->kind == RED_MAPPING;
    return node->depth == 0 || (is_step && child_next(node, &at) && !child_next(node, &at));
}

/* Appends what follows a key or the dash of an item, to the end of its last line. */
static void node_append(rt_buffer *out, const red_node *node, uint32_t indent)
{
    rt_buffer line = {0};
    bool fits = !has_lines(node);
    if (fits) flow_append(&line, node, false);
    bool is_item = node->key.length == 0;
    bool is_spread = is_in_lines(node);
    fits = fits && (node->kind == RED_SCALAR || node->child_count == 0 ||
                    (!is_spread && indent + line.size <= LINE_WIDTH));
    uint32_t at = 0;
    bool is_empty = node->kind != RED_SCALAR && node->kind != RED_TEXT && !child_next(node, &at);
    if (fits || is_empty) {
        rt_buffer_printf(out, "%s", line.size > 0 ? " " : "");
        rt_buffer_append_text(out, rt_buffer_text(&line));
        rt_buffer_append_byte(out, '\n');
    } else if (node->kind == RED_TEXT) {
        rt_buffer_append_byte(out, ' ');
        text_append(out, node, indent);
    } else {
        rt_buffer_printf(out, is_item ? " " : "\n");
        block_append(out, node, indent, is_item);
    }
    rt_buffer_free(&line);
}

void red_tree_write(const red_node *root, rt_buffer *out)
{
    CHECK(root->depth == 0 && root->kind == RED_MAPPING);
    block_append(out, root, 0, false);
}
