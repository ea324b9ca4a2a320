/* Programs and kernels, by the two routes of opencl.h.
 *
 * On the bitcode route compiling only keeps the image: such a driver links nothing itself, so the
 * tools join all images when the link is asked for, and the driver sees the result alone.  What a
 * symbol means to a linker is therefore judged by the tools there, by the driver on the other
 * route; the capabilities say which.
 * Source: OpenCL 3.0 API specification, 5.8 and 5.9; cl_khr_spir (OpenCL 2.0 extensions, 9.18). */
#include "backends/opencl/ocl_internal.h"
#include "reference/base/alloc.h"

#include <string.h>

typedef struct ocl_program {
    dev_program base;
    ocl_device *device;
    cl_program program; /* NULL: compiled on the bitcode route */
    rt_buffer spirv;    /* compiled on the bitcode route: the image, else empty */
} ocl_program;

/* What a driver that takes SPIR must be told about a binary (cl_khr_spir). */
static const char bitcode_options[] = "-x spir -spir-std=1.2";

/* ---- Kernels ------------------------------------------------------------------------------ */

/* Enqueued launches keep the driver's kernel (clReleaseKernel), and it keeps its program. */
static void ocl_kernel_destroy(dev_kernel *base)
{
    ocl_kernel *kernel = (ocl_kernel *)base;
    kernel->device->library.clReleaseKernel(kernel->kernel);
    pthread_mutex_destroy(&kernel->lock);
    rt_free(kernel);
}

static uint32_t ocl_kernel_argument_count(dev_kernel *kernel)
{
    return ((const ocl_kernel *)kernel)->argument_count;
}

static const dev_kernel_ops ocl_kernel_ops = {
    .destroy = ocl_kernel_destroy,
    .argument_count = ocl_kernel_argument_count,
};

/* Takes the driver's kernel of that name. */
static rt_status kernel_take(const ocl_program *program, rt_text name, cl_kernel *out_kernel)
{
    *out_kernel = NULL;
    rt_sink *sink = program->device->sink;
    if (memchr(name.length > 0 ? name.data : "", '\0', name.length) != NULL)
        return rt_fail(sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "a kernel's name holds a NUL byte, which no OpenCL name can");
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, name);
    cl_int result = CL_SUCCESS;
    *out_kernel = program->device->library.clCreateKernel(program->program,
                                                          rt_buffer_string(&terminated), &result);
    rt_buffer_free(&terminated);
    if (*out_kernel && result == CL_SUCCESS) return RT_STATUS_OK;
    if (result == CL_INVALID_KERNEL_NAME)
        return rt_fail_naming(sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "clCreateKernel: the program has no kernel '%.*s' (%s)",
                              RT_TEXT_ARG(name), ocl_result_name(result));
    return ocl_fail(sink, OCL_STAGE_KERNEL, "clCreateKernel", result, (rt_text){0});
}

/* Asks the driver what the kernel takes and what it requires. */
static rt_status kernel_ask(const ocl_device *device, cl_kernel taken, ocl_kernel *out_kernel)
{
    const ocl_library *cl = &device->library;
    cl_int result = cl->clGetKernelInfo(taken, CL_KERNEL_NUM_ARGS, sizeof(cl_uint),
                                        &out_kernel->argument_count, NULL);
    if (result != CL_SUCCESS) {
        return ocl_fail(device->sink, OCL_STAGE_KERNEL, "clGetKernelInfo(CL_KERNEL_NUM_ARGS)",
                        result, (rt_text){0});
    }
    result = cl->clGetKernelWorkGroupInfo(taken, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                          sizeof out_kernel->required_local,
                                          out_kernel->required_local, NULL);
    if (result == CL_SUCCESS) return RT_STATUS_OK;
    return ocl_fail(device->sink, OCL_STAGE_KERNEL,
                    "clGetKernelWorkGroupInfo(CL_KERNEL_COMPILE_WORK_GROUP_SIZE)", result,
                    (rt_text){0});
}

static rt_status ocl_kernel_create(dev_program *base, rt_text name, dev_kernel **out_kernel)
{
    const ocl_program *program = (const ocl_program *)base;
    ocl_device *device = program->device;
    CHECK(program->program != NULL);
    cl_kernel taken;
    RT_TRY(kernel_take(program, name, &taken));
    ocl_kernel *kernel = rt_alloc(sizeof *kernel);
    rt_status status = kernel_ask(device, taken, kernel);
    if (!rt_ok(status)) {
        device->library.clReleaseKernel(taken);
        rt_free(kernel);
        return status;
    }
    kernel->base.ops = &ocl_kernel_ops;
    kernel->device = device;
    kernel->kernel = taken;
    pthread_mutex_init(&kernel->lock, NULL);
    *out_kernel = &kernel->base;
    return RT_STATUS_OK;
}

/* ---- Program objects ---------------------------------------------------------------------- */

static void ocl_program_destroy(dev_program *base)
{
    ocl_program *program = (ocl_program *)base;
    if (program->program) program->device->library.clReleaseProgram(program->program);
    rt_buffer_free(&program->spirv);
    rt_free(program);
}

static const dev_program_ops ocl_program_ops = {
    .destroy = ocl_program_destroy,
    .kernel_create = ocl_kernel_create,
};

/* Takes the driver's program (or NULL) over. */
static ocl_program *program_wrap(ocl_device *device, cl_program taken)
{
    ocl_program *program = rt_alloc(sizeof *program);
    program->base.ops = &ocl_program_ops;
    program->device = device;
    program->program = taken;
    return program;
}

/* A status of a failed compile, link or build, with the driver's log; `program` may be NULL. */
static rt_status program_fail(const ocl_device *device, ocl_stage stage, const char *call,
                              cl_int result, cl_program program)
{
    rt_buffer log = {0};
    size_t size = 0;
    const ocl_library *cl = &device->library;
    if (program &&
        cl->clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) ==
            CL_SUCCESS &&
        size > 0) {
        char *text = rt_alloc(size);
        if (cl->clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, size, text,
                                      NULL) == CL_SUCCESS)
            rt_buffer_append(&log, text, strnlen(text, size));
        rt_free(text);
    }
    while (log.size > 0 && log.data[log.size - 1] == '\n')
        log.size--;
    rt_status status = ocl_fail(device->sink, stage, call, result, rt_buffer_text(&log));
    rt_buffer_free(&log);
    return status;
}

/* ---- Steps towards an executable ---------------------------------------------------------- */

/* Hands SPIR-V over to a driver that takes it. */
static rt_status spirv_read(ocl_device *device, rt_bytes code, cl_program *out_program)
{
    cl_int result = CL_SUCCESS;
    *out_program =
        device->library.clCreateProgramWithIL(device->context, code.data, code.size, &result);
    if (*out_program && result == CL_SUCCESS) return RT_STATUS_OK;
    return ocl_fail(device->sink, OCL_STAGE_READ, "clCreateProgramWithIL", result, (rt_text){0});
}

/* Hands a whole bitcode module over to a driver that takes SPIR. */
static rt_status bitcode_read(ocl_device *device, rt_bytes code, cl_program *out_program)
{
    cl_int result = CL_SUCCESS, binary_result = CL_SUCCESS;
    *out_program = device->library.clCreateProgramWithBinary(
        device->context, 1, &device->id, &code.size, &code.data, &binary_result, &result);
    if (*out_program && result == CL_SUCCESS && binary_result == CL_SUCCESS) return RT_STATUS_OK;
    if (*out_program) device->library.clReleaseProgram(*out_program);
    *out_program = NULL;
    return ocl_fail(device->sink, OCL_STAGE_READ, "clCreateProgramWithBinary",
                    result != CL_SUCCESS ? result : binary_result, (rt_text){0});
}

/* Makes the program executable, or releases it. */
static rt_status program_build(ocl_device *device, const char *first_options, rt_text options,
                               cl_program taken, dev_program **out_program)
{
    rt_buffer all = {0};
    rt_buffer_printf(&all, "%s%s%.*s", first_options,
                     *first_options != '\0' && options.length > 0 ? " " : "", RT_TEXT_ARG(options));
    cl_int result =
        device->library.clBuildProgram(taken, 1, &device->id, rt_buffer_string(&all), NULL, NULL);
    rt_buffer_free(&all);
    if (result != CL_SUCCESS) {
        rt_status status = program_fail(device, OCL_STAGE_LINK, "clBuildProgram", result, taken);
        device->library.clReleaseProgram(taken);
        return status;
    }
    *out_program = &program_wrap(device, taken)->base;
    return RT_STATUS_OK;
}

/* Lets the tools link the images, then the driver build what comes out. */
static rt_status bitcode_link(ocl_device *device, const rt_bytes *images, uint32_t count,
                              rt_text options, dev_program **out_program)
{
    CHECK(device->route == OCL_ROUTE_BITCODE && device->tools != NULL);
    rt_buffer bitcode = {0};
    cl_program taken = NULL;
    rt_status status =
        device->tools->link_to_bitcode(device->tools->user, device->sink, images, count, &bitcode);
    CHECK_IMPLIES(rt_ok(status), bitcode.size > 0);
    if (rt_ok(status)) status = bitcode_read(device, rt_buffer_bytes(&bitcode), &taken);
    rt_buffer_free(&bitcode);
    if (!rt_ok(status)) return status;
    return program_build(device, bitcode_options, options, taken, out_program);
}

/* ---- Operations of the device ------------------------------------------------------------- */

/* Refuses what no route takes. */
static rt_status image_validate(const ocl_device *device, rt_format format, rt_bytes code)
{
    if (format != RT_FORMAT_SPIRV64)
        return rt_fail(device->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "'%s' takes images of format %s, not %s", rt_buffer_string(&device->name),
                       rt_format_name(RT_FORMAT_SPIRV64), rt_format_name(format));
    uint32_t word = 0;
    if (code.size >= sizeof word) memcpy(&word, code.data, sizeof word);
    if (word != 0x07230203 && word != 0x03022307) /* SPIR-V 1.6, 3.1 "Magic Number", both orders */
        return rt_fail(device->sink, RT_MALFORMED, RT_RULE_NONE,
                       "an image of %zu bytes does not begin with SPIR-V's magic number",
                       code.size);
    return RT_STATUS_OK;
}

rt_status ocl_program_compile(dev_device *base, rt_format format, rt_bytes code, rt_text options,
                              dev_program **out_program)
{
    ocl_device *device = (ocl_device *)base;
    RT_TRY(image_validate(device, format, code));
    if (device->route == OCL_ROUTE_BITCODE) {
        ocl_program *kept = program_wrap(device, NULL);
        rt_buffer_append(&kept->spirv, code.data, code.size);
        *out_program = &kept->base;
        return RT_STATUS_OK;
    }
    cl_program taken;
    RT_TRY(spirv_read(device, code, &taken));
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, options);
    cl_int result = device->library.clCompileProgram(
        taken, 1, &device->id, rt_buffer_string(&terminated), 0, NULL, NULL, NULL, NULL);
    rt_buffer_free(&terminated);
    if (result != CL_SUCCESS) {
        rt_status status =
            program_fail(device, OCL_STAGE_COMPILE, "clCompileProgram", result, taken);
        device->library.clReleaseProgram(taken);
        return status;
    }
    *out_program = &program_wrap(device, taken)->base;
    return RT_STATUS_OK;
}

/* Lets the driver link compiled programs. */
static rt_status spirv_link(ocl_device *device, dev_program *const *programs, uint32_t count,
                            rt_text options, dev_program **out_program)
{
    cl_program *inputs = rt_alloc_array(count, sizeof *inputs);
    for (uint32_t i = 0; i < count; i++) {
        inputs[i] = ((const ocl_program *)programs[i])->program;
        CHECK(inputs[i] != NULL);
    }
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, options);
    cl_int result = CL_SUCCESS;
    cl_program linked = device->library.clLinkProgram(device->context, 1, &device->id,
                                                      rt_buffer_string(&terminated), count, inputs,
                                                      NULL, NULL, &result);
    rt_buffer_free(&terminated);
    rt_free(inputs);
    if (linked && result == CL_SUCCESS) {
        *out_program = &program_wrap(device, linked)->base;
        return RT_STATUS_OK;
    }
    /* A failed link may give a program all the same: it carries the log. */
    rt_status status = program_fail(device, OCL_STAGE_LINK, "clLinkProgram", result, linked);
    if (linked) device->library.clReleaseProgram(linked);
    return status;
}

rt_status ocl_program_link(dev_device *base, dev_program *const *programs, uint32_t count,
                           rt_text options, dev_program **out_program)
{
    ocl_device *device = (ocl_device *)base;
    if (device->route == OCL_ROUTE_SPIRV)
        return spirv_link(device, programs, count, options, out_program);
    rt_bytes *images = rt_alloc_array(count, sizeof *images);
    for (uint32_t i = 0; i < count; i++) {
        images[i] = rt_buffer_bytes(&((const ocl_program *)programs[i])->spirv);
        CHECK(images[i].size > 0);
    }
    rt_status status = bitcode_link(device, images, count, options, out_program);
    rt_free(images);
    return status;
}

rt_status ocl_program_build(dev_device *base, rt_format format, rt_bytes code, rt_text options,
                            dev_program **out_program)
{
    ocl_device *device = (ocl_device *)base;
    RT_TRY(image_validate(device, format, code));
    if (device->route == OCL_ROUTE_BITCODE)
        return bitcode_link(device, &code, 1, options, out_program);
    cl_program taken;
    RT_TRY(spirv_read(device, code, &taken));
    return program_build(device, "", options, taken, out_program);
}
