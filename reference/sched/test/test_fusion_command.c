/* Unit tests of the fusion command: the contents of the graph while a queue is in fusion mode, and
 * afterwards.  Tests whose names begin with a rule's id cover that rule. */
#include "reference/program/injected.h"
#include "reference/sched/sched_internal.h"
#include "reference/sched/test/scheduler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const rt_text fused_name = {"fused", 5};
static const rt_image fused_image = {
    .name = {"fused", 5},
    .kernels = &fused_name,
    .kernel_count = 1,
    .code = {(const uint8_t *)"code", 4},
};

typedef struct world {
    fixture *f;
    rt_scheduler *scheduler;
    rt_queue_id queue, other;
    rt_memory *a, *b;
    rt_bundle *bundle;
} world;

static rt_memory *make_memory(world *w, uint32_t id)
{
    rt_memory *memory = NULL;
    assert_true(rt_ok(rt_memory_create(w->f->sink, id, RT_TEXT("memory"), 4, "1234", &memory)));
    return memory;
}

static int set_up(void **state)
{
    world *w = rt_alloc(sizeof *w);
    w->scheduler = scheduler_create(&w->f);
    w->queue = queue_create(w->scheduler, &w->f->device, false);
    w->other = queue_create(w->scheduler, &w->f->device, false);
    rt_scheduler_queue_enable_fusion(w->scheduler, w->queue);
    w->a = make_memory(w, 0);
    w->b = make_memory(w, 1);
    assert_true(rt_ok(rt_bundle_inject(w->f->manager, &w->f->device, 0, &fused_image, &w->bundle)));
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    rt_scheduler_destroy(w->scheduler);
    rt_bundle_release(w->f->manager, w->bundle);
    rt_memory_destroy(w->a);
    rt_memory_destroy(w->b);
    fixture_destroy(w->f);
    rt_free(w);
    return 0;
}

/* Launches k on the two memories; k reads and writes them. */
static rt_command_id launch_after(world *w, rt_queue_id queue, const rt_command_id *after,
                                  uint32_t after_count)
{
    const rt_argument arguments[] = {
        {.kind = RT_ARGUMENT_MEMORY, .memory = w->a, .access = RT_ACCESS_READ_WRITE},
        {.kind = RT_ARGUMENT_MEMORY, .memory = w->b, .access = RT_ACCESS_READ},
    };
    const rt_launch request = {
        .kernel = RT_TEXT("k"),
        .range = {.dimensions = 1, .global = {4, 1, 1}},
        .arguments = arguments,
        .argument_count = 2,
        .after = after,
        .after_count = after_count,
    };
    rt_command_id command;
    assert_true(rt_ok(rt_scheduler_launch(w->scheduler, queue, &request, &command)));
    return command;
}

static rt_command_id launch(world *w, rt_queue_id queue)
{
    return launch_after(w, queue, NULL, 0);
}

static rt_fusion_command *start(world *w)
{
    assert_true(rt_ok(rt_fusion_command_start(w->scheduler, w->queue)));
    return w->scheduler->queues.items[w->queue].fusion;
}

/* Replaces the list with the fused kernel, which takes both memories. */
static rt_command_id replace(world *w)
{
    rt_arena arena = {0};
    rt_fusion_list list;
    const rt_argument arguments[] = {
        {.kind = RT_ARGUMENT_MEMORY, .memory = w->a, .access = RT_ACCESS_READ_WRITE},
        {.kind = RT_ARGUMENT_MEMORY, .memory = w->b, .access = RT_ACCESS_READ},
    };
    const rt_launch fused = {
        .kernel = fused_name,
        .range = {.dimensions = 1, .global = {4, 1, 1}},
        .arguments = arguments,
        .argument_count = 2,
        .bundle = w->bundle,
    };
    bool replaced = false;
    rt_command_id command = RT_COMMAND_NONE;
    assert_true(rt_fusion_list_open(w->scheduler, w->queue, &arena, &list));
    assert_true(rt_ok(rt_fusion_command_replace(w->scheduler, &list, &fused, &replaced, &command)));
    assert_true(replaced);
    rt_fusion_list_close(w->scheduler, &list);
    rt_arena_reset(&arena);
    return command;
}

static const rt_command *command_at(world *w, rt_command_id id)
{
    return w->scheduler->commands.items[id];
}

static void assert_dependencies(world *w, rt_command_id id, const rt_command_id *expected,
                                uint32_t count)
{
    const rt_command_list *found = &command_at(w, id)->dependencies;
    assert_int_equal(found->count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(found->items[i], expected[i]);
}

/* ---- The list ----------------------------------------------------------------------------- */

static void KF_GRAPH_01_a_node_holds_the_list_and_shows_that_its_kernels_are_held(void **state)
{
    world *w = *state;
    const rt_fusion_command *fusion = start(w);
    launch(w, w->queue);
    launch(w, w->queue);
    assert_int_equal(command_at(w, fusion->command)->kind, RT_COMMAND_FUSION);
    assert_int_equal(fusion->kernels.count, 2);
    launch(w, w->other);
    assert_int_equal(fusion->status, RT_FUSION_CANCELLED);
}

static void KF_GRAPH_05_moves_of_content_are_kept_with_the_fusion(void **state)
{
    world *w = *state;
    const rt_fusion_command *fusion = start(w);
    launch(w, w->queue);
    assert_int_equal(fusion->kernels.count, 1);
    assert_int_equal(fusion->auxiliary.count, 2); /* the uploads of a and b */
    assert_int_equal(w->f->counting->writes, 0);
    launch(w, w->queue); /* needs no uploads: both are already held */
    assert_int_equal(fusion->auxiliary.count, 2);
    rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_CALL);
    assert_int_equal(w->f->counting->writes, 2);
    assert_int_equal(w->f->counting->launches, 2);
}

static void KF_GRAPH_06_the_fusion_waits_for_each_kernel(void **state)
{
    world *w = *state;
    const rt_fusion_command *fusion = start(w);
    for (uint32_t n = 1; n <= 3; n++) {
        launch(w, w->queue);
        assert_dependencies(w, fusion->command, fusion->kernels.items, n);
    }
}

static void KF_GRAPH_07_cancelling_makes_no_edges(void **state)
{
    world *w = *state;
    const rt_command_id event = launch(w, w->other); /* 0 and 1 are uploads */
    const rt_fusion_command *fusion = start(w);      /* 3 */
    const rt_argument nothing[] = {{.kind = RT_ARGUMENT_NULL}, {.kind = RT_ARGUMENT_NULL}};
    const rt_launch request = {.kernel = RT_TEXT("k"),
                               .range = {.dimensions = 1, .global = {4, 1, 1}},
                               .arguments = nothing,
                               .argument_count = 2,
                               .after = &event,
                               .after_count = 1};
    rt_command_id command;
    assert_true(rt_ok(rt_scheduler_launch(w->scheduler, w->queue, &request, &command)));
    assert_true(rt_ok(rt_scheduler_launch(w->scheduler, w->queue, &request, &command)));
    rt_command_id first = fusion->kernels.items[0], second = fusion->kernels.items[1];
    rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_CALL);
    assert_dependencies(w, first, &event, 1);
    assert_dependencies(w, second, &event, 1);
}

/* ---- The replacement ---------------------------------------------------------------------- */

static void KF_GRAPH_13_leaves_are_as_before_the_kernels(void **state)
{
    world *w = *state;
    const rt_command_id writer = launch(w, w->other); /* after uploads 0 and 1 */
    const rt_memory_use *use = &w->scheduler->uses.items[w->a->id];
    assert_int_equal(use->writer, writer);
    const rt_fusion_command *fusion = start(w);
    launch(w, w->queue);
    launch(w, w->queue);
    use = &w->scheduler->uses.items[w->a->id];
    assert_int_equal(use->writer, fusion->kernels.items[1]);
    rt_command_id fused = replace(w);
    const rt_command_id expected[] = {writer, 1}; /* `writer` wrote a; 1, b's upload, is the only
                                                   * writer of b */
    assert_dependencies(w, fused, expected, 2);
    use = &w->scheduler->uses.items[w->a->id];
    assert_int_equal(use->writer, fused);
    assert_int_equal(use->readers.count, 0);
}

static void KF_GRAPH_15_the_fusion_waits_for_the_fused_kernel_first(void **state)
{
    world *w = *state;
    const rt_fusion_command *fusion = start(w);
    launch(w, w->queue);
    launch(w, w->queue);
    rt_command_id fused = replace(w);
    const rt_command_id expected[] = {fused, fusion->auxiliary.items[0],
                                      fusion->auxiliary.items[1]};
    assert_dependencies(w, fusion->command, expected, 3);
    assert_int_equal(fusion->status, RT_FUSION_COMPLETED);
}

/* The device refuses the fused kernel: the list is unchanged, and can be cancelled. */
static void a_refused_fused_kernel_leaves_the_list(void **state)
{
    world *w = *state;
    const rt_fusion_command *fusion = start(w);
    launch(w, w->queue);
    launch(w, w->queue);
    rt_arena arena = {0};
    rt_fusion_list list;
    const rt_argument nothing[] = {{.kind = RT_ARGUMENT_NULL}, {.kind = RT_ARGUMENT_NULL}};
    const rt_launch fused = {.kernel = fused_name,
                             .range = {.dimensions = 1, .global = {4, 1, 1}},
                             .arguments = nothing,
                             .argument_count = 2,
                             .bundle = w->bundle};
    bool replaced = true;
    rt_command_id command;
    assert_true(rt_fusion_list_open(w->scheduler, w->queue, &arena, &list));
    w->f->counting->fail_kernels = true;
    assert_false(
        rt_ok(rt_fusion_command_replace(w->scheduler, &list, &fused, &replaced, &command)));
    w->f->counting->fail_kernels = false;
    assert_false(replaced);
    rt_fusion_list_close(w->scheduler, &list);
    rt_arena_reset(&arena);
    assert_int_equal(fusion->status, RT_FUSION_ACTIVE);
    assert_int_equal(w->scheduler->uses.items[w->a->id].writer, fusion->kernels.items[1]);
    assert_true(rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_REJECTED));
    assert_int_equal(w->f->counting->launches, 3); /* the refused launch is also counted */
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
}

/* If a held command is refused when it is handed over, the refusal is reported to the waiter. */
static void a_late_refusal_is_reported_to_the_waiter(void **state)
{
    world *w = *state;
    start(w);
    rt_command_id event = launch(w, w->queue);
    w->f->counting->fail_kernels = true;
    assert_true(rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_CALL));
    w->f->counting->fail_kernels = false;
    assert_int_equal(rt_scheduler_wait_command(w->scheduler, event).code, RT_ERRC_ND_RANGE);
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
}

/* ---- Events ------------------------------------------------------------------------------- */

static void KF_EVENT_04_the_command_stays_until_the_next_start(void **state)
{
    world *w = *state;
    const rt_fusion_command *fusion = start(w);
    rt_command_id event = launch(w, w->queue);
    assert_int_equal(event, fusion->command);
    assert_true(rt_ok(rt_scheduler_wait_queue(w->scheduler, w->queue)));
    for (uint32_t i = 0; i < 100; i++) {
        launch(w, w->other);
        rt_fusion_clean_up(w->scheduler);
    }
    assert_int_equal(rt_fusion_command_event(w->scheduler, w->queue), event);
    assert_true(rt_ok(rt_scheduler_wait_command(w->scheduler, event)));
}

static void KF_EVENT_05_clean_up_reclaims_what_is_delete_alone(void **state)
{
    world *w = *state;
    const rt_fusion_command *fusion = start(w);
    launch(w, w->queue);
    rt_fusion_clean_up(w->scheduler);
    assert_int_equal(w->scheduler->fusions.count, 1); /* ACTIVE */
    rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_CALL);
    rt_fusion_clean_up(w->scheduler);
    assert_int_equal(w->scheduler->fusions.count, 1); /* CANCELLED */
    assert_ptr_equal(w->scheduler->queues.items[w->queue].fusion, fusion);
    start(w);
    launch(w, w->queue);
    replace(w);
    rt_fusion_clean_up(w->scheduler);
    assert_int_equal(w->scheduler->fusions.count, 1); /* COMPLETED; the previous one was DELETE */
    assert_int_equal(w->scheduler->fusions.items[0]->status, RT_FUSION_COMPLETED);
}

static void KF_EVENT_06_no_device_has_an_event_for_it(void **state)
{
    world *w = *state;
    const rt_fusion_command *fusion = start(w);
    w->f->counting->fail_waits = true;
    rt_command_id event = launch(w, w->queue);
    rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_CALL);
    w->f->counting->fail_waits = false;
    assert_null(command_at(w, fusion->command)->event);
    /* The host waits for the first kernel, sees its failure, and does not launch the second. */
    assert_int_equal(w->f->counting->launches, 1);
    const rt_argument nothing[] = {{.kind = RT_ARGUMENT_NULL}, {.kind = RT_ARGUMENT_NULL}};
    const rt_launch request = {.kernel = RT_TEXT("k"),
                               .range = {.dimensions = 1, .global = {4, 1, 1}},
                               .arguments = nothing,
                               .argument_count = 2,
                               .after = &event,
                               .after_count = 1};
    rt_command_id command;
    assert_true(rt_ok(rt_scheduler_launch(w->scheduler, w->other, &request, &command)));
    assert_int_equal(w->f->counting->launches, 1);
    assert_int_equal(rt_scheduler_wait_command(w->scheduler, command).code, RT_DRIVER_ERROR);
}

static void looking_at_an_event_waits_for_nothing_and_ends_no_fusion(void **state)
{
    world *w = *state;
    w->f->counting->holds = true;
    start(w);
    rt_command_id event = launch(w, w->queue);
    assert_int_equal(rt_scheduler_progress(w->scheduler, event), RT_PROGRESS_SUBMITTED);
    assert_true(rt_fusion_command_is_active(w->scheduler, w->queue));
    rt_command_id fused = replace(w);
    assert_int_equal(rt_scheduler_progress(w->scheduler, event), RT_PROGRESS_HANDED_OVER);
    assert_int_equal(rt_scheduler_progress(w->scheduler, fused), RT_PROGRESS_HANDED_OVER);
    assert_true(rt_ok(rt_scheduler_wait_command(w->scheduler, fused)));
    /* No call has waited for the fusion's own event, but its commands are done nevertheless. */
    assert_int_equal(command_at(w, event)->state, RT_COMMAND_ENQUEUED);
    assert_int_equal(rt_scheduler_progress(w->scheduler, event), RT_PROGRESS_COMPLETE);
    assert_int_equal(rt_scheduler_progress(w->scheduler, fused), RT_PROGRESS_COMPLETE);
}

static void the_event_of_a_cancelled_fusion_is_as_far_as_its_slowest_kernel(void **state)
{
    world *w = *state;
    w->f->counting->holds = true;
    const rt_fusion_command *fusion = start(w);
    rt_command_id event = launch(w, w->queue);
    launch(w, w->queue);
    rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_CALL);
    assert_int_equal(fusion->kernels.count, 2);
    rt_command_id first = fusion->kernels.items[0], second = fusion->kernels.items[1];
    assert_true(rt_ok(rt_scheduler_wait_command(w->scheduler, first)));
    assert_int_equal(rt_scheduler_progress(w->scheduler, first), RT_PROGRESS_COMPLETE);
    assert_int_equal(rt_scheduler_progress(w->scheduler, second), RT_PROGRESS_HANDED_OVER);
    assert_int_equal(rt_scheduler_progress(w->scheduler, event), RT_PROGRESS_HANDED_OVER);
    assert_true(rt_ok(rt_scheduler_wait_command(w->scheduler, second)));
    assert_int_equal(rt_scheduler_progress(w->scheduler, event), RT_PROGRESS_COMPLETE);
}

static void the_event_of_a_failed_kernel_is_complete(void **state)
{
    world *w = *state;
    w->f->counting->fail_waits = true;
    rt_command_id failed = launch(w, w->other);
    assert_int_equal(rt_scheduler_progress(w->scheduler, failed), RT_PROGRESS_COMPLETE);
    assert_int_equal(rt_scheduler_wait_command(w->scheduler, failed).code, RT_DRIVER_ERROR);
    assert_int_equal(rt_scheduler_progress(w->scheduler, failed), RT_PROGRESS_COMPLETE);
}

static void an_event_inside_the_list_costs_an_edge_for_each_kernel(void **state)
{
    world *w = *state;
    const rt_fusion_command *fusion = start(w);
    rt_command_id event = launch(w, w->queue);
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(launch_after(w, w->queue, &event, 1), event);
    uint32_t edges = 0;
    for (uint32_t i = 0; i < fusion->kernels.count; i++)
        edges += command_at(w, fusion->kernels.items[i])->dependencies.count;
    assert_true(edges <= 4 * fusion->kernels.count);
    rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_CALL);
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
}

/* ---- Bundles ------------------------------------------------------------------------------ */

static void KF_JIT_03_a_made_image_comes_in_as_a_bundle_of_its_kernel(void **state)
{
    world *w = *state;
    rt_arena arena = {0};
    uint32_t count;
    const rt_text *kernels = rt_bundle_kernels(w->bundle, &arena, &count);
    assert_int_equal(count, 1);
    assert_true(rt_text_equal(kernels[0], fused_name));
    assert_int_equal(rt_bundle_state_of(w->bundle), RT_BUNDLE_EXECUTABLE);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_INJECT, "image"), "fused");
    rt_arena_reset(&arena);
    start(w);
    launch(w, w->queue);
    replace(w);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "kernel"), "fused");
}

/* An open list keeps its programs alive, even after its kernels have run and their module has been
 * unloaded. */
/* ---- What a fusion does not accept, and what ends it ---------------------------------------- */

static rt_buffer reported; /* "[kind]" for each command that was reported */

static rt_sync_reason ended_because;

static void note_ended(void *user, rt_queue_id queue, rt_sync_reason reason)
{
    (void)user;
    assert_int_equal(queue, 0);
    ended_because = reason;
}

static void note_not_fused(void *user, const char *kind)
{
    assert_ptr_equal(user, &reported);
    rt_buffer_printf(&reported, "[%s]", kind);
}

static void transfer(world *w, rt_queue_id queue, rt_memory *from, rt_memory *to, bool after)
{
    const rt_command_id first = 0;
    const rt_transfer request = {.from = from,
                                 .to = to,
                                 .size = 4,
                                 .pattern = {(const uint8_t *)"x", from ? 0 : 1},
                                 .after = &first,
                                 .after_count = after};
    rt_command_id command;
    assert_true(rt_ok(rt_scheduler_transfer(w->scheduler, queue, &request, &command)));
}

/* Shipped DPC++'s names (tag B16); without dependencies, a command on pointers alone is none of a
 * command group. */
static void commands_that_are_not_fused_are_reported(void **state)
{
    world *w = *state;
    rt_memory *usm[2] = {NULL, NULL};
    for (uint32_t i = 0; i < 2; i++)
        assert_true(rt_ok(rt_memory_usm_create(w->f->sink, 2 + i, RT_TEXT("usm"), &w->f->device,
                                               DEV_MEMORY_USM_SHARED, 4, "uuuu", &usm[i])));
    launch(w, w->queue);
    start(w);
    transfer(w, w->queue, NULL, w->a, false); /* no observer has been registered */
    rt_scheduler_observe(w->scheduler, (rt_fusion_observer){&reported, note_ended, note_not_fused});
    for (uint32_t after = 0; after < 2; after++) {
        transfer(w, w->queue, w->a, w->b, after);
        transfer(w, w->queue, w->a, usm[0], after);
        transfer(w, w->queue, usm[0], w->a, after);
        transfer(w, w->queue, usm[0], usm[1], after);
        transfer(w, w->queue, NULL, w->a, after);
        transfer(w, w->queue, NULL, usm[0], after);
        rt_buffer_printf(&reported, "\n");
    }
    rt_command_id task;
    const rt_host_task reads = {.from = w->a};
    assert_true(rt_ok(rt_scheduler_host_task(w->scheduler, w->queue, &reads, &task)));
    transfer(w, w->other, w->a, w->b, false); /* a queue that is not in fusion mode */
    assert_string_equal(rt_buffer_string(&reported),
                        "[copy acc to acc][copy acc to ptr][copy ptr to acc][fill]\n"
                        "[copy acc to acc][copy acc to ptr][copy ptr to acc][copy usm][fill]"
                        "[fill usm]\n"
                        "[host task]");
    rt_buffer_free(&reported);
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
    for (uint32_t i = 0; i < 2; i++)
        rt_memory_destroy(usm[i]);
}

/* Every kind of synchronisation ends a list of which it needs a kernel, and says so. */
static void a_fusion_ends_for_the_reason_that_is_told(void **state)
{
    world *w = *state;
    const rt_sync_reason reasons[] = {
        RT_SYNC_REASON_HOST_ACCESS, RT_SYNC_REASON_WAIT,        RT_SYNC_REASON_MEMORY_OPERATION,
        RT_SYNC_REASON_HOST_TASK,   RT_SYNC_REASON_OTHER_QUEUE, RT_SYNC_REASON_BUFFER_END,
        RT_SYNC_REASON_QUEUE_END,
    };
    rt_scheduler_observe(w->scheduler, (rt_fusion_observer){&reported, note_ended, NULL});
    for (uint32_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        const rt_host_task reads = {.from = w->a};
        rt_command_id task;
        start(w);
        launch(w, w->queue);
        ended_because = RT_SYNC_REASON_COUNT;
        switch (reasons[i]) {
        case RT_SYNC_REASON_HOST_ACCESS:
            assert_true(rt_ok(rt_scheduler_host_read(w->scheduler, w->a)));
            break;
        case RT_SYNC_REASON_WAIT: assert_true(rt_ok(rt_scheduler_wait(w->scheduler))); break;
        case RT_SYNC_REASON_MEMORY_OPERATION: transfer(w, w->other, w->a, w->b, false); break;
        case RT_SYNC_REASON_HOST_TASK:
            assert_true(rt_ok(rt_scheduler_host_task(w->scheduler, w->other, &reads, &task)));
            break;
        case RT_SYNC_REASON_OTHER_QUEUE: launch(w, w->other); break;
        case RT_SYNC_REASON_BUFFER_END:
            assert_true(rt_ok(rt_scheduler_memory_end(w->scheduler, w->a)));
            break;
        default: assert_true(rt_ok(rt_scheduler_queue_end(w->scheduler, w->queue))); break;
        }
        assert_int_equal(ended_because, reasons[i]);
        assert_false(rt_fusion_command_is_active(w->scheduler, w->queue));
    }
}

/* What the application or the compiler ends needs no warning. */
static void every_reason_has_its_words(void **state)
{
    (void)state;
    assert_string_equal(rt_sync_reason_name(RT_SYNC_REASON_CALL), "cancel_fusion");
    assert_string_equal(rt_sync_reason_name(RT_SYNC_REASON_BUFFER_END), "buffer-end");
    assert_string_equal(rt_sync_reason_warning(RT_SYNC_REASON_CALL), "");
    assert_string_equal(rt_sync_reason_warning(RT_SYNC_REASON_REJECTED), "");
    assert_string_equal(rt_sync_reason_warning(RT_SYNC_REASON_OTHER_QUEUE), RT_SYNC_EVENT);
    assert_string_equal(rt_sync_reason_warning(RT_SYNC_REASON_HOST_ACCESS), RT_SYNC_WAIT);
}

/* KF-SYNC-05: a wait for another queue leaves a list alone, and with it the moves that are held
 * back together with its kernels. */
static void a_wait_for_another_queue_leaves_the_list_alone(void **state)
{
    world *w = *state;
    const rt_fusion_command *fusion = start(w);
    launch(w, w->queue);
    assert_int_equal(fusion->auxiliary.count, 2);
    assert_true(rt_ok(rt_scheduler_wait_queue(w->scheduler, w->other)));
    assert_int_equal(fusion->status, RT_FUSION_ACTIVE);
    assert_int_equal(w->f->counting->writes, 0);
    assert_true(rt_ok(rt_scheduler_wait_queue(w->scheduler, w->queue)));
    assert_int_equal(w->f->counting->writes, 2);
    assert_int_equal(w->f->counting->launches, 1);
}

/* ---- Lists that are open --------------------------------------------------------------------- */

static void an_open_list_keeps_its_programs(void **state)
{
    world *w = *state;
    rt_arena arena = {0};
    rt_fusion_list list;
    start(w);
    launch(w, w->queue);
    launch(w, w->queue);
    assert_true(rt_fusion_list_open(w->scheduler, w->queue, &arena, &list));
    assert_true(rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_CALL));
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
    assert_true(rt_ok(rt_loader_close(&w->f->loader, 0)));
    assert_int_equal(fixture_count(w->f, RT_EVENT_RELEASE), 0);
    assert_int_equal(list.kernels[1].program->image_count, 1);
    rt_fusion_list_close(w->scheduler, &list);
    assert_int_equal(fixture_count(w->f, RT_EVENT_RELEASE), 1);
    rt_arena_reset(&arena);
}

/* A launch that the device would refuse later is refused at submission, and the list is unchanged.
 */
static void a_kernel_whose_groups_do_not_divide_is_not_held(void **state)
{
    world *w = *state;
    const rt_fusion_command *fusion = start(w);
    launch(w, w->queue);
    const rt_argument arguments[] = {{.kind = RT_ARGUMENT_NULL}, {.kind = RT_ARGUMENT_NULL}};
    const rt_launch uneven = {.kernel = RT_TEXT("k"),
                              .range = {.dimensions = 1, .global = {4, 1, 1}, .local = {3, 1, 1}},
                              .arguments = arguments,
                              .argument_count = 2};
    rt_command_id command;
    rt_status status = rt_scheduler_launch(w->scheduler, w->queue, &uneven, &command);
    assert_int_equal(status.code, RT_ERRC_ND_RANGE);
    assert_int_equal(fusion->kernels.count, 1);
    assert_int_equal(fusion->status, RT_FUSION_ACTIVE);
    assert_true(rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_CALL));
    assert_int_equal(w->f->counting->launches, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        /* This test comes first: with its fault armed, the other tests, which need the bundle,
         * abort the program. */
        TEST(KF_JIT_03_a_made_image_comes_in_as_a_bundle_of_its_kernel),
        TEST(KF_GRAPH_01_a_node_holds_the_list_and_shows_that_its_kernels_are_held),
        TEST(KF_GRAPH_05_moves_of_content_are_kept_with_the_fusion),
        TEST(KF_GRAPH_06_the_fusion_waits_for_each_kernel),
        TEST(KF_GRAPH_07_cancelling_makes_no_edges),
        TEST(KF_GRAPH_13_leaves_are_as_before_the_kernels),
        TEST(KF_GRAPH_15_the_fusion_waits_for_the_fused_kernel_first),
        TEST(a_refused_fused_kernel_leaves_the_list),
        TEST(a_late_refusal_is_reported_to_the_waiter),
        TEST(KF_EVENT_04_the_command_stays_until_the_next_start),
        TEST(KF_EVENT_05_clean_up_reclaims_what_is_delete_alone),
        TEST(KF_EVENT_06_no_device_has_an_event_for_it),
        TEST(looking_at_an_event_waits_for_nothing_and_ends_no_fusion),
        TEST(the_event_of_a_cancelled_fusion_is_as_far_as_its_slowest_kernel),
        TEST(the_event_of_a_failed_kernel_is_complete),
        TEST(an_event_inside_the_list_costs_an_edge_for_each_kernel),
        TEST(commands_that_are_not_fused_are_reported),
        TEST(a_fusion_ends_for_the_reason_that_is_told),
        TEST(every_reason_has_its_words),
        TEST(a_wait_for_another_queue_leaves_the_list_alone),
        TEST(an_open_list_keeps_its_programs),
        TEST(a_kernel_whose_groups_do_not_divide_is_not_held),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
