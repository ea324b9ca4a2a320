/* The reference page of the format, in Markdown, from the table that drives the reader: a section
 * for each object, a row for each key. */
#include "conformance/scenario/schema/objects.h"
#include "reference/trace/trace.h"

#include <inttypes.h>
#include <string.h>

/* Vocabularies up to WORDS_MAX words are printed in full; of longer ones, a sample. */
enum { WORDS_MAX = 24, WORDS_SAMPLE = 3 };

static const char introduction[] =
    "# The format of scenario files\n\n<!-- Made by `assay schema --page` from the reader's own table; ci/update-docs rewrites it. -->\n\nA scenario file describes a small host program, its shared libraries, the device code in them\nand the steps that it takes. `assay schema` prints the same format as a JSON Schema, for\neditors; `assay check FILE` reports what is wrong in a file, and `assay fmt FILE` formats it.\n\nFiles are YAML, in a strict subset: mappings, lists and scalars, in block or flow style. There\nare no anchors, aliases, tags, directives or second documents, no key occurs twice in a\nmapping, and indentation uses spaces. A plain scalar is a number or a truth value only\nwhere the format asks for one.\n\nThe file itself is a [scenario](#scenario); it begins with `assay: 1`.\n";

/* ---- Values -------------------------------------------------------------------------------- */

static void shape_write(rt_buffer *out, const scn_objects *objects, const scn_shape *shape);

static void words_write(rt_buffer *out, const scn_shape *shape)
{
    uint32_t count = 0;
    while (shape->word(count))
        count++;
    uint32_t told = count <= WORDS_MAX ? count : WORDS_SAMPLE;
    rt_buffer_printf(out, "%s:", shape->noun);
    for (uint32_t i = 0; i < told; i++)
        rt_buffer_printf(out, "%s `%s`", i ? "," : "", shape->word(i));
    if (told < count) rt_buffer_printf(out, " and %u more", count - told);
}

/* Writes the accepted words, or the known words that are not accepted; returns their number. */
static uint32_t choices_write(rt_buffer *out, const scn_shape *shape, bool taken)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < shape->choice_count; i++) {
        if (shape->choices[i].taken != taken) continue;
        const char *before = count > 0 ? ", " : taken ? "" : "; not accepted: ";
        rt_buffer_printf(out, "%s`%s`", before, shape->choices[i].name);
        count++;
    }
    return count;
}

static bool is_scalar(const scn_shape *shape)
{
    return shape->kind == SCN_SHAPE_TEXT || shape->kind == SCN_SHAPE_NAME;
}

/* A value with a reading function of its own is described by its alternatives; a text that this
 * function takes apart, by its noun ("the name of a memory"). */
static void other_write(rt_buffer *out, const scn_objects *objects, const scn_shape *shape)
{
    const scn_shape *first = shape->alternatives[0];
    if (shape == &scn_shape_trace_event) {
        rt_buffer_printf(out, "[an event](#events)");
        return;
    }
    CHECK(first);
    if (is_scalar(first) && !shape->alternatives[1]) {
        rt_buffer_printf(out, "%s", shape->noun);
        return;
    }
    for (uint32_t i = 0; i < SCN_ALTERNATIVE_COUNT_MAX && shape->alternatives[i]; i++) {
        if (i > 0) rt_buffer_printf(out, ", or ");
        shape_write(out, objects, shape->alternatives[i]);
    }
}

static void count_write(rt_buffer *out, const scn_shape *shape)
{
    uint64_t least = shape->least, most = shape->most;
    if (least > 0 && most == least) rt_buffer_printf(out, " (%" PRIu64 ")", least);
    if (least > 0 && most > least)
        rt_buffer_printf(out, " (%" PRIu64 " to %" PRIu64 ")", least, most);
    if (least > 0 && most == 0) rt_buffer_printf(out, " (at least %" PRIu64 ")", least);
    if (least == 0 && most > 0) rt_buffer_printf(out, " (at most %" PRIu64 ")", most);
}

static void integer_write(rt_buffer *out, const scn_shape *shape)
{
    rt_buffer_printf(out, "%s, %" PRIu64, shape->noun, shape->least);
    if (shape->most != shape->least) rt_buffer_printf(out, " to %" PRIu64, shape->most);
}

static void shape_write(rt_buffer *out, const scn_objects *objects, const scn_shape *shape)
{
    switch (shape->kind) {
    case SCN_SHAPE_TEXT:
    case SCN_SHAPE_NAME: rt_buffer_printf(out, "%s", shape->noun); return;
    case SCN_SHAPE_INTEGER: integer_write(out, shape); return;
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
    case SCN_SHAPE_OTHER: other_write(out, objects, shape); return;
    default: break; /* of the model alone */
    }
    UNREACHABLE();
}

/* ---- Objects ------------------------------------------------------------------------------- */

/* A cell ends at '|', even inside code. */
static void cell_write(rt_buffer *out, rt_text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] == '|') rt_buffer_append_byte(out, '\\');
        rt_buffer_append_byte(out, text.data[i]);
    }
}

static const char *need_of(const scn_row *row)
{
    if (row->flags & SCN_REQUIRED) return "yes";
    if (row->flags & SCN_ALTERNATIVE) return "one of these";
    if (row->flags & SCN_SUFFICES) return "or this";
    return "";
}

static void row_write(rt_buffer *out, const scn_objects *objects, const scn_row *row)
{
    rt_buffer value = {0};
    shape_write(&value, objects, row->shape);
    rt_buffer_printf(out, "| `%s` | ", row->key);
    cell_write(out, rt_buffer_text(&value));
    rt_buffer_printf(out, " | %s | ", need_of(row));
    cell_write(out, rt_text_of(row->doc));
    rt_buffer_printf(out, " |\n");
    rt_buffer_free(&value);
}

static void object_write(rt_buffer *out, const scn_objects *objects, const scn_named_object *object)
{
    const scn_shape *shape = object->shape;
    rt_buffer_printf(out, "\n## %s\n\n", object->title.data);
    rt_buffer_printf(out, "| key | what it takes | required | |\n|---|---|---|---|\n");
    for (uint32_t i = 0; i < shape->row_count; i++)
        if (scn_row_is_told(&shape->rows[i])) row_write(out, objects, &shape->rows[i]);
}

/* ---- Events -------------------------------------------------------------------------------- */

static void events_write(rt_buffer *out, const scn_objects *objects)
{
    rt_buffer_printf(
        out,
        "\n## Events\n\nWhat happens while a scenario runs, as `trace` expects it: `{event: link, inputs: [app/0]}`. Fields\nthat are not given match anything; those with `[]` hold lists. In events that have a program,\n`program_of: KERNEL` means the one that the kernel was launched from last. In events that have\nimages, `holds:` says what one of them is like and `not:` what none of them is like; both take a\n[condition on images](#%s).\n\n| event | fields |\n|---|---|\n",
        scn_objects_name(objects, &scn_shape_image_condition).data);
    for (rt_event_kind kind = 0; kind < RT_EVENT_COUNT; kind++)
        rt_buffer_printf(out, "| `%s` | `%s` |\n", rt_event_name(kind), rt_event_fields(kind));
}

void scn_page_write(rt_buffer *out)
{
    rt_arena arena = {0};
    scn_objects objects;
    scn_objects_find(&arena, &objects);
    rt_buffer_append_text(out, (rt_text){introduction, sizeof introduction - 1});
    for (uint32_t i = 0; i < objects.list.count; i++)
        object_write(out, &objects, &objects.list.items[i]);
    events_write(out, &objects);
    rt_vector_free(&objects.list);
    rt_arena_reset(&arena);
}
