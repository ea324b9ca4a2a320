/* Feeds modules to everything behind the reader: what validates is linked, decoded, and each of its
 * kernels is launched on a few work-items with small memories and a small budget.  Whatever the
 * module says, the launch ends, and nothing crashes or leaks.
 *
 * Build with clang and -DASSAY_FUZZ=ON; run with a folder of modules as corpus. */
#include "sim/program.h"

#include "reference/base/alloc.h"
#include "sim/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A module that asks for more memory than this is only linked: it would be slow, not wrong. */
#define VARIABLE_BYTES_MAX (UINT64_C(1) << 16)
#define PRIVATE_BYTES_MAX  (UINT64_C(1) << 13) /* of one work-item in one function */
#define FRAME_BYTES_MAX    (1u << 18)
#define KERNEL_COUNT_MAX   8u
#define MEMORY_BYTES       64u
#define BUDGET             20000u

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

/* Looks at a finding as a caller would: every text must be there. */
static void on_finding(void *user, const sim_finding *finding)
{
    uint64_t *sum = user;
    CHECK(finding->kind && finding->message.length > 0 && finding->count > 0);
    for (size_t i = 0; i < finding->message.length; i++)
        *sum += (uint8_t)finding->message.data[i];
    for (size_t i = 0; i < finding->source.length; i++)
        *sum += (uint8_t)finding->source.data[i];
    for (size_t i = 0; i < finding->object.length; i++)
        *sum += (uint8_t)finding->object.data[i];
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

static void launch(sim_world *world, const sim_kernel *kernel)
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
    sim_range range = {.global = {6, 2, 1}, .local = {3, 2, 1}, .dimensions = 2};
    if (kernel->local_size[0]) {
        sim_range_choose_local(kernel, &range);
        for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
            if (range.local[k] == 0) return;
            range.global[k] = range.local[k];
        }
    }
    uint64_t sum = 0;
    sim_launch_options options = {.budget = BUDGET, .on_finding = on_finding, .user = &sum};
    rt_status status = sim_launch(world, kernel, &range, arguments, count, &options);
    (void)rt_ok(status);
}

static void launch_all(rt_sink *sink, sim_program *program)
{
    sim_world *world = sim_world_create(sink, 7);
    for (uint32_t i = 0; i < program->kernel_count && i < KERNEL_COUNT_MAX; i++) {
        launch(world, &program->kernels[i]);
    }
    sim_world_forget(world, program);
    sim_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rt_sink *sink = rt_sink_create();
    sim_module *module = NULL;
    rt_status status = sim_module_create(sink, (rt_bytes){data, size}, NULL, 0, &module);
    if (rt_ok(status)) {
        const sim_module *modules[] = {module};
        sim_program *program = NULL;
        status = sim_program_link(sink, modules, 1, &program);
        sim_module_destroy(module);
        if (rt_ok(status)) {
            if (is_small(program)) launch_all(sink, program);
            sim_program_destroy(program);
        }
    }
    rt_sink_destroy(sink);
    return 0;
}
