/* Answers a request from the cache or, if it is not there, from a worker, and waits for the worker
 * to end. */
#include "conformance/build/cache.h"
#include "conformance/process/process.h"
#include "reference/base/lines.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const *cnf_worker_environment(const cnf_cache *cache, rt_arena *arena)
{
    /* Environment variables meant for the calling process, for example for a vendor's libraries or
     * a recorder. */
    static const char *const dropped[] = {
        "LD_LIBRARY_PATH=", "LD_PRELOAD=", "OPENCL_LAYERS=", "OCL_ICD_"};
    static const char folder_variable[] = "ASSAY_CACHE_DIR=";
    size_t count = 0;
    while (environ[count])
        count++;
    const char **variables = rt_arena_alloc_array(arena, count + 2, sizeof *variables);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_dropped = false;
        for (size_t k = 0; k < sizeof dropped / sizeof *dropped && !is_dropped; k++)
            is_dropped = strncmp(environ[i], dropped[k], strlen(dropped[k])) == 0;
        if (cache && strncmp(environ[i], folder_variable, strlen(folder_variable)) == 0) continue;
        if (!is_dropped) variables[at++] = environ[i];
    }
    rt_text folder = cache ? cnf_cache_folder(cache) : (rt_text){0};
    if (folder.length > 0)
        variables[at++] =
            rt_arena_printf(arena, "%s%.*s", folder_variable, RT_TEXT_ARG(folder)).data;
    CHECK(at <= count + 1 && !variables[at]);
    return variables;
}

static void write_death(rt_buffer *out, cnf_process_result result, uint32_t timeout_ms,
                        rt_text errors)
{
    rt_buffer message = {0};
    rt_buffer_printf(&message, "the compiler worker ");
    cnf_process_describe(&message, result, timeout_ms);
    /* The last line that a process wrote usually says why it ended. */
    rt_text reason = rt_lines_last(errors, 1);
    if (reason.length > 0) rt_buffer_printf(&message, ": %.*s", RT_TEXT_ARG(reason));
    cnf_compile_answer_write_failure(out, RT_TOOL, rt_buffer_text(&message));
    rt_buffer_free(&message);
}

static bool decode(rt_arena *arena, const rt_buffer *bytes, cnf_compile_answer *out_answer)
{
    rt_sink *sink = rt_sink_create();
    rt_status status = cnf_compile_answer_read(sink, arena, rt_buffer_bytes(bytes), out_answer);
    rt_sink_destroy(sink);
    return rt_ok(status);
}

/* Decodes what a worker wrote before it, or its request, ended. */
static void take_answer(rt_arena *arena, cnf_process_result result, uint32_t timeout_ms,
                        rt_text errors, rt_buffer *inout_bytes, cnf_compile_answer *out_answer)
{
    bool answered = result.end == CNF_PROCESS_EXITED && result.code == 0;
    if (!answered || !decode(arena, inout_bytes, out_answer)) {
        rt_buffer_free(inout_bytes);
        write_death(inout_bytes, result, timeout_ms, errors);
        bool decoded = decode(arena, inout_bytes, out_answer);
        CHECK(decoded);
    }
    CHECK_IMPLIES(out_answer->code == RT_OK, out_answer->artefact.size > 0);
}

void cnf_worker_call(const char *program, const char *const *environment, rt_arena *arena,
                     rt_bytes request, uint32_t timeout_ms, rt_buffer *out_bytes,
                     cnf_compile_answer *out_answer)
{
    CHECK(request.size > 0);
    static const char *const arguments[] = {"assay", "worker", NULL};
    rt_buffer errors = {0};
    cnf_process process;
    *out_bytes = (rt_buffer){0};
    int error = cnf_process_start(&process, program, arguments, environment, request);
    cnf_process_result result = {CNF_PROCESS_NOT_STARTED, error};
    if (!error) result = cnf_process_finish(&process, timeout_ms, out_bytes, &errors);
    take_answer(arena, result, timeout_ms, rt_buffer_text(&errors), out_bytes, out_answer);
    rt_buffer_free(&errors);
}

void cnf_worker_call_server(cnf_server *server, const char *program, const char *const *environment,
                            rt_arena *arena, rt_bytes request, uint32_t timeout_ms,
                            rt_buffer *out_bytes, cnf_compile_answer *out_answer)
{
    CHECK(request.size > 0);
    static const char *const arguments[] = {"assay", "worker", "--server", NULL};
    rt_buffer errors = {0};
    cnf_process_result result = {CNF_PROCESS_NOT_STARTED, 0};
    *out_bytes = (rt_buffer){0};
    /* A server that has run may have ended since. */
    bool is_old = server->service >= 0;
    for (int tries = is_old ? 2 : 1; tries > 0 && result.end == CNF_PROCESS_NOT_STARTED; tries--) {
        rt_buffer_truncate(out_bytes, 0);
        result.code =
            server->service >= 0 ? 0 : cnf_server_start(server, program, arguments, environment);
        if (result.code == 0)
            result = cnf_server_request(server, request, timeout_ms, out_bytes, &errors);
    }
    take_answer(arena, result, timeout_ms, rt_buffer_text(&errors), out_bytes, out_answer);
    rt_buffer_free(&errors);
}

void cnf_compile_call(cnf_cache *cache, rt_arena *arena, rt_bytes request, uint32_t timeout_ms,
                      rt_buffer *out_bytes, cnf_compile_answer *out_answer)
{
    CHECK(cache && request.size > 0);
    *out_bytes = (rt_buffer){0};
    if (cnf_cache_find(cache, request, out_bytes) && decode(arena, out_bytes, out_answer)) return;
    rt_buffer_free(out_bytes);
    cnf_worker_call(CNF_THIS_PROGRAM, cnf_worker_environment(cache, arena), arena, request,
                    timeout_ms, out_bytes, out_answer);
}

bool cnf_worker_find(char path[PATH_MAX], const char *given, const void *code)
{
    static const char *const places[] = {"assay", "../../bin/assay"};
    if (given && *given) {
        int length = snprintf(path, PATH_MAX, "%s", given);
        return length < PATH_MAX && access(path, X_OK) == 0;
    }
    Dl_info info;
    if (!dladdr(code, &info) || !info.dli_fname) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash ? (int)(slash - info.dli_fname) : 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int length = snprintf(path, PATH_MAX, "%.*s/%s", folder, info.dli_fname, places[i]);
        if (length < PATH_MAX && access(path, X_OK) == 0) return true;
    }
    return false;
}
