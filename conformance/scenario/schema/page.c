/* The reference page of the format, in Markdown, from the table that drives the reader: a section
 * for each object, a row for each key. */
#include "conformance/scenario/schema/objects.h"
#include "reference/trace/trace.h"

#include <inttypes.h>
#include <string.h>

/* Vocabularies of up to WORDS_MAX words are printed in full, longer ones as a sample. */
enum { WORDS_MAX = 24, WORDS_SAMPLE = 3 };

static const char introduction[] =
    "# The format of scenario files\n\n<!-- Made by `assay schema --page` from the reader's own "
    "table; ci/update-docs rewrites it. -->\n\nA scenario file describes a small host program, "
    "its shared libraries, the device code in them\nand the steps that it takes. `assay schema` "
    "prints the same format as a JSON Schema, for\neditors; `assay check FILE` reports what is "
    "wrong in a file, and `assay fmt FILE` formats it.\n\nFiles are YAML, in a strict subset: "
    "mappings, lists and scalars, in block or flow style. There\nare no anchors, aliases, tags, "
    "directives or second documents, no key occurs twice in a\nmapping, and indentation uses "
    "spaces. A plain scalar is a number or a truth value only\nwhere the format asks for "
    "one.\n\nThe file itself is a [scenario](#scenario); it begins with `assay: 1`.\n";

/* ---- Values -------------------------------------------------------------------------------- */

static void shape_write(rt_buffer *out, const scn_objects *objects, const scn_shape *shape);

static void words_write(rt_buffer *out, const scn_shape *shape)
{
    uint32_t count = 0;
    while (shape->word(count))
        count++;
    uint32_t listed = count <= WORDS_MAX ? count : WORDS_SAMPLE;
    rt_buffer_printf(out, "%s:", shape->noun);
    for (uint32_t i = 0; i < listed; i++)
        rt_buffer_printf(out, "%s `%s`", i ? "," : "", shape->word(i));
    if (listed < count) rt_buffer_printf(out, " and %u more", count - listed);
}

/* Writes either the accepted words or the known words that are not accepted; returns how many it
 * wrote. */
static uint32_t choices_write(rt_buffer *out, const scn_shape *shape, bool is_accepted)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < shape->choice_count; i++) {
        if (shape->choices[i].is_accepted != is_accepted) continue;
        const char *before = count > 0 ? ", " : is_accepted ? "" : "; not accepted: ";
        rt_buffer_printf(out, "%s`%s`", before, shape->choices[i].name);
        count++;
    }
    return count;
}

static void count_write(rt_buffer *out, const scn_shape *shape)
{
    uint64_t least = shape->least, most = shape->most;
    CHECK(most == 0 || least <= most);
    if (least > 0 && most == least) rt_buffer_printf(out, " (%" PRIu64 ")", least);
    if (least > 0 && most > least)
        rt_buffer_printf(out, " (%" PRIu64 " to %" PRIu64 ")", least, most);
    if (least > 0 && most == 0) rt_buffer_printf(out, " (at least %" PRIu64 ")", least);
    if (least == 0 && most > 0) rt_buffer_printf(out, " (at most %" PRIu64 ")", most);
}

static void shape_write(rt_buffer *out, const scn_objects *objects, const scn_shape *shape)
{
    switch (shape->kind) {
    case SCN_SHAPE_TEXT:
    case SCN_SHAPE_NAME: rt_buffer_printf(out, "%s", shape->noun); return;
    case SCN_SHAPE_INTEGER:
        rt_buffer_printf(out, "%s, %" PRIu64, shape->noun, shape->least);
        if (shape->most != shape->least) rt_buffer_printf(out, " to %" PRIu64, shape->most);
        return;
    case SCN_SHAPE_TRUTH: rt_buffer_printf(out, "`true` or `false`"); return;
    case SCN_SHAPE_CHOICE:
        choices_write(out, shape, true);
        choices_write(out, shape, false);
        return;
    case SCN_SHAPE_WORD: words_write(out, shape); return;
    case SCN_SHAPE_LIST:
    case SCN_SHAPE_MAP:
        rt_buffer_printf(out, shape->kind == SCN_SHAPE_LIST ? "a list" : "a mapping of names");
        count_write(out, shape);
        rt_buffer_printf(out, shape->kind == SCN_SHAPE_LIST ? " of: " : " to: ");
        shape_write(out, objects, shape->element);
        return;
    case SCN_SHAPE_REFERENCE:
        rt_buffer_printf(out, "the %s of %s", shape->table == SCN_TABLE_STEPS ? "id" : "name",
                         shape->noun);
        return;
    case SCN_SHAPE_OBJECT:
        if (shape->shorthand) {
            shape_write(out, objects, shape->rows[0].shape);
            rt_buffer_printf(out, ", or ");
        }
        rt_buffer_printf(out, "[%s](#%s)", shape->noun, scn_objects_name(objects, shape).data);
        return;
    case SCN_SHAPE_OTHER:
        if (shape == &scn_shape_trace_event) {
            rt_buffer_printf(out, "[an event](#events)");
            return;
        }
        CHECK(shape->alternatives[0]);
        for (uint32_t i = 0; i < SCN_ALTERNATIVE_COUNT_MAX && shape->alternatives[i]; i++) {
            if (i > 0) rt_buffer_printf(out, ", or ");
            shape_write(out, objects, shape->alternatives[i]);
        }
        return;
    default: break; /* part of the model only */
    }
    UNREACHABLE();
}

/* ---- Objects ------------------------------------------------------------------------------- */

/* An unescaped '|' ends a cell, even inside code. */
static void cell_write(rt_buffer *out, rt_text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] == '|') rt_buffer_append_byte(out, '\\');
        rt_buffer_append_byte(out, text.data[i]);
    }
}

static void row_write(rt_buffer *out, const scn_objects *objects, const scn_row *row)
{
    const char *need = "";
    if (row->flags & SCN_SUFFICES) need = "or this";
    if (row->flags & SCN_ALTERNATIVE) need = "one of these";
    if (row->flags & SCN_REQUIRED) need = "yes";
    rt_buffer value = {0};
    shape_write(&value, objects, row->shape);
    rt_buffer_printf(out, "| `%s` | ", row->key);
    cell_write(out, rt_buffer_text(&value));
    rt_buffer_printf(out, " | %s | ", need);
    cell_write(out, rt_text_of(row->doc));
    rt_buffer_printf(out, " |\n");
    rt_buffer_free(&value);
}

void scn_page_write(rt_buffer *out)
{
    rt_arena arena = {0};
    scn_objects objects;
    scn_objects_find(&arena, &scn_shape_scenario, &objects);
    rt_buffer_append_text(out, (rt_text){introduction, sizeof introduction - 1});
    for (uint32_t i = 0; i < objects.list.count; i++) {
        const scn_shape *shape = objects.list.items[i].shape;
        rt_buffer_printf(out, "\n## %s\n\n", objects.list.items[i].title.data);
        rt_buffer_printf(out, "| key | what it takes | required | |\n|---|---|---|---|\n");
        for (uint32_t row = 0; row < shape->row_count; row++)
            if (scn_row_is_documented(&shape->rows[row]))
                row_write(out, &objects, &shape->rows[row]);
    }
    rt_buffer_printf(
        out,
        "\n## Events\n\nWhat happens while a scenario runs, as `trace` expects it: `{event: link, "
        "inputs: [app/0]}`. Fields\nthat are not given match anything; those with `[]` hold "
        "lists. In events that have a program,\n`program_of: KERNEL` means the one that the "
        "kernel was launched from last. In events that have\nimages, `holds:` says what one of "
        "them is like and `not:` what none of them is like; both take a\n[condition on "
        "images](#%s). In events with a global size, `work_items: N` means\nits product, which "
        "does not depend on the shape.\n\n| event | fields |\n|---|---|\n",
        scn_objects_name(&objects, &scn_shape_image_condition).data);
    for (rt_event_kind kind = 0; kind < RT_EVENT_COUNT; kind++)
        rt_buffer_printf(out, "| `%s` | `%s` |\n", rt_event_name(kind), rt_event_fields(kind));
    rt_vector_free(&objects.list);
    rt_arena_reset(&arena);
}
