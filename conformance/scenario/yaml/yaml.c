/* Builds a tree from libyaml's events, and refuses YAML outside the subset.
 *
 * libyaml gives positions as code point indices; a cursor follows them through the raw text to find
 * tabs between tokens and the first column of literal blocks, neither of which events report. This
 * file knows nothing of what keys mean.
 *
 * Source: YAML 1.1, sections 5 to 9; libyaml 0.2.5. */
#include "conformance/scenario/yaml/yaml.h"

#include "conformance/scenario/yaml/characters.h"
#include "reference/base/map.h"
#include "reference/base/utf8.h"
#include "reference/base/vector.h"

#include <string.h>
#include <yaml.h>

/* Scenarios nest about eight levels deep; the limit bounds the reader's recursion. */
enum { DEPTH_MAX = 32 };

#define TAB_MESSAGE "a tab; use spaces for indentation and between tokens"

typedef struct builder {
    scn_reporter *reporter;
    rt_arena *arena;
    yaml_parser_t parser;
    rt_text text;
    size_t offset;         /* cursor: bytes passed ... */
    size_t index;          /* ... and code points passed */
    scn_position position; /* of the cursor */
    bool tab_reported;
} builder;

static scn_position position_of(yaml_mark_t mark)
{
    return (scn_position){(uint32_t)mark.line + 1, (uint32_t)mark.column + 1};
}

/* ---- The cursor --------------------------------------------------------------------------- */

/* Moves past one code point and returns its first byte. */
static char cursor_step(builder *build)
{
    CHECK(build->offset < build->text.length);
    rt_text rest = rt_text_skip(build->text, build->offset);
    char first = *rest.data;
    build->offset += (unsigned char)first < 0x80 ? 1 : rt_utf8_take(&rest).bytes.length;
    build->index++;
    build->position.column++;
    if (first == '\n') build->position = (scn_position){build->position.line + 1, 1};
    return first;
}

/* Moves past the text of a scalar, up to a mark. */
static void cursor_skip(builder *build, yaml_mark_t mark)
{
    while (build->index < mark.index && build->offset < build->text.length)
        cursor_step(build);
}

/* Moves past the text between scalars (blanks, indicators and comments), up to an index; reports
 * the first tab. */
static void cursor_pass_gap(builder *build, size_t index)
{
    bool comment = false;
    while (build->index < index && build->offset < build->text.length) {
        scn_position at = build->position;
        char first = cursor_step(build);
        if (first == '#') comment = true;
        if (first == '\n') comment = false;
        if (first != '\t' || comment || build->tab_reported) continue;
        build->tab_reported = true;
        scn_report(build->reporter, at, TAB_MESSAGE);
    }
}

/* ---- What libyaml refuses ----------------------------------------------------------------- */

/* A problem that libyaml reports, our message for it, and where best to show it: where libyaml
 * noticed it, or where the construct began. */
typedef struct refusal_row {
    const char *problem; /* libyaml's words */
    bool at_beginning;
    const char *message;
} refusal_row;

static const refusal_row refusals[] = {
    {"could not find expected ':'", true,
     "this line is not a 'key: value', a list item or a comment; put a space after the colon of a "
     "key"},
    {"mapping values are not allowed in this context", false,
     "a ':' where no key is allowed; quote text that contains ': ', and check the indentation"},
    {"block sequence entries are not allowed in this context", false,
     "a '-' where no list item is allowed; check the indentation"},
    {"mapping keys are not allowed in this context", false,
     "a key where none is allowed; check the indentation"},
    {"did not find expected key", false,
     "this does not line up with the keys above it; check the indentation"},
    {"did not find expected '-' indicator", false,
     "this does not line up with the list items above it; check the indentation"},
    {"did not find expected ',' or '}'", false,
     "expected ',' or '}'; text that contains brackets or commas must be quoted here"},
    {"did not find expected ',' or ']'", false,
     "expected ',' or ']'; text that contains brackets or commas must be quoted here"},
    {"did not find expected node content", false, "expected a value"},
    {"did not find expected <document start>", false,
     "more text after the end of the scenario; check the indentation"},
    {"found unexpected end of stream", true, "this quote is never closed; close it"},
    {"found unexpected document indicator", true, "this quote is never closed; close it"},
    {"found unknown escape character", false,
     "YAML does not know this escape; in single quotes, a backslash stands for itself"},
    {"found character that cannot start any token", false,
     "plain text cannot begin with this character; put it in quotes"},
    {"found undefined tag handle", true, "tags are not part of scenario files; remove the tag"},
};

/* Takes the next event, which the caller deletes. False after a problem, which is reported.
 */
static bool next_event(builder *build, yaml_event_t *out_event)
{
    yaml_parser_t *parser = &build->parser;
    if (yaml_parser_parse(parser, out_event)) return true;
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    scn_position at = position_of(parser->problem_mark);
    cursor_skip(build, parser->problem_mark);
    bool at_end = build->offset == build->text.length;
    if (!at_end && build->index == parser->problem_mark.index &&
        build->text.data[build->offset] == '\t')
        return scn_report(build->reporter, at, TAB_MESSAGE);
    /* At the end of a text without a final line feed, libyaml's line number is one too high. */
    if (at_end) at = build->position;
    if (at_end && parser->context &&
        rt_text_starts(rt_text_of(problem), "did not find expected ','")) {
        return scn_report(build->reporter, position_of(parser->context_mark),
                          "this bracket is never closed; close it");
    }
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal_row *row = &refusals[i];
        if (strcmp(problem, row->problem) != 0) continue;
        if (row->at_beginning && parser->context) at = position_of(parser->context_mark);
        return scn_report(build->reporter, at, "%s", row->message);
    }
    return scn_report(build->reporter, at, "not YAML: %s", problem);
}

/* ---- Nodes -------------------------------------------------------------------------------- */

static size_t leading_spaces(const char *line, const char *end)
{
    const char *first = line;
    while (first < end && *first == ' ')
        first++;
    return (size_t)(first - line);
}

static const char *next_line(const char *line, const char *end)
{
    const char *feed = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
    return feed ? feed + 1 : end;
}

/* Where a literal block's text begins; the cursor is at its "|". Every decoded line is a raw line
 * without the block's indentation, so the first line that is not blank shows how deep the
 * indentation is, whether it was detected or given by an indicator. */
static scn_position literal_content(const builder *build, rt_text decoded)
{
    const char *raw_end = build->text.data + build->text.length;
    const char *raw = next_line(build->text.data + build->offset, raw_end);
    const char *line = decoded.data, *end = decoded.data + decoded.length;
    while (line < end && *line == '\n') {
        line++;
        raw = next_line(raw, raw_end);
    }
    size_t raw_spaces = leading_spaces(raw, raw_end), spaces = leading_spaces(line, end);
    size_t indentation = raw_spaces > spaces ? raw_spaces - spaces : 0;
    return (scn_position){build->position.line + 1, (uint32_t)indentation + 1};
}

static scn_style style_of(yaml_scalar_style_t style)
{
    switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE: return SCN_STYLE_QUOTED;
    case YAML_LITERAL_SCALAR_STYLE: return SCN_STYLE_LITERAL;
    case YAML_FOLDED_SCALAR_STYLE: return SCN_STYLE_FOLDED;
    default: return SCN_STYLE_PLAIN;
    }
}

static void read_scalar(builder *build, const yaml_event_t *event, scn_node *out)
{
    CHECK(event->type == YAML_SCALAR_EVENT);
    cursor_pass_gap(build, event->start_mark.index);
    rt_text decoded = {(const char *)event->data.scalar.value, event->data.scalar.length};
    if (decoded.length > 0 && memchr(decoded.data, '\0', decoded.length)) {
        scn_report(build->reporter, out->at,
                   "this text contains an escaped NUL character; remove it");
    }
    out->kind = SCN_NODE_SCALAR;
    out->style = style_of(event->data.scalar.style);
    out->text = rt_arena_text(build->arena, decoded);
    out->content_at = out->at;
    if (out->style == SCN_STYLE_QUOTED) out->content_at.column++;
    if (out->style == SCN_STYLE_FOLDED) out->content_at = (scn_position){out->at.line + 1, 1};
    if (out->style == SCN_STYLE_LITERAL) out->content_at = literal_content(build, out->text);
    cursor_skip(build, event->end_mark);
}

/* Reports aliases, and anchors and tags, which nodes of all kinds may carry. */
static void refuse_properties(builder *build, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    } else if (event->type == YAML_ALIAS_EVENT) {
        scn_report(build->reporter, position_of(event->start_mark),
                   "aliases ('*name') are not part of scenario files; write the value out");
    }
    if (anchor) {
        scn_report(build->reporter, position_of(event->start_mark),
                   "anchors ('&name') are not part of scenario files; write the value out");
    }
    if (tag) {
        scn_report(build->reporter, position_of(event->start_mark),
                   "tags ('!name') are not part of scenario files; remove the tag");
    }
}

static bool read_node(builder *build, yaml_event_t *event, uint32_t depth, scn_node *out);

static bool read_list(builder *build, uint32_t depth, scn_node *out)
{
    RT_VECTOR(scn_node) items = {0};
    yaml_event_t event;
    bool valid;
    while ((valid = next_event(build, &event)) && event.type != YAML_SEQUENCE_END_EVENT) {
        scn_node item = {0};
        valid = read_node(build, &event, depth + 1, &item);
        if (!valid) break;
        *rt_vector_push(&items) = item;
    }
    if (valid) {
        yaml_event_delete(&event);
        scn_node *copy = rt_arena_alloc_array(build->arena, items.count, sizeof *copy);
        if (items.count) memcpy(copy, items.items, items.count * sizeof *copy);
        out->kind = SCN_NODE_LIST;
        out->items = copy;
        out->count = items.count;
    }
    rt_vector_free(&items);
    return valid;
}

static bool read_mapping(builder *build, uint32_t depth, scn_node *out)
{
    RT_VECTOR(scn_entry) entries = {0};
    rt_map lines = {0}; /* key -> line of its first occurrence */
    yaml_event_t event;
    bool valid;
    while ((valid = next_event(build, &event)) && event.type != YAML_MAPPING_END_EVENT) {
        scn_node key = {0};
        valid = read_node(build, &event, depth + 1, &key);
        if (valid && key.kind != SCN_NODE_SCALAR)
            valid =
                scn_report(build->reporter, key.at,
                           "a key must be a name, which %s cannot be; check for a missing quote",
                           scn_node_describe(build->arena, &key));
        scn_entry entry = {.key = key.text, .at = key.at};
        valid =
            valid && next_event(build, &event) && read_node(build, &event, depth + 1, &entry.value);
        if (!valid) break;
        uint32_t line = rt_map_find(&lines, entry.key);
        if (line != RT_MAP_NONE) {
            scn_report(build->reporter, entry.at,
                       "the key '%s' is repeated; it is already on line %u, so remove one of them",
                       scn_excerpt(build->arena, entry.key), line);
            continue;
        }
        rt_map_set(&lines, entry.key, entry.at.line);
        *rt_vector_push(&entries) = entry;
    }
    if (valid) {
        yaml_event_delete(&event);
        scn_entry *copy = rt_arena_alloc_array(build->arena, entries.count, sizeof *copy);
        if (entries.count) memcpy(copy, entries.items, entries.count * sizeof *copy);
        out->kind = SCN_NODE_MAPPING;
        out->entries = copy;
        out->count = entries.count;
    }
    rt_map_free(&lines);
    rt_vector_free(&entries);
    return valid;
}

/* Reads the node that `event` begins, and deletes the event. */
static bool read_node(builder *build, yaml_event_t *event, uint32_t depth, scn_node *out)
{
    *out = (scn_node){.at = position_of(event->start_mark)};
    refuse_properties(build, event);
    yaml_event_type_t type = event->type;
    if (type == YAML_SCALAR_EVENT) read_scalar(build, event, out);
    yaml_event_delete(event);
    if (depth > DEPTH_MAX) {
        return scn_report(build->reporter, out->at,
                          "this is nested more than %d levels deep; flatten it", DEPTH_MAX);
    }
    if (type == YAML_SEQUENCE_START_EVENT) return read_list(build, depth, out);
    if (type == YAML_MAPPING_START_EVENT) return read_mapping(build, depth, out);
    CHECK(type == YAML_SCALAR_EVENT || type == YAML_ALIAS_EVENT);
    return true;
}

/* ---- The document ------------------------------------------------------------------------- */

/* Takes and deletes the next event, which must be the start or end of the stream or of a document.
 */
static bool pass_event(builder *build, yaml_event_type_t *out_type, scn_position *out_at)
{
    yaml_event_t event;
    if (!next_event(build, &event)) return false;
    *out_type = event.type;
    *out_at = position_of(event.start_mark);
    bool directives = event.type == YAML_DOCUMENT_START_EVENT &&
                      (event.data.document_start.version_directive ||
                       event.data.document_start.tag_directives.start !=
                           event.data.document_start.tag_directives.end);
    yaml_event_delete(&event);
    if (!directives) return true;
    return scn_report(build->reporter, *out_at,
                      "directives ('%%YAML', '%%TAG') are not part of scenario files; remove them");
}

static bool read_document(builder *build, scn_node *out)
{
    yaml_event_type_t type;
    scn_position at;
    if (!pass_event(build, &type, &at)) return false;
    CHECK(type == YAML_STREAM_START_EVENT);
    if (!pass_event(build, &type, &at)) return false;
    if (type == YAML_STREAM_END_EVENT) {
        return scn_report(build->reporter, (scn_position){1, 1},
                          "the file is empty; a scenario begins with 'assay: 1'");
    }
    yaml_event_t event;
    if (!next_event(build, &event) || !read_node(build, &event, 0, out)) return false;
    if (!pass_event(build, &type, &at)) return false;
    CHECK(type == YAML_DOCUMENT_END_EVENT);
    if (!pass_event(build, &type, &at)) return false;
    if (type != YAML_STREAM_END_EVENT) {
        return scn_report(build->reporter, at,
                          "a second document begins here; put each scenario into its own file");
    }
    cursor_pass_gap(build, SIZE_MAX);
    return true;
}

const scn_node *scn_yaml_read(scn_reporter *reporter, rt_text text)
{
    if (text.length > RT_SCENARIO_SIZE_MAX) {
        scn_report(
            reporter, (scn_position){1, 1},
            "the file has %zu bytes, but a scenario may have at most %u; move data into companion "
            "files or generate it",
            text.length, RT_SCENARIO_SIZE_MAX);
        return NULL;
    }
    builder build = {.reporter = reporter, .arena = reporter->arena, .position = {1, 1}};
    build.text = text.length > 0 ? text : RT_TEXT(""); /* libyaml does not accept NULL */
    rt_text_take_prefix(&build.text, "\xEF\xBB\xBF");
    if (!scn_characters_check(reporter, build.text)) return NULL;
    uint32_t problem_count = reporter->count;
    if (!yaml_parser_initialize(&build.parser)) {
        scn_report(reporter, (scn_position){1, 1}, "memory for the YAML parser ran out");
        return NULL;
    }
    yaml_parser_set_encoding(&build.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&build.parser, (const unsigned char *)build.text.data,
                                 build.text.length);
    scn_node *root = rt_arena_alloc(build.arena, sizeof *root);
    bool valid = read_document(&build, root);
    yaml_parser_delete(&build.parser);
    CHECK_IMPLIES(!valid, reporter->count > problem_count);
    return reporter->count > problem_count ? NULL : root;
}
