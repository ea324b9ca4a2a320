/* Feeds modules to every stage after the reader: a valid module is linked and decoded, and its
 * first kernels are launched twice on a few work-items with small memories and a small budget.
 * Whatever the module, the launch must end, nothing may crash or leak, and another engine, whose
 * groups run in packs, must give the same results.
 *
 * The parameters of the launch (schedule, range, engine, another module linked) are in the
 * generator's word of the module's header, which the reader ignores and the mutator changes: the
 * file alone determines the run.  Build with clang and -DASSAY_FUZZ=ON; run with a folder of
 * modules as the corpus. */
#include "sim/fuzz/companion.h"

#include "reference/base/alloc.h"
#include "reference/base/hash.h"
#include "sim/decode/program.h"
#include "sim/exec/exec.h"
#include "sim/module/module.h"

#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A module that needs more memory than this is linked but not run: running it would be slow, not
 * wrong. */
#define VARIABLE_BYTES_MAX (UINT64_C(1) << 16)
#define PRIVATE_BYTES_MAX  (UINT64_C(1) << 13) /* per work-item and function */
#define FRAME_BYTES_MAX    (1u << 18)
#define KERNEL_COUNT_MAX   8u
#define MEMORY_BYTES       64u
#define BUDGET             20000u
#define GENERATOR_WORD     2u

/* The launch that the generator's word describes. */
typedef struct plan {
    sim_schedule schedule;
    sim_range range;
    bool has_companion; /* linked with the same module without its kernels */
    uint32_t engine;    /* the engine to compare with engine 0; 0: none */
} plan;

/* Ranges of one wave or several, of complete or incomplete sub-groups, of one work-group or
 * several. */
static const sim_range ranges[] = {
    {.global = {6, 2, 1}, .local = {3, 2, 1}, .dimensions = 2},
    {.global = {1, 1, 1}, .local = {1, 1, 1}, .dimensions = 1},
    {.global = {34, 1, 1}, .local = {17, 1, 1}, .dimensions = 1},
    {.global = {300, 1, 1}, .local = {300, 1, 1}, .dimensions = 1},
    {.global = {5, 2, 3}, .local = {5, 1, 3}, .dimensions = 3},
    {.global = {64, 1, 1}, .local = {32, 1, 1}, .offset = {3, 0, 0}, .dimensions = 1},
    {.global = {1, 7, 1}, .local = {1, 7, 1}, .dimensions = 2},
    {.global = {3, 1, 1}, .local = {1, 1, 1}, .dimensions = 1},
};

static plan plan_of(const uint8_t *data, size_t size)
{
    uint32_t word = 0;
    if (size >= (GENERATOR_WORD + 1) * sizeof word) {
        memcpy(&word, data + GENERATOR_WORD * sizeof word, sizeof word);
    }
    uint32_t engine = (word >> 6) % (SIM_ENGINE_COUNT + 1);
    return (plan){.schedule = word % SIM_SCHEDULES,
                  .range = ranges[(word >> 2) % (sizeof ranges / sizeof *ranges)],
                  .has_companion = (word >> 5) % 2 == 1,
                  .engine = engine < SIM_ENGINE_COUNT && sim_engine_at(engine) ? engine : 0};
}

static bool is_small(const sim_program *program)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < program->global_count; i++) {
        if (program->globals[i].size > VARIABLE_BYTES_MAX) return false;
        bytes += program->globals[i].size;
    }
    for (uint32_t i = 0; i < program->function_count; i++) {
        const sim_code_function *function = &program->functions[i];
        if (function->private_bytes > PRIVATE_BYTES_MAX) return false;
        if (function->frame_bytes > FRAME_BYTES_MAX) return false;
    }
    return bytes <= VARIABLE_BYTES_MAX;
}

/* All observable results of a run are written to a text, so that two runs can be compared.  Every
 * text of a finding is read, as a caller would read it, so all of them must be valid. */
static void on_finding(void *user, const sim_finding *finding)
{
    rt_buffer *seen = user;
    CHECK(finding->kind && finding->message.length > 0 && finding->count > 0);
    rt_buffer_printf(seen, "%s: %.*s|%.*s|%.*s:%u|%.*s+%llu|%llu\n", finding->kind,
                     RT_TEXT_ARG(finding->message), RT_TEXT_ARG(finding->kernel),
                     RT_TEXT_ARG(finding->source), finding->source_line,
                     RT_TEXT_ARG(finding->object), (unsigned long long)finding->offset,
                     (unsigned long long)finding->count);
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
        rt_buffer_printf(seen, "%llu ", (unsigned long long)finding->work_item[k]);
    }
}

static void on_output(void *user, rt_text text)
{
    rt_buffer_append_text(user, text);
}

/* Appends a hash of every memory's contents, including undefined bits, which are derived from the
 * seed. */
static void see_memories(rt_buffer *out, const sim_world *world)
{
    for (uint32_t i = 1; i < world->objects.count; i++) {
        const sim_memory *memory = &world->objects.items[i];
        if (!memory->data) continue;
        rt_hash_text data = rt_hash_print(rt_hash128(memory->data, memory->size));
        rt_buffer_printf(out, "\n%.*s %s", RT_TEXT_ARG(memory->label), data.digits);
        if (memory->all_defined) continue;
        rt_hash_text bits = rt_hash_print(rt_hash128(memory->defined, memory->size));
        rt_buffer_printf(out, " %s", bits.digits);
    }
}

static sim_argument argument_of(sim_world *world, sim_parameter parameter, uint32_t index,
                                const uint8_t *value)
{
    sim_argument argument = {.kind = parameter.kind};
    sim_object object;
    switch (parameter.kind) {
    case SIM_PARAMETER_LOCAL: argument.size = MEMORY_BYTES; break;
    case SIM_PARAMETER_VALUE: argument.bytes = (rt_bytes){value, parameter.size}; break;
    case SIM_PARAMETER_GLOBAL:
        if (!rt_ok(sim_object_create(world, MEMORY_BYTES, RT_TEXT("memory"), &object))) break;
        argument.object = object;
        for (uint32_t i = 0; i < MEMORY_BYTES / 4 && index % 2 == 0; i++)
            sim_object_write(world, object, i * UINT64_C(4), 4, &i);
    }
    return argument;
}

/* Adapts the range to the kernel's required size; false if that is not possible. */
static bool range_fit(const sim_kernel *kernel, sim_range *range)
{
    if (!kernel->local_size[0]) return true;
    sim_range_choose_local(kernel, range);
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
        if (range->local[k] == 0) return false;
        range->global[k] = range->local[k];
    }
    return true;
}

/* Launches a kernel twice; the second launch finds the memories as the first left them. */
static void launch(sim_world *world, const sim_kernel *kernel, const plan *plan, rt_buffer *out)
{
    static const uint8_t value[1024] = {2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 5};
    sim_argument arguments[16];
    uint32_t count = sim_kernel_parameter_count(kernel);
    if (count > sizeof arguments / sizeof *arguments) return;
    for (uint32_t i = 0; i < count; i++) {
        sim_parameter parameter = sim_kernel_parameter(kernel, i);
        if (parameter.kind == SIM_PARAMETER_VALUE && parameter.size > sizeof value) return;
        arguments[i] = argument_of(world, parameter, i, value);
    }
    sim_range range = plan->range;
    if (!range_fit(kernel, &range)) return;
    sim_launch_options options = {.budget = BUDGET,
                                  .schedule = plan->schedule,
                                  .on_finding = on_finding,
                                  .on_output = on_output,
                                  .user = out};
    for (uint32_t i = 0; i < 2; i++) {
        rt_status status = sim_launch(world, kernel, &range, arguments, count, &options);
        rt_buffer_printf(out, "%s\n", rt_code_name(status.code));
    }
}

/* Runs the kernels, at most KERNEL_COUNT_MAX of them, on one engine, in a new world. */
static void launch_all(sim_program *program, const plan *plan, uint32_t engine, rt_buffer *out)
{
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 7);
    world->engine = engine;
    if (engine != 0) world->pack_steps = 0; /* its groups share waves; those of engine 0 do not */
    for (uint32_t i = 0; i < program->kernel_count && i < KERNEL_COUNT_MAX; i++) {
        launch(world, &program->kernels[i], plan, out);
    }
    see_memories(out, world);
    sim_world_forget(world, program);
    sim_world_destroy(world);
    rt_sink_destroy(sink);
}

static bool is_equal(const rt_buffer *a, const rt_buffer *b)
{
    rt_bytes first = rt_buffer_bytes(a), second = rt_buffer_bytes(b);
    return first.size == second.size &&
           (first.size == 0 || memcmp(first.data, second.data, first.size) == 0);
}

static void launch_and_compare(sim_program *program, const plan *plan)
{
    rt_buffer plain = {0}, other = {0};
    launch_all(program, plan, 0, &plain);
    if (plan->engine) {
        launch_all(program, plan, plan->engine, &other);
        bool engines_agree = is_equal(&plain, &other);
        if (!engines_agree) {
            fprintf(stderr, "engine 0:\n%s\nengine %u:\n%s\n", rt_buffer_string(&plain),
                    plan->engine, rt_buffer_string(&other));
        }
        CHECK(engines_agree);
    }
    rt_buffer_free(&plain);
    rt_buffer_free(&other);
}

/* Reads the module, preceded by its companion if the plan has one and it can be read.  Returns the
 * number of modules; 0 if the module itself is refused. */
static uint32_t read_modules(rt_sink *sink, rt_bytes code, const plan *plan, sim_module *out[2])
{
    uint32_t count = 0;
    if (plan->has_companion) {
        rt_bytes companion = companion_of(code);
        rt_status status = sim_module_create(sink, companion, NULL, 0, &out[0]);
        if (rt_ok(status)) count = 1;
        rt_free((void *)companion.data);
    }
    rt_status status = sim_module_create(sink, code, NULL, 0, &out[count]);
    if (rt_ok(status)) return count + 1;
    if (count) sim_module_destroy(out[0]);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rt_sink *sink = rt_sink_create();
    plan plan = plan_of(data, size);
    sim_module *modules[2];
    uint32_t count = read_modules(sink, (rt_bytes){data, size}, &plan, modules);
    sim_program *program = NULL;
    if (count) {
        rt_status status =
            sim_program_link(sink, (const sim_module *const *)modules, count, &program);
        if (!rt_ok(status)) program = NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        sim_module_destroy(modules[i]);
    if (program) {
        if (is_small(program)) launch_and_compare(program, &plan);
        sim_program_destroy(program);
    }
    rt_sink_destroy(sink);
    return 0;
}
