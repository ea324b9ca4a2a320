/* The two processes of a guarded command; see guard.h. This file does not know what the worker
 * does. */
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

/* The signals that the guard receives, and what it sends to the worker for each. */
static const struct passed_signal {
    int received, sent;
} passed_signals[] = {
    {SIGINT, SIGINT},   {SIGTERM, SIGTERM}, {SIGHUP, SIGTERM},
    {SIGQUIT, SIGTERM}, {SIGTSTP, SIGSTOP}, {SIGCONT, SIGCONT},
};
enum { PASSED_COUNT = sizeof passed_signals / sizeof *passed_signals };

/* The signals that the guard waits for. A signal that the caller ignores (nohup) stays ignored,
 * unless it ends a run in an orderly way (SIGINT, SIGTERM). */
static sigset_t signals_awaited(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    for (int i = 0; i < PASSED_COUNT; i++) {
        struct sigaction now;
        int signal_number = passed_signals[i].received;
        bool ends_well = signal_number == SIGINT || signal_number == SIGTERM;
        bool ignored = sigaction(signal_number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
        if (!ignored || ends_well) sigaddset(&signals, signal_number);
    }
    return signals;
}

/* Forwards signals until the worker ends. Returns the worker's wait status. */
static int worker_wait(pid_t worker, const sigset_t *signals)
{
    int status = 0;
    while (waitpid(worker, &status, WNOHANG) != worker) {
        int signal_number = sigwaitinfo(signals, NULL);
        for (int i = 0; i < PASSED_COUNT; i++)
            if (passed_signals[i].received == signal_number) kill(worker, passed_signals[i].sent);
        /* The worker has been stopped; the guard stops too, so that the shell shows its prompt. */
        if (signal_number == SIGTSTP) raise(SIGSTOP);
    }
    CHECK(WIFEXITED(status) || WIFSIGNALED(status));
    return status;
}

static void worker_main(int (*body)(void *user), void *user, pid_t guard, const sigset_t *mask,
                        rt_text scratch)
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != guard) exit(EXIT_FAILURE); /* The guard died before prctl took effect. */
    sigprocmask(SIG_SETMASK, mask, NULL);
    int status = body(user);
    /* The guard is dead, so the worker must remove the folder. */
    if (getppid() != guard && scratch.length > 0) cnf_scratch_remove_command(scratch);
    exit(status);
}

int cnf_guard(int (*body)(void *user), void *user, int status_lost)
{
    /* This process may have inherited an ignored SIGCHLD, with which waiting for children fails. */
    signal(SIGCHLD, SIG_DFL);
    sigset_t signals = signals_awaited(), mask_before;
    sigprocmask(SIG_BLOCK, &signals, &mask_before);
    cnf_orphans_adopt();
    cnf_process_list foreign = {0};
    cnf_orphans_list(&foreign);
    /* The variable names the temporary folder for every process of the command; its old value is
     * restored at the end, since a command may start another. Without a folder, the default
     * location is used. */
    rt_arena arena = {0};
    const char *before = getenv(CNF_SCRATCH_VARIABLE);
    if (before) before = rt_arena_text(&arena, rt_text_of(before)).data;
    rt_text scratch;
    if (cnf_scratch_name(&arena, &scratch))
        setenv(CNF_SCRATCH_VARIABLE, scratch.data, 1);
    else
        scratch = (rt_text){0};
    fflush(NULL);
    pid_t guard = getpid(), worker = fork();
    if (worker == 0) worker_main(body, user, guard, &mask_before, scratch);
    int status = 0, error = errno;
    if (worker > 0) {
        status = worker_wait(worker, &signals);
        cnf_orphans_kill(&foreign);
    }
    /* Every process that could write to the folder has ended. */
    if (scratch.length > 0) cnf_scratch_remove_command(scratch);
    if (before)
        setenv(CNF_SCRATCH_VARIABLE, before, 1);
    else
        unsetenv(CNF_SCRATCH_VARIABLE);
    rt_arena_reset(&arena);
    rt_vector_free(&foreign);
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
    if (worker > 0 && WIFEXITED(status)) return WEXITSTATUS(status);
    if (worker > 0) {
        fprintf(stderr, "assay: the run was ended by signal %d (%s)\n", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    } else {
        fprintf(stderr, "assay: no process can be started: %s\n", strerror(error));
    }
    return status_lost;
}
