/* Converts items to the contents of a file: indents lines, and spaces the items within a line.
 * Line breaks are kept. */
#include "conformance/tools/fmt/fmt_internal.h"

#include "reference/base/utf8.h"

#include <string.h>

/* The reader limits nesting to a depth of 32. */
enum { FLOW_DEPTH_MAX = 64, COMMENT_BLANKS = 2 };

typedef struct layout {
    const cnf_fmt_items *items;
    rt_buffer *out;
    size_t line_start;             /* in out */
    uint32_t flow[FLOW_DEPTH_MAX]; /* for each open bracket, the indentation of lines inside */
    uint32_t flow_depth;
} layout;

static const cnf_fmt_level *item_level(const layout *lay, const cnf_fmt_item *item)
{
    return item->level == CNF_FMT_NO_LEVEL ? NULL : &lay->items->levels.items[item->level];
}

/* ---- Where lines begin --------------------------------------------------------------------- */

/* Returns the indentation of a line that continues the content of the item's level. */
static uint32_t indent_inside(const layout *lay, const cnf_fmt_item *item)
{
    if (lay->flow_depth > 0) return lay->flow[lay->flow_depth - 1];
    const cnf_fmt_level *level = item_level(lay, item);
    return (level ? level->indent : 0) + CNF_FMT_INDENTATION;
}

static uint32_t item_indent(const layout *lay, const cnf_fmt_item *item)
{
    const cnf_fmt_level *level = item_level(lay, item);
    if (lay->flow_depth > 0 || (level && item->kind != CNF_FMT_MARKER && !item->leads))
        return indent_inside(lay, item);
    return level && item->kind != CNF_FMT_MARKER ? level->indent : 0;
}

/* Returns the indentation of a comment on its own line.  A comment directly above an item belongs
 * to that item; any other comment belongs to the deepest collection that ends or begins here and
 * does not begin to the comment's right. */
static uint32_t comment_indent(const layout *lay, uint32_t index)
{
    const cnf_fmt_item *comment = &lay->items->list.items[index];
    while (index < lay->items->list.count && lay->items->list.items[index].kind == CNF_FMT_COMMENT)
        index++;
    const cnf_fmt_item *next =
        index < lay->items->list.count ? &lay->items->list.items[index] : NULL;
    if (lay->flow_depth > 0) return lay->flow[lay->flow_depth - 1];
    if (next && next->column == comment->column) return item_indent(lay, next);
    if (next && next->level != CNF_FMT_NO_LEVEL && !next->leads && next->column < comment->column)
        return item_indent(lay, next);
    /* Of the levels before and after the comment, one is an ancestor of the other, or both are the
     * same; the level that was opened later is deeper. */
    uint32_t level = comment->level;
    bool deeper = next && next->level != CNF_FMT_NO_LEVEL &&
                  (level == CNF_FMT_NO_LEVEL || next->level > level);
    if (deeper) level = next->level;
    while (level != CNF_FMT_NO_LEVEL) {
        const cnf_fmt_level *open = &lay->items->levels.items[level];
        if (open->column <= comment->column) return open->indent;
        level = open->parent;
    }
    return next ? item_indent(lay, next) : 0;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static void put_spaces(layout *lay, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        rt_buffer_append_byte(lay->out, ' ');
}

static void put_break(layout *lay)
{
    rt_buffer_append_byte(lay->out, '\n');
    lay->line_start = lay->out->size;
}

/* Appends the lines of a block scalar, each with the new indentation. */
static void put_content(layout *lay, const cnf_fmt_item *item)
{
    const char *line = item->text.data, *end = line + item->text.length;
    uint32_t indent = indent_inside(lay, item);
    CHECK(lay->flow_depth == 0);
    for (;;) {
        const char *feed = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
        size_t length = (size_t)((feed ? feed : end) - line);
        size_t stripped = length < item->indent ? length : item->indent;
        if (length > stripped) {
            put_spaces(lay, indent);
            rt_buffer_append(lay->out, line + stripped, length - stripped);
        }
        if (!feed) return;
        put_break(lay);
        line = feed + 1;
    }
}

/* Appends a plain or quoted scalar.  YAML folds its lines: blanks around the breaks are not part of
 * the text. A blank after a backslash is escaped in double quotes, and harmless elsewhere. */
static void put_scalar(layout *lay, const cnf_fmt_item *item)
{
    const char *line = item->text.data, *end = line + item->text.length;
    uint32_t indent = indent_inside(lay, item);
    for (;;) {
        const char *feed = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
        if (!feed) break;
        const char *last = feed;
        while (last > line && (last[-1] == ' ' || last[-1] == '\t'))
            last--;
        if (last > line && last[-1] == '\\') last = feed;
        rt_buffer_append(lay->out, line, (size_t)(last - line));
        put_break(lay);
        line = feed + 1;
        while (line < end && (*line == ' ' || *line == '\t'))
            line++;
        if (line < end && *line != '\n') put_spaces(lay, indent);
    }
    rt_buffer_append(lay->out, line, (size_t)(end - line));
}

/* Lines inside brackets are aligned with the first item in them; if the line ends after the
 * bracket, they are indented one step deeper than the surrounding lines (YAML 1.2 requires them to
 * be deeper than the block). */
static void put_open(layout *lay, uint32_t index)
{
    const cnf_fmt_item *item = &lay->items->list.items[index];
    rt_buffer_append_text(lay->out, item->text);
    const cnf_fmt_item *next = item + 1; /* brackets are closed, so there is a next item */
    CHECK(index + 1 < lay->items->list.count && lay->flow_depth < FLOW_DEPTH_MAX);
    bool hangs = next->breaks > 0 || next->kind == CNF_FMT_COMMENT;
    uint32_t deeper = lay->flow_depth > 0 ? CNF_FMT_INDENTATION : 0;
    uint32_t inside =
        hangs ? indent_inside(lay, item) + deeper
              : (uint32_t)rt_utf8_count(rt_text_skip(rt_buffer_text(lay->out), lay->line_start));
    lay->flow[lay->flow_depth++] = inside;
}

/* Returns the number of blanks between two items on one line. */
static uint32_t blanks_between(const cnf_fmt_item *before, const cnf_fmt_item *item)
{
    if (item->kind == CNF_FMT_COMMENT) return COMMENT_BLANKS;
    if (before->kind == CNF_FMT_COMMA) return item->kind == CNF_FMT_CLOSE ? 0 : 1;
    /* Even before a bracket: "{a:}" has the key "a:". */
    if (before->kind == CNF_FMT_COLON || before->kind == CNF_FMT_QUESTION) return 1;
    bool tight = item->kind == CNF_FMT_COMMA || item->kind == CNF_FMT_CLOSE ||
                 item->kind == CNF_FMT_COLON || before->kind == CNF_FMT_OPEN;
    return tight ? 0 : 1;
}

void cnf_fmt_layout(const cnf_fmt_items *items, rt_buffer *out)
{
    layout lay = {.items = items, .out = out, .line_start = out->size};
    for (uint32_t i = 0; i < items->list.count; i++) {
        const cnf_fmt_item *item = &items->list.items[i];
        if (i > 0 && item->breaks == 0) {
            put_spaces(&lay, blanks_between(item - 1, item));
        } else {
            if (i > 0) put_break(&lay);
            if (i > 0 && item->breaks > 1) put_break(&lay);
            if (item->kind == CNF_FMT_COMMENT)
                put_spaces(&lay, comment_indent(&lay, i));
            else if (item->kind != CNF_FMT_CONTENT) /* put_content() indents its lines */
                put_spaces(&lay, item_indent(&lay, item));
        }
        switch (item->kind) {
        case CNF_FMT_OPEN: put_open(&lay, i); break;
        case CNF_FMT_CLOSE:
            CHECK(lay.flow_depth > 0);
            rt_buffer_append_text(out, item->text);
            lay.flow_depth--;
            break;
        case CNF_FMT_SCALAR: put_scalar(&lay, item); break;
        case CNF_FMT_CONTENT: put_content(&lay, item); break;
        default: rt_buffer_append_text(out, item->text); break;
        }
    }
    if (items->list.count > 0) put_break(&lay);
    CHECK(lay.flow_depth == 0);
}
