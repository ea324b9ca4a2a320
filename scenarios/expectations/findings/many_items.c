/* Tests functions that a compiler may translate differently when it vectorises work-items: launches
 * one item and then 64, on every device that the loader finds, without assay.
 *
 *     cc many_items.c -l:libOpenCL.so.1 -o many_items && ./many_items
 *
 * OpenCL C specification, "Integer Functions": mad_sat(-991535359, -4, 1635947499) is 5602088935
 * saturated, 2147483647. "Common Functions": step(1, NaN) is 1, because NaN < 1 does not hold.
 * "Built-in Vector Data Types": a three-component vector argument has three components; those of
 * (1, 2, 3) add up to 6. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>

enum { ITEMS = 64 };

static const char *source =
    "__attribute__((noinline)) int sum(int3 v) { return v.x + v.y + v.z; }\n"
    "kernel void same(global const int *a, global const float *x, global int *products,\n"
    "                 global float *steps, global int *sums) {\n"
    "  size_t i = get_global_id(0);\n"
    "  products[i] = mad_sat(a[3 * i], a[3 * i + 1], a[3 * i + 2]);\n"
    "  steps[i] = step(x[2 * i], x[2 * i + 1]);\n"
    "  sums[i] = sum((int3)(i, i + 1, i + 2));\n"
    "}\n";

static cl_mem buffer(cl_context context, size_t size, void *content)
{
    cl_mem_flags flags = content ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR : CL_MEM_WRITE_ONLY;
    return clCreateBuffer(context, flags, size, content, NULL);
}

static void run(cl_device_id device)
{
    cl_int a[ITEMS][3], products[ITEMS] = {0}, sums[ITEMS] = {0}, status = CL_SUCCESS;
    float x[ITEMS][2], steps[ITEMS] = {0};
    for (int i = 0; i < ITEMS; i++) {
        a[i][0] = -991535359, a[i][1] = -4, a[i][2] = 1635947499;
        x[i][0] = 1, x[i][1] = NAN;
    }
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "same", NULL);
    cl_mem memories[5] = {buffer(context, sizeof a, a), buffer(context, sizeof x, x),
                          buffer(context, sizeof products, NULL),
                          buffer(context, sizeof steps, NULL), buffer(context, sizeof sums, NULL)};
    for (cl_uint i = 0; i < 5; i++)
        status |= clSetKernelArg(kernel, i, sizeof memories[i], &memories[i]);
    printf("%s, driver %s\n", name, version);
    for (size_t count = 1; count <= ITEMS; count *= ITEMS) {
        status |= clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
        status |= clEnqueueReadBuffer(queue, memories[2], CL_TRUE, 0, sizeof products, products, 0,
                                      NULL, NULL);
        status |=
            clEnqueueReadBuffer(queue, memories[3], CL_TRUE, 0, sizeof steps, steps, 0, NULL, NULL);
        status |=
            clEnqueueReadBuffer(queue, memories[4], CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL);
        printf("  of %zu, status %d: mad_sat %d, must be 2147483647; step %g, must be 1; "
               "sum %d, must be %d\n",
               count, status, products[0], (double)steps[0], sums[count > 1], count > 1 ? 6 : 3);
    }
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
