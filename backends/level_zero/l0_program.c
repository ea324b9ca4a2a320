/* Programs: a compiled one keeps its code; an executable one has the driver's modules.
 *
 * If the driver joins SPIR-V, compiling only keeps the code, and the link creates one module from
 * the code of all images.  Otherwise each image's code becomes a module when it is compiled, so
 * that its errors are reported then; the first link uses that module, and later links create new
 * ones, because zeModuleDynamicLink modifies the modules that it links.  There, the binary of a
 * compiled program is an object that can be linked with others and with SPIR-V.
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

/* ---- Modules ------------------------------------------------------------------------------ */

void l0_modules_release(l0_device *device, l0_modules *modules)
{
    unsigned before = atomic_fetch_sub(&modules->references, 1);
    CHECK(before >= 1);
    if (before > 1) return;
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

/* Queries every module, first by the linkage name of the variable that has `name` as its host name
 * and then by `name` itself, so that even a driver that knows only linkage names finds the right
 * variable. */
static ze_result_t global_find(const l0_program *program, rt_text name, size_t *out_size,
                               void **out_pointer)
{
    const l0_library *ze = &program->device->library;
    const l0_modules *modules = program->modules;
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, name);
    const char *const names[] = {
        RULE(DG_PLUGIN_08, l0_names_find(&program->names, name)),
        rt_buffer_string(&terminated),
    };
    enum { NAMES = sizeof names / sizeof *names };
    const ze_result_t unknown = ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
    ze_result_t result = unknown;
    for (int n = 0; n < NAMES && result == unknown; n++) {
        for (uint32_t i = 0; names[n] && i < modules->count && result == unknown; i++) {
            *out_size = 0;
            *out_pointer = NULL;
            result =
                ze->zeModuleGetGlobalPointer(modules->handles[i], names[n], out_size, out_pointer);
            /* Drivers return different results for an unknown name. */
            if (result == ZE_RESULT_ERROR_INVALID_ARGUMENT) result = unknown;
        }
    }
    rt_buffer_free(&terminated);
    return result;
}

static rt_status l0_program_global(dev_program *base, rt_text name, dev_memory **out_memory)
{
    static const char call[] = "zeModuleGetGlobalPointer";
    const l0_program *program = (const l0_program *)base;
    rt_sink *sink = program->device->sink;
    RT_TRY(vendor_name_validate(sink, "a variable", "Level Zero", name));
    /* A module that imports a variable does not know it until the module is linked, so no module is
     * queried before then. */
    bool has_modules = program->modules && program->modules->handles[0];
    if (!has_modules || RULE(DG_PLUGIN_10, !base->executable))
        return rt_fail_naming(
            sink, RT_ERRC_INVALID, RT_RULE_DG_PLUGIN_10, &name, 1,
            "the variable '%.*s' can be looked up only when its program is linked",
            RT_TEXT_ARG(name));
    size_t size = 0;
    void *pointer = NULL;
    ze_result_t result = global_find(program, name, &size, &pointer);
    if (result == ZE_RESULT_ERROR_INVALID_GLOBAL_NAME)
        return rt_fail_naming(
            sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
            "%s: the program has no variable '%.*s' (ZE_RESULT_ERROR_INVALID_GLOBAL_NAME); it "
            "must be exported or be decorated with a host name (HostAccessINTEL)",
            call, RT_TEXT_ARG(name));
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

static const dev_program_ops l0_program_ops = {
    .destroy = l0_program_destroy,
    .kernel_create = l0_kernel_create,
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

/* Finishes creating an executable program. If `status`, the result of creating its modules, is a
 * success, links them; if creating or linking them failed, releases them. */
static rt_status program_finish(l0_device *device, rt_status status, l0_modules *modules,
                                const l0_code *const *codes, uint32_t code_count,
                                dev_program **out_program)
{
    if (rt_ok(status)) status = l0_modules_link(device, modules);
    if (!rt_ok(status)) {
        l0_modules_release(device, modules);
        return status;
    }
    l0_program *program = program_wrap(device);
    program->modules = modules;
    for (uint32_t i = 0; i < code_count; i++)
        rt_buffer_append_text(&program->names, rt_buffer_text(&codes[i]->names));
    *out_program = &program->base;
    return RT_STATUS_OK;
}

/* ---- Operations of the device ------------------------------------------------------------- */

/* Takes the native code of a compiled program from its binary. */
static rt_status native_take(const l0_device *device, rt_bytes binary, l0_code *out_code)
{
    l0_binary parts;
    *out_code = (l0_code){.is_native = true};
    RT_TRY(l0_binary_read(device->sink, binary, &parts));
    if (parts.module_count != 1)
        return rt_fail(device->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "the binary of a program of %u modules, which have been linked, cannot be "
                       "linked again; pass that of a compiled program",
                       parts.module_count);
    rt_bytes native = l0_binary_module(&parts, 0);
    rt_buffer_append(&out_code->bytes, native.data, native.size);
    rt_buffer_append(&out_code->names, parts.names.data, parts.names.size);
    return RT_STATUS_OK;
}

/* Creates the module of a compiled program. */
static rt_status library_make(const l0_device *device, l0_stage stage, const l0_code *code,
                              ze_module_handle_t *out_module)
{
    if (code->is_native) return l0_module_load(device, rt_buffer_bytes(&code->bytes), out_module);
    return l0_module_make(device, stage, code, true, out_module);
}

rt_status l0_program_compile(dev_device *base, const dev_code *code, dev_program **out_program)
{
    l0_device *device = (l0_device *)base;
    l0_program *program = program_wrap(device);
    bool is_native = !device->joins_spirv && L0_NATIVE_FORMATS >> code->format & 1;
    rt_status status = is_native ? native_take(device, code->bytes, &program->code)
                                 : l0_code_make(device, code, &program->code);
    if (rt_ok(status) && !device->joins_spirv) {
        program->modules = modules_room(1);
        status =
            library_make(device, L0_STAGE_MODULE, &program->code, &program->modules->handles[0]);
    }
    if (!rt_ok(status)) {
        l0_program_destroy(&program->base);
        return status;
    }
    *out_program = &program->base;
    return RT_STATUS_OK;
}

rt_status l0_program_link(dev_device *base, dev_program *const *programs, uint32_t count,
                          rt_text options, dev_program **out_program)
{
    l0_device *device = (l0_device *)base;
    const l0_code **codes = rt_alloc_array(count, sizeof *codes);
    for (uint32_t i = 0; i < count; i++)
        codes[i] = &((const l0_program *)programs[i])->code;
    bool joins = RULE(DL_BACKEND_10, device->joins_spirv);
    l0_modules *modules = modules_room(joins ? 1 : count);
    rt_status status = RT_STATUS_OK;
    if (joins) status = l0_module_join(device, codes, count, options, &modules->handles[0]);
    /* One module per program: its spare module, or a new one from its code. */
    for (uint32_t i = 0; !joins && i < count && rt_ok(status); i++) {
        const l0_program *program = (const l0_program *)programs[i];
        pthread_mutex_lock(&device->lock);
        modules->handles[i] = program->modules->handles[0];
        program->modules->handles[0] = NULL;
        pthread_mutex_unlock(&device->lock);
        if (modules->handles[i]) continue;
        status = library_make(device, L0_STAGE_LINK, &program->code, &modules->handles[i]);
    }
    status = program_finish(device, status, modules, codes, count, out_program);
    rt_free(codes);
    return status;
}

rt_status l0_program_build(dev_device *base, const dev_code *code, dev_program **out_program)
{
    l0_device *device = (l0_device *)base;
    if (L0_NATIVE_FORMATS >> code->format & 1)
        return l0_program_load(base, code->bytes, out_program);
    l0_code copy;
    RT_TRY(l0_code_make(device, code, &copy));
    l0_code_export_variables(&copy);
    const l0_code *codes[] = {&copy};
    l0_modules *modules = modules_room(1);
    rt_status status = l0_module_make(device, L0_STAGE_LINK, &copy, false, &modules->handles[0]);
    status = program_finish(device, status, modules, codes, 1, out_program);
    l0_code_free(&copy);
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
    RT_TRY(program_finish(device, status, modules, NULL, 0, out_program));
    l0_program *program = (l0_program *)*out_program;
    rt_buffer_append(&program->names, parts.names.data, RULE(DG_PLUGIN_09, parts.names.size));
    return RT_STATUS_OK;
}
