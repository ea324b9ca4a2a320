/* Unit tests of fusion with a stub compiler: requests to it, how its answers are handled, and lists
 * whose fusion another thread ends in the meantime. */
#include "reference/fusion/test/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const fixture_module modules[] = {{"main", "k", NULL, NULL, .constants = "c d e"}};

/* What the stub compiler is to do, and the newest request that it got. */
static struct {
    rt_code refusal; /* RT_OK: it answers */
    bool cancels_meanwhile, adds_meanwhile;
    /* Changes the answer to the request with that number, from 0. NULL: none is changed. */
    void (*change)(rt_fusion_result *result, uint32_t number);
    rt_buffer request; /* as text: the numbers of kernels, identities and constants */
    rt_buffer rooms;   /* "[1024]" for each request: the local memory that it states */
    uint32_t spirv_version_max;
    rt_buffer constants; /* "1=7 2=9": those of the newest request's first code */
    uint64_t offset;     /* that of its range */
} stub;

static void stub_reset(void)
{
    rt_buffer_free(&stub.request);
    rt_buffer_free(&stub.rooms);
    rt_buffer_free(&stub.constants);
    memset(&stub, 0, sizeof stub);
}

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
    rt_buffer_printf(&stub.rooms, "[%llu]", (unsigned long long)request->local_size_max);
    stub.spirv_version_max = request->spirv_version_max;
    stub.offset = request->range.offset[0];
    const rt_link_code *code = &request->kernels[0].codes[0];
    rt_buffer_free(&stub.constants);
    for (uint32_t i = 0; i < code->constant_count; i++)
        rt_buffer_printf(&stub.constants, "%s%u=%u", i ? " " : "", code->constants[i].id,
                         code->constants[i].value.data[0]);
    if (stub.cancels_meanwhile) assert_true(rt_ok(rt_fusion_cancel(w->fusion, w->queue)));
    if (stub.adds_meanwhile) launch(w, RT_PROMOTION_NONE);
    if (stub.refusal != RT_OK)
        return rt_fail(sink, stub.refusal, RT_RULE_NONE, "the compiler does not want to");
    const rt_fusion_place places[] = {{0, 0}, {0, 1}};
    rt_fusion_result result = world_result(request, places);
    if (stub.change) stub.change(&result, w->request_count - 1);
    rt_image_hash(&result.image);
    rt_fusion_result_write(out_result, &result);
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
    stub_reset();
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

static void a_dead_compiler_runs_the_kernels(void **state)
{
    world *w = *state;
    stub.refusal = RT_TOOL;
    collect_and_complete(w, 2);
    assert_int_equal(w->f->counting->launches, 2);
}

/* SPIR-V 1.2 is the newest version that all tools accept. */
static void the_request_states_the_newest_spirv(void **state)
{
    world *w = *state;
    collect_and_complete(w, 2);
    assert_int_equal(stub.spirv_version_max, 0x00010200);
    assert_string_equal(rt_buffer_string(&stub.rooms), "[0]");
}

/* ---- Answers that do not match the request, or that change the launch ----------------------- */

static void take_from_no_kernel_first(rt_fusion_result *result, uint32_t number)
{
    static const rt_fusion_place places[] = {{2, 0}, {0, 1}};
    (void)number;
    result->parameters = places;
}

static void take_from_no_kernel_last(rt_fusion_result *result, uint32_t number)
{
    static const rt_fusion_place places[] = {{0, 0}, {2, 1}};
    (void)number;
    result->parameters = places;
}

static void take_no_argument_first(rt_fusion_result *result, uint32_t number)
{
    static const rt_fusion_place places[] = {{1, 2}, {0, 1}};
    (void)number;
    result->parameters = places;
}

static void take_no_argument_last(rt_fusion_result *result, uint32_t number)
{
    static const rt_fusion_place places[] = {{0, 0}, {1, 2}};
    (void)number;
    result->parameters = places;
}

static void rename_the_kernel(rt_fusion_result *result, uint32_t number)
{
    static const rt_text other = {"fused_99", 8};
    (void)number;
    result->image.kernels = &other;
}

static void describe_variables(rt_fusion_result *result, uint32_t number)
{
    static const rt_property_set globals = {
        {RT_SET_DEVICE_GLOBALS, sizeof RT_SET_DEVICE_GLOBALS - 1}, NULL, 0};
    (void)number;
    result->image.sets = &globals;
    result->image.set_count = 1;
}

static void promote_unasked(rt_fusion_result *result, uint32_t number)
{
    static const bool promoted[] = {true};
    static const rt_text reasons[1];
    (void)number;
    result->promoted = promoted;
    result->reasons = reasons;
    result->promotion_count = 1;
}

static const char *detail(world *w)
{
    return fixture_newest(w->f, RT_EVENT_FUSION_CANCEL, "detail");
}

static void an_answer_to_another_request_runs_the_kernels(void **state)
{
    world *w = *state;
    static void (*const changes[])(rt_fusion_result *, uint32_t) = {
        take_from_no_kernel_first, take_from_no_kernel_last, take_no_argument_first,
        take_no_argument_last,     rename_the_kernel,        describe_variables,
        promote_unasked,
    };
    for (uint32_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char expected[128];
        snprintf(expected, sizeof expected,
                 "the fusion compiler's result for 'fused_%u' does not match its request", i);
        stub.change = changes[i];
        collect_and_complete(w, 2);
        assert_string_equal(detail(w), expected);
        assert_int_equal(w->f->counting->launches, 2 * (i + 1));
    }
}

enum { MANY = 1025 };
static uint32_t parameter_count;

static void have_many_parameters(rt_fusion_result *result, uint32_t number)
{
    static const rt_fusion_place places[MANY];
    (void)number;
    result->parameters = places;
    result->parameter_count = parameter_count;
}

static void a_kernel_with_too_many_parameters_is_not_launched(void **state)
{
    world *w = *state;
    stub.change = have_many_parameters;
    parameter_count = MANY;
    collect_and_complete(w, 2);
    assert_string_equal(detail(w), "together, the kernels have 1025 parameters, but a kernel can "
                                   "have only 1024; fuse fewer of them");
    assert_int_equal(w->f->counting->launches, 2);
    /* So many a kernel can have; but the device finds only two. */
    parameter_count = MANY - 1;
    collect_and_complete(w, 2);
    assert_null(strstr(detail(w), "together"));
    assert_int_equal(w->f->counting->launches, 4);
}

static void choose_another_range(rt_fusion_result *result, uint32_t number)
{
    (void)number;
    result->range = (rt_fusion_range){1, {12, 1, 1}, {6, 1, 1}, {5}};
}

static void the_compiler_may_choose_the_range(void **state)
{
    world *w = *state;
    collect_and_complete(w, 2);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "global"), "4");
    stub.change = choose_another_range;
    collect_and_complete(w, 3);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "kernel"), "fused_1");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "global"), "12");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "local"), "6");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "offset"), "5");
}

static void pass_local_memory(rt_fusion_result *result, uint32_t number)
{
    static const uint64_t bytes[] = {0, 1};
    (void)number;
    result->local_bytes = bytes;
}

static void the_compiler_may_ask_for_local_memory(void **state)
{
    world *w = *state;
    collect_and_complete(w, 2);
    assert_string_equal(rt_buffer_string(&w->f->counting->arguments), "m b07000000");
    stub.change = pass_local_memory;
    collect_and_complete(w, 3);
    assert_string_equal(rt_buffer_string(&w->f->counting->arguments), "m l1");
}

/* ---- Room for variables in local memory ----------------------------------------------------- */

static uint64_t local_size; /* what the first answer says that the kernel needs */

static void need_local_memory(rt_fusion_result *result, uint32_t number)
{
    (void)number;
    result->local_size = local_size;
}

/* Launches in groups, with the buffer's promotion; the other argument is `local` bytes of local
 * memory, which come first, or a value if it is 0. */
static void launch_in_groups(world *w, rt_promotion promotion, uint64_t local)
{
    const uint32_t value = 7;
    rt_argument arguments[] = {
        {.kind = RT_ARGUMENT_MEMORY,
         .memory = w->a,
         .access = RT_ACCESS_READ_WRITE,
         .promotion = promotion},
        {.kind = RT_ARGUMENT_BYTES, .bytes = {(const uint8_t *)&value, sizeof value}},
    };
    if (local > 0) {
        arguments[1] = arguments[0];
        arguments[0] = (rt_argument){.kind = RT_ARGUMENT_LOCAL, .size = local};
    }
    const rt_launch request = {.kernel = RT_TEXT("k"),
                               .range = {.dimensions = 1, .global = {4, 1, 1}, .local = {2, 1, 1}},
                               .arguments = arguments,
                               .argument_count = 2};
    rt_command_id command;
    assert_true(rt_ok(rt_scheduler_launch(w->scheduler, w->queue, &request, &command)));
}

/* Fuses two such launches; true if they were fused. */
static bool fuse_in_groups(world *w, rt_promotion promotion, uint64_t local)
{
    rt_command_id command;
    uint32_t before = w->f->counting->launches;
    rt_buffer_free(&stub.rooms);
    assert_true(rt_ok(rt_fusion_start(w->fusion, w->queue)));
    launch_in_groups(w, promotion, local);
    launch_in_groups(w, promotion, local);
    assert_true(rt_ok(rt_fusion_complete(w->fusion, w->queue, false, &command)));
    return w->f->counting->launches == before + 1;
}

static void variables_that_do_not_fit_are_not_launched(void **state)
{
    world *w = *state;
    stub.change = need_local_memory;
    local_size = 1025;
    assert_false(fuse_in_groups(w, RT_PROMOTION_NONE, 0));
    assert_string_equal(detail(w), "together, the kernels need 1025 bytes of local memory, but a "
                                   "work-group has only 1024; fuse fewer of them");
    assert_string_equal(rt_buffer_string(&stub.rooms), "[0]");
    local_size = 1024;
    assert_true(fuse_in_groups(w, RT_PROMOTION_NONE, 0));
    /* Each kernel's argument takes 128 bytes: 768 are left. */
    local_size = 769;
    assert_false(fuse_in_groups(w, RT_PROMOTION_NONE, 100));
    assert_non_null(strstr(detail(w), "need 769 bytes of local memory, but a work-group has only "
                                      "768;"));
    /* The arguments alone take 1280. */
    local_size = 2;
    assert_false(fuse_in_groups(w, RT_PROMOTION_NONE, 600));
    assert_non_null(strstr(detail(w), "need 2 bytes of local memory, but a work-group has only 1"));
}

/* The first answer promotes the buffer; the second, if there is one, does not. */
static void promote_at_first(rt_fusion_result *result, uint32_t number)
{
    static const bool made[] = {true}, refused[] = {false};
    static const rt_text none[1], why[] = {{"no room", 7}};
    result->promotion_count = 1;
    result->promoted = number == 0 ? made : refused;
    result->reasons = number == 0 ? none : why;
    result->local_size = number == 0 ? local_size : 0;
}

static void promotions_that_do_not_fit_are_asked_for_again(void **state)
{
    world *w = *state;
    stub.change = promote_at_first;
    local_size = 1025;
    assert_true(fuse_in_groups(w, RT_PROMOTION_LOCAL, 0));
    assert_string_equal(rt_buffer_string(&stub.rooms), "[0][1024]");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_FUSION_DEMOTE, "memory"), "a");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_FUSION_DEMOTE, "reason"), "no room");
}

static void promotions_that_fit_exactly_are_asked_for_once(void **state)
{
    world *w = *state;
    stub.change = promote_at_first;
    local_size = 1024;
    assert_true(fuse_in_groups(w, RT_PROMOTION_LOCAL, 0));
    assert_string_equal(rt_buffer_string(&stub.rooms), "[0]");
    assert_int_equal(fixture_count(w->f, RT_EVENT_FUSION_DEMOTE), 0);
}

static void refuse_the_second_time(rt_fusion_result *result, uint32_t number)
{
    promote_at_first(result, number);
    if (number == 0) return;
    result->promotion_count = 0; /* which does not match the request */
}

static void a_second_answer_is_checked_like_the_first(void **state)
{
    world *w = *state;
    stub.change = refuse_the_second_time;
    local_size = 1025;
    assert_false(fuse_in_groups(w, RT_PROMOTION_LOCAL, 0));
    assert_non_null(strstr(detail(w), "does not match its request"));
}

/* A device that takes PTX has at most 48 KiB for variables (ptx.h), however much memory it has. */
static void variables_in_ptx_have_less_room(void **state)
{
    static const struct {
        uint64_t memory, room;
        bool takes_ptx;
    } rows[] = {
        {49151, 49151, true}, {49152, 49152, true},  {49153, 49152, true},
        {65536, 49152, true}, {65536, 65536, false},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        world *w = world_create(fixture_create(modules, 1, ""), fuse);
        char expected[32];
        rt_loader_open(&w->f->loader, 0);
        if (rows[i].takes_ptx) w->f->device.capabilities.formats_taken |= 1u << RT_FORMAT_PTX;
        w->f->device.capabilities.local_size_max = rows[i].memory;
        stub.change = promote_at_first;
        local_size = 1 << 20;
        assert_true(fuse_in_groups(w, RT_PROMOTION_LOCAL, 0));
        snprintf(expected, sizeof expected, "[0][%llu]", (unsigned long long)rows[i].room);
        assert_string_equal(rt_buffer_string(&stub.rooms), expected);
        world_destroy(w);
    }
    stub_reset();
}

/* The room for promoted buffers is part of what a kernel is kept under; without promotions it does
 * not matter. */
static void another_room_is_another_kernel_only_with_promotions(void **state)
{
    world *w = *state;
    assert_true(fuse_in_groups(w, RT_PROMOTION_NONE, 100));
    assert_true(fuse_in_groups(w, RT_PROMOTION_NONE, 200));
    assert_int_equal(w->request_count, 1);
    stub.change = promote_at_first;
    w->request_count = 0;
    local_size = 0;
    assert_true(fuse_in_groups(w, RT_PROMOTION_LOCAL, 100));
    assert_int_equal(w->request_count, 1);
    w->request_count = 0;
    assert_true(fuse_in_groups(w, RT_PROMOTION_LOCAL, 200));
    assert_int_equal(w->request_count, 1);
    assert_true(fuse_in_groups(w, RT_PROMOTION_LOCAL, 200));
    assert_int_equal(w->request_count, 1);
}

/* ---- What reaches the compiler and the graph ------------------------------------------------- */

/* Launches with the access to the buffer, the offset, and values for some constants. */
static rt_command_id launch_with(world *w, rt_access access, uint64_t offset,
                                 const rt_spec_constant *constants, uint32_t constant_count)
{
    const rt_argument arguments[] = {
        {.kind = RT_ARGUMENT_MEMORY, .memory = w->a, .access = access},
        {.kind = RT_ARGUMENT_NULL},
    };
    const rt_launch request = {.kernel = RT_TEXT("k"),
                               .range = {.dimensions = 1, .global = {4, 1, 1}, .offset = {offset}},
                               .arguments = arguments,
                               .argument_count = 2,
                               .constants = constants,
                               .constant_count = constant_count};
    rt_command_id command;
    assert_true(rt_ok(rt_scheduler_launch(w->scheduler, w->queue, &request, &command)));
    return command;
}

/* A value that equals the default, 7, is none; the others keep their order. */
static void offsets_and_constants_reach_the_compiler(void **state)
{
    world *w = *state;
    static const uint8_t two[4] = {2}, three[4] = {3}, seven[4] = {7};
    const rt_spec_constant constants[] = {
        {RT_TEXT("e"), {three, 4}}, {RT_TEXT("d"), {seven, 4}}, {RT_TEXT("c"), {two, 4}}};
    rt_command_id command;
    assert_true(rt_ok(rt_fusion_start(w->fusion, w->queue)));
    launch_with(w, RT_ACCESS_READ, 3, constants, 3);
    launch_with(w, RT_ACCESS_READ, 3, constants, 3);
    assert_true(rt_ok(rt_fusion_complete(w->fusion, w->queue, false, &command)));
    assert_int_equal(stub.offset, 3);
    assert_string_equal(rt_buffer_string(&stub.constants), "1=2 3=3");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "kernel"), "fused_0");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "offset"), "3");
}

/* The fused kernel does to the buffer what any of the kernels does: a reader waits for it if one of
 * them writes, even the last. */
static void accesses_are_joined(void **state)
{
    static const struct {
        rt_access first, second;
        bool writes;
    } rows[] = {
        {RT_ACCESS_READ, RT_ACCESS_READ, false},
        {RT_ACCESS_READ, RT_ACCESS_WRITE, true},
        {RT_ACCESS_WRITE, RT_ACCESS_READ, true},
        {RT_ACCESS_READ, RT_ACCESS_READ_WRITE, true},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        world *w = world_create(fixture_create(modules, 1, ""), fuse);
        rt_command_id fused;
        char after[32];
        rt_loader_open(&w->f->loader, 0);
        assert_true(rt_ok(rt_fusion_start(w->fusion, w->queue)));
        launch_with(w, rows[i].first, 0, NULL, 0);
        launch_with(w, rows[i].second, 0, NULL, 0);
        assert_true(rt_ok(rt_fusion_complete(w->fusion, w->queue, false, &fused)));
        assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "kernel"), "fused_0");
        launch_with(w, RT_ACCESS_READ, 0, NULL, 0);
        snprintf(after, sizeof after, "%u", fused);
        const char *waited = fixture_newest(w->f, RT_EVENT_LAUNCH, "after");
        if ((strcmp(waited, after) == 0) != rows[i].writes) fail_msg("row %u: %s", i, waited);
        world_destroy(w);
    }
    stub_reset();
}

/* ---- Devices and other threads --------------------------------------------------------------- */

/* The device builds the fused image, but does not find the kernel in it. */
static void a_kernel_that_cannot_be_created_runs_the_kernels(void **state)
{
    world *w = *state;
    collect_and_complete(w, 1); /* the kernels of the list exist from here on */
    rt_command_id command = RT_COMMAND_NONE;
    assert_true(rt_ok(rt_fusion_start(w->fusion, w->queue)));
    launch(w, RT_PROMOTION_NONE);
    launch(w, RT_PROMOTION_NONE);
    w->f->counting->fail_call = w->f->counting->calls + 2;
    assert_true(rt_ok(rt_fusion_complete(w->fusion, w->queue, false, &command)));
    assert_non_null(strstr(detail(w), "kernel_create, fails on demand"));
    assert_int_equal(w->f->counting->launches, 3);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "kernel"), "k");
}

/* KF-QUEUE-10: an error with errc::invalid, before which nothing was started. */
static void only_a_queue_that_was_in_fusion_mode_completes(void **state)
{
    world *w = *state;
    rt_command_id command = 0;
    rt_status status = rt_fusion_complete(w->fusion, w->queue, false, &command);
    assert_int_equal(status.code, RT_ERRC_INVALID);
    assert_int_equal(status.rule, RT_RULE_KF_QUEUE_10);
    assert_int_equal(command, RT_COMMAND_NONE);
    assert_string_equal(rt_sink_diagnostic(w->f->sink, status)->message.data,
                        "complete_fusion on queue 0, which was never in fusion mode; call "
                        "start_fusion first");
    collect_and_complete(w, 2);
    assert_true(rt_ok(rt_fusion_complete(w->fusion, w->queue, false, &command)));
    assert_int_equal(command, rt_fusion_command_event(w->scheduler, w->queue));
    assert_int_not_equal(command, RT_COMMAND_NONE);
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
    rt_fusion *fusion = rt_fusion_create(&(rt_fusion_parts){.tools = {.sink = w->f->sink,
                                                                      .trace = w->f->trace,
                                                                      .programs = w->f->manager,
                                                                      .profile = RT_PROFILE_DPCPP},
                                                            .scheduler = scheduler,
                                                            .warning_level = 1});
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
    /* Shipped DPC++ wraps what its compiler says, but there is none (tags B19, B20). */
    assert_string_equal(fixture_newest(w->f, RT_EVENT_WARNING, "text"),
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

typedef struct demotion_row {
    rt_promotion requested[2];
    uint64_t locals[2]; /* the kernels' local sizes; 0: none */
    uint64_t items;
    rt_profile profile;
    const char *reason; /* NULL: the promotion is made */
} demotion_row;

#define MISMATCH "Not performing specified local promotion due to work-group size mismatch"
#define NO_GROUPS                                                                                  \
    "Work-group size for local promotion not specified, not performing internalization"

static const demotion_row demotion_rows[] = {
    {{L, L}, {0, 0}, 4, RT_PROFILE_DOCUMENTS, NO_GROUPS},
    {{L, L}, {2, 0}, 4, RT_PROFILE_DOCUMENTS, NO_GROUPS},
    {{L, L}, {2, 1}, 4, RT_PROFILE_DOCUMENTS, MISMATCH},
    {{L, L}, {1, 2}, 4, RT_PROFILE_DOCUMENTS, MISMATCH},
    {{L, L}, {1, 1}, 4, RT_PROFILE_DOCUMENTS, NULL},
    {{L, L}, {1, 1}, 4, RT_PROFILE_DPCPP, NULL},
    {{P, P}, {0, 0}, 4, RT_PROFILE_DOCUMENTS, NULL},
    {{P, P},
     {0, 0},
     5,
     RT_PROFILE_DOCUMENTS,
     "the buffer is too small to give every work-item or work-group an element"},
    {{P, N},
     {2, 2},
     4,
     RT_PROFILE_DOCUMENTS,
     "the accessors do not all request the same promotion"},
    {{N, P},
     {2, 2},
     4,
     RT_PROFILE_DPCPP,
     "Not performing specified promotion, due to previous mismatch or because previous accessor "
     "specified no promotion"},
    {{P, N},
     {2, 2},
     4,
     RT_PROFILE_DPCPP,
     "Deactivating previously specified promotion, because this accessor does not specify "
     "promotion"},
    {{P, L},
     {0, 0},
     4,
     RT_PROFILE_DPCPP,
     "Not performing specified local promotion because previous kernels did not specify a local "
     "size"},
    {{P, L}, {1, 1}, 4, RT_PROFILE_DPCPP, NULL},
};

static void demotions_have_their_reasons(void **state)
{
    world *w = *state;
    for (size_t i = 0; i < sizeof demotion_rows / sizeof *demotion_rows; i++) {
        const demotion_row *row = &demotion_rows[i];
        rt_arena arena = {0};
        rt_fusion_input inputs[2];
        rt_argument arguments[2];
        for (uint32_t k = 0; k < 2; k++) {
            uint64_t local = row->locals[k];
            arguments[k] = (rt_argument){
                .kind = RT_ARGUMENT_MEMORY, .memory = w->a, .promotion = row->requested[k]};
            inputs[k] = (rt_fusion_input){
                .launch = {.arguments = &arguments[k], .argument_count = 1},
                .range = {1, {row->items, 1, 1}, {local, local > 0, local > 0}, {0}}};
        }
        /* What is there is overwritten. */
        rt_fusion_parameters result = {.promotion_count = 7, .demotion_count = 7};
        assert_true(rt_ok(rt_fusion_parameters_make(w->f->sink, row->profile, &arena, inputs, 2,
                                                    &inputs[0].range, 1024, &result)));
        assert_int_equal(result.promotion_count, row->reason == NULL);
        assert_int_equal(result.demotion_count, row->reason != NULL);
        if (row->reason) {
            assert_true(rt_text_is(result.demotions[0].memory, "a"));
            assert_string_equal(result.demotions[0].reason.data, row->reason);
        }
        rt_arena_reset(&arena);
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
        TEST(a_dead_compiler_runs_the_kernels),
        TEST(the_request_states_the_newest_spirv),
        TEST(an_answer_to_another_request_runs_the_kernels),
        TEST(a_kernel_with_too_many_parameters_is_not_launched),
        TEST(the_compiler_may_choose_the_range),
        TEST(the_compiler_may_ask_for_local_memory),
        TEST(variables_that_do_not_fit_are_not_launched),
        TEST(promotions_that_do_not_fit_are_asked_for_again),
        TEST(promotions_that_fit_exactly_are_asked_for_once),
        TEST(a_second_answer_is_checked_like_the_first),
        cmocka_unit_test(variables_in_ptx_have_less_room),
        TEST(another_room_is_another_kernel_only_with_promotions),
        TEST(offsets_and_constants_reach_the_compiler),
        cmocka_unit_test(accesses_are_joined),
        TEST(a_kernel_that_cannot_be_created_runs_the_kernels),
        TEST(only_a_queue_that_was_in_fusion_mode_completes),
        TEST(a_device_that_builds_nothing_runs_the_kernels),
        TEST(a_fusion_that_ends_while_it_is_compiled_has_ended),
        TEST(a_list_that_grows_while_it_is_compiled_runs_whole),
        TEST(without_a_compiler_the_kernels_run),
        TEST(contradicting_promotions_leave_the_queue_in_fusion_mode),
        TEST(promotions_follow_the_tables),
        TEST(demotions_have_their_reasons),
        TEST(promotions_stay_within_local_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
