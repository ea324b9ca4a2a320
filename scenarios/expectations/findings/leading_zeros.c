/* Counts the leading zeros of a short that is at most 0, on every device that the loader finds,
 * without assay.
 *
 *     cc leading_zeros.c -l:libOpenCL.so.1 -o leading_zeros && ./leading_zeros
 *
 * The inputs are positive, so each of the four items counts those of the short 0, which are 16.
 * Beside them it stores those of another 0, for comparison.  OpenCL C 3.0, "Integer Functions": clz
 * returns the number of leading 0-bits in x, and if x is 0, the size in bits of the type of x. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

enum { ITEMS = 4, NUMBERS = 2 * ITEMS };

static const char *source = "kernel void count(global const short *in, global uint *out) {\n"
                            "  uint i = get_global_id(0);\n"
                            "  out[i * 2] = clz(min((short)0, in[i]));\n"
                            "  out[i * 2 + 1] = clz((short)(in[i] - in[i]));\n"
                            "}\n";

static void run(cl_device_id device)
{
    cl_short in[ITEMS] = {80, 81, 82, 83};
    cl_uint out[NUMBERS] = {0};
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "count", NULL);
    cl_mem from = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof in, in, NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, NULL);
    size_t items = ITEMS;
    clSetKernelArg(kernel, 0, sizeof from, &from);
    clSetKernelArg(kernel, 1, sizeof to, &to);
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    printf("%s, driver %s, status %d\n ", name, version, status);
    for (int i = 0; i < NUMBERS; i++)
        printf(" %u", out[i]);
    printf("\n");
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
