/* Links, and the library's reports about them.
 *
 * A call's result is not the whole answer: refusing a file does not make later calls fail, and a
 * call may succeed although it logged an error.  So each call is judged by its result, then the
 * error log, then the lines on standard error that carry the library's mark.  The result and the
 * operation decide the status code; the library has no distinct result for symbol errors.
 *
 * Source: nvJitLink documentation, 13.0, "Error codes" and "Supported Link Options". */
#include "backends/nvjitlink/nvj_capture.h"
#include "backends/nvjitlink/nvj_internal.h"
#include "reference/base/vector.h"

#include <stdio.h>
#include <string.h>

/* ---- Results ------------------------------------------------------------------------------ */

/* result, name, and its code when a link is created, a single text is compiled, a text is added to
 * others, the link is completed */
#define RESULTS(RESULT)                                                                            \
    RESULT(0, SUCCESS, DRIVER_ERROR, ERRC_BUILD, LINK_ERROR, LINK_ERROR)                           \
    RESULT(1, ERROR_UNRECOGNIZED_OPTION, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD)           \
    RESULT(2, ERROR_MISSING_ARCH, DRIVER_ERROR, DRIVER_ERROR, DRIVER_ERROR, DRIVER_ERROR)          \
    RESULT(3, ERROR_INVALID_INPUT, DRIVER_ERROR, MALFORMED, MALFORMED, MALFORMED)                  \
    RESULT(4, ERROR_PTX_COMPILE, DRIVER_ERROR, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD)                 \
    RESULT(5, ERROR_NVVM_COMPILE, DRIVER_ERROR, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD)                \
    RESULT(6, ERROR_INTERNAL, DRIVER_ERROR, DRIVER_ERROR, DRIVER_ERROR, LINK_ERROR)                \
    RESULT(7, ERROR_THREADPOOL, DRIVER_ERROR, DRIVER_ERROR, DRIVER_ERROR, DRIVER_ERROR)            \
    RESULT(8, ERROR_UNRECOGNIZED_INPUT, DRIVER_ERROR, MALFORMED, MALFORMED, MALFORMED)             \
    RESULT(9, ERROR_FINALIZE, DRIVER_ERROR, DRIVER_ERROR, DRIVER_ERROR, LINK_ERROR)                \
    RESULT(10, ERROR_NULL_INPUT, DRIVER_ERROR, MALFORMED, MALFORMED, MALFORMED)                    \
    RESULT(11, ERROR_INCOMPATIBLE_OPTIONS, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD)         \
    RESULT(12, ERROR_INCORRECT_INPUT_TYPE, DRIVER_ERROR, MALFORMED, MALFORMED, MALFORMED)          \
    RESULT(13, ERROR_ARCH_MISMATCH, DRIVER_ERROR, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED)           \
    RESULT(14, ERROR_OUTDATED_LIBRARY, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED)         \
    RESULT(15, ERROR_MISSING_FATBIN, DRIVER_ERROR, MALFORMED, MALFORMED, MALFORMED)                \
    RESULT(16, ERROR_UNRECOGNIZED_ARCH, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED)        \
    RESULT(17, ERROR_UNSUPPORTED_ARCH, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED)         \
    RESULT(18, ERROR_LTO_NOT_ENABLED, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD)

/* The operation in progress. */
typedef enum link_stage {
    STAGE_CREATE,
    STAGE_COMPILE,
    STAGE_ADD,
    STAGE_COMPLETE,
    STAGE_COUNT
} link_stage;

static const struct result_row {
    const char *name;
    rt_code codes[STAGE_COUNT];
} result_rows[] = {
#define RESULT_ROW(number, name, create, compile, add, complete)                                   \
    [number] = {"NVJITLINK_" #name, {RT_##create, RT_##compile, RT_##add, RT_##complete}},
    RESULTS(RESULT_ROW)
#undef RESULT_ROW
};
enum { RESULT_ROWS = sizeof result_rows / sizeof *result_rows };

/* Makes a status for a call that failed, or that succeeded but logged an error.  If the linker
 * logged nothing, there is no sign that symbols are the cause, so it counts as a DRIVER_ERROR. */
static rt_status link_fail(const nvj_device *device, link_stage stage, const char *call,
                           nvj_result result, rt_text log)
{
    bool known = result >= 0 && result < RESULT_ROWS;
    rt_code code = known ? result_rows[result].codes[stage] : RT_DRIVER_ERROR;
    if (code == RT_LINK_ERROR && log.length == 0) code = RT_DRIVER_ERROR;
    return rt_fail(device->sink, code, RT_RULE_NONE, "%s: %s (%d)%s%.*s", call,
                   known ? result_rows[result].name : "a result that nvJitLink 13 does not name",
                   result, log.length > 0 ? "; its log:\n" : "", RT_TEXT_ARG(log));
}

/* ---- One link ----------------------------------------------------------------------------- */

typedef struct link {
    const nvj_device *device;
    nvj_handle *handle;  /* NULL until it is created */
    nvj_capture capture; /* of the call in progress */
    rt_buffer said;      /* the part of the error log read so far */
} link;

/* Prefix of the library's errors on standard error (13.0 to 13.5). */
static const char error_mark[] = "@E@";

/* Begins a call; link_judge ends it. */
static void call_begin(link *one)
{
    nvj_capture_begin(&one->capture);
}

/* Reads the error log and puts the new part into *out_log; the log only grows. */
static void log_read(link *one, rt_buffer *out_log)
{
    const nvj_library *library = &one->device->library;
    size_t size = 0;
    if (!one->handle) return;
    if (library->nvJitLinkGetErrorLogSize(one->handle, &size) != NVJ_SUCCESS || size == 0) return;
    char *text = rt_alloc(size + 1); /* NUL-terminated whether or not the size counts the NUL */
    if (library->nvJitLinkGetErrorLog(one->handle, text) == NVJ_SUCCESS) {
        size_t length = strlen(text), known = one->said.size;
        bool grows = length >= known && memcmp(text, rt_buffer_string(&one->said), known) == 0;
        if (!grows) known = 0;
        rt_buffer_append(out_log, text + known, length - known);
        rt_buffer_free(&one->said);
        rt_buffer_append(&one->said, text, length);
    }
    rt_free(text);
}

/* Judges a call by its result and by what was logged during it. */
static rt_status link_judge(link *one, link_stage stage, const char *call, nvj_result result)
{
    rt_buffer log = {0}, heard = {0};
    nvj_capture_end(&one->capture, error_mark, &heard);
    log_read(one, &log);
    if (log.size > 0 && heard.size > 0) rt_buffer_append_byte(&log, '\n');
    rt_buffer_append_text(&log, rt_buffer_text(&heard));
    while (log.size > 0 && strchr(" \r\n", log.data[log.size - 1]))
        log.size--;
    rt_status status = RT_STATUS_OK;
    if (result != NVJ_SUCCESS || log.size > 0)
        status = link_fail(one->device, stage, call, result, rt_buffer_text(&log));
    rt_buffer_free(&heard);
    rt_buffer_free(&log);
    return status;
}

/* ---- Options ------------------------------------------------------------------------------ */

/* A link's options in the library's form: copies of words. */
typedef struct option_list {
    rt_arena arena;
    RT_VECTOR(const char *) words;
} option_list;

static void options_add(option_list *list, rt_text options)
{
    rt_text word;
    while (ptx_option_next(&options, &word)) {
        bool known = false; /* several programs may share an option */
        for (uint32_t i = 0; i < list->words.count && !known; i++)
            known = rt_text_is(word, list->words.items[i]);
        if (!known) *rt_vector_push(&list->words) = rt_arena_text(&list->arena, word).data;
    }
}

static void options_free(option_list *list)
{
    rt_vector_free(&list->words);
    rt_arena_reset(&list->arena);
}

/* ---- Steps -------------------------------------------------------------------------------- */

/* A refused link may still have a handle, which carries the log. */
static rt_status link_create(link *one, option_list *options)
{
    call_begin(one);
    nvj_result result = one->device->library.nvJitLinkCreate(&one->handle, options->words.count,
                                                             options->words.items);
    RT_TRY(link_judge(one, STAGE_CREATE, "nvJitLinkCreate", result));
    if (one->handle) return RT_STATUS_OK;
    return link_fail(one->device, STAGE_CREATE, "nvJitLinkCreate without a link", result,
                     (rt_text){0});
}

static void link_end(link *one)
{
    if (one->handle) one->device->library.nvJitLinkDestroy(&one->handle);
    rt_buffer_free(&one->said);
}

static rt_status text_add(link *one, link_stage stage, const nvj_program *program, uint32_t index)
{
    char name[32];
    snprintf(name, sizeof name, "image %u", index);
    call_begin(one);
    nvj_result result = one->device->library.nvJitLinkAddData(
        one->handle, NVJ_INPUT_PTX, program->ptx.text.data, program->ptx.text.size, name);
    return link_judge(one, stage, "nvJitLinkAddData", result);
}

static rt_status link_complete(link *one)
{
    call_begin(one);
    nvj_result result = one->device->library.nvJitLinkComplete(one->handle);
    return link_judge(one, STAGE_COMPLETE, "nvJitLinkComplete", result);
}

static rt_status cubin_take(link *one, rt_buffer *out_cubin)
{
    const nvj_library *library = &one->device->library;
    size_t size = 0;
    call_begin(one);
    nvj_result result = library->nvJitLinkGetLinkedCubinSize(one->handle, &size);
    RT_TRY(link_judge(one, STAGE_COMPLETE, "nvJitLinkGetLinkedCubinSize", result));
    if (size == 0 || size > RT_IMAGE_SIZE_MAX)
        return rt_fail(one->device->sink, RT_LIMIT, RT_RULE_NONE,
                       "nvJitLinkGetLinkedCubinSize: a cubin of %zu bytes; 1 to %u are handled",
                       size, RT_IMAGE_SIZE_MAX);
    uint8_t *bytes = rt_alloc(size);
    call_begin(one);
    result = library->nvJitLinkGetLinkedCubin(one->handle, bytes);
    if (result == NVJ_SUCCESS) rt_buffer_append(out_cubin, bytes, size);
    rt_free(bytes);
    return link_judge(one, STAGE_COMPLETE, "nvJitLinkGetLinkedCubin", result);
}

rt_status nvj_link(const nvj_device *device, nvj_program *const *programs, uint32_t count,
                   rt_text options, rt_buffer *out_cubin)
{
    link one = {.device = device};
    option_list all = {0};
    options_add(&all, rt_buffer_text(&device->architecture));
    options_add(&all, options);
    for (uint32_t i = 0; i < count; i++)
        options_add(&all, rt_buffer_text(&programs[i]->ptx.options));
    rt_status status = link_create(&one, &all);
    for (uint32_t i = 0; i < count && rt_ok(status); i++)
        status = text_add(&one, out_cubin ? STAGE_ADD : STAGE_COMPILE, programs[i], i);
    if (rt_ok(status) && out_cubin) status = link_complete(&one);
    if (rt_ok(status) && out_cubin) status = cubin_take(&one, out_cubin);
    link_end(&one);
    options_free(&all);
    return status;
}

rt_status nvj_link_try(const nvj_device *device)
{
    link one = {.device = device};
    option_list options = {0};
    options_add(&options, rt_buffer_text(&device->architecture));
    rt_status status = link_create(&one, &options);
    link_end(&one);
    options_free(&options);
    /* This link was given nothing but the architecture. */
    if (status.code != RT_UNSUPPORTED && status.code != RT_ERRC_BUILD) return status;
    rt_text said = rt_sink_diagnostic(device->sink, status)->message;
    return rt_fail(device->sink, RT_ERRC_INVALID, RT_RULE_NONE, "%.*s", RT_TEXT_ARG(said));
}
