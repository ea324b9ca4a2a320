/* Converts libyaml's tokens to the items of a file, including comments.
 *
 * libyaml drops comments and blank lines, but reports the positions of its tokens: the text between
 * two tokens consists of blanks, line breaks and comments.  Block scalars are analysed here,
 * because their indentation only follows from their own lines.
 *
 * Source: YAML 1.1, chapters 5 to 9; libyaml 0.2.5, scanner.c. */
#include "conformance/tools/fmt/fmt_internal.h"

#include "reference/base/utf8.h"

#include <string.h>
#include <yaml.h>

typedef struct scanner {
    rt_arena *arena;
    rt_text text;
    cnf_fmt_items *out;
    size_t offset;       /* bytes consumed ... */
    size_t index;        /* ... and code points, as libyaml counts */
    size_t line_start;   /* offset of the current line */
    uint32_t line;       /* from 1 */
    uint32_t breaks;     /* since the last item */
    uint32_t level;      /* the innermost open level */
    uint32_t flow_depth; /* open brackets */
    bool key;            /* the next scalar is a key */
} scanner;

/* ---- Moving through the text --------------------------------------------------------------- */

static char step(scanner *scan)
{
    CHECK(scan->offset < scan->text.length);
    rt_text rest = rt_text_skip(scan->text, scan->offset);
    char first = *rest.data;
    scan->offset += rt_utf8_take(&rest).bytes.length;
    scan->index++;
    if (first == '\n') {
        scan->line++;
        scan->line_start = scan->offset;
    }
    return first;
}

static cnf_fmt_item *item_add(scanner *scan, cnf_fmt_kind kind, size_t start, size_t end)
{
    CHECK(start <= end && end <= scan->text.length);
    cnf_fmt_item *item = rt_vector_push(&scan->out->list);
    *item = (cnf_fmt_item){.kind = kind,
                           .text = {scan->text.data + start, end - start},
                           .level = scan->level,
                           .breaks = scan->breaks,
                           .line = scan->line,
                           .column = (uint32_t)(start - scan->line_start)};
    scan->breaks = 0;
    return item;
}

static bool is_blank(char character)
{
    return character == ' ' || character == '\t';
}

/* A comment gets the level of the preceding item; the layout decides which level it belongs to. */
static void pass_comment(scanner *scan)
{
    const cnf_fmt_item *before =
        scan->out->list.count ? &scan->out->list.items[scan->out->list.count - 1] : NULL;
    size_t start = scan->offset;
    uint32_t level = before ? before->level : CNF_FMT_NO_LEVEL;
    while (scan->offset < scan->text.length && scan->text.data[scan->offset] != '\n')
        step(scan);
    size_t end = scan->offset;
    while (is_blank(scan->text.data[end - 1]))
        end--;
    item_add(scan, CNF_FMT_COMMENT, start, end)->level = level;
}

/* Consumes the text between two tokens, up to a code point. */
static void pass_gap(scanner *scan, size_t index)
{
    while (scan->index < index && scan->offset < scan->text.length) {
        if (scan->text.data[scan->offset] == '#')
            pass_comment(scan);
        else
            scan->breaks += step(scan) == '\n';
    }
}

static void pass_text(scanner *scan, size_t index)
{
    while (scan->index < index && scan->offset < scan->text.length)
        step(scan);
}

/* ---- Levels -------------------------------------------------------------------------------- */

static void level_open(scanner *scan, bool mapping, bool ends_itself, size_t column)
{
    bool outermost = scan->level == CNF_FMT_NO_LEVEL;
    uint32_t indent =
        outermost ? 0 : scan->out->levels.items[scan->level].indent + CNF_FMT_INDENTATION;
    *rt_vector_push(&scan->out->levels) =
        (cnf_fmt_level){scan->level, (uint32_t)column, indent, mapping, ends_itself};
    scan->level = scan->out->levels.count - 1;
}

static const cnf_fmt_level *level_now(const scanner *scan)
{
    return scan->level == CNF_FMT_NO_LEVEL ? NULL : &scan->out->levels.items[scan->level];
}

static void level_close(scanner *scan)
{
    const cnf_fmt_level *level = level_now(scan);
    CHECK(level);
    scan->level = level->parent;
}

/* A key after dashes in the column of another key ends their list. */
static void level_end_dashes(scanner *scan)
{
    const cnf_fmt_level *level = level_now(scan);
    if (level && level->ends_itself && scan->flow_depth == 0) level_close(scan);
}

/* ---- Block scalars ------------------------------------------------------------------------- */

/* One line: its end without the line feed, and its leading spaces. */
typedef struct raw_line {
    size_t start, end, spaces;
    bool terminated;
} raw_line;

static raw_line line_at(rt_text text, size_t start, size_t end)
{
    const char *feed = memchr(text.data + start, '\n', end - start);
    raw_line line = {.start = start, .end = feed ? (size_t)(feed - text.data) : end};
    line.terminated = feed != NULL;
    while (line.start + line.spaces < line.end && text.data[line.start + line.spaces] == ' ')
        line.spaces++;
    return line;
}

/* True if the line has only indentation; further spaces would be text. */
static bool line_is_blank(const raw_line *line, size_t indent)
{
    return line->start + line->spaces == line->end && line->spaces <= indent;
}

/* Returns the indentation that libyaml has detected for the text from `start` to `end` in a scalar
 * without an indicator: that of its first non-blank line, or of the longest blank line before that.
 */
static size_t indent_found(rt_text text, size_t start, size_t end, size_t least)
{
    size_t indent = least;
    while (start < end) {
        raw_line line = line_at(text, start, end);
        if (line.spaces > indent) indent = line.spaces;
        if (line.start + line.spaces < line.end) break;
        start = line.end + 1;
    }
    return indent;
}

/* The parts of a block scalar's header, such as "|2-". */
typedef struct block_header {
    char style, chomping; /* '|', '>'; '+', '-' or 0 */
    uint32_t digit;       /* 0 if there is none */
} block_header;

static block_header header_read(scanner *scan)
{
    block_header header = {.style = step(scan)};
    CHECK(header.style == '|' || header.style == '>');
    while (scan->offset < scan->text.length) {
        char next = scan->text.data[scan->offset];
        bool digit = next >= '1' && next <= '9';
        if (!digit && next != '+' && next != '-') break;
        if (digit)
            header.digit = (uint32_t)(next - '0');
        else
            header.chomping = next;
        step(scan);
    }
    return header;
}

static rt_text header_text(rt_arena *arena, const block_header *header)
{
    const char chomping[] = {header->chomping, '\0'};
    /* The indicator is relative to the enclosing collection, and so is the layout. */
    return rt_arena_printf(arena, "%c%s%s", header->style, header->digit ? "2" : "", chomping);
}

/* Returns the end of the lines that are the scalar's text: trailing blank lines are excluded unless
 * "+" keeps them.  The end is before the last line's feed; `start` itself if there is no line. */
static size_t content_end(rt_text text, size_t start, size_t end, size_t indent, bool keep,
                          bool *out_any)
{
    size_t content = start;
    *out_any = false;
    while (start < end) {
        raw_line line = line_at(text, start, end);
        bool blank = line_is_blank(&line, indent);
        if (!blank || (keep && line.terminated)) {
            content = line.end;
            *out_any = true;
        }
        start = line.end + 1;
    }
    return content;
}

/* Consumes a block scalar whose first character is next and that ends before `end_index`. */
static void pass_block_scalar(scanner *scan, size_t end_index)
{
    const cnf_fmt_level *level = level_now(scan);
    size_t around = level ? level->column : 0, least = level ? level->column + 1 : 1;
    size_t header_start = scan->offset;
    block_header header = header_read(scan);
    uint32_t place = scan->out->list.count;
    item_add(scan, CNF_FMT_HEADER, header_start, scan->offset);
    while (scan->offset < scan->text.length && scan->text.data[scan->offset] != '\n')
        pass_gap(scan, scan->index + 1); /* consumes comments as a whole */

    scanner ahead = *scan;
    pass_text(&ahead, end_index);
    size_t start = scan->offset, end = ahead.offset;
    if (start < end) start++;
    size_t indent =
        header.digit ? around + header.digit : indent_found(scan->text, start, end, least);
    bool any;
    size_t content = content_end(scan->text, start, end, indent, header.chomping == '+', &any);
    if (any) {
        /* A last line at the end of the file has no line feed; the one that is added must not
         * count. */
        bool cut = content == scan->text.length;
        if (cut) header.chomping = '-';
        step(scan);
        scan->breaks = 1;
        item_add(scan, CNF_FMT_CONTENT, start, content)->indent = (uint32_t)indent;
        while (scan->offset < content)
            step(scan);
    }
    scan->out->list.items[place].text = header_text(scan->arena, &header);
}

/* ---- Tokens -------------------------------------------------------------------------------- */

static void pass_scalar(scanner *scan, const yaml_token_t *token)
{
    yaml_scalar_style_t style = token->data.scalar.style;
    if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE) {
        pass_block_scalar(scan, token->end_mark.index);
    } else {
        size_t start = scan->offset;
        cnf_fmt_item *item = item_add(scan, CNF_FMT_SCALAR, start, start);
        item->leads = scan->key;
        pass_text(scan, token->end_mark.index);
        item->text.length = scan->offset - start;
    }
    scan->key = false;
}

static void pass_indicator(scanner *scan, const yaml_token_t *token, cnf_fmt_kind kind, bool leads)
{
    size_t start = scan->offset;
    cnf_fmt_item *item = item_add(scan, kind, start, start);
    item->leads = leads;
    pass_text(scan, token->end_mark.index);
    item->text.length = scan->offset - start;
    CHECK(item->text.length > 0);
}

/* A key is marked by "?", or is the next scalar. */
static void pass_key(scanner *scan, const yaml_token_t *token)
{
    level_end_dashes(scan);
    bool marked = token->end_mark.index > token->start_mark.index;
    if (marked) pass_indicator(scan, token, CNF_FMT_QUESTION, true);
    scan->key = !marked;
}

static void pass_dash(scanner *scan, const yaml_token_t *token)
{
    const cnf_fmt_level *level = level_now(scan);
    CHECK(level && scan->flow_depth == 0);
    if (level->mapping) level_open(scan, false, true, token->start_mark.column);
    pass_indicator(scan, token, CNF_FMT_DASH, true);
}

static void pass_bracket(scanner *scan, const yaml_token_t *token, bool opens)
{
    pass_indicator(scan, token, opens ? CNF_FMT_OPEN : CNF_FMT_CLOSE, false);
    if (opens) {
        scan->flow_depth++;
    } else if (scan->flow_depth > 0) {
        scan->flow_depth--;
    } else {
        scan->out->unopened_line = (uint32_t)token->start_mark.line + 1;
        scan->out->unopened_column = (uint32_t)token->start_mark.column + 1;
    }
}

static void pass_token(scanner *scan, const yaml_token_t *token)
{
    pass_gap(scan, token->start_mark.index);
    switch (token->type) {
    case YAML_STREAM_START_TOKEN:
    case YAML_STREAM_END_TOKEN: break;
    case YAML_DOCUMENT_START_TOKEN:
    case YAML_DOCUMENT_END_TOKEN: pass_indicator(scan, token, CNF_FMT_MARKER, true); break;
    case YAML_BLOCK_SEQUENCE_START_TOKEN:
        level_open(scan, false, false, token->start_mark.column);
        break;
    case YAML_BLOCK_MAPPING_START_TOKEN:
        level_open(scan, true, false, token->start_mark.column);
        break;
    case YAML_BLOCK_END_TOKEN:
        level_end_dashes(scan);
        level_close(scan);
        break;
    case YAML_FLOW_SEQUENCE_START_TOKEN:
    case YAML_FLOW_MAPPING_START_TOKEN: pass_bracket(scan, token, true); break;
    case YAML_FLOW_SEQUENCE_END_TOKEN:
    case YAML_FLOW_MAPPING_END_TOKEN: pass_bracket(scan, token, false); break;
    case YAML_BLOCK_ENTRY_TOKEN: pass_dash(scan, token); break;
    case YAML_FLOW_ENTRY_TOKEN: pass_indicator(scan, token, CNF_FMT_COMMA, false); break;
    case YAML_KEY_TOKEN: pass_key(scan, token); break;
    case YAML_VALUE_TOKEN:
        level_end_dashes(scan);
        pass_indicator(scan, token, CNF_FMT_COLON, true);
        break;
    case YAML_SCALAR_TOKEN: pass_scalar(scan, token); break;
    default: UNREACHABLE(); /* anchors, tags, aliases, directives: scn_yaml_read refuses them */
    }
}

void cnf_fmt_items_find(rt_arena *arena, rt_text text, cnf_fmt_items *out_items)
{
    *out_items = (cnf_fmt_items){0};
    scanner scan = {
        .arena = arena, .text = text, .out = out_items, .line = 1, .level = CNF_FMT_NO_LEVEL};
    yaml_parser_t parser;
    int made = yaml_parser_initialize(&parser);
    CHECK(made);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.data, text.length);
    bool more = true;
    while (more) {
        yaml_token_t token;
        int found = yaml_parser_scan(&parser, &token);
        CHECK(found); /* the reader has read this text to the end */
        pass_token(&scan, &token);
        more = token.type != YAML_STREAM_END_TOKEN;
        yaml_token_delete(&token);
    }
    pass_gap(&scan, SIZE_MAX);
    CHECK(scan.flow_depth == 0 && scan.offset == text.length);
    yaml_parser_delete(&parser);
}

void cnf_fmt_items_free(cnf_fmt_items *items)
{
    rt_vector_free(&items->list);
    rt_vector_free(&items->levels);
}
