/* Launches a kernel that queries its global offset in a loop over the dimensions, on every device
 * that the loader finds, without assay.
 *
 *     cc offset_in_a_loop.c -l:libOpenCL.so.1 -o offset_in_a_loop && ./offset_in_a_loop
 *
 * Source: OpenCL C 3.0, "Work-Item Functions". */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char *source =
    "kernel void sizes(global int *out) {\n"
    "    if (get_group_id(0) + get_group_id(1) + get_local_id(0) + get_local_id(1) > 0) return;\n"
    "    for (uint d = 0; d < 3; d++) {\n"
    "        *out++ = get_global_size(d);\n"
    "        *out++ = get_local_size(d);\n"
    "        *out++ = get_num_groups(d);\n"
    "        *out++ = get_global_offset(d);\n"
    "    }\n"
    "}\n";

static void launch(cl_device_id device)
{
    char name[256] = "", version[256] = "";
    cl_int out[12] = {0}, status;
    size_t offset[2] = {5, 7}, items[2] = {4, 2}, group[2] = {2, 1};
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    printf("%s, driver %s\n", name, version);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    status = clBuildProgram(program, 1, &device, "", NULL, NULL);
    printf("  clBuildProgram: %d\n", status);
    cl_kernel kernel = clCreateKernel(program, "sizes", NULL);
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    printf("  launch: ");
    fflush(stdout);
    status = clEnqueueNDRangeKernel(queue, kernel, 2, offset, items, group, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    printf("%d, offsets %d %d, must be 5 7\n", status, out[3], out[7]);
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
            launch(devices[k]);
    }
    return platform_count == 0;
}
