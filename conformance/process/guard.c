/* The two processes of a guarded command; see guard.h.  It knows nothing of what the worker does.
 */
#include "conformance/process/guard.h"

#include "conformance/process/orphans.h"
#include "conformance/process/scratch.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is passed on to the worker, and as what. */
static const struct passed_signal {
    int taken, sent;
} passed_signals[] = {
    {SIGINT, SIGINT},   {SIGTERM, SIGTERM}, {SIGHUP, SIGTERM},
    {SIGQUIT, SIGTERM}, {SIGTSTP, SIGSTOP}, {SIGCONT, SIGCONT},
};
enum { PASSED_COUNT = sizeof passed_signals / sizeof *passed_signals };

/* The signals that the guard waits for.  One that our caller wants ignored (nohup) stays ignored,
 * except those that end a run in good order. */
static sigset_t signals_taken(void)
{
    sigset_t taken;
    sigemptyset(&taken);
    sigaddset(&taken, SIGCHLD);
    for (int i = 0; i < PASSED_COUNT; i++) {
        struct sigaction now;
        int signal_number = passed_signals[i].taken;
        bool ends_well = signal_number == SIGINT || signal_number == SIGTERM;
        bool ignored = sigaction(signal_number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
        if (!ignored || ends_well) sigaddset(&taken, signal_number);
    }
    return taken;
}

static void pass_on(pid_t worker, int signal_number)
{
    for (int i = 0; i < PASSED_COUNT; i++) {
        if (passed_signals[i].taken == signal_number) kill(worker, passed_signals[i].sent);
    }
    /* The worker stands still by now; its guard follows, so that the shell has its prompt. */
    if (signal_number == SIGTSTP) raise(SIGSTOP);
}

/* Waits for the worker's end, passing signals on; returns what waitpid says of it. */
static int worker_wait(pid_t worker, const sigset_t *taken)
{
    int how = 0;
    while (waitpid(worker, &how, WNOHANG) != worker) {
        int signal_number = sigwaitinfo(taken, NULL);
        if (signal_number > 0 && signal_number != SIGCHLD) pass_on(worker, signal_number);
    }
    return how;
}

static void worker_main(int (*body)(void *user), void *user, pid_t guard, const sigset_t *mask,
                        rt_text scratch)
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != guard) exit(EXIT_FAILURE); /* It died before we could hear of it. */
    sigprocmask(SIG_SETMASK, mask, NULL);
    int status = body(user);
    /* The guard is dead, so this process has to do it. */
    if (getppid() != guard && scratch.length > 0) cnf_scratch_remove(scratch);
    exit(status);
}

/* The command's folder, and what said where it is before: a command may start another one. */
typedef struct guard_scratch {
    rt_arena arena;
    rt_text folder; /* empty: there is none, and what is made lies where others' is */
    const char *before;
} guard_scratch;

/* Names the folder to all that the command starts. */
static void scratch_begin(guard_scratch *made)
{
    *made = (guard_scratch){0};
    const char *before = getenv(CNF_SCRATCH_VARIABLE);
    if (before) made->before = rt_arena_text(&made->arena, rt_text_of(before)).data;
    if (cnf_scratch_name(&made->arena, &made->folder))
        setenv(CNF_SCRATCH_VARIABLE, made->folder.data, 1);
    else
        made->folder = (rt_text){0};
}

/* Every process that could write there is gone. */
static void scratch_end(guard_scratch *made)
{
    if (made->folder.length > 0) cnf_scratch_remove(made->folder);
    if (made->before)
        setenv(CNF_SCRATCH_VARIABLE, made->before, 1);
    else
        unsetenv(CNF_SCRATCH_VARIABLE);
    rt_arena_reset(&made->arena);
}

int cnf_guard(int (*body)(void *user), void *user, int status_lost)
{
    /* A parent that ignores SIGCHLD hands that down, and then no child could be waited for. */
    signal(SIGCHLD, SIG_DFL);
    sigset_t taken = signals_taken(), before;
    sigprocmask(SIG_BLOCK, &taken, &before);
    cnf_orphans_adopt();
    cnf_process_list foreign = {0};
    cnf_orphans_list(&foreign);
    guard_scratch scratch;
    scratch_begin(&scratch);
    fflush(NULL);
    pid_t guard = getpid(), worker = fork();
    if (worker == 0) worker_main(body, user, guard, &before, scratch.folder);
    int how = 0, error = errno;
    if (worker > 0) {
        how = worker_wait(worker, &taken);
        cnf_orphans_kill(&foreign);
    }
    scratch_end(&scratch);
    rt_vector_free(&foreign);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (worker > 0 && WIFEXITED(how)) return WEXITSTATUS(how);
    if (worker > 0) {
        fprintf(stderr, "assay: the run was ended by signal %d (%s)\n", WTERMSIG(how),
                strsignal(WTERMSIG(how)));
    } else {
        fprintf(stderr, "assay: no process can be started: %s\n", strerror(error));
    }
    return status_lost;
}
