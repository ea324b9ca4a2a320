/* Options and logs of the driver's compiler and linker.
 * Source: CUDA Driver API reference manual, "Data types", CUjit_option. */
#include "backends/cuda/cuda_jit.h"
#include "reference/base/alloc.h"
#include "reference/base/number.h"

#include <string.h>

/* Size of one log in bytes; the driver truncates a longer one. */
enum { LOG_SIZE = 8192 };

/* An option of NVIDIA's linkers and the CUjit_option for it; if takes_value, a number follows the
 * option. */
static const struct option_row {
    const char *text;
    cuda_jit_option option;
    bool takes_value;
} option_rows[] = {
    {"-O", CUDA_JIT_OPTIMIZATION_LEVEL, true},
    {"-maxrregcount=", CUDA_JIT_MAX_REGISTERS, true},
    {"-g", CUDA_JIT_GENERATE_DEBUG_INFO, false},
    {"-lineinfo", CUDA_JIT_GENERATE_LINE_INFO, false},
};
enum { OPTION_ROWS = sizeof option_rows / sizeof *option_rows };
_Static_assert(CUDA_JIT_LOG_OPTIONS + OPTION_ROWS <= CUDA_JIT_OPTIONS_MAX, "each option once");

/* If an option is repeated, its last value wins. */
static void jit_add(cuda_jit *jit, cuda_jit_option option, void *value)
{
    unsigned i = 0;
    while (i < jit->count && jit->options[i] != option)
        i++;
    CHECK(i < CUDA_JIT_OPTIONS_MAX);
    jit->options[i] = option;
    jit->values[i] = value;
    if (i == jit->count) jit->count++;
}

void cuda_jit_begin(cuda_jit *out_jit)
{
    static const cuda_jit_option options[2][2] = {
        {CUDA_JIT_ERROR_LOG_BUFFER, CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES},
        {CUDA_JIT_INFO_LOG_BUFFER, CUDA_JIT_INFO_LOG_BUFFER_SIZE_BYTES},
    };
    *out_jit = (cuda_jit){0};
    for (int i = 0; i < 2; i++) {
        out_jit->logs[i] = rt_alloc(LOG_SIZE + 1);
        jit_add(out_jit, options[i][0], out_jit->logs[i]);
        jit_add(out_jit, options[i][1], (void *)(uintptr_t)LOG_SIZE);
    }
    CHECK(out_jit->count == CUDA_JIT_LOG_OPTIONS);
}

void cuda_jit_end(cuda_jit *jit)
{
    CHECK(jit->count >= CUDA_JIT_LOG_OPTIONS);
    for (int i = 0; i < 2; i++)
        rt_free(jit->logs[i]);
}

rt_status cuda_jit_options(const cuda_device *device, cuda_jit *jit, rt_text options)
{
    for (rt_text word; ptx_option_next(&options, &word);) {
        bool is_known = false;
        for (size_t i = 0; i < OPTION_ROWS && !is_known; i++) {
            const struct option_row *row = &option_rows[i];
            rt_text rest = word;
            uint64_t value = 1;
            if (!rt_text_take_prefix(&rest, row->text)) continue;
            is_known = row->takes_value ? rt_number_read(rest, 0, 999, &value) : rest.length == 0;
            if (is_known) jit_add(jit, row->option, (void *)(uintptr_t)value);
        }
        if (!is_known)
            return rt_fail(
                device->sink, RT_ERRC_BUILD, RT_RULE_NONE,
                "'%.*s' is not an option that can be passed to NVIDIA's driver; use -O0 to "
                "-O4, -maxrregcount=N, -g or -lineinfo",
                RT_TEXT_ARG(word));
    }
    return RT_STATUS_OK;
}

rt_status cuda_jit_fail(const cuda_device *device, cuda_stage stage, const char *call,
                        cuda_result result, const cuda_jit *jit)
{
    rt_buffer log = {0};
    for (int i = 0; i < 2; i++) {
        size_t length = strnlen(jit->logs[i], LOG_SIZE);
        while (length > 0 && strchr(" \n\r", jit->logs[i][length - 1]))
            length--;
        if (length > 0 && log.size > 0) rt_buffer_append_byte(&log, '\n');
        rt_buffer_append(&log, jit->logs[i], length);
    }
    rt_status status = cuda_fail(device, stage, call, result, rt_buffer_text(&log));
    rt_buffer_free(&log);
    return status;
}
