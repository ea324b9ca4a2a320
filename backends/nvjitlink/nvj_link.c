/* Links, and how the library reports their errors.
 *
 * A call's result is not enough: after a file has been rejected, later calls may still succeed, and
 * a call may succeed although it logged an error.  So each call is judged by its result, then the
 * error log, then the lines on standard error that contain the library's mark.  The result and the
 * operation determine the status code; the library has no distinct result for symbol errors.
 *
 * Source: nvJitLink documentation, 13.0, "Error codes" and "Supported Link Options". */
#include "backends/nvjitlink/nvj_capture.h"
#include "backends/nvjitlink/nvj_internal.h"
#include "reference/base/vector.h"

#include <stdio.h>
#include <string.h>

/* ---- Results ------------------------------------------------------------------------------ */

/* The operation in progress. */
typedef enum link_stage {
    STAGE_CREATE,   /* creating a link */
    STAGE_COMPILE,  /* compiling a single text */
    STAGE_ADD,      /* adding a text to others */
    STAGE_COMPLETE, /* completing the link */
    STAGE_COUNT
} link_stage;

/* A result's name, and its status code at each stage. */
static const struct result_row {
    const char *name;
    rt_code codes[STAGE_COUNT];
} result_rows[] = {
#define RESULT(name, create, compile, add, complete)                                               \
    "NVJITLINK_" #name,                                                                            \
    {                                                                                              \
        RT_##create, RT_##compile, RT_##add, RT_##complete                                         \
    }
    [0] = {RESULT(SUCCESS, DRIVER_ERROR, ERRC_BUILD, LINK_ERROR, LINK_ERROR)},
    [1] = {RESULT(ERROR_UNRECOGNIZED_OPTION, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD)},
    [2] = {RESULT(ERROR_MISSING_ARCH, DRIVER_ERROR, DRIVER_ERROR, DRIVER_ERROR, DRIVER_ERROR)},
    [3] = {RESULT(ERROR_INVALID_INPUT, DRIVER_ERROR, MALFORMED, MALFORMED, MALFORMED)},
    [4] = {RESULT(ERROR_PTX_COMPILE, DRIVER_ERROR, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD)},
    [5] = {RESULT(ERROR_NVVM_COMPILE, DRIVER_ERROR, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD)},
    [6] = {RESULT(ERROR_INTERNAL, DRIVER_ERROR, DRIVER_ERROR, DRIVER_ERROR, LINK_ERROR)},
    [7] = {RESULT(ERROR_THREADPOOL, DRIVER_ERROR, DRIVER_ERROR, DRIVER_ERROR, DRIVER_ERROR)},
    [8] = {RESULT(ERROR_UNRECOGNIZED_INPUT, DRIVER_ERROR, MALFORMED, MALFORMED, MALFORMED)},
    [9] = {RESULT(ERROR_FINALIZE, DRIVER_ERROR, DRIVER_ERROR, DRIVER_ERROR, LINK_ERROR)},
    [10] = {RESULT(ERROR_NULL_INPUT, DRIVER_ERROR, MALFORMED, MALFORMED, MALFORMED)},
    [11] = {RESULT(ERROR_INCOMPATIBLE_OPTIONS, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD)},
    [12] = {RESULT(ERROR_INCORRECT_INPUT_TYPE, DRIVER_ERROR, MALFORMED, MALFORMED, MALFORMED)},
    [13] = {RESULT(ERROR_ARCH_MISMATCH, DRIVER_ERROR, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED)},
    [14] = {RESULT(ERROR_OUTDATED_LIBRARY, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED)},
    [15] = {RESULT(ERROR_MISSING_FATBIN, DRIVER_ERROR, MALFORMED, MALFORMED, MALFORMED)},
    [16] = {RESULT(ERROR_UNRECOGNIZED_ARCH, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED)},
    [17] = {RESULT(ERROR_UNSUPPORTED_ARCH, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED)},
    [18] = {RESULT(ERROR_LTO_NOT_ENABLED, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD, ERRC_BUILD)},
#undef RESULT
};
enum { RESULT_ROWS = sizeof result_rows / sizeof *result_rows };

/* Makes a status for a call that failed, or that succeeded but logged an error.  If the linker
 * logged nothing, nothing indicates that symbols are the cause, so a LINK_ERROR becomes a
 * DRIVER_ERROR. */
static rt_status link_fail(const nvj_device *device, link_stage stage, const char *call,
                           nvj_result result, rt_text log)
{
    CHECK(stage < STAGE_COUNT);
    bool known = result >= 0 && result < RESULT_ROWS;
    rt_code code = known ? result_rows[result].codes[stage] : RT_DRIVER_ERROR;
    if (code == RT_LINK_ERROR && log.length == 0) code = RT_DRIVER_ERROR;
    return rt_fail(device->sink, code, RT_RULE_NONE, "%s: %s (%d)%s%.*s", call,
                   known ? result_rows[result].name : "a result that nvJitLink 13 does not name",
                   result, log.length > 0 ? "; its log:\n" : "", RT_TEXT_ARG(log));
}

/* ---- One link ----------------------------------------------------------------------------- */

typedef struct link_state {
    const nvj_device *device;
    nvj_handle *handle;  /* NULL until it is created */
    nvj_capture capture; /* capture for the call in progress; link_judge ends it */
    rt_buffer log;       /* the part of the error log read so far */
} link_state;

/* Prefix of the library's errors on standard error (13.0 to 13.5). */
static const char error_mark[] = "@E@";

/* Judges a call by its result and by what was logged during it. */
static rt_status link_judge(link_state *link, link_stage stage, const char *call, nvj_result result)
{
    const nvj_library *library = &link->device->library;
    rt_buffer log = {0}, captured = {0};
    nvj_capture_end(&link->capture, error_mark, &captured);
    /* Reads the new part of the error log; the library only appends to it. */
    size_t size = 0;
    if (link->handle && library->nvJitLinkGetErrorLogSize(link->handle, &size) != NVJ_SUCCESS)
        size = 0;
    if (size > 0) {
        char *text = rt_alloc(size + 1); /* NUL-terminated whether or not the size counts the NUL */
        if (library->nvJitLinkGetErrorLog(link->handle, text) == NVJ_SUCCESS) {
            size_t length = strlen(text), known = link->log.size;
            bool grows = length >= known && memcmp(text, rt_buffer_string(&link->log), known) == 0;
            if (!grows) known = 0;
            rt_buffer_append(&log, text + known, length - known);
            rt_buffer_free(&link->log);
            rt_buffer_append(&link->log, text, length);
        }
        rt_free(text);
    }
    if (log.size > 0 && captured.size > 0) rt_buffer_append_byte(&log, '\n');
    rt_buffer_append_text(&log, rt_buffer_text(&captured));
    while (log.size > 0 && strchr(" \r\n", log.data[log.size - 1]))
        log.size--;
    rt_status status = RT_STATUS_OK;
    if (result != NVJ_SUCCESS || log.size > 0)
        status = link_fail(link->device, stage, call, result, rt_buffer_text(&log));
    rt_buffer_free(&captured);
    rt_buffer_free(&log);
    return status;
}

/* ---- Options ------------------------------------------------------------------------------ */

/* A link's options in the form that the library expects: an array of strings (copies). */
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

/* ---- Steps -------------------------------------------------------------------------------- */

static rt_status cubin_take(link_state *link, rt_buffer *out_cubin)
{
    const nvj_library *library = &link->device->library;
    size_t size = 0;
    nvj_capture_begin(&link->capture);
    nvj_result result = library->nvJitLinkGetLinkedCubinSize(link->handle, &size);
    RT_TRY(link_judge(link, STAGE_COMPLETE, "nvJitLinkGetLinkedCubinSize", result));
    if (size == 0 || size > RT_IMAGE_SIZE_MAX)
        return rt_fail(
            link->device->sink, RT_LIMIT, RT_RULE_NONE,
            "nvJitLinkGetLinkedCubinSize: the cubin has %zu bytes; assay accepts 1 to %u", size,
            RT_IMAGE_SIZE_MAX);
    uint8_t *bytes = rt_alloc(size);
    nvj_capture_begin(&link->capture);
    result = library->nvJitLinkGetLinkedCubin(link->handle, bytes);
    if (result == NVJ_SUCCESS) rt_buffer_append(out_cubin, bytes, size);
    rt_free(bytes);
    return link_judge(link, STAGE_COMPLETE, "nvJitLinkGetLinkedCubin", result);
}

rt_status nvj_link(const nvj_device *device, nvj_program *const *programs, uint32_t count,
                   rt_text options, rt_buffer *out_cubin)
{
    const nvj_library *library = &device->library;
    link_state link = {.device = device};
    option_list list = {0};
    CHECK_IMPLIES(out_cubin != NULL, count >= 1 && out_cubin->size == 0);
    options_add(&list, rt_buffer_text(&device->architecture));
    options_add(&list, options);
    for (uint32_t i = 0; i < count; i++)
        options_add(&list, rt_buffer_text(&programs[i]->ptx.options));
    CHECK(list.words.count >= 1);
    /* Even a refused creation may return a handle, from which the log can be read. */
    nvj_capture_begin(&link.capture);
    nvj_result result = library->nvJitLinkCreate(&link.handle, list.words.count, list.words.items);
    rt_status status = link_judge(&link, STAGE_CREATE, "nvJitLinkCreate", result);
    if (rt_ok(status) && !link.handle)
        status =
            link_fail(device, STAGE_CREATE, "nvJitLinkCreate without a link", result, (rt_text){0});
    for (uint32_t i = 0; i < count && rt_ok(status); i++) {
        const rt_buffer *text = &programs[i]->ptx.text;
        char name[32];
        snprintf(name, sizeof name, "image %u", i);
        nvj_capture_begin(&link.capture);
        result =
            library->nvJitLinkAddData(link.handle, NVJ_INPUT_PTX, text->data, text->size, name);
        status =
            link_judge(&link, out_cubin ? STAGE_ADD : STAGE_COMPILE, "nvJitLinkAddData", result);
    }
    if (rt_ok(status) && out_cubin) {
        nvj_capture_begin(&link.capture);
        result = library->nvJitLinkComplete(link.handle);
        status = link_judge(&link, STAGE_COMPLETE, "nvJitLinkComplete", result);
    }
    if (rt_ok(status) && out_cubin) status = cubin_take(&link, out_cubin);
    if (link.handle) library->nvJitLinkDestroy(&link.handle);
    rt_buffer_free(&link.log);
    rt_vector_free(&list.words);
    rt_arena_reset(&list.arena);
    return status;
}

rt_status nvj_link_try(const nvj_device *device)
{
    rt_status status = nvj_link(device, NULL, 0, (rt_text){0}, NULL);
    /* Only the architecture was passed, so such a failure means that the library does not know it.
     */
    if (status.code != RT_UNSUPPORTED && status.code != RT_ERRC_BUILD) return status;
    rt_text message = rt_sink_diagnostic(device->sink, status)->message;
    return rt_fail(device->sink, RT_ERRC_INVALID, RT_RULE_NONE, "%.*s", RT_TEXT_ARG(message));
}
