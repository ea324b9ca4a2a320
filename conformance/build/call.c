/* Answers a request from the cache, or else from a worker, whose end it awaits. */
#include "conformance/build/cache.h"
#include "conformance/process/process.h"

#include <string.h>
#include <unistd.h>

#define THIS_PROGRAM "/proc/self/exe"

/* Variables meant for the calling process (a vendor's libraries, a recorder) and not for the
 * worker. */
static bool is_passed_on(const char *variable)
{
    static const char *const dropped[] = {"LD_LIBRARY_PATH=", "LD_PRELOAD=", "ASSAY_CACHE_DIR="};
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
        if (strncmp(variable, dropped[i], strlen(dropped[i])) == 0) return false;
    }
    return true;
}

const char *const *cnf_worker_environment(const cnf_cache *cache, rt_arena *arena)
{
    size_t count = 0;
    while (environ[count])
        count++;
    const char **variables = rt_arena_alloc_array(arena, count + 2, sizeof *variables);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_passed_on(environ[i])) variables[at++] = environ[i];
    }
    rt_text folder = cnf_cache_folder(cache);
    if (folder.length > 0) {
        variables[at++] = rt_arena_printf(arena, "ASSAY_CACHE_DIR=%.*s", RT_TEXT_ARG(folder)).data;
    }
    return variables;
}

/* The last line that a process wrote, which usually says why it ended. */
static rt_text last_line(rt_text text)
{
    while (text.length > 0 && text.data[text.length - 1] == '\n')
        text.length--;
    size_t start = text.length;
    while (start > 0 && text.data[start - 1] != '\n')
        start--;
    return (rt_text){text.data + start, text.length - start};
}

static void write_death(rt_buffer *out, cnf_process_result result, uint32_t timeout_ms,
                        rt_text errors)
{
    rt_buffer message = {0};
    rt_buffer_printf(&message, "the compiler worker ");
    cnf_process_describe(&message, result, timeout_ms);
    rt_text reason = last_line(errors);
    if (reason.length > 0) rt_buffer_printf(&message, ": %.*s", RT_TEXT_ARG(reason));
    cnf_compile_answer_write_failure(out, RT_TOOL, rt_buffer_text(&message));
    rt_buffer_free(&message);
}

/* Runs a worker and waits for its end. */
static cnf_process_result run_worker(const cnf_cache *cache, rt_arena *arena, rt_bytes request,
                                     uint32_t timeout_ms, rt_buffer *out_answer,
                                     rt_buffer *out_errors)
{
    static const char *const arguments[] = {"assay", "worker", NULL};
    cnf_process process;
    int error = cnf_process_start(&process, THIS_PROGRAM, arguments,
                                  cnf_worker_environment(cache, arena), request);
    if (error) return (cnf_process_result){CNF_PROCESS_NOT_STARTED, error};
    return cnf_process_finish(&process, timeout_ms, out_answer, out_errors);
}

static bool decode(rt_arena *arena, const rt_buffer *bytes, cnf_compile_answer *out_answer)
{
    rt_sink *sink = rt_sink_create();
    rt_status status = cnf_compile_answer_read(sink, arena, rt_buffer_bytes(bytes), out_answer);
    rt_sink_destroy(sink);
    return rt_ok(status);
}

void cnf_compile_call(cnf_cache *cache, rt_arena *arena, rt_bytes request, uint32_t timeout_ms,
                      rt_buffer *out_bytes, cnf_compile_answer *out_answer)
{
    CHECK(cache && request.size > 0);
    *out_bytes = (rt_buffer){0};
    if (cnf_cache_find(cache, request, out_bytes) && decode(arena, out_bytes, out_answer)) return;
    rt_buffer_free(out_bytes);
    rt_buffer errors = {0};
    cnf_process_result result = run_worker(cache, arena, request, timeout_ms, out_bytes, &errors);
    bool answered = result.end == CNF_PROCESS_EXITED && result.code == 0;
    if (!answered || !decode(arena, out_bytes, out_answer)) {
        rt_buffer_free(out_bytes);
        write_death(out_bytes, result, timeout_ms, rt_buffer_text(&errors));
        bool decoded = decode(arena, out_bytes, out_answer);
        CHECK(decoded);
    }
    CHECK_IMPLIES(out_answer->code == RT_OK, out_answer->artefact.size > 0);
    rt_buffer_free(&errors);
}
