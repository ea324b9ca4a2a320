/* Creates and removes temporary folders. */
#include "conformance/process/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && folder[0] ? folder : "/tmp";
}

bool cnf_scratch_name(rt_arena *arena, rt_text *out_folder)
{
    uint64_t random = 0;
    bool drawn = getrandom(&random, sizeof random, 0) == (ssize_t)sizeof random;
    *out_folder =
        rt_arena_printf(arena, "%s/assay-%016llx", temporary_folder(), (unsigned long long)random);
    return drawn;
}

rt_status cnf_scratch_make(rt_sink *sink, rt_arena *arena, rt_text *out_folder)
{
    *out_folder = (rt_text){0};
    char name[4096];
    const char *parent = getenv(CNF_SCRATCH_VARIABLE);
    if (parent && parent[0])
        mkdir(parent, 0700); /* If this fails for any reason except that the folder exists, mkdtemp
                              * fails too. */
    else
        parent = temporary_folder();
    int length = snprintf(name, sizeof name, "%s/assay-XXXXXX", parent);
    bool fits = length > 0 && (size_t)length < sizeof name;
    if (!fits) errno = ENAMETOOLONG;
    if (!fits || !mkdtemp(name)) {
        int error = errno;
        rt_status status =
            rt_fail(sink, RT_IO, RT_RULE_NONE,
                    "%s: no temporary folder can be created: %s; set TMPDIR to a writable folder",
                    name, strerror(error));
        errno = error;
        return status;
    }
    *out_folder = rt_arena_text(arena, rt_text_of(name));
    return RT_STATUS_OK;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    remove(path); /* Files that cannot be removed are left to the system's own cleanup. */
    return 0;
}

void cnf_scratch_remove(rt_text folder)
{
    enum { OPEN_FOLDERS_MAX = 16 };
    CHECK(folder.length > 1);
    nftw(folder.data, remove_entry, OPEN_FOLDERS_MAX, FTW_DEPTH | FTW_PHYS);
}

/* Waits for the end of the process that has the other end of the pipe. Signals of the terminal and
 * to the group are for that process. */
RT_NORETURN static void keeper_main(int pipe_end, rt_text folder)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    setsid();
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    char byte;
    while (read(pipe_end, &byte, 1) < 0 && errno == EINTR) {
    }
    cnf_scratch_remove(folder);
    _exit(EXIT_SUCCESS);
}

bool cnf_scratch_keep(rt_text folder, cnf_scratch_keeper *out_keeper)
{
    int ends[2];
    *out_keeper = (cnf_scratch_keeper){0};
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        keeper_main(ends[0], folder);
    }
    int error = errno;
    close(ends[0]);
    if (pid < 0) close(ends[1]);
    errno = error;
    if (pid > 0) *out_keeper = (cnf_scratch_keeper){pid, ends[1]};
    return pid > 0;
}

void cnf_scratch_end(cnf_scratch_keeper *keeper)
{
    CHECK(keeper->pid > 0);
    close(keeper->end);
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    *keeper = (cnf_scratch_keeper){0};
}
