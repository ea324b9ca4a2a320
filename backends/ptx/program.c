/* The linker-independent parts of a program for PTX devices. */
#include "backends/ptx/program.h"

#include "backends/vendor/validate.h"

#include <string.h>

rt_status ptx_program_take(rt_sink *sink, rt_text device, const dev_code *code,
                           ptx_program *program)
{
    CHECK(program->text.size == 0);
    CHECK(program->kernels.count == 0);
    rt_text text = {(const char *)code->bytes.data, code->bytes.size};
    RT_TRY(vendor_format_validate(sink, device, RT_FORMAT_PTX, code->format));
    if (text.length == 0 || memchr(text.data, '\0', text.length) != NULL)
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "an image of %zu bytes is not PTX: it is empty or holds a NUL byte",
                       text.length);
    rt_buffer_append_text(&program->text, text);
    rt_buffer_append_text(&program->options, code->options);
    return ptx_kernels_add(sink, &program->kernels, text);
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
        const char *space = memchr(options->data, ' ', options->length);
        size_t length = space ? (size_t)(space - options->data) : options->length;
        size_t used = space ? length + 1 : length;
        *out_word = (rt_text){options->data, length};
        *options = (rt_text){options->data + used, options->length - used};
        if (length > 0 && !rt_text_starts(*out_word, "-cl-")) return true;
    }
    return false;
}
