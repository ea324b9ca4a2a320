/* Finding and killing what ended children left: adopted processes are our own children, so the
 * kernel's list of those (proc(5), /proc/PID/task/TID/children) is all that must be read.
 *
 * It does not walk /proc: where the list is missing, orphans are left to the system. */
#include "conformance/run/orphans.h"

#include "reference/base/check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIST_SIZE = 16384, ROUNDS_MAX = 1000 };

void cnf_orphans_adopt(void)
{
    /* A kernel that refuses only weakens the cleaning up, as the header says. */
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
    char path[64], text[LIST_SIZE];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = descriptor < 0 ? 0 : read(descriptor, text, sizeof text - 1);
    if (descriptor >= 0) close(descriptor);
    text[size > 0 ? size : 0] = '\0';
    /* A number at the very end of a full buffer may be cut; the next round finds that process. */
    for (char *at = text, *next = NULL;; at = next) {
        pid_t pid = (pid_t)strtol(at, &next, 10);
        if (next == at || pid <= 0 || (*next == '\0' && size == (ssize_t)sizeof text - 1)) return;
        *rt_vector_push(out_processes) = pid;
    }
}

void cnf_orphans_kill(const cnf_process_list *known)
{
    cnf_process_list found = {0};
    uint32_t alive = 1;
    for (uint32_t round = 0; round < ROUNDS_MAX && alive > 0; round++) {
        alive = 0;
        found.count = 0;
        cnf_orphans_list(&found);
        for (uint32_t i = 0; i < found.count; i++) {
            if (is_known(known, found.items[i])) continue;
            alive++;
            kill(found.items[i], SIGKILL);
            waitpid(found.items[i], NULL, WNOHANG);
        }
        /* What these leave in turn shows up in the next round. */
        const struct timespec pause = {0, 1000000};
        if (alive > 0) nanosleep(&pause, NULL);
    }
    rt_vector_free(&found);
}
