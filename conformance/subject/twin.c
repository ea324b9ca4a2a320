/* Starts a second process for a scenario, and judges its messages. */
#include "conformance/subject/twin.h"

#include "conformance/process/process.h"
#include "reference/base/descriptors.h"
#include "reference/base/lines.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Starting ------------------------------------------------------------------------------- */

void cnf_twin_start(cnf_twin *out_twin, const cnf_subject *subject,
                    const cnf_subject_options *options, const scn_scenario *scenario)
{
    rt_arena arena = {0};
    /* The twin sends no answers of compilers, and no call fails in it. */
    cnf_subject_options twin_options = *options;
    twin_options.record = false;
    twin_options.fail_call = 0;
    rt_buffer pack = {0};
    scn_pack_write(&pack, scenario);
    *out_twin = (cnf_twin){.channel = -1, .messages = memfd_create("assay-twin", MFD_CLOEXEC)};
    int ends[2] = {-1, -1}, input = cnf_start_input(rt_buffer_bytes(&pack));
    if (out_twin->messages < 0 || input < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        out_twin->error = errno;
    int descriptors[] = {input, STDOUT_FILENO, STDERR_FILENO, out_twin->messages, ends[1]};
    _Static_assert(sizeof descriptors / sizeof *descriptors == CNF_TWIN_DESCRIPTOR + 1, "the last");
    const cnf_start start = {
        .program = CNF_THIS_PROGRAM,
        .arguments = cnf_subject_arguments(&arena, subject->name, &twin_options, "--twin"),
        .descriptors = descriptors,
        .descriptor_count = CNF_TWIN_DESCRIPTOR + 1,
        .stays_in_group = true};
    if (out_twin->error == 0) out_twin->error = cnf_start_process(&start, &out_twin->pid);
    out_twin->channel = ends[0];
    cnf_process_close(&ends[1]);
    cnf_process_close(&input);
    rt_buffer_free(&pack);
    rt_arena_reset(&arena);
}

void cnf_twin_meet(int channel)
{
    char byte = 0;
    /* A process that has ended answers with an error or the end of the stream. */
    if (send(channel, &byte, 1, MSG_NOSIGNAL) == 1)
        while (recv(channel, &byte, 1, 0) < 0 && errno == EINTR)
            continue;
}

/* ---- Judging -------------------------------------------------------------------------------- */

/* What the messages say: the first failed check, why nothing ran, and whether they are complete. */
typedef struct twin_report {
    rt_buffer failure; /* a line of code, a colon and the message; empty: none */
    rt_buffer reason;  /* why the device could not be opened */
    bool is_unavailable, is_complete;
} twin_report;

static const char *string_of(const json_t *message, const char *key)
{
    const char *value = json_string_value(json_object_get(message, key));
    return value ? value : "";
}

static void line_read(twin_report *report, rt_text line)
{
    json_t *message = json_loadb(line.data, line.length, 0, NULL);
    const char *type = string_of(message, "type");
    if (strcmp(type, "end") == 0 || strcmp(type, "skip") == 0) report->is_complete = true;
    if (strcmp(type, "unavailable") == 0 && !report->is_unavailable) {
        report->is_unavailable = true;
        rt_buffer_printf(&report->reason, "%s", string_of(message, "message"));
    }
    bool is_missed = strcmp(type, "check") == 0 && !json_is_true(json_object_get(message, "ok")) &&
                     json_is_true(json_object_get(message, "observed"));
    if (is_missed && report->failure.size == 0) {
        rt_buffer_printf(&report->failure, "line %lld: ",
                         (long long)json_integer_value(json_object_get(message, "line")));
        rt_buffer_printf(&report->failure, "%s", string_of(message, "message"));
    }
    json_decref(message);
}

void cnf_twin_finish(cnf_twin *twin, cnf_emitter *emitter, bool runs)
{
    int status = 0;
    if (twin->pid > 0) {
        if (!runs) kill(twin->pid, SIGKILL);
        while (waitpid(twin->pid, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    twin_report report = {0};
    rt_buffer text = {0};
    if (runs && twin->messages >= 0 && lseek(twin->messages, 0, SEEK_SET) == 0 &&
        rt_read_all(twin->messages, &text)) {
        rt_text rest = rt_buffer_text(&text), line;
        while (rt_line_take(&rest, &line))
            line_read(&report, line);
    }
    cnf_emitted_check check = {
        .step = SCN_NONE, .kind = "twin", .what = RT_TEXT("second-process"), .observed = true};
    rt_buffer message = {0};
    if (twin->error != 0) {
        check.code = RT_TEXT("not-started");
        rt_buffer_printf(&message, "the second process cannot be started: %s",
                         strerrordesc_np(twin->error));
    } else if (report.is_unavailable) {
        check.code = RT_TEXT("unavailable");
        rt_buffer_printf(&message, "the second process cannot open its device: %s",
                         rt_buffer_string(&report.reason));
    } else if (!report.is_complete) {
        check.code = RT_TEXT("ended");
        rt_buffer_printf(&message, "the second process ");
        cnf_process_describe(&message,
                             WIFSIGNALED(status)
                                 ? (cnf_process_result){CNF_PROCESS_SIGNALLED, WTERMSIG(status)}
                                 : (cnf_process_result){CNF_PROCESS_EXITED, WEXITSTATUS(status)},
                             0);
    } else if (report.failure.size > 0) {
        check.code = RT_TEXT("missed");
        rt_buffer_printf(&message, "the second process missed an expectation: %s",
                         rt_buffer_string(&report.failure));
    } else {
        check.ok = true;
    }
    check.message = rt_buffer_text(&message);
    if (runs) cnf_emit_check(emitter, &check);
    rt_buffer_free(&message);
    rt_buffer_free(&report.failure);
    rt_buffer_free(&report.reason);
    rt_buffer_free(&text);
    cnf_process_close(&twin->channel);
    cnf_process_close(&twin->messages);
}
