/* Modules, images and symbols as DOT: a box for each module, a table for each image, an edge from
 * each import to the export to which it was bound. */
#include "conformance/explain/dot_internal.h"

#define KERNEL_GROUND "#e8f0fe"
#define EXPORT_GROUND "#e6f4ea"
#define IMPORT_GROUND "#fef7e0"
#define ALARM_GROUND  "#fce8e6"
#define ASPECT_GROUND "#f3e8fd"
#define TITLE_GROUND  "#e8eaed"
#define MODULE_GROUND "#f8f9fa"
#define MODULE_LINE   "#bdc1c6"

rt_text cnf_dot_kernel_port(rt_arena *arena, uint32_t number)
{
    return rt_arena_printf(arena, "k%u", number);
}

/* The data that is drawn. */
typedef struct drawing {
    rt_arena arena;
    const scn_scenario *scenario;
    const cnf_link_graph *graph;
    const cnf_contents *contents;
    const uint32_t *first_imports; /* for each image, the index of its first import */
} drawing;

/* ---- An image ------------------------------------------------------------------------------ */

static void title_write(rt_buffer *out, rt_arena *arena, const cnf_xpl_image *image)
{
    rt_text remark = rt_text_of(rt_format_name(image->image->format));
    if (cnf_dot_is_dummy(image->image))
        remark = rt_arena_printf(arena, "%.*s dummy", RT_TEXT_ARG(remark));
    if (image->cycle)
        remark = rt_arena_printf(arena, "%.*s <FONT COLOR=\"%s\">cycle %u</FONT>",
                                 RT_TEXT_ARG(remark), DOT_CYCLE, image->cycle);
    cnf_dot_title(out, TITLE_GROUND, image->image->name, remark);
}

/* True if the previous import differs only in its provider, so that both share one row. */
static bool is_repeated(const cnf_link_graph *graph, uint32_t import)
{
    if (import == 0) return false;
    const cnf_import *previous = &graph->imports.items[import - 1];
    const cnf_import *current = &graph->imports.items[import];
    return previous->image == current->image && rt_text_equal(previous->symbol, current->symbol);
}

static void image_write(rt_buffer *out, drawing *draw, uint32_t index)
{
    const cnf_link_graph *graph = draw->graph;
    CHECK(index < graph->images.count);
    const cnf_xpl_image *entry = &graph->images.items[index];
    const rt_image *image = entry->image;
    cnf_dot_node(out, "      ", "image", image->name);
    rt_buffer_printf(out,
                     " [shape=plain, label=<<TABLE BORDER=\"%d\" CELLBORDER=\"0\" "
                     "CELLSPACING=\"0\" CELLPADDING=\"4\" COLOR=\"%s\" BGCOLOR=\"white\"%s>\n",
                     entry->cycle ? 2 : 1, entry->cycle ? DOT_CYCLE : DOT_LINE,
                     cnf_dot_is_dummy(image) ? " STYLE=\"DASHED\"" : "");
    title_write(out, &draw->arena, entry);
    for (uint32_t i = 0; i < image->kernel_count; i++)
        cnf_dot_row(out, cnf_dot_kernel_port(&draw->arena, i), KERNEL_GROUND, DOT_INK, "kernel",
                    image->kernels[i]);
    const rt_property_set *set = rt_image_set(image, RT_SET_EXPORTED_SYMBOLS);
    for (uint32_t i = 0; set && i < set->property_count; i++)
        cnf_dot_row(out, rt_arena_printf(&draw->arena, "e%u", i), EXPORT_GROUND, DOT_INK, "exports",
                    set->properties[i].name);
    /* The imports of an image are adjacent. */
    for (uint32_t i = draw->first_imports[index]; i < graph->imports.count; i++) {
        const cnf_import *import = &graph->imports.items[i];
        if (import->image != index) break;
        if (is_repeated(graph, i)) continue;
        bool is_unresolved = import->state == CNF_IMPORT_UNRESOLVED;
        cnf_dot_row(out, rt_arena_printf(&draw->arena, "i%u", i),
                    is_unresolved ? ALARM_GROUND : IMPORT_GROUND,
                    is_unresolved ? DOT_ALARM_INK : DOT_INK,
                    is_unresolved ? "UNRESOLVED" : "imports", import->symbol);
    }
    set = rt_image_set(image, RT_SET_DEVICE_REQUIREMENTS);
    rt_buffer aspects = {0};
    for (uint32_t i = 0; set && i < set->property_count && aspects.size == 0; i++)
        if (cnf_explain_aspects(&aspects, "", set, &set->properties[i]))
            cnf_dot_row(out, rt_arena_printf(&draw->arena, "a%u", i), ASPECT_GROUND, DOT_INK,
                        "needs", rt_buffer_text(&aspects));
    rt_buffer_free(&aspects);
    cnf_dot_set_rows(out, &draw->arena, image);
    cnf_dot_variable_rows(out, &draw->arena, image, draw->contents);
    rt_buffer_printf(out, "      </TABLE>>];\n");
}

/* ---- Modules ------------------------------------------------------------------------------- */

/* Writes a module's box; its images are adjacent: `first` to `end` - 1. */
static void module_write(rt_buffer *out, drawing *draw, uint32_t index, uint32_t first,
                         uint32_t end)
{
    enum { NEEDS_MAX = 3 }; /* more names would make the box wider than its images */
    const scn_scenario *scenario = draw->scenario;
    const scn_module *module = &scenario->modules[index];
    CHECK(first <= end && end <= draw->graph->images.count);
    rt_buffer_printf(out,
                     "    subgraph \"cluster_module_%u\" {\n      style=\"rounded,filled\";\n"
                     "      fillcolor=\"%s\";\n      color=\"%s\";\n",
                     index, MODULE_GROUND, MODULE_LINE);
    cnf_dot_cell_text(out, "      label=<<B>", module->name);
    rt_buffer_printf(out, "</B>&#160; <FONT POINT-SIZE=\"10\" COLOR=\"%s\">%s", DOT_FAINT_INK,
                     index == 0 ? "executable" : "library");
    if (module->need_count > NEEDS_MAX)
        rt_buffer_printf(out, ", needs %u modules", module->need_count);
    for (uint32_t i = 0; i < module->need_count && module->need_count <= NEEDS_MAX; i++)
        cnf_dot_cell_text(out, i == 0 ? ", needs " : ", ",
                          scenario->modules[module->needs[i]].name);
    rt_buffer_printf(out, "</FONT>>;\n");
    for (uint32_t i = first; i < end; i++)
        image_write(out, draw, i);
    if (first == end) { /* Graphviz omits an empty cluster. */
        cnf_dot_node(out, "      ", "module", module->name);
        rt_buffer_printf(out, " [shape=plaintext, fontcolor=\"%s\", label=\"no image\"];\n",
                         DOT_FAINT_INK);
    }
    rt_buffer_printf(out, "    }\n");
}

/* ---- Edges to providers -------------------------------------------------------------------- */

/* Appends an image and the port of its row for an exported symbol, or of its title if it has no
 * such row: a trace may name a provider whose property sets do not list the symbol. */
static void provider_write(rt_buffer *out, const rt_image *image, rt_text symbol)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_EXPORTED_SYMBOLS);
    cnf_dot_node(out, "", "image", image->name);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        if (!rt_text_equal(set->properties[i].name, symbol)) continue;
        rt_buffer_printf(out, ":e%u", i);
        return;
    }
    rt_buffer_printf(out, ":title");
}

static void edges_write(rt_buffer *out, const cnf_link_graph *graph)
{
    uint32_t row = 0;
    for (uint32_t i = 0; i < graph->imports.count; i++) {
        const cnf_import *import = &graph->imports.items[i];
        if (!is_repeated(graph, i)) row = i;
        if (import->state == CNF_IMPORT_UNRESOLVED)
            continue; /* Its row says that it is unresolved. */
        CHECK(import->provider < graph->images.count);
        cnf_dot_node(out, "    ", "image", graph->images.items[import->image].image->name);
        rt_buffer_printf(out, ":i%u -> ", row);
        provider_write(out, graph->images.items[import->provider].image, import->symbol);
        rt_buffer_printf(out, import->state == CNF_IMPORT_POSSIBLE
                                  ? " [style=dashed, class=possible];\n"
                                  : ";\n");
    }
}

void cnf_dot_images(rt_buffer *out, const scn_scenario *scenario, const cnf_link_graph *graph,
                    const cnf_history *history, const cnf_contents *contents)
{
    drawing draw = {.scenario = scenario, .graph = graph, .contents = contents};
    uint32_t *firsts = rt_arena_alloc_array(&draw.arena, graph->images.count, sizeof *firsts);
    uint32_t import = 0, end = graph->images.count;
    for (uint32_t i = 0; i < graph->images.count; i++) {
        firsts[i] = import;
        while (import < graph->imports.count && graph->imports.items[import].image == i)
            import++;
    }
    CHECK(import == graph->imports.count);
    draw.first_imports = firsts;
    rt_buffer_printf(
        out,
        "  subgraph \"cluster_link\" {\n"
        "    label=\"modules, images and symbols\";\n    color=\"white\";\n    fontsize=12;\n");
    /* Last module first, because Graphviz puts later nodes higher and readers begin at the top. */
    for (uint32_t i = scenario->module_count; i-- > 0;) {
        uint32_t first = end;
        while (first > 0 && graph->images.items[first - 1].module == i)
            first--;
        module_write(out, &draw, i, first, end);
        end = first;
    }
    CHECK(end == 0);
    edges_write(out, graph);
    cnf_dot_joins(out, graph, history);
    rt_buffer_printf(out, "  }\n");
    rt_arena_reset(&draw.arena);
}
