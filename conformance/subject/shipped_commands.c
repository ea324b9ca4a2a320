/* Turns a scenario's launches, copies and fills into requests to the host program. */
#include "conformance/subject/shipped.h"

void cnf_shipped_write_after(rt_buffer *out, cnf_after after)
{
    rt_write_u32(out, after.count);
    for (uint32_t i = 0; i < after.count; i++)
        rt_write_u32(out, after.commands[i]);
}

/* A range with fewer than three dimensions is padded with size 1 in the others. */
static void write_range(rt_buffer *out, const scn_submit *submit)
{
    bool local_given = submit->local[0] != 0;
    rt_write_u32(out, submit->dimensions);
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++)
        rt_write_u64(out, d < submit->dimensions ? submit->range[d] : 1);
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++)
        rt_write_u64(out, !local_given ? 0 : d < submit->dimensions ? submit->local[d] : 1);
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++)
        rt_write_u64(out, d < submit->dimensions ? submit->offset[d] : 0);
}

static void write_argument(rt_buffer *out, const uint32_t *memories, const scn_argument *argument)
{
    static const uint8_t kinds[SCN_ARGUMENT_KIND_COUNT] = {
        [SCN_ARGUMENT_MEMORY] = HOST_ARGUMENT_MEMORY,
        [SCN_ARGUMENT_POINTER] = HOST_ARGUMENT_POINTER,
        [SCN_ARGUMENT_NULL] = HOST_ARGUMENT_NULL,
        [SCN_ARGUMENT_VALUE] = HOST_ARGUMENT_BYTES,
        [SCN_ARGUMENT_LOCAL] = HOST_ARGUMENT_LOCAL,
    };
    CHECK((unsigned)argument->kind < SCN_ARGUMENT_KIND_COUNT);
    rt_write_u8(out, kinds[argument->kind]);
    switch (argument->kind) {
    case SCN_ARGUMENT_MEMORY:
        rt_write_u32(out, memories[argument->memory]);
        rt_write_u8(out, (uint8_t)argument->access);
        return;
    case SCN_ARGUMENT_POINTER:
        rt_write_u32(out, memories[argument->memory]);
        rt_write_u64(out, argument->offset);
        return;
    case SCN_ARGUMENT_NULL: return;
    case SCN_ARGUMENT_VALUE:
        rt_write_bytes(out, argument->value);
        rt_write_u32(out, argument->pointer_count);
        for (uint32_t i = 0; i < argument->pointer_count; i++) {
            const scn_inner_pointer *pointer = &argument->pointers[i];
            rt_write_u64(out, pointer->at);
            rt_write_u32(out, memories[pointer->memory]);
            rt_write_u64(out, pointer->offset);
        }
        return;
    case SCN_ARGUMENT_LOCAL: rt_write_u64(out, argument->size); return;
    case SCN_ARGUMENT_KIND_COUNT: break;
    }
    UNREACHABLE();
}

rt_status cnf_shipped_submit(cnf_execution *execution, uint32_t queue, const scn_submit *submit,
                             uint32_t bundle, cnf_after after, uint32_t *out_command)
{
    const uint32_t *memories = cnf_shipped_of(execution)->memories;
    bool bundled = bundle != CNF_NO_OBJECT;
    cnf_question question = cnf_question_begin(bundled ? HOST_BUNDLE : HOST_SUBMIT);
    rt_buffer *out = &question.request;
    CHECK_IMPLIES(submit->through == SCN_THROUGH_BUNDLE, bundled);
    if (bundled) {
        rt_write_u8(out, HOST_BUNDLE_SUBMIT);
        rt_write_u32(out, bundle);
    }
    CHECK(submit->options.length == 0); /* skip.c */
    rt_write_u32(out, queue);
    rt_write_u8(out, (uint8_t)submit->through);
    rt_write_text(out, submit->module == SCN_NONE
                           ? (rt_text){0}
                           : cnf_host_path(&question.arena, execution->scenario, submit->module));
    rt_write_text(out, submit->kernel);
    write_range(out, submit);
    rt_write_u32(out, submit->argument_count);
    for (uint32_t i = 0; i < submit->argument_count; i++)
        write_argument(out, memories, &submit->arguments[i]);
    rt_write_u32(out, submit->constant_count);
    for (uint32_t i = 0; i < submit->constant_count; i++) {
        rt_write_text(out, submit->constants[i].name);
        rt_write_bytes(out, submit->constants[i].value);
    }
    cnf_shipped_write_after(out, after);
    return cnf_shipped_ask_number(execution, &question, out_command);
}

rt_status cnf_shipped_transfer(cnf_execution *execution, uint32_t queue,
                               const scn_transfer *transfer, cnf_after after, uint32_t *out_command)
{
    if (transfer->variable.name.length > 0)
        return cnf_shipped_copy_global(execution, queue, transfer, after, out_command);
    const uint32_t *memories = cnf_shipped_of(execution)->memories;
    cnf_question question = cnf_question_begin(HOST_TRANSFER);
    rt_buffer *out = &question.request;
    bool is_copy = transfer->pattern.size == 0;
    rt_write_u32(out, queue);
    rt_write_u32(out, memories[transfer->to]);
    rt_write_u64(out, transfer->to_offset);
    rt_write_u32(out, is_copy ? memories[transfer->from] : HOST_NONE);
    rt_write_u64(out, is_copy ? transfer->from_offset : 0);
    rt_write_u64(out, transfer->size);
    rt_write_bytes(out, transfer->pattern);
    cnf_shipped_write_after(out, after);
    return cnf_shipped_ask_number(execution, &question, out_command);
}

rt_status cnf_shipped_host_task(cnf_execution *execution, uint32_t queue, const scn_host_task *task,
                                uint32_t awaited, cnf_after after, uint32_t *out_command)
{
    const uint32_t *memories = cnf_shipped_of(execution)->memories;
    cnf_question question = cnf_question_begin(HOST_TASK);
    rt_buffer *out = &question.request;
    rt_write_u32(out, queue);
    rt_write_u32(out, memories[task->from]);
    rt_write_u32(out, task->to == SCN_NONE ? HOST_NONE : memories[task->to]);
    bool has_gate = task->waits_for != SCN_NONE &&
                    execution->scenario->steps[task->waits_for].verb == SCN_VERB_USER_EVENT;
    uint32_t number = awaited == CNF_NO_OBJECT ? HOST_NONE : awaited;
    rt_write_u32(out, has_gate ? HOST_NONE : number);
    rt_write_u32(out, has_gate ? number : HOST_NONE);
    cnf_shipped_write_after(out, after);
    return cnf_shipped_ask_number(execution, &question, out_command);
}

rt_status cnf_shipped_user_event(cnf_execution *execution, uint32_t device, uint32_t *out_command)
{
    (void)device;
    cnf_question question = cnf_question_begin(HOST_GATE);
    return cnf_shipped_ask_number(execution, &question, out_command);
}

/* A host task is released however the event ends. */
rt_status cnf_shipped_complete_event(cnf_execution *execution, uint32_t command, bool has_failed)
{
    (void)has_failed;
    cnf_question question = cnf_question_begin(HOST_RELEASE);
    rt_write_u32(&question.request, command);
    return cnf_shipped_ask_done(execution, &question);
}

rt_status cnf_shipped_map(cnf_execution *execution, uint32_t queue, const scn_map *map,
                          cnf_after after, uint32_t *out_command, uint32_t *out_mapping)
{
    (void)queue, (void)out_command;
    CHECK(map->blocking); /* skip.c */
    _Static_assert((int)HOST_MAP_READ == (int)SCN_MAP_READ &&
                       (int)HOST_MAP_WRITE == (int)SCN_MAP_WRITE &&
                       (int)HOST_MAP_READ_WRITE == (int)SCN_MAP_READ_WRITE &&
                       (int)HOST_MAP_ACCESSES == (int)SCN_MAP_ACCESS_COUNT,
                   "one numbering");
    cnf_question question = cnf_question_begin(HOST_MAP);
    rt_write_u32(&question.request, cnf_shipped_of(execution)->memories[map->memory]);
    rt_write_u8(&question.request, (uint8_t)map->access);
    rt_write_u64(&question.request, map->offset);
    rt_write_u64(&question.request, map->size);
    cnf_shipped_write_after(&question.request, after);
    return cnf_shipped_ask_number(execution, &question, out_mapping);
}

rt_status cnf_shipped_unmap(cnf_execution *execution, uint32_t queue, uint32_t mapping,
                            cnf_after after, uint32_t *out_command)
{
    (void)queue, (void)out_command;
    cnf_question question = cnf_question_begin(HOST_UNMAP);
    rt_write_u32(&question.request, mapping);
    cnf_shipped_write_after(&question.request, after);
    return cnf_shipped_ask_done(execution, &question);
}

rt_status cnf_shipped_mapped_read(cnf_execution *execution, uint32_t step, uint32_t mapping,
                                  uint64_t size, cnf_content *out_content)
{
    (void)step;
    cnf_question question = cnf_question_begin(HOST_MAPPED_READ);
    rt_write_u32(&question.request, mapping);
    return cnf_shipped_ask_content(execution, &question, size, out_content);
}

rt_status cnf_shipped_mapped_write(cnf_execution *execution, uint32_t step, uint32_t mapping,
                                   uint64_t offset, rt_bytes bytes)
{
    (void)step;
    cnf_question question = cnf_question_begin(HOST_MAPPED_WRITE);
    rt_write_u32(&question.request, mapping);
    rt_write_u64(&question.request, offset);
    rt_write_bytes(&question.request, bytes);
    return cnf_shipped_ask_done(execution, &question);
}

rt_status cnf_shipped_marker(cnf_execution *execution, uint32_t queue, bool is_barrier,
                             bool waits_for_all, cnf_after after, uint32_t *out_command)
{
    CHECK(is_barrier); /* skip.c */
    cnf_question question = cnf_question_begin(HOST_BARRIER);
    rt_write_u32(&question.request, queue);
    rt_write_u8(&question.request, waits_for_all);
    cnf_shipped_write_after(&question.request, after);
    return cnf_shipped_ask_number(execution, &question, out_command);
}

rt_status cnf_shipped_part(cnf_execution *execution, uint32_t memory, uint32_t whole,
                           uint64_t offset)
{
    uint32_t *memories = cnf_shipped_of(execution)->memories;
    const scn_memory *declared = &execution->scenario->memories[memory];
    cnf_question question = cnf_question_begin(HOST_PART);
    rt_write_u32(&question.request, memories[whole]);
    rt_write_u64(&question.request, offset);
    rt_write_u64(&question.request, declared->count * declared->layout.size);
    return cnf_shipped_ask_number(execution, &question, &memories[memory]);
}

rt_status cnf_shipped_end_part(cnf_execution *execution, uint32_t memory)
{
    cnf_question question = cnf_question_begin(HOST_END_PART);
    rt_write_u32(&question.request, cnf_shipped_of(execution)->memories[memory]);
    return cnf_shipped_ask_done(execution, &question);
}
