/* Mistakes of scheduling that are larger than a mutant of a mark (fault.h). */
#include "reference/base/fault.h"
#include "reference/sched/sched_internal.h"

#include <string.h>

/* ---- Kernels of fusion lists ---------------------------------------------------------------- */

/* The ACTIVE fusion that holds the command as a kernel of its list, or whose event it is. */
static rt_fusion_command *active_fusion(const rt_scheduler *scheduler, const rt_command *command)
{
    rt_fusion_command *fusion = NULL;
    if (command->kind == RT_COMMAND_FUSION)
        fusion = scheduler->queues.items[command->queue].fusion;
    else if (command->held && !command->held->auxiliary)
        fusion = command->held->fusion;
    bool is_active = fusion && fusion->status == RT_FUSION_ACTIVE;
    return is_active && rt_command_is_pending(command) ? fusion : NULL;
}

static bool has_active_fusion(const rt_scheduler *scheduler)
{
    for (uint32_t i = 0; i < scheduler->fusions.count; i++)
        if (scheduler->fusions.items[i]->status == RT_FUSION_ACTIVE) return true;
    return false;
}

/* An ACTIVE fusion that the command waits for; NULL: none. */
static rt_fusion_command *fusion_needed(const rt_scheduler *scheduler, const rt_command *command)
{
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        rt_fusion_command *fusion =
            active_fusion(scheduler, scheduler->commands.items[command->dependencies.items[i]]);
        if (fusion) return fusion;
    }
    return NULL;
}

/* Takes the kernels of a list out of it, so that they never run. */
static void drop_list(rt_scheduler *scheduler, rt_fusion_command *fusion)
{
    for (uint32_t i = 0; i < fusion->kernels.count; i++) {
        rt_command *command = scheduler->commands.items[fusion->kernels.items[i]];
        rt_command_step(command, RT_STEP_REMOVE);
        command->held = NULL;
        rt_program_release(scheduler->programs, command->program);
        command->program = NULL;
    }
    fusion->kernels.count = 0;
    scheduler->commands.items[fusion->command]->dependencies.count = 0;
}

/* ---- The graph ------------------------------------------------------------------------------ */

void __real_rt_graph_depend(rt_scheduler *scheduler, rt_command *command, rt_command_id other);
void __wrap_rt_graph_depend(rt_scheduler *scheduler, rt_command *command, rt_command_id other);
void __real_rt_graph_book_access(rt_scheduler *scheduler, const rt_command *command,
                                 const rt_memory *memory, rt_access access);
void __wrap_rt_graph_book_access(rt_scheduler *scheduler, const rt_command *command,
                                 const rt_memory *memory, rt_access access);

enum { EDGES_MAX = 6, READERS_MAX = 4 };

void __wrap_rt_graph_depend(rt_scheduler *scheduler, rt_command *command, rt_command_id other)
{
    if (command->kind != RT_COMMAND_FUSION && command->dependencies.count >= EDGES_MAX &&
        RT_FAULT(NONE, "a wait list has room for six"))
        return;
    __real_rt_graph_depend(scheduler, command, other);
}

void __wrap_rt_graph_book_access(rt_scheduler *scheduler, const rt_command *command,
                                 const rt_memory *memory, rt_access access)
{
    __real_rt_graph_book_access(scheduler, command, memory, access);
    if (memory->id >= scheduler->uses.count) return;
    rt_command_list *readers = &scheduler->uses.items[memory->id].readers;
    if (readers->count > READERS_MAX &&
        RT_FAULT(NONE, "of the readers of a memory, four are known"))
        readers->count = READERS_MAX;
}

/* ---- Synchronisation ------------------------------------------------------------------------ */

void __real_rt_sync_dependencies(rt_scheduler *scheduler, rt_command *command);
void __wrap_rt_sync_dependencies(rt_scheduler *scheduler, rt_command *command);
rt_status __real_rt_enqueue_launch(rt_scheduler *scheduler, rt_command *command, dev_kernel *kernel,
                                   const rt_launch *launch);
rt_status __wrap_rt_enqueue_launch(rt_scheduler *scheduler, rt_command *command, dev_kernel *kernel,
                                   const rt_launch *launch);
void __real_rt_not_fused_transfer(rt_scheduler *scheduler, rt_queue_id queue,
                                  const rt_transfer *transfer);
void __wrap_rt_not_fused_transfer(rt_scheduler *scheduler, rt_queue_id queue,
                                  const rt_transfer *transfer);

static bool is_move(const rt_command *command)
{
    return command->kind == RT_COMMAND_UPLOAD || command->kind == RT_COMMAND_HOST_READ;
}

/* True if the command is to run as if the held kernels that it needs had not been submitted. */
static bool overlooks_kernels(const rt_scheduler *scheduler, const rt_command *command)
{
    if (!fusion_needed(scheduler, command)) return false;
    if (is_move(command) && RT_FAULT(KF_SYNC_06, "moves of contents overlook held kernels"))
        return true;
    switch (scheduler->cause) {
    case RT_SYNC_REASON_OTHER_QUEUE:
        return RT_FAULT(KF_SYNC_01, "kernels of other queues overlook held kernels");
    case RT_SYNC_REASON_HOST_TASK: return RT_FAULT(KF_SYNC_02, "host tasks overlook held kernels");
    case RT_SYNC_REASON_MEMORY_OPERATION:
        return RT_FAULT(KF_SYNC_03, "memory operations overlook held kernels");
    default: return RT_FAULT(KF_SYNC_04, "reads by the host overlook held kernels");
    }
}

/* Removes the command's edges to held kernels, or to commands that move a program's variable. */
static void forget(const rt_scheduler *scheduler, rt_command *command, bool variables)
{
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        rt_command_id id = command->dependencies.items[i];
        const rt_command *other = scheduler->commands.items[id];
        bool is_forgotten =
            variables ? other->moves_variable : active_fusion(scheduler, other) != NULL;
        if (!is_forgotten) command->dependencies.items[kept_count++] = id;
    }
    command->dependencies.count = kept_count;
}

static void end_other_fusions(rt_scheduler *scheduler, const rt_command *command)
{
    for (uint32_t i = 0; i < scheduler->fusions.count; i++) {
        rt_fusion_command *fusion = scheduler->fusions.items[i];
        bool is_holder = command->held && command->held->fusion == fusion;
        if (fusion->status == RT_FUSION_ACTIVE && !is_holder)
            rt_fusion_end(scheduler, fusion, scheduler->cause);
    }
}

void __wrap_rt_sync_dependencies(rt_scheduler *scheduler, rt_command *command)
{
    if (command->kind != RT_COMMAND_FUSION && overlooks_kernels(scheduler, command))
        forget(scheduler, command, false);
    if (RT_FAULT(DG_PLUGIN_04, "the events of commands that move a variable are lost"))
        forget(scheduler, command, true);
    __real_rt_sync_dependencies(scheduler, command);
    if (has_active_fusion(scheduler) && !is_move(command) && command->kind != RT_COMMAND_FUSION &&
        RT_FAULT(KF_SYNC_05, "every command ends the fusions of all queues"))
        end_other_fusions(scheduler, command);
}

rt_status __wrap_rt_enqueue_launch(rt_scheduler *scheduler, rt_command *command, dev_kernel *kernel,
                                   const rt_launch *launch)
{
    rt_fusion_command *fusion = command->held ? NULL : fusion_needed(scheduler, command);
    if (!fusion || !RT_FAULT(KF_SYNC_10, "a kernel that needs a list is held back with it"))
        return __real_rt_enqueue_launch(scheduler, command, kernel, launch);
    rt_hold_launch(scheduler, fusion, command, kernel, launch);
    fusion->kernels.count--;
    command->held->auxiliary = true;
    *rt_vector_push(&fusion->auxiliary) = command->id;
    return RT_STATUS_OK;
}

void __wrap_rt_not_fused_transfer(rt_scheduler *scheduler, rt_queue_id queue,
                                  const rt_transfer *transfer)
{
    if (rt_queue_in_fusion_mode(scheduler, queue) &&
        RT_FAULT(KF_QUEUE_06, "a transfer ends the fusion even if it needs no kernel of the list"))
        rt_sync_queue(scheduler, queue, RT_SYNC_REASON_MEMORY_OPERATION);
    __real_rt_not_fused_transfer(scheduler, queue, transfer);
}

/* ---- Waiting -------------------------------------------------------------------------------- */

rt_status __real_rt_scheduler_wait_command(rt_scheduler *scheduler, rt_command_id command);
rt_status __wrap_rt_scheduler_wait_command(rt_scheduler *scheduler, rt_command_id command);
rt_status __real_rt_scheduler_times(rt_scheduler *scheduler, rt_command_id command,
                                    dev_times *out_times);
rt_status __wrap_rt_scheduler_times(rt_scheduler *scheduler, rt_command_id command,
                                    dev_times *out_times);
rt_status __real_rt_scheduler_memory_end(rt_scheduler *scheduler, rt_memory *memory);
rt_status __wrap_rt_scheduler_memory_end(rt_scheduler *scheduler, rt_memory *memory);

static _Thread_local bool for_times; /* the wait is for the times of a command */

/* True if the wait for the command returns without waiting. */
static bool skips_wait(rt_scheduler *scheduler, rt_command_id id)
{
    const rt_command *command = scheduler->commands.items[id];
    if (!for_times && active_fusion(scheduler, command) &&
        RT_FAULT(KF_SYNC_04, "a wait overlooks held kernels"))
        return true;
    if (command->kind == RT_COMMAND_FUSION &&
        RT_FAULT(KF_EVENT_02, "the event of a fusion refers to no command")) {
        rt_sync_command(scheduler, id);
        return true;
    }
    return command->moves_variable &&
           RT_FAULT(DG_PLUGIN_05, "a wait for a copy of a variable does not wait");
}

rt_status __wrap_rt_scheduler_wait_command(rt_scheduler *scheduler, rt_command_id command)
{
    rt_scheduler_lock(scheduler);
    const rt_command *awaited = scheduler->commands.items[command];
    if (awaited->kind == RT_COMMAND_FUSION &&
        RT_FAULT(KF_EVENT_08, "the event of an old fusion refers to the queue's current fusion"))
        rt_sync_queue(scheduler, awaited->queue, RT_SYNC_REASON_WAIT);
    bool skips = skips_wait(scheduler, command);
    rt_scheduler_unlock(scheduler);
    return skips ? RT_STATUS_OK : __real_rt_scheduler_wait_command(scheduler, command);
}

rt_status __wrap_rt_scheduler_times(rt_scheduler *scheduler, rt_command_id command,
                                    dev_times *out_times)
{
    for_times = true;
    rt_status status = __real_rt_scheduler_times(scheduler, command, out_times);
    for_times = false;
    return status;
}

rt_status __wrap_rt_scheduler_memory_end(rt_scheduler *scheduler, rt_memory *memory)
{
    if (has_active_fusion(scheduler) &&
        RT_FAULT(KF_SYNC_04, "the destruction of a buffer overlooks held kernels"))
        return RT_STATUS_OK;
    return __real_rt_scheduler_memory_end(scheduler, memory);
}

/* ---- Fusion mode ---------------------------------------------------------------------------- */

rt_status __real_rt_scheduler_queue_create(rt_scheduler *scheduler, const rt_device *device,
                                           rt_context_id context, bool in_order,
                                           rt_queue_id *out_queue);
rt_status __wrap_rt_scheduler_queue_create(rt_scheduler *scheduler, const rt_device *device,
                                           rt_context_id context, bool in_order,
                                           rt_queue_id *out_queue);
rt_status __real_rt_fusion_command_start(rt_scheduler *scheduler, rt_queue_id queue);
rt_status __wrap_rt_fusion_command_start(rt_scheduler *scheduler, rt_queue_id queue);
bool __real_rt_fusion_command_cancel(rt_scheduler *scheduler, rt_queue_id queue,
                                     rt_sync_reason reason);
bool __wrap_rt_fusion_command_cancel(rt_scheduler *scheduler, rt_queue_id queue,
                                     rt_sync_reason reason);
rt_command_id __real_rt_fusion_command_event(rt_scheduler *scheduler, rt_queue_id queue);
rt_command_id __wrap_rt_fusion_command_event(rt_scheduler *scheduler, rt_queue_id queue);
rt_fusion_command *__real_rt_fusion_to_join(rt_scheduler *scheduler, rt_queue_id queue);
rt_fusion_command *__wrap_rt_fusion_to_join(rt_scheduler *scheduler, rt_queue_id queue);
void __real_rt_fusion_set_status(rt_scheduler *scheduler, rt_fusion_command *fusion,
                                 rt_fusion_status status);
void __wrap_rt_fusion_set_status(rt_scheduler *scheduler, rt_fusion_command *fusion,
                                 rt_fusion_status status);
void __real_rt_fusion_clean_up(rt_scheduler *scheduler);
void __wrap_rt_fusion_clean_up(rt_scheduler *scheduler);

rt_status __wrap_rt_scheduler_queue_create(rt_scheduler *scheduler, const rt_device *device,
                                           rt_context_id context, bool in_order,
                                           rt_queue_id *out_queue)
{
    RT_TRY(__real_rt_scheduler_queue_create(scheduler, device, context, in_order, out_queue));
    rt_scheduler_lock(scheduler);
    if (has_active_fusion(scheduler) && RT_FAULT(KF_GRAPH_02, "a new queue joins another's fusion"))
        scheduler->queues.items[*out_queue].fusion =
            scheduler->fusions.items[scheduler->fusions.count - 1];
    rt_scheduler_unlock(scheduler);
    return RT_STATUS_OK;
}

rt_status __wrap_rt_fusion_command_start(rt_scheduler *scheduler, rt_queue_id queue)
{
    rt_scheduler_lock(scheduler);
    if (rt_queue_in_fusion_mode(scheduler, queue) &&
        RT_FAULT(KF_QUEUE_03, "a second start loses the kernels of the list")) {
        rt_fusion_command *fusion = scheduler->queues.items[queue].fusion;
        drop_list(scheduler, fusion);
        rt_fusion_end(scheduler, fusion, RT_SYNC_REASON_CALL);
    }
    rt_scheduler_unlock(scheduler);
    return __real_rt_fusion_command_start(scheduler, queue);
}

bool __wrap_rt_fusion_command_cancel(rt_scheduler *scheduler, rt_queue_id queue,
                                     rt_sync_reason reason)
{
    rt_scheduler_lock(scheduler);
    if (reason == RT_SYNC_REASON_CALL && rt_queue_in_fusion_mode(scheduler, queue) &&
        RT_FAULT(KF_QUEUE_08, "the kernels of a cancelled list are lost"))
        drop_list(scheduler, scheduler->queues.items[queue].fusion);
    rt_scheduler_unlock(scheduler);
    if (reason == RT_SYNC_REASON_REJECTED &&
        RT_FAULT(KF_GRAPH_09, "the kernels of a rejected list stay held"))
        return true;
    bool was_active = __real_rt_fusion_command_cancel(scheduler, queue, reason);
    if (was_active && RT_FAULT(KF_QUEUE_12, "all fusions are cancelled")) {
        rt_scheduler_lock(scheduler);
        rt_sync_queue(scheduler, RT_QUEUE_ALL, reason);
        rt_scheduler_unlock(scheduler);
    }
    return was_active;
}

rt_command_id __wrap_rt_fusion_command_event(rt_scheduler *scheduler, rt_queue_id queue)
{
    if (!rt_fusion_command_is_active(scheduler, queue) &&
        RT_FAULT(KF_EVENT_04, "a fusion that has ended has no event"))
        return RT_COMMAND_NONE;
    return __real_rt_fusion_command_event(scheduler, queue);
}

rt_fusion_command *__wrap_rt_fusion_to_join(rt_scheduler *scheduler, rt_queue_id queue)
{
    const rt_queue *target = &scheduler->queues.items[queue];
    bool could_start =
        target->enable_fusion && !target->ended && !rt_queue_in_fusion_mode(scheduler, queue);
    bool was_cancelled = target->fusion && target->fusion->status == RT_FUSION_CANCELLED;
    bool starts = (could_start && !target->fusion &&
                   RT_FAULT(KF_QUEUE_04, "a launch starts a fusion that no call has started")) ||
                  (could_start && was_cancelled &&
                   RT_FAULT(KF_SYNC_11, "a launch starts a fusion again that has ended early"));
    if (starts) {
        rt_scheduler_unlock(scheduler);
        rt_status status = __real_rt_fusion_command_start(scheduler, queue);
        CHECK(rt_ok(status));
        rt_scheduler_lock(scheduler);
    }
    return __real_rt_fusion_to_join(scheduler, queue);
}

void __wrap_rt_fusion_clean_up(rt_scheduler *scheduler)
{
    rt_scheduler_lock(scheduler);
    for (uint32_t i = 0; i < scheduler->fusions.count; i++) {
        rt_fusion_command *fusion = scheduler->fusions.items[i];
        rt_queue *queue = &scheduler->queues.items[fusion->queue];
        if (fusion->status == RT_FUSION_ACTIVE || fusion->users > 0 || queue->fusion != fusion)
            continue;
        if (!RT_FAULT(KF_EVENT_05, "the newest fusion of a queue is freed once it is over"))
            continue;
        rt_fusion_set_status(scheduler, fusion, RT_FUSION_DELETE);
        queue->fusion = NULL;
    }
    rt_scheduler_unlock(scheduler);
    __real_rt_fusion_clean_up(scheduler);
}

void __wrap_rt_fusion_set_status(rt_scheduler *scheduler, rt_fusion_command *fusion,
                                 rt_fusion_status status)
{
    if (status == RT_FUSION_COMPLETED && fusion->kernels.count > 0 &&
        RT_FAULT(KF_GRAPH_16, "a completed fusion counts as cancelled"))
        status = RT_FUSION_CANCELLED;
    __real_rt_fusion_set_status(scheduler, fusion, status);
}

/* ---- Held kernels --------------------------------------------------------------------------- */

void __real_rt_hold_launch(rt_scheduler *scheduler, rt_fusion_command *fusion, rt_command *command,
                           dev_kernel *kernel, const rt_launch *launch);
void __wrap_rt_hold_launch(rt_scheduler *scheduler, rt_fusion_command *fusion, rt_command *command,
                           dev_kernel *kernel, const rt_launch *launch);
void __real_rt_held_enqueue(rt_scheduler *scheduler, rt_command *command);
void __wrap_rt_held_enqueue(rt_scheduler *scheduler, rt_command *command);
rt_status __real_rt_fusion_command_replace(rt_scheduler *scheduler, const rt_fusion_list *list,
                                           const rt_launch *fused, bool *out_replaced,
                                           rt_command_id *out_command);
rt_status __wrap_rt_fusion_command_replace(rt_scheduler *scheduler, const rt_fusion_list *list,
                                           const rt_launch *fused, bool *out_replaced,
                                           rt_command_id *out_command);

void __wrap_rt_hold_launch(rt_scheduler *scheduler, rt_fusion_command *fusion, rt_command *command,
                           dev_kernel *kernel, const rt_launch *launch)
{
    __real_rt_hold_launch(scheduler, fusion, command, kernel, launch);
    if (!RT_FAULT(KF_GRAPH_08, "the newest kernel comes first in the list")) return;
    for (uint32_t i = fusion->kernels.count - 1; i > 0; i--)
        fusion->kernels.items[i] = fusion->kernels.items[i - 1];
    fusion->kernels.items[0] = command->id;
}

void __wrap_rt_held_enqueue(rt_scheduler *scheduler, rt_command *command)
{
    const rt_command_list *kernels = &command->held->fusion->kernels;
    if (!command->held->auxiliary) {
        if (command->dependencies.count > 0 &&
            RT_FAULT(KF_QUEUE_13, "the kernels of a cancelled list lose their dependencies"))
            command->dependencies.count = 0;
        for (uint32_t i = 1; i < kernels->count; i++)
            if (kernels->items[i] == command->id &&
                RT_FAULT(KF_GRAPH_07, "each kernel of a cancelled list waits for the one before"))
                rt_graph_depend(scheduler, command, kernels->items[i - 1]);
    }
    __real_rt_held_enqueue(scheduler, command);
}

/* Runs each kernel of the list in addition to the fused kernel. */
static void run_kernels(rt_scheduler *scheduler, const rt_fusion_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        rt_scheduler_lock(scheduler);
        const rt_command *held = scheduler->commands.items[list->fusion->kernels.items[i]];
        rt_command *command = rt_graph_add(scheduler, RT_COMMAND_LAUNCH, held->queue);
        command->program = list->kernels[i].program;
        dev_kernel *kernel = held->held->kernel;
        rt_scheduler_unlock(scheduler);
        rt_program_retain(scheduler->programs, command->program);
        rt_scheduler_lock(scheduler);
        rt_status status =
            __real_rt_enqueue_launch(scheduler, command, kernel, list->kernels[i].launch);
        CHECK(rt_ok(status));
        rt_scheduler_unlock(scheduler);
    }
}

rt_status __wrap_rt_fusion_command_replace(rt_scheduler *scheduler, const rt_fusion_list *list,
                                           const rt_launch *fused, bool *out_replaced,
                                           rt_command_id *out_command)
{
    if (RT_FAULT(KF_GRAPH_12, "the kernels of the list run too")) run_kernels(scheduler, list);
    return __real_rt_fusion_command_replace(scheduler, list, fused, out_replaced, out_command);
}

/* ---- device_globals ------------------------------------------------------------------------- */

rt_status __real_rt_scheduler_global_copy(rt_scheduler *scheduler, rt_queue_id queue,
                                          const rt_global_copy *copy, rt_command_id *out_command);
rt_status __wrap_rt_scheduler_global_copy(rt_scheduler *scheduler, rt_queue_id queue,
                                          const rt_global_copy *copy, rt_command_id *out_command);
rt_status __real_rt_global_value(rt_global_database *database, rt_global_entry *entry,
                                 uint32_t context, uint32_t device, uint64_t size,
                                 rt_memory **out_memory);
rt_status __wrap_rt_global_value(rt_global_database *database, rt_global_entry *entry,
                                 uint32_t context, uint32_t device, uint64_t size,
                                 rt_memory **out_memory);
rt_status __real_rt_globals_instance(rt_scheduler *scheduler, rt_queue_id queue,
                                     rt_global_entry *entry, uint64_t size,
                                     rt_global_instance **out_instance);
rt_status __wrap_rt_globals_instance(rt_scheduler *scheduler, rt_queue_id queue,
                                     rt_global_entry *entry, uint64_t size,
                                     rt_global_instance **out_instance);
rt_status __real_rt_global_instance_make(rt_global_database *database, rt_global_entry *entry,
                                         const rt_device *device, rt_context_id context,
                                         uint64_t size, rt_global_instance **out_instance);
rt_status __wrap_rt_global_instance_make(rt_global_database *database, rt_global_entry *entry,
                                         const rt_device *device, rt_context_id context,
                                         uint64_t size, rt_global_instance **out_instance);
rt_status __real_rt_globals_prepare(rt_scheduler *scheduler, rt_queue_id queue,
                                    const rt_program *program, rt_command_list *commands);
rt_status __wrap_rt_globals_prepare(rt_scheduler *scheduler, rt_queue_id queue,
                                    const rt_program *program, rt_command_list *commands);
uint32_t __real_rt_program_manager_choose(rt_program_manager *manager, rt_rule rule,
                                          uint32_t alternative_count);
uint32_t __wrap_rt_program_manager_choose(rt_program_manager *manager, rt_rule rule,
                                          uint32_t alternative_count);
rt_status __real_rt_enqueue_zero(rt_scheduler *scheduler, rt_command *command, rt_memory *memory,
                                 uint64_t size);
rt_status __wrap_rt_enqueue_zero(rt_scheduler *scheduler, rt_command *command, rt_memory *memory,
                                 uint64_t size);
rt_status __real_rt_enqueue_point(rt_scheduler *scheduler, rt_command *command,
                                  const rt_program *program, const rt_program_global *global);
rt_status __wrap_rt_enqueue_point(rt_scheduler *scheduler, rt_command *command,
                                  const rt_program *program, const rt_program_global *global);
rt_status __real_rt_enqueue_transfer(rt_scheduler *scheduler, rt_command *command,
                                     const rt_transfer *transfer);
rt_status __wrap_rt_enqueue_transfer(rt_scheduler *scheduler, rt_command *command,
                                     const rt_transfer *transfer);

static bool is_torn;                /* the next storage stays as it is */
static bool contexts_are_torn;      /* so does that of a device's second context */
static _Thread_local rt_sink *sink; /* during a copy */

/* The copy as the planted fault makes it. */
static rt_global_copy copy_as_made(const rt_global_copy *copy, const rt_global_entry *entry)
{
    rt_global_copy made = *copy;
    uint64_t room = copy->type_size;
    bool fits = copy->offset <= room && copy->size <= room - copy->offset;
    if (!fits && RT_FAULT(DG_COPY_07, "the part that fits is copied")) {
        made.offset = copy->offset < room ? copy->offset : 0;
        if (made.size > room - made.offset) made.size = room - made.offset;
    }
    if (copy->by_handler && RT_FAULT(DG_COPY_08, "the handler's functions ignore the offset"))
        made.offset = 0;
    /* The entry is the database's: it is read without its lock only when a fault is planted. */
    if (!copy->image_scope && RT_FAULT(DG_COPY_04, "every variable of an image is in a program") &&
        entry->size > 0)
        made.image_scope = true;
    if (!copy->image_scope &&
        RT_FAULT(DG_COPY_10, "a variable that no image has is in the host object") &&
        entry->size == 0)
        made.image_scope = true;
    return made;
}

rt_status __wrap_rt_scheduler_global_copy(rt_scheduler *scheduler, rt_queue_id queue,
                                          const rt_global_copy *copy, rt_command_id *out_command)
{
    const rt_global_entry *entry =
        scheduler->globals ? rt_global_database_find(scheduler->globals, copy->address) : NULL;
    if (!entry) return __real_rt_scheduler_global_copy(scheduler, queue, copy, out_command);
    rt_global_copy made = copy_as_made(copy, entry);
    sink = scheduler->sink;
    rt_status status = __real_rt_scheduler_global_copy(scheduler, queue, &made, out_command);
    sink = NULL;
    if (rt_ok(status) && RT_FAULT(DG_COPY_09, "the event is that of the fill") && entry->cached)
        *out_command = entry->cached->zero;
    return status;
}

rt_status __wrap_rt_global_value(rt_global_database *database, rt_global_entry *entry,
                                 uint32_t context, uint32_t device, uint64_t size,
                                 rt_memory **out_memory)
{
    if (sink && RT_FAULT(DG_SCOPE_08, "a variable must be in an image"))
        return rt_fail(sink, RT_ERRC_INVALID, RT_RULE_DG_SCOPE_08,
                       "no image has the device_global");
    return __real_rt_global_value(database, entry, context, device, size, out_memory);
}

/* Launches do not find the storage that copies use. */
rt_status __wrap_rt_globals_prepare(rt_scheduler *scheduler, rt_queue_id queue,
                                    const rt_program *program, rt_command_list *commands)
{
    rt_program_globals *globals =
        scheduler->globals ? rt_global_database_program(scheduler->globals, program) : NULL;
    bool is_apart = globals && RT_FAULT(DG_COPY_05, "a launch does not find storage of copies");
    for (uint32_t i = 0; is_apart && i < globals->list.count; i++) {
        rt_global_entry *entry = globals->list.items[i].entry;
        uint32_t last = entry->instances.count - 1;
        if (!entry->cached || entry->instances.items[last] != entry->cached) continue;
        entry->instances.count--;
        entry->instances.items[last] = NULL;
    }
    rt_status status = __real_rt_globals_prepare(scheduler, queue, program, commands);
    for (uint32_t i = 0; is_apart && i < globals->list.count; i++) {
        rt_global_entry *entry = globals->list.items[i].entry;
        bool is_listed = !entry->cached;
        for (uint32_t k = 0; k < entry->instances.count; k++)
            is_listed = is_listed || entry->instances.items[k] == entry->cached;
        if (!is_listed) *rt_vector_push(&entry->instances) = entry->cached;
    }
    return status;
}

/* Only copies call this from another file. */
rt_status __wrap_rt_globals_instance(rt_scheduler *scheduler, rt_queue_id queue,
                                     rt_global_entry *entry, uint64_t size,
                                     rt_global_instance **out_instance)
{
    rt_global_entry before = *entry;
    bool is_apart = RT_FAULT(DG_COPY_05, "copies do not find storage that a launch has created");
    if (is_apart) memset(&entry->instances, 0, sizeof entry->instances);
    is_torn = RT_FAULT(DG_COPY_03, "storage that a copy creates is not filled");
    rt_status status = __real_rt_globals_instance(scheduler, queue, entry, size, out_instance);
    is_torn = false;
    if (is_apart) {
        for (uint32_t i = 0; i < entry->instances.count; i++)
            *rt_vector_push(&before.instances) = entry->instances.items[i];
        rt_vector_free(&entry->instances);
        memcpy(&entry->instances, &before.instances, sizeof before.instances);
    }
    return status;
}

uint32_t __wrap_rt_program_manager_choose(rt_program_manager *manager, rt_rule rule,
                                          uint32_t alternative_count)
{
    if (rule == RT_RULE_DG_INIT_11 &&
        RT_FAULT(DG_INIT_11, "the storage of a second context is not filled")) {
        contexts_are_torn = true;
        return 1;
    }
    return __real_rt_program_manager_choose(manager, rule, alternative_count);
}

rt_status __wrap_rt_global_instance_make(rt_global_database *database, rt_global_entry *entry,
                                         const rt_device *device, rt_context_id context,
                                         uint64_t size, rt_global_instance **out_instance)
{
    for (uint32_t i = 0; i < entry->instances.count; i++) {
        const rt_global_instance *other = entry->instances.items[i];
        if (contexts_are_torn && other->device == device && other->context != context)
            is_torn = true;
    }
    if (RT_FAULT(DG_INIT_03, "the storage has the size of a pointer")) size = sizeof(uint64_t);
    return __real_rt_global_instance_make(database, entry, device, context, size, out_instance);
}

rt_status __wrap_rt_enqueue_zero(rt_scheduler *scheduler, rt_command *command, rt_memory *memory,
                                 uint64_t size)
{
    enum { PAGE_BYTES = 4096 };
    if (size > PAGE_BYTES && RT_FAULT(DG_INIT_10, "at most a page is filled")) size = PAGE_BYTES;
    if (is_torn) size = 1;
    is_torn = false;
    return __real_rt_enqueue_zero(scheduler, command, memory, size);
}

rt_status __wrap_rt_enqueue_point(rt_scheduler *scheduler, rt_command *command,
                                  const rt_program *program, const rt_program_global *global)
{
    rt_program_globals *globals = rt_global_database_program(scheduler->globals, program);
    rt_program_global *pointed = NULL;
    for (uint32_t i = 0; i < globals->list.count; i++)
        if (&globals->list.items[i] == global) pointed = &globals->list.items[i];
    CHECK(pointed);
    const rt_global_instance *first =
        rt_globals_instance_find(scheduler, command->queue, globals->list.items[0].entry);
    if (first && RT_FAULT(DG_HEADER_02, "all pointers lead to the first variable")) {
        const rt_memory_copy *copy = &first->memory->copies.items[first->device->id];
        uint64_t address = dev_memory_address(copy->memory);
        memcpy(pointed->pointer, &address, sizeof pointed->pointer);
    }
    if (global->entry->host_access == RT_HOST_ACCESS_NONE &&
        RT_FAULT(DG_INIT_12, "a variable without host access gets no pointer"))
        memset(pointed->pointer, 0, sizeof pointed->pointer);
    return __real_rt_enqueue_point(scheduler, command, program, global);
}

rt_status __wrap_rt_enqueue_transfer(rt_scheduler *scheduler, rt_command *command,
                                     const rt_transfer *transfer)
{
    if (command->moves_variable && RT_FAULT(DG_PLUGIN_03, "the wait list is lost"))
        command->dependencies.count = 0;
    return __real_rt_enqueue_transfer(scheduler, command, transfer);
}

/* ---- The plugin's interfaces ---------------------------------------------------------------- */

rt_status __real_dev_enqueue_copy(dev_queue *queue, dev_command command, dev_memory *from,
                                  uint64_t from_offset, dev_memory *to, uint64_t to_offset,
                                  uint64_t size, dev_event **out_event);
rt_status __wrap_dev_enqueue_copy(dev_queue *queue, dev_command command, dev_memory *from,
                                  uint64_t from_offset, dev_memory *to, uint64_t to_offset,
                                  uint64_t size, dev_event **out_event);
rt_status __real_dev_enqueue_write(dev_queue *queue, dev_command command, dev_memory *memory,
                                   uint64_t offset, uint64_t size, const void *source,
                                   dev_event **out_event);
rt_status __wrap_dev_enqueue_write(dev_queue *queue, dev_command command, dev_memory *memory,
                                   uint64_t offset, uint64_t size, const void *source,
                                   dev_event **out_event);

rt_status __wrap_dev_enqueue_copy(dev_queue *queue, dev_command command, dev_memory *from,
                                  uint64_t from_offset, dev_memory *to, uint64_t to_offset,
                                  uint64_t size, dev_event **out_event)
{
    if (from->kind == DEV_MEMORY_GLOBAL && RT_FAULT(DG_PLUGIN_01, "a read ignores the offset"))
        from_offset = 0;
    if (to->kind == DEV_MEMORY_GLOBAL && RT_FAULT(DG_PLUGIN_02, "a write ignores the offset"))
        to_offset = 0;
    return __real_dev_enqueue_copy(queue, command, from, from_offset, to, to_offset, size,
                                   out_event);
}

rt_status __wrap_dev_enqueue_write(dev_queue *queue, dev_command command, dev_memory *memory,
                                   uint64_t offset, uint64_t size, const void *source,
                                   dev_event **out_event)
{
    if (memory->kind == DEV_MEMORY_GLOBAL &&
        RT_FAULT(DG_INIT_07, "the pointer is written by a fill"))
        return dev_enqueue_fill(queue, command, memory, offset, size, (rt_bytes){source, size},
                                out_event);
    return __real_dev_enqueue_write(queue, command, memory, offset, size, source, out_event);
}
