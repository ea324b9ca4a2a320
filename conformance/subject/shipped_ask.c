/* Sends every request to the host program, and checks every answer. */
#include "conformance/subject/shipped.h"

cnf_question cnf_question_begin(host_request kind)
{
    cnf_question question = {0};
    rt_write_u8(&question.request, (uint8_t)kind);
    return question;
}

void cnf_question_end(cnf_question *question)
{
    rt_buffer_free(&question->request);
    rt_arena_reset(&question->arena);
}

rt_status cnf_shipped_fate(cnf_execution *execution, rt_status status)
{
    if (!rt_ok(status)) cnf_host_share_fate(cnf_shipped_of(execution)->host);
    return status;
}

rt_status cnf_shipped_ask(cnf_execution *execution, cnf_question *question)
{
    return cnf_shipped_fate(execution,
                            cnf_host_ask(cnf_shipped_of(execution)->host, execution->thread,
                                         &question->request, &question->arena, &question->answer));
}

rt_status cnf_shipped_answered(cnf_execution *execution, const cnf_question *question)
{
    /* Names of requests, by host_request. */
    static const char *const request_names[] = {
        [HOST_DEVICES] = "a request for devices",
        [HOST_CONTEXT] = "a request for a context",
        [HOST_QUEUE] = "a request for a queue",
        [HOST_MEMORY] = "a request for memory",
        [HOST_READ] = "a read",
        [HOST_SUBMIT] = "a launch",
        [HOST_TRANSFER] = "a copy or a fill",
        [HOST_WAIT] = "a wait",
        [HOST_BUNDLE] = "a request about a kernel bundle",
        [HOST_GLOBAL] = "a request for a device_global",
        [HOST_GLOBAL_COPY] = "a copy of a device_global",
        [HOST_GLOBAL_READ] = "a read of a device_global",
        [HOST_TIMES] = "a query of profiling times",
        [HOST_BARRIER] = "a barrier",
        [HOST_TASK] = "a host task",
        [HOST_PART] = "a sub-buffer",
        [HOST_END_PART] = "the end of a sub-buffer",
        [HOST_GATE] = "a gate for host tasks",
        [HOST_RELEASE] = "the release of host tasks",
        [HOST_MAP] = "a host accessor",
        [HOST_MAPPED_READ] = "a read through a host accessor",
        [HOST_MAPPED_WRITE] = "a write through a host accessor",
        [HOST_UNMAP] = "the end of a host accessor",
    };
    uint8_t kind = (uint8_t)question->request.data[0];
    CHECK(kind < sizeof request_names / sizeof *request_names && request_names[kind]);
    return cnf_host_answer_end(cnf_shipped_of(execution)->host, &question->answer,
                               request_names[kind]);
}

rt_status cnf_shipped_ask_done(cnf_execution *execution, cnf_question *question)
{
    rt_status status = cnf_shipped_ask(execution, question);
    if (rt_ok(status)) status = cnf_shipped_answered(execution, question);
    cnf_question_end(question);
    return status;
}

rt_status cnf_shipped_ask_content(cnf_execution *execution, cnf_question *question, uint64_t size,
                                  cnf_content *out_content)
{
    rt_status status = cnf_shipped_ask(execution, question);
    if (rt_ok(status)) {
        rt_bytes bytes = rt_read_bytes(&question->answer);
        if (bytes.size != size) rt_reader_fail(&question->answer);
        status = cnf_shipped_answered(execution, question);
        if (rt_ok(status) && out_content) {
            out_content->bytes = bytes;
            out_content->arena = question->arena; /* which holds the bytes */
            question->arena = (rt_arena){0};
        }
    }
    cnf_question_end(question);
    return status;
}

rt_status cnf_shipped_ask_number(cnf_execution *execution, cnf_question *question,
                                 uint32_t *out_number)
{
    rt_status status = cnf_shipped_ask(execution, question);
    if (rt_ok(status)) {
        uint32_t number = rt_read_below(&question->answer, HOST_NONE);
        status = cnf_shipped_answered(execution, question);
        if (rt_ok(status)) *out_number = number;
    }
    cnf_question_end(question);
    return status;
}
