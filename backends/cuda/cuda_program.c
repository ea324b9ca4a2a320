/* Programs: compiling and linking PTX with the driver's linker, and saving and loading linked
 * programs.
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
void cuda_program_destroy(dev_program *base)
{
    cuda_program *program = (cuda_program *)base;
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

static const dev_program_ops cuda_program_ops = {
    .destroy = cuda_program_destroy,
    .kernel_create = cuda_kernel_create,
    .global_find = cuda_global_find,
    .binary = ptx_program_binary,
};

static cuda_program *program_create(cuda_device *device)
{
    cuda_program *program = rt_alloc(sizeof *program);
    program->ptx.base.ops = &cuda_program_ops;
    program->device = device;
    atomic_init(&program->references, 1);
    return program;
}

/* ---- Steps towards an executable ---------------------------------------------------------- */

/* The driver's linker has no distinct result for symbols that are missing, defined twice or of a
 * different type: only the log says so, and the result varies between versions (580.159.04 returns
 * CUDA_ERROR_INVALID_SOURCE).  Therefore, if the linker has written to its log, every failure other
 * than a lost device or lack of memory counts as a link error. */
static rt_status link_fail(const cuda_device *device, const char *call, cuda_result result,
                           const cuda_jit *j)
{
    rt_status status = cuda_jit_fail(device, CUDA_STAGE_LINK, call, result, j);
    static const rt_code unchanged[] = {RT_DEVICE_LOST, RT_ERRC_MEMORY_ALLOCATION};
    for (size_t i = 0; i < sizeof unchanged / sizeof *unchanged; i++)
        if (status.code == unchanged[i]) return status;
    if (j->logs[0][0] == '\0') return status;
    rt_text message = rt_sink_diagnostic(device->sink, status)->message;
    return rt_fail(device->sink, RT_LINK_ERROR, RT_RULE_NONE, "%.*s", RT_TEXT_ARG(message));
}

/* Loads the linked code. */
static rt_status module_load(cuda_program *program, cuda_jit *j)
{
    const cuda_device *device = program->device;
    CHECK(!program->module && program->ptx.cubin.size > 0);
    cuda_result result = device->library.cuModuleLoadDataEx(
        &program->module, program->ptx.cubin.data, CUDA_JIT_LOG_OPTIONS, j->options, j->values);
    if (result == CUDA_SUCCESS && program->module) return RT_STATUS_OK;
    return cuda_jit_fail(device, CUDA_STAGE_LOAD, "cuModuleLoadDataEx", result, j);
}

/* Links programs into `linked`; if `linked` is NULL, only has the driver compile them, to report
 * their errors. */
static rt_status programs_link(const cuda_device *device, cuda_program *const *programs,
                               uint32_t count, rt_text options, cuda_program *linked)
{
    static const char adding[] = "cuLinkAddData_v2", completing[] = "cuLinkComplete";
    const cuda_library *driver = &device->library;
    cuda_link *link = NULL;
    cuda_jit j;
    cuda_jit_begin(&j);
    rt_status status = cuda_jit_options(device, &j, rt_text_of(device->options));
    if (rt_ok(status)) status = cuda_jit_options(device, &j, options);
    for (uint32_t i = 0; i < count && rt_ok(status); i++)
        status = cuda_jit_options(device, &j, rt_buffer_text(&programs[i]->ptx.options));
    if (rt_ok(status)) status = cuda_enter(device, linked ? CUDA_STAGE_LINK : CUDA_STAGE_COMPILE);
    if (rt_ok(status)) {
        cuda_result result = driver->cuLinkCreate_v2(j.count, j.options, j.values, &link);
        if (result != CUDA_SUCCESS || !link)
            status = cuda_jit_fail(device, CUDA_STAGE_COMPILE, "cuLinkCreate_v2", result, &j);
    }
    for (uint32_t i = 0; i < count && rt_ok(status); i++) {
        const rt_buffer *text = &programs[i]->ptx.text;
        char name[32]; /* identifies the text in the logs */
        snprintf(name, sizeof name, "image %u", i);
        CHECK(text->size > 0);
        /* The driver requires the size to include the terminating NUL. */
        cuda_result result = driver->cuLinkAddData_v2(link, CUDA_INPUT_PTX, text->data,
                                                      text->size + 1, name, 0, NULL, NULL);
        /* In a link each text has already compiled on its own, so an error now means a conflict
         * with the other texts: the driver resolves symbols as texts are added. */
        if (result != CUDA_SUCCESS)
            status = linked ? link_fail(device, adding, result, &j)
                            : cuda_jit_fail(device, CUDA_STAGE_COMPILE, adding, result, &j);
        if (linked) ptx_kernels_join(&linked->ptx.kernels, &programs[i]->ptx.kernels);
    }
    if (rt_ok(status) && linked) {
        void *cubin = NULL; /* freed with the link */
        size_t size = 0;
        cuda_result result = driver->cuLinkComplete(link, &cubin, &size);
        if (result != CUDA_SUCCESS)
            status = link_fail(device, completing, result, &j);
        else if (!cubin || size == 0)
            status = cuda_jit_fail(device, CUDA_STAGE_LINK, completing, CUDA_SUCCESS, &j);
        if (rt_ok(status)) {
            rt_buffer_append(&linked->ptx.cubin, cubin, size);
            status = module_load(linked, &j);
        }
    }
    if (link) driver->cuLinkDestroy(link);
    cuda_jit_end(&j);
    return status;
}

/* ---- Operations of the device ------------------------------------------------------------- */

static rt_status text_take(cuda_program *program, const dev_code *code)
{
    const cuda_device *device = program->device;
    return ptx_program_take(device->sink, device->tools, rt_buffer_text(&device->name), code,
                            &program->ptx);
}

rt_status cuda_program_compile(dev_device *base, const dev_code *code, dev_program **out_program)
{
    cuda_program *program = program_create((cuda_device *)base);
    rt_status status = text_take(program, code);
    if (rt_ok(status)) status = programs_link(program->device, &program, 1, (rt_text){0}, NULL);
    return ptx_program_finish(&program->ptx, status, out_program);
}

rt_status cuda_program_link(dev_device *base, dev_program *const *programs, uint32_t count,
                            rt_text options, dev_program **out_program)
{
    cuda_device *device = (cuda_device *)base;
    cuda_program *linked = program_create(device);
    cuda_program **inputs = rt_alloc_array(count, sizeof *inputs);
    for (uint32_t i = 0; i < count; i++)
        inputs[i] = (cuda_program *)programs[i];
    rt_status status = programs_link(device, inputs, count, options, linked);
    rt_free(inputs);
    return ptx_program_finish(&linked->ptx, status, out_program);
}

rt_status cuda_program_build(dev_device *base, const dev_code *code, dev_program **out_program)
{
    if (code->format == RT_FORMAT_NATIVE) return cuda_program_load(base, code->bytes, out_program);
    cuda_device *device = (cuda_device *)base;
    cuda_program *read = program_create(device), *linked = program_create(device);
    rt_status status = text_take(read, code);
    if (rt_ok(status)) status = programs_link(device, &read, 1, (rt_text){0}, linked);
    cuda_program_destroy(&read->ptx.base);
    return ptx_program_finish(&linked->ptx, status, out_program);
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
        status = module_load(program, &j);
    }
    cuda_jit_end(&j);
    return ptx_program_finish(&program->ptx, status, out_program);
}
