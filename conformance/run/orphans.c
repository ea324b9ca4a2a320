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

static bool is_known(const pid_t *known, uint32_t known_count, pid_t pid)
{
    pid_t group = getpgid(pid);
    for (uint32_t i = 0; i < known_count; i++) {
        CHECK(known[i] > 0);
        if (known[i] == pid || known[i] == group) return true;
    }
    return false;
}

/* Reads the children's ids as text; one page more than a machine's worth of orphans is cut, which
 * the next round finds. */
static size_t children_read(char *list)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    ssize_t size = read(descriptor, list, LIST_SIZE - 1);
    close(descriptor);
    return size > 0 ? (size_t)size : 0;
}

/* One round: kills every unknown child and reaps those that are dead.  Returns how many it saw. */
static uint32_t orphans_round(const pid_t *known, uint32_t known_count)
{
    char list[LIST_SIZE];
    size_t size = children_read(list);
    CHECK(size < LIST_SIZE);
    list[size] = '\0';
    uint32_t seen = 0;
    for (char *at = list, *next = NULL;; at = next) {
        pid_t pid = (pid_t)strtol(at, &next, 10);
        if (next == at || pid <= 0) return seen;
        if (*next != ' ' && *next != '\n' && *next != '\0') return seen;
        if (is_known(known, known_count, pid)) continue;
        seen++;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, WNOHANG);
    }
}

void cnf_orphans_kill(const pid_t *known, uint32_t known_count)
{
    CHECK(known || known_count == 0);
    for (uint32_t round = 0; round < ROUNDS_MAX && orphans_round(known, known_count) > 0; round++) {
        const struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
}
