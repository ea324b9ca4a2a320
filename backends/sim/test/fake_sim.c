/* A fake of sim.h.  A "module" is text: a kernel's name, then optionally " needs NAME", " exports
 * NAME" or " variable NAME"; a variable has four bytes of 7. Kernels take (one-byte value, global
 * pointer), except "local", which takes only local memory. A launch records the value, stores it in
 * the memory's first byte, and reports that access. */
#include "backends/sim/test/fake_sim.h"

#include "reference/base/alloc.h"

#include <string.h>

fake_sim_record fake_sim;

struct sim_module {
    char text[64];
};
struct sim_kernel {
    char name[64];
};
struct sim_program {
    struct sim_kernel kernels[8];
    uint32_t count;
    char variable[64];
    sim_object variable_object; /* 0: not created yet */
};
typedef struct fake_object {
    uint8_t *bytes;
    uint8_t *defined;
    uint64_t size;
} fake_object;
struct sim_world {
    rt_sink *sink;
    fake_object objects[64];
    uint32_t count;
};

void fake_sim_reset(void)
{
    fake_sim = (fake_sim_record){0};
}

rt_status sim_module_create(rt_sink *sink, rt_bytes code, const sim_spec_constant *constants,
                            uint32_t constant_count, sim_module **out_module)
{
    *out_module = NULL;
    if (code.size == 0 || code.size >= 64)
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "fake: not a module");
    fake_sim.constant_count = constant_count;
    if (constant_count > 0) {
        fake_sim.constant_id = constants[0].id;
        fake_sim.constant_value = constants[0].value.data[0];
    }
    sim_module *module = rt_alloc(sizeof *module);
    memcpy(module->text, code.data, code.size);
    fake_sim.live++;
    *out_module = module;
    return RT_STATUS_OK;
}

void sim_module_image(sim_module *module, rt_text image)
{
    CHECK(module && image.length < SIZE_MAX);
}

void sim_module_declare(sim_module *module, const sim_declarations *declarations)
{
    CHECK(module);
    fake_sim.declared_count++;
    if (declarations->function_count > 0) {
        const sim_declared_sets *row = &declarations->functions[declarations->function_count - 1];
        fake_sim.declared_function = row->name.data[0];
        fake_sim.declared_set = row->sets.data[0];
    }
    if (declarations->kernel_count > 0)
        fake_sim.declared_kernel =
            declarations->kernels[declarations->kernel_count - 1].name.data[0];
}

void sim_module_destroy(sim_module *module)
{
    if (!module) return;
    fake_sim.live--;
    rt_free(module);
}

/* A native image is "native:" followed by modules separated by ';'. */
rt_status sim_native_read(rt_sink *sink, rt_bytes image, sim_native *out_native)
{
    static const char magic[] = "native:";
    const size_t prefix = sizeof magic - 1;
    *out_native = (sim_native){0};
    if (image.size <= prefix || memcmp(image.data, magic, prefix) != 0)
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "fake: not a native image");
    out_native->modules = rt_arena_alloc_array(&out_native->arena, 8, sizeof(sim_module *));
    for (size_t at = prefix; at < image.size;) {
        size_t end = at;
        while (end < image.size && image.data[end] != ';')
            end++;
        rt_status status = sim_module_create(sink, (rt_bytes){image.data + at, end - at}, NULL, 0,
                                             &out_native->modules[out_native->module_count]);
        CHECK(rt_ok(status));
        out_native->module_count++;
        at = end + 1;
    }
    return RT_STATUS_OK;
}

void sim_native_free(sim_native *native)
{
    for (uint32_t i = 0; i < native->module_count; i++)
        sim_module_destroy(native->modules[i]);
    rt_arena_reset(&native->arena);
    *native = (sim_native){0};
}

rt_status sim_native_write(rt_sink *sink, const sim_module *const *modules, uint32_t count,
                           rt_buffer *out)
{
    (void)sink;
    CHECK(count >= 1);
    rt_buffer_printf(out, "native:");
    for (uint32_t i = 0; i < count; i++)
        rt_buffer_printf(out, "%s%s", i ? ";" : "", modules[i]->text);
    return RT_STATUS_OK;
}

static bool exported(const sim_module *const *modules, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *found = strstr(modules[i]->text, " exports ");
        if (found && strcmp(found + strlen(" exports "), name) == 0) return true;
    }
    return false;
}

rt_status sim_program_link(rt_sink *sink, const sim_module *const *modules, uint32_t count,
                           sim_program **out_program)
{
    *out_program = NULL;
    CHECK(count >= 1 && count <= 8);
    for (uint32_t i = 0; i < count; i++) {
        const char *needs = strstr(modules[i]->text, " needs ");
        if (needs && !exported(modules, count, needs + strlen(" needs ")))
            return rt_fail(sink, RT_LINK_ERROR, RT_RULE_NONE, "fake: unresolved%s", needs);
    }
    sim_program *program = rt_alloc(sizeof *program);
    program->count = count;
    for (uint32_t i = 0; i < count; i++) {
        const char *variable = strstr(modules[i]->text, " variable ");
        if (variable) strcpy(program->variable, variable + strlen(" variable "));
        memcpy(program->kernels[i].name, modules[i]->text, strcspn(modules[i]->text, " "));
    }
    fake_sim.live++;
    *out_program = program;
    return RT_STATUS_OK;
}

void sim_program_destroy(sim_program *program)
{
    if (!program) return;
    fake_sim.live--;
    rt_free(program);
}

const sim_kernel *sim_program_kernel(const sim_program *program, rt_text name)
{
    for (uint32_t i = 0; i < program->count; i++) {
        if (rt_text_is(name, program->kernels[i].name)) return &program->kernels[i];
    }
    return NULL;
}

static bool takes_local(const sim_kernel *kernel)
{
    return strcmp(kernel->name, "local") == 0;
}

rt_text sim_kernel_name(const sim_kernel *kernel)
{
    return rt_text_of(kernel->name);
}

uint32_t sim_kernel_parameter_count(const sim_kernel *kernel)
{
    return takes_local(kernel) ? 1 : 2;
}

uint64_t sim_kernel_local_bytes(const sim_kernel *kernel)
{
    return takes_local(kernel) ? 48 : 0;
}

uint64_t sim_program_global_bytes(const sim_program *program)
{
    (void)program;
    return 96;
}

sim_parameter sim_kernel_parameter(const sim_kernel *kernel, uint32_t index)
{
    if (takes_local(kernel)) return (sim_parameter){SIM_PARAMETER_LOCAL, 8};
    return index == 0 ? (sim_parameter){SIM_PARAMETER_VALUE, 1}
                      : (sim_parameter){SIM_PARAMETER_GLOBAL, 8};
}

sim_world *sim_world_create(rt_sink *sink, uint64_t seed)
{
    (void)seed;
    sim_world *world = rt_alloc(sizeof *world);
    world->sink = sink;
    fake_sim.live++;
    return world;
}

rt_status sim_world_choose_engine(sim_world *world, rt_text name)
{
    fake_sim.last_engine = rt_text_is(name, "v3") ? "v3" : NULL;
    if (fake_sim.last_engine) return RT_STATUS_OK;
    return rt_fail(world->sink, RT_ERRC_INVALID, RT_RULE_NONE, "there is only engine v3");
}

rt_status sim_world_choose_tier(sim_world *world, rt_text name, const char *path)
{
    CHECK(path == NULL);
    fake_sim.last_tier = rt_text_is(name, "compiled") ? "compiled" : NULL;
    if (fake_sim.last_tier) return RT_STATUS_OK;
    return rt_fail(world->sink, RT_ERRC_INVALID, RT_RULE_NONE, "there is only tier compiled");
}

void sim_world_keep_code(sim_world *world, rt_text folder)
{
    (void)world;
    CHECK(folder.length > 0);
}

sim_tier_report sim_world_tier_report(const sim_world *world)
{
    (void)world;
    return (sim_tier_report){0};
}

void sim_world_use_threads(sim_world *world, uint32_t count)
{
    (void)world;
    fake_sim.last_threads = count;
}

void sim_world_destroy(sim_world *world)
{
    if (!world) return;
    fake_sim.live--;
    rt_free(world);
}

rt_status sim_object_create(sim_world *world, uint64_t size, rt_text label, sim_object *out_object)
{
    *out_object = 0;
    if (fake_sim.refuse_object) {
        fake_sim.refuse_object = false;
        return rt_fail(world->sink, RT_ERRC_MEMORY_ALLOCATION, RT_RULE_NONE,
                       "fake: no memory for %.*s", RT_TEXT_ARG(label));
    }
    CHECK(world->count < 64);
    world->objects[world->count] =
        (fake_object){rt_alloc((size_t)size), rt_alloc((size_t)size), size};
    fake_sim.live++;
    *out_object = ++world->count;
    return RT_STATUS_OK;
}

void sim_world_reserve_mapped(sim_world *world)
{
    CHECK(world->count == 0);
    fake_sim.may_map = true;
}

rt_status sim_object_create_window(sim_world *world, sim_object whole, uint64_t offset,
                                   uint64_t size, rt_text label, sim_object *out_object)
{
    (void)whole, (void)offset;
    return sim_object_create(world, size, label, out_object);
}

rt_status sim_object_create_mapped(sim_world *world, uint64_t size, rt_text label,
                                   sim_object *out_object)
{
    CHECK(fake_sim.may_map);
    fake_sim.mapped++;
    return sim_object_create(world, size, label, out_object);
}

void sim_object_retire(sim_world *world, sim_object object)
{
    CHECK(!sim_object_is_alive(world, object));
    fake_sim.retired++;
}

static fake_object *object_at(const sim_world *world, sim_object object)
{
    CHECK(object >= 1 && object <= world->count);
    fake_object *found = (fake_object *)(uintptr_t)&world->objects[object - 1];
    CHECK(found->bytes != NULL);
    return found;
}

void sim_object_destroy(sim_world *world, sim_object object)
{
    fake_object *destroyed = object_at(world, object);
    rt_free(destroyed->bytes);
    rt_free(destroyed->defined);
    *destroyed = (fake_object){0};
    fake_sim.live--;
}

bool sim_object_is_alive(const sim_world *world, sim_object object)
{
    CHECK(object >= 1 && object <= world->count);
    return world->objects[object - 1].bytes != NULL;
}

rt_text sim_object_label(const sim_world *world, sim_object object)
{
    CHECK(object >= 1 && object <= world->count);
    return RT_TEXT("fake");
}

uint64_t sim_object_size(const sim_world *world, sim_object object)
{
    return object_at(world, object)->size;
}

uint64_t sim_object_address(sim_object object)
{
    return (uint64_t)object << 16;
}

rt_status sim_world_variable(sim_world *world, sim_program *program, rt_text name,
                             sim_object *out_object)
{
    *out_object = 0;
    if (!rt_text_is(name, program->variable)) return RT_STATUS_OK;
    if (program->variable_object == 0) {
        const uint8_t initial[4] = {7, 7, 7, 7};
        RT_TRY(sim_object_create(world, sizeof initial, name, &program->variable_object));
        sim_object_write(world, program->variable_object, 0, sizeof initial, initial);
    }
    *out_object = program->variable_object;
    return RT_STATUS_OK;
}

/* Every program exports the function "indirect". */
rt_status sim_world_function(sim_world *world, sim_program *program, rt_text name,
                             uint64_t *out_address)
{
    (void)world, (void)program;
    *out_address = rt_text_is(name, "indirect") ? FAKE_FUNCTION : 0;
    return RT_STATUS_OK;
}

void sim_world_forget(sim_world *world, const sim_program *program)
{
    if (program->variable_object != 0) sim_object_destroy(world, program->variable_object);
}

void sim_object_read(const sim_world *world, sim_object object, uint64_t offset, uint64_t size,
                     void *destination)
{
    fake_object *found = object_at(world, object);
    CHECK(offset + size <= found->size);
    memcpy(destination, found->bytes + offset, (size_t)size);
}

void sim_object_write(sim_world *world, sim_object object, uint64_t offset, uint64_t size,
                      const void *source)
{
    fake_object *found = object_at(world, object);
    CHECK(offset + size <= found->size);
    memcpy(found->bytes + offset, source, (size_t)size);
    memset(found->defined + offset, 1, (size_t)size);
}

void sim_object_undefine(sim_world *world, sim_object object, uint64_t offset, uint64_t size)
{
    fake_object *found = object_at(world, object);
    CHECK(offset + size <= found->size);
    memset(found->defined + offset, 0, (size_t)size);
}

void sim_object_copy(sim_world *world, sim_object source, uint64_t source_offset,
                     sim_object destination, uint64_t destination_offset, uint64_t size)
{
    fake_object *from = object_at(world, source), *to = object_at(world, destination);
    CHECK(source_offset + size <= from->size && destination_offset + size <= to->size);
    memmove(to->bytes + destination_offset, from->bytes + source_offset, (size_t)size);
    memmove(to->defined + destination_offset, from->defined + source_offset, (size_t)size);
}

void sim_object_defined(const sim_world *world, sim_object object, uint64_t offset, uint64_t size,
                        uint8_t *out_bits)
{
    const fake_object *found = object_at(world, object);
    CHECK(offset + size <= found->size);
    memset(out_bits, 0, (size_t)((size + 7) / 8));
    for (uint64_t i = 0; i < size; i++) {
        if (found->defined[offset + i]) out_bits[i / 8] = (uint8_t)(out_bits[i / 8] | 1u << i % 8);
    }
}

rt_status sim_range_check(rt_sink *sink, const sim_kernel *kernel, const sim_range *range)
{
    (void)sink, (void)kernel, (void)range;
    return RT_STATUS_OK;
}

void sim_range_choose_local(const sim_kernel *kernel, sim_range *range)
{
    (void)kernel;
    range->local[0] = range->local[1] = range->local[2] = 1;
}

void sim_world_keep_writers(sim_world *world)
{
    (void)world;
}

bool sim_object_writer(sim_world *world, sim_object object, uint64_t offset, sim_writer *out_writer)
{
    (void)world, (void)object, (void)offset;
    *out_writer = (sim_writer){.kernel = RT_TEXT("k"), .work_item = {offset, 0, 0}};
    return true;
}

bool sim_object_took_undefined(const sim_world *world, sim_object object)
{
    (void)world, (void)object;
    return false;
}

const char *sim_schedule_name(sim_schedule schedule)
{
    static const char *const names[SIM_SCHEDULES] = {"lockstep", "forward", "backward", "seeded"};
    return names[schedule];
}

rt_status sim_launch(sim_world *world, const sim_kernel *kernel, const sim_range *range,
                     const sim_argument *arguments, uint32_t argument_count,
                     const sim_launch_options *options)
{
    CHECK(argument_count == sim_kernel_parameter_count(kernel));
    fake_sim.last_range = *range;
    fake_sim.last_schedule = options->schedule;
    if (strcmp(kernel->name, "fails") == 0)
        return rt_fail(world->sink, fake_sim.refuse, RT_RULE_NONE, "fake: told to fail");
    if (takes_local(kernel)) return RT_STATUS_OK;
    CHECK(fake_sim.launch_count < FAKE_LAUNCHES_MAX);
    fake_sim.launches[fake_sim.launch_count++] = arguments[0].bytes.data[0];
    fake_sim.last_offset = arguments[1].offset;
    if (arguments[1].object == 0) {
        const sim_finding finding = {.kind = "out-of-bounds",
                                     .message = RT_TEXT("a store through the null pointer"),
                                     .kernel = rt_text_of(kernel->name),
                                     .work_item = {7, 0, 0},
                                     .count = 3};
        options->on_finding(options->user, &finding);
    } else {
        sim_object_write(world, arguments[1].object, arguments[1].offset, 1,
                         arguments[0].bytes.data);
        sim_accessed accessed = {
            .object = arguments[1].object, .offset = 8, .size = 1, .is_write = true};
        bool has_windows = strcmp(kernel->name, "windows") == 0;
        if (has_windows && options->on_accessed) options->on_accessed(options->user, &accessed);
        accessed.offset = arguments[1].offset;
        if (options->on_accessed) options->on_accessed(options->user, &accessed);
    }
    return RT_STATUS_OK;
}
