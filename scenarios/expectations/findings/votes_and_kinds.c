/* Lets the four work-items of each group vote, and asks of a pointer to global memory which memory
 * it points to, on every device that the loader finds, without assay.
 *
 *     cc votes_and_kinds.c -l:libOpenCL.so.1 -o votes_and_kinds && ./votes_and_kinds
 *
 * Source: OpenCL C 3.0, "Work-group Functions" and "Address Space Qualifier Functions". */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>

/* Twice as many items as the group's number vote yes: 0, 2 and 4. */
static const char *const source =
    "kernel void ask(global int *out) {\n"
    "    int item = get_local_id(0), group = get_group_id(0);\n"
    "    const void *anywhere = out;\n"
    "    int any = work_group_any(item < 2 * group), all = work_group_all(item < 2 * group);\n"
    "    if (item > 0) return;\n"
    "    out[group] = any != 0;\n"
    "    out[3 + group] = all != 0;\n"
    "    out[6] = to_global(anywhere) != 0;\n"
    "    out[7] = to_local(anywhere) != 0;\n"
    "    out[8] = to_private(anywhere) != 0;\n"
    "}\n";

static void ask(cl_device_id device)
{
    char name[256] = "", version[256] = "";
    cl_bool collective = 0, generic = 0;
    cl_int out[9] = {0}, status;
    size_t items = 12, group = 4;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    clGetDeviceInfo(device, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, sizeof collective,
                    &collective, NULL);
    clGetDeviceInfo(device, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, sizeof generic, &generic,
                    NULL);
    printf("%s, driver %s\n", name, version);
    printf("  work-group functions: %u, generic address space: %u\n", collective, generic);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, NULL);
    status = clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL);
    if (status != CL_SUCCESS) {
        printf("  clBuildProgram: %d\n", status);
        return;
    }
    cl_kernel kernel = clCreateKernel(program, "ask", NULL);
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    printf("  launch: %d\n", status);
    printf("  0, 2 and 4 of four vote yes: any is %d %d %d, must be 0 1 1\n", out[0], out[1],
           out[2]);
    printf("  0, 2 and 4 of four vote yes: all is %d %d %d, must be 0 0 1\n", out[3], out[4],
           out[5]);
    printf(
        "  a pointer to global memory: to_global %d, to_local %d, to_private %d, must be 1 0 0\n",
        out[6], out[7], out[8]);
}

int main(void)
{
    cl_platform_id platforms[16];
    cl_uint platform_count = 0;
    clGetPlatformIDs(16, platforms, &platform_count);
    for (cl_uint i = 0; i < platform_count; i++) {
        cl_device_id devices[16];
        cl_uint device_count = 0;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 16, devices, &device_count) !=
            CL_SUCCESS)
            continue;
        for (cl_uint k = 0; k < device_count; k++)
            ask(devices[k]);
    }
    return 0;
}
