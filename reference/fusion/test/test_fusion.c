/* Unit tests of fusion with a stub compiler: requests to it, how its answers are handled, and lists
 * whose fusion another thread ends in the meantime. */
#include "reference/fusion/test/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const fixture_module modules[] = {{"main", "k", NULL, NULL}};

/* What the stub compiler is to do, and the newest request that it got. */
static struct {
    rt_code refusal; /* RT_OK: it answers */
    bool answers_nonsense, cancels_meanwhile, adds_meanwhile;
    rt_buffer request; /* as text: the numbers of kernels, identities and constants */
} stub;

static rt_command_id launch(world *w, rt_promotion promotion)
{
    return world_launch(w, "k", promotion);
}

/* Answers with a kernel that, like those of the counting device, has two parameters: the first
 * kernel's, whether or not they are constants. */
static rt_status fuse(void *user, rt_sink *sink, const rt_fusion_request *request,
                      rt_buffer *out_result)
{
    world *w = user;
    w->request_count++;
    rt_buffer_free(&stub.request);
    rt_buffer_printf(&stub.request, "%u %u %u", request->kernel_count, request->identity_count,
                     request->constant_count);
    if (stub.cancels_meanwhile) assert_true(rt_ok(rt_fusion_cancel(w->fusion, w->queue)));
    if (stub.adds_meanwhile) launch(w, RT_PROMOTION_NONE);
    if (stub.refusal != RT_OK)
        return rt_fail(sink, stub.refusal, RT_RULE_NONE, "the compiler does not want to");
    const rt_fusion_place places[] = {{0, 0}, {stub.answers_nonsense ? 9 : 0, 1}};
    world_answer(request, places, out_result);
    return RT_STATUS_OK;
}

static int set_up(void **state)
{
    world *w = world_create(fixture_create(modules, 1, ""), fuse);
    rt_loader_open(&w->f->loader, 0);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    rt_buffer_free(&stub.request);
    memset(&stub, 0, sizeof stub);
    world_destroy(*state);
    return 0;
}

static rt_command_id collect_and_complete(world *w, uint32_t kernel_count)
{
    rt_command_id command = RT_COMMAND_NONE;
    assert_true(rt_ok(rt_fusion_start(w->fusion, w->queue)));
    for (uint32_t i = 0; i < kernel_count; i++)
        launch(w, RT_PROMOTION_NONE);
    assert_true(rt_ok(rt_fusion_complete(w->fusion, w->queue, false, &command)));
    assert_false(rt_fusion_is_active(w->fusion, w->queue));
    return command;
}

static void arguments_are_joined_and_values_are_constants(void **state)
{
    world *w = *state;
    collect_and_complete(w, 3);
    assert_string_equal(rt_buffer_string(&stub.request), "3 2 3");
    assert_int_equal(w->f->counting->launches, 1);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "kernel"), "fused_0");
}

static void the_same_list_is_compiled_once(void **state)
{
    world *w = *state;
    collect_and_complete(w, 2);
    collect_and_complete(w, 2);
    assert_int_equal(w->request_count, 1);
    assert_int_equal(fixture_count(w->f, RT_EVENT_FUSION_CACHE_HIT), 1);
    collect_and_complete(w, 3);
    assert_int_equal(w->request_count, 2);
    assert_int_equal(w->f->counting->launches, 3);
}

static void a_refusal_runs_the_kernels_and_is_not_kept(void **state)
{
    world *w = *state;
    stub.refusal = RT_FUSION_REJECTED;
    rt_command_id event = collect_and_complete(w, 2);
    assert_int_equal(w->f->counting->launches, 2);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_FUSION_CANCEL, "detail"),
                        "the compiler does not want to");
    assert_true(rt_ok(rt_scheduler_wait_command(w->scheduler, event)));
    stub.refusal = RT_OK;
    collect_and_complete(w, 2);
    assert_int_equal(w->request_count, 2);
    assert_int_equal(w->f->counting->launches, 3);
}

static void a_dead_compiler_and_a_wrong_answer_run_the_kernels(void **state)
{
    world *w = *state;
    stub.refusal = RT_TOOL;
    collect_and_complete(w, 2);
    assert_int_equal(w->f->counting->launches, 2);
    stub.refusal = RT_OK;
    stub.answers_nonsense = true;
    collect_and_complete(w, 2);
    assert_int_equal(w->f->counting->launches, 4);
}

static void a_device_that_builds_nothing_runs_the_kernels(void **state)
{
    world *w = *state;
    assert_true(rt_ok(rt_fusion_start(w->fusion, w->queue)));
    launch(w, RT_PROMOTION_NONE);
    rt_command_id command;
    w->f->counting->fail_builds = true;
    assert_true(rt_ok(rt_fusion_complete(w->fusion, w->queue, false, &command)));
    assert_int_equal(w->f->counting->launches, 1);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "kernel"), "k");
}

static void a_fusion_that_ends_while_it_is_compiled_has_ended(void **state)
{
    world *w = *state;
    stub.cancels_meanwhile = true;
    rt_command_id event = collect_and_complete(w, 2);
    assert_int_equal(w->f->counting->launches, 2);
    assert_int_equal(event, rt_fusion_command_event(w->scheduler, w->queue));
    assert_int_equal(fixture_count(w->f, RT_EVENT_FUSION_CANCEL), 1);
}

static void a_list_that_grows_while_it_is_compiled_runs_whole(void **state)
{
    world *w = *state;
    stub.adds_meanwhile = true;
    collect_and_complete(w, 2);
    assert_int_equal(w->f->counting->launches, 3);
}

static void without_a_compiler_the_kernels_run(void **state)
{
    world *w = *state;
    /* Uses a separate runtime, since the first one has a compiler. */
    rt_scheduler *scheduler = rt_scheduler_create(w->f->sink, w->f->trace, w->f->manager, NULL);
    rt_fusion *fusion = rt_fusion_create(&(rt_fusion_parts){
        .tools = {.sink = w->f->sink, .trace = w->f->trace, .programs = w->f->manager},
        .scheduler = scheduler});
    rt_scheduler *before = w->scheduler;
    rt_fusion *fusion_before = w->fusion;
    rt_queue_id queue_before = w->queue;
    w->scheduler = scheduler;
    w->fusion = fusion;
    assert_true(rt_ok(rt_scheduler_queue_create(scheduler, &w->f->device, 0, false, &w->queue)));
    rt_scheduler_queue_enable_fusion(scheduler, w->queue);
    collect_and_complete(w, 2);
    assert_int_equal(w->f->counting->launches, 2);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_FUSION_CANCEL, "detail"),
                        "Kernel fusion not supported by this build");
    rt_scheduler_destroy(scheduler);
    rt_fusion_destroy(fusion);
    w->scheduler = before;
    w->fusion = fusion_before;
    w->queue = queue_before;
}

static void contradicting_promotions_leave_the_queue_in_fusion_mode(void **state)
{
    world *w = *state;
    w->a->promotion = RT_PROMOTION_LOCAL;
    assert_true(rt_ok(rt_fusion_start(w->fusion, w->queue)));
    launch(w, RT_PROMOTION_PRIVATE);
    rt_command_id command;
    assert_int_equal(rt_fusion_complete(w->fusion, w->queue, false, &command).code,
                     RT_ERRC_INVALID);
    assert_true(rt_fusion_is_active(w->fusion, w->queue));
    assert_int_equal(w->request_count, 0);
    assert_true(rt_ok(rt_fusion_cancel(w->fusion, w->queue)));
    assert_int_equal(w->f->counting->launches, 1);
}

/* ---- Promotions, as the extension's table says and as shipped -------------------------------- */

typedef struct promotion_row {
    rt_promotion requested[3];
    uint32_t count;
    bool groups;                   /* the kernels have local sizes */
    rt_promotion documents, dpcpp; /* the resulting promotion */
} promotion_row;

#define N RT_PROMOTION_NONE
#define P RT_PROMOTION_PRIVATE
#define L RT_PROMOTION_LOCAL

/* requirements.yaml, key dpcpp, tags B36 and B38. */
static const promotion_row promotion_rows[] = {
    {{P, P}, 2, true, P, P},    {{L, L}, 2, true, L, L},  {{L, L}, 2, false, N, N},
    {{P, N}, 2, true, N, N},    {{N, P}, 2, true, N, N},  {{P, L}, 2, true, N, L},
    {{L, P}, 2, true, N, L},    {{P, L}, 2, false, N, N}, {{P, N, P}, 3, true, N, N},
    {{P, P, P}, 3, true, P, P},
};

static rt_promotion promotion_of(world *w, const promotion_row *row, rt_profile profile)
{
    rt_arena arena = {0};
    rt_fusion_input inputs[3];
    rt_argument arguments[3];
    for (uint32_t i = 0; i < row->count; i++) {
        arguments[i] = (rt_argument){
            .kind = RT_ARGUMENT_MEMORY, .memory = w->a, .promotion = row->requested[i]};
        inputs[i] = (rt_fusion_input){
            .launch = {.arguments = &arguments[i], .argument_count = 1},
            .range = {1, {4, 1, 1}, {row->groups ? 2 : 0, row->groups, row->groups}, {0}}};
    }
    rt_fusion_parameters result;
    assert_true(rt_ok(rt_fusion_parameters_make(w->f->sink, profile, &arena, inputs, row->count,
                                                &inputs[0].range, 1024, &result)));
    rt_promotion promotion = RT_PROMOTION_NONE;
    if (result.promotion_count > 0)
        promotion = result.promotions[0].kind == RT_FUSION_LOCAL ? RT_PROMOTION_LOCAL
                                                                 : RT_PROMOTION_PRIVATE;
    /* The buffer has 4 elements: one for each of 4 work-items, or two for each of 2 groups. */
    if (promotion != RT_PROMOTION_NONE)
        assert_int_equal(result.promotions[0].elements, promotion == RT_PROMOTION_LOCAL ? 2 : 1);
    assert_int_equal(result.demotion_count, promotion == RT_PROMOTION_NONE);
    rt_arena_reset(&arena);
    return promotion;
}

static void promotions_follow_the_tables(void **state)
{
    world *w = *state;
    for (size_t i = 0; i < sizeof promotion_rows / sizeof *promotion_rows; i++) {
        const promotion_row *row = &promotion_rows[i];
        assert_int_equal(promotion_of(w, row, RT_PROFILE_DOCUMENTS), row->documents);
        assert_int_equal(promotion_of(w, row, RT_PROFILE_DPCPP), row->dpcpp);
    }
}

/* Requests promotion of two buffers of 16 bytes per group, which take up 128 bytes each, in
 * addition to an argument of `local` bytes, where a group has `room` bytes. Returns how many are
 * promoted; checks the messages for the others. */
static uint32_t promoted_in(world *w, uint64_t local, uint64_t room)
{
    rt_arena arena = {0};
    rt_memory *b = NULL;
    assert_true(rt_ok(rt_memory_create(w->f->sink, 1, RT_TEXT("b"), 16, NULL, &b)));
    b->element_size = 4;
    const rt_argument arguments[] = {
        {.kind = RT_ARGUMENT_MEMORY, .memory = w->a, .promotion = RT_PROMOTION_LOCAL},
        {.kind = RT_ARGUMENT_LOCAL, .size = local},
        {.kind = RT_ARGUMENT_MEMORY, .memory = b, .promotion = RT_PROMOTION_LOCAL},
    };
    const rt_fusion_input input = {.launch = {.arguments = arguments, .argument_count = 3},
                                   .range = {1, {4, 1, 1}, {4, 1, 1}, {0}}};
    rt_fusion_parameters result;
    assert_true(rt_ok(rt_fusion_parameters_make(w->f->sink, RT_PROFILE_DOCUMENTS, &arena, &input, 1,
                                                &input.range, room, &result)));
    assert_int_equal(result.promotion_count + result.demotion_count, 2);
    for (uint32_t i = 0; i < result.demotion_count; i++)
        assert_non_null(strstr(result.demotions[i].reason.data, "too little local memory"));
    uint32_t count = result.promotion_count;
    rt_memory_destroy(b);
    rt_arena_reset(&arena);
    return count;
}

static void promotions_stay_within_local_memory(void **state)
{
    world *w = *state;
    assert_int_equal(promoted_in(w, 128, 384), 2);
    assert_int_equal(promoted_in(w, 129, 384), 1);
    assert_int_equal(promoted_in(w, 1, 383), 1);
    assert_int_equal(promoted_in(w, 1, 256), 1);
    assert_int_equal(promoted_in(w, 1, 255), 0);
    assert_int_equal(promoted_in(w, 385, 384), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(arguments_are_joined_and_values_are_constants),
        TEST(the_same_list_is_compiled_once),
        TEST(a_refusal_runs_the_kernels_and_is_not_kept),
        TEST(a_dead_compiler_and_a_wrong_answer_run_the_kernels),
        TEST(a_device_that_builds_nothing_runs_the_kernels),
        TEST(a_fusion_that_ends_while_it_is_compiled_has_ended),
        TEST(a_list_that_grows_while_it_is_compiled_runs_whole),
        TEST(without_a_compiler_the_kernels_run),
        TEST(contradicting_promotions_leave_the_queue_in_fusion_mode),
        TEST(promotions_follow_the_tables),
        TEST(promotions_stay_within_local_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
