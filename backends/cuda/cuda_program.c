/* Programs: PTX compiled and linked by the driver's linker, and linked programs as bytes.
 *
 * The driver has no object for code that is compiled but not linked.  Each image is therefore
 * compiled by a separate link when it is passed in, so that its errors are reported then; the final
 * link is given the texts again.
 *
 * Source: CUDA Driver API reference manual, "Module Management" (cuLink…, CUjit_option). */
#include "backends/cuda/cuda_jit.h"
#include "backends/ptx/binary.h"
#include "reference/base/alloc.h"

#include <stdio.h>

/* ---- Program objects ---------------------------------------------------------------------- */

/* A running kernel needs its module, so wait before unloading it. */
void cuda_program_release(cuda_program *program)
{
    unsigned before = atomic_fetch_sub(&program->references, 1);
    CHECK(before >= 1);
    if (before > 1) return;
    const cuda_device *device = program->device;
    if (program->module) {
        cuda_enter_to_free(device);
        device->library.cuCtxSynchronize();
        device->library.cuModuleUnload(program->module);
    }
    ptx_program_free(&program->ptx);
    rt_free(program);
}

static void cuda_program_destroy(dev_program *base)
{
    cuda_program_release((cuda_program *)base);
}

static rt_status cuda_program_kernel(dev_program *base, rt_text name, dev_kernel **out_kernel)
{
    return cuda_kernel_take((cuda_program *)base, name, out_kernel);
}

static rt_status cuda_program_global(dev_program *base, rt_text name, dev_memory **out_memory)
{
    return cuda_global_take((const cuda_program *)base, name, out_memory);
}

static rt_status cuda_program_binary(dev_program *base, rt_buffer *out_binary)
{
    const cuda_program *program = (const cuda_program *)base;
    ptx_binary_write(out_binary, &program->ptx.kernels, rt_buffer_bytes(&program->ptx.cubin));
    return RT_STATUS_OK;
}

static const dev_program_ops cuda_program_ops = {
    .destroy = cuda_program_destroy,
    .kernel_create = cuda_program_kernel,
    .global_find = cuda_program_global,
    .binary = cuda_program_binary,
};

static cuda_program *program_create(cuda_device *device)
{
    cuda_program *program = rt_alloc(sizeof *program);
    program->base.ops = &cuda_program_ops;
    program->device = device;
    atomic_init(&program->references, 1);
    return program;
}

/* ---- Steps towards an executable ---------------------------------------------------------- */

/* The driver's linker has no distinct result for symbols that are missing, defined twice or of a
 * different type: only the log says so, and the result varies between versions (580.159.04 returns
 * CUDA_ERROR_INVALID_SOURCE).  If the linker has written to its log, a refusal that no row of
 * cuda_error.c explains therefore counts as a link error. */
static rt_status link_fail(const cuda_device *device, const char *call, cuda_result result,
                           const cuda_jit *j)
{
    rt_status status = cuda_jit_fail(device, CUDA_STAGE_LINK, call, result, j);
    static const rt_code others[] = {RT_DEVICE_LOST, RT_ERRC_MEMORY_ALLOCATION};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (status.code == others[i]) return status;
    if (j->logs[0][0] == '\0') return status;
    rt_text said = rt_sink_diagnostic(device->sink, status)->message;
    return rt_fail(device->sink, RT_LINK_ERROR, RT_RULE_NONE, "%.*s", RT_TEXT_ARG(said));
}

/* Adds a text to a link, which compiles it; `name` identifies it in the logs. */
static cuda_result text_add(const cuda_device *device, cuda_link *link, const rt_buffer *text,
                            uint32_t index)
{
    char name[32];
    snprintf(name, sizeof name, "image %u", index);
    /* The driver requires the terminating NUL to be counted. */
    return device->library.cuLinkAddData_v2(link, CUDA_INPUT_PTX, text->data, text->size + 1, name,
                                            0, NULL, NULL);
}

/* Adds a text that has already compiled on its own: an error now is a conflict with the other
 * texts, since the driver resolves symbols as texts are added. */
static rt_status text_join(const cuda_device *device, const cuda_jit *j, cuda_link *link,
                           const rt_buffer *text, uint32_t index)
{
    cuda_result result = text_add(device, link, text, index);
    if (result == CUDA_SUCCESS) return RT_STATUS_OK;
    return link_fail(device, "cuLinkAddData_v2", result, j);
}

static rt_status link_create(const cuda_device *device, cuda_jit *j, cuda_link **out_link)
{
    *out_link = NULL;
    cuda_result result = device->library.cuLinkCreate_v2(j->count, j->options, j->values, out_link);
    if (result == CUDA_SUCCESS && *out_link) return RT_STATUS_OK;
    return cuda_jit_fail(device, CUDA_STAGE_COMPILE, "cuLinkCreate_v2", result, j);
}

/* Loads the linked code. */
static rt_status module_load(const cuda_device *device, cuda_jit *j, const void *cubin,
                             cuda_module **out_module)
{
    *out_module = NULL;
    cuda_result result = device->library.cuModuleLoadDataEx(out_module, cubin, CUDA_JIT_LOG_OPTIONS,
                                                            j->options, j->values);
    if (result == CUDA_SUCCESS && *out_module) return RT_STATUS_OK;
    return cuda_jit_fail(device, CUDA_STAGE_LOAD, "cuModuleLoadDataEx", result, j);
}

static rt_status link_complete(cuda_program *program, cuda_jit *j, cuda_link *link)
{
    const cuda_device *device = program->device;
    void *cubin = NULL;
    size_t size = 0;
    cuda_result result = device->library.cuLinkComplete(link, &cubin, &size);
    if (result != CUDA_SUCCESS) return link_fail(device, "cuLinkComplete", result, j);
    if (!cubin || size == 0)
        return cuda_jit_fail(device, CUDA_STAGE_LINK, "cuLinkComplete", CUDA_SUCCESS, j);
    rt_buffer_append(&program->ptx.cubin, cubin, size); /* which is freed with the link */
    return module_load(device, j, program->ptx.cubin.data, &program->module);
}

/* Links compiled programs into `linked`. */
static rt_status programs_link(cuda_program *linked, cuda_program *const *programs, uint32_t count,
                               rt_text options)
{
    const cuda_device *device = linked->device;
    cuda_jit j;
    cuda_jit_begin(&j);
    rt_status status = cuda_jit_options(device, &j, options);
    for (uint32_t i = 0; i < count && rt_ok(status); i++)
        status = cuda_jit_options(device, &j, rt_buffer_text(&programs[i]->ptx.options));
    cuda_link *link = NULL;
    if (rt_ok(status)) status = link_create(device, &j, &link);
    for (uint32_t i = 0; i < count && rt_ok(status); i++) {
        status = text_join(device, &j, link, &programs[i]->ptx.text, i);
        ptx_kernels_join(&linked->ptx.kernels, &programs[i]->ptx.kernels);
    }
    if (rt_ok(status)) status = link_complete(linked, &j, link);
    if (link) device->library.cuLinkDestroy(link);
    cuda_jit_end(&j);
    return status;
}

/* ---- Operations of the device ------------------------------------------------------------- */

static rt_status text_take(cuda_program *program, const dev_code *code)
{
    const cuda_device *device = program->device;
    return ptx_program_take(device->sink, rt_buffer_text(&device->name), code, &program->ptx);
}

/* Has the driver compile the program to report its errors. */
static rt_status text_compile(const cuda_program *program)
{
    const cuda_device *device = program->device;
    cuda_jit j;
    cuda_jit_begin(&j);
    cuda_link *link = NULL;
    rt_status status = cuda_jit_options(device, &j, rt_buffer_text(&program->ptx.options));
    if (rt_ok(status)) status = cuda_enter(device, CUDA_STAGE_COMPILE);
    if (rt_ok(status)) status = link_create(device, &j, &link);
    if (rt_ok(status)) {
        cuda_result result = text_add(device, link, &program->ptx.text, 0);
        if (result != CUDA_SUCCESS)
            status = cuda_jit_fail(device, CUDA_STAGE_COMPILE, "cuLinkAddData_v2", result, &j);
    }
    if (link) device->library.cuLinkDestroy(link);
    cuda_jit_end(&j);
    return status;
}

/* Returns a program that was made successfully, and frees it otherwise. */
static rt_status program_finish(cuda_program *program, rt_status status, dev_program **out_program)
{
    if (rt_ok(status))
        *out_program = &program->base;
    else
        cuda_program_release(program);
    return status;
}

rt_status cuda_program_compile(dev_device *base, const dev_code *code, dev_program **out_program)
{
    cuda_program *program = program_create((cuda_device *)base);
    rt_status status = text_take(program, code);
    if (rt_ok(status)) status = text_compile(program);
    return program_finish(program, status, out_program);
}

rt_status cuda_program_link(dev_device *base, dev_program *const *programs, uint32_t count,
                            rt_text options, dev_program **out_program)
{
    cuda_device *device = (cuda_device *)base;
    RT_TRY(cuda_enter(device, CUDA_STAGE_LINK));
    cuda_program **inputs = rt_alloc_array(count, sizeof *inputs);
    for (uint32_t i = 0; i < count; i++) {
        inputs[i] = (cuda_program *)programs[i];
        CHECK(inputs[i]->ptx.text.size > 0);
    }
    cuda_program *linked = program_create(device);
    rt_status status = programs_link(linked, inputs, count, options);
    rt_free(inputs);
    return program_finish(linked, status, out_program);
}

rt_status cuda_program_build(dev_device *base, const dev_code *code, dev_program **out_program)
{
    cuda_device *device = (cuda_device *)base;
    cuda_program *read = program_create(device), *linked = program_create(device);
    rt_status status = text_take(read, code);
    if (rt_ok(status)) status = cuda_enter(device, CUDA_STAGE_LINK);
    if (rt_ok(status)) status = programs_link(linked, &read, 1, (rt_text){0});
    cuda_program_release(read);
    return program_finish(linked, status, out_program);
}

rt_status cuda_program_load(dev_device *base, rt_bytes binary, dev_program **out_program)
{
    cuda_device *device = (cuda_device *)base;
    cuda_program *program = program_create(device);
    rt_bytes cubin = {0};
    cuda_jit j;
    cuda_jit_begin(&j);
    rt_status status = ptx_binary_read(device->sink, binary, &program->ptx.kernels, &cubin);
    if (rt_ok(status)) status = cuda_enter(device, CUDA_STAGE_LOAD);
    if (rt_ok(status)) {
        rt_buffer_append(&program->ptx.cubin, cubin.data, cubin.size);
        status = module_load(device, &j, program->ptx.cubin.data, &program->module);
    }
    cuda_jit_end(&j);
    return program_finish(program, status, out_program);
}
