/* Shows that device code calls a function of the host program, if that has the name of a function
 * which the device code declares and no program object defines. Without assay.
 *
 *     cc -rdynamic host_function.c -l:libOpenCL.so.1 -o host_function && ./host_function
 *
 * -rdynamic exports the program's function, as a shared library's are. Without it, the build is
 * refused. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>

static const char *source = "int twice(int x);\n"
                            "kernel void call(global int *out) { out[0] = twice(5); }\n";

int twice(int x)
{
    return 100 * x;
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int out = -1;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 2;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    cl_int status = clBuildProgram(program, 1, &device, "", NULL, NULL);
    printf("clBuildProgram: %d\n", status);
    if (status != CL_SUCCESS) return 0;
    cl_kernel kernel = clCreateKernel(program, "call", &status);
    printf("clCreateKernel: %d\n", status);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, NULL);
    size_t one = 1;
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL);
    printf("the kernel ran: %d, its result: %d\n", status, out);
    return 0;
}
