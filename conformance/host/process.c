/* The process of a host program: how it starts, how requests reach it, how it ends.
 *
 * The process stays in the process group of the subject, so that the runner's time limit ends both,
 * and it dies with the thread that started it. Its folder is inside the folder of the command
 * (conformance/process/scratch.h), so it is removed even if this process cannot do so. */
#include "conformance/host/host_internal.h"

#include "conformance/process/scratch.h"
#include "conformance/process/start.h"
#include "reference/base/alloc.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_SIZE_MAX ((uint64_t)1 << 31) /* bytes; more than any memory of a scenario */

enum {
    CHANNEL_FIRST = 3,  /* the program's descriptor of channel 0 */
    EXIT_MS_MAX = 2000, /* time for a process to end after closing its channel */
    NOT_EXECUTED = 127, /* exit status of ld.so if it cannot load a library */
    CHUNK = 1 << 16,    /* bytes per read */
};

uint32_t cnf_host_channels(const scn_scenario *scenario)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < scenario->step_count; i++)
        if (scenario->steps[i].thread > last) last = scenario->steps[i].thread;
    return 1 + last;
}

/* ---- The start ----------------------------------------------------------------------------- */

cnf_host *cnf_host_create(rt_sink *sink, const scn_scenario *scenario)
{
    cnf_host *host = rt_alloc(sizeof *host);
    *host = (cnf_host){.sink = sink, .scenario = scenario};
    pthread_mutex_init(&host->lock, NULL);
    host->channel_count = cnf_host_channels(scenario);
    CHECK(host->channel_count > 0);
    host->channels = rt_arena_alloc_array(&host->arena, host->channel_count, sizeof(int));
    memset(host->channels, 0xff, host->channel_count * sizeof(int));
    return host;
}

static const char *const *environment_create(cnf_host *host, const char *const *additions)
{
    rt_arena *arena = &host->arena;
    rt_buffer channels = {0}, preloads = {0};
    for (uint32_t i = 0; i < host->channel_count; i++)
        rt_buffer_printf(&channels, "%s%u", i == 0 ? "" : ",", CHANNEL_FIRST + i);
    /* Names only: ld.so finds the files through the executable's DT_RPATH, and no path needs
     * quoting. */
    for (uint32_t i = 0; i < host->scenario->preloaded_count; i++) {
        rt_text name = cnf_host_path(arena, host->scenario, host->scenario->preloaded[i]);
        rt_buffer_printf(&preloads, "%s%.*s", i == 0 ? "" : ":", RT_TEXT_ARG(name));
    }
    size_t count = 0;
    while (additions && additions[count])
        count++;
    const char **changes = rt_arena_alloc_array(arena, count + 3, sizeof *changes);
    if (count > 0) memcpy(changes, additions, count * sizeof *changes);
    changes[count] =
        rt_arena_printf(arena, "ASSAY_HOST_CHANNELS=%s", rt_buffer_string(&channels)).data;
    changes[count + 1] = rt_arena_printf(arena, "LD_PRELOAD=%s", rt_buffer_string(&preloads)).data;
    rt_buffer_free(&channels);
    rt_buffer_free(&preloads);
    return cnf_start_environment(arena, changes);
}

rt_status cnf_host_launch(cnf_host *host, const char *const *environment)
{
    CHECK(host->pid == 0 && host->channel_count > 0);
    uint32_t count = CHANNEL_FIRST + host->channel_count;
    int *descriptors = rt_arena_alloc_array(&host->arena, count, sizeof *descriptors);
    memset(descriptors, 0xff, count * sizeof *descriptors);
    descriptors[STDOUT_FILENO] = STDOUT_FILENO;
    descriptors[STDERR_FILENO] = STDERR_FILENO;
    int error = 0;
    for (uint32_t i = 0; i < host->channel_count && error == 0; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
            error = errno;
        } else {
            host->channels[i] = ends[0];
            descriptors[CHANNEL_FIRST + i] = ends[1];
        }
    }
    rt_text name = cnf_host_path(&host->arena, host->scenario, 0);
    rt_text program =
        rt_arena_printf(&host->arena, "%.*s/%.*s", RT_TEXT_ARG(host->folder), RT_TEXT_ARG(name));
    const char *const arguments[] = {program.data, NULL};
    const cnf_start start = {.program = program.data,
                             .arguments = arguments,
                             .environment = environment_create(host, environment),
                             .descriptors = descriptors,
                             .descriptor_count = count,
                             .stays_in_group = true};
    if (error == 0) error = cnf_start_process(&start, &host->pid);
    for (uint32_t i = CHANNEL_FIRST; i < count; i++)
        cnf_process_close(&descriptors[i]);
    if (error != 0)
        return rt_fail(host->sink, RT_IO, RT_RULE_NONE, "the host program cannot be started: %s",
                       strerror(error));
    rt_buffer request = {0};
    rt_write_u8(&request, HOST_HELLO);
    rt_reader answer;
    rt_status status = cnf_host_ask(host, 0, &request, &host->arena, &answer);
    rt_buffer_free(&request);
    RT_TRY(status);
    uint32_t version = rt_read_u32(&answer);
    host->runs_on = rt_read_text(&answer);
    if (version != HOST_PROTOCOL_VERSION) {
        return rt_fail(
            host->sink, RT_UNAVAILABLE, RT_RULE_NONE,
            "the host program's protocol has version %u, this build's has %d: its library comes "
            "from another build of assay; rebuild it with ci/setup --with dpcpp",
            version, HOST_PROTOCOL_VERSION);
    }
    RT_TRY(cnf_host_read_events(host, &host->arena, &answer, &host->started));
    return cnf_host_answer_end(host, &answer, "HELLO");
}

rt_status cnf_host_start(rt_sink *sink, cnf_cache *cache, const scn_scenario *scenario,
                         const cnf_host_runtime *runtime, cnf_host **out_host)
{
    *out_host = NULL;
    rt_text library = runtime->library;
    if (access(library.data, R_OK) != 0) {
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE, "%.*s cannot be read: %s",
                       RT_TEXT_ARG(library), strerror(errno));
    }
    cnf_host *host = cnf_host_create(sink, scenario);
    *out_host = host;
    RT_TRY(cnf_scratch_make(sink, &host->arena, &host->folder));
    RT_TRY(cnf_host_build(sink, cache, scenario, runtime, host->folder));
    return cnf_host_launch(host, runtime->environment);
}

rt_text cnf_host_runs_on(const cnf_host *host)
{
    return host->runs_on;
}

cnf_host_events cnf_host_started(const cnf_host *host)
{
    return host->started;
}

/* ---- Requests ---------------------------------------------------------------------------------
 */

static bool send_all(int channel, rt_bytes bytes)
{
    while (bytes.size > 0) {
        ssize_t sent = send(channel, bytes.data, bytes.size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes.data += sent;
        bytes.size -= (size_t)sent;
    }
    return true;
}

/* Reads `size` bytes. The other process chose the size, so memory is allocated as bytes arrive. */
static bool receive(int channel, uint64_t size, rt_buffer *out)
{
    uint8_t chunk[CHUNK];
    while (size > 0) {
        ssize_t got = recv(channel, chunk, size < CHUNK ? (size_t)size : CHUNK, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        rt_buffer_append(out, chunk, (size_t)got);
        size -= (uint64_t)got;
    }
    return true;
}

/* Waits for a process that has closed its channel to end; kills it if it hangs. */
static void collect(cnf_host *host)
{
    pthread_mutex_lock(&host->lock);
    const struct timespec slice = {0, 5000000};
    for (int waited_ms = 0; host->pid > 0; waited_ms += 5) {
        pid_t ended = waitpid(host->pid, &host->wait_status, WNOHANG);
        if (ended == host->pid || (ended < 0 && errno == ECHILD)) host->pid = 0;
        if (host->pid > 0 && waited_ms > EXIT_MS_MAX) kill(host->pid, SIGKILL);
        if (host->pid > 0) nanosleep(&slice, NULL);
    }
    CHECK(host->pid == 0);
    pthread_mutex_unlock(&host->lock);
}

/* The status that describes how the process ended; `when` says what it was doing. */
static rt_status ended(cnf_host *host, const char *when)
{
    if (WIFSIGNALED(host->wait_status)) {
        const char *name = sigdescr_np(WTERMSIG(host->wait_status));
        return rt_fail(host->sink, RT_TOOL, RT_RULE_NONE,
                       "the host program ended by signal %d (%s) %s", WTERMSIG(host->wait_status),
                       name ? name : "unknown", when);
    }
    CHECK(host->pid == 0);
    bool executed = WEXITSTATUS(host->wait_status) != NOT_EXECUTED;
    return rt_fail(host->sink, executed ? RT_TOOL : RT_IO, RT_RULE_NONE,
                   "the host program ended with status %d %s%s", WEXITSTATUS(host->wait_status),
                   when,
                   executed ? ""
                            : " (127: it could not be executed, or ld.so could not load a library "
                              "that it needs)");
}

/* What the program was doing when it ended, as worded in messages. */
static const char *const request_places[HOST_REQUEST_END] = {
    [HOST_HELLO] = "while it was started",
    [HOST_OPEN] = "in dlopen",
    [HOST_CLOSE] = "in dlclose",
    [HOST_BINDS] = "while it looked up a symbol",
    [HOST_SEGMENTS] = "while it sent its memory",
    [HOST_DEVICES] = "while it listed its devices",
    [HOST_KERNELS] = "while it listed its kernels",
    [HOST_CONTEXT] = "while it created a context",
    [HOST_QUEUE] = "while it created a queue",
    [HOST_MEMORY] = "while it created a memory object",
    [HOST_READ] = "while it read a memory object",
    [HOST_SUBMIT] = "while it submitted a kernel",
    [HOST_TRANSFER] = "while it submitted a copy or fill",
    [HOST_WAIT] = "while it waited",
    [HOST_BUNDLE] = "while it worked on a kernel bundle",
    [HOST_GLOBAL] = "while it looked up a device_global",
    [HOST_GLOBAL_COPY] = "while it submitted a copy of a device_global",
    [HOST_GLOBAL_READ] = "while it read a device_global",
    [HOST_TIMES] = "while it queried profiling times",
    [HOST_BARRIER] = "while it submitted a barrier",
    [HOST_TASK] = "while it submitted a host task",
    [HOST_PART] = "while it created a sub-buffer",
    [HOST_END_PART] = "while it destroyed a sub-buffer",
    [HOST_GATE] = "while it created a gate for host tasks",
    [HOST_RELEASE] = "while it released host tasks",
    [HOST_MAP] = "while it created a host accessor",
    [HOST_MAPPED_READ] = "while it read through a host accessor",
    [HOST_MAPPED_WRITE] = "while it wrote through a host accessor",
    [HOST_UNMAP] = "while it destroyed a host accessor",
};

rt_status cnf_host_ask(cnf_host *host, uint32_t channel, const rt_buffer *request, rt_arena *arena,
                       rt_reader *out_answer)
{
    CHECK(channel < host->channel_count && request->size > 0);
    const uint8_t number = (uint8_t)request->data[0];
    CHECK(number < HOST_REQUEST_END && request_places[number]);
    const int socket = host->channels[channel];
    *out_answer = (rt_reader){0};
    rt_buffer header = {0}, answer = {0};
    rt_write_u64(&header, request->size);
    bool is_answered =
        send_all(socket, rt_buffer_bytes(&header)) && send_all(socket, rt_buffer_bytes(request));
    rt_buffer_free(&header);
    is_answered = is_answered && receive(socket, sizeof(uint64_t), &header);
    rt_reader header_reader = rt_reader_of(rt_buffer_bytes(&header));
    uint64_t size = is_answered ? rt_read_u64(&header_reader) : 0;
    rt_buffer_free(&header);
    if (size > ANSWER_SIZE_MAX) {
        return rt_fail(host->sink, RT_MALFORMED, RT_RULE_NONE,
                       "the host program did not send an answer: its length exceeds %llu bytes",
                       (unsigned long long)ANSWER_SIZE_MAX);
    }
    is_answered = is_answered && receive(socket, size, &answer);
    rt_bytes bytes = rt_arena_bytes(arena, rt_buffer_bytes(&answer));
    rt_buffer_free(&answer);
    if (!is_answered) {
        collect(host);
        return ended(host, request_places[number]);
    }
    CHECK(bytes.size == size);
    *out_answer = rt_reader_of(bytes);
    uint32_t accepted = rt_read_u8(out_answer);
    if (accepted == 1) return RT_STATUS_OK;
    if (accepted != 0 || out_answer->failed)
        return rt_fail(host->sink, RT_MALFORMED, RT_RULE_NONE,
                       "the host program did not send an answer: it begins with %u", accepted);
    /* A refusal: the name of its code, and the message. */
    rt_text class = rt_read_text(out_answer), message = rt_read_text(out_answer);
    RT_TRY(cnf_host_answer_end(host, out_answer, "a refusal"));
    rt_code code = rt_text_is(class, "exception") ? RT_ERRC_RUNTIME : rt_code_find(class);
    if (code == RT_CODE_COUNT || code == RT_OK)
        return rt_fail(
            host->sink, RT_MALFORMED, RT_RULE_NONE,
            "the host program refuses the request with '%.*s', which is not an error code",
            RT_TEXT_ARG(class));
    return rt_fail(host->sink, code, RT_RULE_NONE, "%.*s", RT_TEXT_ARG(message));
}

/* ---- The end ------------------------------------------------------------------------------- */

int cnf_host_fate(cnf_host *host)
{
    pthread_mutex_lock(&host->lock);
    if (host->pid > 0 && waitpid(host->pid, &host->wait_status, WNOHANG) == host->pid)
        host->pid = 0;
    int signal_number =
        host->pid == 0 && WIFSIGNALED(host->wait_status) ? WTERMSIG(host->wait_status) : 0;
    pthread_mutex_unlock(&host->lock);
    return signal_number;
}

void cnf_host_share_fate(cnf_host *host)
{
    int signal_number = cnf_host_fate(host);
    if (signal_number == 0) return;
    cnf_scratch_remove(host->folder);
    signal(signal_number, SIG_DFL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    raise(signal_number);
    kill(getpid(), SIGKILL); /* in case the signal that ended the program is ignored here */
}

rt_status cnf_host_leave(cnf_host *host)
{
    bool was_running = host->pid > 0;
    for (uint32_t i = 0; i < host->channel_count; i++) {
        if (host->channels[i] >= 0) close(host->channels[i]);
        host->channels[i] = -1;
    }
    while (host->pid > 0) {
        if (waitpid(host->pid, &host->wait_status, 0) == host->pid || errno != EINTR) host->pid = 0;
    }
    bool is_clean = WIFEXITED(host->wait_status) && WEXITSTATUS(host->wait_status) == EXIT_SUCCESS;
    return was_running && !is_clean ? ended(host, "at its end") : RT_STATUS_OK;
}

rt_status cnf_host_restart(cnf_host *host, const char *const *environment)
{
    CHECK(host->pid == 0 && host->folder.length > 0);
    return cnf_host_launch(host, environment);
}

rt_status cnf_host_end(cnf_host *host)
{
    if (!host) return RT_STATUS_OK;
    rt_status status = cnf_host_leave(host);
    if (host->folder.length > 0) cnf_scratch_remove(host->folder);
    pthread_mutex_destroy(&host->lock);
    rt_arena_reset(&host->arena);
    rt_free(host);
    return status;
}
