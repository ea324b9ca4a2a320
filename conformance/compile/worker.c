/* The worker: one request in, one answer out.
 *
 * It is a process of its own because clang, LLVM and the translator run in it or below it, and
 * damaged input ends them.  It alone opens the compiler plugin. */
#include "conformance/compile/answer.h"
#include "conformance/compile/cache.h"
#include "conformance/compile/clang.h"
#include "conformance/compile/request.h"
#include "conformance/compile/toolchain.h"
#include "conformance/scenario/build_options.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SPIRV_VERSION_MAX = 0x00010200 /* 1.2: what the drivers at hand take */ };

/* Exit statuses of the worker; a failing answer is still an answer. */
enum { WORKER_ANSWERED = 0, WORKER_INPUT_FAILED = 3 };

typedef struct worker_state {
    rt_sink *sink;
    rt_arena arena;
    cnf_toolchain toolchain;
    const rt_compiler_api *api; /* NULL until the plugin is needed */
    cnf_message_list messages;
    rt_buffer artefact;
} worker_state;

/* ---- The plugin ---------------------------------------------------------------------------- */

static rt_status open_plugin(worker_state *worker)
{
    CHECK(!worker->api);
    const char *path = worker->toolchain.plugin;
    if (path[0] == '\0') {
        return rt_fail(worker->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the compiler plugin libassay_compiler.so is not beside the program; build "
                       "the target assay_compiler");
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return rt_fail(worker->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the compiler plugin cannot be opened: %s; it needs the packages libllvm14 "
                       "and libllvmspirvlib14",
                       dlerror());
    }
    /* POSIX lets an object pointer of dlsym be a function pointer; C does not, so bytes are copied.
     */
    void *symbol = dlsym(library, RT_COMPILER_API_SYMBOL);
    rt_compiler_api_get_function *get = NULL;
    memcpy(&get, &symbol, sizeof get);
    worker->api = get ? get(RT_COMPILER_API_VERSION) : NULL;
    if (worker->api) return RT_STATUS_OK;
    return rt_fail(worker->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                   "the compiler plugin %s does not speak version %u; build it anew", path,
                   RT_COMPILER_API_VERSION);
}

/* ---- A module's images --------------------------------------------------------------------- */

static rt_status check_module(worker_state *worker, const cnf_request *request)
{
    rt_text refused;
    if (!scn_build_options_check(request->build_options, &refused)) {
        return rt_fail(worker->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "module %.*s: build option '%.*s' is not taken",
                       RT_TEXT_ARG(request->module), RT_TEXT_ARG(refused));
    }
    if (worker->toolchain.clang[0] == '\0') {
        return rt_fail(worker->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "clang-14 is not installed; apt-get install clang-14");
    }
    return RT_STATUS_OK;
}

/* Waits for all runs, so that the messages of every source are reported; the first failure counts.
 */
static rt_status finish_sources(worker_state *worker, const cnf_request *request,
                                cnf_clang_run *runs)
{
    rt_status first = RT_STATUS_OK;
    for (uint32_t i = 0; i < request->source_count; i++) {
        rt_status status = cnf_clang_finish(worker->sink, &worker->arena, &request->sources[i],
                                            &runs[i], &worker->messages);
        if (rt_ok(first)) first = status;
    }
    return first;
}

/* Runs clang over all sources at once while the plugin is opened. */
static rt_status compile_sources(worker_state *worker, const cnf_request *request,
                                 cnf_clang_run *runs)
{
    for (uint32_t i = 0; i < request->source_count; i++) {
        RT_TRY(cnf_clang_start(worker->sink, &worker->arena, worker->toolchain.clang,
                               &request->sources[i], request->build_options, &runs[i]));
    }
    RT_TRY(open_plugin(worker));
    return finish_sources(worker, request, runs);
}

static rt_status postlink(worker_state *worker, const cnf_request *request,
                          const cnf_clang_run *runs)
{
    CHECK(worker->api && worker->artefact.size == 0);
    rt_postlink_source *sources =
        rt_arena_alloc_array(&worker->arena, request->source_count, sizeof *sources);
    for (uint32_t i = 0; i < request->source_count; i++) {
        sources[i].name = request->sources[i].name;
        sources[i].bitcode = rt_buffer_bytes(&runs[i].bitcode);
    }
    rt_postlink_request made = {
        .module = request->module,
        .sources = sources,
        .source_count = request->source_count,
        .split = request->split,
        .format = RT_FORMAT_SPIRV64,
        .spirv_version_max = SPIRV_VERSION_MAX,
    };
    return worker->api->postlink(worker->sink, &made, &worker->artefact);
}

static rt_status make_module(worker_state *worker, const cnf_request *request)
{
    RT_TRY(check_module(worker, request));
    cnf_clang_run *runs = rt_arena_alloc_array(&worker->arena, request->source_count, sizeof *runs);
    rt_status status = compile_sources(worker, request, runs);
    if (rt_ok(status)) status = postlink(worker, request, runs);
    for (uint32_t i = 0; i < request->source_count; i++)
        cnf_clang_free(&runs[i]);
    return status;
}

static rt_status make_link(worker_state *worker, const cnf_request *request)
{
    RT_TRY(open_plugin(worker));
    return worker->api->link_to_bitcode(worker->sink, request->spirv, request->spirv_count,
                                        &worker->artefact);
}

static rt_status make_artefact(worker_state *worker, rt_bytes bytes)
{
    cnf_request request;
    RT_TRY(cnf_request_read(worker->sink, &worker->arena, bytes, &request));
    cnf_toolchain_find(&worker->toolchain);
    switch (request.kind) {
    case CNF_REQUEST_MODULE: return make_module(worker, &request);
    case CNF_REQUEST_LINK: return make_link(worker, &request);
    case CNF_REQUEST_COUNT: break;
    }
    UNREACHABLE();
}

/* ---- The answer ---------------------------------------------------------------------------- */

static void write_answer(worker_state *worker, rt_status status, rt_buffer *out)
{
    cnf_compile_answer answer = {.code = (rt_code)status.code,
                                 .messages = worker->messages.items,
                                 .message_count = worker->messages.count};
    CHECK_IMPLIES(rt_ok(status), worker->artefact.size > 0);
    if (rt_ok(status)) {
        answer.artefact = rt_buffer_bytes(&worker->artefact);
    } else {
        const rt_diagnostic *diagnostic = rt_sink_diagnostic(worker->sink, status);
        answer.message = diagnostic->message;
        answer.names = diagnostic->names;
        answer.name_count = diagnostic->name_count;
    }
    cnf_answer_write(out, &answer);
}

/* Makes the answer to a request; true when it is one to keep. */
static bool answer_request(rt_bytes request, rt_buffer *out)
{
    worker_state worker = {.sink = rt_sink_create()};
    rt_status status = make_artefact(&worker, request);
    write_answer(&worker, status, out);
    rt_vector_free(&worker.messages);
    rt_buffer_free(&worker.artefact);
    rt_arena_reset(&worker.arena);
    rt_sink_destroy(worker.sink);
    return rt_ok(status);
}

static bool read_all(int input, rt_buffer *out)
{
    char block[65536];
    for (;;) {
        ssize_t size = read(input, block, sizeof block);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return size == 0;
        rt_buffer_append(out, block, (size_t)size);
    }
}

static bool write_all(int output, rt_bytes bytes)
{
    while (bytes.size > 0) {
        ssize_t written = write(output, bytes.data, bytes.size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.data += written;
        bytes.size -= (size_t)written;
    }
    return true;
}

/* A worker does not outlive who asked, and its crash, which is expected, leaves no core file. */
static void limit_worker(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

int cnf_worker_main(int input, int output)
{
    limit_worker();
    rt_buffer request = {0}, answer = {0};
    if (!read_all(input, &request)) return WORKER_INPUT_FAILED;
    rt_text warning;
    cnf_cache *cache = cnf_cache_open((rt_text){0}, &warning);
    if (!cnf_cache_find(cache, rt_buffer_bytes(&request), &answer) &&
        answer_request(rt_buffer_bytes(&request), &answer))
        cnf_cache_keep(cache, rt_buffer_bytes(&request), rt_buffer_bytes(&answer));
    cnf_cache_close(cache);
    bool written = write_all(output, rt_buffer_bytes(&answer));
    rt_buffer_free(&request);
    rt_buffer_free(&answer);
    return written ? WORKER_ANSWERED : WORKER_INPUT_FAILED;
}
