/* Child processes.  POSIX only; no shell is involved, and nothing is known about what runs. */
#include "conformance/build/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    OUTPUT_SIZE_MAX = 256 << 20, /* bytes; more than any answer has */
    ERRORS_SIZE_MAX = 1 << 20,   /* bytes kept of standard error */
    SLICE_MS = 50,               /* how often the end is looked for while output stays open */
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void close_end(int *descriptor)
{
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
}

/* ---- Start --------------------------------------------------------------------------------- */

/* Both ends of the three channels: [0] ours, [1] the child's. */
typedef struct channels {
    int input[2], output[2], errors[2];
} channels;

static void close_channels(channels *all)
{
    for (int i = 0; i < 2; i++) {
        close_end(&all->input[i]);
        close_end(&all->output[i]);
        close_end(&all->errors[i]);
    }
}

/* Moves a descriptor above the standard ones, which are free in a program started without them: in
 * the child they would be overwritten before they are copied. */
static bool lift_end(int *descriptor)
{
    if (*descriptor > STDERR_FILENO) return true;
    int lifted = fcntl(*descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (lifted < 0) return false;
    close(*descriptor);
    *descriptor = lifted;
    return true;
}

static bool lift_channels(channels *all)
{
    bool lifted = true;
    for (int i = 0; i < 2; i++) {
        lifted = lifted && lift_end(&all->input[i]) && lift_end(&all->output[i]) &&
                 lift_end(&all->errors[i]);
    }
    return lifted;
}

/* Input goes through a socket, because writing to a closed socket can be told not to raise SIGPIPE,
 * which belongs to the whole process. */
static int open_channels(channels *out)
{
    *out = (channels){{-1, -1}, {-1, -1}, {-1, -1}};
    bool opened = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out->input) == 0 &&
                  pipe2(out->output, O_CLOEXEC) == 0 && pipe2(out->errors, O_CLOEXEC) == 0;
    opened = opened && lift_channels(out);
    if (opened) return 0;
    int error = errno;
    close_channels(out);
    return error;
}

static int spawn(pid_t *out_pid, const channels *all, const char *path,
                 const char *const *arguments, const char *const *environment)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, all->input[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, all->output[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, all->errors[1], STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    /* The casts drop const that posix_spawn promises to respect (POSIX, "exec"). */
    int error = posix_spawn(out_pid, path, &actions, &attributes, (char *const *)arguments,
                            (char *const *)environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static void set_nonblocking(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);
    CHECK(flags >= 0);
    fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

int cnf_process_start(cnf_process *out_process, const char *path, const char *const *arguments,
                      const char *const *environment, rt_bytes input)
{
    *out_process = (cnf_process){.input = -1, .output = -1, .errors = -1};
    CHECK(arguments[0]);
    channels all;
    int error = open_channels(&all);
    if (error) return error;
    CHECK(all.input[1] > STDERR_FILENO && all.errors[1] > STDERR_FILENO);
    pid_t pid = 0;
    error = spawn(&pid, &all, path, arguments, environment);
    if (error) {
        close_channels(&all);
        return error;
    }
    close_end(&all.input[1]);
    close_end(&all.output[1]);
    close_end(&all.errors[1]);
    *out_process = (cnf_process){pid, all.input[0], all.output[0], all.errors[0], input};
    set_nonblocking(out_process->output);
    set_nonblocking(out_process->errors);
    return 0;
}

/* ---- Finish -------------------------------------------------------------------------------- */

/* Writes what fits; a child that does not read its input to the end is no error here. */
static void feed(cnf_process *process)
{
    while (process->rest.size > 0) {
        ssize_t written = send(process->input, process->rest.data, process->rest.size,
                               MSG_NOSIGNAL | MSG_DONTWAIT);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (written < 0) break;
        process->rest.data += written;
        process->rest.size -= (size_t)written;
    }
    close_end(&process->input);
}

/* Reads what is there; closes the descriptor at its end. */
static void drain(int *descriptor, rt_buffer *out, size_t size_max)
{
    char block[65536];
    while (*descriptor >= 0) {
        ssize_t size = read(*descriptor, block, sizeof block);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (size <= 0) {
            close_end(descriptor);
            return;
        }
        size_t room = out->size < size_max ? size_max - out->size : 0;
        rt_buffer_append(out, block, (size_t)size < room ? (size_t)size : room);
    }
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    int error = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return error == 0 && info.si_pid == pid;
}

static void wait_for_events(const cnf_process *process, int timeout_ms)
{
    struct pollfd events[3] = {
        {process->input, POLLOUT, 0}, {process->output, POLLIN, 0}, {process->errors, POLLIN, 0}};
    poll(events, 3, timeout_ms);
}

/* Kills the group while its leader is unreaped, so that the number is still its own. */
static int reap(cnf_process *process)
{
    kill(-process->pid, SIGKILL);
    kill(process->pid, SIGKILL);
    int status = 0;
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR) {
    }
    process->pid = 0;
    return status;
}

static cnf_process_result result_of(int status)
{
    if (WIFSIGNALED(status)) {
        return (cnf_process_result){CNF_PROCESS_SIGNALLED, WTERMSIG(status)};
    }
    return (cnf_process_result){CNF_PROCESS_EXITED, WEXITSTATUS(status)};
}

cnf_process_result cnf_process_finish(cnf_process *process, uint32_t timeout_ms,
                                      rt_buffer *out_output, rt_buffer *out_errors)
{
    CHECK(process->pid > 0);
    int64_t deadline = now_ms() + timeout_ms;
    bool ended = false, late = false, overflowed = false;
    while (!ended && !late && !overflowed) {
        feed(process);
        drain(&process->output, out_output, OUTPUT_SIZE_MAX);
        drain(&process->errors, out_errors, ERRORS_SIZE_MAX);
        overflowed = out_output->size >= OUTPUT_SIZE_MAX;
        ended = has_ended(process->pid);
        int64_t left = deadline - now_ms();
        late = left <= 0;
        if (ended || late || overflowed) break;
        /* With both outputs closed the end is near, but nothing wakes us for it. */
        bool quiet = process->output < 0 && process->errors < 0;
        int64_t slice = quiet ? 1 : SLICE_MS;
        wait_for_events(process, (int)(left < slice ? left : slice));
    }
    int status = reap(process);
    drain(&process->output, out_output, OUTPUT_SIZE_MAX);
    drain(&process->errors, out_errors, ERRORS_SIZE_MAX);
    close_end(&process->input);
    close_end(&process->output);
    close_end(&process->errors);
    CHECK(process->pid == 0);
    if (overflowed) return (cnf_process_result){CNF_PROCESS_OVERFLOWED, 0};
    return ended ? result_of(status) : (cnf_process_result){CNF_PROCESS_TIMED_OUT, 0};
}

void cnf_process_describe(rt_buffer *out, cnf_process_result result, uint32_t timeout_ms)
{
    switch (result.end) {
    case CNF_PROCESS_EXITED: rt_buffer_printf(out, "ended with status %d", result.code); break;
    case CNF_PROCESS_SIGNALLED:
        rt_buffer_printf(out, "ended by signal %d (%s)", result.code,
                         sigdescr_np(result.code) ? sigdescr_np(result.code) : "unknown");
        break;
    case CNF_PROCESS_TIMED_OUT:
        rt_buffer_printf(out, "did not end within %u ms and was killed", timeout_ms);
        break;
    case CNF_PROCESS_OVERFLOWED:
        rt_buffer_printf(out, "wrote more than %d bytes and was killed", OUTPUT_SIZE_MAX);
        break;
    case CNF_PROCESS_NOT_STARTED: {
        const char *reason = strerrordesc_np(result.code);
        rt_buffer_printf(out, "could not be started: %s", reason ? reason : "unknown error");
        break;
    }
    }
}
