/* Tests the return value of a kernel's printf on every device that the loader finds, without assay.
 *
 *     cc printf_result.c -l:libOpenCL.so.1 -o printf_result && ./printf_result
 *
 * OpenCL C specification 3.0, section 6.15.14: printf returns 0 if it was executed successfully and
 * -1 otherwise; it does not return C's number of characters. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char *source = "kernel void report(global int *out) {\n"
                            "  out[0] = printf(\"hello %d\\n\", 7);\n"
                            "}\n";

static void run(cl_device_id device)
{
    cl_int out = -5;
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "report", NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, NULL);
    size_t one = 1;
    clSetKernelArg(kernel, 0, sizeof to, &to);
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL);
    printf("%s, driver %s, status %d\n", name, version, status);
    printf("  printf returned %d, must be 0\n", out);
}

int main(void)
{
    cl_platform_id platforms[8];
    cl_uint platform_count = 0;
    clGetPlatformIDs(8, platforms, &platform_count);
    for (cl_uint i = 0; i < platform_count && i < 8; i++) {
        cl_device_id devices[8];
        cl_uint count = 0;
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 8, devices, &count);
        for (cl_uint k = 0; k < count && k < 8; k++)
            run(devices[k]);
    }
    return platform_count == 0;
}
