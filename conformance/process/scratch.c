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
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where the user wants temporary files; NULL: anywhere. */
static const char *wanted_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && folder[0] ? folder : NULL;
}

static const char *temporary_folder(void)
{
    const char *folder = wanted_folder();
    return folder ? folder : "/tmp";
}

bool cnf_scratch_name(rt_arena *arena, rt_text *out_folder)
{
    uint64_t random = 0;
    bool drawn = getrandom(&random, sizeof random, 0) == (ssize_t)sizeof random;
    *out_folder =
        rt_arena_printf(arena, "%s/assay-%016llx", temporary_folder(), (unsigned long long)random);
    return drawn;
}

#define MEMORY "/dev/shm"

/* False if there is no memory for small files, which would then fail when they are written. */
static bool memory_has_room(void)
{
    enum { ROOM_BYTES = 16 << 20 };
    struct statvfs info;
    if (statvfs(MEMORY, &info) != 0) return false;
    return info.f_blocks == 0 /* no limit */ ||
           (uint64_t)info.f_bavail * info.f_frsize >= ROOM_BYTES;
}

/* The part of the command's folder that is in memory; empty: the user wants its files elsewhere. */
static rt_text memory_folder(rt_arena *arena, const char *command_folder)
{
    const char *name = strrchr(command_folder, '/');
    if (!name || wanted_folder()) return (rt_text){0};
    return rt_arena_printf(arena, MEMORY "%s", name);
}

/* Makes a private folder in `parent`. False, with errno: the system refused. */
static bool folder_make(rt_arena *arena, const char *parent, rt_text *out_folder)
{
    rt_text name = rt_arena_printf(arena, "%s/assay-XXXXXX", parent);
    bool is_made = mkdtemp((char *)(uintptr_t)name.data) != NULL;
    *out_folder = is_made ? name : (rt_text){0};
    return is_made;
}

/* The same in a part of the command's folder. If that exists already, mkdir fails, and if it cannot
 * be created, folder_make fails too. */
static bool part_make(rt_arena *arena, const char *parent, rt_text *out_folder)
{
    mkdir(parent, 0700);
    return folder_make(arena, parent, out_folder);
}

rt_status cnf_scratch_make(rt_sink *sink, rt_arena *arena, rt_text *out_folder)
{
    const char *parent = getenv(CNF_SCRATCH_VARIABLE);
    bool has_parent = parent && parent[0];
    if (!has_parent) parent = temporary_folder();
    bool is_made =
        has_parent ? part_make(arena, parent, out_folder) : folder_make(arena, parent, out_folder);
    if (is_made) return RT_STATUS_OK;
    int error = errno;
    rt_status status =
        rt_fail(sink, RT_IO, RT_RULE_NONE,
                "%s: no temporary folder can be created there: %s; set TMPDIR to a writable folder",
                parent, strerror(error));
    errno = error;
    return status;
}

rt_status cnf_scratch_make_small(rt_sink *sink, rt_arena *arena, rt_text *out_folder)
{
    const char *command_folder = getenv(CNF_SCRATCH_VARIABLE);
    rt_text parent = {0};
    if (command_folder && memory_has_room()) parent = memory_folder(arena, command_folder);
    if (parent.length > 0 && part_make(arena, parent.data, out_folder)) return RT_STATUS_OK;
    return cnf_scratch_make(sink, arena, out_folder);
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

void cnf_scratch_remove_command(rt_text folder)
{
    rt_arena arena = {0};
    rt_text in_memory = memory_folder(&arena, folder.data);
    cnf_scratch_remove(folder);
    if (in_memory.length > 0) cnf_scratch_remove(in_memory);
    rt_arena_reset(&arena);
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
