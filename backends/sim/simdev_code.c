/* Reads the modules of an image's code: SPIR-V is specialised; native images are taken as they were
 * compiled. A table has a reader for every format that the device takes; source is not one of them.
 */
#include "backends/sim/simdev.h"
#include "backends/sim/simdev_internal.h"

static rt_status spirv_read(rt_sink *sink, const dev_code *code, sim_native *out_code)
{
    sim_spec_constant *constants = rt_alloc_array(code->constant_count, sizeof *constants);
    for (uint32_t i = 0; i < code->constant_count; i++)
        constants[i] = (sim_spec_constant){code->constants[i].id, code->constants[i].value};
    sim_module *module;
    rt_status status =
        sim_module_create(sink, code->bytes, constants, code->constant_count, &module);
    rt_free(constants);
    if (!rt_ok(status)) return status;
    out_code->modules = rt_arena_alloc_array(&out_code->arena, 1, sizeof(sim_module *));
    out_code->modules[0] = module;
    out_code->module_count = 1;
    return status;
}

/* The specialisation constants of a native image are fixed, so values for them are ignored. */
static rt_status native_read(rt_sink *sink, const dev_code *code, sim_native *out_code)
{
    return sim_native_read(sink, code->bytes, out_code);
}

static rt_status (*const readers[RT_FORMAT_COUNT])(rt_sink *sink, const dev_code *code,
                                                   sim_native *out_code) = {
    [RT_FORMAT_SPIRV64] = spirv_read,
    /* The device also stands in for a CPU, a GPU and an FPGA: programs compiled ahead of time for
     * those are images in its native format under another name. */
    [RT_FORMAT_SPIRV64_X86_64] = native_read,
    [RT_FORMAT_SPIRV64_GEN] = native_read,
    [RT_FORMAT_SPIRV64_FPGA] = native_read,
    [RT_FORMAT_NATIVE] = native_read,
};

uint32_t simdev_formats_taken(void)
{
    uint32_t formats = 0;
    for (uint32_t format = 0; format < RT_FORMAT_COUNT; format++)
        if (readers[format]) formats |= 1u << format;
    return formats;
}

static sim_declared_sets *declared_rows(const dev_declared_sets *rows, uint32_t count)
{
    sim_declared_sets *converted = rt_alloc_array(count, sizeof *converted);
    for (uint32_t i = 0; i < count; i++)
        converted[i] = (sim_declared_sets){rows[i].name, rows[i].sets};
    return converted;
}

rt_status simdev_code_read(rt_sink *sink, const dev_code *code, sim_native *out_code)
{
    *out_code = (sim_native){0};
    CHECK(code->format < RT_FORMAT_COUNT);
    if (!readers[code->format]) {
        return rt_fail(
            sink, RT_UNSUPPORTED, RT_RULE_NONE,
            "the simulated device takes no images of format %s; it takes SPIR-V and programs "
            "compiled ahead of time",
            rt_format_name(code->format));
    }
    RT_TRY(readers[code->format](sink, code, out_code));
    CHECK(out_code->module_count >= 1);
    for (uint32_t i = 0; i < out_code->module_count; i++)
        sim_module_image(out_code->modules[i], code->image);
    /* Declarations apply to every module of the code that has functions or kernels with those
     * names. If there are none here, a native image keeps its own. */
    if (code->function_set_count + code->kernel_set_count == 0) return RT_STATUS_OK;
    sim_declared_sets *functions = declared_rows(code->function_sets, code->function_set_count);
    sim_declared_sets *kernels = declared_rows(code->kernel_sets, code->kernel_set_count);
    const sim_declarations declarations = {functions, kernels, code->function_set_count,
                                           code->kernel_set_count};
    for (uint32_t i = 0; i < out_code->module_count; i++)
        sim_module_declare(out_code->modules[i], &declarations);
    rt_free(functions);
    rt_free(kernels);
    return RT_STATUS_OK;
}

rt_status simdev_offline_compile(rt_sink *sink, rt_bytes spirv, rt_buffer *out_image)
{
    sim_module *module;
    RT_TRY(sim_module_create(sink, spirv, NULL, 0, &module));
    const sim_module *const modules[] = {module};
    rt_status status = sim_native_write(sink, modules, 1, out_image);
    sim_module_destroy(module);
    return status;
}
