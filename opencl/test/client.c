#include "opencl/test/client.h"

#include <stdlib.h>

client client_open(cl_command_queue_properties flags)
{
    client c;
    cl_uint count;
    cl_int code;
    assert_cl(clGetPlatformIDs(1, &c.platform, &count));
    assert_int_equal(count, 1);
    assert_cl(clGetDeviceIDs(c.platform, CL_DEVICE_TYPE_ALL, 1, &c.device, NULL));
    c.context = clCreateContext(NULL, 1, &c.device, NULL, NULL, &code);
    assert_cl(code);
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, flags, 0};
    c.queue = clCreateCommandQueueWithProperties(c.context, c.device, properties, &code);
    assert_cl(code);
    return c;
}

void client_close(client *c)
{
    assert_cl(clFinish(c->queue));
    assert_cl(clReleaseCommandQueue(c->queue));
    assert_cl(clReleaseContext(c->context));
}

cl_program client_build(const client *c, const char *source, const char *options)
{
    cl_int code;
    cl_program program = clCreateProgramWithSource(c->context, 1, &source, NULL, &code);
    assert_cl(code);
    code = clBuildProgram(program, 1, &c->device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, c->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail_msg("%d: %s", code, log);
    }
    return program;
}

cl_kernel client_kernel(const client *c, const char *source, const char *name)
{
    cl_int code;
    cl_program program = client_build(c, source, "");
    cl_kernel kernel = clCreateKernel(program, name, &code);
    assert_cl(code);
    assert_cl(clReleaseProgram(program)); /* the kernel keeps it */
    return kernel;
}

cl_mem client_ints(const client *c, const cl_int *values, size_t count)
{
    cl_int code;
    cl_mem buffer =
        clCreateBuffer(c->context, CL_MEM_READ_WRITE | (values ? CL_MEM_COPY_HOST_PTR : 0),
                       count * sizeof *values, (void *)(uintptr_t)values, &code);
    assert_cl(code);
    return buffer;
}

void client_expect(const client *c, cl_mem buffer, const cl_int *expected, size_t count)
{
    cl_int *values = calloc(count, sizeof *values);
    assert_non_null(values);
    assert_cl(clEnqueueReadBuffer(c->queue, buffer, CL_TRUE, 0, count * sizeof *values, values, 0,
                                  NULL, NULL));
    assert_memory_equal(values, expected, count * sizeof *values);
    free(values);
}

void client_run(const client *c, cl_kernel kernel, cl_mem buffer, size_t count)
{
    assert_cl(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_cl(clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
}

client_intel client_intel_find(const client *c)
{
    client_intel found;
    const struct {
        const char *name;
        void *place;
    } rows[] = {{"clHostMemAllocINTEL", &found.allocate_host},
                {"clDeviceMemAllocINTEL", &found.allocate},
                {"clSharedMemAllocINTEL", &found.allocate_shared},
                {"clMemFreeINTEL", &found.free},
                {"clEnqueueMemcpyINTEL", &found.copy},
                {"clEnqueueMemFillINTEL", &found.fill},
                {"clSetKernelArgMemPointerINTEL", &found.set},
                {"clGetMemAllocInfoINTEL", &found.info},
                {"clGetDeviceGlobalVariablePointerINTEL", &found.variable},
                {"clGetDeviceFunctionPointerINTEL", &found.function}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *function = clGetExtensionFunctionAddressForPlatform(c->platform, rows[i].name);
        assert_non_null(function);
        memcpy(rows[i].place, &function, sizeof function);
    }
    return found;
}
