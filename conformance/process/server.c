/* A process that serves a program that is not ours; see server.h. */
#include "conformance/process/server.h"

#include "conformance/process/child.h"
#include "conformance/process/service.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Starting and stopping ------------------------------------------------------------------ */

/* Creates a pipe whose read end does not block. Returns 0 or an errno. */
static int pipe_create(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0) {
        ends[0] = ends[1] = -1;
        return errno;
    }
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

/* Starts the program and waits until it has started the server. Returns 0 or an errno. */
static int start(cnf_start *process)
{
    pid_t pid;
    int status = 0, error = cnf_start_process(process, &pid);
    if (error != 0) return error;
    /* In a program that ignores SIGCHLD the status is lost; a server that does not run does not
     * take a request. */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0 ? 0 : EAGAIN;
}

int cnf_server_start(cnf_server *out_server, const char *path, const char *const *arguments,
                     const char *const *environment)
{
    int child = -1, messages[2] = {-1, -1}, errors[2] = {-1, -1};
    int error = cnf_service_create(&out_server->service, &child);
    if (error == 0) error = pipe_create(messages);
    if (error == 0) error = pipe_create(errors);
    int descriptors[] = {child, errors[1], errors[1], messages[1]};
    _Static_assert(CNF_SERVICE_SOCKET == 0 && CNF_CHILD_MESSAGES == 3, "the positions in the list");
    cnf_start process = {
        .program = path,
        .arguments = arguments,
        .environment = environment,
        .descriptors = descriptors,
        .descriptor_count = sizeof descriptors / sizeof *descriptors,
    };
    if (error == 0) error = start(&process);
    cnf_process_close(&child);
    cnf_process_close(&messages[1]);
    cnf_process_close(&errors[1]);
    out_server->messages = messages[0];
    out_server->errors = errors[0];
    if (error != 0) cnf_server_stop(out_server);
    return error;
}

void cnf_server_stop(cnf_server *server)
{
    cnf_process_close(&server->service);
    cnf_process_close(&server->messages);
    cnf_process_close(&server->errors);
}

/* ---- Requests ------------------------------------------------------------------------------- */

static int request_send(const cnf_server *server, rt_bytes input)
{
    int file = cnf_start_input(input);
    if (file < 0) return errno;
    int error = cnf_service_send(server->service, file, -1, false);
    cnf_process_close(&file);
    return error;
}

/* Reads what the server writes until the request has ended. False: the deadline has passed, or the
 * answer is too long. */
static bool end_await(cnf_server *server, double deadline, rt_buffer *out_messages,
                      rt_buffer *out_errors)
{
    struct pollfd service = {server->service, POLLIN, 0};
    do {
        cnf_process_drain(&server->messages, out_messages, CNF_PROCESS_OUTPUT_MAX);
        cnf_process_drain(&server->errors, out_errors, CNF_PROCESS_ERRORS_MAX);
        double remaining = deadline - cnf_process_now_ms();
        if (remaining <= 0 || out_messages->size >= CNF_PROCESS_OUTPUT_MAX) return false;
        struct pollfd ends[] = {
            service, {server->messages, POLLIN, 0}, {server->errors, POLLIN, 0}};
        poll(ends, sizeof ends / sizeof *ends, (int)remaining + 1);
        service.revents = ends[0].revents;
    } while (!service.revents);
    cnf_process_drain(&server->messages, out_messages, CNF_PROCESS_OUTPUT_MAX);
    cnf_process_drain(&server->errors, out_errors, CNF_PROCESS_ERRORS_MAX);
    return true;
}

cnf_process_result cnf_server_request(cnf_server *server, rt_bytes input, uint32_t timeout_ms,
                                      rt_buffer *out_messages, rt_buffer *out_errors)
{
    CHECK(server->service >= 0 && timeout_ms <= INT32_MAX);
    int status, error = request_send(server, input);
    cnf_process_result result = {CNF_PROCESS_NOT_STARTED, error};
    if (error == 0 &&
        !end_await(server, cnf_process_now_ms() + timeout_ms, out_messages, out_errors)) {
        bool is_late = out_messages->size < CNF_PROCESS_OUTPUT_MAX;
        result.end = is_late ? CNF_PROCESS_TIMED_OUT : CNF_PROCESS_OVERFLOWED;
    } else if (error == 0 && cnf_service_end(server->service, &status)) {
        if (WIFSIGNALED(status))
            return (cnf_process_result){CNF_PROCESS_SIGNALLED, WTERMSIG(status)};
        return (cnf_process_result){CNF_PROCESS_EXITED, WEXITSTATUS(status)};
    } else if (error == 0) {
        result.code = EPIPE;
    }
    cnf_server_stop(server);
    return result;
}
