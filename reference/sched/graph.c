/* The command graph: nodes and the edges that memory accesses bring. */
#include "reference/sched/sched_internal.h"

rt_command *rt_graph_add(rt_scheduler *scheduler, rt_command_kind kind, rt_queue_id queue)
{
    CHECK(queue < scheduler->queues.count);
    rt_command *command = rt_alloc(sizeof *command);
    command->id = scheduler->commands.count;
    command->kind = kind;
    command->queue = queue;
    command->dependent = RT_COMMAND_NONE;
    *rt_vector_push(&scheduler->commands) = command;
    return command;
}

void rt_graph_remove_last(rt_scheduler *scheduler, rt_command *command)
{
    CHECK(command->state == RT_COMMAND_SUBMITTED);
    CHECK(command->id + 1 == scheduler->commands.count);
    for (uint32_t i = 0; i < command->dependencies.count; i++)
        scheduler->commands.items[command->dependencies.items[i]]->dependent = RT_COMMAND_NONE;
    scheduler->commands.count--;
    rt_vector_free(&command->dependencies);
    rt_free(command);
}

void rt_graph_depend(rt_scheduler *scheduler, rt_command *command, rt_command_id other)
{
    if (other == RT_COMMAND_NONE) return;
    CHECK(other < command->id || command->kind == RT_COMMAND_FUSION);
    /* Edges of a command are added one after the other, so that who depends on `other` last is
     * enough to see one that is there; a list of n readers then costs n. */
    rt_command *target = scheduler->commands.items[other];
    if (target->dependent == command->id) return;
    target->dependent = command->id;
    *rt_vector_push(&command->dependencies) = other;
}

static rt_memory_use *use_of(rt_scheduler *scheduler, const rt_memory *memory)
{
    while (scheduler->uses.count <= memory->id) {
        *rt_vector_push(&scheduler->uses) =
            (rt_memory_use){.writer = RT_COMMAND_NONE, .download = RT_COMMAND_NONE};
    }
    return &scheduler->uses.items[memory->id];
}

void rt_graph_depend_on_memory(rt_scheduler *scheduler, rt_command *command,
                               const rt_memory *memory, rt_access access)
{
    const rt_memory_use *use = use_of(scheduler, memory);
    CHECK(use->writer != command->id); /* Accesses are booked after the command is enqueued. */
    rt_graph_depend(scheduler, command, use->writer);
    if (access == RT_ACCESS_READ || rt_memory_is_usm(memory)) return;
    for (uint32_t i = 0; i < use->readers.count; i++) {
        rt_graph_depend(scheduler, command, use->readers.items[i]);
    }
}

void rt_graph_book_access(rt_scheduler *scheduler, const rt_command *command,
                          const rt_memory *memory, rt_access access)
{
    if (rt_memory_is_usm(memory) && command->kind != RT_COMMAND_UPLOAD) return;
    rt_memory_use *use = use_of(scheduler, memory);
    if (access == RT_ACCESS_READ) {
        *rt_vector_push(&use->readers) = command->id;
        if (command->kind == RT_COMMAND_HOST_READ) use->download = command->id;
        return;
    }
    use->writer = command->id;
    /* An upload changes nothing: the host's bytes still are what the download brings. */
    if (command->kind != RT_COMMAND_UPLOAD) use->download = RT_COMMAND_NONE;
    use->readers.count = 0;
}
