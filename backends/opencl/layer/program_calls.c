/* Contexts, programs and kernels: creating, compiling, linking, building. */
#include "backends/opencl/layer/layer_internal.h"

#include <string.h>

/* The element type of recorded lists of objects. */
#define OBJECTS(list) ((const void *const *)(list))

static void put_devices(layer_record *record, const cl_device_id *devices, cl_uint count)
{
    layer_put_objects(record, "devices", LAYER_DEVICE, OBJECTS(devices), count);
}

/* ---- Contexts ------------------------------------------------------------------------------- */

static CL_API_ENTRY cl_context CL_API_CALL record_clCreateContext(
    const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
    cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_record_begin("clCreateContext");
    put_devices(&record, devices, count);
    cl_context object =
        layer_next()->clCreateContext(properties, count, devices, notify, user, &result);
    return layer_record_end_create(&record, LAYER_CONTEXT, object, result, out_result);
}

static CL_API_ENTRY cl_context CL_API_CALL record_clCreateContextFromType(
    const cl_context_properties *properties, cl_device_type type,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
    cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_record_begin("clCreateContextFromType");
    layer_put_number(&record, "type", type);
    cl_context object =
        layer_next()->clCreateContextFromType(properties, type, notify, user, &result);
    return layer_record_end_create(&record, LAYER_CONTEXT, object, result, out_result);
}

/* ---- Making programs ------------------------------------------------------------------------ */

/* A source may come in pieces, with or without lengths. */
static void put_source(layer_record *record, cl_uint count, const char **texts,
                       const size_t *lengths)
{
    rt_buffer whole = {0};
    for (cl_uint i = 0; texts && i < count; i++) {
        if (!texts[i]) continue;
        size_t length = lengths && lengths[i] > 0 ? lengths[i] : strlen(texts[i]);
        rt_buffer_append(&whole, texts[i], length);
    }
    layer_put_code(record, "code", rt_buffer_string(&whole), whole.size);
    rt_buffer_free(&whole);
}

static CL_API_ENTRY cl_program CL_API_CALL record_clCreateProgramWithSource(cl_context context,
                                                                            cl_uint count,
                                                                            const char **texts,
                                                                            const size_t *lengths,
                                                                            cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on("clCreateProgramWithSource", LAYER_CONTEXT, context);
    put_source(&record, count, texts, lengths);
    cl_program object =
        layer_next()->clCreateProgramWithSource(context, count, texts, lengths, &result);
    return layer_record_end_create(&record, LAYER_PROGRAM, object, result, out_result);
}

cl_program layer_create_program_with_il(const char *name, layer_create_with_il *create,
                                        cl_context context, const void *il, size_t size,
                                        cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on(name, LAYER_CONTEXT, context);
    layer_put_code(&record, "code", il, size);
    layer_record_announce(&record);
    cl_program object = create(context, il, size, &result);
    return layer_record_end_create(&record, LAYER_PROGRAM, object, result, out_result);
}

static CL_API_ENTRY cl_program CL_API_CALL record_clCreateProgramWithIL(cl_context context,
                                                                        const void *il, size_t size,
                                                                        cl_int *out_result)
{
    return layer_create_program_with_il("clCreateProgramWithIL",
                                        layer_next()->clCreateProgramWithIL, context, il, size,
                                        out_result);
}

/* There is one binary per device.  The first is recorded as the program's code, since all
 * applications that we know of pass a single binary; any others are recorded after it. */
static CL_API_ENTRY cl_program CL_API_CALL record_clCreateProgramWithBinary(
    cl_context context, cl_uint count, const cl_device_id *devices, const size_t *sizes,
    const unsigned char **binaries, cl_int *out_statuses, cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on("clCreateProgramWithBinary", LAYER_CONTEXT, context);
    put_devices(&record, devices, count);
    for (cl_uint i = 0; sizes && binaries && i < count; i++)
        layer_put_code(&record, i == 0 ? "code" : "further_code", binaries[i], sizes[i]);
    layer_record_announce(&record);
    cl_program object = layer_next()->clCreateProgramWithBinary(context, count, devices, sizes,
                                                                binaries, out_statuses, &result);
    return layer_record_end_create(&record, LAYER_PROGRAM, object, result, out_result);
}

cl_int layer_set_constant(__typeof__(clSetProgramSpecializationConstant) *set, cl_program program,
                          cl_uint id, size_t size, const void *value)
{
    layer_record record =
        layer_begin_on("clSetProgramSpecializationConstant", LAYER_PROGRAM, program);
    layer_put_number(&record, "id", id);
    layer_put_hexadecimal(&record, "value", value, size);
    return layer_record_end(&record, set(program, id, size, value));
}

static CL_API_ENTRY cl_int CL_API_CALL record_clSetProgramSpecializationConstant(cl_program program,
                                                                                 cl_uint id,
                                                                                 size_t size,
                                                                                 const void *value)
{
    return layer_set_constant(layer_next()->clSetProgramSpecializationConstant, program, id, size,
                              value);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clReleaseProgram(cl_program program)
{
    layer_record record = layer_begin_on("clReleaseProgram", LAYER_PROGRAM, program);
    return layer_record_end(&record, layer_next()->clReleaseProgram(program));
}

/* ---- Compiling and linking ------------------------------------------------------------------ */

static CL_API_ENTRY cl_int CL_API_CALL record_clBuildProgram(
    cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
    void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    layer_record record = layer_begin_on("clBuildProgram", LAYER_PROGRAM, program);
    put_devices(&record, devices, count);
    layer_put_text(&record, "options", options);
    layer_record_announce(&record);
    return layer_record_end(
        &record, layer_next()->clBuildProgram(program, count, devices, options, notify, user));
}

static CL_API_ENTRY cl_int CL_API_CALL record_clCompileProgram(
    cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
    cl_uint header_count, const cl_program *headers, const char **header_names,
    void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    layer_record record = layer_begin_on("clCompileProgram", LAYER_PROGRAM, program);
    put_devices(&record, devices, count);
    layer_put_text(&record, "options", options);
    layer_put_objects(&record, "headers", LAYER_PROGRAM, OBJECTS(headers), header_count);
    layer_record_announce(&record);
    return layer_record_end(&record, layer_next()->clCompileProgram(program, count, devices,
                                                                    options, header_count, headers,
                                                                    header_names, notify, user));
}

static CL_API_ENTRY cl_program CL_API_CALL
record_clLinkProgram(cl_context context, cl_uint count, const cl_device_id *devices,
                     const char *options, cl_uint input_count, const cl_program *inputs,
                     void(CL_CALLBACK *notify)(cl_program, void *), void *user, cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on("clLinkProgram", LAYER_CONTEXT, context);
    put_devices(&record, devices, count);
    layer_put_text(&record, "options", options);
    layer_put_objects(&record, "inputs", LAYER_PROGRAM, OBJECTS(inputs), input_count);
    layer_record_announce(&record);
    cl_program object = layer_next()->clLinkProgram(context, count, devices, options, input_count,
                                                    inputs, notify, user, &result);
    return layer_record_end_create(&record, LAYER_PROGRAM, object, result, out_result);
}

/* ---- Kernels -------------------------------------------------------------------------------- */

static CL_API_ENTRY cl_kernel CL_API_CALL record_clCreateKernel(cl_program program,
                                                                const char *name,
                                                                cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on("clCreateKernel", LAYER_PROGRAM, program);
    layer_put_text(&record, "name", name);
    layer_record_announce(&record);
    cl_kernel object = layer_next()->clCreateKernel(program, name, &result);
    return layer_record_end_create(&record, LAYER_KERNEL, object, result, out_result);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clCreateKernelsInProgram(cl_program program,
                                                                       cl_uint count,
                                                                       cl_kernel *kernels,
                                                                       cl_uint *out_count)
{
    cl_uint offered = 0;
    layer_record record = layer_begin_on("clCreateKernelsInProgram", LAYER_PROGRAM, program);
    layer_record_announce(&record);
    cl_int result = layer_next()->clCreateKernelsInProgram(program, count, kernels, &offered);
    if (result == CL_SUCCESS && out_count) *out_count = offered;
    cl_uint created = result != CL_SUCCESS || !kernels ? 0 : offered < count ? offered : count;
    for (cl_uint i = 0; i < created; i++)
        layer_object_add(LAYER_KERNEL, kernels[i]);
    layer_put_objects(&record, "made", LAYER_KERNEL, OBJECTS(kernels), created);
    return layer_record_end(&record, result);
}

static CL_API_ENTRY cl_kernel CL_API_CALL record_clCloneKernel(cl_kernel source, cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on("clCloneKernel", LAYER_KERNEL, source);
    cl_kernel object = layer_next()->clCloneKernel(source, &result);
    layer_record_end_create(&record, LAYER_KERNEL, object, result, out_result);
    if (object) layer_capture_clone(source, object);
    return object;
}

/* Only the value's size is recorded: an argument may be an address. */
static CL_API_ENTRY cl_int CL_API_CALL record_clSetKernelArg(cl_kernel kernel, cl_uint index,
                                                             size_t size, const void *value)
{
    layer_record record = layer_begin_on("clSetKernelArg", LAYER_KERNEL, kernel);
    layer_put_number(&record, "index", index);
    layer_put_number(&record, "size", size);
    layer_record_announce(&record); /* a driver may crash: it may take the bytes for an object */
    cl_int result = layer_next()->clSetKernelArg(kernel, index, size, value);
    if (result == CL_SUCCESS) layer_capture_argument(kernel, index, size, value);
    return layer_record_end(&record, result);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clSetKernelArgSVMPointer(cl_kernel kernel,
                                                                       cl_uint index,
                                                                       const void *value)
{
    layer_record record = layer_begin_on("clSetKernelArgSVMPointer", LAYER_KERNEL, kernel);
    layer_put_number(&record, "index", index);
    layer_put_pointer(&record, "pointer", value);
    cl_int result = layer_next()->clSetKernelArgSVMPointer(kernel, index, value);
    if (result == CL_SUCCESS) layer_capture_pointer(kernel, index, value);
    return layer_record_end(&record, result);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clSetKernelExecInfo(cl_kernel kernel,
                                                                  cl_kernel_exec_info what,
                                                                  size_t size, const void *value)
{
    layer_record record = layer_begin_on("clSetKernelExecInfo", LAYER_KERNEL, kernel);
    layer_put_number(&record, "what", what);
    layer_put_number(&record, "size", size);
    return layer_record_end(&record, layer_next()->clSetKernelExecInfo(kernel, what, size, value));
}

void layer_program_calls(cl_icd_dispatch *dispatch)
{
    LAYER_RECORD(dispatch, clCreateContext);
    LAYER_RECORD(dispatch, clCreateContextFromType);
    LAYER_RECORD(dispatch, clCreateProgramWithSource);
    LAYER_RECORD(dispatch, clCreateProgramWithIL);
    LAYER_RECORD(dispatch, clCreateProgramWithBinary);
    LAYER_RECORD(dispatch, clSetProgramSpecializationConstant);
    LAYER_RECORD(dispatch, clReleaseProgram);
    LAYER_RECORD(dispatch, clBuildProgram);
    LAYER_RECORD(dispatch, clCompileProgram);
    LAYER_RECORD(dispatch, clLinkProgram);
    LAYER_RECORD(dispatch, clCreateKernel);
    LAYER_RECORD(dispatch, clCreateKernelsInProgram);
    LAYER_RECORD(dispatch, clCloneKernel);
    LAYER_RECORD(dispatch, clSetKernelArg);
    LAYER_RECORD(dispatch, clSetKernelArgSVMPointer);
    LAYER_RECORD(dispatch, clSetKernelExecInfo);
}
