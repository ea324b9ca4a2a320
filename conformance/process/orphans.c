/* Finds and kills processes left behind by children that have ended. Adopted processes become
 * children of this process, so it is enough to read the kernel's list of this process's children
 * (proc(5), /proc/PID/task/TID/children); /proc is not walked. If the list is missing, orphans are
 * left to the system. */
#include "conformance/process/orphans.h"

#include "reference/base/check.h"
#include "reference/base/number.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIST_SIZE = 65536, ROUNDS_MAX = 4000, PAUSE_NS = 500000 };

void cnf_orphans_adopt(void)
{
    /* If the kernel refuses, the cleanup is merely weaker, as the header says. */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

static bool is_known(const cnf_process_list *known, pid_t pid)
{
    pid_t group = getpgid(pid);
    for (uint32_t i = 0; i < known->count; i++) {
        CHECK(known->items[i] > 0);
        if (known->items[i] == pid || known->items[i] == group) return true;
    }
    return false;
}

void cnf_orphans_list(cnf_process_list *out_processes)
{
    char path[64], list[LIST_SIZE];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = descriptor < 0 ? 0 : read(descriptor, list, sizeof list);
    if (descriptor >= 0) close(descriptor);
    rt_text rest = {list, size > 0 ? (size_t)size : 0};
    uint64_t pid;
    while (rt_number_take(&rest, 10, INT32_MAX, &pid) && pid > 0) {
        /* If the buffer is full, the last number may be truncated; the next round finds that
         * process. */
        if (rest.length == 0 && size == (ssize_t)sizeof list) return;
        *rt_vector_push(out_processes) = (pid_t)pid;
        (void)rt_text_take_prefix(&rest, " ");
    }
}

void cnf_orphans_kill(const cnf_process_list *known)
{
    cnf_process_list found = {0};
    struct timespec pause = {0, PAUSE_NS};
    /* Processes that killed processes leave behind appear in the next round. A process that keeps
     * forking cannot outrun the loop, because each round kills every process that exists then; the
     * loop pauses only for processes that have already been killed and are dying. */
    for (uint32_t round = 0, before = 0; round < ROUNDS_MAX; round++) {
        uint32_t count = 0;
        found.count = 0;
        cnf_orphans_list(&found);
        for (uint32_t i = 0; i < found.count; i++) {
            if (is_known(known, found.items[i])) continue;
            count++;
            kill(found.items[i], SIGKILL);
            waitpid(found.items[i], NULL, WNOHANG);
        }
        if (count == 0) break;
        if (count <= before) nanosleep(&pause, NULL);
        before = count;
    }
    rt_vector_free(&found);
}
