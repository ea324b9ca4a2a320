/* The explanation as text, with a section for each part: modules, images, imports and their
 * providers, programs, commands. */
#include "conformance/explain/explain.h"

#include "conformance/explain/contents.h"
#include "conformance/explain/explain_internal.h"
#include "conformance/explain/fusions.h"
#include "reference/base/demangle.h"
#include "reference/base/utf8.h"
#include "reference/image/virtual_functions.h"

#include <inttypes.h>
#include <string.h>

static void heading(rt_buffer *out, const char *title)
{
    rt_buffer_printf(out, "%s%s\n", out->size ? "\n" : "", title);
}

/* Names come from scenarios and device code, so characters that would move the cursor, and bytes
 * that are not UTF-8, are replaced. */
void cnf_explain_name(rt_buffer *out, const char *before, rt_text name)
{
    rt_arena arena = {0};
    rt_text rest = rt_demangle_text(&arena, name);
    rt_buffer_printf(out, "%s", before);
    while (rest.length > 0) {
        rt_character character = rt_utf8_take(&rest);
        bool is_control = character.code < 0x20 || character.code == 0x7F;
        rt_buffer_append_utf8(out, is_control ? RT_TEXT(RT_UTF8_REPLACEMENT) : character.bytes);
    }
    rt_arena_reset(&arena);
}

/* Writes a name as the first word of a line, padded so that the rest of the line is aligned in most
 * lines. */
static void first_word_write(rt_buffer *out, rt_text name)
{
    enum { WIDTH = 14 };
    cnf_explain_name(out, "  ", name);
    rt_buffer_printf(out, "%*s", name.length < WIDTH ? (int)(WIDTH - name.length) + 1 : 1, "");
}

/* Writes `before` and the names, separated by ", "; nothing for an empty list. */
static void names_write(rt_buffer *out, const char *before, const rt_text *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        cnf_explain_name(out, i == 0 ? before : ", ", names[i]);
}

/* ---- Modules ------------------------------------------------------------------------------- */

static void modules_write(rt_buffer *out, const scn_scenario *scenario)
{
    heading(out, "Modules");
    for (uint32_t index = 0; index < scenario->module_count; index++) {
        const scn_module *module = &scenario->modules[index];
        first_word_write(out, module->name);
        rt_buffer_printf(out, index == 0 ? "executable" : "library");
        for (uint32_t i = 0; i < scenario->preloaded_count; i++)
            if (scenario->preloaded[i] == index) rt_buffer_printf(out, ", preloaded");
        for (uint32_t i = 0; i < module->need_count; i++)
            cnf_explain_name(out, i ? ", " : "; needs ", scenario->modules[module->needs[i]].name);
        names_write(out, "; host symbols ", module->host_symbols, module->host_symbol_count);
        if (module->file_name.length)
            rt_buffer_printf(out, "; file %.*s", RT_TEXT_ARG(module->file_name));
        if (!module->registers) rt_buffer_printf(out, "; does not register its images");
        rt_buffer_append_byte(out, '\n');
        /* The device_globals that its host code registers. */
        for (uint32_t i = 0; i < module->device_globals.count; i++) {
            const rt_device_global *global = &module->device_globals.globals[i];
            cnf_explain_name(out, "    device_global ", global->name);
            cnf_explain_name(out, " (id ", global->unique_id);
            rt_buffer_printf(out, "): %" PRIu64 " byte%s%s, host access %s\n", global->size,
                             global->size == 1 ? "" : "s",
                             global->image_scope ? ", image scope" : "",
                             rt_host_access_name(global->host_access));
        }
    }
}

/* ---- Images -------------------------------------------------------------------------------- */

static void property_write(rt_buffer *out, const rt_property_set *set, const rt_property *property,
                           bool symbol)
{
    rt_device_global_value global;
    bool names = rt_text_is(set->name, RT_SET_VIRTUAL_FUNCTIONS) ||
                 rt_text_is(set->name, RT_SET_VIRTUAL_FUNCTION_SETS) ||
                 rt_text_is(set->name, RT_SET_KERNEL_CALLS);
    cnf_explain_name(out, "", property->name);
    if (symbol) return; /* type and value are meaningless in sets of symbols (DL-IMAGE-07) */
    if (names && property->type == RT_PROPERTY_BYTES) {
        cnf_explain_name(out, " = ", rt_property_text_value(property));
        return;
    }
    if (cnf_explain_aspects(out, " = ", set, property)) return;
    if (rt_text_is(set->name, RT_SET_DEVICE_GLOBALS) &&
        rt_device_global_value_read(property, &global))
        rt_buffer_printf(out, " = %u byte%s%s", global.size, global.size == 1 ? "" : "s",
                         global.image_scope ? " with image scope" : "");
    else if (property->type == RT_PROPERTY_UINT32)
        rt_buffer_printf(out, " = %u", property->number);
    else
        rt_buffer_printf(out, " = %zu byte%s", property->bytes.size,
                         property->bytes.size == 1 ? "" : "s");
}

static void set_write(rt_buffer *out, const rt_property_set *set)
{
    bool imports = rt_text_is(set->name, RT_SET_IMPORTED_SYMBOLS);
    bool exports = rt_text_is(set->name, RT_SET_EXPORTED_SYMBOLS);
    cnf_explain_name(out, "    ",
                     imports   ? RT_TEXT("imports")
                     : exports ? RT_TEXT("exports")
                               : set->name);
    rt_buffer_printf(out, imports || exports ? " " : ": ");
    for (uint32_t i = 0; i < set->property_count; i++) {
        if (i > 0) rt_buffer_printf(out, ", ");
        property_write(out, set, &set->properties[i], imports || exports);
    }
    rt_buffer_printf(out, set->property_count == 0 ? "nothing\n" : "\n");
}

static void images_write(rt_buffer *out, const cnf_link_graph *graph)
{
    heading(out, "Images");
    if (graph->images.count == 0) rt_buffer_printf(out, "  none: nothing was compiled\n");
    for (uint32_t i = 0; i < graph->images.count; i++) {
        const rt_image *image = graph->images.items[i].image;
        first_word_write(out, image->name);
        rt_buffer_printf(out, "%s", rt_format_name(image->format));
        names_write(out, "; kernels ", image->kernels, image->kernel_count);
        rt_buffer_append_byte(out, '\n');
        for (uint32_t j = 0; j < image->set_count; j++)
            set_write(out, &image->sets[j]);
    }
}

/* ---- Imports ------------------------------------------------------------------------------- */

static void links_write(rt_buffer *out, const cnf_link_graph *graph)
{
    heading(out, "Link graph");
    if (graph->imports.count == 0) rt_buffer_printf(out, "  no image imports anything\n");
    for (uint32_t i = 0; i < graph->imports.count; i++) {
        const cnf_import *import = &graph->imports.items[i];
        CHECK(import->image < graph->images.count);
        CHECK((import->provider == SCN_NONE) == (import->state == CNF_IMPORT_UNRESOLVED));
        first_word_write(out, graph->images.items[import->image].image->name);
        cnf_explain_name(out, "-> ",
                         import->provider == SCN_NONE
                             ? RT_TEXT("UNRESOLVED")
                             : graph->images.items[import->provider].image->name);
        cnf_explain_name(out, "  ", import->symbol);
        if (import->state == CNF_IMPORT_POSSIBLE)
            rt_buffer_printf(out, "  (exported there; not searched for)");
        rt_buffer_append_byte(out, '\n');
    }
    for (uint32_t cycle = 1; cycle <= graph->cycle_count; cycle++) {
        const char *before = "  cycle: ";
        for (uint32_t i = 0; i < graph->images.count; i++) {
            if (graph->images.items[i].cycle != cycle) continue;
            cnf_explain_name(out, before, graph->images.items[i].image->name);
            before = ", ";
        }
        rt_buffer_append_byte(out, '\n');
    }
}

/* ---- Sets of virtual functions ------------------------------------------------------------- */

/* Written only if sets of virtual functions made images join others. */
static void sets_write(rt_buffer *out, const cnf_history *history)
{
    bool first = true;
    for (uint32_t i = 0; i < history->event_count; i++) {
        if (!cnf_event_joins_anew(history, i)) continue;
        const rt_event *event = &history->events[i];
        if (first) heading(out, "Sets of virtual functions");
        first = false;
        first_word_write(out, cnf_event_text(event, "image"));
        cnf_explain_name(out, "", cnf_event_text(event, "relation"));
        cnf_explain_name(out, " ", cnf_event_text(event, "set"));
        cnf_explain_name(out, " -> ", cnf_event_text(event, "provider"));
        rt_text real = cnf_event_text(event, "stands_for");
        if (real.length > 0) cnf_explain_name(out, ", the dummy of ", real);
        rt_buffer_append_byte(out, '\n');
    }
}

/* ---- Programs ------------------------------------------------------------------------------ */

static void programs_write(rt_buffer *out, const cnf_history *history)
{
    heading(out, "Programs");
    if (history->programs.count == 0) rt_buffer_printf(out, "  none\n");
    for (uint32_t i = 0; i < history->programs.count; i++) {
        const cnf_xpl_program *program = &history->programs.items[i];
        const rt_event *build = program->build;
        const char *origin = "built from ";
        if (build && build->kind == RT_EVENT_PERSISTENT_HIT)
            origin = "restored from the persistent cache, of ";
        if (program->link) origin = "linked from ";
        first_word_write(out, program->id);
        rt_buffer_printf(out, "%s", origin);
        if (program->inputs)
            names_write(out, "", program->inputs->values, program->inputs->value_count);
        else
            rt_buffer_printf(out, "images that the trace does not name");
        rt_text by = program->link ? cnf_event_text(program->link, "by") : (rt_text){0};
        if (by.length > 0) cnf_explain_name(out, " by ", by);
        if (build) {
            rt_text device = cnf_event_text(build, "device");
            const rt_event_field *constants = rt_event_field_find(build, RT_TEXT("constants"));
            if (device.length > 0) cnf_explain_name(out, " for device ", device);
            if (constants) names_write(out, " with ", constants->values, constants->value_count);
        } else {
            rt_buffer_printf(out, "; not built");
        }
        uint32_t launches = program->launch_count, hits = program->hit_count;
        if (launches > 0)
            rt_buffer_printf(out, "; %u launch%s", launches, launches == 1 ? "" : "es");
        if (hits > 0) rt_buffer_printf(out, "; %u cache hit%s", hits, hits == 1 ? "" : "s");
        rt_buffer_printf(out, program->released ? "; released\n" : "\n");
    }
}

/* ---- Kernel bundles and commands ----------------------------------------------------------- */

/* Writes an event, preceded by its number. `number` is the field that holds the number; NULL: the
 * event has none. */
static void event_write(rt_buffer *out, const rt_event *event, const char *number)
{
    first_word_write(out, number ? cnf_event_text(event, number) : RT_TEXT("-"));
    rt_buffer_printf(out, "%s", rt_event_name(event->kind));
    for (uint32_t i = 0; i < event->field_count; i++) {
        const rt_event_field *field = &event->fields[i];
        bool is_title = number && strcmp(field->key, number) == 0;
        bool is_empty = field->is_list ? field->value_count == 0 : field->values[0].length == 0;
        if (is_title || is_empty) continue;
        rt_buffer_printf(out, "  %s ", field->key);
        names_write(out, field->is_list ? "[" : "", field->values, field->value_count);
        if (field->is_list) rt_buffer_append_byte(out, ']');
    }
    rt_buffer_append_byte(out, '\n');
}

/* Written only if the scenario creates bundles. */
static void bundles_write(rt_buffer *out, const cnf_history *history)
{
    bool first = true;
    for (uint32_t i = 0; i < history->event_count; i++) {
        if (!rt_event_has_field(history->events[i].kind, RT_TEXT("bundle"), NULL)) continue;
        if (first) heading(out, "Kernel bundles");
        first = false;
        event_write(out, &history->events[i], "bundle");
    }
}

/* True for the events of a fusion that are listed in addition to device commands: the kernels that
 * it holds back, with their dependencies, and its outcome. */
static bool is_of_fusion(rt_event_kind kind)
{
    switch (kind) {
    case RT_EVENT_FUSION_STATUS:
    case RT_EVENT_FUSION_HOLD:
    case RT_EVENT_FUSE:
    case RT_EVENT_FUSION_CACHE_HIT:
    case RT_EVENT_FUSION_CANCEL:
    case RT_EVENT_FUSION_DEMOTE: return true;
    default: return false;
    }
}

/* Waits, refusals and restarts have no number. */
static void commands_write(rt_buffer *out, const cnf_history *history)
{
    uint32_t count = 0;
    heading(out, "Commands");
    for (uint32_t i = 0; i < history->event_count; i++) {
        const rt_event *event = &history->events[i];
        bool is_drawn = cnf_event_is_command(event) || event->kind == RT_EVENT_WAIT ||
                        event->kind == RT_EVENT_ERROR || event->kind == RT_EVENT_RESTART ||
                        is_of_fusion(event->kind);
        if (!is_drawn) continue;
        count++;
        bool numbered = cnf_event_is_command(event) || event->kind == RT_EVENT_FUSION_HOLD;
        event_write(out, event, numbered ? "command" : NULL);
    }
    if (count == 0) rt_buffer_printf(out, "  none\n");
}

void cnf_explain_text(rt_buffer *out, const scn_scenario *scenario, rt_text trace)
{
    rt_arena arena = {0};
    cnf_history history;
    cnf_link_graph graph;
    cnf_contents contents;
    cnf_history_read(&arena, trace, &history);
    cnf_link_graph_find(&arena, scenario, &history, &graph);
    cnf_contents_find(scenario, &history, &contents);
    modules_write(out, scenario);
    images_write(out, &graph);
    links_write(out, &graph);
    sets_write(out, &history);
    programs_write(out, &history);
    bundles_write(out, &history);
    cnf_contents_text(out, &history, &contents);
    cnf_fusions_text(out, &history);
    commands_write(out, &history);
    cnf_contents_free(&contents);
    cnf_link_graph_free(&graph);
    cnf_history_free(&history);
    rt_arena_reset(&arena);
}
