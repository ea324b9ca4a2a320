/* Turns copies of device_globals into requests to the host program, whose modules have registered
 * them. */
#include "conformance/subject/shipped.h"

/* Finds the variable's type and its number in the host program. */
static rt_status find(cnf_execution *execution, const scn_variable *variable,
                      const rt_device_global **out_type, uint32_t *out_global)
{
    RT_TRY(cnf_variable_find(execution, variable, out_type));
    const rt_device_global *global = *out_type;
    cnf_question question = cnf_question_begin(HOST_GLOBAL);
    rt_write_text(&question.request, global->unique_id);
    rt_status status = cnf_shipped_ask_number(execution, &question, out_global);
    if (status.code != RT_ERRC_INVALID) return status;
    /* Refused here, because an application that names such a variable would not have compiled. */
    return rt_fail_naming(execution->sink, RT_ERRC_INVALID, RT_RULE_NONE, &global->name, 1,
                          "no loaded module has a device_global %.*s", RT_TEXT_ARG(global->name));
}

rt_status cnf_shipped_copy_global(cnf_execution *execution, uint32_t queue,
                                  const scn_transfer *transfer, cnf_after after,
                                  uint32_t *out_command)
{
    uint32_t global;
    const rt_device_global *type;
    bool to_global = transfer->to == SCN_NONE;
    CHECK(to_global != (transfer->from == SCN_NONE));
    RT_TRY(find(execution, &transfer->variable, &type, &global));
    const uint32_t *memories = cnf_shipped_of(execution)->memories;
    cnf_question question = cnf_question_begin(HOST_GLOBAL_COPY);
    rt_buffer *out = &question.request;
    rt_write_u32(out, queue);
    rt_write_u8(out, to_global ? HOST_TO_GLOBAL : HOST_FROM_GLOBAL);
    rt_write_u8(out, transfer->by_handler);
    rt_write_u32(out, global);
    rt_write_u64(out, to_global ? transfer->to_offset : transfer->from_offset);
    rt_write_u32(out, memories[to_global ? transfer->from : transfer->to]);
    rt_write_u64(out, to_global ? transfer->from_offset : transfer->to_offset);
    rt_write_u64(out, transfer->size);
    cnf_shipped_write_after(out, after);
    return cnf_shipped_ask_number(execution, &question, out_command);
}

rt_status cnf_shipped_read_global(cnf_execution *execution, const scn_variable *variable,
                                  uint32_t queue, bool existing, cnf_content *out_content)
{
    uint32_t global;
    const rt_device_global *type;
    /* libsycl does not report whether an instance already exists, and a read would create one. */
    if (existing) return RT_STATUS_OK;
    RT_TRY(find(execution, variable, &type, &global));
    cnf_question question = cnf_question_begin(HOST_GLOBAL_READ);
    rt_write_u32(&question.request, queue);
    rt_write_u32(&question.request, global);
    rt_status status = cnf_shipped_ask(execution, &question);
    if (rt_ok(status)) {
        rt_bytes bytes = rt_read_bytes(&question.answer);
        if (bytes.size != type->size) rt_reader_fail(&question.answer);
        status = cnf_shipped_answered(execution, &question);
        if (rt_ok(status)) {
            out_content->bytes = bytes;
            out_content->arena = question.arena; /* which holds the bytes */
            question.arena = (rt_arena){0};
        }
    }
    cnf_question_end(&question);
    return status;
}
