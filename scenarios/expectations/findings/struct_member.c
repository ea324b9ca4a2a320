/* Calls a function that returns one member of its parameter and two constants, on every device that
 * the loader finds, without assay.
 *
 *     cc struct_member.c -l:libOpenCL.so.1 -o struct_member && ./struct_member
 *
 * Each of the four items stores its input, 125 and 11.  OpenCL C specification, "The OpenCL C
 * Programming Language", which takes initialisers and `return` from C99 (6.7.8, 6.8.6.4). */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

enum { ITEMS = 4, NUMBERS = 3 * ITEMS };

static const char *source =
    "typedef struct { uint a, b; uchar c; } record;\n"
    "__attribute__((noinline)) static record with_constants(record from) {\n"
    "  record made = {from.a, 125u, (uchar)11};\n"
    "  return made;\n"
    "}\n"
    "kernel void make(global const uint *in, global uint *out) {\n"
    "  uint i = get_global_id(0);\n"
    "  record from = {in[i], 9u, (uchar)0};\n"
    "  record made = with_constants(from);\n"
    "  out[i * 3] = made.a; out[i * 3 + 1] = made.b; out[i * 3 + 2] = made.c;\n"
    "}\n";

static void run(cl_device_id device)
{
    cl_uint in[ITEMS] = {80, 81, 82, 83}, out[NUMBERS] = {0};
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "make", NULL);
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
