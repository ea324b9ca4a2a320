/* Tests the pool with children that behave as badly as they can. */
#include "conformance/process/child.h"
#include "conformance/process/orphans.h"
#include "conformance/process/server.h"
#include "conformance/process/service.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { LIMIT_MS = 20000, SHORT_LIMIT_MS = 300, MESSAGES_MAX = 1 << 20 };

static void say(int messages, const char *text)
{
    ssize_t written = write(messages, text, strlen(text));
    if (written < 0) _exit(99);
}

static void pause_ms(long milliseconds)
{
    const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

/* Starts one forked child in its own pool and returns its result. */
static cnf_child_result run_child(cnf_child_body *body, void *user, uint32_t timeout_ms,
                                  size_t messages_max)
{
    cnf_pool *pool = cnf_pool_create();
    assert_non_null(pool);
    const cnf_child_start start = {.body = body,
                                   .user = user,
                                   .timeout_ms = timeout_ms,
                                   .messages_max = messages_max,
                                   .tag = 7};
    cnf_pool_start(pool, &start);
    assert_int_equal(cnf_pool_count(pool), 1);
    cnf_child_result result;
    assert_int_equal(cnf_pool_wait(pool, &result), CNF_POOL_ENDED);
    assert_int_equal(cnf_pool_count(pool), 0);
    assert_int_equal(result.tag, 7);
    cnf_pool_destroy(pool);
    return result;
}

static void assert_messages(cnf_child_result *result, const char *expected)
{
    assert_string_equal(rt_buffer_string(&result->messages), expected);
    cnf_child_result_free(result);
}

/* ---- Ends ---------------------------------------------------------------------------------- */

static int body_well(void *user, int messages)
{
    (void)user;
    say(messages, "one\ntwo\n");
    printf("on stdout");
    fprintf(stderr, " and stderr");
    return 5;
}

static void an_end_by_exit_is_told(void **state)
{
    (void)state;
    cnf_child_result result = run_child(body_well, NULL, LIMIT_MS, MESSAGES_MAX);
    assert_int_equal(result.end, CNF_PROCESS_EXITED);
    assert_int_equal(result.code, 5);
    assert_non_null(strstr(rt_buffer_string(&result.output), "on stdout"));
    assert_non_null(strstr(rt_buffer_string(&result.output), "and stderr"));
    assert_messages(&result, "one\ntwo\n");
}

static int body_crash(void *user, int messages)
{
    say(messages, "half a li");
    signal(SIGSEGV, SIG_DFL);
    raise(*(int *)user);
    return 0;
}

static void a_crash_keeps_the_messages_before_it(void **state)
{
    (void)state;
    int signals[] = {SIGSEGV, SIGABRT, SIGKILL};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        cnf_child_result result = run_child(body_crash, &signals[i], LIMIT_MS, MESSAGES_MAX);
        assert_int_equal(result.end, CNF_PROCESS_SIGNALLED);
        assert_int_equal(result.code, signals[i]);
        assert_messages(&result, "half a li");
    }
}

static int body_hang(void *user, int messages)
{
    (void)user;
    signal(SIGTERM, SIG_IGN);
    say(messages, "here\n");
    while (getpid() > 0) /* until it is killed */
        pause();
    return 0;
}

static void a_hang_ends_at_its_limit(void **state)
{
    (void)state;
    cnf_child_result result = run_child(body_hang, NULL, SHORT_LIMIT_MS, MESSAGES_MAX);
    assert_int_equal(result.end, CNF_PROCESS_TIMED_OUT);
    assert_true(result.seconds >= (double)SHORT_LIMIT_MS / 1e3 && result.seconds < 10);
    assert_messages(&result, "here\n");
}

/* A stopped child has not ended. */
static int body_stops(void *user, int messages)
{
    (void)user;
    say(messages, "here\n");
    raise(SIGSTOP);
    say(messages, "again\n");
    return 0;
}

static void a_child_that_stops_ends_at_its_limit(void **state)
{
    (void)state;
    cnf_child_result result = run_child(body_stops, NULL, SHORT_LIMIT_MS, MESSAGES_MAX);
    assert_int_equal(result.end, CNF_PROCESS_TIMED_OUT);
    assert_messages(&result, "here\n");
}

static int body_babbles(void *user, int messages)
{
    (void)user;
    say(messages, "here\n");
    while (getpid() > 0)
        say(1, "a driver that never stops talking\n");
    return 0;
}

/* Output is truncated rather than limited: a child that never stops writing fails only because it
 * never ends. */
static void babble_ends_at_its_limit(void **state)
{
    (void)state;
    cnf_child_result result = run_child(body_babbles, NULL, SHORT_LIMIT_MS, MESSAGES_MAX);
    assert_int_equal(result.end, CNF_PROCESS_TIMED_OUT);
    assert_int_equal(result.output.size, 8192);
    assert_messages(&result, "here\n");
}

#ifndef RT_ARENA_BLOCKS /* AddressSanitizer's shadow leaves no room for a limit */
enum { MEMORY_LIMIT = 64 << 20 };

/* Allocates memory until the allocator fails, and then tries a mapping. */
static int body_eats(void *user, int messages)
{
    (void)user;
    size_t size = 0;
    for (; size < (size_t)16 * MEMORY_LIMIT; size += 1 << 20) {
        char *block = malloc(1 << 20);
        if (!block) break;
        memset(block, 1, 1 << 20);
        /* An optimiser may drop an allocation that is never used. */
        __asm__ volatile("" : : "r"(block) : "memory");
    }
    void *mapped =
        mmap(NULL, MEMORY_LIMIT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* Address space that is never written to is not limited: vendors' libraries reserve a lot. */
    void *reserved = mmap(NULL, (size_t)64 * MEMORY_LIMIT, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (size > MEMORY_LIMIT || mapped != MAP_FAILED) return 1;
    say(messages, reserved == MAP_FAILED ? "unreserved" : "refused");
    return 0;
}

static void memory_is_limited(void **state)
{
    (void)state;
    cnf_pool *pool = cnf_pool_create();
    const cnf_child_start start = {.body = body_eats,
                                   .timeout_ms = LIMIT_MS,
                                   .memory_bytes = MEMORY_LIMIT,
                                   .messages_max = MESSAGES_MAX};
    cnf_pool_start(pool, &start);
    cnf_child_result result;
    assert_int_equal(cnf_pool_wait(pool, &result), CNF_POOL_ENDED);
    assert_int_equal(result.end, CNF_PROCESS_EXITED);
    assert_int_equal(result.code, 0);
    assert_int_equal(result.memory_bytes, MEMORY_LIMIT);
    assert_true(result.resident_bytes > MEMORY_LIMIT / 2);
    assert_true(result.resident_bytes < 2 * (uint64_t)MEMORY_LIMIT);
    assert_messages(&result, "refused");
    cnf_pool_destroy(pool);
}
#endif

static int body_flood(void *user, int messages)
{
    (void)user;
    while (getpid() > 0)
        say(messages, "again and again and again\n");
    return 0;
}

static void a_flood_is_cut(void **state)
{
    (void)state;
    cnf_child_result result = run_child(body_flood, NULL, LIMIT_MS, MESSAGES_MAX);
    assert_int_equal(result.end, CNF_PROCESS_OVERFLOWED);
    assert_int_equal(result.messages.size, MESSAGES_MAX);
    cnf_child_result_free(&result);
}

/* Writes more than a pipe holds, and more than the result keeps. */
static int body_talks(void *user, int messages)
{
    (void)user;
    for (int i = 0; i < 50000; i++)
        printf("line %d\n", i);
    fflush(stdout);
    for (int i = 0; i < 10000; i++)
        say(messages, "0123456789abcdef\n");
    return 0;
}

static void long_output_is_not_a_failure(void **state)
{
    (void)state;
    cnf_child_result result = run_child(body_talks, NULL, LIMIT_MS, MESSAGES_MAX);
    assert_int_equal(result.end, CNF_PROCESS_EXITED);
    assert_int_equal(result.code, 0);
    assert_int_equal(result.messages.size, 170000);
    assert_int_equal(result.output.size, 8192);
    assert_string_equal(rt_buffer_string(&result.output) + 8192 - 11, "line 49999\n");
    cnf_child_result_free(&result);
}

/* A child that closes its descriptors must not make the parent busy-wait or lose track of it. */
static int body_closes(void *user, int messages)
{
    (void)user;
    close(messages);
    close(1);
    close(2);
    pause_ms(200);
    return 3;
}

static void closed_descriptors_do_not_end_the_child(void **state)
{
    (void)state;
    cnf_child_result result = run_child(body_closes, NULL, LIMIT_MS, MESSAGES_MAX);
    assert_int_equal(result.end, CNF_PROCESS_EXITED);
    assert_int_equal(result.code, 3);
    assert_true(result.seconds >= 0.2);
    assert_messages(&result, "");
}

/* ---- What children leave ------------------------------------------------------------------- */

/* How a grandchild tries to escape. */
typedef struct grandchild_note {
    bool new_session, twice;
} grandchild_note;

static int body_grandchild(void *user, int messages)
{
    const grandchild_note *note = user;
    pid_t pid = fork();
    if (pid > 0) {
        if (note->twice) waitpid(pid, NULL, 0);
        say(messages, "leaving\n");
        pause_ms(100); /* the grandchild has its own session by then */
        return 0;
    }
    if (note->new_session) setsid();
    if (note->twice && fork() > 0) _exit(0);
    pid = getpid();
    say(messages, "grandchild\n");
    char text[32];
    snprintf(text, sizeof text, "%d\n", (int)pid);
    say(messages, text);
    while (getpid() > 0) /* until it is killed */
        pause();
    return 0;
}

static void what_a_child_leaves_is_killed(void **state)
{
    (void)state;
    grandchild_note notes[] = {
        {.new_session = false}, {.new_session = true}, {.new_session = true, .twice = true}};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        cnf_child_result result = run_child(body_grandchild, &notes[i], LIMIT_MS, MESSAGES_MAX);
        assert_int_equal(result.end, CNF_PROCESS_EXITED);
        const char *at = strstr(rt_buffer_string(&result.messages), "grandchild\n");
        assert_non_null(at);
        pid_t pid = (pid_t)strtol(strpbrk(at, "0123456789"), NULL, 10);
        assert_true(pid > 1);
        assert_int_equal(kill(pid, 0), -1);
        assert_int_equal(errno, ESRCH);
        cnf_child_result_free(&result);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left, not even a zombie */
    assert_int_equal(errno, ECHILD);
}

/* Every process starts others in new sessions until there are this many generations or all are
 * killed. The bound prevents a failing test from taking down the machine. */
enum { BOMB_GENERATIONS = 7, BOMB_MS = 150 };

static void bomb(uint32_t generation)
{
    for (int i = 0; i < 2 && generation < BOMB_GENERATIONS; i++) {
        if (fork() != 0) continue;
        setsid();
        bomb(generation + 1);
        while (getpid() > 0)
            pause();
    }
}

static int body_bomb(void *user, int messages)
{
    bomb(0);
    pause_ms(BOMB_MS);
    say(messages, "exploded\n");
    while (*(bool *)user)
        pause();
    return 0;
}

/* The number of this process's children, including adopted orphans, from the kernel's list. */
static uint32_t descendants(void)
{
    cnf_process_list children = {0};
    cnf_orphans_list(&children);
    uint32_t count = children.count;
    rt_vector_free(&children);
    return count;
}

static void a_fork_bomb_is_cleared(void **state)
{
    (void)state;
    for (int hangs = 0; hangs < 2; hangs++) {
        bool stays = hangs;
        cnf_child_result result = run_child(body_bomb, &stays, 2 * SHORT_LIMIT_MS, MESSAGES_MAX);
        assert_int_equal(result.end, hangs ? CNF_PROCESS_TIMED_OUT : CNF_PROCESS_EXITED);
        assert_int_equal(descendants(), 0);
        assert_messages(&result, "exploded\n");
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void children_from_before_are_left_alone(void **state)
{
    (void)state;
    pid_t before = fork();
    if (before == 0) {
        pause();
        _exit(0);
    }
    cnf_child_result result = run_child(body_well, NULL, LIMIT_MS, MESSAGES_MAX);
    cnf_child_result_free(&result);
    assert_int_equal(waitpid(before, NULL, WNOHANG), 0);
    kill(before, SIGKILL);
    assert_int_equal(waitpid(before, NULL, 0), before);
}

/* ---- The pool ------------------------------------------------------------------------------ */

static int body_sleeps(void *user, int messages)
{
    pause_ms(*(long *)user);
    say(messages, "awake\n");
    return 0;
}

static void children_run_at_once(void **state)
{
    (void)state;
    enum { CHILDREN = 8 };
    cnf_pool *pool = cnf_pool_create();
    long sleep_ms = 200;
    for (uint64_t i = 0; i < CHILDREN; i++) {
        const cnf_child_start start = {.body = body_sleeps,
                                       .user = &sleep_ms,
                                       .timeout_ms = LIMIT_MS,
                                       .messages_max = MESSAGES_MAX,
                                       .tag = i};
        cnf_pool_start(pool, &start);
    }
    uint64_t seen = 0;
    double slowest = 0;
    for (int i = 0; i < CHILDREN; i++) {
        cnf_child_result result;
        assert_int_equal(cnf_pool_wait(pool, &result), CNF_POOL_ENDED);
        seen |= UINT64_C(1) << result.tag;
        if (result.seconds > slowest) slowest = result.seconds;
        assert_messages(&result, "awake\n");
    }
    assert_int_equal(seen, (1 << CHILDREN) - 1);
    assert_true(slowest < (double)(CHILDREN * sleep_ms) / 1e3);
    cnf_pool_destroy(pool);
}

static void a_signal_interrupts_the_wait(void **state)
{
    (void)state;
    cnf_pool *pool = cnf_pool_create();
    const cnf_child_start start = {
        .body = body_hang, .timeout_ms = LIMIT_MS, .messages_max = MESSAGES_MAX};
    cnf_pool_start(pool, &start);
    raise(SIGTERM);
    cnf_child_result result;
    assert_int_equal(cnf_pool_wait(pool, &result), CNF_POOL_INTERRUPTED);
    assert_int_equal(cnf_pool_count(pool), 1);
    cnf_pool_destroy(pool); /* kills the child */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* A child inherits only its own four descriptors: holding another child's pipe open would hide that
 * child's end. */
static int body_counts_descriptors(void *user, int messages)
{
    (void)user;
    (void)messages;
    int open_count = 0;
    for (int descriptor = 0; descriptor < 64; descriptor++) {
        char path[64], target[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
        open_count += readlink(path, target, sizeof target) >= 0;
    }
    return open_count;
}

static void a_child_inherits_nothing_else(void **state)
{
    (void)state;
    cnf_child_result result = run_child(body_counts_descriptors, NULL, LIMIT_MS, MESSAGES_MAX);
    assert_int_equal(result.code, 4);
    cnf_child_result_free(&result);
}

/* ---- Executed children --------------------------------------------------------------------- */

/* Writes the given number of bytes to the log, the last of which is a z, and kills itself with a
 * signal. */
RT_NORETURN static void log_and_die(const char *count)
{
    for (long i = strtol(count, NULL, 10); i > 0; i--) {
        if (write(CNF_CHILD_LOG, i > 1 ? "a" : "z", 1) != 1) _exit(8);
    }
    raise(SIGKILL);
    _exit(8);
}

/* The program's behaviour when it is executed as "assay echo": writes input and a variable to
 * descriptor 3 or 1; with a third word, also writes that many bytes to the log. */
static int executed_main(int argument_count, char **arguments)
{
    int messages = argument_count > 2 && strcmp(arguments[2], "3") == 0 ? 3 : 1;
    char data[4096];
    ssize_t size;
    while ((size = read(0, data, sizeof data)) > 0) {
        if (write(messages, data, (size_t)size) != size) return 9;
    }
    const char *variable = getenv("ASSAY_TEST_VARIABLE");
    if (variable) say(messages, variable);
    if (argument_count > 3) log_and_die(arguments[3]);
    fprintf(stderr, "executed");
    return 0;
}

static void an_executed_child_gets_its_input(void **state)
{
    (void)state;
    static const char *const environment[] = {"ASSAY_TEST_VARIABLE=set", NULL};
    cnf_pool *pool = cnf_pool_create();
    for (int messages = 1; messages <= 3; messages += 2) {
        const char *arguments[] = {"echo", messages == 3 ? "3" : "1", NULL};
        const cnf_child_start start = {.arguments = arguments,
                                       .environment = environment,
                                       .input = {(const uint8_t *)"in\0put", 6},
                                       .messages = messages,
                                       .timeout_ms = LIMIT_MS,
                                       .messages_max = MESSAGES_MAX};
        cnf_pool_start(pool, &start);
        cnf_child_result result;
        assert_int_equal(cnf_pool_wait(pool, &result), CNF_POOL_ENDED);
        assert_int_equal(result.end, CNF_PROCESS_EXITED);
        assert_int_equal(result.code, 0);
        assert_int_equal(result.messages.size, 9);
        assert_memory_equal(result.messages.data, "in\0putset", 9);
        assert_string_equal(rt_buffer_string(&result.output), "executed");
        cnf_child_result_free(&result);
    }
    cnf_pool_destroy(pool);
    assert_null(getenv("ASSAY_TEST_VARIABLE"));
}

/* A log is the runner's own file: its contents survive however the writer dies; of a long log, only
 * the end is kept. */
static void a_log_outlives_its_writer(void **state)
{
    (void)state;
    static const struct {
        const char *count;
        size_t expected_size;
        bool is_tail;
    } rows[] = {{"0", 0, false},
                {"5", 5, false},
                {"65536", CNF_CHILD_LOG_MAX, false},
                {"65537", CNF_CHILD_LOG_MAX, true}};
    cnf_pool *pool = cnf_pool_create();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *arguments[] = {"echo", "3", rows[i].count, NULL};
        const cnf_child_start start = {.arguments = arguments,
                                       .messages = CNF_CHILD_MESSAGES,
                                       .has_log = true,
                                       .timeout_ms = LIMIT_MS,
                                       .messages_max = MESSAGES_MAX};
        cnf_pool_start(pool, &start);
        cnf_child_result result;
        assert_int_equal(cnf_pool_wait(pool, &result), CNF_POOL_ENDED);
        assert_int_equal(result.end, CNF_PROCESS_SIGNALLED);
        assert_int_equal(result.log.size, rows[i].expected_size);
        assert_int_equal(result.log_is_tail, rows[i].is_tail);
        if (rows[i].expected_size > 0)
            assert_int_equal(result.log.data[rows[i].expected_size - 1], 'z');
        cnf_child_result_free(&result);
    }
    cnf_pool_destroy(pool);
}

/* Serves requests: sends each input back, with the number of the request, and writes it to the log.
 * Some inputs make it misbehave. */
static int serving_main(void)
{
    int input;
    bool is_last = false;
    signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would exit */
    for (int number = 1; !is_last && cnf_service_receive(CNF_SERVICE_SOCKET, &input, &is_last);
         number++) {
        char data[64] = "", text[96];
        if (read(input, data, sizeof data - 1) < 0) return 9;
        close(input);
        snprintf(text, sizeof text, "%d%s:%s", number, is_last ? "l" : "", data);
        say(CNF_CHILD_MESSAGES, text);
        if (fcntl(CNF_CHILD_LOG, F_GETFD) >= 0) say(CNF_CHILD_LOG, text); /* a server has none */
        fprintf(stderr, "out %s", text);
        if (strcmp(data, "crash") == 0) raise(SIGSEGV);
        if (strcmp(data, "fail") == 0) {
            cnf_service_failed(CNF_SERVICE_SOCKET, W_EXITCODE(5, 0));
            continue;
        }
        if (strcmp(data, "hang") == 0) pause_ms(1000L * LIMIT_MS);
        if (strcmp(data, "leave") == 0) return 0;
        if (!is_last && !cnf_service_ready(CNF_SERVICE_SOCKET)) return 8;
        if (strcmp(data, "poison") == 0) raise(SIGABRT);
        if (strcmp(data, "late") == 0) {
            pause_ms(500); /* the pool has taken the answer by then, and what came before it */
            say(CNF_CHILD_MESSAGES, "late");
            fprintf(stderr, "late");
        }
        if (strcmp(data, "late") == 0 || strcmp(data, "stop") == 0) raise(SIGSTOP);
    }
    return 0;
}

enum { CHILD_TAG = 1000 };

static cnf_child_start request_of(const char *input, uint64_t tag, bool is_last)
{
    static const char *arguments[] = {"serve", NULL};
    return (cnf_child_start){.arguments = arguments,
                             .input = {(const uint8_t *)input, strlen(input)},
                             .messages = CNF_CHILD_MESSAGES,
                             .has_log = true,
                             .serves = true,
                             .is_last = is_last,
                             .tag = tag,
                             .child_tag = CHILD_TAG,
                             .timeout_ms = strcmp(input, "hang") == 0 ? SHORT_LIMIT_MS : LIMIT_MS,
                             .messages_max = MESSAGES_MAX};
}

/* Waits for a result and returns the number of the child that waits for a further request. */
static uint32_t assert_answer(cnf_pool *pool, uint64_t tag, cnf_process_end end, const char *text)
{
    cnf_child_result result;
    assert_int_equal(cnf_pool_wait(pool, &result), CNF_POOL_ENDED);
    assert_int_equal(result.tag, tag);
    assert_int_equal(result.end, end);
    uint32_t child = result.child;
    assert_string_equal(rt_buffer_string(&result.messages), text);
    if (*text) {
        assert_string_equal(rt_buffer_string(&result.log), text);
        assert_int_equal(result.output.size, strlen(text) + 4);
    }
    cnf_child_result_free(&result);
    return child;
}

/* The messages, the log and the output of each request are its own; the last one ends the child. */
static void a_child_serves_several_requests(void **state)
{
    (void)state;
    cnf_pool *pool = cnf_pool_create();
    cnf_child_start start = request_of("a", 1, false);
    cnf_pool_start(pool, &start);
    uint32_t child = assert_answer(pool, 1, CNF_PROCESS_EXITED, "1:a");
    assert_int_not_equal(child, 0);
    assert_int_equal(cnf_pool_count(pool), 0);
    assert_true(cnf_pool_has_children(pool));
    start = request_of("b", 2, false);
    assert_true(cnf_pool_request(pool, child, &start));
    assert_int_equal(cnf_pool_count(pool), 1);
    assert_int_equal(assert_answer(pool, 2, CNF_PROCESS_EXITED, "2:b"), child);
    start = request_of("c", 3, true);
    assert_true(cnf_pool_request(pool, child, &start));
    assert_int_equal(assert_answer(pool, 3, CNF_PROCESS_EXITED, "3l:c"), 0);
    assert_false(cnf_pool_has_children(pool));
    assert_false(cnf_pool_request(pool, child, &start));
    cnf_pool_destroy(pool);
}

/* Waits until a child has stopped, and returns its process. */
static pid_t stop_await(void)
{
    siginfo_t stopped;
    assert_int_equal(waitid(P_ALL, 0, &stopped, WSTOPPED), 0);
    return stopped.si_pid;
}

/* What a child writes between two requests belongs to neither. */
static void what_a_waiting_child_writes_is_dropped(void **state)
{
    (void)state;
    cnf_pool *pool = cnf_pool_create();
    cnf_child_start start = request_of("late", 1, false);
    cnf_pool_start(pool, &start);
    uint32_t child = assert_answer(pool, 1, CNF_PROCESS_EXITED, "1:late");
    pid_t process = stop_await();
    start = request_of("a", 2, true);
    assert_true(cnf_pool_request(pool, child, &start));
    kill(process, SIGCONT);
    assert_int_equal(assert_answer(pool, 2, CNF_PROCESS_EXITED, "2l:a"), 0);
    cnf_pool_destroy(pool);
}

/* A child whose messages overflow is killed, and does not wait for a request although it says that
 * it is ready. The messages of a young child are read because it is ready, and those of an older
 * one before the pool sees that. */
static void a_child_that_overflows_is_not_ready(void **state)
{
    (void)state;
    for (int is_old = 0; is_old < 2; is_old++) {
        cnf_pool *pool = cnf_pool_create();
        cnf_child_start start = request_of("stop", 1, false);
        start.messages_max = 2;
        cnf_pool_start(pool, &start);
        if (is_old) {
            stop_await();
            pause_ms(20);
        }
        cnf_child_result result;
        assert_int_equal(cnf_pool_wait(pool, &result), CNF_POOL_ENDED);
        assert_int_equal(result.tag, 1);
        assert_int_equal(result.end, CNF_PROCESS_OVERFLOWED);
        assert_int_equal(result.child, 0);
        assert_messages(&result, "1:");
        assert_false(cnf_pool_has_children(pool));
        cnf_pool_destroy(pool);
    }
}

/* Only the request that the child does not survive is lost. */
static void a_request_that_kills_its_child_costs_itself(void **state)
{
    (void)state;
    static const struct {
        const char *input;
        cnf_process_end end;
    } rows[] = {{"crash", CNF_PROCESS_SIGNALLED},
                {"hang", CNF_PROCESS_TIMED_OUT},
                {"leave", CNF_PROCESS_EXITED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cnf_pool *pool = cnf_pool_create();
        cnf_child_start start = request_of("a", 1, false);
        cnf_pool_start(pool, &start);
        uint32_t child = assert_answer(pool, 1, CNF_PROCESS_EXITED, "1:a");
        char expected[16];
        snprintf(expected, sizeof expected, "2:%s", rows[i].input);
        start = request_of(rows[i].input, 2, false);
        assert_true(cnf_pool_request(pool, child, &start));
        assert_int_equal(assert_answer(pool, 2, rows[i].end, expected), 0);
        assert_false(cnf_pool_has_children(pool));
        cnf_pool_destroy(pool);
    }
}

/* The death of a child that has no request is a result too, with its own tag. */
static void a_child_without_a_request_is_watched(void **state)
{
    (void)state;
    cnf_pool *pool = cnf_pool_create();
    cnf_child_start start = request_of("poison", 1, false);
    cnf_pool_start(pool, &start);
    uint32_t child = assert_answer(pool, 1, CNF_PROCESS_EXITED, "1:poison");
    assert_int_not_equal(child, 0);
    assert_int_equal(assert_answer(pool, CHILD_TAG, CNF_PROCESS_SIGNALLED, ""), 0);
    assert_false(cnf_pool_request(pool, child, &start));
    start = request_of("a", 2, false);
    cnf_pool_start(pool, &start);
    child = assert_answer(pool, 2, CNF_PROCESS_EXITED, "1:a");
    cnf_pool_dismiss(pool, child, LIMIT_MS);
    assert_int_equal(cnf_pool_count(pool), 0);
    assert_int_equal(assert_answer(pool, CHILD_TAG, CNF_PROCESS_EXITED, ""), 0);
    assert_false(cnf_pool_has_children(pool));
    cnf_pool_destroy(pool);
}

static void another_program_is_executed(void **state)
{
    (void)state;
    static const struct program_row {
        const char *program, *messages;
        cnf_process_end end;
        int code;
    } rows[] = {
        {"/bin/sh", "/bin/sh given", CNF_PROCESS_EXITED, 3},
        {"/nowhere/program", "", CNF_PROCESS_NOT_STARTED, ENOENT},
        {"/etc/passwd", "", CNF_PROCESS_NOT_STARTED, EACCES},
    };
    const char *arguments[] = {"-c", "printf '%s %s' \"$0\" \"$1\"; exit 3", "/bin/sh", "given",
                               NULL};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cnf_pool *pool = cnf_pool_create();
        const cnf_child_start start = {.program = rows[i].program,
                                       .arguments = arguments,
                                       .messages = 1,
                                       .timeout_ms = LIMIT_MS,
                                       .messages_max = MESSAGES_MAX};
        cnf_pool_start(pool, &start);
        cnf_child_result result;
        assert_int_equal(cnf_pool_wait(pool, &result), CNF_POOL_ENDED);
        assert_int_equal(result.end, rows[i].end);
        assert_int_equal(result.code, rows[i].code);
        assert_messages(&result, rows[i].messages);
        cnf_pool_destroy(pool);
    }
}

/* A change replaces the variable of that name; if two changes have the same name, the last wins. */
static void an_environment_is_changed_by_name(void **state)
{
    (void)state;
    rt_arena arena = {0};
    const char *const changes[] = {"ASSAY_T=1", "ASSAY_TT=2", "ASSAY_T=3", NULL};
    assert_int_equal(setenv("ASSAY_T", "0", 1), 0);
    assert_int_equal(setenv("ASSAY_TTT", "4", 1), 0);
    const char *const *environment = cnf_start_environment(&arena, changes);
    const char *const *ours = cnf_start_environment(&arena, NULL);
    rt_buffer found = {0};
    for (size_t i = 0; environment[i]; i++)
        if (strncmp(environment[i], "ASSAY_T", 7) == 0)
            rt_buffer_printf(&found, "%s ", environment[i]);
    assert_string_equal(rt_buffer_string(&found), "ASSAY_TTT=4 ASSAY_TT=2 ASSAY_T=3 ");
    size_t count = 0;
    for (size_t i = 0; ours[i]; i++)
        count += strcmp(ours[i], "ASSAY_T=0") == 0;
    assert_int_equal(count, 1);
    assert_int_equal(unsetenv("ASSAY_T"), 0);
    assert_int_equal(unsetenv("ASSAY_TTT"), 0);
    rt_buffer_free(&found);
    rt_arena_reset(&arena);
}

/* ---- Servers ------------------------------------------------------------------------------- */

static cnf_server server_start(void)
{
    static const char *const arguments[] = {"test", "server", NULL};
    cnf_server server;
    assert_int_equal(
        cnf_server_start(&server, CNF_THIS_PROGRAM, arguments, (const char *const *)environ), 0);
    return server;
}

static cnf_process_result server_request(cnf_server *server, const char *input,
                                         const char *expected)
{
    rt_buffer messages = {0}, errors = {0};
    cnf_process_result result = cnf_server_request(
        server, (rt_bytes){(const uint8_t *)input, strlen(input)},
        strcmp(input, "hang") == 0 ? SHORT_LIMIT_MS : LIMIT_MS, &messages, &errors);
    assert_string_equal(rt_buffer_string(&messages), expected);
    assert_int_equal(errors.size, *expected ? strlen(expected) + 4 : 0);
    rt_buffer_free(&messages);
    rt_buffer_free(&errors);
    return result;
}

static void assert_result(cnf_process_result result, cnf_process_end end, int code)
{
    assert_int_equal(result.end, end);
    assert_int_equal(result.code, code);
}

/* A request without an answer costs only itself, and no process is a child of this program. */
static void a_server_is_nobodys_child(void **state)
{
    (void)state;
    prctl(PR_SET_CHILD_SUBREAPER, 0); /* which a pool leaves set */
    cnf_server server = server_start();
    assert_result(server_request(&server, "a", "1:a"), CNF_PROCESS_EXITED, 0);
    assert_result(server_request(&server, "fail", "2:fail"), CNF_PROCESS_EXITED, 5);
    assert_int_equal(waitpid(-1, NULL, 0), -1);
    assert_int_equal(errno, ECHILD);
    assert_result(server_request(&server, "b", "3:b"), CNF_PROCESS_EXITED, 0);
    cnf_server_stop(&server);
    assert_int_equal(server.service, -1);
}

static void a_server_that_ends_is_stopped(void **state)
{
    (void)state;
    static const struct {
        const char *input, *messages;
        cnf_process_end end;
        int code;
    } rows[] = {
        {"crash", "1:crash", CNF_PROCESS_NOT_STARTED, EPIPE},
        {"leave", "1:leave", CNF_PROCESS_NOT_STARTED, EPIPE},
        {"hang", "1:hang", CNF_PROCESS_TIMED_OUT, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cnf_server server = server_start();
        assert_result(server_request(&server, rows[i].input, rows[i].messages), rows[i].end,
                      rows[i].code);
        assert_int_equal(server.service, -1);
    }
    /* A server that has ended since its last answer. */
    cnf_server server = server_start();
    assert_result(server_request(&server, "poison", "1:poison"), CNF_PROCESS_EXITED, 0);
    assert_result(server_request(&server, "a", ""), CNF_PROCESS_NOT_STARTED, EPIPE);
    assert_int_equal(server.service, -1);
}

static void a_server_that_cannot_be_started(void **state)
{
    (void)state;
    static const char *const arguments[] = {"test", NULL};
    cnf_server server;
    assert_int_equal(
        cnf_server_start(&server, "/dev/null", arguments, (const char *const *)environ), EACCES);
    assert_int_equal(server.service, -1);
}

int main(int argument_count, char **arguments)
{
    if (argument_count > 1 && strcmp(arguments[1], "echo") == 0)
        return executed_main(argument_count, arguments);
    if (argument_count > 1 && strcmp(arguments[1], "serve") == 0) return serving_main();
    if (argument_count > 1 && strcmp(arguments[1], "server") == 0)
        return fork() == 0 ? serving_main() : 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_end_by_exit_is_told),
        cmocka_unit_test(a_crash_keeps_the_messages_before_it),
        cmocka_unit_test(a_hang_ends_at_its_limit),
        cmocka_unit_test(a_child_that_stops_ends_at_its_limit),
        cmocka_unit_test(babble_ends_at_its_limit),
#ifndef RT_ARENA_BLOCKS
        cmocka_unit_test(memory_is_limited),
#endif
        cmocka_unit_test(a_flood_is_cut),
        cmocka_unit_test(long_output_is_not_a_failure),
        cmocka_unit_test(closed_descriptors_do_not_end_the_child),
        cmocka_unit_test(what_a_child_leaves_is_killed),
        cmocka_unit_test(a_fork_bomb_is_cleared),
        cmocka_unit_test(children_from_before_are_left_alone),
        cmocka_unit_test(children_run_at_once),
        cmocka_unit_test(a_signal_interrupts_the_wait),
        cmocka_unit_test(a_child_inherits_nothing_else),
        cmocka_unit_test(an_executed_child_gets_its_input),
        cmocka_unit_test(a_log_outlives_its_writer),
        cmocka_unit_test(a_child_serves_several_requests),
        cmocka_unit_test(a_server_is_nobodys_child),
        cmocka_unit_test(a_server_that_ends_is_stopped),
        cmocka_unit_test(a_server_that_cannot_be_started),
        cmocka_unit_test(what_a_waiting_child_writes_is_dropped),
        cmocka_unit_test(a_child_that_overflows_is_not_ready),
        cmocka_unit_test(a_request_that_kills_its_child_costs_itself),
        cmocka_unit_test(a_child_without_a_request_is_watched),
        cmocka_unit_test(another_program_is_executed),
        cmocka_unit_test(an_environment_is_changed_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
