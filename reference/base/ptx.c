/* The comment lines at the start of a PTX text, which describe the kernels' parameters. */
#include "reference/base/ptx.h"

#include "reference/base/number.h"
#include "reference/base/vector.h"

#include <string.h>

#define KERNEL_MARK "//@kernel "

static const struct parameter_row {
    const char *name;
    uint32_t size; /* bytes; 0: differs per parameter */
} rows[RT_PTX_PARAMETER_KINDS] = {
#define PARAMETER_ROW(kind, name, bytes) [RT_PTX_##kind] = {name, bytes},
    RT_PTX_PARAMETERS(PARAMETER_ROW)
#undef PARAMETER_ROW
};

static bool has_right_size(const rt_ptx_parameter *parameter)
{
    uint32_t size = rows[parameter->kind].size;
    if (size) return parameter->size == size;
    return parameter->size > 0 && parameter->size <= RT_PTX_PARAMETER_SIZE_MAX;
}

void rt_ptx_name_write(rt_buffer *out, rt_text symbol)
{
    for (size_t i = 0; i < symbol.length; i++) {
        char c = symbol.data[i];
        bool accepted = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '$';
        if (accepted)
            rt_buffer_append_byte(out, c);
        else
            rt_buffer_printf(out, "_$%02x", (unsigned)(unsigned char)c);
    }
}

void rt_ptx_kernel_write(rt_buffer *out, const rt_ptx_kernel *kernel)
{
    CHECK(kernel->name.length > 0 && !memchr(kernel->name.data, ' ', kernel->name.length));
    rt_buffer_printf(out, KERNEL_MARK "%.*s", RT_TEXT_ARG(kernel->name));
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const rt_ptx_parameter *parameter = &kernel->parameters[i];
        CHECK((unsigned)parameter->kind < RT_PTX_PARAMETER_KINDS && has_right_size(parameter));
        rt_buffer_printf(out, " %s:%u", rows[parameter->kind].name, parameter->size);
    }
    rt_buffer_printf(out, "\n");
}

/* NAME KIND:SIZE ... */
static bool kernel_read(rt_arena *arena, rt_text line, rt_ptx_kernel *out_kernel)
{
    *out_kernel = (rt_ptx_kernel){.name = rt_text_take_until(&line, ' ')};
    RT_VECTOR(rt_ptx_parameter) parameters = {0};
    bool right = out_kernel->name.length > 0;
    while (right && line.length > 0) {
        rt_text size = rt_text_take_until(&line, ' '), kind = rt_text_take_until(&size, ':');
        uint32_t row = 0;
        while (row < RT_PTX_PARAMETER_KINDS && !rt_text_is(kind, rows[row].name))
            row++;
        rt_ptx_parameter parameter = {.kind = (rt_ptx_parameter_kind)row};
        right = row < RT_PTX_PARAMETER_KINDS &&
                rt_number_read_u32(size, 0, RT_PTX_PARAMETER_SIZE_MAX, &parameter.size) &&
                has_right_size(&parameter);
        *rt_vector_push(&parameters) = parameter;
    }
    if (right && parameters.count > 0) {
        out_kernel->parameters =
            rt_arena_copy(arena, parameters.items, parameters.count, sizeof *parameters.items);
        out_kernel->parameter_count = parameters.count;
    }
    rt_vector_free(&parameters);
    return right;
}

rt_status rt_ptx_kernels_read(rt_sink *sink, rt_arena *arena, rt_text ptx,
                              const rt_ptx_kernel **out_kernels, uint32_t *out_count)
{
    *out_kernels = NULL;
    *out_count = 0;
    RT_VECTOR(rt_ptx_kernel) kernels = {0};
    rt_status status = RT_STATUS_OK;
    for (uint32_t number = 1; ptx.length > 0 && rt_ok(status); number++) {
        rt_text line = rt_text_take_until(&ptx, '\n');
        if (line.length > 0 && !rt_text_starts(line, "//")) break;
        if (!rt_text_take_prefix(&line, KERNEL_MARK)) continue;
        if (kernel_read(arena, line, rt_vector_push(&kernels))) continue;
        status = rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                         "line %u of the PTX does not list a kernel's parameters; expected "
                         "'" KERNEL_MARK "NAME KIND:SIZE ...' with the kinds pointer, local and "
                         "value",
                         number);
    }
    if (rt_ok(status) && kernels.count > 0) {
        *out_kernels = rt_arena_copy(arena, kernels.items, kernels.count, sizeof *kernels.items);
        *out_count = kernels.count;
    }
    rt_vector_free(&kernels);
    return status;
}
