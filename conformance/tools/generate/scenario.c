/* The scenario around a kernel. */
#include "conformance/tools/generate/generate.h"

#include "conformance/tools/generate/generate_internal.h"
#include "reference/base/alloc.h"

#include <inttypes.h>

/* The kernel's parameters: the declaration in its head, and the argument if it is constant. */
typedef struct parameter_row {
    const char *head, *argument;
} parameter_row;

static const parameter_row parameter_rows[GEN_MEMORIES] = {
    [GEN_IN] = {"global const uint *in", "{read: in}"},
    [GEN_OUT] = {"global ulong *out", "{write: out}"},
    [GEN_ARRIVED] = {"global uint *arrived", "arrived"},
    [GEN_COUNTERS] = {"global uint *counters", "counters"},
    [GEN_ROWS] = {"global uint *rows", "rows"},
    [GEN_TILE] = {"local uint *tile", NULL},
    [GEN_N] = {"uint n", NULL},
};

static bool has_parameter(const gen_kernel *kernel, gen_memory memory)
{
    if (memory == GEN_TILE && !kernel->is_tile_argument) return false;
    return kernel->parameters[memory].used;
}

enum { CODE_INDENT = 10 };

static void append_line(rt_buffer *out, rt_text text)
{
    rt_buffer_printf(out, "%*s%.*s\n", CODE_INDENT, "", RT_TEXT_ARG(text));
}

static void append_functions(const gen_function *newest, rt_buffer *out)
{
    if (!newest) return;
    append_functions(newest->next, out);
    if (!newest->declaration.used) return;
    rt_buffer_printf(out, "%*s%.*s {\n", CODE_INDENT, "", RT_TEXT_ARG(newest->declaration.text));
    gen_tree_print(&newest->declaration, CODE_INDENT + 2, out);
    append_line(out, RT_TEXT("}"));
}

static void append_records(const gen_record *newest, rt_buffer *out)
{
    if (!newest) return;
    append_records(newest->next, out);
    if (newest->declaration.used) append_line(out, newest->declaration.text);
}

static void append_memories(gen *g, const gen_kernel *kernel, rt_buffer *out)
{
    uint32_t items = kernel->range.item_count;
    if (has_parameter(kernel, GEN_IN)) {
        rt_buffer_printf(out, "  in: {type: uint, values: [");
        for (uint32_t i = 0; i < GEN_IN_COUNT; i++)
            rt_buffer_printf(out, "%s%u", i > 0 ? ", " : "",
                             gen_chance(g, 50) ? (uint32_t)gen_random_bits(&g->random)
                                               : gen_below(g, 100));
        rt_buffer_printf(out, "]}\n");
    }
    if (has_parameter(kernel, GEN_OUT))
        rt_buffer_printf(out, "  out: {type: ulong, count: %u}\n", items * kernel->record_count);
    rt_buffer_printf(out, "  arrived: {type: uint, values: [0]}\n");
    if (has_parameter(kernel, GEN_COUNTERS)) {
        rt_buffer_printf(out, "  counters: {type: uint, values: [");
        for (uint32_t i = 0; i < gen_tally_count; i++)
            rt_buffer_printf(out, "%s%u", i > 0 ? ", " : "", gen_tallies[i].initial);
        rt_buffer_printf(out, "]}\n");
    }
    if (has_parameter(kernel, GEN_ROWS))
        rt_buffer_printf(out, "  rows: {type: uint, count: %u}\n", items * GEN_REACH);
}

static void append_steps(const gen_kernel *kernel, rt_buffer *out)
{
    const gen_range *range = &kernel->range;
    CHECK(range->dimensions == 1 || range->dimensions == 2);
    rt_buffer_printf(out, "steps:\n  - submit: {kernel: k, range: [");
    for (uint32_t i = 0; i < range->dimensions; i++)
        rt_buffer_printf(out, "%s%u", i > 0 ? ", " : "", range->local[i] * range->groups[i]);
    rt_buffer_printf(out, "], local: [");
    for (uint32_t i = 0; i < range->dimensions; i++)
        rt_buffer_printf(out, "%s%u", i > 0 ? ", " : "", range->local[i]);
    rt_buffer_printf(out, "], args: [");
    const char *before = "";
    for (gen_memory memory = 0; memory < GEN_MEMORIES; memory++) {
        if (!has_parameter(kernel, memory)) continue;
        rt_buffer_printf(out, "%s", before);
        before = ", ";
        if (memory == GEN_TILE)
            rt_buffer_printf(out, "{local: %u}", range->local_count * GEN_REACH * 4);
        else if (memory == GEN_N)
            rt_buffer_printf(out, "{uint: %u}", kernel->n);
        else
            rt_buffer_printf(out, "%s", parameter_rows[memory].argument);
    }
    rt_buffer_printf(out, "]}\n  - expect: {memory: arrived, equals: [%u]}\n", range->item_count);
}

bool gen_request_omits(const gen_request *request, uint32_t number)
{
    for (uint32_t i = 0; i < request->without_count; i++)
        if (request->without[i] == number) return true;
    return false;
}

void gen_scenario_write(const gen_request *request, rt_buffer *out, uint32_t *out_statement_count)
{
    gen *g = rt_alloc(sizeof *g);
    *g = (gen){.random = {request->seed}, .request = request};
    g->tame[0].text =
        RT_TEXT("#define TAME(x) (rint(clamp(x, -1024.0f, 1024.0f) * 16.0f) * 0.0625f)");
    g->tame[1].text =
        RT_TEXT("#define TAME_DOUBLE(x) (rint(clamp(x, -1024.0, 1024.0) * 16.0) * 0.0625)");
    if (gen_chance(g, 50)) gen_make_record(g);
    uint32_t function_count = gen_below(g, 4);
    for (uint32_t i = 0; i < function_count; i++)
        gen_make_function(g);
    gen_kernel kernel;
    gen_make_kernel(g, &kernel);
    gen_tree_mark(&kernel.declaration);
    CHECK(has_parameter(&kernel, GEN_ARRIVED));
    rt_buffer_printf(out,
                     "assay: 1\nsummary: >-\n  The generated kernel of seed %" PRIu64
                     ": every device must leave the same memories, and all of its %u work-items "
                     "must\n  reach their end.\n",
                     request->seed, kernel.range.item_count);
    rt_buffer_printf(out, "modules:\n  app:\n    sources:\n      - language: opencl-c\n"
                          "        code: |\n");
    for (uint32_t i = 0; i < 2; i++) {
        if (g->tame[i].used) append_line(out, g->tame[i].text);
    }
    append_records(g->records, out);
    append_functions(g->functions, out);
    rt_buffer_printf(out, "%*skernel void k(", CODE_INDENT, "");
    const char *before = "";
    for (gen_memory memory = 0; memory < GEN_MEMORIES; memory++) {
        if (!has_parameter(&kernel, memory)) continue;
        rt_buffer_printf(out, "%s%s", before, parameter_rows[memory].head);
        before = ", ";
    }
    rt_buffer_printf(out, ") {\n");
    gen_tree_print(&kernel.declaration, CODE_INDENT + 2, out);
    append_line(out, RT_TEXT("}"));
    rt_buffer_printf(out, "memory:\n");
    append_memories(g, &kernel, out);
    append_steps(&kernel, out);
    *out_statement_count = g->statement_count;
    rt_arena_reset(&g->arena);
    rt_free(g);
}
