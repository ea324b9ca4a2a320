/* Programs: PTX, and the machine code that the library links from it.
 *
 * The library may report success and still return an empty cubin, so the result of a link is
 * verified: it must be a cubin and contain every kernel that the PTX declares. */
#include "backends/nvjitlink/nvj_internal.h"
#include "backends/ptx/binary.h"
#include "backends/vendor/elf.h"
#include "backends/vendor/validate.h"
#include "reference/base/alloc.h"

#include <elf.h>

/* ---- Program objects ---------------------------------------------------------------------- */

static void nvj_program_destroy(dev_program *base)
{
    nvj_program *program = (nvj_program *)base;
    unsigned before = atomic_fetch_sub(&program->references, 1);
    CHECK(before >= 1);
    if (before > 1) return;
    ptx_program_free(&program->ptx);
    rt_free(program);
}

/* ---- Kernels ------------------------------------------------------------------------------ */

static void nvj_kernel_destroy(dev_kernel *base)
{
    nvj_kernel *kernel = (nvj_kernel *)base;
    nvj_program_destroy(&kernel->program->ptx.base);
    rt_free(kernel);
}

static uint32_t nvj_kernel_argument_count(dev_kernel *kernel)
{
    return ((const nvj_kernel *)kernel)->entry->entry.parameter_count;
}

static const dev_kernel_ops nvj_kernel_ops = {
    .destroy = nvj_kernel_destroy,
    .argument_count = nvj_kernel_argument_count,
};

static rt_status nvj_program_kernel(dev_program *base, rt_text name, dev_kernel **out_kernel)
{
    nvj_program *program = (nvj_program *)base;
    const ptx_kernel *entry = ptx_kernels_find(&program->ptx.kernels, name);
    if (!entry)
        return rt_fail_naming(program->device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "the program has no kernel '%.*s': none of its PTX declares one",
                              RT_TEXT_ARG(name));
    nvj_kernel *kernel = rt_alloc(sizeof *kernel);
    kernel->base.ops = &nvj_kernel_ops;
    kernel->program = program;
    kernel->entry = entry;
    unsigned before = atomic_fetch_add(&program->references, 1);
    CHECK(before >= 1);
    *out_kernel = &kernel->base;
    return RT_STATUS_OK;
}

/* ---- Variables ---------------------------------------------------------------------------- */

/* A variable's address is its program's base address plus its index in the symbol table: the same
 * each time the variable is looked up, and never dereferenced. */
static rt_status nvj_program_global(dev_program *base, rt_text name, dev_memory **out_memory)
{
    const nvj_program *program = (const nvj_program *)base;
    vendor_elf cubin;
    uint32_t index = 0;
    uint64_t size = 0;
    bool is_read = vendor_elf_read(rt_buffer_bytes(&program->ptx.cubin), EM_CUDA, &cubin);
    CHECK(is_read); /* program_validate has already read it */
    rt_buffer symbol = {0};
    rt_ptx_name_write(&symbol, name);
    bool is_found = vendor_elf_find(&cubin, VENDOR_SYMBOL_VARIABLE, false, rt_buffer_text(&symbol),
                                    &index, &size);
    rt_buffer_free(&symbol);
    if (!is_found || size == 0)
        return rt_fail_naming(program->device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "the linked code has no variable '%.*s'", RT_TEXT_ARG(name));
    RT_TRY(vendor_variable_validate(program->device->sink, name, size));
    *out_memory = vendor_memory_make(program->address + index, size);
    return RT_STATUS_OK;
}

static const dev_program_ops nvj_program_ops = {
    .destroy = nvj_program_destroy,
    .kernel_create = nvj_program_kernel,
    .global_find = nvj_program_global,
    .binary = ptx_program_binary,
};

static nvj_program *program_create(nvj_device *device)
{
    nvj_program *program = rt_alloc(sizeof *program);
    program->ptx.base.ops = &nvj_program_ops;
    program->device = device;
    atomic_init(&program->references, 1);
    return program;
}

/* ---- Operations of the device ------------------------------------------------------------- */

static rt_status text_take(nvj_program *program, const dev_code *code)
{
    const nvj_device *device = program->device;
    return ptx_program_take(device->sink, device->tools, rt_buffer_text(&device->name), code,
                            &program->ptx);
}

/* Verifies the linked code and reserves addresses for its variables. */
static rt_status program_validate(nvj_program *program)
{
    rt_sink *sink = program->device->sink;
    vendor_elf cubin;
    CHECK(program->address == 0);
    if (!vendor_elf_read(rt_buffer_bytes(&program->ptx.cubin), EM_CUDA, &cubin) ||
        cubin.symbols.size == 0)
        return rt_fail(
            sink, RT_DRIVER_ERROR, RT_RULE_NONE,
            "nvJitLinkGetLinkedCubin: the %zu bytes returned are not a cubin with symbols",
            program->ptx.cubin.size);
    for (uint32_t i = 0; i < program->ptx.kernels.count; i++) {
        rt_text name = program->ptx.kernels.rows[i].entry.name;
        uint32_t index;
        uint64_t size;
        if (!vendor_elf_find(&cubin, VENDOR_SYMBOL_FUNCTION, false, name, &index, &size))
            return rt_fail_naming(
                sink, RT_DRIVER_ERROR, RT_RULE_NONE, &name, 1,
                "nvJitLinkComplete: reported success, but the cubin lacks kernel '%.*s'",
                RT_TEXT_ARG(name));
    }
    /* A symbol's index is less than the symbol table's size in bytes, and so than the cubin's. */
    program->address = vendor_address_take(&program->device->unexecuted, program->ptx.cubin.size);
    return RT_STATUS_OK;
}

static rt_status programs_link(nvj_program *linked, nvj_program *const *programs, uint32_t count,
                               rt_text options)
{
    RT_TRY(nvj_link(linked->device, programs, count, options, &linked->ptx.cubin));
    for (uint32_t i = 0; i < count; i++)
        ptx_kernels_join(&linked->ptx.kernels, &programs[i]->ptx.kernels);
    return program_validate(linked);
}

rt_status nvj_program_compile(dev_device *base, const dev_code *code, dev_program **out_program)
{
    nvj_device *device = (nvj_device *)base;
    nvj_program *program = program_create(device);
    rt_status status = text_take(program, code);
    if (rt_ok(status)) status = nvj_link(device, &program, 1, (rt_text){0}, NULL);
    return ptx_program_finish(&program->ptx, status, out_program);
}

rt_status nvj_program_link(dev_device *base, dev_program *const *programs, uint32_t count,
                           rt_text options, dev_program **out_program)
{
    nvj_program **inputs = rt_alloc_array(count, sizeof *inputs);
    for (uint32_t i = 0; i < count; i++)
        inputs[i] = (nvj_program *)programs[i];
    nvj_program *linked = program_create((nvj_device *)base);
    rt_status status = programs_link(linked, inputs, count, options);
    rt_free(inputs);
    return ptx_program_finish(&linked->ptx, status, out_program);
}

rt_status nvj_program_build(dev_device *base, const dev_code *code, dev_program **out_program)
{
    if (code->format == RT_FORMAT_NATIVE) return nvj_program_load(base, code->bytes, out_program);
    nvj_device *device = (nvj_device *)base;
    nvj_program *read = program_create(device), *linked = program_create(device);
    rt_status status = text_take(read, code);
    if (rt_ok(status)) status = programs_link(linked, &read, 1, (rt_text){0});
    nvj_program_destroy(&read->ptx.base);
    return ptx_program_finish(&linked->ptx, status, out_program);
}

rt_status nvj_program_load(dev_device *base, rt_bytes binary, dev_program **out_program)
{
    nvj_device *device = (nvj_device *)base;
    nvj_program *program = program_create(device);
    rt_bytes cubin;
    rt_status status = ptx_binary_read(device->sink, binary, &program->ptx.kernels, &cubin);
    rt_buffer_append(&program->ptx.cubin, cubin.data, cubin.size);
    if (rt_ok(status)) status = program_validate(program);
    return ptx_program_finish(&program->ptx, status, out_program);
}
