/* Calls a function that has no parameters and returns 64 bytes, from two branches, on the first GPU
 * of NVIDIA's driver, without assay. The module is linked, as with `nvcc -rdc=true`.
 *
 *     cc large_result.c -ldl -o large_result && ./large_result
 *
 * The function returns 13 eight times; thread 0 stores the first one, and thread 1 the last one
 * plus 1. PTX ISA, "call": 13 14.
 *
 * Without a GPU, `ptxas -arch=sm_90 -c` and nvdisasm show the cause for the PTX below: the function
 * stores to the address in R4, which the kernel has to set before each call, but sets before one
 * only. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

enum { ITEMS = 2, PTX = 1 /* CU_JIT_INPUT_PTX */ };

static const char ptx[] = ".version 6.4\n"
                          ".target sm_75\n"
                          ".address_size 64\n"
                          ".visible .func (.param .align 8 .b8 result[64]) thirteen()\n"
                          "{\n"
                          "  .reg .b64 %d;\n"
                          "  mov.u64 %d, 13;\n"
                          "  st.param.b64 [result], %d;\n"
                          "  st.param.b64 [result+8], %d;\n"
                          "  st.param.b64 [result+16], %d;\n"
                          "  st.param.b64 [result+24], %d;\n"
                          "  st.param.b64 [result+32], %d;\n"
                          "  st.param.b64 [result+40], %d;\n"
                          "  st.param.b64 [result+48], %d;\n"
                          "  st.param.b64 [result+56], %d;\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry k(.param .u64 out)\n"
                          "{\n"
                          "  .reg .pred %p;\n"
                          "  .reg .b32 %r;\n"
                          "  .reg .b64 %d<4>;\n"
                          "  ld.param.u64 %d1, [out];\n"
                          "  mov.u32 %r, %tid.x;\n"
                          "  mul.wide.u32 %d2, %r, 8;\n"
                          "  add.u64 %d1, %d1, %d2;\n"
                          "  setp.eq.s32 %p, %r, 1;\n"
                          "  @%p bra ONE;\n"
                          "  {\n"
                          "  .param .align 8 .b8 got[64];\n"
                          "  call (got), thirteen, ();\n"
                          "  ld.param.b64 %d3, [got];\n"
                          "  }\n"
                          "  st.global.u64 [%d1], %d3;\n"
                          "  ret;\n"
                          "ONE:\n"
                          "  {\n"
                          "  .param .align 8 .b8 got[64];\n"
                          "  call (got), thirteen, ();\n"
                          "  ld.param.b64 %d3, [got+56];\n"
                          "  }\n"
                          "  add.u64 %d3, %d3, 1;\n"
                          "  st.global.u64 [%d1], %d3;\n"
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
    FUNCTION(cuLinkCreate_v2, unsigned, void *, void *, void **);
    FUNCTION(cuLinkAddData_v2, void *, int, void *, size_t, const char *, unsigned, void *, void *);
    FUNCTION(cuLinkComplete, void *, void **, size_t *);
    FUNCTION(cuModuleLoadData, void **, const void *);
    FUNCTION(cuModuleGetFunction, void **, void *, const char *);
    FUNCTION(cuMemAlloc_v2, uint64_t *, size_t);
    FUNCTION(cuMemcpyDtoH_v2, void *, uint64_t, size_t);
    FUNCTION(cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
             unsigned, void *, void **, void **);

    int64_t results[ITEMS] = {0};
    int version = 0;
    char name[256] = "";
    void *context = NULL, *linker = NULL, *program = NULL, *module = NULL, *kernel = NULL;
    size_t size = 0;
    uint64_t out = 0;
    int status = cuInit(0);
    status |= cuDriverGetVersion(&version);
    status |= cuDeviceGetName(name, sizeof name, 0);
    status |= cuDevicePrimaryCtxRetain(&context, 0);
    status |= cuCtxSetCurrent(context);
    status |= cuLinkCreate_v2(0, NULL, NULL, &linker);
    status |= cuLinkAddData_v2(linker, PTX, (void *)ptx, sizeof ptx, "k", 0, NULL, NULL);
    status |= cuLinkComplete(linker, &program, &size);
    status |= cuModuleLoadData(&module, program);
    status |= cuModuleGetFunction(&kernel, module, "k");
    status |= cuMemAlloc_v2(&out, sizeof results);
    void *arguments[] = {&out};
    status |= cuLaunchKernel(kernel, 1, 1, 1, ITEMS, 1, 1, 0, NULL, arguments, NULL);
    status |= cuMemcpyDtoH_v2(results, out, sizeof results);
    printf("%s, CUDA %d.%d, status %d\n ", name, version / 1000, version % 1000 / 10, status);
    for (int i = 0; i < ITEMS; i++)
        printf(" %lld", (long long)results[i]);
    printf("\n");
    return status != 0;
}
