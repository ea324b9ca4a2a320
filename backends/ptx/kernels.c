/* Tables of kernels.
 * Source: reference/base/ptx.h for the header; PTX ISA 8.0, "Performance-Tuning Directives:
 * .reqntid", which appears between an entry's parameters and its body. */
#include "backends/ptx/kernels.h"

#include "reference/base/number.h"

#include <string.h>

/* ---- The group size that a kernel requires ------------------------------------------------ */

static bool is_identifier(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}

/* Returns the text after the first `word` that is not the prefix of a longer identifier; its data
 * is NULL if there is no such word. */
static rt_text text_behind(rt_text text, rt_text word)
{
    CHECK(word.length >= 1);
    for (size_t at = 0; at < text.length;) {
        const char *found = memmem(text.data + at, text.length - at, word.data, word.length);
        if (!found) break;
        size_t end = (size_t)(found - text.data) + word.length;
        if (end == text.length || !is_identifier(text.data[end]))
            return (rt_text){text.data + end, text.length - end};
        at = end;
    }
    return (rt_text){0};
}

static void blanks_skip(rt_text *inout_rest)
{
    while (inout_rest->length > 0 && (*inout_rest->data == ' ' || *inout_rest->data == '\t'))
        *inout_rest = rt_text_skip(*inout_rest, 1);
}

/* Reads "X", "X, Y" or "X, Y, Z"; omitted dimensions are 1.  False if the text is malformed. */
static bool sizes_read(rt_text text, uint32_t out_sizes[RT_ND_RANGE_DIMENSIONS])
{
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++)
        out_sizes[d] = 1;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        blanks_skip(&text);
        uint64_t size;
        if (!rt_number_take(&text, 10, RT_WORK_GROUP_SIZE_MAX, &size) || size < 1) return false;
        out_sizes[d] = (uint32_t)size;
        blanks_skip(&text);
        if (!rt_text_take_prefix(&text, ",")) return true;
    }
    return true;
}

/* Reads the .reqntid directive, if any, between an entry's name and its body. */
static rt_status required_read(rt_sink *sink, rt_text ptx, ptx_kernel *kernel)
{
    rt_buffer entry = {0};
    rt_buffer_printf(&entry, ".entry %.*s", RT_TEXT_ARG(kernel->entry.name));
    rt_text rest = text_behind(ptx, rt_buffer_text(&entry));
    rt_buffer_free(&entry);
    rt_text sizes = text_behind(rt_text_take_until(&rest, '{'), RT_TEXT(".reqntid"));
    if (!sizes.data || sizes_read(sizes, kernel->required_local)) return RT_STATUS_OK;
    return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                   "kernel '%.*s' has an invalid .reqntid; it must give one to three sizes from 1 "
                   "to %u",
                   RT_TEXT_ARG(kernel->entry.name), RT_WORK_GROUP_SIZE_MAX);
}

/* ---- Tables ------------------------------------------------------------------------------- */

/* Makes room for more rows after the existing ones. */
static ptx_kernel *rows_extend(ptx_kernels *kernels, uint32_t count)
{
    ptx_kernel *rows =
        rt_arena_alloc_array(&kernels->arena, (size_t)kernels->count + count, sizeof *rows);
    if (kernels->count > 0) memcpy(rows, kernels->rows, kernels->count * sizeof *rows);
    kernels->rows = rows;
    return rows + kernels->count;
}

/* Copies a kernel and everything it points to. */
static ptx_kernel kernel_copy(rt_arena *arena, const ptx_kernel *kernel)
{
    ptx_kernel copy = *kernel;
    copy.entry.name = rt_arena_text(arena, kernel->entry.name);
    copy.entry.parameters =
        rt_arena_copy(arena, kernel->entry.parameters, kernel->entry.parameter_count,
                      sizeof *kernel->entry.parameters);
    return copy;
}

rt_status ptx_kernels_add(rt_sink *sink, ptx_kernels *kernels, rt_text ptx)
{
    rt_arena read = {0};
    const rt_ptx_kernel *found = NULL;
    uint32_t count = 0;
    rt_status status = rt_ptx_kernels_read(sink, &read, ptx, &found, &count);
    ptx_kernel *rows = rt_ok(status) ? rows_extend(kernels, count) : NULL;
    for (uint32_t i = 0; i < count && rt_ok(status); i++) {
        ptx_kernel kernel = {.entry = found[i]};
        status = required_read(sink, ptx, &kernel);
        rows[i] = kernel_copy(&kernels->arena, &kernel);
    }
    rt_arena_reset(&read);
    if (rt_ok(status)) kernels->count += count;
    return status;
}

void ptx_kernels_join(ptx_kernels *kernels, const ptx_kernels *added)
{
    CHECK(kernels->count <= UINT32_MAX - added->count);
    ptx_kernel *rows = rows_extend(kernels, added->count);
    for (uint32_t i = 0; i < added->count; i++)
        rows[i] = kernel_copy(&kernels->arena, &added->rows[i]);
    kernels->count += added->count;
}

const ptx_kernel *ptx_kernels_find(const ptx_kernels *kernels, rt_text name)
{
    const ptx_kernel *found = NULL;
    rt_buffer symbol = {0};
    rt_ptx_name_write(&symbol, name);
    for (uint32_t i = 0; i < kernels->count && !found; i++)
        if (rt_text_equal(kernels->rows[i].entry.name, rt_buffer_text(&symbol)))
            found = &kernels->rows[i];
    rt_buffer_free(&symbol);
    return found;
}

void ptx_kernels_free(ptx_kernels *kernels)
{
    rt_arena_reset(&kernels->arena);
    *kernels = (ptx_kernels){0};
}

/* ---- The serialised form ------------------------------------------------------------------ */

void ptx_kernels_write(rt_buffer *out, const ptx_kernels *kernels)
{
    rt_write_u32(out, kernels->count);
    for (uint32_t i = 0; i < kernels->count; i++) {
        const ptx_kernel *kernel = &kernels->rows[i];
        rt_write_text(out, kernel->entry.name);
        for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++)
            rt_write_u32(out, kernel->required_local[d]);
        rt_write_u32(out, kernel->entry.parameter_count);
        for (uint32_t p = 0; p < kernel->entry.parameter_count; p++) {
            rt_write_u32(out, kernel->entry.parameters[p].kind);
            rt_write_u32(out, kernel->entry.parameters[p].size);
        }
    }
}

void ptx_kernels_read(rt_reader *reader, ptx_kernels *out_kernels)
{
    /* Serialised sizes in bytes: of a kernel with an empty name and no parameters, and of a
     * parameter. */
    enum { KERNEL_SIZE_MIN = 24, PARAMETER_SIZE = 8 };
    CHECK(out_kernels->count == 0);
    rt_arena *arena = &out_kernels->arena;
    uint32_t kernel_count = rt_read_count(reader, KERNEL_SIZE_MIN);
    ptx_kernel *rows = rows_extend(out_kernels, kernel_count);
    for (uint32_t i = 0; i < kernel_count && !reader->failed; i++) {
        ptx_kernel *kernel = &rows[i];
        kernel->entry.name = rt_arena_text(arena, rt_read_text(reader));
        for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
            kernel->required_local[d] = rt_read_below(reader, RT_WORK_GROUP_SIZE_MAX + 1);
            if ((kernel->required_local[d] == 0) != (kernel->required_local[0] == 0))
                rt_reader_fail(reader);
        }
        uint32_t count = rt_read_count(reader, PARAMETER_SIZE);
        if (count > RT_KERNEL_ARGUMENT_MAX) rt_reader_fail(reader);
        if (reader->failed) break;
        rt_ptx_parameter *parameters = rt_arena_alloc_array(arena, count, sizeof *parameters);
        for (uint32_t p = 0; p < count; p++) {
            parameters[p].kind =
                (rt_ptx_parameter_kind)rt_read_below(reader, RT_PTX_PARAMETER_KINDS);
            parameters[p].size = rt_read_u32(reader);
            if (parameters[p].size == 0) rt_reader_fail(reader);
        }
        kernel->entry.parameters = parameters;
        kernel->entry.parameter_count = count;
    }
    out_kernels->count = reader->failed ? 0 : kernel_count;
}
