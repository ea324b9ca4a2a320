/* Runs a scenario's launches, copies and fills on the reference runtime. */
#include "conformance/subject/reference.h"

#include <string.h>

/* The number of a command before the call that submits it: a runtime that refuses the command must
 * set it, too. */
#define UNSET_COMMAND (CNF_NO_OBJECT - 1)

rt_promotion cnf_reference_promotion(scn_promotion promotion)
{
    static const rt_promotion promotions[SCN_PROMOTION_COUNT] = {
        [SCN_PROMOTION_NONE] = RT_PROMOTION_NONE,
        [SCN_PROMOTION_PRIVATE] = RT_PROMOTION_PRIVATE,
        [SCN_PROMOTION_LOCAL] = RT_PROMOTION_LOCAL,
    };
    CHECK((unsigned)promotion < SCN_PROMOTION_COUNT);
    return promotions[promotion];
}

/* The argument, whose bytes and pointers are copied into the arena. */
static rt_argument argument_of(cnf_execution *execution, rt_arena *arena,
                               const scn_argument *argument)
{
    static const rt_access accesses[] = {
        [SCN_ACCESS_READ_WRITE] = RT_ACCESS_READ_WRITE,
        [SCN_ACCESS_READ] = RT_ACCESS_READ,
        [SCN_ACCESS_WRITE] = RT_ACCESS_WRITE,
    };
    rt_memory *const *memories = cnf_reference_of(execution)->memories;
    switch (argument->kind) {
    case SCN_ARGUMENT_MEMORY:
        return (rt_argument){.kind = RT_ARGUMENT_MEMORY,
                             .memory = memories[argument->memory],
                             .access = accesses[argument->access],
                             .promotion = cnf_reference_promotion(argument->promotion)};
    case SCN_ARGUMENT_POINTER:
        return (rt_argument){.kind = RT_ARGUMENT_POINTER,
                             .memory = memories[argument->memory],
                             .offset = argument->offset};
    case SCN_ARGUMENT_NULL: return (rt_argument){.kind = RT_ARGUMENT_NULL};
    case SCN_ARGUMENT_VALUE: {
        uint32_t count = argument->pointer_count;
        rt_inner_pointer *pointers = rt_arena_alloc_array(arena, count, sizeof *pointers);
        for (uint32_t i = 0; i < count; i++) {
            const scn_inner_pointer *pointer = &argument->pointers[i];
            pointers[i] = (rt_inner_pointer){
                .at = pointer->at, .memory = memories[pointer->memory], .offset = pointer->offset};
        }
        return (rt_argument){.kind = RT_ARGUMENT_BYTES,
                             .bytes = rt_arena_bytes(arena, argument->value),
                             .pointers = pointers,
                             .pointer_count = count};
    }
    case SCN_ARGUMENT_LOCAL:
        return (rt_argument){.kind = RT_ARGUMENT_LOCAL, .size = argument->size};
    case SCN_ARGUMENT_KIND_COUNT: break;
    }
    UNREACHABLE();
}

static dev_nd_range range_of(const scn_submit *submit)
{
    dev_nd_range range = {.dimensions = submit->dimensions, .is_non_uniform = submit->non_uniform};
    bool local_given = submit->local[0] != 0;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        bool used = d < submit->dimensions;
        range.global[d] = used ? submit->range[d] : 1;
        range.local[d] = !local_given ? 0 : used ? submit->local[d] : 1;
        range.offset[d] = used ? submit->offset[d] : 0;
    }
    return range;
}

rt_spec_constant *cnf_reference_constants(const scn_spec_constant *constants, uint32_t count)
{
    rt_spec_constant *copies = rt_alloc_array((size_t)count + 1, sizeof *copies);
    for (uint32_t i = 0; i < count; i++)
        copies[i] = (rt_spec_constant){constants[i].name, constants[i].value};
    return copies;
}

/* Overwrites what the arguments point to: a launch may refer to it only during the call. */
static void arguments_spoil(const rt_argument *arguments, uint32_t count)
{
    enum { SPOILED = 0xa5 };
    for (uint32_t i = 0; i < count; i++) {
        if (arguments[i].kind != RT_ARGUMENT_BYTES) continue;
        memset((void *)arguments[i].bytes.data, SPOILED, arguments[i].bytes.size);
        for (uint32_t k = 0; k < arguments[i].pointer_count; k++)
            *(rt_inner_pointer *)&arguments[i].pointers[k] = (rt_inner_pointer){0};
    }
}

rt_status cnf_reference_submit(cnf_execution *execution, uint32_t queue, const scn_submit *submit,
                               uint32_t bundle, cnf_after after, uint32_t *out_command)
{
    cnf_reference *reference = cnf_reference_of(execution);
    rt_arena copies = {0};
    rt_argument *arguments = rt_alloc_array(submit->argument_count + 1, sizeof *arguments);
    for (uint32_t i = 0; i < submit->argument_count; i++)
        arguments[i] = argument_of(execution, &copies, &submit->arguments[i]);
    rt_spec_constant *constants =
        cnf_reference_constants(submit->constants, submit->constant_count);
    const rt_launch launch = {
        .kernel = submit->kernel,
        .range = range_of(submit),
        .arguments = arguments,
        .argument_count = submit->argument_count,
        .after = after.commands,
        .after_count = after.count,
        .constants = constants,
        .constant_count = submit->constant_count,
        .options = submit->options,
        .has_module = submit->module != SCN_NONE,
        .module = submit->module,
        .bundle = bundle == CNF_NO_OBJECT ? NULL : cnf_reference_bundle_at(reference, bundle),
    };
    *out_command = UNSET_COMMAND;
    rt_status status =
        rt_scheduler_launch(cnf_reference_scheduler(execution), queue, &launch, out_command);
    arguments_spoil(arguments, submit->argument_count);
    rt_arena_reset(&copies);
    rt_free(constants);
    rt_free(arguments);
    return status;
}

rt_status cnf_reference_transfer(cnf_execution *execution, uint32_t queue,
                                 const scn_transfer *declared, cnf_after after,
                                 uint32_t *out_command)
{
    if (declared->to == SCN_NONE || (declared->pattern.size == 0 && declared->from == SCN_NONE))
        return cnf_reference_global_copy(execution, queue, declared, after, out_command);
    cnf_reference *reference = cnf_reference_of(execution);
    rt_transfer transfer = {
        .to = reference->memories[declared->to],
        .to_offset = declared->to_offset,
        .size = declared->size,
        .after = after.commands,
        .after_count = after.count,
    };
    if (declared->pattern.size == 0) {
        transfer.from = reference->memories[declared->from];
        transfer.from_offset = declared->from_offset;
    } else {
        transfer.pattern = declared->pattern;
    }
    *out_command = UNSET_COMMAND;
    return rt_scheduler_transfer(cnf_reference_scheduler(execution), queue, &transfer, out_command);
}

rt_status cnf_reference_marker(cnf_execution *execution, uint32_t queue, bool is_barrier,
                               bool waits_for_all, cnf_after after, uint32_t *out_command)
{
    const rt_marker marker = {is_barrier, waits_for_all, after.commands, after.count};
    *out_command = UNSET_COMMAND;
    return rt_scheduler_marker(cnf_reference_scheduler(execution), queue, &marker, out_command);
}

rt_status cnf_reference_part(cnf_execution *execution, uint32_t memory, uint32_t whole,
                             uint64_t offset)
{
    cnf_reference *reference = cnf_reference_of(execution);
    const scn_memory *declared = &execution->scenario->memories[memory];
    return rt_runtime_part_create(reference->runtime, declared->name, reference->memories[whole],
                                  offset, declared->count * declared->layout.size,
                                  &reference->memories[memory]);
}

rt_status cnf_reference_end_part(cnf_execution *execution, uint32_t memory)
{
    return rt_scheduler_memory_end(cnf_reference_scheduler(execution),
                                   cnf_reference_of(execution)->memories[memory]);
}

rt_status cnf_reference_user_event(cnf_execution *execution, uint32_t device, uint32_t *out_command)
{
    *out_command = UNSET_COMMAND;
    return rt_scheduler_user_event(cnf_reference_scheduler(execution),
                                   cnf_reference_of(execution)->devices[device], out_command);
}

rt_status cnf_reference_complete_event(cnf_execution *execution, uint32_t command, bool has_failed)
{
    return rt_scheduler_user_event_complete(cnf_reference_scheduler(execution), command,
                                            has_failed);
}

rt_status cnf_reference_host_task(cnf_execution *execution, uint32_t queue,
                                  const scn_host_task *declared, uint32_t awaited, cnf_after after,
                                  uint32_t *out_command)
{
    rt_memory *const *memories = cnf_reference_of(execution)->memories;
    const rt_host_task task = {
        .from = memories[declared->from],
        .to = declared->to == SCN_NONE ? NULL : memories[declared->to],
        .awaited = awaited == CNF_NO_OBJECT ? NULL : &awaited,
        .after = after.commands,
        .after_count = after.count,
    };
    *out_command = UNSET_COMMAND;
    return rt_scheduler_host_task(cnf_reference_scheduler(execution), queue, &task, out_command);
}

rt_status cnf_reference_map(cnf_execution *execution, uint32_t queue, const scn_map *declared,
                            cnf_after after, uint32_t *out_command, uint32_t *out_mapping)
{
    static const dev_map_access accesses[SCN_MAP_ACCESS_COUNT] = {
        [SCN_MAP_READ] = DEV_MAP_READ,
        [SCN_MAP_WRITE] = DEV_MAP_WRITE,
        [SCN_MAP_READ_WRITE] = DEV_MAP_READ_WRITE,
        [SCN_MAP_WRITE_INVALIDATE] = DEV_MAP_WRITE_INVALIDATE,
    };
    CHECK((unsigned)declared->access < SCN_MAP_ACCESS_COUNT);
    const rt_map_request map = {
        .memory = cnf_reference_of(execution)->memories[declared->memory],
        .range = {declared->offset, declared->size, accesses[declared->access], declared->blocking},
        .after = after.commands,
        .after_count = after.count,
    };
    *out_command = UNSET_COMMAND;
    RT_TRY(rt_scheduler_map(cnf_reference_scheduler(execution), queue, &map, out_command));
    *out_mapping = *out_command;
    return RT_STATUS_OK;
}

rt_status cnf_reference_unmap(cnf_execution *execution, uint32_t queue, uint32_t map,
                              cnf_after after, uint32_t *out_command)
{
    *out_command = UNSET_COMMAND;
    return rt_scheduler_unmap(cnf_reference_scheduler(execution), queue, map, after.commands,
                              after.count, out_command);
}

rt_status cnf_reference_mapped_read(cnf_execution *execution, uint32_t step, uint32_t map,
                                    uint64_t size, cnf_content *out_content)
{
    uint8_t *bits = NULL;
    if (execution->runtime->capabilities.finds_faults)
        bits = rt_arena_alloc(&out_content->arena, (size_t)(size + 7) / 8);
    out_content->defined = bits;
    return rt_scheduler_mapping_read(cnf_reference_scheduler(execution), map, step,
                                     &out_content->bytes, bits);
}

rt_status cnf_reference_mapped_write(cnf_execution *execution, uint32_t step, uint32_t map,
                                     uint64_t offset, rt_bytes bytes)
{
    return rt_scheduler_mapping_write(cnf_reference_scheduler(execution), map, step, offset, bytes);
}

scn_event_status cnf_reference_status(cnf_execution *execution, uint32_t command, bool *out_known)
{
    rt_progress progress = rt_scheduler_progress(cnf_reference_scheduler(execution), command);
    *out_known = progress != RT_PROGRESS_HANDED_OVER;
    return progress == RT_PROGRESS_COMPLETE ? SCN_EVENT_COMPLETE : SCN_EVENT_SUBMITTED;
}
