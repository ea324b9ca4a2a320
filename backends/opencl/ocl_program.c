/* Programs, built by the routes described in opencl.h.
 *
 * On the bitcode route, compiling only stores the image: such a driver cannot link, so the tools
 * link all images at the link step, and the driver receives only the result.  On this route the
 * tools resolve symbols, on the others the driver does; capabilities.links_with_tool says which.
 *
 * Code in a native format is a binary of the driver, and is only loaded: an executable one is a
 * whole program, a compiled one is input of the driver's linker.
 *
 * Source: OpenCL 3.0 API specification, 5.8; cl_khr_spir (OpenCL 2.0 extensions, 9.18). */
#include "backends/opencl/ocl_internal.h"
#include "backends/vendor/validate.h"
#include "reference/base/alloc.h"
#include "reference/base/rule.h"

#include <string.h>

/* The options that mark a binary as SPIR for a driver that takes it (cl_khr_spir). */
static const char bitcode_options[] = "-x spir -spir-std=1.2";

/* ---- Program objects ---------------------------------------------------------------------- */

static void ocl_program_destroy(dev_program *base)
{
    ocl_program *program = (ocl_program *)base;
    CHECK_IMPLIES(program->program != NULL, program->code.bytes.size == 0);
    if (program->program) program->device->library.clReleaseProgram(program->program);
    rt_arena_reset(&program->arena);
    rt_free(program);
}

/* The context has one device, so there is one binary. */
static rt_status ocl_program_binary(dev_program *base, rt_buffer *out_binary)
{
    const ocl_program *program = (const ocl_program *)base;
    const ocl_device *device = program->device;
    size_t size = 0;
    OCL_TRY(device->sink, OCL_STAGE_BINARY, "clGetProgramInfo",
            device->library.clGetProgramInfo(program->program, CL_PROGRAM_BINARY_SIZES, sizeof size,
                                             &size, NULL));
    if (size == 0)
        return rt_fail(device->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "clGetProgramInfo: '%s' returns no binary of a program that it has built; "
                       "the program cannot be stored for another process",
                       rt_buffer_string(&device->name));
    unsigned char *bytes = rt_try_alloc(size);
    if (!bytes)
        return rt_fail(device->sink, RT_ERRC_MEMORY_ALLOCATION, RT_RULE_NONE,
                       "out of memory: a program's binary needs %zu bytes", size);
    cl_int result = device->library.clGetProgramInfo(program->program, CL_PROGRAM_BINARIES,
                                                     sizeof bytes, &bytes, NULL);
    if (result == CL_SUCCESS) rt_buffer_append(out_binary, bytes, size);
    rt_free(bytes);
    OCL_TRY(device->sink, OCL_STAGE_BINARY, "clGetProgramInfo", result);
    return RT_STATUS_OK;
}

static const dev_program_ops ocl_program_ops = {
    .destroy = ocl_program_destroy,
    .kernel_create = ocl_kernel_create,
    .global_find = ocl_global_find,
    .binary = ocl_program_binary,
};

/* Takes ownership of the driver's program, which may be NULL. */
static ocl_program *program_wrap(ocl_device *device, cl_program handle)
{
    ocl_program *program = rt_alloc(sizeof *program);
    program->base.ops = &ocl_program_ops;
    program->device = device;
    program->program = handle;
    return program;
}

/* Makes a status for a failed compile, link or build, with the driver's log, and releases the
 * program, which may be NULL. */
static rt_status program_fail(const ocl_device *device, ocl_stage stage, const char *call,
                              cl_int result, cl_program program)
{
    rt_buffer log = {0};
    if (program) ocl_log_read(device, program, &log);
    rt_status status = ocl_fail(device->sink, stage, call, result, rt_buffer_text(&log));
    rt_buffer_free(&log);
    if (program) device->library.clReleaseProgram(program);
    return status;
}

/* ---- Building an executable --------------------------------------------------------------- */

/* Sets the specialisation constants.  Values for constants that the code lacks are ignored
 * (device.h). */
static rt_status constants_set(const ocl_device *device, const dev_code *code, cl_program handle)
{
    CHECK_IMPLIES(code->constant_count > 0, device->capabilities.spec_constants);
    for (uint32_t i = 0; i < code->constant_count; i++) {
        const dev_spec_constant *constant = &code->constants[i];
        cl_int result = device->library.clSetProgramSpecializationConstant(
            handle, constant->id, constant->value.size, constant->value.data);
        if (result == CL_SUCCESS || result == CL_INVALID_SPEC_ID) continue;
        if (result == CL_INVALID_VALUE)
            return rt_fail(device->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                           "clSetProgramSpecializationConstant: specialisation constant %u does "
                           "not take a value of %zu bytes (CL_INVALID_VALUE); give it a value of "
                           "the same size as its type",
                           constant->id, constant->value.size);
        return ocl_fail(device->sink, OCL_STAGE_READ, "clSetProgramSpecializationConstant", result,
                        (rt_text){0});
    }
    return RT_STATUS_OK;
}

/* Passes one image's code, which is OpenCL C or SPIR-V, to a driver that compiles and links it
 * itself, and sets its specialisation constants. */
static rt_status code_read(const ocl_device *device, const dev_code *code, cl_program *out_program)
{
    CHECK(device->route != OCL_ROUTE_BITCODE);
    const ocl_library *cl = &device->library;
    const char *call, *text = (const char *)code->bytes.data;
    size_t size = code->bytes.size;
    cl_int result = CL_SUCCESS;
    if (device->route == OCL_ROUTE_SOURCE) {
        call = "clCreateProgramWithSource";
        *out_program = cl->clCreateProgramWithSource(device->context, 1, &text, &size, &result);
    } else {
        call = "clCreateProgramWithIL";
        *out_program = cl->clCreateProgramWithIL(device->context, text, size, &result);
    }
    rt_status status = *out_program && result == CL_SUCCESS
                           ? constants_set(device, code, *out_program)
                           : ocl_fail(device->sink, OCL_STAGE_READ, call, result, (rt_text){0});
    if (rt_ok(status)) return status;
    if (*out_program) cl->clReleaseProgram(*out_program);
    *out_program = NULL;
    return status;
}

/* Passes a binary to the driver: a whole bitcode module for a driver that takes SPIR, or a binary
 * of the driver's own. */
static rt_status binary_read(ocl_device *device, rt_bytes code, cl_program *out_program)
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

/* Builds the program, which becomes executable; releases it on failure. */
static rt_status program_build(ocl_device *device, const char *first_options, rt_text options,
                               cl_program handle, dev_program **out_program)
{
    rt_buffer joined = {0};
    rt_buffer_printf(&joined, "%s%s%.*s", first_options,
                     *first_options != '\0' && options.length > 0 ? " " : "", RT_TEXT_ARG(options));
    cl_int result = device->library.clBuildProgram(handle, 1, &device->id,
                                                   rt_buffer_string(&joined), NULL, NULL);
    rt_buffer_free(&joined);
    if (result != CL_SUCCESS)
        return program_fail(device, OCL_STAGE_LINK, "clBuildProgram", result, handle);
    *out_program = &program_wrap(device, handle)->base;
    return RT_STATUS_OK;
}

/* Collects the options of a link.  The driver compiles only the result of the link, so the options
 * of all images are included, equal strings only once. */
static void options_join(rt_text link_options, const dev_code *codes, uint32_t count,
                         rt_buffer *out_options)
{
    rt_buffer_append_text(out_options, link_options);
    for (uint32_t i = 0; i < count; i++) {
        bool known = codes[i].options.length == 0 || rt_text_equal(codes[i].options, link_options);
        for (uint32_t k = 0; k < i && !known; k++)
            known = rt_text_equal(codes[i].options, codes[k].options);
        if (known) continue;
        if (out_options->size > 0) rt_buffer_append_byte(out_options, ' ');
        rt_buffer_append_text(out_options, codes[i].options);
    }
}

/* Has the tools link the images, then has the driver build the result. */
static rt_status bitcode_link(ocl_device *device, const dev_code *codes, uint32_t count,
                              rt_text link_options, dev_program **out_program)
{
    CHECK(device->tools != NULL);
    rt_buffer bitcode = {0};
    cl_program handle = NULL;
    rt_status status =
        device->tools->link_to_bitcode(device->tools->user, device->sink, codes, count, &bitcode);
    CHECK_IMPLIES(rt_ok(status), bitcode.size > 0);
    if (rt_ok(status)) status = binary_read(device, rt_buffer_bytes(&bitcode), &handle);
    rt_buffer_free(&bitcode);
    if (!rt_ok(status)) return status;
    rt_buffer options = {0};
    options_join(link_options, codes, count, &options);
    status = program_build(device, bitcode_options, rt_buffer_text(&options), handle, out_program);
    rt_buffer_free(&options);
    return status;
}

/* ---- Operations of the device ------------------------------------------------------------- */

/* True if the driver itself compiles and links the device's programs, without the tools linking
 * them first.  The tools could link for any driver, so it is an easy mistake to use them where the
 * driver itself can link. */
static bool driver_links(const ocl_device *device)
{
    if (device->route == OCL_ROUTE_SOURCE) return true; /* our tools do not link sources */
    return RULE(DL_BACKEND_08, device->route == OCL_ROUTE_SPIRV);
}

rt_format ocl_route_format(ocl_route route)
{
    return route == OCL_ROUTE_SOURCE ? RT_FORMAT_OPENCL_C : RT_FORMAT_SPIRV64;
}

static bool is_native(const ocl_device *device, const dev_code *code)
{
    return device->native_formats >> code->format & 1;
}

/* Refuses code in a format that the device's route does not take. */
static rt_status code_validate(const ocl_device *device, const dev_code *code)
{
    rt_format expected = ocl_route_format(device->route);
    RT_TRY(vendor_format_validate(device->sink, rt_buffer_text(&device->name), expected,
                                  code->format));
    return expected == RT_FORMAT_SPIRV64 ? vendor_spirv_validate(device->sink, code->bytes)
                                         : RT_STATUS_OK;
}

/* Loads a binary for a link; the driver's linker checks whether it can be linked. */
static rt_status native_read(ocl_device *device, const dev_code *code, dev_program **out_program)
{
    if (!dev_capabilities_link(&device->capabilities, code->format))
        return rt_fail(device->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "'%s' does not link programs of format %s; link SPIR-V, or compile the "
                       "whole program ahead of time",
                       rt_buffer_string(&device->name), rt_format_name(code->format));
    cl_program handle = NULL;
    RT_TRY(binary_read(device, code->bytes, &handle));
    *out_program = &program_wrap(device, handle)->base;
    return RT_STATUS_OK;
}

rt_status ocl_program_compile(dev_device *base, const dev_code *code, dev_program **out_program)
{
    ocl_device *device = (ocl_device *)base;
    if (is_native(device, code)) return native_read(device, code, out_program);
    RT_TRY(code_validate(device, code));
    if (!driver_links(device)) {
        ocl_program *program = program_wrap(device, NULL);
        rt_arena *arena = &program->arena;
        dev_spec_constant *constants =
            rt_arena_copy(arena, code->constants, code->constant_count, sizeof *constants);
        for (uint32_t i = 0; i < code->constant_count; i++)
            constants[i].value = rt_arena_bytes(arena, constants[i].value);
        program->code = (dev_code){
            .format = RT_FORMAT_SPIRV64,
            .bytes = rt_arena_bytes(arena, code->bytes),
            .options = rt_arena_text(arena, code->options),
            .constants = constants,
            .constant_count = code->constant_count,
        };
        *out_program = &program->base;
        return RT_STATUS_OK;
    }
    cl_program handle = NULL;
    RT_TRY(code_read(device, code, &handle));
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, code->options);
    cl_int result = device->library.clCompileProgram(
        handle, 1, &device->id, rt_buffer_string(&terminated), 0, NULL, NULL, NULL, NULL);
    rt_buffer_free(&terminated);
    if (result != CL_SUCCESS)
        return program_fail(device, OCL_STAGE_COMPILE, "clCompileProgram", result, handle);
    *out_program = &program_wrap(device, handle)->base;
    return RT_STATUS_OK;
}

/* Has the driver link compiled programs. */
static rt_status driver_link(ocl_device *device, dev_program *const *programs, uint32_t count,
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
    /* A failed link may still return a program, from which the log can be read. */
    if (!linked || result != CL_SUCCESS)
        return program_fail(device, OCL_STAGE_LINK, "clLinkProgram", result, linked);
    *out_program = &program_wrap(device, linked)->base;
    return RT_STATUS_OK;
}

rt_status ocl_program_link(dev_device *base, dev_program *const *programs, uint32_t count,
                           rt_text options, dev_program **out_program)
{
    ocl_device *device = (ocl_device *)base;
    CHECK(count >= 1);
    if (driver_links(device)) return driver_link(device, programs, count, options, out_program);
    dev_code *codes = rt_alloc_array(count, sizeof *codes);
    for (uint32_t i = 0; i < count; i++) {
        codes[i] = ((const ocl_program *)programs[i])->code;
        CHECK(codes[i].bytes.size > 0);
    }
    rt_status status = bitcode_link(device, codes, count, options, out_program);
    rt_free(codes);
    return status;
}

/* Makes an executable program of one binary.  Only an executable binary may be built; a compiled
 * one must be linked (OpenCL 3.0 API specification, 5.8.2, 5.8.3). */
static rt_status native_build(ocl_device *device, rt_bytes binary, dev_program **out_program)
{
    if (binary.size == 0)
        return rt_fail(device->sink, RT_MALFORMED, RT_RULE_NONE, "a program's binary is empty");
    cl_program handle = NULL;
    RT_TRY(binary_read(device, binary, &handle));
    cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
    cl_int result = device->library.clGetProgramBuildInfo(
        handle, device->id, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL);
    bool is_compiled = result == CL_SUCCESS && (type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                                                type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    if (!is_compiled) return program_build(device, "", (rt_text){0}, handle, out_program);
    ocl_program *compiled = program_wrap(device, handle);
    dev_program *const inputs[] = {&compiled->base};
    rt_status status = driver_link(device, inputs, 1, (rt_text){0}, out_program);
    ocl_program_destroy(&compiled->base);
    return status;
}

rt_status ocl_program_build(dev_device *base, const dev_code *code, dev_program **out_program)
{
    ocl_device *device = (ocl_device *)base;
    if (is_native(device, code)) return native_build(device, code->bytes, out_program);
    RT_TRY(code_validate(device, code));
    if (device->route == OCL_ROUTE_BITCODE)
        return bitcode_link(device, code, 1, (rt_text){0}, out_program);
    cl_program handle = NULL;
    RT_TRY(code_read(device, code, &handle));
    return program_build(device, "", code->options, handle, out_program);
}

/* A program created from a binary must still be built (OpenCL 3.0 API specification, 5.8.1 and
 * 5.8.2), though for the driver's own binaries that does little. */
rt_status ocl_program_load(dev_device *base, rt_bytes binary, dev_program **out_program)
{
    return native_build((ocl_device *)base, binary, out_program);
}
