/* Steps that submit work to queues, and steps that wait for it. */
#include "conformance/subject/execute.h"

#include "conformance/scenario/resolve/variables.h"

rt_status cnf_run_context(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    CHECK(step->verb == SCN_VERB_CONTEXT);
    return execution->runtime->operations->context(execution, step->context.devices,
                                                   step->context.device_count,
                                                   &execution->results[index].context);
}

rt_status cnf_run_queue(cnf_execution *execution, uint32_t index)
{
    const scn_queue *queue = &execution->scenario->steps[index].queue;
    CHECK(execution->scenario->steps[index].verb == SCN_VERB_QUEUE);
    uint32_t context =
        queue->context == SCN_NONE ? CNF_NO_OBJECT : execution->results[queue->context].context;
    const cnf_runtime_operations *operations = execution->runtime->operations;
    uint32_t *queue_number = &execution->results[index].queue;
    CHECK_IMPLIES(queue->enable_profiling, operations->profiling); /* otherwise the scenario would
                                                                    * have been skipped */
    RT_TRY(operations->queue(execution, queue, context, queue_number));
    if (!queue->enable_fusion) return RT_STATUS_OK;
    CHECK(operations->fusion); /* as above */
    return operations->fusion->enable(execution, *queue_number);
}

rt_status cnf_default_queue(cnf_execution *execution, uint32_t device, uint32_t *out_queue)
{
    CHECK(device < execution->scenario->device_count);
    uint32_t *queue = &execution->queues[device];
    const scn_queue plain = {.device = device, .context = SCN_NONE};
    if (*queue == CNF_NO_OBJECT)
        RT_TRY(execution->runtime->operations->queue(execution, &plain, CNF_NO_OBJECT, queue));
    *out_queue = *queue;
    return RT_STATUS_OK;
}

/* Looks up the number of the queue that a step created. */
static rt_status queue_find(cnf_execution *execution, uint32_t step, uint32_t *out_queue)
{
    *out_queue = execution->results[step].queue;
    if (*out_queue != CNF_NO_OBJECT) return RT_STATUS_OK;
    return rt_fail(execution->sink, RT_ERRC_INVALID, RT_RULE_NONE, "queue '%.*s' was not created",
                   RT_TEXT_ARG(execution->scenario->steps[step].id));
}

/* Finds a command's queue (the one that it names, or its device's default queue) and the commands
 * of earlier steps that it waits for. Steps that were refused as expected, or that belong to the
 * other profile, have no command to wait for. */
static rt_status command_begin(cnf_execution *execution, const scn_step *step, uint32_t *out_queue,
                               cnf_after *out_after)
{
    const scn_command *command = scn_step_command(step);
    CHECK(command && execution->runtime);
    if (command->queue == SCN_NONE)
        RT_TRY(cnf_default_queue(execution, command->device, out_queue));
    else
        RT_TRY(queue_find(execution, command->queue, out_queue));
    uint32_t *after = rt_arena_alloc_array(&execution->arena, command->after_count, sizeof *after);
    *out_after = (cnf_after){.commands = after};
    for (uint32_t i = 0; i < command->after_count; i++) {
        CHECK(command->after[i] < execution->scenario->step_count);
        uint32_t earlier = execution->results[command->after[i]].command;
        if (earlier != CNF_NO_OBJECT) after[out_after->count++] = earlier;
    }
    return RT_STATUS_OK;
}

rt_status cnf_variable_find(cnf_execution *execution, const scn_variable *variable,
                            const rt_device_global **out_global)
{
    *out_global = NULL;
    if (variable->global == SCN_NONE) {
        return rt_fail(execution->sink, RT_MALFORMED, RT_RULE_NONE,
                       "device_global '%.*s' was not found when the scenario was packed",
                       RT_TEXT_ARG(variable->name));
    }
    *out_global = scn_variable_of(execution->scenario, variable);
    return RT_STATUS_OK;
}

/* Gets the executable bundle of the submitted kernel alone, in the context of its queue. */
static rt_status kernel_bundle(cnf_execution *execution, const scn_submit *submit,
                               uint32_t *out_bundle)
{
    const scn_step *steps = execution->scenario->steps;
    const scn_command *command = &submit->command;
    const bool is_default = command->queue == SCN_NONE;
    const scn_queue *queue = is_default ? NULL : &steps[command->queue].queue;
    const scn_bundle bundle = {
        .action = SCN_BUNDLE_GET,
        .state = SCN_BUNDLE_EXECUTABLE,
        .device = is_default ? command->device : queue->device,
        .context = is_default ? SCN_NONE : queue->context,
        .kernels = &submit->kernel,
        .kernel_count = 1,
    };
    const uint32_t context =
        bundle.context == SCN_NONE ? CNF_NO_OBJECT : execution->results[bundle.context].context;
    return execution->runtime->operations->bundle(execution, &bundle, context, NULL, out_bundle);
}

rt_status cnf_run_submit(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    CHECK(step->verb == SCN_VERB_SUBMIT);
    uint32_t queue = CNF_NO_OBJECT, bundle = CNF_NO_OBJECT;
    cnf_after after;
    RT_TRY(command_begin(execution, step, &queue, &after));
    if (step->submit.bundle != SCN_NONE)
        RT_TRY(cnf_bundle_number(execution, step->submit.bundle, &bundle));
    else if (step->submit.through == SCN_THROUGH_BUNDLE)
        RT_TRY(kernel_bundle(execution, &step->submit, &bundle));
    return execution->runtime->operations->submit(execution, queue, &step->submit, bundle, after,
                                                  &execution->results[index].command);
}

rt_status cnf_run_transfer(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    CHECK(step->verb == SCN_VERB_COPY || step->verb == SCN_VERB_FILL);
    CHECK((step->verb == SCN_VERB_COPY) == (step->transfer.pattern.size == 0));
    uint32_t queue = CNF_NO_OBJECT;
    cnf_after after;
    RT_TRY(command_begin(execution, step, &queue, &after));
    return execution->runtime->operations->transfer(execution, queue, &step->transfer, after,
                                                    &execution->results[index].command);
}

rt_status cnf_run_marker(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    CHECK(step->verb == SCN_VERB_BARRIER || step->verb == SCN_VERB_MARKER);
    uint32_t queue = CNF_NO_OBJECT;
    cnf_after after = {0};
    RT_TRY(command_begin(execution, step, &queue, &after));
    return execution->runtime->operations->marker(execution, queue, step->verb == SCN_VERB_BARRIER,
                                                  step->marker.after_count == 0, after,
                                                  &execution->results[index].command);
}

rt_status cnf_run_user_event(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    CHECK(step->verb == SCN_VERB_USER_EVENT);
    return execution->runtime->operations->user_event(execution, step->device,
                                                      &execution->results[index].command);
}

rt_status cnf_run_complete_event(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    CHECK(step->verb == SCN_VERB_COMPLETE_EVENT);
    return execution->runtime->operations->complete_event(
        execution, execution->results[step->completion.event].command, step->completion.failed);
}

rt_status cnf_run_map(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    CHECK(step->verb == SCN_VERB_MAP);
    uint32_t queue = CNF_NO_OBJECT;
    cnf_after after;
    RT_TRY(command_begin(execution, step, &queue, &after));
    return execution->runtime->operations->map(execution, queue, &step->map, after,
                                               &execution->results[index].command,
                                               &execution->results[index].mapping);
}

rt_status cnf_run_map_write(cnf_execution *execution, uint32_t index)
{
    const scn_map_write *write = &execution->scenario->steps[index].map_write;
    CHECK(execution->scenario->steps[index].verb == SCN_VERB_MAP_WRITE);
    return execution->runtime->operations->mapped_write(
        execution, index, execution->results[write->map].mapping, write->offset, write->values);
}

rt_status cnf_run_unmap(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    CHECK(step->verb == SCN_VERB_UNMAP);
    uint32_t queue = CNF_NO_OBJECT;
    cnf_after after;
    RT_TRY(command_begin(execution, step, &queue, &after));
    return execution->runtime->operations->unmap(execution, queue,
                                                 execution->results[step->unmap.map].mapping, after,
                                                 &execution->results[index].command);
}

rt_status cnf_run_host_task(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    CHECK(step->verb == SCN_VERB_HOST_TASK);
    uint32_t queue = CNF_NO_OBJECT;
    cnf_after after;
    RT_TRY(command_begin(execution, step, &queue, &after));
    const uint32_t waits_for = step->task.waits_for;
    uint32_t awaited =
        waits_for == SCN_NONE ? CNF_NO_OBJECT : execution->results[waits_for].command;
    return execution->runtime->operations->host_task(execution, queue, &step->task, awaited, after,
                                                     &execution->results[index].command);
}

rt_status cnf_run_fusion(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    const cnf_fusion_operations *fusion = execution->runtime->operations->fusion;
    uint32_t queue = CNF_NO_OBJECT;
    if (step->verb == SCN_VERB_END_MEMORY) return fusion->end_memory(execution, step->memory);
    RT_TRY(queue_find(execution, step->fusion.queue, &queue));
    switch (step->verb) {
    case SCN_VERB_START_FUSION: return fusion->start(execution, queue);
    case SCN_VERB_CANCEL_FUSION: return fusion->cancel(execution, queue);
    case SCN_VERB_END_QUEUE: return fusion->end_queue(execution, queue);
    case SCN_VERB_COMPLETE_FUSION:
        return fusion->complete(execution, queue, step->fusion.no_barriers,
                                &execution->results[index].command);
    default: UNREACHABLE();
    }
}

/* Does not wait for a command that was refused as expected. */
rt_status cnf_run_wait(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    const cnf_runtime_operations *operations = execution->runtime->operations;
    CHECK(step->verb == SCN_VERB_WAIT);
    if (step->wait.step != SCN_NONE) {
        uint32_t command = execution->results[step->wait.step].command;
        return command == CNF_NO_OBJECT ? RT_STATUS_OK
                                        : operations->wait_command(execution, command);
    }
    if (step->wait.queue == SCN_NONE) return operations->wait(execution);
    uint32_t queue = execution->results[step->wait.queue].queue;
    return queue == CNF_NO_OBJECT ? RT_STATUS_OK : operations->wait_queue(execution, queue);
}
