/* Links a program that declares a function with another type than the program that defines it, and
 * launches the result, on every device that the loader finds, without assay.
 *
 *     cc link_types.c -l:libOpenCL.so.1 -o link_types && ./link_types
 *
 * OpenCL 3.0, clLinkProgram: CL_LINK_PROGRAM_FAILURE, -17, "if there is a failure to link the
 * compiled binaries and/or libraries". A linker may refuse this program or link it, but what it
 * links must not end the process. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char *sources[] = {"int f(int x);\n"
                                "kernel void apply(global int *data) { data[0] = f(data[0]); }\n",
                                "int f(int x, long y) { return x + (int)y; }\n"};

static void run(cl_device_id device)
{
    cl_int status, one = 1;
    cl_program programs[2];
    size_t items = 1;
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    printf("%s, driver %s\n", name, version);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    for (int i = 0; i < 2; i++) {
        programs[i] = clCreateProgramWithSource(context, 1, &sources[i], NULL, NULL);
        clCompileProgram(programs[i], 1, &device, "", 0, NULL, NULL, NULL, NULL);
    }
    cl_program linked = clLinkProgram(context, 1, &device, "", 2, programs, NULL, NULL, &status);
    printf("  clLinkProgram: %d\n", status);
    if (status != CL_SUCCESS) return;
    cl_kernel kernel = clCreateKernel(linked, "apply", &status);
    cl_mem memory =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof one, &one, NULL);
    status |= clSetKernelArg(kernel, 0, sizeof memory, &memory);
    printf("  launch: ");
    fflush(stdout);
    status |= clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    status |= clFinish(queue);
    printf("%d\n", status);
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
