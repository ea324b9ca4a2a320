/* Modules, images and symbols as DOT: a box for each module, a table for each image, an edge from
 * each import to the export that it was bound to. */
#include "conformance/explain/dot_internal.h"

#define KERNEL_GROUND "#e8f0fe"
#define EXPORT_GROUND "#e6f4ea"
#define IMPORT_GROUND "#fef7e0"
#define ALARM_GROUND  "#fce8e6"
#define TITLE_GROUND  "#e8eaed"
#define MODULE_GROUND "#f8f9fa"
#define MODULE_LINE   "#bdc1c6"

rt_text cnf_dot_kernel_port(rt_arena *arena, uint32_t number)
{
    return rt_arena_printf(arena, "k%u", number);
}

/* ---- An image ------------------------------------------------------------------------------ */

static void title_write(rt_buffer *out, rt_arena *arena, const cnf_xpl_image *image)
{
    rt_text remark = rt_text_of(rt_format_name(image->image->format));
    if (image->cycle)
        remark = rt_arena_printf(arena, "%.*s <FONT COLOR=\"%s\">cycle %u</FONT>",
                                 RT_TEXT_ARG(remark), DOT_CYCLE, image->cycle);
    cnf_dot_title(out, TITLE_GROUND, image->image->name, remark);
}

static void symbol_row(rt_buffer *out, rt_text port, const char *ground, const char *ink,
                       const char *role, rt_text name)
{
    cnf_dot_row_begin(out, port, ground, ink);
    rt_buffer_printf(out, "%s ", role);
    cnf_dot_cell_text(out, name);
    cnf_dot_row_end(out);
}

static void kernels_write(rt_buffer *out, rt_arena *arena, const rt_image *image)
{
    for (uint32_t i = 0; i < image->kernel_count; i++)
        symbol_row(out, cnf_dot_kernel_port(arena, i), KERNEL_GROUND, DOT_INK, "kernel",
                   image->kernels[i]);
}

static void exports_write(rt_buffer *out, rt_arena *arena, const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_EXPORTED_SYMBOLS);
    for (uint32_t i = 0; set && i < set->property_count; i++)
        symbol_row(out, rt_arena_printf(arena, "e%u", i), EXPORT_GROUND, DOT_INK, "exports",
                   set->properties[i].name);
}

/* True where the import before this one is the same, which has another possible provider: both are
 * one row. */
static bool is_repeated(const cnf_link_graph *graph, uint32_t import)
{
    if (import == 0) return false;
    const cnf_import *before = &graph->imports.items[import - 1];
    const cnf_import *one = &graph->imports.items[import];
    return before->image == one->image && rt_text_equal(before->symbol, one->symbol);
}

/* The imports of an image follow each other, from `first`. */
static void imports_write(rt_buffer *out, rt_arena *arena, const cnf_link_graph *graph,
                          uint32_t image, uint32_t first)
{
    for (uint32_t i = first; i < graph->imports.count; i++) {
        const cnf_import *import = &graph->imports.items[i];
        if (import->image != image) return;
        if (is_repeated(graph, i)) continue;
        bool unresolved = import->state == CNF_IMPORT_UNRESOLVED;
        symbol_row(out, rt_arena_printf(arena, "i%u", i), unresolved ? ALARM_GROUND : IMPORT_GROUND,
                   unresolved ? DOT_ALARM_INK : DOT_INK, unresolved ? "UNRESOLVED" : "imports",
                   import->symbol);
    }
}

static void image_write(rt_buffer *out, rt_arena *arena, const cnf_link_graph *graph,
                        uint32_t index, uint32_t first_import)
{
    const cnf_xpl_image *image = &graph->images.items[index];
    rt_buffer_printf(out, "      ");
    cnf_dot_node(out, "image", image->image->name);
    rt_buffer_printf(out,
                     " [shape=plain, label=<<TABLE BORDER=\"%d\" CELLBORDER=\"0\" "
                     "CELLSPACING=\"0\" CELLPADDING=\"4\" COLOR=\"%s\" BGCOLOR=\"white\">\n",
                     image->cycle ? 2 : 1, image->cycle ? DOT_CYCLE : DOT_LINE);
    title_write(out, arena, image);
    kernels_write(out, arena, image->image);
    exports_write(out, arena, image->image);
    imports_write(out, arena, graph, index, first_import);
    rt_buffer_printf(out, "      </TABLE>>];\n");
}

/* ---- Modules ------------------------------------------------------------------------------- */

/* More names than this would make the box wider than its images. */
enum { NEEDS_SHOWN_MAX = 3 };

static void module_label(rt_buffer *out, const scn_scenario *scenario, uint32_t index)
{
    const scn_module *module = &scenario->modules[index];
    rt_buffer_printf(out, "      label=<<B>");
    cnf_dot_cell_text(out, module->name);
    rt_buffer_printf(out, "</B>&#160; <FONT POINT-SIZE=\"10\" COLOR=\"%s\">%s", DOT_FAINT_INK,
                     index == 0 ? "executable" : "library");
    if (module->need_count > NEEDS_SHOWN_MAX)
        rt_buffer_printf(out, ", needs %u modules", module->need_count);
    for (uint32_t i = 0; i < module->need_count && module->need_count <= NEEDS_SHOWN_MAX; i++) {
        rt_buffer_printf(out, i == 0 ? ", needs " : ", ");
        cnf_dot_cell_text(out, scenario->modules[module->needs[i]].name);
    }
    rt_buffer_printf(out, "</FONT>>;\n");
}

/* The images of a module follow each other, from `first` to before `end`. */
static void module_write(rt_buffer *out, rt_arena *arena, const scn_scenario *scenario,
                         const cnf_link_graph *graph, uint32_t module, uint32_t first, uint32_t end,
                         const uint32_t *first_imports)
{
    rt_buffer_printf(out,
                     "    subgraph \"cluster_module_%u\" {\n      style=\"rounded,filled\";\n"
                     "      fillcolor=\"%s\";\n      color=\"%s\";\n",
                     module, MODULE_GROUND, MODULE_LINE);
    module_label(out, scenario, module);
    for (uint32_t i = first; i < end; i++)
        image_write(out, arena, graph, i, first_imports[i]);
    if (first == end) { /* A box needs something in it. */
        rt_buffer_printf(out, "      ");
        cnf_dot_node(out, "module", scenario->modules[module].name);
        rt_buffer_printf(out, " [shape=plaintext, fontcolor=\"%s\", label=\"no image\"];\n",
                         DOT_FAINT_INK);
    }
    rt_buffer_printf(out, "    }\n");
}

/* Where the imports of each image begin. */
static const uint32_t *imports_index(rt_arena *arena, const cnf_link_graph *graph)
{
    uint32_t *firsts = rt_arena_alloc_array(arena, graph->images.count, sizeof *firsts);
    uint32_t import = 0;
    for (uint32_t i = 0; i < graph->images.count; i++) {
        firsts[i] = import;
        while (import < graph->imports.count && graph->imports.items[import].image == i)
            import++;
    }
    CHECK(import == graph->imports.count);
    return firsts;
}

/* From the last module to the first: Graphviz puts what comes later higher, and a reader begins at
 * the top. */
static void modules_write(rt_buffer *out, rt_arena *arena, const scn_scenario *scenario,
                          const cnf_link_graph *graph)
{
    const uint32_t *first_imports = imports_index(arena, graph);
    uint32_t end = graph->images.count;
    for (uint32_t i = scenario->module_count; i-- > 0;) {
        uint32_t first = end;
        while (first > 0 && graph->images.items[first - 1].module == i)
            first--;
        module_write(out, arena, scenario, graph, i, first, end, first_imports);
        end = first;
    }
    CHECK(end == 0);
}

/* ---- Who provides what --------------------------------------------------------------------- */

/* Appends an image and the row of what it exports; without one, as a trace may say of a provider
 * that its property sets do not know, its title. */
static void provider_write(rt_buffer *out, const rt_image *image, rt_text symbol)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_EXPORTED_SYMBOLS);
    cnf_dot_node(out, "image", image->name);
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
        if (import->state == CNF_IMPORT_UNRESOLVED) continue; /* Its row says so. */
        rt_buffer_printf(out, "    ");
        cnf_dot_node(out, "image", graph->images.items[import->image].image->name);
        rt_buffer_printf(out, ":i%u -> ", row);
        provider_write(out, graph->images.items[import->provider].image, import->symbol);
        rt_buffer_printf(out, import->state == CNF_IMPORT_POSSIBLE ? " [style=dashed];\n" : ";\n");
    }
}

static bool has_image(const cnf_link_graph *graph, rt_text name)
{
    for (uint32_t i = 0; i < graph->images.count; i++) {
        if (rt_text_equal(graph->images.items[i].image->name, name)) return true;
    }
    return false;
}

/* What joined by a set of virtual functions, from image to image. */
static void joins_write(rt_buffer *out, const cnf_link_graph *graph, const cnf_history *history)
{
    for (uint32_t i = 0; i < history->event_count; i++) {
        if (!cnf_event_joins_anew(history, i)) continue;
        const rt_event *event = &history->events[i];
        rt_text image = cnf_event_text(event, "image");
        rt_text provider = cnf_event_text(event, "provider");
        if (!has_image(graph, image) || !has_image(graph, provider)) continue; /* a damaged trace */
        rt_buffer_printf(out, "    ");
        cnf_dot_node(out, "image", image);
        rt_buffer_printf(out, ":title -> ");
        cnf_dot_node(out, "image", provider);
        rt_buffer_printf(out, ":title [style=dotted, fontsize=9, label=\"");
        cnf_dot_quote(out, cnf_event_text(event, "relation"));
        rt_buffer_append_byte(out, ' ');
        cnf_dot_quote(out, cnf_event_text(event, "set"));
        rt_buffer_printf(out, "\"];\n");
    }
}

void cnf_dot_images(rt_buffer *out, const scn_scenario *scenario, const cnf_link_graph *graph,
                    const cnf_history *history)
{
    rt_arena arena = {0};
    rt_buffer_printf(
        out,
        "  subgraph \"cluster_link\" {\n"
        "    label=\"modules, images and symbols\";\n    color=\"white\";\n    fontsize=12;\n");
    modules_write(out, &arena, scenario, graph);
    edges_write(out, graph);
    joins_write(out, graph, history);
    rt_buffer_printf(out, "  }\n");
    rt_arena_reset(&arena);
}
