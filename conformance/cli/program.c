/* A program as a child of this process. */
#include "conformance/cli/program.h"

#include "reference/base/alloc.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    EXIT_NOT_STARTED = 127, /* as shells exit */
    EXIT_SIGNALLED = 128,   /* plus the signal */
};

RT_NORETURN static void program_start(const cnf_arguments *arguments, void (*prepare)(void *user),
                                      void *user)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* a program does not outlive an assay that is killed */
    prepare(user);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    char **words = rt_alloc_array(arguments->path_count + 1, sizeof *words);
    for (uint32_t i = 0; i < arguments->path_count; i++)
        words[i] = (char *)(uintptr_t)arguments->paths[i].data; /* argv's, which end with a NUL */
    words[arguments->path_count] = NULL;
    execvp(words[0], words);
    fprintf(stderr, "assay: %s cannot be started: %s\n", words[0], strerror(errno));
    _exit(EXIT_NOT_STARTED);
}

int cnf_program_run(const cnf_arguments *arguments, void (*prepare)(void *user), void *user)
{
    CHECK(arguments->path_count > 0);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) program_start(arguments, prepare, user);
    if (pid < 0) {
        fprintf(stderr, "assay: a process cannot be started: %s\n", strerror(errno));
        return CNF_EXIT_INFRASTRUCTURE;
    }
    /* An interrupt is for the program, which is in the same group, until it has ended. */
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction interrupt, quit;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    int status = 0;
    pid_t ended;
    do {
        ended = waitpid(pid, &status, 0);
    } while (ended < 0 && errno == EINTR);
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    if (ended < 0) return CNF_EXIT_INFRASTRUCTURE;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SIGNALLED + WTERMSIG(status);
}
