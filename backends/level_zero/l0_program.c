/* Programs: a compiled one keeps its code, an executable one has the driver's modules.
 *
 * If the driver joins SPIR-V, compiling keeps the code and the link creates one module from all of
 * it.  Otherwise each image's code becomes a module when it is compiled, so that its errors are
 * reported then; the first link uses that module, because zeModuleDynamicLink modifies the modules
 * it links, and a later link creates another.  A program of several modules has no binary.
 *
 * A binary is a header, the names of variables in host code, which native code need not contain,
 * and the driver's native code.
 *
 * Source: Level Zero specification 1.8, "Modules"; DeviceGlobal.md, "New PI interface to copy to or
 * from a module scope variable"; SharedLibraries.md, "Support of runtime linking in backends". */
#include "backends/level_zero/l0_binary.h"
#include "backends/level_zero/l0_module.h"

#include "backends/vendor/validate.h"
#include "reference/base/alloc.h"
#include "reference/base/rule.h"

typedef struct l0_program {
    dev_program base;
    l0_device *device;
    l0_code code;        /* of a compiled program; otherwise empty */
    l0_modules *modules; /* of an executable program: a reference; of a compiled one: the module for
                          * the first link, which sets this to NULL; or NULL */
    l0_names names;      /* of an executable program's variables */
} l0_program;

/* ---- Modules ------------------------------------------------------------------------------ */

void l0_modules_release(l0_device *device, l0_modules *modules)
{
    if (atomic_fetch_sub(&modules->references, 1) > 1) return;
    l0_device_settle(device);
    for (uint32_t i = 0; i < modules->count; i++) {
        if (modules->handles[i]) device->library.zeModuleDestroy(modules->handles[i]);
    }
    rt_free(modules);
}

/* Allocates room for `count` modules, none of which exists yet. */
static l0_modules *modules_room(uint32_t count)
{
    CHECK(count >= 1);
    l0_modules *modules = rt_alloc(sizeof *modules + count * sizeof *modules->handles);
    atomic_init(&modules->references, 1);
    modules->count = count;
    return modules;
}

/* ---- Variables ---------------------------------------------------------------------------- */

/* Queries every module; drivers differ in their answer for an unknown name. */
static ze_result_t global_ask(const l0_program *program, const char *name, size_t *out_size,
                              void **out_pointer)
{
    const l0_device *device = program->device;
    ze_result_t result = ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
    for (uint32_t i = 0; i < program->modules->count; i++) {
        *out_size = 0;
        *out_pointer = NULL;
        result = device->library.zeModuleGetGlobalPointer(program->modules->handles[i], name,
                                                          out_size, out_pointer);
        if (result == ZE_RESULT_SUCCESS) return result;
        bool unknown = result == ZE_RESULT_ERROR_INVALID_GLOBAL_NAME ||
                       result == ZE_RESULT_ERROR_INVALID_ARGUMENT;
        if (!unknown) return result;
    }
    return ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
}

/* Tries the names for the host first, then linkage names, so that a driver that knows only linkage
 * names is given the right one. */
static ze_result_t global_find(const l0_program *program, rt_text name, size_t *out_size,
                               void **out_pointer)
{
    const char *linkage =
        RULE_ELSE(DG_PLUGIN_08, l0_names_find(&program->names, name), (const char *)NULL);
    ze_result_t result = ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
    if (linkage) result = global_ask(program, linkage, out_size, out_pointer);
    if (result != ZE_RESULT_ERROR_INVALID_GLOBAL_NAME) return result;
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, name);
    result = global_ask(program, rt_buffer_string(&terminated), out_size, out_pointer);
    rt_buffer_free(&terminated);
    return result;
}

/* A module that imports a variable does not know it until it is linked, so no module is queried
 * before that. */
static bool knows_variables(const l0_program *program)
{
    if (!program->modules || !program->modules->handles[0]) return false;
    return program->base.executable || !RULE(DG_PLUGIN_10);
}

static rt_status l0_program_global(dev_program *base, rt_text name, dev_memory **out_memory)
{
    static const char call[] = "zeModuleGetGlobalPointer";
    const l0_program *program = (const l0_program *)base;
    rt_sink *sink = program->device->sink;
    RT_TRY(vendor_name_validate(sink, "a variable", "Level Zero", name));
    if (!knows_variables(program))
        return rt_fail_naming(sink, RT_ERRC_INVALID, RT_RULE_DG_PLUGIN_10, &name, 1,
                              "the variable '%.*s' can be asked for when its program is linked",
                              RT_TEXT_ARG(name));
    size_t size = 0;
    void *pointer = NULL;
    ze_result_t result = global_find(program, name, &size, &pointer);
    if (result == ZE_RESULT_ERROR_INVALID_GLOBAL_NAME)
        return rt_fail_naming(
            sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
            "%s: the program has no variable '%.*s' (%s); it must be exported, or "
            "be decorated with a name for the host",
            call, RT_TEXT_ARG(name), l0_result_name(result));
    if (result != ZE_RESULT_SUCCESS || !pointer || size == 0)
        return l0_fail(sink, L0_STAGE_GLOBAL, call, result, (rt_text){0});
    RT_TRY(vendor_variable_validate(sink, name, size));
    *out_memory = l0_variable_wrap(program->device, pointer, size);
    return RT_STATUS_OK;
}

/* ---- Program objects ---------------------------------------------------------------------- */

static void l0_program_destroy(dev_program *base)
{
    l0_program *program = (l0_program *)base;
    if (program->modules) l0_modules_release(program->device, program->modules);
    l0_code_free(&program->code);
    rt_buffer_free(&program->names);
    rt_free(program);
}

static rt_status l0_program_kernel(dev_program *base, rt_text name, dev_kernel **out_kernel)
{
    const l0_program *program = (const l0_program *)base;
    return l0_kernel_take(program->device, program->modules, name, out_kernel);
}

static rt_status l0_program_binary(dev_program *base, rt_buffer *out_binary)
{
    const l0_program *program = (const l0_program *)base;
    return l0_binary_write(program->device, program->modules, &program->names, out_binary);
}

static const dev_program_ops l0_program_ops = {
    .destroy = l0_program_destroy,
    .kernel_create = l0_program_kernel,
    .global_find = l0_program_global,
    .binary = l0_program_binary,
};

static l0_program *program_wrap(l0_device *device)
{
    l0_program *program = rt_alloc(sizeof *program);
    program->base.ops = &l0_program_ops;
    program->device = device;
    return program;
}

/* Links the modules, which already exist, and makes a program from them, or releases them on
 * failure. */
static rt_status program_finish(l0_device *device, l0_modules *modules, const l0_code *const *codes,
                                uint32_t code_count, dev_program **out_program)
{
    rt_status status = l0_modules_link(device, modules);
    if (!rt_ok(status)) {
        l0_modules_release(device, modules);
        return status;
    }
    l0_program *program = program_wrap(device);
    program->modules = modules;
    for (uint32_t i = 0; i < code_count; i++) {
        if (codes[i]->names.size > 0)
            rt_buffer_append(&program->names, codes[i]->names.data, codes[i]->names.size);
    }
    *out_program = &program->base;
    return RT_STATUS_OK;
}

/* ---- Operations of the device ------------------------------------------------------------- */

rt_status l0_program_compile(dev_device *base, const dev_code *code, dev_program **out_program)
{
    l0_device *device = (l0_device *)base;
    l0_program *program = program_wrap(device);
    rt_status status = l0_code_make(device, code, &program->code);
    if (rt_ok(status) && !device->joins_spirv) {
        program->modules = modules_room(1);
        status = l0_module_make(device, L0_STAGE_MODULE, &program->code, true,
                                &program->modules->handles[0]);
    }
    if (!rt_ok(status)) {
        l0_program_destroy(&program->base);
        return status;
    }
    *out_program = &program->base;
    return RT_STATUS_OK;
}

/* Creates one module from all codes. */
static rt_status modules_join(const l0_device *device, const l0_code *const *codes, uint32_t count,
                              rt_text options, l0_modules **out_modules)
{
    *out_modules = modules_room(1);
    return l0_module_join(device, codes, count, options, &(*out_modules)->handles[0]);
}

/* Collects one module per program: its spare module, or a new one from its code. */
static rt_status modules_collect(l0_device *device, dev_program *const *programs, uint32_t count,
                                 l0_modules **out_modules)
{
    *out_modules = modules_room(count);
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < count && rt_ok(status); i++) {
        l0_program *program = (l0_program *)programs[i];
        ze_module_handle_t *made = &program->modules->handles[0];
        pthread_mutex_lock(&device->lock);
        (*out_modules)->handles[i] = *made;
        *made = NULL;
        pthread_mutex_unlock(&device->lock);
        if ((*out_modules)->handles[i]) continue;
        status = l0_module_make(device, L0_STAGE_LINK, &program->code, true,
                                &(*out_modules)->handles[i]);
    }
    return status;
}

rt_status l0_program_link(dev_device *base, dev_program *const *programs, uint32_t count,
                          rt_text options, dev_program **out_program)
{
    l0_device *device = (l0_device *)base;
    const l0_code **codes = rt_alloc_array(count, sizeof *codes);
    for (uint32_t i = 0; i < count; i++)
        codes[i] = &((const l0_program *)programs[i])->code;
    l0_modules *modules;
    rt_status status = device->joins_spirv || !RULE(DL_BACKEND_10)
                           ? modules_join(device, codes, count, options, &modules)
                           : modules_collect(device, programs, count, &modules);
    if (rt_ok(status))
        status = program_finish(device, modules, codes, count, out_program);
    else
        l0_modules_release(device, modules);
    rt_free(codes);
    return status;
}

rt_status l0_program_build(dev_device *base, const dev_code *code, dev_program **out_program)
{
    l0_device *device = (l0_device *)base;
    l0_code kept;
    RT_TRY(l0_code_make(device, code, &kept));
    const l0_code *codes[] = {&kept};
    l0_modules *modules = modules_room(1);
    rt_status status = l0_module_make(device, L0_STAGE_LINK, &kept, false, &modules->handles[0]);
    if (rt_ok(status))
        status = program_finish(device, modules, codes, 1, out_program);
    else
        l0_modules_release(device, modules);
    l0_code_free(&kept);
    return status;
}

rt_status l0_program_load(dev_device *base, rt_bytes binary, dev_program **out_program)
{
    l0_device *device = (l0_device *)base;
    l0_binary parts;
    RT_TRY(l0_binary_read(device->sink, binary, &parts));
    l0_modules *modules = modules_room(parts.module_count);
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < parts.module_count && rt_ok(status); i++)
        status = l0_module_load(device, l0_binary_module(&parts, i), &modules->handles[i]);
    if (!rt_ok(status)) {
        l0_modules_release(device, modules);
        return status;
    }
    RT_TRY(program_finish(device, modules, NULL, 0, out_program));
    l0_program *program = (l0_program *)*out_program;
    if (parts.names.size > 0 && RULE(DG_PLUGIN_09))
        rt_buffer_append(&program->names, parts.names.data, parts.names.size);
    return RT_STATUS_OK;
}
