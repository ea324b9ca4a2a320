/* Counts the passes of a loop that each work-item leaves after another number of them, on every
 * device that the loader finds, without assay.
 *
 *     cc divergent_loop.c -l:libOpenCL.so.1 -o divergent_loop && ./divergent_loop
 *
 * A bubble sort of three numbers takes one pass more than the greatest distance that a number moves
 * down: 1 for 0, 1, 2 and 3 for 2, 1, 0.  OpenCL C specification, "Work-Item Functions": every
 * work-item executes the kernel by itself. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

enum { ITEMS = 2 };

static const char *source = "kernel void apply(global int *data) {\n"
                            "  global int *mine = data + 4 * get_global_id(0);\n"
                            "  int a[3], passes = 0;\n"
                            "  bool moved;\n"
                            "  for (int k = 0; k < 3; k++) a[k] = mine[k];\n"
                            "  do {\n"
                            "    moved = false;\n"
                            "    passes++;\n"
                            "    for (int k = 0; k < 2; k++)\n"
                            "      if (a[k] > a[k + 1]) {\n"
                            "        int other = a[k];\n"
                            "        a[k] = a[k + 1];\n"
                            "        a[k + 1] = other;\n"
                            "        moved = true;\n"
                            "      }\n"
                            "  } while (moved);\n"
                            "  for (int k = 0; k < 3; k++) mine[k] = a[k];\n"
                            "  mine[3] = passes;\n"
                            "}\n";

static void run(cl_device_id device)
{
    cl_int data[ITEMS][4] = {{2, 1, 0, 0}, {0, 1, 2, 0}};
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "apply", NULL);
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof data, data, NULL);
    size_t items = ITEMS;
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    printf("%s, driver %s\n", name, version);
    fflush(stdout);
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    printf("  status %d, item 0 sorted 2 1 0 to %d %d %d in %d passes, must be 0 1 2 in 3\n",
           status, data[0][0], data[0][1], data[0][2], data[0][3]);
    printf("  item 1 took %d passes, must be 1\n", data[1][3]);
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
