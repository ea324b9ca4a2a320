/* Program binaries that are damaged, on every device that the loader finds, without assay.
 *
 * cut: the first 100 bytes of a program's binary. flip: the whole binary with one byte inverted,
 * for every 31st byte; the driver may refuse it, or take it if the byte does not matter.
 *
 * OpenCL 3.0, 5.8.1, clCreateProgramWithBinary: CL_INVALID_BINARY (-42) if an invalid program
 * binary was encountered. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "kernel void k(global int *p) { p[get_global_id(0)] *= 3; }";

enum { CUT = 100, STEP = 31 };

/* Loads and builds a binary; the result of the last call. */
static cl_int load(cl_context context, cl_device_id device, const unsigned char *bytes, size_t size)
{
    cl_int status = CL_SUCCESS, result;
    cl_program program =
        clCreateProgramWithBinary(context, 1, &device, &size, &bytes, &status, &result);
    if (!program) return result;
    result = clBuildProgram(program, 1, &device, "", NULL, NULL);
    clReleaseProgram(program);
    return result;
}

static void try_device(cl_device_id device, const char *mode)
{
    cl_int result;
    char name[256] = "", driver[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    printf("%s, driver %s\n", name, driver);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &result);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &result);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    size_t size = 0;
    clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    unsigned char *bytes = malloc(size);
    clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
    clReleaseProgram(program);
    printf("  whole: %d\n", load(context, device, bytes, size));
    if (strcmp(mode, "cut") == 0) printf("  cut: %d\n", load(context, device, bytes, CUT));
    for (size_t i = 0; strcmp(mode, "flip") == 0 && i < size; i += STEP) {
        bytes[i] = (unsigned char)~bytes[i];
        load(context, device, bytes, size);
        bytes[i] = (unsigned char)~bytes[i];
    }
    printf("  done\n");
    free(bytes);
    clReleaseContext(context);
}

int main(int argc, char **argv)
{
    enum { MOST = 16 };
    cl_platform_id platforms[MOST];
    cl_uint platform_count = 0, device_count = 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    clGetPlatformIDs(MOST, platforms, &platform_count);
    for (cl_uint p = 0; p < platform_count && p < MOST; p++) {
        cl_device_id devices[MOST];
        device_count = 0;
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST, devices, &device_count);
        for (cl_uint d = 0; d < device_count && d < MOST; d++)
            try_device(devices[d], argc > 1 ? argv[1] : "cut");
    }
    return 0;
}
