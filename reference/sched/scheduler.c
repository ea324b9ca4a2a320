/* Submission: from a request of the application to nodes of the graph. */
#include "reference/sched/sched_internal.h"

#include "reference/base/handover.h"
#include "reference/base/lock.h"

#include <string.h>

rt_scheduler *rt_scheduler_create(rt_sink *sink, rt_trace *trace, rt_program_manager *programs,
                                  rt_global_database *globals)
{
    rt_scheduler *scheduler = rt_alloc(sizeof *scheduler);
    scheduler->sink = sink;
    scheduler->trace = trace;
    scheduler->programs = programs;
    scheduler->globals = globals;
    rt_lock_init(&scheduler->lock);
    return scheduler;
}

void rt_scheduler_destroy(rt_scheduler *scheduler)
{
    for (uint32_t i = 0; i < scheduler->commands.count && scheduler->open_events > 0; i++) {
        if (!rt_command_is_open_event(scheduler->commands.items[i])) continue;
        rt_status failed = rt_scheduler_user_event_complete(scheduler, i, true);
        (void)failed;
    }
    rt_mappings_end(scheduler);
    rt_status lost = rt_scheduler_wait(scheduler);
    (void)lost; /* no caller remains to whom it could be reported */
    CHECK_SLOW(rt_scheduler_check(scheduler));
    for (uint32_t i = 0; i < scheduler->commands.count; i++) {
        rt_command *command = scheduler->commands.items[i];
        /* A queue may still be in fusion mode with an empty list. */
        CHECK(rt_command_is_over(command) || command->kind == RT_COMMAND_FUSION);
        CHECK(!command->program && !command->held && !command->task);
        dev_event_destroy(command->event);
        rt_vector_free(&command->dependencies);
        rt_free(command->mapping);
        rt_free(command);
    }
    for (uint32_t i = 0; i < scheduler->fusions.count; i++)
        rt_fusion_command_free(scheduler->fusions.items[i]);
    rt_vector_free(&scheduler->fusions);
    for (uint32_t i = 0; i < scheduler->queues.count; i++)
        dev_queue_destroy(scheduler->queues.items[i].queue);
    for (uint32_t i = 0; i < scheduler->uses.count; i++)
        rt_vector_free(&scheduler->uses.items[i].readers);
    rt_vector_free(&scheduler->uses);
    rt_vector_free(&scheduler->commands);
    rt_vector_free(&scheduler->deferred);
    rt_vector_free(&scheduler->queues);
    pthread_mutex_destroy(&scheduler->lock);
    rt_free(scheduler);
}

rt_status rt_scheduler_queue_create(rt_scheduler *scheduler, const rt_device *device,
                                    rt_context_id context, bool in_order, rt_queue_id *out_queue)
{
    dev_queue *queue = NULL;
    RT_TRY(dev_queue_create(device->device, &queue));
    rt_scheduler_lock(scheduler);
    *out_queue = scheduler->queues.count;
    *rt_vector_push(&scheduler->queues) = (rt_queue){
        .device = device,
        .context = context,
        .queue = queue,
        .in_order = in_order,
        .last = RT_COMMAND_NONE,
        .barrier = RT_COMMAND_NONE,
    };
    rt_scheduler_unlock(scheduler);
    return RT_STATUS_OK;
}

/* ---- Submission --------------------------------------------------------------------------- */

rt_status rt_submission_begin(rt_scheduler *scheduler, const rt_submission *submission,
                              rt_command **out_command)
{
    rt_queue_id queue = submission->queue;
    CHECK(queue < scheduler->queues.count);
    const rt_queue *target = &scheduler->queues.items[queue];
    CHECK_IMPLIES(submission->fusion, submission->fusion->status == RT_FUSION_ACTIVE);
    if (target->ended)
        return rt_fail(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "queue %u has ended and accepts no more commands; create another queue",
                       queue);
    /* The reason to report if this command ends a fusion. */
    static const rt_sync_reason causes[] = {
        [RT_COMMAND_LAUNCH] = RT_SYNC_REASON_OTHER_QUEUE,
        [RT_COMMAND_COPY] = RT_SYNC_REASON_MEMORY_OPERATION,
        [RT_COMMAND_FILL] = RT_SYNC_REASON_MEMORY_OPERATION,
        [RT_COMMAND_MARKER] = RT_SYNC_REASON_WAIT,
        [RT_COMMAND_MAP] = RT_SYNC_REASON_MEMORY_OPERATION,
        [RT_COMMAND_UNMAP] = RT_SYNC_REASON_MEMORY_OPERATION,
        [RT_COMMAND_HOST_TASK] = RT_SYNC_REASON_HOST_TASK,
    };
    CHECK(submission->kind < sizeof causes / sizeof *causes);
    scheduler->cause = causes[submission->kind];
    const rt_access_list *accesses = submission->accesses;
    for (uint32_t i = 0; i < accesses->count; i++) {
        const rt_memory_access *access = &accesses->items[i];
        RT_TRY(rt_content_bring(scheduler, queue, access->memory, access->overwrites,
                                submission->fusion));
    }
    rt_command *command = rt_graph_add(scheduler, submission->kind, queue);
    if (target->in_order) rt_graph_depend(scheduler, command, target->last);
    rt_graph_depend(scheduler, command, target->barrier);
    if (!target->in_order) command->barrier = target->barrier;
    for (uint32_t i = 0; i < submission->after_count; i++) {
        rt_command_id event = submission->after[i];
        CHECK(event < command->id);
        if (event == command->barrier) command->barrier = RT_COMMAND_NONE;
        /* The event of the command's own fusion represents only the kernels before the command,
         * since the list cannot wait for its own end. */
        bool is_fusion_event = submission->fusion && event == submission->fusion->command;
        if (!is_fusion_event)
            rt_graph_depend(scheduler, command, event);
        else
            RULE(KF_EVENT_07, rt_hold_after_list(scheduler, submission->fusion, command));
    }
    for (uint32_t i = 0; i < accesses->count; i++) {
        const rt_memory_access *access = &accesses->items[i];
        rt_graph_depend_on_memory(scheduler, command, access->memory, access->access);
    }
    *out_command = command;
    return RT_STATUS_OK;
}

rt_status rt_submission_end(rt_scheduler *scheduler, rt_command *command,
                            const rt_access_list *accesses, rt_status enqueued,
                            rt_command_id *out_command)
{
    if (!rt_ok(enqueued)) {
        rt_graph_remove_last(scheduler, command);
        return enqueued;
    }
    CHECK(command->state != RT_COMMAND_SUBMITTED);
    CHECK(command->id + 1 == scheduler->commands.count);
    const rt_device *device = scheduler->queues.items[command->queue].device;
    scheduler->queues.items[command->queue].last = command->id;
    rt_fusion_command *fusion = command->held ? command->held->fusion : NULL;
    for (uint32_t i = 0; i < accesses->count; i++) {
        const rt_memory_access *access = &accesses->items[i];
        if (fusion) rt_leaves_save(scheduler, fusion, access->memory, access->access);
        RULE(KF_GRAPH_04, rt_graph_book_access(scheduler, command, access->memory, access->access));
        if (access->access != RT_ACCESS_READ) rt_memory_written(access->memory, device);
    }
    *out_command = command->id;
    return RT_STATUS_OK;
}

rt_status rt_submission_check_device(rt_scheduler *scheduler, rt_queue_id queue,
                                     const rt_memory *memory, rt_text user)
{
    const rt_device *device = scheduler->queues.items[queue].device;
    if (!rt_memory_is_usm(memory) || memory->usm_device == device) return RT_STATUS_OK;
    return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &memory->name, 1,
                          "%.*s uses '%.*s', which is unified shared memory of device %.*s, in a "
                          "queue of device %.*s",
                          RT_TEXT_ARG(user), RT_TEXT_ARG(memory->name),
                          RT_TEXT_ARG(memory->usm_device->name), RT_TEXT_ARG(device->name));
}

/* ---- Launches ----------------------------------------------------------------------------- */

/* A kernel may read and write any memory that it has a pointer to. */
static void add_pointer_access(rt_access_list *accesses, rt_memory *memory)
{
    CHECK(rt_memory_is_usm(memory));
    *rt_vector_push(accesses) = (rt_memory_access){memory, RT_ACCESS_READ_WRITE, false};
}

rt_access_list rt_launch_accesses(const rt_launch *launch)
{
    rt_access_list accesses = {0};
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        const rt_argument *argument = &launch->arguments[i];
        switch (argument->kind) {
        case RT_ARGUMENT_MEMORY:
            *rt_vector_push(&accesses) =
                (rt_memory_access){argument->memory, argument->access, false};
            break;
        case RT_ARGUMENT_POINTER: add_pointer_access(&accesses, argument->memory); break;
        case RT_ARGUMENT_BYTES:
            for (uint32_t k = 0; k < argument->pointer_count; k++)
                add_pointer_access(&accesses, argument->pointers[k].memory);
            break;
        case RT_ARGUMENT_NULL:
        case RT_ARGUMENT_LOCAL: break;
        }
    }
    return accesses;
}

static rt_status check_pointer(rt_scheduler *scheduler, rt_queue_id queue, rt_text user,
                               const rt_memory *memory, uint64_t offset)
{
    CHECK(rt_memory_is_usm(memory));
    RT_TRY(rt_submission_check_device(scheduler, queue, memory, user));
    if (offset <= memory->size) return RT_STATUS_OK;
    return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &memory->name, 1,
                          "%.*s gets a pointer to offset %llu of '%.*s', which has %llu bytes",
                          RT_TEXT_ARG(user), (unsigned long long)offset, RT_TEXT_ARG(memory->name),
                          (unsigned long long)memory->size);
}

/* Checks pointers to unified shared memory, which no device can check.  Called with the lock held.
 */
static rt_status check_pointers(rt_scheduler *scheduler, rt_queue_id queue, const rt_launch *launch)
{
    rt_arena arena = {0};
    rt_text user = rt_arena_printf(&arena, "kernel '%.*s'", RT_TEXT_ARG(launch->kernel));
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < launch->argument_count && rt_ok(status); i++) {
        const rt_argument *argument = &launch->arguments[i];
        if (argument->kind == RT_ARGUMENT_POINTER) {
            status = check_pointer(scheduler, queue, user, argument->memory, argument->offset);
        }
        for (uint32_t k = 0; k < argument->pointer_count && rt_ok(status); k++) {
            const rt_inner_pointer *pointer = &argument->pointers[k];
            status = check_pointer(scheduler, queue, user, pointer->memory, pointer->offset);
        }
    }
    rt_arena_reset(&arena);
    return status;
}

/* The graph's part of a launch.  Called with the lock held.  On success, the command owns
 * `program`. */
static rt_status submit_launch(rt_scheduler *scheduler, rt_queue_id queue, const rt_launch *launch,
                               rt_program *program, dev_kernel *kernel, rt_command_id *out_command)
{
    RT_TRY(check_pointers(scheduler, queue, launch));
    rt_fusion_command *fusion = rt_fusion_to_join(scheduler, queue);
    if (fusion) RT_TRY(rt_hold_check(scheduler, queue, launch));
    rt_access_list accesses = rt_launch_accesses(launch);
    const rt_submission submission = {.queue = queue,
                                      .kind = RT_COMMAND_LAUNCH,
                                      .accesses = &accesses,
                                      .after = launch->after,
                                      .after_count = launch->after_count,
                                      .fusion = fusion};
    rt_command_list first = {0};
    rt_command *command = NULL;
    rt_status status = rt_globals_prepare(scheduler, queue, program, &first);
    if (rt_ok(status)) status = rt_submission_begin(scheduler, &submission, &command);
    if (rt_ok(status)) {
        CHECK(command && command->kind == RT_COMMAND_LAUNCH);
        for (uint32_t i = 0; i < first.count; i++)
            RULE(DG_INIT_01, rt_graph_depend(scheduler, command, first.items[i]));
        command->program = program;
        if (!fusion) {
            status = rt_enqueue_launch(scheduler, command, kernel, launch);
        } else {
            rt_sync_at_construction(scheduler, command, fusion);
            rt_hold_launch(scheduler, fusion, command, kernel, launch);
        }
        status = rt_submission_end(scheduler, command, &accesses, status, out_command);
    }
    rt_vector_free(&first);
    /* The kernel's own command may never run, so its event would be useless. */
    if (rt_ok(status) && fusion) RULE(KF_EVENT_01, *out_command = fusion->command);
    rt_vector_free(&accesses);
    return status;
}

/* SYCL 2020, "SYCL functions for invoking kernels" (errc::nd_range): a local size of 0 divides
 * nothing.  In the first dimension it means that the device chooses all sizes. */
static rt_status local_check(rt_scheduler *scheduler, const dev_nd_range *range)
{
    for (uint32_t d = 1; range->local[0] != 0 && d < range->dimensions; d++)
        if (range->local[d] == 0)
            return rt_fail(scheduler->sink, RT_ERRC_ND_RANGE, RT_RULE_NONE,
                           "the local size in dimension %u is 0; give all local sizes, or none", d);
    return RT_STATUS_OK;
}

rt_status rt_launch_check_arguments(rt_scheduler *scheduler, const rt_launch *launch,
                                    const rt_program *program, dev_kernel *kernel)
{
    uint32_t parameter_count = dev_kernel_argument_count(kernel);
    if (parameter_count == DEV_ARGUMENT_COUNT_UNKNOWN) return RT_STATUS_OK;
    parameter_count += rt_launch_eliminated(program, launch->kernel);
    if (parameter_count == launch->argument_count) return RT_STATUS_OK;
    return rt_fail_naming(scheduler->sink, RT_ERRC_KERNEL_ARGUMENT, RT_RULE_NONE, &launch->kernel,
                          1, "kernel '%.*s' has %u parameters, but the launch gives %u arguments",
                          RT_TEXT_ARG(launch->kernel), parameter_count, launch->argument_count);
}

rt_status rt_scheduler_launch(rt_scheduler *scheduler, rt_queue_id queue, const rt_launch *launch,
                              rt_command_id *out_command)
{
    *out_command = RT_COMMAND_NONE;
    rt_scheduler_lock(scheduler);
    CHECK(queue < scheduler->queues.count);
    const rt_queue *target = &scheduler->queues.items[queue];
    const rt_kernel_request request = {
        .device = target->device,
        .context = target->context,
        .kernel = launch->kernel,
        .options = launch->options,
        .constants = launch->constants,
        .constant_count = launch->constant_count,
        .has_module = launch->has_module,
        .module = launch->module,
    };
    rt_scheduler_unlock(scheduler);

    rt_program *program = NULL;
    dev_kernel *kernel = NULL;
    CHECK_IMPLIES(launch->bundle, launch->options.length == 0 && !launch->has_module);
    RT_TRY(launch->bundle
               ? rt_bundle_kernel(scheduler->programs, launch->bundle, &request, &program, &kernel)
               : rt_program_manager_kernel(scheduler->programs, &request, &program, &kernel));
    CHECK(program && program->device == request.device && program->context == request.context);
    rt_status status = local_check(scheduler, &launch->range);
    if (rt_ok(status)) status = rt_launch_check_arguments(scheduler, launch, program, kernel);
    if (rt_ok(status)) {
        rt_handover_point();
        rt_scheduler_lock(scheduler);
        status = submit_launch(scheduler, queue, launch, program, kernel, out_command);
        rt_scheduler_unlock(scheduler);
    }
    if (!rt_ok(status)) rt_program_release(scheduler->programs, program);
    return status;
}

/* ---- Host access -------------------------------------------------------------------------- */

rt_status rt_scheduler_host_read(rt_scheduler *scheduler, rt_memory *memory)
{
    rt_command_id newest = RT_COMMAND_NONE;
    rt_handover_point();
    if (rt_memory_is_usm(memory)) RT_TRY(rt_commands_wait(scheduler));
    rt_status status = RT_STATUS_OK;
    rt_scheduler_lock(scheduler);
    scheduler->cause = RT_SYNC_REASON_HOST_ACCESS;
    const rt_memory *whole = rt_memory_whole(memory);
    if (!whole->host_valid) {
        status = rt_content_read(scheduler, memory, NULL, &newest);
    } else if (whole->id < scheduler->uses.count) {
        /* A read requested by another host access may still be in progress. */
        newest = scheduler->uses.items[whole->id].download;
    }
    if (rt_ok(status)) rt_sync_command(scheduler, newest);
    rt_scheduler_unlock(scheduler);
    if (rt_ok(status) && newest != RT_COMMAND_NONE) status = rt_command_wait(scheduler, newest);
    return status;
}

rt_status rt_scheduler_host_copy(rt_scheduler *scheduler, rt_memory *memory, uint64_t offset,
                                 uint64_t size, void *destination)
{
    CHECK(offset <= memory->size && size <= memory->size - offset);
    RT_TRY(rt_scheduler_host_read(scheduler, memory));
    rt_scheduler_lock(scheduler);
    /* Another thread may have submitted a command that brings newer contents to the host; while the
     * lock is held, none is added. */
    for (dev_event *read; (read = rt_memory_whole(memory)->host_read);) {
        if (dev_event_query(read) != DEV_EVENT_PENDING) break;
        rt_scheduler_unlock(scheduler);
        RT_TRY(dev_event_wait(read));
        rt_scheduler_lock(scheduler);
    }
    if (size > 0) memcpy(destination, memory->host + offset, (size_t)size);
    rt_scheduler_unlock(scheduler);
    return RT_STATUS_OK;
}

rt_status rt_scheduler_host_look(rt_scheduler *scheduler, const rt_memory *memory, uint32_t tag)
{
    CHECK(rt_memory_is_usm(memory));
    uint32_t device = memory->usm_device->id;
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    rt_command_id upload = memory->id < scheduler->uses.count
                               ? scheduler->uses.items[memory->id].writer
                               : RT_COMMAND_NONE;
    rt_scheduler_unlock(scheduler);
    if (upload != RT_COMMAND_NONE) RT_TRY(rt_command_wait(scheduler, upload));
    rt_scheduler_lock(scheduler);
    dev_memory *copy = device < memory->copies.count ? memory->copies.items[device].memory : NULL;
    if (copy) dev_memory_host_access(copy, tag, 0, memory->size, false);
    rt_scheduler_unlock(scheduler);
    return RT_STATUS_OK;
}
