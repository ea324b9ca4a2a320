/* Programs: SPIR-V, and the machine code that ocloc makes of it.
 *
 * ocloc reports success although the machine code refers to functions that no image defines; such
 * code is what the driver would be given, so it is accepted here too.
 *
 * Source: intel/compute-runtime, programmers-guide/ZEBIN.md: a kernel is a function symbol, a
 * variable that is visible to other modules an object symbol. */
#include "backends/ocloc/ocloc_internal.h"
#include "backends/vendor/elf.h"
#include "backends/vendor/validate.h"
#include "reference/base/alloc.h"
#include "reference/base/arena.h"

/* ---- Kernels ------------------------------------------------------------------------------ */

static void kernel_destroy(dev_kernel *kernel)
{
    rt_free(kernel);
}

static uint32_t kernel_argument_count(dev_kernel *kernel)
{
    return ((const ocloc_kernel *)kernel)->info.parameter_count;
}

static const dev_kernel_ops kernel_ops = {
    .destroy = kernel_destroy,
    .argument_count = kernel_argument_count,
};

/* The machine code; it was read before, when the program was made. */
static vendor_elf elf_of(const ocloc_program *program)
{
    vendor_elf elf;
    bool is_read = vendor_elf_read(rt_buffer_bytes(&program->machine_code), OCLOC_MACHINE, &elf);
    CHECK(is_read);
    return elf;
}

static rt_status program_kernel(dev_program *base, rt_text name, dev_kernel **out_kernel)
{
    const ocloc_program *program = (const ocloc_program *)base;
    const vendor_elf elf = elf_of(program);
    uint32_t index;
    uint64_t size;
    bool takes_local = true; /* kernels are local symbols */
    if (!vendor_elf_find(&elf, VENDOR_SYMBOL_FUNCTION, takes_local, name, &index, &size))
        return rt_fail_naming(program->device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "the machine code has no kernel '%.*s'", RT_TEXT_ARG(name));
    rt_bytes ze_info = {0};
    if (!vendor_elf_section(&elf, OCLOC_SECTION_ZE_INFO, &ze_info)) ze_info = (rt_bytes){0};
    ocloc_kernel *kernel = rt_alloc(sizeof *kernel);
    kernel->base.ops = &kernel_ops;
    ocloc_kernel_read((rt_text){(const char *)ze_info.data, ze_info.size}, name, &kernel->info);
    *out_kernel = &kernel->base;
    return RT_STATUS_OK;
}

/* ---- Variables ---------------------------------------------------------------------------- */

/* A variable's address is its program's base address plus its index in the symbol table: the same
 * each time the variable is looked up, and never dereferenced. */
static rt_status program_global(dev_program *base, rt_text name, dev_memory **out_memory)
{
    const ocloc_program *program = (const ocloc_program *)base;
    const vendor_elf elf = elf_of(program);
    rt_sink *sink = program->device->sink;
    uint32_t index;
    uint64_t size;
    if (!vendor_elf_find(&elf, VENDOR_SYMBOL_VARIABLE, false, name, &index, &size) || size == 0)
        return rt_fail_naming(sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "the machine code has no variable '%.*s'", RT_TEXT_ARG(name));
    RT_TRY(vendor_variable_validate(sink, name, size));
    *out_memory = vendor_memory_make(program->address + index, size);
    return RT_STATUS_OK;
}

/* ---- Program objects ---------------------------------------------------------------------- */

static void program_destroy(dev_program *base)
{
    ocloc_program *program = (ocloc_program *)base;
    rt_buffer_free(&program->spirv);
    rt_buffer_free(&program->options);
    rt_buffer_free(&program->machine_code);
    rt_free(program);
}

static rt_status program_binary(dev_program *base, rt_buffer *out_binary)
{
    const ocloc_program *program = (const ocloc_program *)base;
    rt_buffer_append_text(out_binary, rt_buffer_text(&program->machine_code));
    return RT_STATUS_OK;
}

static const dev_program_ops program_ops = {
    .destroy = program_destroy,
    .kernel_create = program_kernel,
    .global_find = program_global,
    .binary = program_binary,
};

static ocloc_program *program_create(ocloc_device *device)
{
    ocloc_program *program = rt_alloc(sizeof *program);
    program->base.ops = &program_ops;
    program->device = device;
    return program;
}

/* Returns `status`: if that is a success, *out_program is the program; otherwise it is destroyed.
 */
static rt_status program_finish(ocloc_program *program, rt_status status, dev_program **out_program)
{
    if (rt_ok(status))
        *out_program = &program->base;
    else
        program_destroy(&program->base);
    return status;
}

/* ---- Operations of the device ------------------------------------------------------------- */

static rt_status code_take(ocloc_program *program, const dev_code *code)
{
    const ocloc_device *device = program->device;
    RT_TRY(vendor_format_validate(device->sink, rt_buffer_text(&device->product), RT_FORMAT_SPIRV64,
                                  code->format));
    RT_TRY(vendor_spirv_validate(device->sink, code->bytes));
    rt_buffer_append(&program->spirv, code->bytes.data, code->bytes.size);
    rt_buffer_append_text(&program->options, code->options);
    return RT_STATUS_OK;
}

/* Reads the machine code and reserves addresses for its variables. */
static rt_status code_accept(ocloc_program *program, rt_code code, const char *origin)
{
    vendor_elf elf;
    if (!vendor_elf_read(rt_buffer_bytes(&program->machine_code), OCLOC_MACHINE, &elf))
        return rt_fail(program->device->sink, code, RT_RULE_NONE,
                       "%s: %zu bytes are not machine code of an Intel GPU", origin,
                       program->machine_code.size);
    /* A symbol's index is less than the symbol table's size in bytes, and so than the code's. */
    program->address =
        vendor_address_take(&program->device->unexecuted, program->machine_code.size);
    return RT_STATUS_OK;
}

/* Joins the programs' SPIR-V. */
static rt_status spirv_join(ocloc_device *device, ocloc_program *const *programs, uint32_t count,
                            rt_buffer *out_ir)
{
    enum { FIXED = 4, NAME_SIZE = 24 };
    rt_arena arena = {0};
    rt_bytes *files = rt_arena_alloc_array(&arena, count, sizeof *files);
    const char **names = rt_arena_alloc_array(&arena, count, sizeof *names);
    const char **words = rt_arena_alloc_array(&arena, FIXED + 2 * (size_t)count + 1, sizeof *words);
    size_t at = 0;
    words[at++] = "ocloc";
    words[at++] = "link";
    for (uint32_t i = 0; i < count; i++) {
        names[i] = rt_arena_printf(&arena, "image%u.spv", i).data;
        files[i] = rt_buffer_bytes(&programs[i]->spirv);
        words[at++] = "-file";
        words[at++] = names[i];
    }
    words[at++] = "-out";
    words[at++] = "linked.bc";
    const ocloc_command command = {words, names, files, count};
    rt_status status = ocloc_run(device, &command, RT_LINK_ERROR, out_ir);
    rt_arena_reset(&arena);
    return status;
}

static rt_status machine_code_make(ocloc_program *linked, ocloc_program *const *programs,
                                   uint32_t count, rt_text options)
{
    static const char *const name = "linked.bc";
    ocloc_device *device = linked->device;
    rt_buffer ir = {0}, joined = {0};
    rt_status status = spirv_join(device, programs, count, &ir);
    rt_buffer_append_text(&joined, options);
    for (uint32_t i = 0; i < count; i++)
        if (programs[i]->options.size > 0)
            rt_buffer_printf(&joined, "%s%s", joined.size > 0 ? " " : "",
                             rt_buffer_string(&programs[i]->options));
    const char *const words[] = {"ocloc",
                                 "compile",
                                 "-llvm_input",
                                 "-file",
                                 name,
                                 "-device",
                                 rt_buffer_string(&device->product),
                                 "-output",
                                 "linked",
                                 "-output_no_suffix",
                                 "--format",
                                 "zebin", /* not the default of release 22.43 */
                                 joined.size > 0 ? "-options" : NULL, /* ends the list */
                                 rt_buffer_string(&joined),
                                 NULL};
    const rt_bytes file = rt_buffer_bytes(&ir);
    const ocloc_command command = {words, &name, &file, 1};
    if (rt_ok(status)) status = ocloc_run(device, &command, RT_ERRC_BUILD, &linked->machine_code);
    rt_buffer_free(&ir);
    rt_buffer_free(&joined);
    return status;
}

static rt_status programs_link(ocloc_program *linked, ocloc_program *const *programs,
                               uint32_t count, rt_text options)
{
    RT_TRY(machine_code_make(linked, programs, count, options));
    return code_accept(linked, RT_DRIVER_ERROR, "ocloc compile");
}

rt_status ocloc_program_compile(dev_device *base, const dev_code *code, dev_program **out_program)
{
    ocloc_program *program = program_create((ocloc_device *)base);
    return program_finish(program, code_take(program, code), out_program);
}

rt_status ocloc_program_link(dev_device *base, dev_program *const *programs, uint32_t count,
                             rt_text options, dev_program **out_program)
{
    ocloc_program *linked = program_create((ocloc_device *)base);
    ocloc_program **inputs = rt_alloc_array(count, sizeof *inputs);
    for (uint32_t i = 0; i < count; i++)
        inputs[i] = (ocloc_program *)programs[i];
    rt_status status = programs_link(linked, inputs, count, options);
    rt_free(inputs);
    return program_finish(linked, status, out_program);
}

rt_status ocloc_program_build(dev_device *base, const dev_code *code, dev_program **out_program)
{
    if (OCLOC_NATIVE_FORMATS >> code->format & 1)
        return ocloc_program_load(base, code->bytes, out_program);
    ocloc_program *read = program_create((ocloc_device *)base);
    ocloc_program *linked = program_create((ocloc_device *)base);
    rt_status status = code_take(read, code);
    if (rt_ok(status)) status = programs_link(linked, &read, 1, (rt_text){0});
    program_destroy(&read->base);
    return program_finish(linked, status, out_program);
}

rt_status ocloc_program_load(dev_device *base, rt_bytes binary, dev_program **out_program)
{
    ocloc_program *program = program_create((ocloc_device *)base);
    rt_buffer_append(&program->machine_code, binary.data, binary.size);
    return program_finish(program, code_accept(program, RT_MALFORMED, "a program's binary"),
                          out_program);
}

rt_status ocloc_product_try(ocloc_device *device)
{
    /* A header; the capabilities Addresses, Linkage, Kernel; the memory model Physical64 OpenCL. */
    static const uint32_t empty[] = {
        0x07230203, 0x00010000,   0, 1, 0, 2 << 16 | 17, 4, 2 << 16 | 17, 5, 2 << 16 | 17,
        6,          3 << 16 | 14, 2, 2};
    ocloc_program *read = program_create(device), *linked = program_create(device);
    rt_buffer_append(&read->spirv, empty, sizeof empty);
    rt_status status = machine_code_make(linked, &read, 1, (rt_text){0}); /* without symbols */
    program_destroy(&read->base);
    program_destroy(&linked->base);
    if (rt_ok(status)) return status;
    rt_text message = rt_sink_diagnostic(device->sink, status)->message;
    return rt_fail(device->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                   "the installed ocloc does not compile for product '%s': %.*s",
                   rt_buffer_string(&device->product), RT_TEXT_ARG(message));
}
