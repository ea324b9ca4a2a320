/* Compares a maximum of 16-bit numbers with the constant that it was taken with, on the first GPU
 * of NVIDIA's driver, without assay. Needs a GPU of compute capability 9.0 or later.
 *
 *     cc short_maximum.c -ldl -o short_maximum && ./short_maximum
 *
 * Each thread stores its number if the maximum of the number and 0 differs from 0, and else 100.
 * PTX ISA, "max", "setp": 100 100 100 1 2 40 41 32767.
 *
 * Without a GPU, `ptxas -arch=sm_90` and nvdisasm show the cause for the PTX below: the comparison
 * becomes the result of VIMNMX.S16x2, which compares both halves of a register, and both results go
 * into the same predicate. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

enum { ITEMS = 8 };

static const char *ptx = ".version 6.4\n"
                         ".target sm_75\n"
                         ".address_size 64\n"
                         ".visible .entry k(.param .u64 in, .param .u64 out)\n"
                         "{\n"
                         "  .reg .pred %p;\n"
                         "  .reg .b16 %s<4>;\n"
                         "  .reg .b32 %r;\n"
                         "  .reg .b64 %d<4>;\n"
                         "  ld.param.u64 %d1, [in];\n"
                         "  ld.param.u64 %d2, [out];\n"
                         "  mov.u32 %r, %tid.x;\n"
                         "  mul.wide.u32 %d3, %r, 2;\n"
                         "  add.u64 %d1, %d1, %d3;\n"
                         "  add.u64 %d2, %d2, %d3;\n"
                         "  ld.global.u16 %s1, [%d1];\n"
                         "  max.s16 %s2, %s1, 0;\n"
                         "  mov.u16 %s3, 100;\n"
                         "  setp.eq.s16 %p, %s2, 0;\n"
                         "  @%p bra STORE;\n"
                         "  mov.u16 %s3, %s2;\n"
                         "STORE:\n"
                         "  st.global.u16 [%d2], %s3;\n"
                         "  ret;\n"
                         "}\n";

int main(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) {
        printf("%s\n", dlerror());
        return 2;
    }
#define FUNCTION(name, ...) int (*name)(__VA_ARGS__) = (int (*)(__VA_ARGS__))dlsym(driver, #name)
    FUNCTION(cuInit, unsigned);
    FUNCTION(cuDriverGetVersion, int *);
    FUNCTION(cuDeviceGetName, char *, int, int);
    FUNCTION(cuDevicePrimaryCtxRetain, void **, int);
    FUNCTION(cuCtxSetCurrent, void *);
    FUNCTION(cuModuleLoadData, void **, const void *);
    FUNCTION(cuModuleGetFunction, void **, void *, const char *);
    FUNCTION(cuMemAlloc_v2, uint64_t *, size_t);
    FUNCTION(cuMemcpyHtoD_v2, uint64_t, const void *, size_t);
    FUNCTION(cuMemcpyDtoH_v2, void *, uint64_t, size_t);
    FUNCTION(cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
             unsigned, void *, void **, void **);

    int16_t numbers[ITEMS] = {-32768, -1, 0, 1, 2, 40, 41, 32767}, results[ITEMS] = {0};
    int version = 0;
    char name[256] = "";
    void *context = NULL, *module = NULL, *kernel = NULL;
    uint64_t in = 0, out = 0;
    int status = cuInit(0);
    status |= cuDriverGetVersion(&version);
    status |= cuDeviceGetName(name, sizeof name, 0);
    status |= cuDevicePrimaryCtxRetain(&context, 0);
    status |= cuCtxSetCurrent(context);
    status |= cuModuleLoadData(&module, ptx);
    status |= cuModuleGetFunction(&kernel, module, "k");
    status |= cuMemAlloc_v2(&in, sizeof numbers);
    status |= cuMemAlloc_v2(&out, sizeof results);
    status |= cuMemcpyHtoD_v2(in, numbers, sizeof numbers);
    void *arguments[] = {&in, &out};
    status |= cuLaunchKernel(kernel, 1, 1, 1, ITEMS, 1, 1, 0, NULL, arguments, NULL);
    status |= cuMemcpyDtoH_v2(results, out, sizeof results);
    printf("%s, CUDA %d.%d, status %d\n ", name, version / 1000, version % 1000 / 10, status);
    for (int i = 0; i < ITEMS; i++)
        printf(" %d", results[i]);
    printf("\n");
    return status != 0;
}
