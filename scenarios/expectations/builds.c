/* Builds device code from a file on every device that the loader finds, without assay.
 *
 *     cc builds.c -l:libOpenCL.so.1 -o builds
 *     flags='-c -emit-llvm -target spir64 -O1 -Xclang -finclude-default-header'
 *
 * The functions of OpenCL C 1.2 must be available to SPIR 1.2 code (cl_khr_spir), which PoCL claims
 * to accept; "Explicit Memory Fence Functions" includes mem_fence:
 *
 *     echo 'kernel void f(global int *a) {
 *             a[0] = 1; mem_fence(CLK_GLOBAL_MEM_FENCE); a[1] = 2; }' > fence.cl
 *     clang-14 $flags -cl-std=CL1.2 fence.cl && ./builds fence.bc
 *
 * SPIR-V, "Universal Validation Rules", lists Generic among the storage classes of pointers in
 * atomic instructions, and Intel's device has generic pointers:
 *
 *     echo 'kernel void f(global volatile atomic_flag *a, global int *b) {
 *             *b = atomic_flag_test_and_set_explicit(a, memory_order_relaxed,
 *                                                    memory_scope_device); }' > flag.cl
 *     clang-14 $flags -cl-std=CL2.0 flag.cl && llvm-spirv-14 flag.bc && ./builds flag.spv
 *
 * Intel's compiler crashes on an indirect call to one of two functions that the work-item selects;
 * with CL_CONFIG_CPU_VECTORIZER_MODE=1 in the environment it builds:
 *
 *     echo '#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
 *           int twice(int x) { return 2 * x; }
 *           int thrice(int x) { return 3 * x; }
 *           kernel void f(global int *a) {
 *             size_t i = get_global_id(0);
 *             int (*chosen)(int) = i % 2 ? thrice : twice;
 *             a[i] = chosen(a[i]); }' > select.cl
 *     clang-14 $flags -cl-std=CL2.0 select.cl &&
 *     llvm-spirv-14 --spirv-ext=+SPV_INTEL_function_pointers select.bc && ./builds select.spv */
#define CL_TARGET_OPENCL_VERSION 210
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

static cl_program program_of(cl_context context, cl_device_id device, const unsigned char *code,
                             size_t size, int spirv)
{
    cl_int status;
    if (spirv) return clCreateProgramWithIL(context, code, size, &status);
    return clCreateProgramWithBinary(context, 1, &device, &size, &code, NULL, &status);
}

static void build(cl_device_id device, const unsigned char *code, size_t size)
{
    char name[256] = "", version[256] = "", log[4096] = "";
    int spirv = memcmp(code, "\x03\x02\x23\x07", 4) == 0;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_program program = program_of(context, device, code, size, spirv);
    printf("%s, driver %s\n", name, version);
    if (!program) {
        printf("  does not accept code in this format\n");
        return;
    }
    cl_int status =
        clBuildProgram(program, 1, &device, spirv ? "" : "-x spir -spir-std=1.2", NULL, NULL);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    printf("  clBuildProgram: %d, must be 0\n%s\n", status, log);
}

int main(int argument_count, char **arguments)
{
    static unsigned char code[1 << 20];
    FILE *file = argument_count == 2 ? fopen(arguments[1], "rb") : NULL;
    size_t size = file ? fread(code, 1, sizeof code, file) : 0;
    cl_platform_id platforms[8];
    cl_uint platform_count = 0;
    if (size < 4) return 1;
    clGetPlatformIDs(8, platforms, &platform_count);
    for (cl_uint i = 0; i < platform_count && i < 8; i++) {
        cl_device_id devices[8];
        cl_uint count = 0;
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 8, devices, &count);
        for (cl_uint k = 0; k < count && k < 8; k++)
            build(devices[k], code, size);
    }
    return platform_count == 0;
}
