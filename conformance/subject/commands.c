/* The steps that give work to queues, and those that wait for it. */
#include "conformance/subject/execute.h"

rt_status cnf_run_queue(cnf_execution *execution, uint32_t index)
{
    const scn_queue *queue = &execution->scenario->steps[index].queue;
    const rt_device *device = execution->devices[queue->device];
    rt_context_id context =
        queue->context == SCN_NONE ? 0 : execution->results[queue->context].context;
    if (!rt_runtime_context_holds(execution->runtime, context, device)) {
        return rt_fail(execution->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "the context does not hold device '%.*s'", RT_TEXT_ARG(device->name));
    }
    return rt_scheduler_queue_create(rt_runtime_scheduler(execution->runtime), device, context,
                                     queue->in_order, &execution->results[index].queue);
}

/* The queue that a command names, or the default one of its device, made when it is first used. */
static rt_status queue_of(cnf_execution *execution, const scn_step *step, rt_queue_id *out_queue)
{
    rt_queue_id *queue = step->on == SCN_NONE ? &execution->queues[step->device]
                                              : &execution->results[step->on].queue;
    if (*queue == UINT32_MAX && step->on != SCN_NONE) {
        return rt_fail(execution->sink, RT_ERRC_INVALID, RT_RULE_NONE, "queue '%.*s' was not made",
                       RT_TEXT_ARG(execution->scenario->steps[step->on].id));
    }
    if (*queue == UINT32_MAX) {
        RT_TRY(rt_scheduler_queue_create(rt_runtime_scheduler(execution->runtime),
                                         execution->devices[step->device], 0, false, queue));
    }
    *out_queue = *queue;
    return RT_STATUS_OK;
}

/* The commands of earlier steps; the caller frees the array.  A step that was refused, as it was
 * expected to be, or that belongs to the other profile, made no command to wait for. */
static rt_command_id *after_list(const cnf_execution *execution, const scn_step *step,
                                 uint32_t *out_count)
{
    rt_command_id *after = rt_alloc_array(step->after_count + 1, sizeof *after);
    *out_count = 0;
    for (uint32_t i = 0; i < step->after_count; i++) {
        rt_command_id command = execution->results[step->after[i]].command;
        if (command != UINT32_MAX) after[(*out_count)++] = command;
    }
    return after;
}

/* ---- Launches ----------------------------------------------------------------------------- */

static const rt_inner_pointer *pointers_of(cnf_execution *execution, const scn_argument *given)
{
    rt_inner_pointer *pointers =
        rt_arena_alloc_array(&execution->arena, given->pointer_count, sizeof *pointers);
    for (uint32_t i = 0; i < given->pointer_count; i++) {
        const scn_inner_pointer *pointer = &given->pointers[i];
        pointers[i] = (rt_inner_pointer){.at = pointer->at,
                                         .memory = execution->memories[pointer->memory],
                                         .offset = pointer->offset};
    }
    return pointers;
}

static rt_argument argument_of(cnf_execution *execution, const scn_argument *given)
{
    static const rt_access accesses[] = {
        [SCN_ACCESS_READ_WRITE] = RT_ACCESS_READ_WRITE,
        [SCN_ACCESS_READ] = RT_ACCESS_READ,
        [SCN_ACCESS_WRITE] = RT_ACCESS_WRITE,
    };
    switch (given->kind) {
    case SCN_ARGUMENT_MEMORY:
        return (rt_argument){.kind = RT_ARGUMENT_MEMORY,
                             .memory = execution->memories[given->memory],
                             .access = accesses[given->access]};
    case SCN_ARGUMENT_POINTER:
        return (rt_argument){.kind = RT_ARGUMENT_POINTER,
                             .memory = execution->memories[given->memory],
                             .offset = given->offset};
    case SCN_ARGUMENT_NULL: return (rt_argument){.kind = RT_ARGUMENT_NULL};
    case SCN_ARGUMENT_VALUE:
        return (rt_argument){.kind = RT_ARGUMENT_BYTES,
                             .bytes = given->value,
                             .pointers = pointers_of(execution, given),
                             .pointer_count = given->pointer_count};
    case SCN_ARGUMENT_LOCAL: return (rt_argument){.kind = RT_ARGUMENT_LOCAL, .size = given->size};
    case SCN_ARGUMENT_KIND_COUNT: break;
    }
    UNREACHABLE();
}

static dev_nd_range range_of(const scn_submit *submit)
{
    dev_nd_range range = {.dimensions = submit->dimensions};
    bool local_given = submit->local[0] != 0;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        bool used = d < submit->dimensions;
        range.global[d] = used ? submit->range[d] : 1;
        range.local[d] = !local_given ? 0 : used ? submit->local[d] : 1;
        range.offset[d] = used ? submit->offset[d] : 0;
    }
    return range;
}

rt_status cnf_run_submit(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    const scn_submit *submit = &step->submit;
    rt_queue_id queue = UINT32_MAX;
    RT_TRY(queue_of(execution, step, &queue));
    rt_argument *arguments = rt_alloc_array(submit->argument_count + 1, sizeof *arguments);
    for (uint32_t i = 0; i < submit->argument_count; i++)
        arguments[i] = argument_of(execution, &submit->arguments[i]);
    rt_spec_constant *constants = rt_alloc_array(submit->constant_count + 1, sizeof *constants);
    for (uint32_t i = 0; i < submit->constant_count; i++)
        constants[i] = (rt_spec_constant){submit->constants[i].name, submit->constants[i].value};
    uint32_t after_count;
    rt_command_id *after = after_list(execution, step, &after_count);
    const rt_launch launch = {
        .kernel = submit->kernel,
        .range = range_of(submit),
        .arguments = arguments,
        .argument_count = submit->argument_count,
        .after = after,
        .after_count = after_count,
        .constants = constants,
        .constant_count = submit->constant_count,
        .options = submit->options,
        .has_module = submit->module != SCN_NONE,
        .module = submit->module,
    };
    rt_status status = rt_scheduler_launch(rt_runtime_scheduler(execution->runtime), queue, &launch,
                                           &execution->results[index].command);
    rt_free(after);
    rt_free(constants);
    rt_free(arguments);
    return status;
}

/* ---- Copies, fills, waits ----------------------------------------------------------------- */

rt_status cnf_run_transfer(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    const scn_transfer *given = &step->transfer;
    rt_queue_id queue = UINT32_MAX;
    RT_TRY(queue_of(execution, step, &queue));
    uint32_t after_count;
    rt_command_id *after = after_list(execution, step, &after_count);
    rt_transfer transfer = {
        .to = execution->memories[given->to],
        .to_offset = given->to_offset,
        .size = given->size,
        .after = after,
        .after_count = after_count,
    };
    if (step->verb == SCN_VERB_COPY) {
        transfer.from = execution->memories[given->from];
        transfer.from_offset = given->from_offset;
    } else {
        transfer.pattern = given->pattern;
    }
    rt_status status = rt_scheduler_transfer(rt_runtime_scheduler(execution->runtime), queue,
                                             &transfer, &execution->results[index].command);
    rt_free(after);
    return status;
}

rt_status cnf_run_wait(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    rt_scheduler *scheduler = rt_runtime_scheduler(execution->runtime);
    if (step->awaited != SCN_NONE) {
        rt_command_id command = execution->results[step->awaited].command;
        if (command == UINT32_MAX) return RT_STATUS_OK; /* it was refused, as expected */
        return rt_scheduler_wait_command(scheduler, command);
    }
    if (step->on == SCN_NONE) return rt_scheduler_wait(scheduler);
    rt_queue_id queue = execution->results[step->on].queue;
    if (queue == UINT32_MAX) return RT_STATUS_OK;
    return rt_scheduler_wait_queue(scheduler, queue);
}
