/* Tests how a real driver treats programs that are compiled ahead of time but not linked: one
 * process compiles, and another loads the binaries of the types COMPILED_OBJECT and LIBRARY, links
 * them without compiling anything, and runs the result.
 *
 * Their contents, and whether they can be linked, are up to the driver (DL-BACKEND-13); the test
 * prints them.  It requires that an unresolved import compiles (DL-BACKEND-11), that a binary keeps
 * its type, and that the result of a successful link computes the right value.  With the argument
 * `links`, it also requires that the driver links what it has compiled ahead of time
 * (DL-BACKEND-12). The adapter itself links no binaries.
 *
 * Source: OpenCL 3.0 API specification, 5.8.1 "Creating Program Objects" and 5.8.3. */
#include "backends/opencl/ocl_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Writes the program's binary to the file, its size first; the program must have that type.  The
 * size is 0 if the driver returns no binary. */
static void keep(driver *d, cl_program program, cl_program_binary_type type, const char *name,
                 FILE *file)
{
    demand(type_of(d, program) == type, "a program has another binary type", (cl_int)type);
    size_t size = 0;
    d->cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    unsigned char *bytes = malloc(size ? size : 1);
    demand(bytes != NULL, "no memory", 0);
    cl_int result =
        d->cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
    demand(size == 0 || result == CL_SUCCESS, "clGetProgramInfo", result);
    bool bitcode = memmem(bytes, size, "BC\xC0\xDE", 4) != NULL;
    printf("%s: %zu bytes, %s\n", name, size, bitcode ? "LLVM bitcode" : "no LLVM bitcode");
    demand(fwrite(&size, sizeof size, 1, file) == 1, "fwrite", 0);
    demand(fwrite(bytes, 1, size, file) == size, "fwrite", 0);
    free(bytes);
}

/* Creates a program from the file's next binary; NULL if the driver returned none or rejects it. */
static cl_program read_back(driver *d, cl_program_binary_type type, FILE *file)
{
    size_t size = 0;
    demand(fread(&size, sizeof size, 1, file) == 1, "fread", 0);
    if (size == 0) return NULL;
    unsigned char *bytes = malloc(size);
    demand(bytes != NULL, "no memory", 0);
    demand(fread(bytes, 1, size, file) == size, "fread", 0);
    const unsigned char *binary = bytes;
    cl_int result;
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

/* The process that compiles ahead of time. */
static int compile_all(const char *platform, FILE *file)
{
    static driver d;
    if (!driver_open(&d, platform)) return SKIPPED;
    cl_program object = compiled(&d, application), exporter = compiled(&d, library_source);
    cl_int result;
    cl_program archive = d.cl.clLinkProgram(d.context, 1, &d.device, "-create-library", 1,
                                            &exporter, NULL, NULL, &result);
    demand(archive != NULL && result == CL_SUCCESS, "clLinkProgram of a library", result);
    keep(&d, object, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, "application", file);
    keep(&d, exporter, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, "its provider", file);
    keep(&d, archive, CL_PROGRAM_BINARY_TYPE_LIBRARY, "the provider as a library", file);
    const cl_program programs[] = {object, exporter, archive};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        d.cl.clReleaseProgram(programs[i]);
    d.cl.clReleaseContext(d.context);
    return fflush(file) == 0 ? 0 : 1;
}

/* Links programs that were created from binaries; runs the result if there is one. */
static bool link_and_run(driver *d, uint32_t input_count, const cl_program *inputs)
{
    for (uint32_t i = 0; i < input_count; i++)
        if (!inputs[i]) return false;
    cl_int result;
    cl_program linked = d->cl.clLinkProgram(d->context, 1, &d->device, "", input_count, inputs,
                                            NULL, NULL, &result);
    bool is_linked = result == CL_SUCCESS;
    if (is_linked) run(d, linked);
    if (linked) d->cl.clReleaseProgram(linked);
    return is_linked;
}

/* The process that links and runs, and compiles nothing. */
static int link_all(const char *platform, bool must_link, FILE *file)
{
    static driver d;
    if (!driver_open(&d, platform)) return SKIPPED;
    cl_program object = read_back(&d, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, file);
    cl_program provider = read_back(&d, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, file);
    cl_program archive = read_back(&d, CL_PROGRAM_BINARY_TYPE_LIBRARY, file);
    bool links_objects = link_and_run(&d, 2, (const cl_program[]){object, provider});
    bool links_library = link_and_run(&d, 2, (const cl_program[]){object, archive});
    printf("linking of objects: %s; of an object and a library: %s\n",
           links_objects ? "offered" : "refused", links_library ? "offered" : "refused");
    if (must_link) {
        demand(links_objects, "objects are not linked (DL-BACKEND-12)", 0);
        demand(links_library, "an object and a library are not linked (DL-BACKEND-12)", 0);
        /* The import is still open: nothing in the binary provides it. */
        demand(!link_and_run(&d, 1, &object), "the application links without its provider", 0);
    }
    const cl_program programs[] = {object, provider, archive};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (programs[i]) d.cl.clReleaseProgram(programs[i]);
    d.cl.clReleaseContext(d.context);
    return 0;
}

int main(int argument_count, char **arguments)
{
    bool must_link = argument_count == 3 && strcmp(arguments[2], "links") == 0;
    if (argument_count != 2 + must_link) {
        fprintf(stderr, "usage: %s PART-OF-A-PLATFORM'S-NAME [links]\n", arguments[0]);
        return 2;
    }
    FILE *file = tmpfile();
    demand(file != NULL, "tmpfile", 0);
    fflush(stdout);
    pid_t compiler = fork(); /* before this process loads a driver */
    demand(compiler >= 0, "fork", 0);
    if (compiler == 0) exit(compile_all(arguments[1], file));
    int ended;
    demand(waitpid(compiler, &ended, 0) == compiler && WIFEXITED(ended),
           "the compiling process died", 0);
    if (WEXITSTATUS(ended) != 0) return WEXITSTATUS(ended);
    rewind(file);
    int status = link_all(arguments[1], must_link, file);
    fclose(file);
    return status;
}
