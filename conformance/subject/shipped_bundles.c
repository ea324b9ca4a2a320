/* Turns a scenario's kernel bundle steps into requests to the host program. */
#include "conformance/subject/shipped.h"

static cnf_question bundle_question(host_bundle operation)
{
    cnf_question question = cnf_question_begin(HOST_BUNDLE);
    rt_write_u8(&question.request, (uint8_t)operation);
    return question;
}

static rt_status set_constant(cnf_execution *execution, uint32_t bundle,
                              const scn_spec_constant *constant)
{
    cnf_question question = bundle_question(HOST_BUNDLE_SET_CONSTANT);
    rt_write_u32(&question.request, bundle);
    rt_write_text(&question.request, constant->name);
    rt_write_bytes(&question.request, constant->value);
    return cnf_shipped_ask_done(execution, &question);
}

/* libsycl numbers the states as scn_bundle_state does. */
static rt_status get(cnf_execution *execution, const scn_bundle *declared, uint32_t context,
                     uint32_t *out_bundle)
{
    cnf_question question = bundle_question(HOST_BUNDLE_GET);
    rt_buffer *out = &question.request;
    uint32_t bundle = CNF_NO_OBJECT;
    rt_write_u8(out, (uint8_t)declared->state);
    rt_write_u32(out, context == CNF_NO_OBJECT ? HOST_NONE : context);
    rt_write_u32(out, 1);
    rt_write_u32(out, declared->device);
    rt_write_u32(out, declared->kernel_count);
    for (uint32_t i = 0; i < declared->kernel_count; i++)
        rt_write_text(out, declared->kernels[i]);
    RT_TRY(cnf_shipped_ask_number(execution, &question, &bundle));
    for (uint32_t i = 0; i < declared->constant_count; i++)
        RT_TRY(set_constant(execution, bundle, &declared->constants[i]));
    *out_bundle = bundle;
    return RT_STATUS_OK;
}

rt_status cnf_shipped_bundle(cnf_execution *execution, const scn_bundle *declared, uint32_t context,
                             const uint32_t *numbers, uint32_t *out_bundle)
{
    static const host_bundle operations[SCN_BUNDLE_ACTION_COUNT] = {
        [SCN_BUNDLE_GET] = HOST_BUNDLE_GET,   [SCN_BUNDLE_COMPILE] = HOST_BUNDLE_COMPILE,
        [SCN_BUNDLE_LINK] = HOST_BUNDLE_LINK, [SCN_BUNDLE_BUILD] = HOST_BUNDLE_BUILD,
        [SCN_BUNDLE_JOIN] = HOST_BUNDLE_JOIN,
    };
    CHECK((unsigned)declared->action < SCN_BUNDLE_ACTION_COUNT);
    CHECK(declared->options.length == 0); /* skip.c */
    if (declared->action == SCN_BUNDLE_GET) return get(execution, declared, context, out_bundle);
    cnf_question question = bundle_question(operations[declared->action]);
    bool several = declared->action == SCN_BUNDLE_LINK || declared->action == SCN_BUNDLE_JOIN;
    if (several) rt_write_u32(&question.request, declared->source_count);
    for (uint32_t i = 0; i < declared->source_count; i++)
        rt_write_u32(&question.request, numbers[i]);
    return cnf_shipped_ask_number(execution, &question, out_bundle);
}

/* libsycl does not report which images a device image was made from. */
rt_status cnf_shipped_bundle_show(cnf_execution *execution, uint32_t number,
                                  cnf_bundle_content *out_content)
{
    cnf_question question = bundle_question(HOST_BUNDLE_SHOW);
    rt_write_u32(&question.request, number);
    rt_status status = cnf_shipped_ask(execution, &question);
    if (rt_ok(status)) {
        rt_reader *answer = &question.answer;
        if (rt_read_u8(answer) >= SCN_BUNDLE_STATE_COUNT) rt_reader_fail(answer);
        out_content->unit_count = rt_read_u32(answer);
        uint32_t count = rt_read_count(answer, sizeof(uint64_t));
        rt_text *kernels = rt_arena_alloc_array(&out_content->arena, count, sizeof *kernels);
        for (uint32_t i = 0; i < count; i++)
            kernels[i] = rt_arena_text(&out_content->arena, rt_read_text(answer));
        out_content->kernels = kernels;
        out_content->kernel_count = count;
        status = cnf_shipped_answered(execution, &question);
    }
    cnf_question_end(&question);
    return status;
}
