/* Passes eight bytes that are not the handle of a memory object for a pointer parameter, and a
 * handle for a value parameter, on every device that the loader finds, without assay.
 *
 *     cc argument_handle.c -l:libOpenCL.so.1 -o argument_handle && ./argument_handle
 *
 * OpenCL 3.0, clSetKernelArg: CL_INVALID_MEM_OBJECT "for an argument declared to be a memory object
 * when the specified arg_value is not a valid memory object", -38. Nothing is said about a value
 * parameter, for which an implementation can compare only the size. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char *source = "kernel void store(global int *out, long value) { out[0] = value; }\n";

static void run(cl_device_id device)
{
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "store", NULL);
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, NULL);
    cl_long three = 3;
    printf("%s, driver %s\n", name, version);
    printf("  a handle for a value: %d\n", clSetKernelArg(kernel, 1, sizeof memory, &memory));
    printf("  the number 3 for a pointer: ");
    fflush(stdout);
    printf("%d, must be -38\n", clSetKernelArg(kernel, 0, sizeof three, &three));
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
