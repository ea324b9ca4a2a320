/* Starts processes that run a program or a function. */
#include "conformance/process/start.h"

#include "reference/base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    EXIT_NOT_STARTED = 127, /* exit status of a child that could not be set up */
    HEAP_STEP = 1 << 20,    /* bytes by which a forked child's heap grows */
};

/* The shadow memory of AddressSanitizer and ThreadSanitizer counts as data and is far larger than
 * any limit that a user would set. */
#ifndef __has_feature
#define __has_feature(feature) 0 /* clang tests for a feature; gcc defines a macro */
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) ||                           \
    defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
const bool cnf_start_limits_memory = false;
#else
const bool cnf_start_limits_memory = true;
#endif

double cnf_process_now_ms(void)
{
    struct timespec now;
    int failed = clock_gettime(CLOCK_MONOTONIC, &now);
    CHECK(failed == 0);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

void cnf_process_close(int *descriptor)
{
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
}

size_t cnf_process_read(int *descriptor, char *out_data, size_t size_max)
{
    CHECK(*descriptor >= 0 && size_max > 0);
    ssize_t size = read(*descriptor, out_data, size_max);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (size <= 0) cnf_process_close(descriptor);
    return size > 0 ? (size_t)size : 0;
}

void cnf_process_drain(int *descriptor, rt_buffer *out, size_t size_max)
{
    char block[65536];
    for (size_t size = 1; *descriptor >= 0 && size > 0;) {
        size = cnf_process_read(descriptor, block, sizeof block);
        size_t room = out->size < size_max ? size_max - out->size : 0;
        rt_buffer_append(out, block, size < room ? size : room);
    }
}

int cnf_start_input(rt_bytes input)
{
    int file = memfd_create("assay-input", MFD_CLOEXEC);
    if (file < 0) return file;
    if (!rt_write_all(file, input) || lseek(file, 0, SEEK_SET) != 0) cnf_process_close(&file);
    return file;
}

const char *const *cnf_start_environment(rt_arena *arena, const char *const *changes)
{
    size_t count = 0, change_count = 0;
    while (environ[count])
        count++;
    while (changes && changes[change_count])
        change_count++;
    const char **entries = rt_arena_alloc_array(arena, count + change_count + 1, sizeof *entries);
    size_t used = 0;
    for (size_t i = 0; i < count + change_count; i++) {
        const char *entry = i < count ? environ[i] : changes[i - count];
        size_t name = strcspn(entry, "=");
        bool is_replaced = false;
        for (size_t k = i < count ? 0 : i - count + 1; k < change_count && !is_replaced; k++)
            is_replaced = strncmp(entry, changes[k], name) == 0 && changes[k][name] == '=';
        if (!is_replaced) entries[used++] = entry;
    }
    CHECK(used <= count + change_count && !entries[used]);
    return entries;
}

/* ---- In the child: only calls that are safe after the fork of a threaded process ------------- */

/* Moves the descriptors to the numbers that the child expects and closes all others except *report
 * (-1: none). A descriptor whose number another one needs is moved out of the way first. */
static bool descriptors_move(const cnf_start *start, int *report)
{
    int *sources = start->descriptors; /* the child's copy */
    int count = (int)start->descriptor_count;
    for (int i = 0; i < count; i++) {
        if (sources[i] < 0) sources[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (sources[i] >= 0 && sources[i] < count)
            sources[i] = fcntl(sources[i], F_DUPFD_CLOEXEC, count);
        if (sources[i] < 0) return false;
    }
    if (*report >= 0 && *report < count) {
        *report = fcntl(*report, F_DUPFD_CLOEXEC, count);
        if (*report < 0) return false;
    }
    for (int i = 0; i < count; i++)
        if (dup2(sources[i], i) != i) return false;
    if (*report < 0) return close_range((unsigned)count, ~0u, 0) == 0;
    if (*report > count && close_range((unsigned)count, (unsigned)*report - 1, 0) != 0)
        return false;
    return close_range((unsigned)*report + 1, ~0u, 0) == 0;
}

RT_NORETURN static void child_main(const cnf_start *start, pid_t parent, int report)
{
    if (!start->stays_in_group) setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_NOT_STARTED); /* the parent died before prctl took effect */
    /* RLIMIT_DATA counts private writable pages, whether the allocator takes them from the heap or
     * from mmap; unlike RLIMIT_AS it does not count address space that vendors' libraries reserve
     * without using it (setrlimit(2)). An existing lower hard limit stays in force; if the call is
     * refused, no limit applies. */
    const struct rlimit none = {0, 0}, memory = {start->memory_bytes, start->memory_bytes};
    setrlimit(RLIMIT_CORE, &none);
    if (cnf_start_limits_memory && start->memory_bytes > 0) (void)setrlimit(RLIMIT_DATA, &memory);
    if (descriptors_move(start, &report)) {
        sigset_t unblocked;
        sigemptyset(&unblocked);
        signal(SIGPIPE, SIG_DFL);
        sigprocmask(SIG_SETMASK, &unblocked, NULL);
        if (start->body) {
            /* A forked child lives for milliseconds: returning freed memory to the system is not
             * worthwhile. */
            mallopt(M_TOP_PAD, HEAP_STEP);
            mallopt(M_TRIM_THRESHOLD, INT_MAX);
            int status = start->body(start->user);
            fflush(NULL);
            _exit(status);
        }
        /* execve does not write to its lists; its prototype predates const. */
        char *const *arguments = (char *const *)(uintptr_t)start->arguments;
        char *const *environment = (char *const *)(uintptr_t)start->environment;
        execve(start->program, arguments, environment ? environment : environ);
    }
    int error = errno;
    if (report >= 0 && write(report, &error, sizeof error) != (ssize_t)sizeof error) abort();
    _exit(EXIT_NOT_STARTED);
}

/* ---- In the parent -------------------------------------------------------------------------- */

int cnf_start_process(const cnf_start *start, pid_t *out_pid)
{
    *out_pid = 0;
    CHECK(!start->program != !start->body);
    CHECK_IMPLIES(start->program, start->arguments && start->arguments[0]);
    CHECK(start->descriptors && start->descriptor_count >= 3 && start->descriptor_count < INT_MAX);
    int report[2] = {-1, -1}; /* receives the errno of a failed start; exec closes it */
    if (start->program && pipe2(report, O_CLOEXEC) != 0) return errno;
    if (start->body) fflush(NULL); /* the child must not write this process's buffered output too */
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) child_main(start, parent, report[1]);
    int error = pid < 0 ? errno : 0;
    cnf_process_close(&report[1]);
    /* Also in the parent, so that the group exists before a kill, whichever process runs first. */
    if (pid > 0 && !start->stays_in_group) setpgid(pid, pid);
    if (pid > 0 && start->program) {
        int reason = 0;
        ssize_t size = read(report[0], &reason, sizeof reason);
        while (size < 0 && errno == EINTR)
            size = read(report[0], &reason, sizeof reason);
        if (size == (ssize_t)sizeof reason) error = reason;
        while (error != 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    cnf_process_close(&report[0]);
    if (error == 0) *out_pid = pid;
    CHECK((error == 0) == (*out_pid > 0));
    return error;
}
