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
    uint32_t breaks;     /* line breaks since the last item */
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
    while (scan->text.data[end - 1] == ' ' || scan->text.data[end - 1] == '\t')
        end--;
    CHECK(end > start); /* "#" */
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

/* Consumes a block scalar whose first character is next and that ends before `end_index`. */
static void pass_block_scalar(scanner *scan, size_t end_index)
{
    /* The header, such as "|2-": style, indentation and chomping. */
    size_t header_start = scan->offset;
    char style = step(scan), chomping[] = {'\0', '\0'};
    uint32_t digit = 0;
    CHECK(style == '|' || style == '>');
    while (scan->offset < scan->text.length) {
        char next = scan->text.data[scan->offset];
        if (next >= '1' && next <= '9')
            digit = (uint32_t)(next - '0');
        else if (next == '+' || next == '-')
            chomping[0] = next;
        else
            break;
        step(scan);
    }
    uint32_t place = scan->out->list.count;
    item_add(scan, CNF_FMT_HEADER, header_start, scan->offset);
    while (scan->offset < scan->text.length && scan->text.data[scan->offset] != '\n')
        pass_gap(scan, scan->index + 1); /* consumes comments as a whole */

    scanner ahead = *scan;
    pass_text(&ahead, end_index);
    size_t start = scan->offset, end = ahead.offset;
    if (start < end) start++;
    /* Without an indicator, the indentation is what libyaml has detected: that of the first line
     * that is not blank, or that of the longest blank line before it. */
    const cnf_fmt_level *level = level_now(scan);
    size_t indent = level ? level->column + 1 : 1;
    if (digit) indent = (level ? level->column : 0) + digit;
    for (size_t at = start; !digit && at < end;) {
        raw_line line = line_at(scan->text, at, end);
        if (line.spaces > indent) indent = line.spaces;
        if (line.start + line.spaces < line.end) break;
        at = line.end + 1;
    }
    /* The text ends with the last line that is not blank, unless "+" keeps blank lines; spaces past
     * the indentation are text. */
    size_t content = start;
    bool any = false;
    for (size_t at = start; at < end;) {
        raw_line line = line_at(scan->text, at, end);
        bool blank = line.start + line.spaces == line.end && line.spaces <= indent;
        if (!blank || (chomping[0] == '+' && line.terminated)) {
            content = line.end;
            any = true;
        }
        at = line.end + 1;
    }
    if (any) {
        /* A last line that ends with the file has no line feed; the layout adds one, which must not
         * become part of the text. */
        if (content == scan->text.length) chomping[0] = '-';
        step(scan);
        scan->breaks = 1;
        item_add(scan, CNF_FMT_CONTENT, start, content)->indent = (uint32_t)indent;
        while (scan->offset < content)
            step(scan);
    }
    /* The indicator counts from the enclosing collection, relative to which the layout indents by
     * 2. */
    scan->out->list.items[place].text =
        rt_arena_printf(scan->arena, "%c%s%s", style, digit ? "2" : "", chomping);
}

/* ---- Tokens -------------------------------------------------------------------------------- */

/* Consumes an indicator, or a scalar that is not a block scalar. */
static void pass_run(scanner *scan, const yaml_token_t *token, cnf_fmt_kind kind, bool leads)
{
    size_t start = scan->offset;
    cnf_fmt_item *item = item_add(scan, kind, start, start);
    item->leads = leads;
    pass_text(scan, token->end_mark.index);
    item->text.length = scan->offset - start;
    CHECK_IMPLIES(kind != CNF_FMT_SCALAR, item->text.length > 0);
}

static void pass_bracket(scanner *scan, const yaml_token_t *token, bool opens)
{
    pass_run(scan, token, opens ? CNF_FMT_OPEN : CNF_FMT_CLOSE, false);
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
    case YAML_DOCUMENT_END_TOKEN: pass_run(scan, token, CNF_FMT_MARKER, true); break;
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
    case YAML_BLOCK_ENTRY_TOKEN: {
        const cnf_fmt_level *level = level_now(scan);
        CHECK(level && scan->flow_depth == 0);
        if (level->mapping) level_open(scan, false, true, token->start_mark.column);
        pass_run(scan, token, CNF_FMT_DASH, true);
        break;
    }
    case YAML_FLOW_ENTRY_TOKEN: pass_run(scan, token, CNF_FMT_COMMA, false); break;
    case YAML_KEY_TOKEN: /* marked by "?", or the next scalar */
        level_end_dashes(scan);
        scan->key = token->end_mark.index == token->start_mark.index;
        if (!scan->key) pass_run(scan, token, CNF_FMT_QUESTION, true);
        break;
    case YAML_VALUE_TOKEN:
        level_end_dashes(scan);
        pass_run(scan, token, CNF_FMT_COLON, true);
        break;
    case YAML_SCALAR_TOKEN:
        if (token->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
            token->data.scalar.style == YAML_FOLDED_SCALAR_STYLE)
            pass_block_scalar(scan, token->end_mark.index);
        else
            pass_run(scan, token, CNF_FMT_SCALAR, scan->key);
        scan->key = false;
        break;
    default: UNREACHABLE(); /* anchors, tags, aliases, directives: scn_yaml_read refuses them */
    }
}

void cnf_fmt_parser_begin(yaml_parser_t *out_parser, rt_text text)
{
    int is_ready = yaml_parser_initialize(out_parser);
    CHECK(is_ready);
    yaml_parser_set_encoding(out_parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(out_parser, (const unsigned char *)text.data, text.length);
}

void cnf_fmt_items_find(rt_arena *arena, rt_text text, cnf_fmt_items *out_items)
{
    *out_items = (cnf_fmt_items){0};
    scanner scan = {
        .arena = arena, .text = text, .out = out_items, .line = 1, .level = CNF_FMT_NO_LEVEL};
    yaml_parser_t parser;
    cnf_fmt_parser_begin(&parser, text);
    bool has_more = true;
    while (has_more) {
        yaml_token_t token;
        int is_read = yaml_parser_scan(&parser, &token);
        CHECK(is_read); /* the reader has read this text to the end */
        pass_token(&scan, &token);
        has_more = token.type != YAML_STREAM_END_TOKEN;
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
