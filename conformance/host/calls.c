/* Functions for the requests that every host program answers: modules, symbols, images. Answers
 * come from another process, so they are validated. */
#include "conformance/host/host_internal.h"

#include "reference/image/fat_binary.h"

/* ---- Answers ------------------------------------------------------------------------------- */

rt_status cnf_host_answer_end(cnf_host *host, const rt_reader *answer, const char *request_name)
{
    if (rt_reader_finished(answer)) return RT_STATUS_OK;
    return rt_fail(host->sink, RT_MALFORMED, RT_RULE_NONE,
                   "the host program's answer to %s is damaged at byte %zu of %zu", request_name,
                   answer->failed ? answer->fault : answer->position, answer->input.size);
}

/* The module with the given file name; SCN_NONE: the scenario has no such module. */
static uint32_t module_find(const cnf_host *host, rt_text file_name)
{
    rt_arena arena = {0};
    uint32_t index = SCN_NONE;
    for (uint32_t i = 0; i < host->scenario->module_count && index == SCN_NONE; i++) {
        if (rt_text_equal(cnf_host_path(&arena, host->scenario, i), file_name)) index = i;
    }
    rt_arena_reset(&arena);
    return index;
}

rt_status cnf_host_read_events(cnf_host *host, rt_arena *arena, rt_reader *answer,
                               cnf_host_events *out_events)
{
    enum { EVENT_SIZE_MIN = 17 };
    *out_events = (cnf_host_events){0};
    uint32_t count = rt_read_count(answer, EVENT_SIZE_MIN);
    cnf_host_event *events = rt_arena_alloc_array(arena, count, sizeof *events);
    for (uint32_t i = 0; i < count && !answer->failed; i++) {
        uint8_t kind = rt_read_u8(answer);
        rt_text file_name = rt_read_text(answer);
        events[i] =
            (cnf_host_event){(host_event)kind, module_find(host, file_name), rt_read_u64(answer)};
        if (answer->failed) break;
        if (kind > HOST_EVENT_UNLOADED || events[i].module == SCN_NONE) {
            return rt_fail(host->sink, RT_MALFORMED, RT_RULE_NONE,
                           "the host program reports event %u of '%.*s': the event is unknown, or "
                           "the scenario has no such module",
                           kind, RT_TEXT_ARG(file_name));
        }
    }
    if (answer->failed) return cnf_host_answer_end(host, answer, "a request with events");
    *out_events = (cnf_host_events){events, count};
    return RT_STATUS_OK;
}

/* ---- Modules ------------------------------------------------------------------------------- */

static rt_status module_ask(cnf_host *host, uint32_t channel, host_request verb, uint32_t module,
                            rt_arena *arena, cnf_host_events *out_events)
{
    CHECK(verb == HOST_OPEN || verb == HOST_CLOSE);
    CHECK(module < host->scenario->module_count);
    rt_text name = cnf_host_path(arena, host->scenario, module);
    /* The executable was not opened by dlopen, so it has no path. */
    rt_text path = {0};
    if (module != 0) {
        path = rt_arena_printf(arena, "%.*s/%.*s", RT_TEXT_ARG(host->folder), RT_TEXT_ARG(name));
    }
    rt_buffer request = {0};
    rt_write_u8(&request, (uint8_t)verb);
    rt_write_text(&request, path);
    rt_reader answer;
    rt_status status = cnf_host_ask(host, channel, &request, arena, &answer);
    rt_buffer_free(&request);
    *out_events = (cnf_host_events){0};
    RT_TRY(status);
    RT_TRY(cnf_host_read_events(host, arena, &answer, out_events));
    return cnf_host_answer_end(host, &answer, verb == HOST_OPEN ? "OPEN" : "CLOSE");
}

rt_status cnf_host_open(cnf_host *host, uint32_t channel, uint32_t module, rt_arena *arena,
                        cnf_host_events *out_events)
{
    return module_ask(host, channel, HOST_OPEN, module, arena, out_events);
}

rt_status cnf_host_close(cnf_host *host, uint32_t channel, uint32_t module, rt_arena *arena,
                         cnf_host_events *out_events)
{
    return module_ask(host, channel, HOST_CLOSE, module, arena, out_events);
}

/* ---- Symbols ------------------------------------------------------------------------------- */

rt_status cnf_host_binds(cnf_host *host, uint32_t channel, uint32_t from, rt_text symbol,
                         uint32_t *out_module)
{
    *out_module = SCN_NONE;
    rt_arena arena = {0};
    rt_buffer request = {0};
    rt_write_u8(&request, HOST_BINDS);
    rt_write_text(&request, cnf_host_path(&arena, host->scenario, from));
    rt_write_text(&request, symbol);
    rt_reader answer;
    rt_text name = {0};
    rt_status status = cnf_host_ask(host, channel, &request, &arena, &answer);
    if (rt_ok(status)) {
        name = rt_read_text(&answer);
        status = cnf_host_answer_end(host, &answer, "BINDS");
    }
    if (rt_ok(status) && name.length > 0) {
        *out_module = module_find(host, name);
        if (*out_module == SCN_NONE)
            status = rt_fail(host->sink, RT_MALFORMED, RT_RULE_NONE,
                             "the host program reports that a symbol binds to '%.*s', which is not "
                             "a module of the scenario",
                             RT_TEXT_ARG(name));
    }
    CHECK(*out_module == SCN_NONE || *out_module < host->scenario->module_count);
    rt_buffer_free(&request);
    rt_arena_reset(&arena);
    return status;
}

/* ---- Images -------------------------------------------------------------------------------- */

rt_status cnf_host_images(cnf_host *host, uint32_t channel, uint32_t module, uint64_t descriptor,
                          rt_arena *arena, rt_image_list *out_images)
{
    enum { SEGMENT_SIZE_MIN = 16 };
    CHECK(module < host->scenario->module_count);
    *out_images = (rt_image_list){0};
    rt_buffer request = {0};
    rt_write_u8(&request, HOST_SEGMENTS);
    rt_write_u64(&request, descriptor);
    rt_reader answer;
    rt_status status = cnf_host_ask(host, channel, &request, arena, &answer);
    rt_buffer_free(&request);
    RT_TRY(status);
    uint32_t count = rt_read_count(&answer, SEGMENT_SIZE_MIN);
    rt_mapped *ranges = rt_arena_alloc_array(arena, count, sizeof *ranges);
    for (uint32_t i = 0; i < count; i++) {
        ranges[i].address = rt_read_u64(&answer);
        ranges[i].bytes = rt_read_bytes(&answer);
    }
    RT_TRY(cnf_host_answer_end(host, &answer, "SEGMENTS"));
    const rt_mapping mapping = {ranges, count};
    rt_fat_binary fat;
    RT_TRY(rt_fat_binary_read(host->sink, arena, &mapping, descriptor, &fat));
    rt_image *images = rt_arena_alloc_array(arena, fat.binaries.count, sizeof *images);
    rt_text name = host->scenario->modules[module].name;
    for (uint32_t i = 0; i < fat.binaries.count; i++) {
        rt_text image = rt_arena_printf(arena, "%.*s/%u", RT_TEXT_ARG(name), i);
        RT_TRY(rt_device_binary_image(host->sink, image, &fat.binaries.items[i], &images[i]));
        rt_image_drop_exported_entries(arena, &images[i]);
    }
    *out_images = (rt_image_list){images, fat.binaries.count};
    return RT_STATUS_OK;
}
