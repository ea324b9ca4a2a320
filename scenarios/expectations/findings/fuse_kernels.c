/* What the fusion compiler of DPC++ 2025.2 (libsycl-jit, fuseKernels) makes of two kernels, without
 * assay: fuses them, runs the result on the first OpenCL device, and prints the buffers. Each case
 * is one list; its comment says what running the kernels one after the other gives.
 *
 * The library is $FUSION/lib/libsycl-jit.so of intel-sycl-rt 2025.2.0 to 2025.2.2. Types:
 * intel/llvm of 2025, sycl-jit, common/include/Kernel.h. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const void *items;
    size_t count;
} array;
typedef struct {
    uint32_t format;
    uint64_t bits;
    const uint8_t *start;
    uint64_t size;
} binary;
typedef struct {
    int32_t dimensions;
    size_t global[3], local[3], offset[3];
} range; /* SYCL's order */
typedef struct {
    const char *name;
    array kinds, usage, attributes;
    range nd;
    binary code;
} kernel;
typedef struct {
    uint32_t kernel, parameter;
} place;
typedef struct {
    place parameter;
    array value;
} constant;
typedef struct {
    int32_t type;
    kernel fused;
    const char *error;
} result;
typedef struct option {
    void (*const *functions)(struct option *);
    uint32_t id, value[2];
} option;

static void keep(option *o)
{
    (void)o;
}

/* The part of OpenCL that is called. */
typedef void *cl;
int clGetPlatformIDs(unsigned, cl *, unsigned *);
int clGetDeviceIDs(cl, uint64_t, unsigned, cl *, unsigned *);
cl clCreateContext(const intptr_t *, unsigned, const cl *, cl, cl, int *);
cl clCreateCommandQueueWithProperties(cl, cl, const uint64_t *, int *);
cl clCreateProgramWithIL(cl, const void *, size_t, int *);
int clBuildProgram(cl, unsigned, const cl *, const char *, cl, cl);
cl clCreateKernel(cl, const char *, int *);
cl clCreateBuffer(cl, uint64_t, size_t, void *, int *);
int clSetKernelArg(cl, unsigned, size_t, const void *);
int clEnqueueNDRangeKernel(cl, cl, unsigned, const size_t *, const size_t *, const size_t *,
                           unsigned, const cl *, cl *);
int clEnqueueReadBuffer(cl, cl, unsigned, size_t, size_t, void *, unsigned, const cl *, cl *);

static void check(int ok, const char *what)
{
    if (ok) return;
    printf("%s failed\n", what);
    exit(2);
}

enum { LLVM = 1, SPIRV = 2, COUNT = 24 }; /* formats; elements of a buffer */

static binary file_read(const char *name)
{
    FILE *file = fopen(name, "rb");
    check(file != NULL, name);
    uint8_t *bytes = malloc(1 << 20);
    size_t size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return (binary){strstr(name, ".bc") ? LLVM : SPIRV, 64, bytes, size};
}

static const uint32_t pointer[] = {0}, pointer_and_value[] = {0, 1}, pointers[] = {0, 0};
static const uint8_t used[] = {1, 1};
static const struct {
    char small;
    long wide;
} part = {2, 1};
static const char set = 1;
static const int one = 1, five = 5;

typedef struct {
    const char *name;
    const char *files[2];
    kernel kernels[2]; /* without their code */
    constant constants[2];
    size_t constant_count, element_bytes, kernel_count;
} list;

#define ONE(x)                                                                                     \
    {                                                                                              \
        1, {x, 1, 1}, {0},                                                                         \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define GROUPS(x, of)                                                                              \
    {                                                                                              \
        1, {x, 1, 1}, {of, 1, 1},                                                                  \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define FROM(x, at)                                                                                \
    {                                                                                              \
        1, {x, 1, 1}, {0},                                                                         \
        {                                                                                          \
            at, 0, 0                                                                               \
        }                                                                                          \
    }
#define TWO(slow, fast)                                                                            \
    {                                                                                              \
        2, {slow, fast, 1}, {0},                                                                   \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define KINDS(of)                                                                                  \
    {of, sizeof of / sizeof *of}, {used, sizeof of / sizeof *of},                                  \
    {                                                                                              \
        0                                                                                          \
    }
#define BOTH                                                                                       \
    {                                                                                              \
        "fuse_kernels.spv", "fuse_kernels.spv"                                                     \
    }
static const list lists[] = {
    /* 1 in elements 4 to 19, 10 in elements 4 to 11 */
    {"offset",
     BOTH,
     {{"first_at", KINDS(pointer), FROM(16, 4), {0}},
      {"second_at", KINDS(pointer), FROM(8, 4), {0}}},
     {{{0}}},
     0,
     4,
     2},
    /* 0 to 7, then 100 to 107: 100 times the row and the column, row by row */
    {"grid",
     BOTH,
     {{"grid", KINDS(pointer), TWO(2, 8), {0}}, {"line", KINDS(pointer), ONE(24), {0}}},
     {{{0}}},
     0,
     4,
     2},
    /* 102: small is 2, wide is 1 */
    {"struct",
     BOTH,
     {{"take", KINDS(pointer_and_value), ONE(2), {0}}, {"line", KINDS(pointer), ONE(2), {0}}},
     {{{0, 1}, {&part, sizeof part}}},
     1,
     8,
     2},
    /* 1 from the first module, 100 from the second */
    {"names",
     {"add1.spv", "add100.spv"},
     {{"add", KINDS(pointer), ONE(4), {0}}, {"add", KINDS(pointer), ONE(4), {0}}},
     {{{0}}},
     0,
     4,
     2},
    /* 7, which is stored if the bit is set */
    {"bit",
     {"pick.spv", "fuse_kernels.spv"},
     {{"pick", KINDS(pointer_and_value), ONE(1), {0}}, {"line", KINDS(pointer), ONE(1), {0}}},
     {{{0, 1}, {&set, sizeof set}}},
     1,
     4,
     2},
    /* 2 1 4 3, then 6 5 8 7: the neighbour's number in a group of two */
    {"twice",
     BOTH,
     {{"swap", KINDS(pointer_and_value), GROUPS(4, 2), {0}},
      {"swap", KINDS(pointer_and_value), GROUPS(4, 2), {0}}},
     {{{0, 1}, {&one, sizeof one}}, {{1, 1}, {&five, sizeof five}}},
     2,
     4,
     2},
    /* 1 in elements 0 to 7: each work-item is within its group */
    {"inside",
     BOTH,
     {{"inside", KINDS(pointer), ONE(8), {0}}, {"grid", KINDS(pointer), TWO(2, 8), {0}}},
     {{{0}}},
     0,
     4,
     2},
    /* 9 9 11 11 13 13 15 15, twice: the last number in a group of two by two */
    {"square",
     BOTH,
     {{"square", KINDS(pointer), TWO(2, 8), {0}}, {"ones", KINDS(pointer), TWO(4, 4), {0}}},
     {{{0}}},
     0,
     4,
     2},
    /* no type declared twice */
    {"event",
     BOTH,
     {{"copy", KINDS(pointers), ONE(1), {0}}, {"line", KINDS(pointer), ONE(1), {0}}},
     {{{0}}},
     0,
     4,
     2},
    /* 10 in elements 0 to 3, or a refusal */
    {"address",
     {"choose.bc", "fuse_kernels.spv"},
     {{"choose", KINDS(pointer), ONE(4), {0}}, {"line", KINDS(pointer), ONE(4), {0}}},
     {{{0}}},
     0,
     4,
     2},
    /* -1 1 7 1 3 1 7 1, and nothing that a device may lack */
    {"switch",
     {"leave.spv", "fuse_kernels.spv"},
     {{"leave", KINDS(pointer), ONE(8), {0}}, {"line", KINDS(pointer), ONE(8), {0}}},
     {{{0}}},
     0,
     4,
     2},
};

/* Prints what a module must not have: capabilities that only extensions define, as the modules
 * that are fused need none, and OpTypeEvent more than once. Returns the number of lines. */
static int mistakes_print(binary code)
{
    const uint32_t *words = (const uint32_t *)code.start;
    int count = 0, events = 0;
    for (size_t i = 5; i < code.size / 4 && words[i] >> 16; i += words[i] >> 16) {
        uint32_t opcode = words[i] & 0xffff;
        if (opcode == 17 && words[i + 1] >= 5000) {
            printf("the fused module needs capability %u\n", words[i + 1]);
            count++;
        }
        if (opcode == 34 && ++events == 2) {
            printf("the fused module has OpTypeEvent twice\n");
            count++;
        }
    }
    return count;
}

/* Prints the first `count` elements. */
static void buffer_print(cl queue, cl buffer, size_t element_bytes, int count)
{
    long wide[COUNT];
    int narrow[COUNT];
    check(clEnqueueReadBuffer(queue, buffer, 1, 0, COUNT * element_bytes,
                              element_bytes == 8 ? (void *)wide : (void *)narrow, 0, NULL,
                              NULL) == 0,
          "reading");
    for (int i = 0; i < count; i++)
        printf("%s%ld", i ? " " : "", element_bytes == 8 ? wide[i] : narrow[i]);
    printf("\n");
}

/* Runs the fused kernel; each parameter that is left is a buffer of its own, filled with `fill`. */
static void run(const result *answer, const list *of)
{
    cl platform, device, buffers[4];
    int error;
    check(clGetPlatformIDs(1, &platform, NULL) == 0 &&
              clGetDeviceIDs(platform, 0xffffffff, 1, &device, NULL) == 0,
          "OpenCL");
    cl context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl program =
        clCreateProgramWithIL(context, answer->fused.code.start, answer->fused.code.size, &error);
    check(program && clBuildProgram(program, 1, &device, "", NULL, NULL) == 0,
          "building the fused kernel");
    cl fused = clCreateKernel(program, "fused", &error);
    unsigned count = 0;
    for (size_t i = 0; i < answer->fused.usage.count; i++) {
        if (!(((const uint8_t *)answer->fused.usage.items)[i] & 1)) continue;
        char zeros[COUNT * 8] = {0};
        buffers[count] = clCreateBuffer(context, 1 | 32, COUNT * of->element_bytes, zeros, &error);
        check(clSetKernelArg(fused, count, sizeof(cl), &buffers[count]) == 0,
              "setting an argument");
        count++;
    }
    const range *nd = &answer->fused.nd;
    size_t global[3], local[3] = {0}, offset[3];
    for (int i = 0; i < nd->dimensions; i++) {
        global[i] = nd->global[nd->dimensions - 1 - i];
        local[i] = nd->local[nd->dimensions - 1 - i];
        offset[i] = nd->offset[nd->dimensions - 1 - i];
    }
    check(clEnqueueNDRangeKernel(queue, fused, (unsigned)nd->dimensions, offset, global,
                                 local[0] ? local : NULL, 0, NULL, NULL) == 0,
          "launching");
    for (unsigned i = 0; i < count; i++)
        buffer_print(queue, buffers[i], of->element_bytes, of->element_bytes == 8 ? 2 : COUNT);
}

int main(int argument_count, char **arguments)
{
    check(argument_count == 2, "usage: fuse_kernels CASE");
    char path[4096];
    snprintf(path, sizeof path, "%s/lib/libsycl-jit.so", getenv("FUSION") ? getenv("FUSION") : ".");
    void *library = dlopen(path, RTLD_NOW);
    check(library != NULL, path);
    result *(*fuse)(result *, array, const char *, array, uint32_t, array, array) =
        dlsym(library, "fuseKernels");
    void (*add)(option **) = dlsym(library, "addToJITConfiguration");
    void (*reset)(void) = dlsym(library, "resetJITConfiguration");
    check(fuse && add && reset, "finding fuseKernels");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (strcmp(arguments[1], lists[i].name) != 0) continue;
        list of = lists[i];
        for (size_t k = 0; k < of.kernel_count; k++)
            of.kernels[k].code = file_read(of.files[k]);
        static void (*const functions[])(option *) = {keep, keep};
        static option target = {functions, 2, {2, 0xffffffff}};
        option *set = &target;
        reset();
        add(&set);
        result answer = {0};
        fuse(&answer, (array){of.kernels, of.kernel_count}, "fused", (array){0}, 0, (array){0},
             (array){of.constants, of.constant_count});
        if (answer.type == 0)
            printf("refused: %s\n", answer.error);
        else if (mistakes_print(answer.fused.code) == 0)
            run(&answer, &of);
        return 0;
    }
    check(0, "finding the case");
}
