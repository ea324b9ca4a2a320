/* Commands that are held back: what they need later is kept in their fusion command's arena, and
 * they are handed over from there.
 *
 * Source: document 001 (KernelFusionJIT.md), "Behavior on queue::submit". */
#include "reference/sched/sched_internal.h"

/* ---- Copies ------------------------------------------------------------------------------- */

static rt_argument argument_copy(rt_arena *arena, const rt_argument *given)
{
    rt_argument copy = *given;
    if (given->bytes.size > 0) copy.bytes = rt_arena_bytes(arena, given->bytes);
    rt_inner_pointer *pointers =
        rt_arena_alloc_array(arena, given->pointer_count, sizeof *pointers);
    for (uint32_t i = 0; i < given->pointer_count; i++)
        pointers[i] = given->pointers[i];
    copy.pointers = pointers;
    return copy;
}

/* The launch without its `after`, which has become edges. */
static rt_launch launch_copy(rt_arena *arena, const rt_launch *given)
{
    rt_launch copy = *given;
    copy.kernel = rt_arena_text(arena, given->kernel);
    copy.options = rt_arena_text(arena, given->options);
    copy.after = NULL;
    copy.after_count = 0;
    rt_argument *arguments = rt_arena_alloc_array(arena, given->argument_count, sizeof *arguments);
    for (uint32_t i = 0; i < given->argument_count; i++)
        arguments[i] = argument_copy(arena, &given->arguments[i]);
    copy.arguments = arguments;
    rt_spec_constant *constants =
        rt_arena_alloc_array(arena, given->constant_count, sizeof *constants);
    for (uint32_t i = 0; i < given->constant_count; i++)
        constants[i] = (rt_spec_constant){rt_arena_text(arena, given->constants[i].name),
                                          rt_arena_bytes(arena, given->constants[i].value)};
    copy.constants = constants;
    return copy;
}

/* ---- Holding ------------------------------------------------------------------------------ */

static rt_held *held_make(rt_fusion_command *fusion, rt_command *command)
{
    CHECK(fusion->status == RT_FUSION_ACTIVE);
    CHECK(command->state == RT_COMMAND_SUBMITTED && !command->held);
    command->held = rt_arena_alloc(&fusion->arena, sizeof *command->held);
    *command->held = (rt_held){.fusion = fusion};
    return command->held;
}

/* Puts a kernel at the end of the list. */
static void list_append(rt_fusion_command *fusion, rt_command_id kernel)
{
    rt_command_list *list = &fusion->kernels;
    *rt_vector_push(list) = kernel;
    if (RULE(KF_GRAPH_08)) return;
    /* Broken: the newest comes first. */
    for (uint32_t i = list->count - 1; i > 0; i--)
        list->items[i] = list->items[i - 1];
    list->items[0] = kernel;
}

static void trace_hold(rt_scheduler *scheduler, const rt_fusion_command *fusion,
                       const rt_command *command)
{
    const rt_command_list *edges = &command->dependencies;
    uint64_t *after = rt_alloc_array((size_t)edges->count + 1, sizeof *after);
    for (uint32_t i = 0; i < edges->count; i++)
        after[i] = edges->items[i];
    RT_TRACE(scheduler->trace, FUSION_HOLD, RT_N("command", command->id),
             RT_T("kernel", command->held->launch.kernel), RT_N("queue", fusion->queue),
             RT_N("fusion", fusion->command), RT_NS("held_after", after, edges->count));
    rt_free(after);
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
    held->kernel = kernel;
    held->launch = launch_copy(&fusion->arena, launch);
    held->auxiliary = command->queue != fusion->queue;
    if (held->auxiliary) { /* a fault only, see rt_sync_keeper */
        *rt_vector_push(&fusion->auxiliary) = command->id;
        return;
    }
    list_append(fusion, command->id);
    rt_command *placeholder = scheduler->commands.items[fusion->command];
    if (RULE(KF_GRAPH_06)) rt_graph_depend(scheduler, placeholder, command->id);
    trace_hold(scheduler, fusion, command);
}

void rt_hold_move(rt_fusion_command *fusion, rt_command *command, rt_memory *memory)
{
    rt_held *held = held_make(fusion, command);
    held->memory = memory;
    held->auxiliary = true;
    *rt_vector_push(&fusion->auxiliary) = command->id;
}

void rt_hold_behind_list(rt_scheduler *scheduler, rt_fusion_command *fusion, rt_command *command)
{
    /* The last one that came here is behind all before it, so that edges stay as many as kernels.
     */
    for (uint32_t i = fusion->covered; i < fusion->kernels.count; i++)
        rt_graph_depend(scheduler, command, fusion->kernels.items[i]);
    fusion->covered = fusion->kernels.count;
}

/* ---- Handing over ------------------------------------------------------------------------- */

void rt_held_enqueue(rt_scheduler *scheduler, rt_command *command)
{
    CHECK(command->state == RT_COMMAND_SUBMITTED && command->held);
    const rt_held *held = command->held;
    rt_status status = command->kind == RT_COMMAND_LAUNCH
                           ? rt_enqueue_launch(scheduler, command, held->kernel, &held->launch)
                           : rt_enqueue_move(scheduler, command, held->memory);
    command->held = NULL;
    if (rt_ok(status)) return;
    /* The application has gone on, so the refusal is this command's result. */
    command->state = RT_COMMAND_ENQUEUED;
    command->result = status;
}

/* ---- Leaves ------------------------------------------------------------------------------- */

void rt_leaves_save(rt_scheduler *scheduler, rt_fusion_command *fusion, const rt_memory *memory,
                    rt_access access)
{
    if (access == RT_ACCESS_READ || rt_memory_is_usm(memory)) return;
    for (uint32_t i = 0; i < fusion->leaves.count; i++) {
        if (fusion->leaves.items[i].memory == memory->id) return;
    }
    CHECK(memory->id < scheduler->uses.count); /* The kernel's edges were made from it. */
    const rt_memory_use *use = &scheduler->uses.items[memory->id];
    rt_saved_leaves *saved = rt_vector_push(&fusion->leaves);
    *saved =
        (rt_saved_leaves){.memory = memory->id, .writer = use->writer, .download = use->download};
    for (uint32_t i = 0; i < use->readers.count; i++)
        *rt_vector_push(&saved->readers) = use->readers.items[i];
}
