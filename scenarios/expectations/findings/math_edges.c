/* Tests edge cases of OpenCL C's mathematical functions on every device that the loader finds,
 * without assay.
 *
 *     cc math_edges.c -l:libOpenCL.so.1 -o math_edges && ./math_edges
 *
 * OpenCL C specification, "Additional Requirements Beyond C99 TC2" and "Math Functions":
 * fract(-inf) is -0 (bits 80000000); normalize of a zero vector is that vector, and of (inf, 0,
 * -inf) starts with 1 / sqrt(2) (bits 3f3504f3, within a few ULP); remquo(1000, 3) stores 77, the
 * lower seven bits of 333; lgamma_r(-1) stores 0 as the sign, lgamma_r(2.5) 1. "Integer Functions":
 * mad_sat of the longs 4294967295, 4294967295 and 3 is the largest long, whose upper half is
 * 7fffffff. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char *source = "kernel void edge(global const float *x, global int *out) {\n"
                            "  float whole; int quotient, sign;\n"
                            "  out[0] = as_int(fract(-x[0], &whole));\n"
                            "  out[1] = as_int(normalize((float3)(x[1], x[1], x[1])).x);\n"
                            "  remquo(x[2], x[3], &quotient); out[2] = quotient;\n"
                            "  lgamma_r(x[4], &sign); out[3] = sign;\n"
                            "  lgamma_r(x[5], &sign); out[4] = sign;\n"
                            "  out[5] = as_int(normalize((float3)(x[0], x[1], -x[0])).x);\n"
                            "  long big = (long)(uint)(int)x[4];\n"
                            "  out[6] = (int)(mad_sat(big, big, 3L) >> 32);\n"
                            "}\n";

static void run(cl_device_id device)
{
    float x[6] = {__builtin_inff(), 0, 1000, 3, -1, 2.5f};
    cl_int out[7] = {-2, -2, -2, -2, -2, -2, -2};
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "edge", NULL);
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, NULL);
    size_t one = 1;
    clSetKernelArg(kernel, 0, sizeof in, &in);
    clSetKernelArg(kernel, 1, sizeof to, &to);
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    printf("%s, driver %s, status %d\n", name, version, status);
    printf("  fract(-inf)     %08x, must be 80000000\n", (unsigned)out[0]);
    printf("  normalize(0).x  %08x, must be 00000000\n", (unsigned)out[1]);
    printf("  remquo(1000, 3) %d, must be 77\n", out[2]);
    printf("  lgamma_r(-1)    %d, must be 0\n", out[3]);
    printf("  lgamma_r(2.5)   %d, must be 1\n", out[4]);
    printf("  normalize(inf)  %08x, must be 3f3504f3\n", (unsigned)out[5]);
    printf("  mad_sat         %08x, must be 7fffffff\n", (unsigned)out[6]);
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
