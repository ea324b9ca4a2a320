/* Reads local memory between two barriers and uses the value after the second one, on every device
 * that the loader finds, without assay.
 *
 *     cc load_over_a_barrier.c -l:libOpenCL.so.1 -o load_over_a_barrier && ./load_over_a_barrier
 *
 * Every work-item stores its number, reads its right neighbour's, and adds it after a barrier: the
 * last of eight gets 7 + 0.  OpenCL C specification, "Synchronization Functions". */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

enum { ITEMS = 8 };

static const char *source = "kernel void apply(global int *out, local int *row) {\n"
                            "  size_t l = get_local_id(0), n = get_local_size(0);\n"
                            "  row[l] = l;\n"
                            "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "  int neighbour = row[(l + 1) % n];\n"
                            "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "  row[l] += neighbour;\n"
                            "  out[l] = row[l];\n"
                            "}\n";

static void run(cl_device_id device)
{
    cl_int data[ITEMS] = {0};
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
    clSetKernelArg(kernel, 1, sizeof data, NULL);
    printf("%s, driver %s\n", name, version);
    fflush(stdout);
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    printf("  status %d, item 6 stored %d, must be 13; item 7 %d, must be 7\n", status, data[6],
           data[7]);
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
