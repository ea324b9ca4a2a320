/* Subtracts a 32-bit number from the upper half of a product, in 64 bits, on the first GPU of
 * NVIDIA's driver, without assay.
 *
 *     cc high_product.c -ldl -o high_product && ./high_product
 *
 * Thread i stores the upper half of 8 * 2^30, which is 2, less i. PTX ISA, "mul", "cvt", "sub": 2 1
 * 0 -1.
 *
 * Without a GPU, `ptxas -arch=sm_90` and nvdisasm show the cause for the PTX below, which nvcc
 * makes of (long long)__umulhi(a, b) - (long long)c: the upper 32 bits are -1 plus the carry of
 * IMAD.HI.U32, which adds the negative of i, and there is no carry if that is 0. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

enum { ITEMS = 4 };

static const char ptx[] = ".version 6.4\n"
                          ".target sm_75\n"
                          ".address_size 64\n"
                          ".visible .entry k(.param .u64 out, .param .u32 a, .param .u32 b)\n"
                          "{\n"
                          "  .reg .b32 %r<5>;\n"
                          "  .reg .b64 %d<6>;\n"
                          "  ld.param.u64 %d1, [out];\n"
                          "  ld.param.u32 %r1, [a];\n"
                          "  ld.param.u32 %r2, [b];\n"
                          "  mov.u32 %r3, %tid.x;\n"
                          "  mul.hi.u32 %r4, %r1, %r2;\n"
                          "  cvt.u64.u32 %d2, %r4;\n"
                          "  cvt.u64.u32 %d3, %r3;\n"
                          "  sub.s64 %d4, %d2, %d3;\n"
                          "  mul.wide.u32 %d5, %r3, 8;\n"
                          "  add.u64 %d1, %d1, %d5;\n"
                          "  st.global.u64 [%d1], %d4;\n"
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
    FUNCTION(cuMemcpyDtoH_v2, void *, uint64_t, size_t);
    FUNCTION(cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
             unsigned, void *, void **, void **);

    int64_t results[ITEMS] = {0};
    int version = 0;
    char name[256] = "";
    void *context = NULL, *module = NULL, *kernel = NULL;
    unsigned a = 8, b = 1u << 30;
    uint64_t out = 0;
    int status = cuInit(0);
    status |= cuDriverGetVersion(&version);
    status |= cuDeviceGetName(name, sizeof name, 0);
    status |= cuDevicePrimaryCtxRetain(&context, 0);
    status |= cuCtxSetCurrent(context);
    status |= cuModuleLoadData(&module, ptx);
    status |= cuModuleGetFunction(&kernel, module, "k");
    status |= cuMemAlloc_v2(&out, sizeof results);
    void *arguments[] = {&out, &a, &b};
    status |= cuLaunchKernel(kernel, 1, 1, 1, ITEMS, 1, 1, 0, NULL, arguments, NULL);
    status |= cuMemcpyDtoH_v2(results, out, sizeof results);
    printf("%s, CUDA %d.%d, status %d\n ", name, version / 1000, version % 1000 / 10, status);
    for (int i = 0; i < ITEMS; i++)
        printf(" %lld", (long long)results[i]);
    printf("\n");
    return status != 0;
}
