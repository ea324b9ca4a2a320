/* Formats a text and proves that its meaning is unchanged.  The proof does not trust the formatter:
 * libyaml reads both texts, and their events must be equal; so must their comments. */
#include "conformance/tools/fmt/fmt.h"

#include "conformance/scenario/yaml/yaml.h"
#include "conformance/tools/fmt/fmt_internal.h"

#include <string.h>
#include <yaml.h>

/* ---- The proof ----------------------------------------------------------------------------- */

static bool event_equal(const yaml_event_t *a, const yaml_event_t *b)
{
    if (a->type != b->type) return false;
    switch (a->type) {
    case YAML_SCALAR_EVENT:
        return a->data.scalar.style == b->data.scalar.style &&
               a->data.scalar.length == b->data.scalar.length &&
               memcmp(a->data.scalar.value, b->data.scalar.value, a->data.scalar.length) == 0;
    case YAML_SEQUENCE_START_EVENT:
        return a->data.sequence_start.style == b->data.sequence_start.style;
    case YAML_MAPPING_START_EVENT:
        return a->data.mapping_start.style == b->data.mapping_start.style;
    case YAML_DOCUMENT_START_EVENT:
        return a->data.document_start.implicit == b->data.document_start.implicit;
    case YAML_DOCUMENT_END_EVENT:
        return a->data.document_end.implicit == b->data.document_end.implicit;
    default: return true;
    }
}

/* Returns the first line of `text` whose events differ from those of `formatted`; 0 if none. */
static uint32_t events_differ(rt_text text, rt_text formatted)
{
    yaml_parser_t a, b;
    yaml_event_t left, right;
    uint32_t line = 0;
    cnf_fmt_parser_begin(&a, text);
    cnf_fmt_parser_begin(&b, formatted);
    for (bool end = false; !end && line == 0;) {
        int is_read = yaml_parser_parse(&a, &left);
        CHECK(is_read); /* scn_yaml_read has read it to the end */
        end = left.type == YAML_STREAM_END_EVENT;
        bool equal = yaml_parser_parse(&b, &right);
        if (equal) {
            equal = event_equal(&left, &right);
            yaml_event_delete(&right);
        }
        if (!equal) line = (uint32_t)left.start_mark.line + 1;
        yaml_event_delete(&left);
    }
    yaml_parser_delete(&a);
    yaml_parser_delete(&b);
    return line;
}

/* Returns the next comment from *index on and advances *index past it; NULL if there are no more.
 */
static const cnf_fmt_item *comment_next(const cnf_fmt_items *items, uint32_t *index)
{
    while (*index < items->list.count) {
        const cnf_fmt_item *item = &items->list.items[(*index)++];
        if (item->kind == CNF_FMT_COMMENT) return item;
    }
    return NULL;
}

/* Returns the first line of `a` whose comment differs from that of `b`; 0 if none.  If `b` has more
 * comments than `a`, returns the last line. */
static uint32_t comments_differ(const cnf_fmt_items *a, const cnf_fmt_items *b)
{
    uint32_t left_index = 0, right_index = 0;
    for (;;) {
        const cnf_fmt_item *left = comment_next(a, &left_index);
        const cnf_fmt_item *right = comment_next(b, &right_index);
        if (!left && !right) return 0;
        if (!left) return a->list.items[a->list.count - 1].line;
        if (!right || !rt_text_equal(left->text, right->text)) return left->line;
    }
}

uint32_t cnf_fmt_differs(rt_arena *arena, rt_text text, rt_text formatted)
{
    uint32_t line = events_differ(text, formatted);
    if (line > 0) return line;
    cnf_fmt_items before, after;
    cnf_fmt_items_find(arena, text, &before);
    cnf_fmt_items_find(arena, formatted, &after);
    line = comments_differ(&before, &after);
    cnf_fmt_items_free(&before);
    cnf_fmt_items_free(&after);
    return line;
}

/* ---- Formatting ---------------------------------------------------------------------------- */

/* Checks for items that the reader accepts but that cannot be formatted. */
static bool items_check(scn_reporter *reporter, const cnf_fmt_items *items)
{
    uint32_t before = reporter->count;
    if (items->unopened_line > 0)
        scn_report(reporter, (scn_position){items->unopened_line, items->unopened_column},
                   "a closing bracket that no bracket opens");
    /* A key or text that would be a document marker if it were not indented. Formatting removes the
     * indentation, so the key or text needs quotes, which its author has to add. */
    for (uint32_t i = 0; i < items->list.count; i++) {
        const cnf_fmt_item *item = &items->list.items[i];
        bool outermost =
            item->level == CNF_FMT_NO_LEVEL ||
            (item->leads && items->levels.items[item->level].parent == CNF_FMT_NO_LEVEL);
        bool marked = rt_text_starts(item->text, "---") || rt_text_starts(item->text, "...");
        if (item->kind == CNF_FMT_SCALAR && outermost && marked &&
            (item->text.length == 3 || strchr(" \t\n", item->text.data[3])))
            scn_report(reporter, (scn_position){item->line, item->column + 1},
                       "this would be a document marker at the line's beginning; put it in quotes");
    }
    return reporter->count == before;
}

cnf_fmt_end cnf_fmt_text(rt_arena *arena, rt_text text, rt_buffer *out, scn_problems *out_problems)
{
    scn_reporter reporter = {.arena = arena};
    cnf_fmt_end end = CNF_FMT_REFUSED;
    if (scn_yaml_read(&reporter, text)) {
        /* Removes the byte order mark and carriage returns; each carriage return precedes a line
         * feed (scn_characters_check), and YAML reads the two as one break. */
        size_t start = rt_text_starts(text, "\xEF\xBB\xBF") ? 3 : 0, length = 0;
        char *copy = rt_arena_alloc(arena, text.length + 1);
        for (size_t i = start; i < text.length; i++)
            if (text.data[i] != '\r') copy[length++] = text.data[i];
        rt_text normal = {copy, length};
        cnf_fmt_items items;
        rt_buffer formatted = {0};
        cnf_fmt_items_find(arena, normal, &items);
        if (items_check(&reporter, &items)) {
            cnf_fmt_layout(&items, &formatted);
            uint32_t line = cnf_fmt_differs(arena, normal, rt_buffer_text(&formatted));
            end = line > 0 ? CNF_FMT_BROKEN : CNF_FMT_DONE;
            if (line > 0)
                scn_report(&reporter, (scn_position){line, 1},
                           "formatting would change the meaning from here on, so the file is left "
                           "unchanged; this is a bug in assay fmt");
        }
        if (end == CNF_FMT_DONE) rt_buffer_append_text(out, rt_buffer_text(&formatted));
        cnf_fmt_items_free(&items);
        rt_buffer_free(&formatted);
    }
    *out_problems = scn_reporter_finish(&reporter);
    CHECK((end == CNF_FMT_DONE) == (out_problems->count == 0));
    return end;
}
