/* A queue's fusion in the graph: its start, its end by cancelling or replacing, and its clean-up.
 *
 * Source: document 001 (KernelFusionJIT.md), "KernelFusionCommand" and "Behavior on queue::…". */
#include "reference/sched/sched_internal.h"

#include "reference/base/handover.h"

/* ---- Names -------------------------------------------------------------------------------- */

const char *rt_fusion_status_name(rt_fusion_status status)
{
    static const char *const names[RT_FUSION_STATUS_COUNT] = {
#define STATUS_NAME(status, name) [RT_FUSION_##status] = name,
        RT_FUSION_STATUSES(STATUS_NAME)
#undef STATUS_NAME
    };
    CHECK((unsigned)status < RT_FUSION_STATUS_COUNT);
    return names[status];
}

typedef struct reason_row {
    const char *name, *warning;
} reason_row;

static const reason_row *reason_find(rt_sync_reason reason)
{
    static const reason_row rows[RT_SYNC_REASON_COUNT] = {
#define REASON_ROW(reason, name, warning) [RT_SYNC_REASON_##reason] = {name, warning},
        RT_SYNC_REASONS(REASON_ROW)
#undef REASON_ROW
    };
    CHECK((unsigned)reason < RT_SYNC_REASON_COUNT);
    return &rows[reason];
}

const char *rt_sync_reason_name(rt_sync_reason reason)
{
    return reason_find(reason)->name;
}

const char *rt_sync_reason_warning(rt_sync_reason reason)
{
    return reason_find(reason)->warning;
}

/* ---- Beginning ---------------------------------------------------------------------------- */

void rt_scheduler_observe(rt_scheduler *scheduler, rt_fusion_observer observer)
{
    CHECK(!scheduler->observer.ended && observer.ended);
    scheduler->observer = observer;
}

void rt_scheduler_queue_enable_fusion(rt_scheduler *scheduler, rt_queue_id queue)
{
    rt_scheduler_lock(scheduler);
    CHECK(queue < scheduler->queues.count);
    scheduler->queues.items[queue].enable_fusion = true;
    rt_scheduler_unlock(scheduler);
}

void rt_fusion_command_free(rt_fusion_command *fusion)
{
    CHECK(fusion->users == 0);
    CHECK(fusion->status > RT_FUSION_NEW && fusion->status < RT_FUSION_STATUS_COUNT);
    rt_vector_free(&fusion->leaves);
    rt_vector_free(&fusion->kernels);
    rt_vector_free(&fusion->auxiliary);
    rt_arena_reset(&fusion->arena);
    rt_free(fusion);
}

/* Called with the lock held. */
static void clean_up(rt_scheduler *scheduler)
{
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < scheduler->fusions.count; i++) {
        rt_fusion_command *fusion = scheduler->fusions.items[i];
        /* Until start_fusion has set it to DELETE, its event may still be queried (KF-EVENT-05). */
        if (fusion->status != RT_FUSION_DELETE || fusion->users > 0) {
            scheduler->fusions.items[kept_count++] = fusion;
            continue;
        }
        CHECK(scheduler->queues.items[fusion->queue].fusion != fusion);
        rt_fusion_command_free(fusion);
    }
    CHECK(kept_count <= scheduler->fusions.count);
    scheduler->fusions.count = kept_count;
}

void rt_fusion_clean_up(rt_scheduler *scheduler)
{
    rt_scheduler_lock(scheduler);
    clean_up(scheduler);
    rt_scheduler_unlock(scheduler);
}

void rt_fusion_moves_enqueue(rt_scheduler *scheduler, const rt_fusion_command *fusion)
{
    for (uint32_t i = 0; i < fusion->auxiliary.count; i++) {
        rt_command *command = scheduler->commands.items[fusion->auxiliary.items[i]];
        if (command->state == RT_COMMAND_HELD) rt_held_enqueue(scheduler, command);
        CHECK(!rt_command_is_pending(command));
    }
}

/* Leaves a fusion to clean-up. */
static void fusion_delete(rt_scheduler *scheduler, rt_fusion_command *fusion)
{
    rt_fusion_set_status(scheduler, fusion, RT_FUSION_DELETE);
}

/* Puts the queue into fusion mode; leaves its previous fusion to clean-up. */
static void fusion_begin(rt_scheduler *scheduler, rt_queue_id queue)
{
    rt_queue *fused_queue = &scheduler->queues.items[queue];
    CHECK(fused_queue->enable_fusion && !fused_queue->ended);
    CHECK(!fused_queue->fusion || fused_queue->fusion->status != RT_FUSION_ACTIVE);
    rt_fusion_command *before = fused_queue->fusion;
    rt_fusion_command *fusion = rt_alloc(sizeof *fusion);
    CHECK(fusion->status == RT_FUSION_NEW);
    fusion->queue = queue;
    fusion->last_before = fused_queue->last;
    fusion->command = rt_graph_add(scheduler, RT_COMMAND_FUSION, queue)->id;
    fused_queue->fusion = fusion;
    if (before) RULE(KF_QUEUE_02, fusion_delete(scheduler, before));
    *rt_vector_push(&scheduler->fusions) = fusion;
    rt_fusion_set_status(scheduler, fusion, RT_FUSION_ACTIVE);
    clean_up(scheduler);
}

/* Ends the fusion's node; every command that it waits for must have been handed over. */
static void placeholder_end(rt_scheduler *scheduler, const rt_fusion_command *fusion)
{
    rt_command *node = scheduler->commands.items[fusion->command];
    CHECK(node->kind == RT_COMMAND_FUSION && node->queue == fusion->queue);
    rt_command_step(node, RT_STEP_HAND_OVER);
    for (uint32_t i = 0; i < node->dependencies.count; i++) {
        rt_command_id other = node->dependencies.items[i];
        CHECK(!rt_command_is_pending(scheduler->commands.items[other]));
        if (other > node->ended_after) node->ended_after = other;
    }
}

/* Called with the lock held. */
static rt_status start(rt_scheduler *scheduler, rt_queue_id queue)
{
    const rt_queue *fused_queue = &scheduler->queues.items[queue];
    if (fused_queue->ended)
        return rt_fail(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "cannot start fusion on queue %u: it has ended", queue);
    if (!fused_queue->enable_fusion)
        return rt_fail(
            scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE,
            "cannot start fusion on queue %u: it was created without the property enable_fusion",
            queue);
    if (rt_queue_in_fusion_mode(scheduler, queue))
        return rt_fail(scheduler->sink, RT_ERRC_INVALID, RT_RULE_KF_QUEUE_03,
                       "cannot start fusion on queue %u: it is already in fusion mode; "
                       "complete or cancel the fusion first",
                       queue);
    RULE(KF_QUEUE_01, fusion_begin(scheduler, queue));
    return RT_STATUS_OK;
}

rt_status rt_fusion_command_start(rt_scheduler *scheduler, rt_queue_id queue)
{
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    CHECK(queue < scheduler->queues.count);
    rt_status status = start(scheduler, queue);
    rt_scheduler_unlock(scheduler);
    return status;
}

rt_fusion_command *rt_fusion_to_join(rt_scheduler *scheduler, rt_queue_id queue)
{
    /* Outside fusion mode, and so after a fusion has ended early, a launch goes to the device
     * (KF-QUEUE-04, KF-SYNC-11). */
    if (!rt_queue_in_fusion_mode(scheduler, queue)) return NULL;
    return RULE(KF_QUEUE_05, scheduler->queues.items[queue].fusion);
}

/* ---- Cancelling --------------------------------------------------------------------------- */

void rt_fusion_end(rt_scheduler *scheduler, rt_fusion_command *fusion, rt_sync_reason reason)
{
    CHECK(fusion->status == RT_FUSION_ACTIVE);
    /* However it ends without a fused kernel (KF-SYNC-07). */
    rt_fusion_set_status(scheduler, fusion, RULE(KF_SYNC_07, RT_FUSION_CANCELLED));
    if (scheduler->observer.ended)
        scheduler->observer.ended(scheduler->observer.user, fusion->queue, reason);
    rt_fusion_moves_enqueue(scheduler, fusion);
    /* The kernels are handed over (KF-QUEUE-08) in submission order, each with exactly the edges
     * that it got when submitted (KF-QUEUE-13, KF-GRAPH-07). */
    for (uint32_t i = 0; i < fusion->kernels.count; i++) {
        rt_command *command = scheduler->commands.items[fusion->kernels.items[i]];
        if (command->state == RT_COMMAND_HELD) rt_held_enqueue(scheduler, command);
        CHECK(!rt_command_is_pending(command));
    }
    placeholder_end(scheduler, fusion);
}

bool rt_fusion_command_cancel(rt_scheduler *scheduler, rt_queue_id queue, rt_sync_reason reason)
{
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    bool is_active = rt_queue_in_fusion_mode(scheduler, queue);
    if (is_active) rt_fusion_end(scheduler, scheduler->queues.items[queue].fusion, reason);
    rt_scheduler_unlock(scheduler);
    return is_active;
}

/* ---- Queries ------------------------------------------------------------------------------ */

bool rt_fusion_command_is_active(rt_scheduler *scheduler, rt_queue_id queue)
{
    rt_scheduler_lock(scheduler);
    CHECK(queue < scheduler->queues.count);
    bool is_active = rt_queue_in_fusion_mode(scheduler, queue);
    rt_scheduler_unlock(scheduler);
    return is_active;
}

rt_command_id rt_fusion_command_event(rt_scheduler *scheduler, rt_queue_id queue)
{
    rt_scheduler_lock(scheduler);
    CHECK(queue < scheduler->queues.count);
    const rt_fusion_command *fusion = scheduler->queues.items[queue].fusion;
    /* Also of a fusion that has ended (KF-EVENT-04). */
    rt_command_id command = fusion ? fusion->command : RT_COMMAND_NONE;
    rt_scheduler_unlock(scheduler);
    return command;
}

bool rt_fusion_list_open(rt_scheduler *scheduler, rt_queue_id queue, rt_arena *arena,
                         rt_fusion_list *out_list)
{
    *out_list = (rt_fusion_list){0};
    rt_scheduler_lock(scheduler);
    bool is_active = rt_queue_in_fusion_mode(scheduler, queue);
    if (is_active) {
        const rt_queue *fused_queue = &scheduler->queues.items[queue];
        rt_fusion_command *fusion = fused_queue->fusion;
        rt_listed_kernel *kernels =
            rt_arena_alloc_array(arena, fusion->kernels.count, sizeof *kernels);
        for (uint32_t i = 0; i < fusion->kernels.count; i++) {
            const rt_command *command = scheduler->commands.items[fusion->kernels.items[i]];
            const rt_held *held = command->held;
            CHECK(command->state == RT_COMMAND_HELD && held->fusion == fusion);
            /* In the meantime another thread may end the fusion, wait and unload the kernel's
             * module. */
            rt_program_retain(scheduler->programs, command->program);
            kernels[i] = (rt_listed_kernel){held->launch.kernel, &held->launch, command->program};
        }
        fusion->users++;
        *out_list = (rt_fusion_list){fusion, fused_queue->device, fused_queue->context, kernels,
                                     fusion->kernels.count};
    }
    rt_scheduler_unlock(scheduler);
    return is_active;
}

void rt_fusion_list_close(rt_scheduler *scheduler, rt_fusion_list *list)
{
    rt_scheduler_lock(scheduler);
    CHECK(list->fusion && list->fusion->users > 0);
    CHECK(list->count <= list->fusion->kernels.count);
    list->fusion->users--;
    for (uint32_t i = 0; i < list->count; i++)
        rt_program_release(scheduler->programs, list->kernels[i].program);
    rt_scheduler_unlock(scheduler);
    *list = (rt_fusion_list){0};
}

void rt_fusion_command_finish_empty(rt_scheduler *scheduler, const rt_fusion_list *list)
{
    rt_scheduler_lock(scheduler);
    rt_fusion_command *fusion = list->fusion;
    if (fusion->status == RT_FUSION_ACTIVE && fusion->kernels.count == 0) {
        rt_fusion_set_status(scheduler, fusion, RT_FUSION_COMPLETED);
        /* A launch that was refused may have left moves of contents. */
        rt_fusion_moves_enqueue(scheduler, fusion);
        placeholder_end(scheduler, fusion);
    }
    rt_scheduler_unlock(scheduler);
}

/* ---- Replacing ---------------------------------------------------------------------------- */

static bool is_listed(const rt_scheduler *scheduler, const rt_fusion_command *fusion,
                      rt_command_id id)
{
    const rt_held *held = scheduler->commands.items[id]->held;
    return held && held->fusion == fusion && !held->auxiliary;
}

/* Each memory that the list's kernels use, once, with the union of all their accesses to it. */
static rt_access_list union_accesses(const rt_scheduler *scheduler, const rt_fusion_command *fusion)
{
    rt_access_list result = {0};
    rt_map index = {0};
    for (uint32_t i = 0; i < fusion->kernels.count; i++) {
        const rt_command *command = scheduler->commands.items[fusion->kernels.items[i]];
        rt_access_list accesses = rt_launch_accesses(&command->held->launch);
        for (uint32_t k = 0; k < RULE(KF_GRAPH_14, accesses.count); k++) {
            uint32_t memory = accesses.items[k].memory->id;
            uint32_t at = rt_map_find_number(&index, memory);
            if (at != RT_MAP_NONE) {
                CHECK(result.items && at < result.count);
                if (result.items[at].access != accesses.items[k].access)
                    result.items[at].access = RT_ACCESS_READ_WRITE;
                continue;
            }
            rt_map_set_number(&index, memory, result.count);
            *rt_vector_push(&result) = accesses.items[k];
        }
        rt_vector_free(&accesses);
    }
    rt_map_free(&index);
    return result;
}

static void list_add(rt_command_list *list, rt_command_id id)
{
    *rt_vector_push(list) = id;
}

/* The commands outside the fusion list that its kernels wait for; the caller frees the result. */
static rt_command_list outside_dependencies(const rt_scheduler *scheduler,
                                            const rt_fusion_command *fusion)
{
    rt_command_list outside = {0};
    for (uint32_t i = 0; i < fusion->kernels.count; i++) {
        const rt_command *command = scheduler->commands.items[fusion->kernels.items[i]];
        for (uint32_t d = 0; d < command->dependencies.count; d++) {
            rt_command_id other = command->dependencies.items[d];
            if (!RULE(KF_GRAPH_10, is_listed(scheduler, fusion, other)))
                RULE(KF_GRAPH_11, list_add(&outside, other));
        }
    }
    return outside;
}

static void list_copy(rt_command_list *to, const rt_command_list *from)
{
    to->count = 0;
    for (uint32_t i = 0; i < from->count; i++)
        *rt_vector_push(to) = from->items[i];
}

/* The leaves of memories, in the same order as a list of accesses. */
typedef RT_VECTOR(rt_memory_use) use_list;

/* Removes the list's kernels from the leaves of a memory.  If one of them wrote it, its last writer
 * from before the list is restored; the fused kernel waits for earlier readers because that kernel
 * did.  Readers outside the list remain. */
static void leaves_restore(const rt_scheduler *scheduler, const rt_fusion_command *fusion,
                           uint32_t memory, rt_memory_use *use)
{
    if (use->writer != RT_COMMAND_NONE && is_listed(scheduler, fusion, use->writer)) {
        uint32_t at = 0;
        while (at < fusion->leaves.count && fusion->leaves.items[at].memory != memory)
            at++;
        CHECK(at < fusion->leaves.count);
        const rt_saved_leaves *saved = &fusion->leaves.items[at];
        use->writer = saved->writer;
        use->download = saved->download;
    }
    uint32_t outside_count = 0;
    for (uint32_t k = 0; k < use->readers.count; k++) {
        if (!is_listed(scheduler, fusion, use->readers.items[k]))
            use->readers.items[outside_count++] = use->readers.items[k];
    }
    use->readers.count = outside_count;
}

/* Removes the list's kernels from the leaves of every memory that they use, and returns the
 * previous leaves, in case the device refuses the fused kernel (leaves_give). */
static use_list leaves_take(rt_scheduler *scheduler, const rt_fusion_command *fusion,
                            const rt_access_list *accesses)
{
    use_list before = {0};
    for (uint32_t i = 0; i < accesses->count; i++) {
        uint32_t memory = accesses->items[i].memory->id;
        CHECK(memory < scheduler->uses.count);
        rt_memory_use *use = &scheduler->uses.items[memory];
        rt_memory_use *previous = rt_vector_push(&before);
        *previous = (rt_memory_use){.writer = use->writer, .download = use->download};
        list_copy(&previous->readers, &use->readers);
        RULE(KF_GRAPH_13, leaves_restore(scheduler, fusion, memory, use));
    }
    CHECK(before.count == accesses->count);
    return before;
}

/* Frees the list of leaves; if `restore` is set, first restores them to their memories. */
static void leaves_give(rt_scheduler *scheduler, use_list *before, const rt_access_list *accesses,
                        bool restore)
{
    for (uint32_t i = 0; i < before->count; i++) {
        rt_memory_use *use = &scheduler->uses.items[accesses->items[i].memory->id];
        if (restore) {
            use->writer = before->items[i].writer;
            use->download = before->items[i].download;
            list_copy(&use->readers, &before->items[i].readers);
        }
        rt_vector_free(&before->items[i].readers);
    }
    rt_vector_free(before);
}

static void kernels_step(rt_scheduler *scheduler, const rt_fusion_command *fusion, rt_step step)
{
    for (uint32_t i = 0; i < fusion->kernels.count; i++)
        rt_command_step(scheduler->commands.items[fusion->kernels.items[i]], step);
}

/* Ends the list that the fused kernel has replaced: frees the data of the removed kernels, which
 * never run, since no edge leads to or from them any more (KF-GRAPH-12).  The fusion's node waits
 * for the fused kernel and for the moves of content created for the list. */
static void list_end(rt_scheduler *scheduler, const rt_fusion_command *fusion, rt_command_id fused)
{
    for (uint32_t i = 0; i < fusion->kernels.count; i++) {
        rt_command *command = scheduler->commands.items[fusion->kernels.items[i]];
        CHECK(command->state == RT_COMMAND_REMOVED && command->held);
        rt_vector_free(&command->dependencies);
        command->held = NULL;
        rt_program_release(scheduler->programs, command->program);
        command->program = NULL;
    }
    rt_command *node = scheduler->commands.items[fusion->command];
    CHECK(node->state == RT_COMMAND_SUBMITTED && fused > node->id);
    node->dependencies.count = 0;
    RULE(KF_GRAPH_15, rt_graph_depend(scheduler, node, fused));
    for (uint32_t i = 0; i < fusion->auxiliary.count; i++)
        rt_graph_depend(scheduler, node, fusion->auxiliary.items[i]);
    placeholder_end(scheduler, fusion);
}

/* The graph's part of the replacement.  On success, the fused command owns `program`. */
static rt_status replace(rt_scheduler *scheduler, rt_fusion_command *fusion, const rt_launch *fused,
                         rt_program *program, dev_kernel *kernel, rt_command_id *out_command)
{
    rt_queue *queue = &scheduler->queues.items[fusion->queue];
    CHECK(fusion->status == RT_FUSION_ACTIVE && queue->fusion == fusion);
    CHECK(program->device == queue->device && program->context == queue->context);
    rt_command_list outside = outside_dependencies(scheduler, fusion);
    rt_status status = rt_globals_prepare(scheduler, fusion->queue, program, &outside);
    if (!rt_ok(status)) {
        rt_vector_free(&outside);
        return status;
    }
    rt_access_list accesses = union_accesses(scheduler, fusion);
    use_list before = leaves_take(scheduler, fusion, &accesses);
    rt_command_id last = queue->last;
    /* In an in-order queue, the last command is the list's last kernel: any other would have ended
     * the fusion. */
    queue->last = fusion->last_before;
    kernels_step(scheduler, fusion, RT_STEP_REMOVE);
    rt_fusion_moves_enqueue(scheduler, fusion);
    const rt_submission submission = {.queue = fusion->queue,
                                      .kind = RT_COMMAND_LAUNCH,
                                      .accesses = &accesses,
                                      .after = outside.items,
                                      .after_count = outside.count};
    rt_command *command = NULL;
    status = rt_submission_begin(scheduler, &submission, &command);
    if (rt_ok(status)) {
        command->program = program;
        status = rt_enqueue_launch(scheduler, command, kernel, fused);
        status = rt_submission_end(scheduler, command, &accesses, status, out_command);
    }
    leaves_give(scheduler, &before, &accesses, !rt_ok(status));
    if (rt_ok(status)) {
        list_end(scheduler, fusion, *out_command);
        rt_fusion_set_status(scheduler, fusion, RT_FUSION_COMPLETED); /* KF-GRAPH-16 */
    } else {
        queue->last = last;
        kernels_step(scheduler, fusion, RT_STEP_RESTORE);
    }
    rt_vector_free(&outside);
    rt_vector_free(&accesses);
    return status;
}

rt_status rt_fusion_command_replace(rt_scheduler *scheduler, const rt_fusion_list *list,
                                    const rt_launch *fused, bool *out_replaced,
                                    rt_command_id *out_command)
{
    *out_replaced = false;
    *out_command = RT_COMMAND_NONE;
    const rt_kernel_request request = {
        .device = list->device, .context = list->context, .kernel = fused->kernel};
    rt_program *program = NULL;
    dev_kernel *kernel = NULL;
    CHECK(fused->bundle && list->count > 0);
    RT_TRY(rt_bundle_kernel(scheduler->programs, fused->bundle, &request, &program, &kernel));
    rt_status status = rt_launch_check_arguments(scheduler, fused, program, kernel);
    if (rt_ok(status)) {
        rt_handover_point();
        rt_scheduler_lock(scheduler);
        rt_fusion_command *fusion = list->fusion;
        bool unchanged = fusion->status == RT_FUSION_ACTIVE && fusion->kernels.count == list->count;
        if (unchanged) status = replace(scheduler, fusion, fused, program, kernel, out_command);
        *out_replaced = unchanged && rt_ok(status);
        CHECK(*out_replaced == (*out_command != RT_COMMAND_NONE));
        rt_scheduler_unlock(scheduler);
    }
    if (!*out_replaced) rt_program_release(scheduler->programs, program);
    return status;
}
