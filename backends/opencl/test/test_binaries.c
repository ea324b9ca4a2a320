/* Tests how a real driver treats programs that are compiled ahead of time but not linked: its
 * binaries of the types COMPILED_OBJECT and LIBRARY are loaded again, as another process would do,
 * linked, and run.
 *
 * Their contents, and whether they can be linked, are up to the driver (DL-BACKEND-13); the test
 * prints them.  It requires that an unresolved import compiles (DL-BACKEND-11), that a binary keeps
 * its type, and that the result of a successful link computes the right value.  The adapter itself
 * links no binaries.
 *
 * Source: OpenCL 3.0 API specification, 5.8.1 "Creating Program Objects" and 5.8.3. */
#include "backends/opencl/ocl_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, PLATFORMS_MAX = 16, ITEMS = 4 };

static const char application[] =
    "int f(int x);\nkernel void k(global int *p) { p[get_global_id(0)] = f(p[get_global_id(0)]); }";
static const char library_source[] = "int f(int x) { return 3 * x + 1; }";

typedef struct driver {
    ocl_library cl;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
} driver;

/* Ends the test and reports the failed call unless `holds`. */
static void demand(bool holds, const char *condition, cl_int result)
{
    if (holds) return;
    fprintf(stderr, "%s: result %d\n", condition, result);
    exit(1);
}

/* Opens the first device of the platform whose name contains `part`.  False if there is none. */
static bool driver_open(driver *d, const char *part)
{
    rt_sink *sink = rt_sink_create();
    bool opened = rt_ok(ocl_library_open(sink, "libOpenCL.so.1", &d->cl));
    rt_sink_destroy(sink);
    cl_platform_id platforms[PLATFORMS_MAX];
    cl_uint count = 0;
    if (!opened || d->cl.clGetPlatformIDs(PLATFORMS_MAX, platforms, &count) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < count && i < PLATFORMS_MAX && !d->device; i++) {
        char name[256] = "";
        d->cl.clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (!strstr(name, part)) continue;
        d->platform = platforms[i];
        d->cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &d->device, NULL);
    }
    if (!d->device) return false;
    cl_int result;
    d->context = d->cl.clCreateContext(NULL, 1, &d->device, NULL, NULL, &result);
    demand(d->context != NULL, "clCreateContext", result);
    return true;
}

static cl_program compiled(driver *d, const char *source)
{
    __typeof__(clCreateProgramWithSource) *create = NULL;
    void *symbol = dlsym(d->cl.handle, "clCreateProgramWithSource");
    demand(symbol != NULL, "clCreateProgramWithSource is not there", 0);
    memcpy(&create, &symbol, sizeof create);
    cl_int result;
    cl_program program = create(d->context, 1, &source, NULL, &result);
    demand(program != NULL, "clCreateProgramWithSource", result);
    result = d->cl.clCompileProgram(program, 1, &d->device, "", 0, NULL, NULL, NULL, NULL);
    demand(result == CL_SUCCESS, "clCompileProgram", result);
    return program;
}

static cl_program_binary_type type_of(driver *d, cl_program program)
{
    cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
    d->cl.clGetProgramBuildInfo(program, d->device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type,
                                NULL);
    return type;
}

/* Serialises the program, which must have the given type, and creates a program from the binary;
 * NULL if the driver returns no binary or rejects the one it returned. */
static cl_program read_back(driver *d, cl_program program, cl_program_binary_type type,
                            const char *name)
{
    demand(type_of(d, program) == type, "a program has another binary type", (cl_int)type);
    size_t size = 0;
    d->cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    if (size == 0) return NULL;
    unsigned char *bytes = malloc(size);
    demand(bytes != NULL, "no memory", 0);
    cl_int result =
        d->cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
    demand(result == CL_SUCCESS, "clGetProgramInfo", result);
    bool bitcode = memmem(bytes, size, "BC\xC0\xDE", 4) != NULL;
    printf("%s: %zu bytes, %s\n", name, size, bitcode ? "LLVM bitcode" : "no LLVM bitcode");
    const unsigned char *binary = bytes;
    cl_program read =
        d->cl.clCreateProgramWithBinary(d->context, 1, &d->device, &size, &binary, NULL, &result);
    free(bytes);
    if (!read || result != CL_SUCCESS) return NULL;
    demand(type_of(d, read) == type, "a binary that was read back has another type", (cl_int)type);
    return read;
}

static void run(driver *d, cl_program program)
{
    int values[ITEMS] = {0, 1, 2, 3};
    static const int expected[ITEMS] = {1, 4, 7, 10};
    cl_int result;
    cl_kernel kernel = d->cl.clCreateKernel(program, "k", &result);
    demand(kernel != NULL, "clCreateKernel", result);
    cl_command_queue queue =
        d->cl.clCreateCommandQueueWithProperties(d->context, d->device, NULL, &result);
    demand(queue != NULL, "clCreateCommandQueueWithProperties", result);
    cl_mem memory =
        d->cl.clCreateBuffer(d->context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &result);
    demand(memory != NULL, "clCreateBuffer", result);
    result = d->cl.clSetKernelArg(kernel, 0, sizeof memory, &memory);
    demand(result == CL_SUCCESS, "clSetKernelArg", result);
    const size_t items = ITEMS;
    result = d->cl.clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    demand(result == CL_SUCCESS, "clEnqueueNDRangeKernel", result);
    result =
        d->cl.clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
    demand(result == CL_SUCCESS, "clEnqueueReadBuffer", result);
    demand(memcmp(values, expected, sizeof values) == 0, "the linked program computes otherwise",
           values[1]);
    d->cl.clReleaseMemObject(memory);
    d->cl.clReleaseCommandQueue(queue);
    d->cl.clReleaseKernel(kernel);
}

/* Links the programs created from binaries and, if the driver can link them, runs the result. */
static void link_and_run(driver *d, cl_program object, cl_program archive)
{
    const cl_program inputs[] = {object, archive};
    cl_int result;
    cl_program linked =
        d->cl.clLinkProgram(d->context, 1, &d->device, "", 2, inputs, NULL, NULL, &result);
    if (result == CL_SUCCESS) run(d, linked);
    printf("linking what was read back: %s\n", result == CL_SUCCESS ? "offered" : "refused");
    if (linked) d->cl.clReleaseProgram(linked);
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 2) {
        fprintf(stderr, "usage: %s PART-OF-A-PLATFORM'S-NAME\n", arguments[0]);
        return 2;
    }
    static driver d;
    if (!driver_open(&d, arguments[1])) return SKIPPED;
    cl_program object = compiled(&d, application), exporter = compiled(&d, library_source);
    cl_int result;
    cl_program archive = d.cl.clLinkProgram(d.context, 1, &d.device, "-create-library", 1,
                                            &exporter, NULL, NULL, &result);
    demand(archive != NULL && result == CL_SUCCESS, "clLinkProgram of a library", result);
    cl_program object_read =
        read_back(&d, object, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, "compiled object");
    cl_program archive_read = read_back(&d, archive, CL_PROGRAM_BINARY_TYPE_LIBRARY, "library");
    if (object_read && archive_read)
        link_and_run(&d, object_read, archive_read);
    else
        printf("linking of binaries is not offered\n");
    const cl_program programs[] = {object, exporter, archive, object_read, archive_read};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (programs[i]) d.cl.clReleaseProgram(programs[i]);
    d.cl.clReleaseContext(d.context);
    return 0;
}
