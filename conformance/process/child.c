/* The children of the runner: start, time limits, collecting, and cleaning up after them.
 *
 * One poll loop serves everything.  It does not know what children are for: messages are bytes.
 * A child is looked at while it is still a zombie (WNOWAIT), so that its process group's number
 * cannot belong to anyone else when the group is killed.
 *
 * Linux: signalfd(2), memfd_create(2), close_range(2), prctl(2). */
#include "conformance/process/child.h"

#include "conformance/process/orphans.h"
#include "reference/base/vector.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    OUTPUT_KEPT = 8192,      /* bytes of stdout and stderr that a result shows */
    READ_SIZE = 65536,       /* bytes taken from a pipe at once */
    QUIET_MS = 4,            /* how long a young child's pipes are not looked at */
    KILL_GRACE_MS = 5000,    /* how long a killed child may take to die before it is given up */
    EXIT_NOT_EXECUTED = 126, /* of a child that could not execute its program */
    HEAP_STEP = 1 << 20,     /* bytes by which a forked child's heap grows */
    ARGUMENTS_MAX = 48
};

typedef struct pool_child {
    pid_t pid;            /* 0: never started, or reaped */
    int messages, output; /* read ends; -1 once closed */
    int log;              /* -1: none */
    bool killed;          /* by us: result.end says why */
    bool ended;           /* the result can be handed out */
    double begin_ms, deadline_ms;
    size_t messages_max;
    cnf_child_result result;
} pool_child;

struct cnf_pool {
    int signals; /* signalfd */
    bool interrupted;
    sigset_t mask_before;
    RT_VECTOR(pool_child) children;
    RT_VECTOR(struct pollfd) polled;
    cnf_process_list foreign; /* children of the process from before the pool */
    cnf_process_list known;   /* scratch of pool_kill_orphans */
};

/* The pipes and the input of a child that is being started. */
typedef struct start_files {
    int messages[2], output[2], input;
    int log; /* -1: none */
} start_files;

static double now_ms(void)
{
    struct timespec now;
    int failed = clock_gettime(CLOCK_MONOTONIC, &now);
    CHECK(failed == 0);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void close_one(int *descriptor)
{
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
}

const char *cnf_child_advice(int code)
{
    switch (code) {
    case EMFILE: return "; allow more open files (ulimit -n), or run fewer at once (-j)";
    case ENFILE: return "; the system has no files left, run fewer at once (-j)";
    case EAGAIN: return "; allow more processes (ulimit -u), or run fewer at once (-j)";
    case ENOMEM: return "; the system has no memory left, run fewer at once (-j)";
    default: return "";
    }
}

void cnf_child_result_free(cnf_child_result *result)
{
    rt_buffer_free(&result->messages);
    rt_buffer_free(&result->output);
    rt_buffer_free(&result->log);
}

/* ---- The pool ------------------------------------------------------------------------------ */

static void pool_signals(sigset_t *out_set)
{
    sigemptyset(out_set);
    sigaddset(out_set, SIGCHLD);
    sigaddset(out_set, SIGINT);
    sigaddset(out_set, SIGTERM);
}

cnf_pool *cnf_pool_create(void)
{
    sigset_t taken, before;
    pool_signals(&taken);
    if (sigprocmask(SIG_BLOCK, &taken, &before) != 0) return NULL;
    int signals = signalfd(-1, &taken, SFD_NONBLOCK | SFD_CLOEXEC);
    if (signals < 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        return NULL;
    }
    /* A parent that ignores SIGCHLD hands that down, and then no child could be waited for. */
    signal(SIGCHLD, SIG_DFL);
    cnf_orphans_adopt();
    cnf_pool *pool = rt_alloc(sizeof *pool);
    pool->signals = signals;
    pool->mask_before = before;
    cnf_orphans_list(&pool->foreign);
    return pool;
}

uint32_t cnf_pool_count(const cnf_pool *pool)
{
    return pool->children.count;
}

static void pool_kill_orphans(cnf_pool *pool)
{
    pool->known.count = 0;
    for (uint32_t i = 0; i < pool->children.count; i++) {
        pid_t pid = pool->children.items[i].pid;
        if (pid > 0) *rt_vector_push(&pool->known) = pid;
    }
    for (uint32_t i = 0; i < pool->foreign.count; i++)
        *rt_vector_push(&pool->known) = pool->foreign.items[i];
    cnf_orphans_kill(&pool->known);
}

static void pool_signals_read(cnf_pool *pool)
{
    struct signalfd_siginfo signal_info;
    while (read(pool->signals, &signal_info, sizeof signal_info) == (ssize_t)sizeof signal_info) {
        if (signal_info.ssi_signo != SIGCHLD) pool->interrupted = true;
    }
}

void cnf_pool_destroy(cnf_pool *pool)
{
    if (!pool) return;
    for (uint32_t i = 0; i < pool->children.count; i++) {
        pool_child *child = &pool->children.items[i];
        if (child->pid > 0) {
            kill(-child->pid, SIGKILL);
            kill(child->pid, SIGKILL);
            child->pid = 0;
        }
        close_one(&child->messages);
        close_one(&child->output);
        close_one(&child->log);
        cnf_child_result_free(&child->result);
    }
    pool_kill_orphans(pool); /* No child of the pool is known any more: all of them, reaped. */
    pool_signals_read(pool); /* A second Ctrl-C must not end us once they are unblocked. */
    close_one(&pool->signals);
    sigprocmask(SIG_SETMASK, &pool->mask_before, NULL);
    rt_vector_free(&pool->children);
    rt_vector_free(&pool->polled);
    rt_vector_free(&pool->foreign);
    rt_vector_free(&pool->known);
    rt_free(pool);
}

/* ---- Starting ------------------------------------------------------------------------------ */

/* A file in memory that holds the input, at its beginning; -1 with errno set. */
static int input_open(rt_bytes input)
{
    int file = memfd_create("assay-input", MFD_CLOEXEC);
    size_t done = 0;
    while (file >= 0 && done < input.size) {
        ssize_t size = write(file, input.data + done, input.size - done);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) {
            close_one(&file);
            return -1;
        }
        done += (size_t)size;
    }
    if (file >= 0 && lseek(file, 0, SEEK_SET) != 0) close_one(&file);
    return file;
}

static void files_close(start_files *files)
{
    for (int end = 0; end < 2; end++) {
        close_one(&files->messages[end]);
        close_one(&files->output[end]);
    }
    close_one(&files->input);
    close_one(&files->log);
}

/* A file for the child's log, above all descriptors that the child expects; -1 with errno set. */
static int log_open(void)
{
    int file = memfd_create("assay-log", MFD_CLOEXEC);
    int lifted = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, CNF_CHILD_LOG + 1);
    int error = errno;
    close_one(&file);
    errno = error;
    return lifted;
}

/* Moves a descriptor above the standard ones, which are free in a program started without them: in
 * the child they would be overwritten before they are duplicated. */
static bool lift_one(int *descriptor)
{
    if (*descriptor > STDERR_FILENO) return true;
    int lifted = *descriptor < 0 ? -1 : fcntl(*descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (lifted < 0) return false;
    close(*descriptor);
    *descriptor = lifted;
    return true;
}

static bool files_open(start_files *files, const cnf_child_start *start)
{
    *files = (start_files){{-1, -1}, {-1, -1}, -1, -1};
    bool opened = pipe2(files->messages, O_CLOEXEC) == 0 && pipe2(files->output, O_CLOEXEC) == 0 &&
                  fcntl(files->messages[0], F_SETFL, O_NONBLOCK) == 0 &&
                  fcntl(files->output[0], F_SETFL, O_NONBLOCK) == 0;
    if (opened) {
        files->input =
            start->body ? open("/dev/null", O_RDONLY | O_CLOEXEC) : input_open(start->input);
    }
    opened = opened && lift_one(&files->messages[1]) && lift_one(&files->output[1]) &&
             lift_one(&files->input);
    if (opened && start->has_log) {
        files->log = log_open();
        opened = files->log >= 0;
    }
    if (opened) return true;
    int error = errno;
    files_close(files);
    errno = error;
    return false;
}

/* Moves the descriptors to where the child expects them and closes all others.  The standard ones
 * come first: the one for messages may then take the place of any of the originals. */
static bool child_descriptors(const start_files *files, int messages)
{
    CHECK(files->input > 2 && files->output[1] > 2 && files->messages[1] > 2);
    bool moved = dup2(files->input, 0) == 0 && dup2(files->output[1], 1) == 1 && dup2(1, 2) == 2;
    if (files->messages[1] == messages) {
        moved = moved && fcntl(messages, F_SETFD, 0) == 0;
    } else {
        moved = moved && dup2(files->messages[1], messages) == messages;
    }
    unsigned first_unknown = messages > 2 ? (unsigned)messages + 1 : 3;
    if (files->log >= 0) {
        CHECK(messages == CNF_CHILD_MESSAGES && files->log > CNF_CHILD_LOG);
        moved = moved && dup2(files->log, CNF_CHILD_LOG) == CNF_CHILD_LOG;
        first_unknown = CNF_CHILD_LOG + 1;
    }
    return moved && close_range(first_unknown, ~0u, 0) == 0;
}

/* AddressSanitizer reserves its shadow as data, far beyond any limit that a user would set. */
#ifndef __has_feature
#define __has_feature(feature) 0 /* clang's word; gcc has a macro */
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { LIMITS_MEMORY = 0 };
#else
enum { LIMITS_MEMORY = 1 };
#endif

/* Limits what each process of the child may allocate.  RLIMIT_DATA counts private writable pages,
 * whether the allocator takes them from the heap or by mmap; unlike RLIMIT_AS it leaves alone the
 * address space that vendors' libraries reserve without using it (setrlimit(2)). */
static void child_limit_memory(uint64_t memory_bytes)
{
    const struct rlimit limit = {memory_bytes, memory_bytes};
    /* A lower hard limit that is there already stays, and a refusal only means no limit. */
    if (LIMITS_MEMORY && memory_bytes > 0) (void)setrlimit(RLIMIT_DATA, &limit);
}

/* What every child gets: a group of its own, death with its parent, default signals, no core. */
static void child_attributes(pid_t parent, uint64_t memory_bytes)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_NOT_EXECUTED);
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    child_limit_memory(memory_bytes);
    sigset_t empty;
    sigemptyset(&empty);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &empty, NULL);
}

RT_NORETURN static void child_execute(const cnf_child_start *start)
{
    const char *program = start->program ? start->program : "/proc/self/exe";
    const char *arguments[ARGUMENTS_MAX] = {start->program ? start->program : "assay"};
    int count = 1;
    for (const char *const *argument = start->arguments; *argument; argument++) {
        CHECK(count < ARGUMENTS_MAX - 1);
        arguments[count++] = *argument;
    }
    /* execv does not write to its arguments; its type is older than const. */
    execv(program, (char *const *)(uintptr_t)arguments);
    fprintf(stderr, "assay: cannot execute %s: %s\n", program, strerror(errno));
    _exit(EXIT_NOT_EXECUTED);
}

RT_NORETURN static void child_main(const cnf_child_start *start, const start_files *files,
                                   pid_t parent)
{
    child_attributes(parent, start->memory_bytes);
    int messages = start->body ? CNF_CHILD_MESSAGES : start->messages;
    if (!child_descriptors(files, messages)) _exit(EXIT_NOT_EXECUTED);
    for (const char *const *entry = start->environment; entry && *entry; entry++)
        putenv((char *)(uintptr_t)*entry); /* The strings live as long as this process. */
    if (!start->body) child_execute(start);
    /* A forked child lives for milliseconds: what it frees is not worth handing back. */
    mallopt(M_TOP_PAD, HEAP_STEP);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    int status = start->body(start->user, messages);
    fflush(NULL);
    _exit(status);
}

void cnf_pool_start(cnf_pool *pool, const cnf_child_start *start)
{
    CHECK(start->timeout_ms > 0 && start->messages_max > 0);
    CHECK(start->body || (start->arguments && (start->messages == 1 || start->messages == 3)));
    CHECK_IMPLIES(start->has_log, !start->body && start->messages == CNF_CHILD_MESSAGES);
    pool_child *child = rt_vector_push(&pool->children);
    *child =
        (pool_child){.messages = -1, .output = -1, .log = -1, .messages_max = start->messages_max};
    child->result.tag = start->tag;
    child->result.memory_bytes = LIMITS_MEMORY ? start->memory_bytes : 0;
    child->begin_ms = now_ms();
    child->deadline_ms = child->begin_ms + start->timeout_ms;

    fflush(NULL); /* What is buffered here must not be written a second time by a child. */
    start_files files;
    pid_t parent = getpid();
    pid_t pid = files_open(&files, start) && start->error == 0 ? fork() : -1;
    if (pid == 0) child_main(start, &files, parent);
    if (pid < 0) {
        child->result.end = CNF_CHILD_NOT_STARTED;
        child->result.code = start->error != 0 ? start->error : errno;
        child->ended = true;
    } else {
        setpgid(pid, pid); /* Here too: whoever comes first, the group exists before a kill. */
        child->pid = pid;
        child->messages = files.messages[0];
        child->output = files.output[0];
        child->log = files.log;
        files.log = -1;
        files.messages[0] = files.output[0] = -1;
    }
    files_close(&files);
}

/* ---- Collecting ---------------------------------------------------------------------------- */

static void child_kill(pool_child *child, cnf_child_end why)
{
    CHECK(child->pid > 0);
    if (child->killed) return;
    child->killed = true;
    child->result.end = why;
    child->deadline_ms = now_ms() + KILL_GRACE_MS;
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
}

/* Keeps the last OUTPUT_KEPT bytes; lets the buffer grow to twice that between moves. */
static void output_append(rt_buffer *output, const char *data, size_t size)
{
    rt_buffer_append(output, data, size);
    if (output->size <= 2 * OUTPUT_KEPT) return;
    memmove(output->data, output->data + output->size - OUTPUT_KEPT, OUTPUT_KEPT);
    output->size = OUTPUT_KEPT;
    output->data[OUTPUT_KEPT] = '\0';
}

static void messages_append(pool_child *child, const char *data, size_t size)
{
    rt_buffer *messages = &child->result.messages;
    CHECK(messages->size <= child->messages_max);
    size_t room = child->messages_max - messages->size;
    rt_buffer_append(messages, data, size < room ? size : room);
    if (size <= room) return;
    if (child->pid > 0) child_kill(child, CNF_CHILD_FLOODED);
    close_one(&child->messages);
}

/* Reads what a pipe holds, at most `reads` portions; closes it at its end. */
static void pipe_drain(pool_child *child, bool is_output, uint32_t reads)
{
    int *pipe_end = is_output ? &child->output : &child->messages;
    char data[READ_SIZE];
    for (uint32_t i = 0; i < reads && *pipe_end >= 0; i++) {
        ssize_t size = read(*pipe_end, data, sizeof data);
        if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (size <= 0) {
            close_one(pipe_end);
        } else if (is_output) {
            output_append(&child->result.output, data, (size_t)size);
        } else {
            messages_append(child, data, (size_t)size);
        }
    }
}

/* Keeps the end of the log.  What cannot be read any more is left out: it is only for people. */
static void log_keep(pool_child *child)
{
    if (child->log < 0) return;
    off_t size = lseek(child->log, 0, SEEK_END);
    child->result.log_is_tail = size > CNF_CHILD_LOG_KEPT;
    off_t at = child->result.log_is_tail ? size - CNF_CHILD_LOG_KEPT : 0;
    char data[4096];
    while (at < size) {
        ssize_t done = pread(child->log, data, sizeof data, at);
        if (done <= 0) break;
        rt_buffer_append(&child->result.log, data, (size_t)done);
        at += done;
    }
    close_one(&child->log);
}

/* The child is dead or given up: takes what its pipes still hold and closes them.  A process that
 * it left may hold the other ends, so the pipes' end is not waited for. */
static void child_finish(pool_child *child)
{
    CHECK(!child->ended && child->pid == 0);
    enum { PORTIONS_MAX = 1 << 16 };
    pipe_drain(child, false, PORTIONS_MAX);
    pipe_drain(child, true, PORTIONS_MAX);
    close_one(&child->messages);
    close_one(&child->output);
    log_keep(child);
    rt_buffer *output = &child->result.output;
    if (output->size > OUTPUT_KEPT) {
        memmove(output->data, output->data + output->size - OUTPUT_KEPT, OUTPUT_KEPT + 1);
        output->size = OUTPUT_KEPT;
    }
    child->result.seconds = (now_ms() - child->begin_ms) / 1e3;
    child->ended = true;
}

static void child_reap(cnf_pool *pool, pool_child *child, const siginfo_t *how)
{
    CHECK(child->pid > 0 && how->si_pid == child->pid);
    kill(-child->pid, SIGKILL);
    struct rusage usage = {0};
    wait4(child->pid, NULL, 0, &usage);
    child->pid = 0;
    child->result.resident_bytes = (uint64_t)usage.ru_maxrss * 1024;
    if (!child->killed) {
        child->result.end = how->si_code == CLD_EXITED ? CNF_CHILD_EXITED : CNF_CHILD_SIGNALED;
        child->result.code = how->si_status;
    }
    pool_kill_orphans(pool);
    child_finish(child);
}

static void pool_reap(cnf_pool *pool)
{
    for (uint32_t i = 0; i < pool->children.count; i++) {
        pool_child *child = &pool->children.items[i];
        if (child->pid == 0) continue;
        siginfo_t how = {0};
        int failed = waitid(P_PID, (id_t)child->pid, &how, WEXITED | WNOHANG | WNOWAIT);
        if (failed == 0 && how.si_pid == child->pid) child_reap(pool, child, &how);
    }
}

static void pool_deadlines(cnf_pool *pool)
{
    double now = now_ms();
    for (uint32_t i = 0; i < pool->children.count; i++) {
        pool_child *child = &pool->children.items[i];
        if (child->pid == 0 || now < child->deadline_ms) continue;
        if (!child->killed) {
            child_kill(child, CNF_CHILD_TIMED_OUT);
        } else {
            child->pid = 0; /* It sits in the kernel where no signal reaches it. */
            child_finish(child);
        }
    }
}

/* A small scenario is over before its messages fill a pipe, and they are all read at its end. Being
 * woken for each would cost more than the scenario. */
static bool child_is_young(const pool_child *child, double now)
{
    return child->pid > 0 && now < child->begin_ms + QUIET_MS;
}

/* How long nothing needs to be done unless something happens. */
static int pool_wait_ms(const cnf_pool *pool, double now)
{
    double first = -1;
    for (uint32_t i = 0; i < pool->children.count; i++) {
        const pool_child *child = &pool->children.items[i];
        if (child->pid == 0) continue;
        double next = child->deadline_ms;
        if (child_is_young(child, now) && child->begin_ms + QUIET_MS < next)
            next = child->begin_ms + QUIET_MS;
        if (first < 0 || next < first) first = next;
    }
    if (first < 0) return 0;
    double left = first - now;
    /* Rounded up: waking before the deadline would spin. */
    return left <= 0 ? 0 : left > 1e9 ? 1000000000 : (int)left + 1;
}

/* Polls once and reads everything that is ready. */
static void pool_poll(cnf_pool *pool)
{
    double now = now_ms();
    pool->polled.count = 0;
    *rt_vector_push(&pool->polled) = (struct pollfd){.fd = pool->signals, .events = POLLIN};
    for (uint32_t i = 0; i < pool->children.count; i++) {
        const pool_child *child = &pool->children.items[i];
        bool looks = !child_is_young(child, now);
        *rt_vector_push(&pool->polled) =
            (struct pollfd){.fd = looks ? child->messages : -1, .events = POLLIN};
        *rt_vector_push(&pool->polled) =
            (struct pollfd){.fd = looks ? child->output : -1, .events = POLLIN};
    }
    int ready = poll(pool->polled.items, pool->polled.count, pool_wait_ms(pool, now));
    CHECK(ready >= 0 || errno == EINTR || errno == ENOMEM);
    if (ready <= 0) return;
    for (uint32_t i = 0; i < pool->children.count; i++) {
        enum { PORTIONS = 16 };
        const struct pollfd *ends = &pool->polled.items[1 + 2 * i];
        if (ends[0].revents) pipe_drain(&pool->children.items[i], false, PORTIONS);
        if (ends[1].revents) pipe_drain(&pool->children.items[i], true, PORTIONS);
    }
    if (pool->polled.items[0].revents) pool_signals_read(pool);
}

/* Hands out the first child that has ended, in the order of starting. */
static bool pool_take(cnf_pool *pool, cnf_child_result *out_result)
{
    for (uint32_t i = 0; i < pool->children.count; i++) {
        if (!pool->children.items[i].ended) continue;
        *out_result = pool->children.items[i].result;
        pool->children.count--;
        memmove(&pool->children.items[i], &pool->children.items[i + 1],
                (pool->children.count - i) * sizeof *pool->children.items);
        return true;
    }
    return false;
}

cnf_pool_event cnf_pool_wait(cnf_pool *pool, cnf_child_result *out_result)
{
    CHECK(pool->children.count > 0);
    *out_result = (cnf_child_result){0};
    for (;;) {
        if (pool->interrupted) {
            pool->interrupted = false;
            return CNF_POOL_INTERRUPTED;
        }
        if (pool_take(pool, out_result)) return CNF_POOL_ENDED;
        pool_poll(pool);
        pool_reap(pool);
        pool_deadlines(pool);
    }
}
