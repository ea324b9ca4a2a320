/* Scans ones over the even work-items of a sub-group, in float and in double, on every device that
 * the loader finds, without assay.
 *
 *     cc exclusive_scan.c -l:libOpenCL.so.1 -o exclusive_scan && ./exclusive_scan
 *
 * The odd work-items do not take part, so the scan of work-item 6 adds the ones of 0, 2 and 4.
 * OpenCL C specification, "Subgroup functions", cl_khr_subgroup_non_uniform_arithmetic. */
#define _POSIX_C_SOURCE          200112L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 16 };

static const char *source = "kernel void apply(global float *sums, global double *wide) {\n"
                            "  uint lane = get_sub_group_local_id();\n"
                            "  if (lane % 2 != 0) return;\n"
                            "  sums[lane] = sub_group_non_uniform_scan_exclusive_add(1.0f);\n"
                            "  wide[lane] = sub_group_non_uniform_scan_exclusive_add(1.0);\n"
                            "}\n";

static void run(cl_device_id device)
{
    float sums[ITEMS] = {0};
    double wide[ITEMS] = {0};
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    cl_int status = clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "apply", NULL);
    cl_mem to_sums = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof sums, NULL, NULL);
    cl_mem to_wide = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof wide, NULL, NULL);
    size_t items = ITEMS;
    clSetKernelArg(kernel, 0, sizeof to_sums, &to_sums);
    clSetKernelArg(kernel, 1, sizeof to_wide, &to_wide);
    status |= clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, to_sums, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, to_wide, CL_TRUE, 0, sizeof wide, wide, 0, NULL, NULL);
    printf("%s, driver %s, status %d\n", name, version, status);
    printf("  work-item 6: float %g, double %g, must be 3\n", sums[6], wide[6]);
}

int main(void)
{
    /* Intel's CPU runtime chooses instructions by the processor: AVX-512 as of Skylake is wrong. */
    setenv("CL_CONFIG_CPU_TARGET_ARCH", "skx", 0);
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
