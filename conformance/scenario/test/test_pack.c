/* Unit tests of packs: round trips, and damaged packs, which must result in an error status and
 * nothing worse. */
#include "conformance/scenario/model/type.h"
#include "conformance/scenario/pack/pack.h"
#include "conformance/scenario/test/print.h"
#include "conformance/scenario/test/sample.h"
#include "reference/base/alloc.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const rt_property property = {.name = {"f", 1}, .type = RT_PROPERTY_UINT32, .number = 1};
static const rt_property_set set = {{RT_SET_IMPORTED_SYMBOLS, 21}, &property, 1};
static const rt_text kernel = {"k", 1};
static const rt_device_global half_global = {
    .unique_id = {"_Z1x", 4}, .name = {"x", 1}, .size = 8, .image_scope = true};
static const rt_device_global nameless = {.name = {"x", 1}, .size = 8};

/* The sample as read, plus what a companion file and the compiler would add. It may be modified,
 * because all of it is in the arena. */
static scn_scenario *sample_read(rt_arena *arena)
{
    scn_problems problems;
    scn_scenario *sample = (scn_scenario *)scn_read(arena, scn_sample(), RT_TEXT("sample.yaml"),
                                                    RT_TEXT("tests/sample.yaml"), &problems);
    assert_int_equal(problems.count, 0);
    assert_non_null(sample);
    rt_image *image = rt_arena_alloc(arena, sizeof *image);
    *image = (rt_image){.name = RT_TEXT("app/0"),
                        .kernels = &kernel,
                        .kernel_count = 1,
                        .sets = &set,
                        .set_count = 1,
                        .code = {(const uint8_t *)"code", 4}};
    rt_image_hash(image);
    scn_module *modules = (scn_module *)sample->modules;
    modules[0].images = (rt_image_list){image, 1};
    scn_host_half *half = rt_arena_alloc(arena, sizeof *half);
    *half = (scn_host_half){
        .header = RT_TEXT("before"), .footer = RT_TEXT("after"), .globals = {&half_global, 1}};
    modules[0].host_halves = half;
    modules[0].host_half_count = 1;
    ((scn_source *)modules[0].sources)->language = SCN_LANGUAGE_SYCL;
    scn_source *source = (scn_source *)modules[1].sources;
    source->language = SCN_LANGUAGE_SPIRV;
    source->file = RT_TEXT("f.spv");
    return sample;
}

static rt_buffer sample_pack(void)
{
    rt_arena arena = {0};
    rt_buffer pack = {0};
    scn_pack_write(&pack, sample_read(&arena));
    rt_arena_reset(&arena);
    return pack;
}

static void assert_round_trip(const scn_scenario *scenario)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    rt_buffer pack = {0}, again = {0}, before = {0}, after = {0};
    const scn_scenario *unpacked;
    scn_pack_write(&pack, scenario);
    assert_true(rt_ok(scn_pack_read(sink, &arena, rt_buffer_bytes(&pack), &unpacked)));
    scn_print(&before, scenario);
    scn_print(&after, unpacked);
    assert_string_equal(rt_buffer_string(&before), rt_buffer_string(&after));
    scn_pack_write(&again, unpacked);
    assert_int_equal(pack.size, again.size);
    assert_memory_equal(pack.data, again.data, pack.size);
    rt_buffer_free(&pack);
    rt_buffer_free(&again);
    rt_buffer_free(&before);
    rt_buffer_free(&after);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

static void a_pack_gives_the_same_scenario(void **state)
{
    (void)state;
    rt_arena arena = {0};
    assert_round_trip(sample_read(&arena));
    rt_arena_reset(&arena);
}

static bool file_read(const char *name, rt_buffer *out)
{
    FILE *file = fopen(name, "rb");
    if (!file) return false;
    char chunk[4096];
    size_t size;
    while ((size = fread(chunk, 1, sizeof chunk, file)) > 0)
        rt_buffer_append(out, chunk, size);
    return fclose(file) == 0;
}

/* Round-trips every scenario of the suite and every valid file of the golden tests. */
static void all_scenarios_survive_packing(void **state)
{
    (void)state;
    static const char *const patterns[] = {SCENARIO_FOLDER "/*/*.yaml", GOLDEN_FOLDER "/*.yaml"};
    glob_t files = {0};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &files);
    size_t read = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        rt_arena arena = {0};
        rt_buffer text = {0};
        scn_problems problems;
        assert_true(file_read(files.gl_pathv[i], &text));
        rt_text name = rt_text_of(files.gl_pathv[i]);
        const scn_scenario *scenario =
            scn_read(&arena, rt_buffer_text(&text), name, name, &problems);
        if (scenario) assert_round_trip(scenario); /* some YAML files are not scenarios */
        read += scenario != NULL;
        rt_buffer_free(&text);
        rt_arena_reset(&arena);
    }
    assert_true(read > 20);
    globfree(&files);
}

/* Records the kinds that occur in the sample, so that these tests are known to cover the packed
 * form of every kind. */
typedef struct seen_kinds {
    uint32_t verbs, expects, arguments, memories, tolerances;
} seen_kinds;

static void expects_seen(seen_kinds *seen, const scn_expect *expects, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        seen->expects |= 1u << expects[i].kind;
        for (uint32_t o = 0; o < scn_expect_outcome_count(&expects[i]); o++) {
            const scn_outcome *outcome = &expects[i].one_of.outcomes[o];
            expects_seen(seen, outcome->expects, outcome->expect_count);
        }
    }
}

static void the_sample_has_every_kind(void **state)
{
    (void)state;
    rt_arena arena = {0};
    seen_kinds seen = {0};
    const scn_scenario *sample = sample_read(&arena);
    for (uint32_t i = 0; i < sample->memory_count; i++) {
        seen.memories |= 1u << sample->memories[i].kind;
        seen.tolerances |= 1u << sample->memories[i].tolerance_kind;
    }
    for (uint32_t i = 0; i < sample->step_count; i++) {
        const scn_step *step = &sample->steps[i];
        seen.verbs |= 1u << step->verb;
        expects_seen(&seen, step->expect, step->expect_count);
        for (uint32_t a = 0; step->verb == SCN_VERB_SUBMIT && a < step->submit.argument_count; a++)
            seen.arguments |= 1u << step->submit.arguments[a].kind;
    }
    assert_int_equal(seen.verbs, (1u << SCN_VERB_COUNT) - 1);
    assert_int_equal(seen.expects, (1u << SCN_EXPECT_KIND_COUNT) - 1);
    assert_int_equal(seen.arguments, (1u << SCN_ARGUMENT_KIND_COUNT) - 1);
    assert_int_equal(seen.memories, (1u << SCN_MEMORY_KIND_COUNT) - 1);
    assert_int_equal(seen.tolerances, (1u << (SCN_TOLERANCE_RELATIVE + 1)) - 1);
    rt_arena_reset(&arena);
}

/* Reads a pack from an allocation of exactly its size, so that sanitizers detect reads past the
 * end. */
static rt_code code_of(const char *data, size_t size)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    uint8_t *block = rt_alloc(size);
    memcpy(block, data, size);
    const scn_scenario *scenario;
    rt_status status = scn_pack_read(sink, &arena, (rt_bytes){block, size}, &scenario);
    assert_true(rt_ok(status) == (scenario != NULL));
    if (scenario) {
        rt_buffer text = {0};
        scn_print(&text, scenario); /* accesses everything, and follows every index */
        rt_buffer_free(&text);
    }
    rt_code code = (rt_code)status.code;
    rt_free(block);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
    return code;
}

static void every_truncation_is_malformed(void **state)
{
    (void)state;
    rt_buffer pack = sample_pack();
    assert_int_equal(code_of(pack.data, pack.size), RT_OK);
    for (size_t size = 0; size < pack.size; size++)
        assert_int_equal(code_of(pack.data, size), RT_MALFORMED);
    rt_buffer_append_byte(&pack, 0);
    assert_int_equal(code_of(pack.data, pack.size), RT_MALFORMED);
    rt_buffer_free(&pack);
}

static void every_bit_flip_is_survived(void **state)
{
    (void)state;
    rt_buffer pack = sample_pack();
    size_t refused = 0;
    for (size_t bit = 0; bit < 8 * pack.size; bit++) {
        pack.data[bit / 8] = (char)(pack.data[bit / 8] ^ 1 << bit % 8);
        refused += code_of(pack.data, pack.size) != RT_OK;
        pack.data[bit / 8] = (char)(pack.data[bit / 8] ^ 1 << bit % 8);
    }
    /* Flipped bits in texts and values go unnoticed; flips in counts, indices and enumerators do
     * not. */
    assert_true(refused > pack.size);
    rt_buffer_free(&pack);
}

/* ---- Lies --------------------------------------------------------------------------------- */

/* The parts of the sample that the rows below falsify. */
typedef struct victim {
    scn_scenario *scenario;
    scn_memory *memories;
    scn_step *steps;
    scn_argument *arguments; /* arguments of the first submit */
} victim;

enum { BUFFER_INT, BUFFER_DOUBLE, USM_SHARED, USM_STRUCT, USM_HOST, BUFFER_PROMOTED };
enum { ARGUMENT_BUFFER, ARGUMENT_LOCAL = 5, ARGUMENT_USM, ARGUMENT_BYTES = 10, ARGUMENT_STRUCT };

static scn_step *step_of(victim *it, scn_verb verb)
{
    for (uint32_t i = 0; i < it->scenario->step_count; i++) {
        if (it->steps[i].verb == verb) return &it->steps[i];
    }
    fail();
    return NULL;
}

/* The first copy with a variable. */
static scn_transfer *variable_copy(victim *it)
{
    for (uint32_t i = 0; i < it->scenario->step_count; i++) {
        bool copies = it->steps[i].verb == SCN_VERB_COPY;
        if (copies && it->steps[i].transfer.variable.name.length > 0) return &it->steps[i].transfer;
    }
    fail();
    return NULL;
}

static uint32_t index_of(victim *it, scn_verb verb)
{
    return (uint32_t)(step_of(it, verb) - it->steps);
}

static scn_expect *expect_of(victim *it, scn_expect_kind kind)
{
    for (uint32_t i = 0; i < it->scenario->step_count; i++) {
        for (uint32_t e = 0; e < it->steps[i].expect_count; e++) {
            if (it->steps[i].expect[e].kind == kind) return (scn_expect *)&it->steps[i].expect[e];
        }
    }
    fail();
    return NULL;
}

static scn_field *field_of(victim *it, uint32_t memory)
{
    return (scn_field *)it->memories[memory].layout.fields;
}

static scn_inner_pointer *pointer_of(victim *it, uint32_t index)
{
    return (scn_inner_pointer *)&it->arguments[ARGUMENT_STRUCT].pointers[index];
}

#define INDEX(pointer) (*(uint32_t *)(pointer)) /* the table is const, but it is in the arena */

/* a name, and a statement that falsifies the sample */
#define LIES(LIE)                                                                                  \
    LIE(memory_on_no_device, it->memories[USM_HOST].device = 2)                                    \
    LIE(memory_without_elements, it->memories[BUFFER_DOUBLE].count = 0)                            \
    LIE(memory_too_large, it->memories[BUFFER_DOUBLE].count = RT_MEMORY_SIZE_MAX)                  \
    LIE(memory_of_five_lanes, field_of(it, BUFFER_DOUBLE)->lanes = 5)                              \
    LIE(memory_of_no_type, field_of(it, BUFFER_DOUBLE)->type = SCN_TYPE_COUNT)                     \
    LIE(memory_of_wider_elements, field_of(it, USM_HOST)->type = SCN_TYPE_INT)                     \
    LIE(buffer_that_is_usm, it->memories[BUFFER_INT].kind = SCN_MEMORY_USM_HOST)                   \
    LIE(usm_that_is_a_buffer, it->memories[USM_SHARED].kind = SCN_MEMORY_BUFFER)                   \
    LIE(negative_tolerance, it->memories[BUFFER_DOUBLE].tolerance = -1)                            \
    LIE(infinite_tolerance, it->memories[BUFFER_DOUBLE].tolerance = HUGE_VAL)                      \
    LIE(tolerance_of_no_kind, it->memories[BUFFER_INT].tolerance = 1)                              \
    LIE(tolerance_of_integers, it->memories[BUFFER_INT].tolerance_kind = SCN_TOLERANCE_ULP)        \
    LIE(unordered_and_too_many, it->memories[USM_STRUCT].count = SCN_MATCHED_COUNT_MAX + 1)        \
    LIE(aspect_asked_for_and_hidden, ((scn_device *)it->scenario->devices)->hidden_aspects = 2)    \
    LIE(aspect_unknown, ((scn_device *)it->scenario->devices)->hidden_aspects = 1u << 31)          \
    LIE(links_unknown, ((scn_device *)it->scenario->devices)[1].links = 1u << 31)                  \
    LIE(links_not_given, ((scn_device *)it->scenario->devices)[1].links_given = false)             \
    LIE(submit_of_no_module, it->steps[2].submit.module = 2)                                       \
    LIE(executable_preloaded, INDEX(it->scenario->preloaded) = 0)                                  \
    LIE(half_of_no_source, ((scn_host_half *)it->scenario->modules[0].host_halves)->source = 1)    \
    LIE(half_of_another_language,                                                                  \
        ((scn_source *)it->scenario->modules[0].sources)->language = SCN_LANGUAGE_LLVM_IR)         \
    LIE(half_with_a_variable_without_id,                                                           \
        ((scn_host_half *)it->scenario->modules[0].host_halves)->globals.globals = &nameless)      \
    LIE(needs_no_module, INDEX(it->scenario->modules[0].needs) = 2)                                \
    LIE(access_unknown, it->arguments[ARGUMENT_BUFFER].access = SCN_ACCESS_WRITE + 1)              \
    LIE(pointer_past_the_end, it->arguments[ARGUMENT_USM].offset = 33)                             \
    LIE(pointer_into_a_buffer, it->arguments[ARGUMENT_USM].memory = BUFFER_INT)                    \
    LIE(buffer_argument_of_usm, it->arguments[ARGUMENT_BUFFER].memory = USM_HOST)                  \
    LIE(local_memory_of_nothing, it->arguments[ARGUMENT_LOCAL].size = 0)                           \
    LIE(inner_pointer_over_a_value, pointer_of(it, 0)->at = 0)                                     \
    LIE(inner_pointer_past_the_value, pointer_of(it, 1)->at = 17)                                  \
    LIE(inner_pointers_that_overlap, pointer_of(it, 1)->at = 15)                                   \
    LIE(inner_pointer_past_the_end, pointer_of(it, 1)->offset = 33)                                \
    LIE(inner_pointer_into_a_buffer, pointer_of(it, 0)->memory = BUFFER_INT)                       \
    LIE(constant_of_no_bytes,                                                                      \
        ((scn_spec_constant *)it->steps[2].submit.constants)->value.size = 0)                      \
    LIE(constant_without_name,                                                                     \
        ((scn_spec_constant *)it->steps[2].submit.constants)->name.length = 0)                     \
    LIE(copy_without_a_size, step_of(it, SCN_VERB_COPY)->transfer.to_end = true)                   \
    LIE(copy_that_wraps_around, step_of(it, SCN_VERB_COPY)->transfer.from_offset = UINT64_MAX)     \
    LIE(copy_between_variables, step_of(it, SCN_VERB_COPY)->transfer.from =                        \
                                    step_of(it, SCN_VERB_COPY)->transfer.to = SCN_NONE)            \
    LIE(copy_of_no_memory, step_of(it, SCN_VERB_COPY)->transfer.to = 99)                           \
    LIE(copy_with_a_nameless_variable, step_of(it, SCN_VERB_COPY)->transfer.to = SCN_NONE)         \
    LIE(variable_of_no_module, variable_copy(it)->variable.module = 2)                             \
    LIE(variable_of_none, variable_copy(it)->variable.global = 0)                                  \
    LIE(fill_of_part_of_an_element, step_of(it, SCN_VERB_FILL)->transfer.size = 7)                 \
    LIE(fill_between_elements, step_of(it, SCN_VERB_FILL)->transfer.to_offset = 2)                 \
    LIE(fill_of_another_memory, step_of(it, SCN_VERB_FILL)->transfer.to = BUFFER_DOUBLE)           \
    LIE(fill_of_a_struct, step_of(it, SCN_VERB_FILL)->transfer.pattern.size = 3)                   \
    LIE(after_a_wait, INDEX(it->steps[2].submit.command.after) = 3)                                \
    LIE(after_itself, INDEX(it->steps[2].submit.command.after) = 2)                                \
    LIE(queue_that_is_a_context,                                                                   \
        step_of(it, SCN_VERB_COPY)->transfer.command.queue = index_of(it, SCN_VERB_CONTEXT))       \
    LIE(queue_in_a_queue,                                                                          \
        step_of(it, SCN_VERB_QUEUE)->queue.context = index_of(it, SCN_VERB_LOAD))                  \
    LIE(bundle_of_another_state, {                                                                 \
        scn_step *compiled = step_of(it, SCN_VERB_BUNDLE) + 1;                                     \
        compiled->bundle.state = SCN_BUNDLE_EXECUTABLE;                                            \
    })                                                                                             \
    LIE(bundle_got_of_a_bundle, {                                                                  \
        scn_step *got = step_of(it, SCN_VERB_BUNDLE);                                              \
        got[2].bundle.action = SCN_BUNDLE_GET;                                                     \
    })                                                                                             \
    LIE(bundle_compiled_of_none, (step_of(it, SCN_VERB_BUNDLE) + 1)->bundle.source_count = 0)      \
    LIE(bundle_of_an_object_built, {                                                               \
        scn_step *built = step_of(it, SCN_VERB_BUNDLE) + 3;                                        \
        INDEX(built->bundle.sources) = index_of(it, SCN_VERB_BUNDLE) + 1;                          \
    })                                                                                             \
    LIE(bundle_of_a_queue, {                                                                       \
        scn_step *compiled = step_of(it, SCN_VERB_BUNDLE) + 1;                                     \
        INDEX(compiled->bundle.sources) = index_of(it, SCN_VERB_LOAD);                             \
    })                                                                                             \
    LIE(bundle_with_late_constants, {                                                              \
        scn_step *got = step_of(it, SCN_VERB_BUNDLE);                                              \
        got->bundle.state = SCN_BUNDLE_OBJECT;                                                     \
    })                                                                                             \
    LIE(bundle_built_with_options, {                                                               \
        scn_step *built = step_of(it, SCN_VERB_BUNDLE) + 3;                                        \
        built->bundle.options = RT_TEXT("-o");                                                     \
    })                                                                                             \
    LIE(bundle_in_one_profile, step_of(it, SCN_VERB_BUNDLE)->profile = RT_PROFILE_DPCPP)           \
    LIE(launch_from_an_object, {                                                                   \
        scn_step *launch = step_of(it, SCN_VERB_BUNDLE) + 5;                                       \
        launch->submit.bundle = index_of(it, SCN_VERB_BUNDLE) + 1;                                 \
    })                                                                                             \
    LIE(launch_from_a_bundle_with_options, {                                                       \
        scn_step *launch = step_of(it, SCN_VERB_BUNDLE) + 5;                                       \
        launch->submit.options = RT_TEXT("-o");                                                    \
    })                                                                                             \
    LIE(expected_bundle_that_is_none, expect_of(it, SCN_EXPECT_BUNDLE)->bundle.step = 0)           \
    LIE(queue_on_no_device, step_of(it, SCN_VERB_QUEUE)->queue.device = 2)                         \
    LIE(wait_for_both, it->steps[it->scenario->step_count - 1].wait.queue = 1)                     \
    LIE(wait_for_what_was_before_a_restart,                                                        \
        it->steps[it->scenario->step_count - 1].wait.step = index_of(it, SCN_VERB_SUBMIT))         \
    LIE(restart_in_one_profile, step_of(it, SCN_VERB_RESTART)->profile = RT_PROFILE_DPCPP)         \
    LIE(restart_refused, step_of(it, SCN_VERB_RESTART)->error = it->steps[2].error)                \
    LIE(restart_in_a_list, {                                                                       \
        scn_step *last = &it->steps[index_of(it, SCN_VERB_PARALLEL) + 3];                          \
        last->verb = SCN_VERB_RESTART;                                                             \
    })                                                                                             \
    LIE(wait_for_another_list, {                                                                   \
        scn_step *last = &it->steps[index_of(it, SCN_VERB_PARALLEL) + 3];                          \
        last->verb = SCN_VERB_WAIT;                                                                \
        last->wait.step = index_of(it, SCN_VERB_FILL);                                             \
    })                                                                                             \
    LIE(context_with_a_device_twice, INDEX(step_of(it, SCN_VERB_CONTEXT)->context.devices) = 0)    \
    LIE(context_without_devices, step_of(it, SCN_VERB_CONTEXT)->context.device_count = 0)          \
    LIE(image_of_too_high_number,                                                                  \
        step_of(it, SCN_VERB_LOAD_IMAGE)->load.image = RT_IMAGE_COUNT_MAX)                         \
    LIE(parallel_of_one_list, step_of(it, SCN_VERB_PARALLEL)->parallel.thread_count = 1)           \
    LIE(parallel_of_three_lists, step_of(it, SCN_VERB_PARALLEL)->parallel.thread_count = 3)        \
    LIE(parallel_of_many_lists, step_of(it, SCN_VERB_PARALLEL)->parallel.thread_count = 17)        \
    LIE(parallel_past_the_end, step_of(it, SCN_VERB_PARALLEL)->parallel.nested_count = 5)          \
    LIE(parallel_that_ends_early, step_of(it, SCN_VERB_PARALLEL)->parallel.nested_count = 2)       \
    LIE(parallel_in_one_profile, step_of(it, SCN_VERB_PARALLEL)->profile = RT_PROFILE_DPCPP)       \
    LIE(list_before_the_first, it->steps[index_of(it, SCN_VERB_PARALLEL) + 1].thread = 0)          \
    LIE(list_out_of_order, it->steps[index_of(it, SCN_VERB_PARALLEL) + 1].thread = 2)              \
    LIE(thread_outside_of_a_parallel, it->steps[0].thread = 1)                                     \
    LIE(profile_unknown, it->steps[0].profile = RT_PROFILE_COUNT + 1)                              \
    LIE(expectation_refused, step_of(it, SCN_VERB_EXPECT)->error = it->steps[2].error)             \
    LIE(no_error_expected, ((scn_error *)it->steps[2].error)->none = true)                         \
    LIE(one_of_one, step_of(it, SCN_VERB_UNLOAD)->outcome_count = 1)                               \
    LIE(one_of_one_expectation, expect_of(it, SCN_EXPECT_ONE_OF)->one_of.outcome_count = 1)        \
    LIE(one_of_in_an_outcome, {                                                                    \
        scn_expect *expect = expect_of(it, SCN_EXPECT_ONE_OF);                                     \
        scn_expect *inner = (scn_expect *)expect->one_of.outcomes[1].expects;                      \
        *inner = (scn_expect){                                                                     \
            .kind = SCN_EXPECT_ONE_OF, .at = expect->at, .one_of = {expect->one_of.outcomes, 0}};  \
    })                                                                                             \
    LIE(finding_in_an_outcome, {                                                                   \
        scn_expect *inner =                                                                        \
            (scn_expect *)expect_of(it, SCN_EXPECT_ONE_OF)->one_of.outcomes[1].expects;            \
        *inner = *expect_of(it, SCN_EXPECT_FINDING);                                               \
    })                                                                                             \
    LIE(values_of_another_memory, expect_of(it, SCN_EXPECT_MEMORY)->memory.index = USM_HOST)       \
    LIE(event_unknown,                                                                             \
        ((scn_trace_event *)expect_of(it, SCN_EXPECT_TRACE)->trace.events)->kind.length = 2)       \
    LIE(event_counted_unknown, expect_of(it, SCN_EXPECT_COUNT)->count.event.length = 2)            \
    LIE(event_field_unknown, {                                                                     \
        const scn_trace_event *event = expect_of(it, SCN_EXPECT_TRACE)->trace.events;              \
        ((scn_trace_field *)event->fields)->key.length = 2;                                        \
    })                                                                                             \
    LIE(event_field_of_one_value, {                                                                \
        scn_trace_event *event = (scn_trace_event *)expect_of(it, SCN_EXPECT_TRACE)->trace.events; \
        ((scn_trace_field *)event->fields)[1].is_list = true;                                      \
    })                                                                                             \
    LIE(usm_that_is_promoted, it->memories[USM_HOST].promotion = SCN_PROMOTION_LOCAL)              \
    LIE(promotion_unknown, it->memories[BUFFER_PROMOTED].promotion = SCN_PROMOTION_COUNT)          \
    LIE(argument_promotion_unknown,                                                                \
        it->arguments[ARGUMENT_BUFFER].promotion = SCN_PROMOTION_COUNT)                            \
    LIE(warning_level_unknown, it->scenario->warning_level = SCN_WARNING_LEVEL_MAX + 1)            \
    LIE(task_onto_itself, step_of(it, SCN_VERB_HOST_TASK)->task.to = BUFFER_INT)                   \
    LIE(task_of_two_sizes, it->memories[BUFFER_PROMOTED].count = 3)                                \
    LIE(task_of_device_memory, step_of(it, SCN_VERB_HOST_TASK)->task.from = USM_STRUCT)            \
    LIE(task_waits_for_itself,                                                                     \
        step_of(it, SCN_VERB_HOST_TASK)->task.waits_for =                                          \
            (uint32_t)(step_of(it, SCN_VERB_HOST_TASK) - it->scenario->steps))                     \
    LIE(map_of_usm, step_of(it, SCN_VERB_MAP)->map.memory = USM_HOST)                              \
    LIE(map_of_half_an_element, step_of(it, SCN_VERB_MAP)->map.offset = 2)                         \
    LIE(map_of_no_bytes, step_of(it, SCN_VERB_MAP)->map.size = 0)                                  \
    LIE(map_beyond_all_memory, step_of(it, SCN_VERB_MAP)->map.offset = UINT64_MAX - 3)             \
    LIE(map_access_unknown, step_of(it, SCN_VERB_MAP)->map.access = SCN_MAP_ACCESS_COUNT)          \
    LIE(write_through_a_map_for_reading, step_of(it, SCN_VERB_MAP)->map.access = SCN_MAP_READ)     \
    LIE(write_beyond_the_map, step_of(it, SCN_VERB_MAP_WRITE)->map_write.offset = 8)               \
    LIE(write_through_no_map, step_of(it, SCN_VERB_MAP_WRITE)->map_write.map = 0)                  \
    LIE(unmap_of_no_map, step_of(it, SCN_VERB_UNMAP)->unmap.map = 0)                               \
    LIE(unmap_of_a_later_map, step_of(it, SCN_VERB_UNMAP)->unmap.map = it->scenario->step_count)   \
    LIE(mapped_by_no_map, expect_of(it, SCN_EXPECT_MAPPED)->mapped.map = 0)                        \
    LIE(mapped_of_another_size, expect_of(it, SCN_EXPECT_MAPPED)->mapped.values.size = 4)          \
    LIE(fusion_of_no_queue, step_of(it, SCN_VERB_START_FUSION)->fusion.queue = 0)                  \
    LIE(fusion_of_a_later_queue,                                                                   \
        step_of(it, SCN_VERB_COMPLETE_FUSION)->fusion.queue = it->scenario->step_count)            \
    LIE(mode_of_no_queue, expect_of(it, SCN_EXPECT_FUSION_MODE)->fusion_mode.queue = 0)            \
    LIE(event_of_no_command, expect_of(it, SCN_EXPECT_EVENT)->event.step = 0)                      \
    LIE(event_status_unknown,                                                                      \
        expect_of(it, SCN_EXPECT_EVENT)->event.status = SCN_EVENT_STATUS_COUNT)                    \
    LIE(event_status_not_built, expect_of(it, SCN_EXPECT_EVENT)->event.status = SCN_EVENT_RUNNING) \
    LIE(times_of_no_command, step_of(it, SCN_VERB_PROFILING)->profiling.step = 0)                  \
    LIE(times_behind_a_later_step,                                                                 \
        step_of(it, SCN_VERB_PROFILING)->profiling.after = it->scenario->step_count)               \
    LIE(times_of_a_host_task,                                                                      \
        step_of(it, SCN_VERB_PROFILING)->profiling.same_as =                                       \
            (uint32_t)(step_of(it, SCN_VERB_HOST_TASK) - it->scenario->steps))                     \
    LIE(end_of_usm, step_of(it, SCN_VERB_END_MEMORY)->memory = USM_HOST)                           \
    LIE(symbol_of_no_module, expect_of(it, SCN_EXPECT_HOST_SYMBOL)->host_symbol.from = 2)          \
    LIE(symbol_by_no_module, expect_of(it, SCN_EXPECT_HOST_SYMBOL)->host_symbol.by = SCN_NONE)

#define LIE_FUNCTION(name, ...)                                                                    \
    static void name(victim *it)                                                                   \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
LIES(LIE_FUNCTION)
#undef LIE_FUNCTION

typedef struct lie_row {
    const char *name;
    void (*tell)(victim *it);
} lie_row;

static const lie_row lies[] = {
#define LIE_ROW(name, ...) {#name, name},
    LIES(LIE_ROW)
#undef LIE_ROW
};

/* The writer does not validate; the reader must detect whatever is invalid. */
static void every_lie_is_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        rt_arena arena = {0};
        rt_buffer pack = {0};
        scn_scenario *sample = sample_read(&arena);
        victim it = {.scenario = sample,
                     .memories = (scn_memory *)sample->memories,
                     .steps = (scn_step *)sample->steps,
                     .arguments = (scn_argument *)sample->steps[1].submit.arguments};
        lies[i].tell(&it);
        scn_pack_write(&pack, sample);
        if (code_of(pack.data, pack.size) != RT_MALFORMED) {
            fail_msg("believed: %s", lies[i].name);
        }
        rt_buffer_free(&pack);
        rt_arena_reset(&arena);
    }
}

/* Packing and unpacking a thousand tiny scenarios takes well under a second; the limit is ten times
 * what a loaded machine needs. */
static void packing_is_fast(void **state)
{
    (void)state;
    const int rounds = 200;
    rt_arena arena = {0};
    const scn_scenario *sample = sample_read(&arena);
    clock_t start = clock();
    for (int i = 0; i < rounds; i++) {
        rt_buffer pack = {0};
        scn_pack_write(&pack, sample);
        assert_int_equal(code_of(pack.data, pack.size), RT_OK);
        if (i == 0) print_message("the sample packed: %zu bytes\n", pack.size);
        rt_buffer_free(&pack);
    }
    double ms = 1000.0 * (double)(clock() - start) / CLOCKS_PER_SEC / rounds;
    print_message("packing and unpacking the sample: %.3f ms\n", ms);
    assert_true(ms < 10);
    rt_arena_reset(&arena);
}

static void foreign_files_and_other_versions_are_refused(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    rt_buffer pack = sample_pack();
    const scn_scenario *scenario;
    pack.data[4]++;
    rt_status status = scn_pack_read(sink, &arena, rt_buffer_bytes(&pack), &scenario);
    assert_int_equal(status.code, RT_MALFORMED);
    char supported[32];
    (void)snprintf(supported, sizeof supported, "version %d", SCN_PACK_VERSION);
    assert_non_null(strstr(rt_sink_diagnostic(sink, status)->message.data, supported));
    rt_bytes foreign = {(const uint8_t *)scn_sample().data, scn_sample().length};
    status = scn_pack_read(sink, &arena, foreign, &scenario);
    assert_non_null(strstr(rt_sink_diagnostic(sink, status)->message.data, "not a packed"));
    assert_null(scenario);
    rt_buffer_free(&pack);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pack_gives_the_same_scenario),
        cmocka_unit_test(all_scenarios_survive_packing),
        cmocka_unit_test(the_sample_has_every_kind),
        cmocka_unit_test(every_truncation_is_malformed),
        cmocka_unit_test(every_bit_flip_is_survived),
        cmocka_unit_test(every_lie_is_malformed),
        cmocka_unit_test(packing_is_fast),
        cmocka_unit_test(foreign_files_and_other_versions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
