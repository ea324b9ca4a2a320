/* The linker-independent parts of a program for PTX devices. */
#include "backends/ptx/program.h"

#include "backends/ptx/binary.h"
#include "backends/ptx/capability.h"
#include "backends/vendor/validate.h"

#include <string.h>

static rt_status text_take(rt_sink *sink, rt_bytes bytes, rt_buffer *out_text)
{
    rt_text text = {(const char *)bytes.data, bytes.size};
    if (text.length == 0 || memchr(text.data, '\0', text.length) != NULL)
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "an image of %zu bytes is not PTX: it is empty or holds a NUL byte",
                       text.length);
    rt_buffer_append_text(out_text, text);
    return RT_STATUS_OK;
}

rt_status ptx_program_take(rt_sink *sink, const dev_tools *tools, rt_text device,
                           const dev_code *code, ptx_program *program)
{
    CHECK(program->text.size == 0);
    CHECK(program->kernels.count == 0);
    bool translates =
        code->format == RT_FORMAT_SPIRV64 && ptx_translates(tools) && code->bytes.size > 0;
    if (translates) {
        RT_TRY(vendor_spirv_validate(sink, code->bytes));
        RT_TRY(tools->spirv_to_ptx(tools->user, sink, code, &program->text));
        CHECK(program->text.size > 0);
    } else {
        RT_TRY(vendor_format_validate(sink, device, RT_FORMAT_PTX, code->format));
        RT_TRY(text_take(sink, code->bytes, &program->text));
    }
    rt_buffer_append_text(&program->options, code->options);
    return ptx_kernels_add(sink, &program->kernels, rt_buffer_text(&program->text));
}

rt_status ptx_program_finish(ptx_program *program, rt_status status, dev_program **out_program)
{
    if (rt_ok(status))
        *out_program = &program->base;
    else
        program->base.ops->destroy(&program->base);
    return status;
}

rt_status ptx_program_binary(dev_program *base, rt_buffer *out_binary)
{
    const ptx_program *program = (const ptx_program *)base;
    CHECK(program->cubin.size > 0);
    ptx_binary_write(out_binary, &program->kernels, rt_buffer_bytes(&program->cubin));
    return RT_STATUS_OK;
}

void ptx_program_free(ptx_program *program)
{
    rt_buffer_free(&program->text);
    rt_buffer_free(&program->options);
    rt_buffer_free(&program->cubin);
    ptx_kernels_free(&program->kernels);
}

bool ptx_option_next(rt_text *options, rt_text *out_word)
{
    while (options->length > 0) {
        *out_word = rt_text_take_until(options, ' ');
        if (out_word->length > 0 && !rt_text_starts(*out_word, "-cl-")) return true;
    }
    return false;
}
