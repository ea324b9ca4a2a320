/* Tests the guard: whichever process is killed, none survives, and the body's status is returned.
 */
#include "conformance/process/child.h"
#include "conformance/process/guard.h"
#include "conformance/process/orphans.h"
#include "conformance/process/scratch.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { STATUS_LOST = 9, STATUS_INTERRUPTED = 5, STATUS_DONE = 4, PATIENCE_MS = 5000 };

static void pause_ms(long milliseconds)
{
    const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static void send(int descriptor, pid_t pid)
{
    if (write(descriptor, &pid, sizeof pid) != (ssize_t)sizeof pid) _exit(99);
}

/* ---- What is guarded ----------------------------------------------------------------------- */

/* The pool's child starts a process in its own session, and both keep running. */
static int child_body(void *user, int messages)
{
    (void)user;
    (void)messages;
    if (fork() == 0) setsid();
    while (getpid() > 0)
        pause();
    return 0;
}

/* Leaves a folder with a file where commands create their folders, as a killed child would. */
static void leave_files(void)
{
    char path[512];
    const char *folder = getenv(CNF_SCRATCH_VARIABLE);
    if (!folder || mkdir(folder, 0700) != 0) _exit(98);
    snprintf(path, sizeof path, "%s/left-XXXXXX", folder);
    if (!mkdtemp(path)) _exit(98);
    strncat(path, "/file", sizeof path - strlen(path) - 1);
    FILE *file = fopen(path, "w");
    if (!file || fclose(file) != 0) _exit(98);
}

/* Runs the child in a pool, and writes the ids of the worker and its child to the descriptor. */
static int worker_body(void *user)
{
    const int *report = user;
    leave_files();
    send(*report, getpid());
    cnf_pool *pool = cnf_pool_create();
    const cnf_child_start start = {.body = child_body, .timeout_ms = 60000, .messages_max = 4096};
    cnf_pool_start(pool, &start);
    pause_ms(100); /* The child has started its own process by then. */
    cnf_process_list children = {0};
    cnf_orphans_list(&children);
    send(*report, children.count == 1 ? children.items[0] : -1);
    rt_vector_free(&children);
    cnf_child_result result;
    bool interrupted = cnf_pool_wait(pool, &result) == CNF_POOL_INTERRUPTED;
    cnf_pool_destroy(pool);
    return interrupted ? STATUS_INTERRUPTED : STATUS_DONE;
}

typedef struct guarded_run {
    pid_t guard, worker, child, grandchild;
} guarded_run;

/* The first process whose parent is the given one. */
static pid_t child_of(pid_t parent)
{
    char path[64], text[64] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *file = fopen(path, "r");
    if (file) {
        if (!fgets(text, sizeof text, file)) text[0] = '\0';
        fclose(file);
    }
    return (pid_t)strtol(text, NULL, 10);
}

/* Starts a guard in its own process group. */
static guarded_run run_begin(void)
{
    int report[2];
    assert_int_equal(pipe(report), 0);
    guarded_run run = {.guard = fork()};
    if (run.guard == 0) {
        setpgid(0, 0);
        close(report[0]);
        _exit(cnf_guard(worker_body, &report[1], STATUS_LOST));
    }
    close(report[1]);
    assert_int_equal(read(report[0], &run.worker, sizeof run.worker), sizeof run.worker);
    assert_int_equal(read(report[0], &run.child, sizeof run.child), sizeof run.child);
    close(report[0]);
    assert_true(run.worker > 1 && run.child > 1);
    run.grandchild = child_of(run.child);
    assert_true(run.grandchild > 1);
    assert_int_equal(kill(run.grandchild, 0), 0);
    return run;
}

static bool is_gone(pid_t pid)
{
    for (int waited = 0; waited < PATIENCE_MS; waited += 10) {
        char path[64], text[256] = "";
        snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        FILE *file = fopen(path, "r");
        if (!file) return true;
        size_t size = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        const char *state = size > 0 ? strrchr(text, ')') : NULL;
        if (!state || state[2] == 'Z') return true; /* its new parent has not reaped it yet */
        pause_ms(10);
    }
    return false;
}

/* Commands create their folders here; it is empty unless a folder was left behind. */
static char parent_folder[] = "/tmp/guard-test-XXXXXX";

static int parent_make(void **state)
{
    (void)state;
    unsetenv(CNF_SCRATCH_VARIABLE);
    return mkdtemp(parent_folder) && setenv("TMPDIR", parent_folder, 1) == 0 ? 0 : -1;
}

/* Fails if a folder was left behind: rmdir removes only empty folders. */
static int parent_remove(void **state)
{
    (void)state;
    return rmdir(parent_folder);
}

static bool parent_is_empty(void)
{
    bool empty = rmdir(parent_folder) == 0;
    return empty && mkdir(parent_folder, 0700) == 0;
}

static void assert_nothing_stays(const guarded_run *run)
{
    assert_true(is_gone(run->worker));
    assert_true(is_gone(run->child));
    assert_true(is_gone(run->grandchild));
    assert_true(parent_is_empty());
}

static int status_of(pid_t guard)
{
    int status;
    assert_int_equal(waitpid(guard, &status, 0), guard);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* ---- Tests --------------------------------------------------------------------------------- */

static int body_returns(void *user)
{
    return *(int *)user;
}

static void the_status_comes_back(void **state)
{
    (void)state;
    for (int status = 0; status < 8; status++)
        assert_int_equal(cnf_guard(body_returns, &status, STATUS_LOST), status);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void a_killed_worker_leaves_nothing(void **state)
{
    (void)state;
    guarded_run run = run_begin();
    kill(run.worker, SIGKILL);
    assert_int_equal(status_of(run.guard), STATUS_LOST);
    assert_nothing_stays(&run);
}

static void a_killed_guard_leaves_nothing(void **state)
{
    (void)state;
    guarded_run run = run_begin();
    kill(run.guard, SIGKILL);
    assert_int_equal(status_of(run.guard), -SIGKILL);
    assert_nothing_stays(&run);
}

static void a_killed_group_leaves_nothing(void **state)
{
    (void)state;
    guarded_run run = run_begin();
    kill(-run.guard, SIGKILL);
    assert_int_equal(status_of(run.guard), -SIGKILL);
    assert_nothing_stays(&run);
}

static void signals_are_passed_on(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        guarded_run run = run_begin();
        kill(run.guard, signals[i]);
        assert_int_equal(status_of(run.guard), STATUS_INTERRUPTED);
        assert_nothing_stays(&run);
    }
}

static void a_run_can_be_suspended(void **state)
{
    (void)state;
    guarded_run run = run_begin();
    int status;
    kill(run.guard, SIGTSTP);
    assert_int_equal(waitpid(run.guard, &status, WUNTRACED), run.guard);
    assert_true(WIFSTOPPED(status));
    kill(run.guard, SIGCONT);
    kill(run.guard, SIGTERM);
    assert_int_equal(status_of(run.guard), STATUS_INTERRUPTED);
    assert_nothing_stays(&run);
}

/* Leaves a small folder with a file, and tells its name. */
static int body_leaves_small(void *user)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    rt_text folder;
    if (!rt_ok(cnf_scratch_make_small(sink, &arena, &folder)) || folder.length >= PIPE_BUF)
        return STATUS_LOST;
    FILE *file = fopen(rt_arena_printf(&arena, "%s/file", folder.data).data, "w");
    bool is_told = write(*(int *)user, folder.data, folder.length) == (ssize_t)folder.length;
    bool is_written = file && fclose(file) == 0;
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
    return is_told && is_written ? STATUS_DONE : STATUS_LOST;
}

/* Memory is for a command that has a guard, which removes what was left. */
static void small_files_are_in_memory(void **state)
{
    (void)state;
    static const struct row {
        const char *temporary, *begin;
    } rows[] = {{NULL, "/dev/shm/assay-"}, {parent_folder, parent_folder}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char folder[PIPE_BUF] = "";
        int ends[2];
        if (!rows[i].temporary && access("/dev/shm", W_OK) != 0) continue;
        assert_int_equal(pipe(ends), 0);
        if (!rows[i].temporary) unsetenv("TMPDIR");
        assert_int_equal(cnf_guard(body_leaves_small, &ends[1], STATUS_LOST), STATUS_DONE);
        setenv("TMPDIR", parent_folder, 1);
        assert_true(read(ends[0], folder, sizeof folder - 1) > 0);
        assert_int_equal(strncmp(folder, rows[i].begin, strlen(rows[i].begin)), 0);
        assert_int_equal(access(folder, F_OK), -1);
        *strrchr(folder, '/') = '\0'; /* the command's folder */
        assert_int_equal(access(folder, F_OK), -1);
        close(ends[0]);
        close(ends[1]);
    }
    assert_true(parent_is_empty());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_status_comes_back),
        cmocka_unit_test(a_killed_worker_leaves_nothing),
        cmocka_unit_test(a_killed_guard_leaves_nothing),
        cmocka_unit_test(a_killed_group_leaves_nothing),
        cmocka_unit_test(signals_are_passed_on),
        cmocka_unit_test(a_run_can_be_suspended),
        cmocka_unit_test(small_files_are_in_memory),
    };
    return cmocka_run_group_tests(tests, parent_make, parent_remove);
}
