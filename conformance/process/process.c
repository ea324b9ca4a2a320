/* Starts one program and waits for it. No shell is involved. */
#include "conformance/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLICE_MS = 50 }; /* polling interval while the output stays open */

int cnf_process_start(cnf_process *out_process, const char *path, const char *const *arguments,
                      const char *const *environment, rt_bytes input)
{
    *out_process = (cnf_process){.output = -1, .errors = -1};
    int output[2] = {-1, -1}, errors[2] = {-1, -1}, file = cnf_start_input(input), error = 0;
    bool opened = file >= 0 && pipe2(output, O_CLOEXEC) == 0 && pipe2(errors, O_CLOEXEC) == 0 &&
                  fcntl(output[0], F_SETFL, O_NONBLOCK) == 0 &&
                  fcntl(errors[0], F_SETFL, O_NONBLOCK) == 0;
    if (opened) {
        int descriptors[] = {file, output[1], errors[1]};
        const cnf_start start = {.program = path,
                                 .arguments = arguments,
                                 .environment = environment,
                                 .descriptors = descriptors,
                                 .descriptor_count = 3};
        error = cnf_start_process(&start, &out_process->pid);
    } else {
        error = errno;
    }
    if (error == 0) {
        out_process->output = output[0];
        out_process->errors = errors[0];
    } else {
        cnf_process_close(&output[0]);
        cnf_process_close(&errors[0]);
    }
    cnf_process_close(&file);
    cnf_process_close(&output[1]);
    cnf_process_close(&errors[1]);
    CHECK((error == 0) == (out_process->pid > 0));
    return error;
}

cnf_process_result cnf_process_finish(cnf_process *process, uint32_t timeout_ms,
                                      rt_buffer *out_output, rt_buffer *out_errors)
{
    CHECK(process->pid > 0);
    double deadline = cnf_process_now_ms() + timeout_ms;
    bool ended = false, late = false, overflowed = false, is_reaped = false;
    for (;;) {
        cnf_process_drain(&process->output, out_output, CNF_PROCESS_OUTPUT_MAX);
        cnf_process_drain(&process->errors, out_errors, CNF_PROCESS_ERRORS_MAX);
        overflowed = out_output->size >= CNF_PROCESS_OUTPUT_MAX;
        siginfo_t info = {0};
        errno = 0;
        ended = waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                info.si_pid == process->pid;
        /* In a program that ignores SIGCHLD or waits for every child (opencl/), the status is lost;
         * the output says whether the process did its work. */
        is_reaped = !ended && errno == ECHILD;
        ended |= is_reaped;
        double remaining = deadline - cnf_process_now_ms();
        late = remaining <= 0;
        if (ended || late || overflowed) break;
        /* Once both outputs are closed, the process is about to end, but no event reports that. */
        bool is_quiet = process->output < 0 && process->errors < 0;
        double slice = is_quiet ? 1 : SLICE_MS;
        struct pollfd events[] = {{process->output, POLLIN, 0}, {process->errors, POLLIN, 0}};
        poll(events, 2, (int)(remaining < slice ? remaining + 1 : slice));
    }
    /* The group is killed before its leader is reaped, so that the group's id cannot have been
     * reused. */
    int status = 0;
    if (!is_reaped) {
        kill(-process->pid, SIGKILL);
        kill(process->pid, SIGKILL);
    }
    while (!is_reaped && waitpid(process->pid, &status, 0) < 0 && errno == EINTR) {
    }
    process->pid = 0;
    cnf_process_drain(&process->output, out_output, CNF_PROCESS_OUTPUT_MAX);
    cnf_process_drain(&process->errors, out_errors, CNF_PROCESS_ERRORS_MAX);
    cnf_process_close(&process->output);
    cnf_process_close(&process->errors);
    if (overflowed) return (cnf_process_result){CNF_PROCESS_OVERFLOWED, 0};
    if (!ended) return (cnf_process_result){CNF_PROCESS_TIMED_OUT, 0};
    if (WIFSIGNALED(status)) return (cnf_process_result){CNF_PROCESS_SIGNALLED, WTERMSIG(status)};
    return (cnf_process_result){CNF_PROCESS_EXITED, WEXITSTATUS(status)};
}

void cnf_process_describe(rt_buffer *out, cnf_process_result result, uint32_t timeout_ms)
{
    switch (result.end) {
    case CNF_PROCESS_EXITED: rt_buffer_printf(out, "ended with status %d", result.code); break;
    case CNF_PROCESS_SIGNALLED:
        rt_buffer_printf(out, "ended by signal %d (%s)", result.code,
                         sigdescr_np(result.code) ? sigdescr_np(result.code) : "unknown");
        break;
    case CNF_PROCESS_TIMED_OUT:
        rt_buffer_printf(out, "did not end within %u ms and was killed", timeout_ms);
        break;
    case CNF_PROCESS_OVERFLOWED:
        rt_buffer_printf(out, "wrote more than %d bytes and was killed", CNF_PROCESS_OUTPUT_MAX);
        break;
    case CNF_PROCESS_NOT_STARTED: {
        const char *reason = strerrordesc_np(result.code);
        rt_buffer_printf(out, "could not be started: %s", reason ? reason : "unknown error");
        break;
    }
    }
}
