/* Links a compiled program with each option for linking, on every device that the loader finds,
 * without assay.
 *
 *     cc link_options.c -l:libOpenCL.so.1 -o link_options && ./link_options
 *
 * OpenCL 3.0, "Linker Options", "Program Linking Options": these options "can be specified when
 * linking a program executable". */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char *source = "kernel void apply(global int *data) { data[0]++; }\n";
static const char *const options[] = {"",
                                      "-cl-denorms-are-zero",
                                      "-cl-no-signed-zeros",
                                      "-cl-unsafe-math-optimizations",
                                      "-cl-finite-math-only",
                                      "-cl-fast-relaxed-math"};

static void link_with_options(cl_device_id device)
{
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    printf("%s, driver %s\n", name, version);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clCompileProgram(program, 1, &device, "", 0, NULL, NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        cl_int status;
        clLinkProgram(context, 1, &device, options[i], 1, &program, NULL, NULL, &status);
        printf("  '%s': %d, must be 0\n", options[i], status);
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
            link_with_options(devices[k]);
    }
    return platform_count == 0;
}
