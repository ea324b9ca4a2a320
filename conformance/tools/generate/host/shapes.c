#include "conformance/tools/generate/host/shapes.h"

#include "reference/base/check.h"

/* The classes, and what their functions return: `plain`, and twice `half`. */
static const struct class_row {
    const char *name, *kernel;
    int plain, half;
} classes[GEN_ROLES] = {
    [GEN_ROLE_BASE] = {"Shape", "make_shape", 11, 51},
    [GEN_ROLE_SQUARE] = {"Square", "make_square", 12, 52},
    [GEN_ROLE_CIRCLE] = {"Circle", "make_circle", 13, 53},
};

/* ---- The model ---------------------------------------------------------------------------- */

bool gen_shapes_take(gen_shapes *shapes, uint32_t loaded, uint32_t without_fp64,
                     gen_shape_call *call)
{
    CHECK(call->class >= GEN_ROLE_BASE && call->class < GEN_ROLES && call->place < GEN_PLACES);
    uint32_t needed = 1u << GEN_ROLE_BASE | 1u << call->class;
    loaded &= ~(1u << GEN_ROLE_LINKING);
    uint32_t parts = 1u << (call->is_precise ? GEN_SHAPE_PRECISE : GEN_SHAPE_PLAIN);
    if (call->class == GEN_ROLE_BASE) parts |= 1u << GEN_SHAPE_BASE;
    if (!call->is_uncalled) parts |= 1u << (call->is_precise ? GEN_SHAPE_MEASURE : GEN_SHAPE_COUNT);
    if ((needed & ~loaded) || (parts & ~shapes->parts)) return false;
    if (call->is_uncalled) return true;
    call->is_refused = call->is_precise && (without_fp64 & 1u << gen_device_of(call->place));
    if (call->is_refused) return true;
    uint32_t *linked = &(call->is_precise ? shapes->precise : shapes->plain)[call->place];
    /* A program need not contain what was loaded after it had been linked (VF-CACHE-04). */
    if (*linked != 0 && !(*linked & 1u << call->class)) return false;
    if (*linked == 0) *linked = loaded;
    return true;
}

void gen_shapes_unload(gen_shapes *shapes, uint32_t loaded)
{
    for (uint32_t p = 0; p < GEN_PLACES; p++) {
        if (shapes->plain[p] & ~loaded) shapes->plain[p] = 0;
        if (shapes->precise[p] & ~loaded) shapes->precise[p] = 0;
    }
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* A class in one line, with the functions that are not omitted. */
static void class_write(gen_role role, uint32_t parts, rt_buffer *out)
{
    bool is_base = role == GEN_ROLE_BASE;
    const char *before = is_base ? "virtual " : "", *after = is_base ? "" : " override";
    rt_buffer_printf(out, "          struct %s%s {", classes[role].name, is_base ? "" : " : Shape");
    if (parts & 1u << GEN_SHAPE_PLAIN)
        rt_buffer_printf(out, " INDIRECTLY_CALLABLE_IN(\"plain\") %sint sides()%s { return %d; }",
                         before, after, classes[role].plain);
    if (parts & 1u << GEN_SHAPE_PRECISE)
        rt_buffer_printf(out,
                         " INDIRECTLY_CALLABLE_IN(\"precise\") USES_ASPECTS(fp64) %sint "
                         "area(int r)%s { return (int)(%d.0 * r); }",
                         before, after, classes[role].half);
    rt_buffer_printf(out, " };\n");
}

/* The kernels of the base's library that are not omitted, as bits 1u << part. */
static uint32_t kernels_of_base(uint32_t parts)
{
    uint32_t kernels = parts & 1u << GEN_SHAPE_BASE;
    if (parts & 1u << GEN_SHAPE_PLAIN) kernels |= parts & 1u << GEN_SHAPE_COUNT;
    if (parts & 1u << GEN_SHAPE_PRECISE) kernels |= parts & 1u << GEN_SHAPE_MEASURE;
    return kernels;
}

/* The program of each kernel of the base's library is its own, because it is split per kernel. */
void gen_shapes_write_module(gen_role role, uint32_t parts, rt_buffer *out)
{
    CHECK(role >= GEN_ROLE_BASE && role < GEN_ROLES);
    bool is_base = role == GEN_ROLE_BASE;
    uint32_t kernels = is_base ? kernels_of_base(parts) : 0;
    bool is_split = (kernels & (kernels - 1)) != 0;
    rt_buffer_printf(out, "%s    sources:\n      - language: opencl-cpp\n        code: |\n",
                     is_split ? "    split: per_kernel\n" : "");
    class_write(GEN_ROLE_BASE, parts, out);
    if (!is_base) class_write(role, parts, out);
    if (!is_base || (kernels & 1u << GEN_SHAPE_BASE))
        rt_buffer_printf(
            out, "          kernel void %s(global char *storage) { new_object<%s>(storage); }\n",
            classes[role].kernel, classes[role].name);
    if (kernels & 1u << GEN_SHAPE_COUNT)
        rt_buffer_printf(
            out, "          CALLS_INDIRECTLY(\"plain\") kernel void count(global char *storage, "
                 "global int *out) { out[0] = object<Shape>(storage)->sides(); }\n");
    if (kernels & 1u << GEN_SHAPE_MEASURE)
        rt_buffer_printf(
            out, "          CALLS_INDIRECTLY(\"precise\") kernel void measure(global char "
                 "*storage, global int *out) { out[0] = object<Shape>(storage)->area(2); }\n");
}

void gen_shapes_write_memories(bool has_result, const char *suffix, rt_buffer *out)
{
    rt_buffer_printf(out, "  object%s: {type: char, count: 64, addresses: true}\n", suffix);
    if (has_result) rt_buffer_printf(out, "  returned%s: {type: int, values: [-1]}\n", suffix);
}

/* Shipped DPC++ has no dummies, so what a device without fp64 does is checked for the documents
 * alone. */
void gen_shapes_write_call(const gen_shape_call *call, bool lacks_fp64, const char *place_key,
                           const char *suffix, rt_buffer *out)
{
    const struct class_row *class = &classes[call->class];
    const char *profile = lacks_fp64 ? "    profile: documents\n" : "";
    rt_buffer_printf(out, "  - submit: {kernel: %s, range: [1], args: [object%s]%s}\n%s",
                     class->kernel, suffix, place_key, profile);
    if (call->is_uncalled) return;
    rt_buffer_printf(out,
                     "  - submit: {kernel: %s, range: [1], args: [object%s, returned%s]%s}\n%s",
                     call->is_precise ? "measure" : "count", suffix, suffix, place_key, profile);
    if (call->is_refused)
        rt_buffer_printf(out, "    expect: {error: {documents: \"errc::kernel_not_supported\"}}\n");
    else
        rt_buffer_printf(out, "  - expect: {memory: returned%s, equals: [%d]}\n%s", suffix,
                         call->is_precise ? 2 * class->half : class->plain, profile);
}
