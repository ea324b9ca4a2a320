/* What main.c says, in calls of OpenCL 2.1.  Nothing but OpenCL and the C library is needed.
 *
 * The first argument of the program is a part of the name of the platform to use; without one it is
 * the first whose device takes SPIR-V.  Everything runs in the order of main.c, on one in-order
 * queue. */
#ifndef SUPPORT_OPENCL_H
#define SUPPORT_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 210
#include <CL/cl.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES_MAX = 64, TEXT_MAX = 16384 };

typedef cl_program linked_program;
typedef cl_kernel kernel_handle;

typedef struct {
    const char *name;
    size_t size;
    cl_mem object;
} memory;

/* How elements are compared.  Without a tolerance floating numbers are the same to the bit, but any
 * NaN is a NaN. */
typedef enum { INTEGERS, FLOATS, DOUBLES } number_kind;
typedef enum { EXACT, ULP, ABSOLUTE, RELATIVE } tolerance_kind;

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static int failures;

/* A call that must succeed does not: the device differs in that. */
static inline void must(cl_int result, const char *call)
{
    if (result == CL_SUCCESS) return;
    printf("FAIL: %s returned %d\n", call, (int)result);
    exit(1);
}

static inline int takes_spirv(cl_device_id candidate)
{
    char version[TEXT_MAX] = "";
    clGetDeviceInfo(candidate, CL_DEVICE_IL_VERSION, sizeof version, version, NULL);
    return strstr(version, "SPIR-V") != NULL;
}

static inline void device_open(int argument_count, char **arguments)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    char name[TEXT_MAX];
    clGetPlatformIDs(16, platforms, &count);
    for (cl_uint i = 0; i < count && i < 16 && !device; i++) {
        cl_device_id candidate;
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (argument_count > 1 && !strstr(name, arguments[1])) continue;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &candidate, NULL) != CL_SUCCESS)
            continue;
        if (takes_spirv(candidate)) device = candidate;
    }
    if (!device) {
        printf("no device here takes SPIR-V\n");
        exit(2);
    }
    cl_int result;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    printf("device: %s\n", name);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &result);
    must(result, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &result);
    must(result, "clCreateCommandQueueWithProperties");
}

static inline void *file_read(const char *name, size_t *out_size)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        printf("%s cannot be read\n", name);
        exit(2);
    }
    long size = ftell(file);
    rewind(file);
    void *content = malloc((size_t)size + 1);
    if (!content || fread(content, 1, (size_t)size, file) != (size_t)size) {
        printf("%s cannot be read\n", name);
        exit(2);
    }
    fclose(file);
    *out_size = (size_t)size;
    return content;
}

/* ---- Programs ------------------------------------------------------------------------------ */

static inline void log_print(cl_program program)
{
    char text[TEXT_MAX] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL);
    printf("%.*s\n", TEXT_MAX - 1, text);
}

static inline cl_program image_create(const char *file)
{
    size_t size;
    cl_int result;
    void *code = file_read(file, &size);
    cl_program program = clCreateProgramWithIL(context, code, size, &result);
    must(result, "clCreateProgramWithIL");
    free(code);
    return program;
}

/* Makes a program of images, which are files of SPIR-V: one is built, several are compiled and
 * linked.  NULL: the device refuses; its log has been printed. */
static inline cl_program program_link(size_t count, const char *const *files,
                                      const char *compile_options, const char *link_options)
{
    cl_program images[IMAGES_MAX];
    cl_int result = CL_SUCCESS;
    for (size_t i = 0; i < count; i++)
        images[i] = image_create(files[i]);
    if (count == 1) {
        result = clBuildProgram(images[0], 1, &device, compile_options, NULL, NULL);
        if (result == CL_SUCCESS) return images[0];
        printf("clBuildProgram returned %d\n", (int)result);
        log_print(images[0]);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        result =
            clCompileProgram(images[i], 1, &device, compile_options, 0, NULL, NULL, NULL, NULL);
        if (result == CL_SUCCESS) continue;
        printf("clCompileProgram of %s returned %d\n", files[i], (int)result);
        log_print(images[i]);
        return NULL;
    }
    cl_program program = clLinkProgram(context, 1, &device, link_options, (cl_uint)count, images,
                                       NULL, NULL, &result);
    if (result == CL_SUCCESS) return program;
    printf("clLinkProgram returned %d\n", (int)result);
    if (program) log_print(program);
    return NULL;
}

/* What a program must come to. */
static inline void program_expect(cl_program program, int linked, const char *place)
{
    if ((program != NULL) == (linked != 0)) return;
    printf("FAIL %s: the program %s\n", place,
           linked ? "is refused" : "is linked and should have been refused");
    failures++;
    if (linked) exit(1); /* nothing below can run */
}

static inline cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_int result;
    cl_kernel kernel = clCreateKernel(program, name, &result);
    must(result, "clCreateKernel");
    return kernel;
}

/* ---- Memories and commands ----------------------------------------------------------------- */

/* A buffer; initial NULL leaves its content undefined. */
static inline memory memory_create(const char *name, size_t size, const void *initial)
{
    cl_int result;
    memory made = {name, size, clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &result)};
    must(result, "clCreateBuffer");
    if (initial)
        must(clEnqueueWriteBuffer(queue, made.object, CL_TRUE, 0, size, initial, 0, NULL, NULL),
             "clEnqueueWriteBuffer");
    return made;
}

static inline void argument_memory(cl_kernel kernel, unsigned index, const memory *value)
{
    must(clSetKernelArg(kernel, index, sizeof value->object, &value->object), "clSetKernelArg");
}

static inline void argument_value(cl_kernel kernel, unsigned index, const void *value, size_t size)
{
    must(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

static inline void argument_local(cl_kernel kernel, unsigned index, size_t size)
{
    must(clSetKernelArg(kernel, index, size, NULL), "clSetKernelArg");
}

/* local NULL: the device chooses. */
static inline void launch(cl_kernel kernel, unsigned dimensions, const size_t *offset,
                          const size_t *global, const size_t *local)
{
    must(clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
}

static inline void copy(const memory *from, size_t from_offset, const memory *to, size_t to_offset,
                        size_t size)
{
    must(clEnqueueCopyBuffer(queue, from->object, to->object, from_offset, to_offset, size, 0, NULL,
                             NULL),
         "clEnqueueCopyBuffer");
}

static inline void fill(const memory *to, const void *pattern, size_t pattern_size, size_t offset,
                        size_t size)
{
    must(clEnqueueFillBuffer(queue, to->object, pattern, pattern_size, offset, size, 0, NULL, NULL),
         "clEnqueueFillBuffer");
}

static inline void finish(void)
{
    must(clFinish(queue), "clFinish");
}

/* ---- Comparing ----------------------------------------------------------------------------- */

/* The place of a floating number among all of its type, so that neighbours are 1 apart. */
static inline int64_t order_of(const void *number, size_t size)
{
    int64_t bits = 0;
    if (size == 4) {
        int32_t narrow;
        memcpy(&narrow, number, 4);
        bits = narrow < 0 ? -(int64_t)(narrow & INT32_MAX) : narrow;
    } else {
        memcpy(&bits, number, 8);
        bits = bits < 0 ? -(bits & INT64_MAX) : bits;
    }
    return bits;
}

static inline double number_of(const void *number, size_t size)
{
    float narrow;
    double wide;
    if (size == 8) {
        memcpy(&wide, number, 8);
        return wide;
    }
    memcpy(&narrow, number, 4);
    return narrow;
}

static inline int numbers_agree(const unsigned char *got, const unsigned char *expected,
                                size_t size, number_kind kind, tolerance_kind tolerance,
                                double most)
{
    if (memcmp(got, expected, size) == 0) return 1;
    if (kind == INTEGERS) return 0;
    double a = number_of(got, size), b = number_of(expected, size);
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    if (tolerance == EXACT) return 0;
    if (isinf(a) || isinf(b)) return a == b;
    int64_t apart = order_of(got, size) - order_of(expected, size);
    if (tolerance == ULP) return (double)(apart < 0 ? -apart : apart) <= most;
    return fabs(a - b) <= (tolerance == RELATIVE ? most * fabs(b) : most);
}

/* True when all numbers of the memory are as expected; `defined`, one byte a number, is 0 where
 * nothing is expected, and NULL where all count.  Prints the first that differs where `place` is
 * not NULL. */
static inline int memory_holds(const memory *read, const void *expected,
                               const unsigned char *defined, size_t number_size, number_kind kind,
                               tolerance_kind tolerance, double most, const char *place)
{
    unsigned char *got = malloc(read->size);
    must(clEnqueueReadBuffer(queue, read->object, CL_TRUE, 0, read->size, got, 0, NULL, NULL),
         "clEnqueueReadBuffer");
    size_t count = read->size / number_size, differing = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned char *wanted = (const unsigned char *)expected + i * number_size;
        if (defined && !defined[i]) continue;
        if (numbers_agree(got + i * number_size, wanted, number_size, kind, tolerance, most))
            continue;
        if (differing++ > 0 || !place) continue;
        printf("FAIL %s: %s, number %zu: expected bits 0x", place, read->name, i);
        for (size_t k = number_size; k-- > 0;)
            printf("%02x", wanted[k]);
        printf(", got 0x");
        for (size_t k = number_size; k-- > 0;)
            printf("%02x", got[i * number_size + k]);
        if (kind != INTEGERS)
            printf(" (%a, %a)", number_of(wanted, number_size),
                   number_of(got + i * number_size, number_size));
        printf("\n");
    }
    if (place && differing > 0) printf("  %zu of %zu numbers differ\n", differing, count);
    free(got);
    return differing == 0;
}

#endif
