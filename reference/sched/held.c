/* Commands that a fusion holds back.  Everything needed to hand them over is copied into the fusion
 * command's arena.
 *
 * Source: document 001 (KernelFusionJIT.md), "Behavior on queue::submit". */
#include "reference/sched/sched_internal.h"

#include "reference/program/specialise.h"

/* ---- Copies ------------------------------------------------------------------------------- */

/* A copy of what a device or the fusion compiler needs of the launch. */
static rt_launch launch_copy(rt_arena *arena, const rt_launch *launch)
{
    rt_argument *arguments =
        rt_arena_copy(arena, launch->arguments, launch->argument_count, sizeof *arguments);
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        rt_argument *argument = &arguments[i];
        argument->bytes = rt_arena_bytes(arena, argument->bytes);
        argument->pointers = rt_arena_copy(arena, argument->pointers, argument->pointer_count,
                                           sizeof *argument->pointers);
    }
    const rt_spec_list constants = {launch->constants, launch->constant_count};
    return (rt_launch){.kernel = rt_arena_text(arena, launch->kernel),
                       .range = launch->range,
                       .arguments = arguments,
                       .argument_count = launch->argument_count,
                       .constants = rt_spec_list_copy(arena, constants).constants,
                       .constant_count = launch->constant_count};
}

/* ---- Holding ------------------------------------------------------------------------------ */

static rt_held *held_make(rt_fusion_command *fusion, rt_command *command)
{
    CHECK(!command->held);
    command->held = rt_arena_alloc(&fusion->arena, sizeof *command->held);
    *command->held = (rt_held){.fusion = fusion};
    rt_command_step(command, RT_STEP_HOLD);
    return command->held;
}

rt_status rt_hold_check(rt_scheduler *scheduler, rt_queue_id queue, const rt_launch *launch)
{
    const rt_device *device = scheduler->queues.items[queue].device;
    return dev_nd_range_validate(scheduler->sink, &launch->range,
                                 device->capabilities.group_size_max);
}

void rt_hold_launch(rt_scheduler *scheduler, rt_fusion_command *fusion, rt_command *command,
                    dev_kernel *kernel, const rt_launch *launch)
{
    rt_held *held = held_make(fusion, command);
    CHECK(command->kind == RT_COMMAND_LAUNCH && command->program);
    held->kernel = kernel;
    held->launch = launch_copy(&fusion->arena, launch);
    *rt_vector_push(&fusion->kernels) = command->id; /* in submission order (KF-GRAPH-08) */
    rt_command *placeholder = scheduler->commands.items[fusion->command];
    CHECK(placeholder->kind == RT_COMMAND_FUSION && placeholder->id < command->id);
    RULE(KF_GRAPH_06, rt_graph_depend(scheduler, placeholder, command->id));
    RT_COMMAND_TRACE(scheduler, command, FUSION_HOLD, RT_T("kernel", held->launch.kernel),
                     RT_N("queue", fusion->queue), RT_N("fusion", fusion->command));
}

void rt_hold_move(rt_fusion_command *fusion, rt_command *command, rt_memory *memory)
{
    CHECK(command->kind == RT_COMMAND_UPLOAD || command->kind == RT_COMMAND_HOST_READ);
    rt_held *held = held_make(fusion, command);
    held->memory = memory;
    held->auxiliary = true;
    *rt_vector_push(&fusion->auxiliary) = command->id;
}

void rt_hold_after_list(rt_scheduler *scheduler, rt_fusion_command *fusion, rt_command *command)
{
    /* The kernel of the previous call already waits for those before it, so the number of edges
     * stays linear in the number of kernels. */
    CHECK(fusion->covered <= fusion->kernels.count);
    for (uint32_t i = fusion->covered; i < fusion->kernels.count; i++)
        rt_graph_depend(scheduler, command, fusion->kernels.items[i]);
    fusion->covered = fusion->kernels.count;
}

/* ---- Handing over ------------------------------------------------------------------------- */

void rt_held_enqueue(rt_scheduler *scheduler, rt_command *command)
{
    CHECK(command->state == RT_COMMAND_HELD && command->held);
    const rt_held *held = command->held;
    CHECK(scheduler->commands.items[held->fusion->command]->kind == RT_COMMAND_FUSION);
    rt_status status = command->kind == RT_COMMAND_LAUNCH
                           ? rt_enqueue_launch(scheduler, command, held->kernel, &held->launch)
                           : rt_enqueue_move(scheduler, command, held->memory);
    command->held = NULL;
    CHECK(rt_ok(status) == !rt_command_is_pending(command));
    if (rt_ok(status)) return;
    /* The submission has already returned, so the refusal is this command's result. */
    command->result = status;
    rt_command_step(command, RT_STEP_STOP);
}

/* ---- Leaves ------------------------------------------------------------------------------- */

void rt_leaves_save(rt_scheduler *scheduler, rt_fusion_command *fusion, const rt_memory *memory,
                    rt_access access)
{
    if (access == RT_ACCESS_READ) return;
    for (uint32_t i = 0; i < fusion->leaves.count; i++) {
        if (fusion->leaves.items[i].memory == memory->id) return;
    }
    CHECK(memory->id < scheduler->uses.count); /* the kernel's edges were derived from it */
    const rt_memory_use *use = &scheduler->uses.items[memory->id];
    *rt_vector_push(&fusion->leaves) =
        (rt_saved_leaves){.memory = memory->id, .writer = use->writer, .download = use->download};
}
