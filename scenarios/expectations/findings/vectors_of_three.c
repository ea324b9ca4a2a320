/* Reads a constant array of vectors of three components, on every device that the loader finds,
 * without assay.
 *
 *     cc vectors_of_three.c -l:libOpenCL.so.1 -o vectors_of_three && ./vectors_of_three
 *
 * The items store all components: 1 to 12.  OpenCL C specification, "Alignment of Types": a vector
 * of three components has the size of one of four. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

enum { ITEMS = 4, NUMBERS = 3 * ITEMS };

static const char *source = "constant int3 table[4] = {(int3)(1, 2, 3), (int3)(4, 5, 6),\n"
                            "                          (int3)(7, 8, 9), (int3)(10, 11, 12)};\n"
                            "kernel void copy(global int *out) {\n"
                            "  size_t g = get_global_id(0);\n"
                            "  vstore3(table[g], g, out);\n"
                            "}\n";

static void run(cl_device_id device)
{
    cl_int out[NUMBERS] = {0};
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "copy", NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, NULL);
    size_t items = ITEMS;
    clSetKernelArg(kernel, 0, sizeof to, &to);
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    printf("%s, driver %s, status %d\n ", name, version, status);
    for (int i = 0; i < NUMBERS; i++)
        printf(" %d", out[i]);
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
