/* The command graph: nodes, the edges that memory accesses add, and the trace of a node. */
#include "reference/sched/sched_internal.h"

rt_command *rt_graph_add(rt_scheduler *scheduler, rt_command_kind kind, rt_queue_id queue)
{
    CHECK(queue < scheduler->queues.count || queue == RT_QUEUE_NONE);
    rt_command *command = rt_alloc(sizeof *command);
    command->id = scheduler->commands.count;
    command->kind = kind;
    command->queue = queue;
    if (queue != RT_QUEUE_NONE) command->device = scheduler->queues.items[queue].device;
    command->dependent = command->barrier = RT_COMMAND_NONE;
    CHECK(command->id != RT_COMMAND_NONE);
    CHECK(command->state == RT_COMMAND_SUBMITTED && command->dependencies.count == 0);
    *rt_vector_push(&scheduler->commands) = command;
    return command;
}

void rt_graph_remove_last(rt_scheduler *scheduler, rt_command *command)
{
    CHECK(command->state == RT_COMMAND_SUBMITTED && !command->held && !command->event);
    CHECK(command->dependent == RT_COMMAND_NONE);
    CHECK(command->id + 1 == scheduler->commands.count);
    for (uint32_t i = 0; i < command->dependencies.count; i++)
        scheduler->commands.items[command->dependencies.items[i]]->dependent = RT_COMMAND_NONE;
    scheduler->commands.count--;
    rt_vector_free(&command->dependencies);
    rt_free(command->mapping);
    CHECK(!command->task);
    rt_free(command);
}

/* Adds an edge.  All edges of a command are added before those of another, so `dependent` alone
 * shows whether an edge already exists, and n readers cost O(n). */
void rt_graph_depend(rt_scheduler *scheduler, rt_command *command, rt_command_id other)
{
    if (other == RT_COMMAND_NONE) return;
    CHECK(other < command->id || command->kind == RT_COMMAND_FUSION);
    CHECK(other < scheduler->commands.count && other != command->id);
    CHECK(rt_command_is_pending(command));
    rt_command *target = scheduler->commands.items[other];
    CHECK(target->id == other);
    if (target->dependent == command->id) return;
    target->dependent = command->id;
    *rt_vector_push(&command->dependencies) = other;
}

static rt_memory_use *use_of(rt_scheduler *scheduler, const rt_memory *memory)
{
    while (scheduler->uses.count <= memory->id)
        *rt_vector_push(&scheduler->uses) =
            (rt_memory_use){.writer = RT_COMMAND_NONE, .download = RT_COMMAND_NONE};
    return &scheduler->uses.items[memory->id];
}

static void depend_on_use(rt_scheduler *scheduler, rt_command *command, const rt_memory *memory,
                          rt_access access)
{
    const rt_memory_use *use = use_of(scheduler, memory);
    CHECK(use->writer != command->id); /* Accesses are recorded after the command is enqueued. */
    rt_graph_depend(scheduler, command, use->writer);
    if (access == RT_ACCESS_READ) return;
    for (uint32_t i = 0; i < use->readers.count; i++)
        rt_graph_depend(scheduler, command, use->readers.items[i]);
}

void rt_graph_depend_on_memory(rt_scheduler *scheduler, rt_command *command,
                               const rt_memory *memory, rt_access access)
{
    const rt_memory *whole = memory->whole ? memory->whole : memory;
    depend_on_use(scheduler, command, whole, access);
    for (uint32_t i = 0; i < whole->parts.count; i++)
        if (rt_memory_overlap(memory, whole->parts.items[i]))
            depend_on_use(scheduler, command, whole->parts.items[i], access);
}

void rt_graph_book_access(rt_scheduler *scheduler, const rt_command *command,
                          const rt_memory *memory, rt_access access)
{
    if (rt_memory_is_usm(memory) && command->kind != RT_COMMAND_UPLOAD) return;
    rt_memory_use *use = use_of(scheduler, memory);
    CHECK(command->state != RT_COMMAND_SUBMITTED);
    CHECK_IMPLIES(use->writer != RT_COMMAND_NONE, use->writer <= command->id);
    if (access == RT_ACCESS_READ) {
        *rt_vector_push(&use->readers) = command->id;
        if (command->kind == RT_COMMAND_HOST_READ && !memory->whole) use->download = command->id;
        return;
    }
    use->writer = command->id;
    /* An upload does not change the contents, so an earlier download remains the one that host
     * accesses wait for. */
    if (command->kind != RT_COMMAND_UPLOAD) use->download = RT_COMMAND_NONE;
    use->readers.count = 0;
}

/* ---- Order and trace ---------------------------------------------------------------------- */

uint64_t rt_command_rank(const rt_command *command)
{
    if (command->kind != RT_COMMAND_FUSION) return 2 * (uint64_t)command->id;
    /* The node was created before the kernels that it waits for, but ranks after them. */
    return 2 * (uint64_t)command->ended_after + 1;
}

void rt_command_trace(rt_scheduler *scheduler, const rt_command *command, rt_event_kind kind,
                      const rt_trace_value *values, uint32_t value_count)
{
    enum { VALUES_MAX = 16 };
    const rt_command_list *edges = &command->dependencies;
    rt_trace_value fields[VALUES_MAX];
    uint32_t count = 0;
    CHECK(value_count + 2 <= VALUES_MAX);
    uint64_t *after = rt_alloc_array(edges->count, sizeof *after);
    for (uint32_t i = 0; i < edges->count; i++)
        after[i] = edges->items[i];
    fields[count++] = RT_N("command", command->id);
    for (uint32_t i = 0; i < value_count; i++)
        fields[count++] = values[i];
    const char *key = kind == RT_EVENT_FUSION_HOLD ? "held_after" : "after";
    fields[count++] = (rt_trace_value){
        .key = key, .type = RT_TRACE_NUMBERS, .numbers = after, .count = edges->count};
    rt_trace_emit(scheduler->trace, kind, fields, count);
    rt_free(after);
}
