/* The worker: a request in, an answer out.
 *
 * It is a separate process because clang, LLVM and the translator run in it or as its children, and
 * damaged input can crash them. Only the worker opens the compiler plugin. A worker that serves
 * opens it once, because loading LLVM takes longer than most requests, and forks for each request,
 * so that none sees what an earlier one left behind. */
#include "conformance/build/worker.h"

#include "conformance/build/answer.h"
#include "conformance/build/cache.h"
#include "conformance/build/shipped_fusion.h"
#include "conformance/process/child.h"
#include "conformance/process/service.h"
#include "reference/base/descriptors.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit statuses of the worker; ANSWERED includes answers that report a failure. */
enum { WORKER_ANSWERED = 0, WORKER_INPUT_FAILED = 3 };

/* ---- The plugin ---------------------------------------------------------------------------- */

rt_status cnf_worker_open_plugin(cnf_worker *worker)
{
    CHECK(!worker->api);
    const char *path = worker->toolchain.plugin;
    if (path[0] == '\0') {
        return rt_fail(worker->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the compiler plugin libassay_compiler.so is not next to the program; "
                       "build the target assay_compiler");
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return rt_fail(
            worker->sink, RT_UNAVAILABLE, RT_RULE_NONE,
            "the compiler plugin cannot be opened: %s; it needs the packages libllvm" ASSAY_LLVM_VERSION
            " and libllvmspirvlib" ASSAY_LLVM_VERSION,
            dlerror());
    }
    /* POSIX allows converting dlsym's object pointer to a function pointer; C does not, so the
     * bytes are copied. */
    void *symbol = dlsym(library, RT_COMPILER_API_SYMBOL);
    rt_compiler_api_get_function *get = NULL;
    memcpy(&get, &symbol, sizeof get);
    worker->api = get ? get(RT_COMPILER_API_VERSION) : NULL;
    if (worker->api) return RT_STATUS_OK;
    return rt_fail(worker->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                   "the compiler plugin %s does not support version %u; rebuild it", path,
                   RT_COMPILER_API_VERSION);
}

/* ---- The artefact -------------------------------------------------------------------------- */

static rt_status make_artefact(cnf_worker *worker, rt_bytes bytes)
{
    cnf_request request;
    RT_TRY(cnf_request_read(worker->sink, &worker->arena, bytes, &request));
    cnf_toolchain_find(&worker->toolchain);
    if (request.kind == CNF_REQUEST_MODULE) return cnf_worker_make_module(worker, &request);
    if (request.kind == CNF_REQUEST_PROGRAM) return cnf_worker_make_program(worker, &request);
    RT_TRY(cnf_worker_open_plugin(worker));
    worker->is_plugins = request.kind != CNF_REQUEST_SHIPPED_FUSION;
    if (request.kind == CNF_REQUEST_LINK)
        return worker->api->link_to_bitcode(worker->sink, request.codes, request.code_count,
                                            &worker->artefact);
    if (request.kind == CNF_REQUEST_PTX)
        return worker->api->spirv_to_ptx(worker->sink, request.codes,
                                         rt_text_of(worker->toolchain.libclc), &worker->artefact);
    if (request.kind == CNF_REQUEST_SHIPPED_FUSION)
        return cnf_shipped_fuse(worker, &request.fusion);
    CHECK(request.kind == CNF_REQUEST_FUSION);
    return worker->api->fuse(worker->sink, &request.fusion, rt_text_of(worker->toolchain.libclc),
                             &worker->artefact);
}

/* ---- The answer ---------------------------------------------------------------------------- */

/* True if the answer would always be the same. A front end refuses a source for what is missing on
 * the machine, too. */
static bool is_final(const cnf_worker *worker, rt_code code)
{
    static const uint64_t refusals =
        CNF_CODE(LINK_ERROR) | CNF_CODE(FUSION_REJECTED) | CNF_CODE(UNSUPPORTED);
    if (code == RT_OK) return !worker->depends_on_files;
    if (code == RT_COMPILE_TIME) return worker->is_ours;
    return worker->is_plugins && (refusals >> code & 1) != 0;
}

/* Answers a request; true if the answer should be cached. */
static bool answer_request(cnf_cache *cache, rt_bytes request, rt_buffer *out)
{
    cnf_worker worker = {.sink = rt_sink_create(), .cache = cache};
    rt_status status = make_artefact(&worker, request);
    cnf_compile_answer answer = {.code = (rt_code)status.code,
                                 .messages = worker.messages.items,
                                 .message_count = worker.messages.count};
    CHECK_IMPLIES(rt_ok(status), worker.artefact.size > 0);
    if (rt_ok(status)) {
        answer.artefact = rt_buffer_bytes(&worker.artefact);
    } else {
        const rt_diagnostic *diagnostic = rt_sink_diagnostic(worker.sink, status);
        answer.message = diagnostic->message;
        answer.names = diagnostic->names;
        answer.name_count = diagnostic->name_count;
    }
    cnf_answer_write(out, &answer);
    rt_vector_free(&worker.messages);
    rt_buffer_free(&worker.artefact);
    rt_arena_reset(&worker.arena);
    rt_sink_destroy(worker.sink);
    return is_final(&worker, answer.code);
}

/* Answers the request in a file or pipe. Returns the exit status of a worker that does no more. */
static int answer_one(int input, int output)
{
    rt_buffer request = {0}, answer = {0};
    if (!rt_read_all(input, &request)) return WORKER_INPUT_FAILED;
    rt_text warning;
    cnf_cache *cache = cnf_cache_open((rt_text){0}, &warning);
    if (!cnf_cache_find(cache, rt_buffer_bytes(&request), &answer) &&
        answer_request(cache, rt_buffer_bytes(&request), &answer))
        cnf_cache_keep(cache, rt_buffer_bytes(&request), rt_buffer_bytes(&answer));
    cnf_cache_close(cache);
    bool written = rt_write_all(output, rt_buffer_bytes(&answer));
    rt_buffer_free(&request);
    rt_buffer_free(&answer);
    return written ? WORKER_ANSWERED : WORKER_INPUT_FAILED;
}

/* ---- Serving ------------------------------------------------------------------------------- */

/* A plugin that cannot be opened is reported by every request that needs it. */
static void preload_plugin(void)
{
    cnf_worker worker = {.sink = rt_sink_create()};
    cnf_toolchain_find(&worker.toolchain);
    rt_status ignored = cnf_worker_open_plugin(&worker);
    (void)ignored;
    rt_sink_destroy(worker.sink);
}

/* Waits for the process that answers a request, and returns its wait status. Kills it if nothing
 * waits for the answer any more. */
static int request_finish(pid_t process)
{
    int status = 0, end = pidfd_open(process, 0);
    struct pollfd events[] = {{end, POLLIN, 0}, {CNF_SERVICE_SOCKET, 0, 0}};
    while (end >= 0 && poll(events, 2, -1) < 0 && errno == EINTR) {
    }
    if (events[1].revents & POLLHUP) kill(process, SIGKILL);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (end >= 0) close(end);
    return status;
}

/* Ends as the process that should have answered a request did, so that the pool sees it. */
static int end_like(int status)
{
    if (WIFSIGNALED(status)) raise(WTERMSIG(status));
    return WEXITSTATUS(status);
}

static int serve(bool is_pooled)
{
    preload_plugin();
    const pid_t server = getpid();
    int input;
    bool is_last = false;
    while (!is_last && cnf_service_receive(CNF_SERVICE_SOCKET, &input, &is_last)) {
        pid_t process = fork();
        if (process == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            return getppid() == server ? answer_one(input, CNF_CHILD_MESSAGES)
                                       : WORKER_INPUT_FAILED;
        }
        if (process < 0) perror("assay: a process for a request to the compile worker");
        close(input);
        int status = process < 0 ? W_EXITCODE(WORKER_INPUT_FAILED, 0) : request_finish(process);
        bool is_answered = WIFEXITED(status) && WEXITSTATUS(status) == WORKER_ANSWERED;
        if (!is_answered && is_pooled) return end_like(status);
        bool is_awaited = is_answered ? cnf_service_ready(CNF_SERVICE_SOCKET)
                                      : cnf_service_failed(CNF_SERVICE_SOCKET, status);
        if (!is_awaited) return WORKER_INPUT_FAILED;
    }
    return WORKER_ANSWERED;
}

/* Starts a server that is not a child of the program that started this process. */
static int server_start(void)
{
    pid_t server = fork();
    if (server == 0) return serve(false);
    return server > 0 ? WORKER_ANSWERED : WORKER_INPUT_FAILED;
}

int cnf_worker_main(int argument_count, char **arguments)
{
    /* A worker does not outlive its parent; its crashes, which are expected, leave no core files.
     */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    /* This process may have inherited an ignored SIGCHLD, with which waiting for children fails. */
    signal(SIGCHLD, SIG_DFL);
    const char *option = argument_count > 1 ? arguments[1] : "";
    if (strcmp(option, "--serve") == 0) return serve(true);
    if (strcmp(option, "--server") == 0) return server_start();
    return answer_one(STDIN_FILENO, STDOUT_FILENO);
}
