/* The children of the runner: starting them, enforcing time limits, collecting their results and
 * cleaning up after them, in one poll loop.
 *
 * This file does not know what a child is for: messages are bytes. A dead child is examined while
 * it is still a zombie (WNOWAIT), so that its process group id cannot have been reused when the
 * group is killed. Linux: signalfd(2), memfd_create(2). */
#include "conformance/process/child.h"

#include "conformance/process/orphans.h"
#include "conformance/process/service.h"
#include "reference/base/vector.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    OUTPUT_SIZE_MAX = 8192, /* bytes of stdout and stderr that a result shows */
    READ_SIZE = 65536,      /* bytes per read from a pipe */
    ARGUMENTS_MAX = 48,
    PORTIONS_MAX = 1 << 16, /* reads from a pipe whose writer is done */
    POLLED = 3              /* descriptors of each child that are polled */
};

static const double QUIET_MS = 4;         /* grace period before polling a new child's pipes */
static const double KILL_GRACE_MS = 5000; /* for a killed child to die before it is abandoned */
static const double NEVER_MS = 1e15;      /* time limit of a child that waits for a request */

typedef struct pool_child {
    pid_t pid;            /* 0: never started, or reaped */
    int messages, output; /* read ends; -1 once closed */
    int log;              /* -1: none */
    int service;          /* the socket of a child that serves; -1: none, or dismissed */
    uint32_t number;
    bool busy;     /* it has a request, or serves only one: it counts */
    bool answered; /* `answer` is the result of its last request */
    bool killed;   /* by the pool; result.end says why */
    bool ended;    /* the result is complete */
    double begin_ms, deadline_ms;
    size_t messages_max;
    uint64_t child_tag;
    cnf_child_result result, answer;
} pool_child;

struct cnf_pool {
    int signals; /* signalfd */
    bool interrupted;
    uint32_t started; /* children so far, which are numbered from 1 */
    sigset_t mask_before;
    RT_VECTOR(pool_child) children;
    RT_VECTOR(struct pollfd) polled;
    cnf_process_list foreign; /* children that the process had before the pool was created */
    cnf_process_list known;   /* scratch memory of pool_kill_orphans */
};

const char *cnf_child_advice(int code)
{
    switch (code) {
    case EMFILE: return "; allow more open files (ulimit -n), or run fewer at once (-j)";
    case ENFILE: return "; the system has too many open files; run fewer at once (-j)";
    case EAGAIN: return "; allow more processes (ulimit -u), or run fewer at once (-j)";
    case ENOMEM: return "; the system has no memory left; run fewer at once (-j)";
    default: return "";
    }
}

void cnf_child_result_free(cnf_child_result *result)
{
    rt_buffer_free(&result->messages);
    rt_buffer_free(&result->output);
    rt_buffer_free(&result->log);
}

/* Checks the invariants of the children between two events. */
static bool pool_check(const cnf_pool *pool)
{
    CHECK(pool->signals >= 0);
    for (uint32_t i = 0; i < pool->children.count; i++) {
        const pool_child *child = &pool->children.items[i];
        CHECK(child->pid >= 0 && child->ended == (child->pid == 0));
        CHECK_IMPLIES(child->ended, child->messages < 0 && child->output < 0 && child->log < 0);
        CHECK_IMPLIES(child->service >= 0, child->pid > 0);
        CHECK(child->number > 0 && child->number <= pool->started);
        CHECK_IMPLIES(child->answered, !child->busy);
        CHECK_IMPLIES(child->killed, child->result.end == CNF_PROCESS_TIMED_OUT ||
                                         child->result.end == CNF_PROCESS_OVERFLOWED);
        CHECK(child->result.messages.size <= child->messages_max);
        CHECK(child->begin_ms < child->deadline_ms);
        for (uint32_t earlier = 0; earlier < i; earlier++)
            CHECK(child->pid == 0 || pool->children.items[earlier].pid != child->pid);
    }
    return true;
}

/* ---- The pool ------------------------------------------------------------------------------ */

cnf_pool *cnf_pool_create(void)
{
    sigset_t mask, before;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGINT);
    sigaddset(&mask, SIGTERM);
    if (sigprocmask(SIG_BLOCK, &mask, &before) != 0) return NULL;
    int signals = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
    if (signals < 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        return NULL;
    }
    /* This process may have inherited an ignored SIGCHLD, with which waiting for children fails. */
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
    uint32_t count = 0;
    for (uint32_t i = 0; i < pool->children.count; i++)
        count += pool->children.items[i].busy || pool->children.items[i].answered;
    return count;
}

bool cnf_pool_has_children(const cnf_pool *pool)
{
    return pool->children.count > 0;
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
        cnf_process_close(&child->messages);
        cnf_process_close(&child->output);
        cnf_process_close(&child->log);
        cnf_process_close(&child->service);
        cnf_child_result_free(&child->result);
        cnf_child_result_free(&child->answer);
    }
    pool_kill_orphans(pool); /* no child is known any more, so all are reaped */
    pool_signals_read(pool); /* a second Ctrl-C must not kill us below */
    cnf_process_close(&pool->signals);
    sigprocmask(SIG_SETMASK, &pool->mask_before, NULL);
    rt_vector_free(&pool->children);
    rt_vector_free(&pool->polled);
    rt_vector_free(&pool->foreign);
    rt_vector_free(&pool->known);
    rt_free(pool);
}

/* ---- Starting ------------------------------------------------------------------------------ */

/* Both ends of the pipes, the input, the log and the end of the socket of a child being started;
 * -1: not open. The input of a child that serves is its end of the socket. */
typedef struct start_files {
    int messages[2], output[2], input, log, service;
} start_files;

static void files_close(start_files *files)
{
    for (int end = 0; end < 2; end++) {
        cnf_process_close(&files->messages[end]);
        cnf_process_close(&files->output[end]);
    }
    cnf_process_close(&files->input);
    cnf_process_close(&files->log);
    cnf_process_close(&files->service);
}

/* Returns 0 or an errno. In both cases the caller closes the files that could be opened. */
static int files_open(start_files *files, const cnf_child_start *start)
{
    *files = (start_files){{-1, -1}, {-1, -1}, -1, -1, -1};
    bool opened = pipe2(files->messages, O_CLOEXEC) == 0 && pipe2(files->output, O_CLOEXEC) == 0 &&
                  fcntl(files->messages[0], F_SETFL, O_NONBLOCK) == 0 &&
                  fcntl(files->output[0], F_SETFL, O_NONBLOCK) == 0;
    if (opened && start->has_log) {
        files->log = memfd_create("assay-log", MFD_CLOEXEC);
        opened = files->log >= 0;
    }
    if (opened && start->serves) return cnf_service_create(&files->service, &files->input);
    if (opened && !start->body) {
        files->input = cnf_start_input(start->input);
        opened = files->input >= 0;
    }
    return opened ? 0 : errno;
}

static int forked_main(void *user)
{
    const cnf_child_start *start = user;
    return start->body(start->user, CNF_CHILD_MESSAGES);
}

static int child_start(const cnf_child_start *start, const start_files *files, pid_t *out_pid)
{
    const char *arguments[ARGUMENTS_MAX] = {start->program ? start->program : "assay"};
    for (int count = 1; start->arguments && start->arguments[count - 1]; count++) {
        CHECK(count < ARGUMENTS_MAX - 1);
        arguments[count] = start->arguments[count - 1];
    }
    bool on_output = !start->body && start->messages == STDOUT_FILENO;
    int descriptors[] = {files->input, on_output ? files->messages[1] : files->output[1],
                         files->output[1], files->messages[1], files->log};
    _Static_assert(CNF_CHILD_MESSAGES == 3 && CNF_CHILD_LOG == 4, "the positions in the list");
    rt_arena arena = {0};
    cnf_start process = {
        .descriptors = descriptors,
        .descriptor_count = on_output        ? 3
                            : files->log < 0 ? 4
                                             : 5,
        .memory_bytes = start->memory_bytes,
    };
    if (start->body) {
        process.body = forked_main;
        process.user = (void *)(uintptr_t)start;
    } else {
        process.program = start->program ? start->program : CNF_THIS_PROGRAM;
        process.arguments = arguments;
        process.environment = cnf_start_environment(&arena, start->environment);
    }
    int error = cnf_start_process(&process, out_pid);
    rt_arena_reset(&arena);
    return error;
}

/* Sends a request to a child that serves. Returns 0 or an errno. */
static int request_send(pool_child *child, const cnf_child_start *start)
{
    CHECK(child->service >= 0 && child->log >= 0);
    int input = cnf_start_input(start->input);
    if (input < 0) return errno;
    int error = cnf_service_send(child->service, input, child->log, start->is_last);
    cnf_process_close(&input);
    return error;
}

/* Begins what a child, or a request to it, has in common. */
static void child_begin(pool_child *child, const cnf_child_start *start)
{
    child->busy = true;
    child->messages_max = start->messages_max;
    child->result.tag = start->tag;
    child->result.memory_bytes = cnf_start_limits_memory ? start->memory_bytes : 0;
    child->begin_ms = cnf_process_now_ms();
    child->deadline_ms = child->begin_ms + start->timeout_ms;
}

uint32_t cnf_pool_start(cnf_pool *pool, const cnf_child_start *start)
{
    CHECK(start->timeout_ms > 0 && start->messages_max > 0);
    CHECK(start->body || (start->arguments && (start->messages == 1 || start->messages == 3)));
    CHECK_IMPLIES(start->has_log, !start->body && start->messages == CNF_CHILD_MESSAGES);
    CHECK_IMPLIES(start->serves, start->has_log);
    CHECK_IMPLIES(start->body, !start->environment);
    pool_child *child = rt_vector_push(&pool->children);
    *child = (pool_child){.messages = -1,
                          .output = -1,
                          .log = -1,
                          .service = -1,
                          .number = ++pool->started,
                          .child_tag = start->child_tag};
    child_begin(child, start);

    start_files files;
    int error = files_open(&files, start);
    if (start->error != 0) error = start->error;
    if (error == 0) error = child_start(start, &files, &child->pid);
    if (error == 0) {
        child->messages = files.messages[0];
        child->output = files.output[0];
        child->log = files.log;
        child->service = files.service;
        files.log = files.messages[0] = files.output[0] = files.service = -1;
        /* A child that does not get its request ends without a message, and is judged by that. */
        if (start->serves && request_send(child, start) != 0) cnf_process_close(&child->service);
    } else {
        child->result.end = CNF_PROCESS_NOT_STARTED;
        child->result.code = error;
        child->ended = true;
    }
    files_close(&files);
    CHECK(child->ended == (child->pid == 0));
    return child->number;
}

/* ---- Collecting ---------------------------------------------------------------------------- */

static void child_kill(pool_child *child, cnf_process_end why)
{
    CHECK(child->pid > 0);
    if (child->killed) return;
    child->killed = true;
    child->result.end = why;
    child->deadline_ms = cnf_process_now_ms() + KILL_GRACE_MS;
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
}

/* Keeps the last OUTPUT_SIZE_MAX bytes. */
static void output_cut(rt_buffer *output)
{
    if (output->size <= OUTPUT_SIZE_MAX) return;
    memmove(output->data, output->data + output->size - OUTPUT_SIZE_MAX, OUTPUT_SIZE_MAX + 1);
    output->size = OUTPUT_SIZE_MAX;
}

/* Reads from a pipe with at most `reads` reads; closes it at end of file. */
static void pipe_drain(pool_child *child, bool is_output, uint32_t reads)
{
    int *pipe_end = is_output ? &child->output : &child->messages;
    rt_buffer *output = &child->result.output, *messages = &child->result.messages;
    char data[READ_SIZE];
    for (uint32_t i = 0; i < reads && *pipe_end >= 0; i++) {
        size_t size = cnf_process_read(pipe_end, data, sizeof data);
        if (size == 0) return;
        if (is_output) {
            /* Keeps at least the last OUTPUT_SIZE_MAX bytes; the buffer grows to twice that size
             * between moves. */
            rt_buffer_append(output, data, size);
            if (output->size > 2 * OUTPUT_SIZE_MAX) output_cut(output);
            continue;
        }
        CHECK(messages->size <= child->messages_max);
        size_t room = child->messages_max - messages->size;
        rt_buffer_append(messages, data, size < room ? size : room);
        if (size <= room) continue;
        if (child->pid > 0) child_kill(child, CNF_PROCESS_OVERFLOWED);
        cnf_process_close(&child->messages);
    }
}

/* Moves the end of the log to the result. Parts that can no longer be read are dropped: the log is
 * only for people. */
static void log_take(pool_child *child)
{
    off_t size = child->log < 0 ? 0 : lseek(child->log, 0, SEEK_END);
    child->result.log_is_tail = size > CNF_CHILD_LOG_MAX;
    off_t at = child->result.log_is_tail ? size - CNF_CHILD_LOG_MAX : 0;
    char data[4096];
    while (at < size) {
        ssize_t done = pread(child->log, data, sizeof data, at);
        if (done <= 0) break;
        rt_buffer_append(&child->result.log, data, (size_t)done);
        at += done;
    }
    cnf_process_close(&child->log);
}

/* Completes the result of a request that its child has answered: everything that belongs to it is
 * in the pipes. The child waits for the next one, and what it does until then belongs to no
 * request. */
static void child_answer(pool_child *child)
{
    CHECK(child->busy && !child->answered && !child->ended);
    pipe_drain(child, false, PORTIONS_MAX);
    pipe_drain(child, true, PORTIONS_MAX);
    if (child->killed) return; /* for the messages of this request; its end is the result */
    output_cut(&child->result.output);
    log_take(child);
    child->result.seconds = (cnf_process_now_ms() - child->begin_ms) / 1e3;
    child->result.child = child->number;
    child->answer = child->result;
    child->result =
        (cnf_child_result){.tag = child->child_tag, .memory_bytes = child->result.memory_bytes};
    child->busy = false;
    child->answered = true;
    child->deadline_ms = child->begin_ms + NEVER_MS;
}

/* Completes the result of a child that is dead or abandoned: reads the rest of its pipes and closes
 * them. Does not wait for end of file, because a process that the child left behind may hold the
 * other ends. */
static void child_finish(pool_child *child)
{
    CHECK(!child->ended && child->pid == 0);
    pipe_drain(child, false, PORTIONS_MAX);
    pipe_drain(child, true, PORTIONS_MAX);
    output_cut(&child->result.output);
    log_take(child);
    cnf_process_close(&child->messages);
    cnf_process_close(&child->output);
    cnf_process_close(&child->service);
    child->result.seconds = (cnf_process_now_ms() - child->begin_ms) / 1e3;
    child->ended = true;
}

/* ---- Requests ------------------------------------------------------------------------------ */

/* Finds a child that waits for a request; NULL if it has ended, or was killed, meanwhile. */
static pool_child *waiting_find(cnf_pool *pool, uint32_t number)
{
    for (uint32_t i = 0; i < pool->children.count; i++) {
        pool_child *child = &pool->children.items[i];
        if (child->number != number) continue;
        CHECK(!child->busy && !child->answered);
        return child->service >= 0 && !child->ended && !child->killed ? child : NULL;
    }
    return NULL;
}

/* Drops what a child that waits for a request has written since its answer: it belongs to no
 * request. Returns false if it was so much that the child was killed. */
static bool between_drop(pool_child *child)
{
    pipe_drain(child, false, PORTIONS_MAX);
    pipe_drain(child, true, PORTIONS_MAX);
    if (child->killed) return false;
    rt_buffer_free(&child->result.messages);
    rt_buffer_free(&child->result.output);
    return true;
}

bool cnf_pool_request(cnf_pool *pool, uint32_t number, const cnf_child_start *start)
{
    CHECK(start->serves && start->timeout_ms > 0 && start->messages_max > 0);
    pool_child *child = waiting_find(pool, number);
    if (!child || !between_drop(child)) return false;
    child->log = memfd_create("assay-log", MFD_CLOEXEC);
    int error = child->log < 0 ? errno : request_send(child, start);
    if (error == 0) {
        child_begin(child, start);
        return true;
    }
    cnf_process_close(&child->log);
    cnf_pool_dismiss(pool, number, start->timeout_ms);
    return false;
}

void cnf_pool_dismiss(cnf_pool *pool, uint32_t number, uint32_t timeout_ms)
{
    pool_child *child = waiting_find(pool, number);
    if (!child) return;
    cnf_process_close(&child->service);
    child->deadline_ms = cnf_process_now_ms() + timeout_ms;
}

/* ---- Waiting ------------------------------------------------------------------------------- */

static void pool_reap(cnf_pool *pool)
{
    for (uint32_t i = 0; i < pool->children.count; i++) {
        pool_child *child = &pool->children.items[i];
        if (child->pid == 0) continue;
        siginfo_t ending = {0};
        int failed = waitid(P_PID, (id_t)child->pid, &ending, WEXITED | WNOHANG | WNOWAIT);
        if (failed != 0 || ending.si_pid != child->pid) continue;
        kill(-child->pid, SIGKILL);
        struct rusage usage = {0};
        wait4(child->pid, NULL, 0, &usage);
        child->pid = 0;
        child->result.resident_bytes = (uint64_t)usage.ru_maxrss * 1024;
        if (!child->killed) {
            bool exited = ending.si_code == CLD_EXITED;
            child->result.end = exited ? CNF_PROCESS_EXITED : CNF_PROCESS_SIGNALLED;
            child->result.code = ending.si_status;
        }
        pool_kill_orphans(pool);
        child_finish(child);
    }
}

static void pool_deadlines(cnf_pool *pool)
{
    double now = cnf_process_now_ms();
    for (uint32_t i = 0; i < pool->children.count; i++) {
        pool_child *child = &pool->children.items[i];
        if (child->pid == 0 || now < child->deadline_ms) continue;
        if (!child->killed) {
            child_kill(child, CNF_PROCESS_TIMED_OUT);
        } else {
            child->pid = 0; /* It is blocked in the kernel, where no signal reaches it. */
            child_finish(child);
        }
    }
}

/* A small scenario ends before its messages fill a pipe, so they are all read when it has ended.
 * Waking up for each message would cost more than running the scenario. */
static bool child_is_young(const pool_child *child, double now)
{
    return child->pid > 0 && now < child->begin_ms + QUIET_MS;
}

/* The milliseconds until the next deadline of any child. */
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
    double remaining = first - now;
    /* Rounded up: waking before the deadline would busy-wait. */
    return remaining <= 0 ? 0 : remaining > 1e9 ? 1000000000 : (int)remaining + 1;
}

/* Polls once and reads everything that is ready. */
static void pool_poll(cnf_pool *pool)
{
    double now = cnf_process_now_ms();
    pool->polled.count = 0;
    *rt_vector_push(&pool->polled) = (struct pollfd){.fd = pool->signals, .events = POLLIN};
    for (uint32_t i = 0; i < pool->children.count; i++) {
        const pool_child *child = &pool->children.items[i];
        bool looks = !child_is_young(child, now);
        const int descriptors[POLLED] = {looks ? child->messages : -1, looks ? child->output : -1,
                                         child->busy && !child->killed ? child->service : -1};
        for (int k = 0; k < POLLED; k++)
            *rt_vector_push(&pool->polled) =
                (struct pollfd){.fd = descriptors[k], .events = POLLIN};
    }
    int ready = poll(pool->polled.items, pool->polled.count, pool_wait_ms(pool, now));
    CHECK(ready >= 0 || errno == EINTR || errno == ENOMEM);
    if (ready <= 0) return;
    for (uint32_t i = 0; i < pool->children.count; i++) {
        enum { PORTIONS = 16 };
        pool_child *child = &pool->children.items[i];
        const struct pollfd *ends = &pool->polled.items[1 + POLLED * i];
        if (ends[0].revents) pipe_drain(child, false, PORTIONS);
        if (ends[1].revents) pipe_drain(child, true, PORTIONS);
        if (ends[2].revents == 0 || child->killed) continue;
        if (cnf_service_is_ready(child->service))
            child_answer(child);
        else
            cnf_process_close(&child->service); /* its end is near */
    }
    if (pool->polled.items[0].revents) pool_signals_read(pool);
}

/* Takes the first result, in the order in which the children were started. The answer of a child
 * precedes its end. */
static bool result_take(cnf_pool *pool, cnf_child_result *out_result)
{
    uint32_t first = 0;
    while (first < pool->children.count && !pool->children.items[first].ended &&
           !pool->children.items[first].answered)
        first++;
    if (first == pool->children.count) return false;
    pool_child *child = &pool->children.items[first];
    if (child->answered) {
        *out_result = child->answer;
        child->answer = (cnf_child_result){0};
        child->answered = false;
        return true;
    }
    *out_result = child->result;
    pool->children.count--;
    memmove(child, child + 1, (pool->children.count - first) * sizeof *child);
    return true;
}

cnf_pool_event cnf_pool_wait(cnf_pool *pool, cnf_child_result *out_result)
{
    CHECK(pool->children.count > 0);
    *out_result = (cnf_child_result){0};
    for (;;) {
        CHECK_SLOW(pool_check(pool));
        if (pool->interrupted) {
            pool->interrupted = false;
            return CNF_POOL_INTERRUPTED;
        }
        if (result_take(pool, out_result)) return CNF_POOL_ENDED;
        pool_poll(pool);
        pool_reap(pool);
        pool_deadlines(pool);
    }
}
