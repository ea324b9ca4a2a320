/* Integer instructions of PTX at the ends of their ranges, on the first GPU of NVIDIA's driver,
 * without assay.
 *
 *     cc integer_edges.c -ldl -o integer_edges && ./integer_edges
 *
 * Each line has what the instruction yields and what it must yield by the PTX ISA:
 *   neg   neg.s16 of -32768, converted to 32 bits: the sum with -32768 wraps, as in C after a
 *         conversion to short
 *   prmt  with the sign of byte 3 of the first operand, 0x80000000, as the lowest byte: 0xff
 *   bfi   the lowest 32 bits of 7 into 0x80000000 from bit 12 on, where there is room for 20:
 *         0x7000
 *   bfe   nine signed bits of 7 from bit 33 on, all of which are copies of bit 31
 *   cnot  of 0, converted to 16 bits: 1
 *
 * Without a GPU, `ptxas -arch=sm_90` and nvdisasm show the same for the PTX below. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

enum { INSTRUCTIONS = 5 };

static const struct {
    const char *name;
    int must_be;
} instructions[] = {{"neg", -32768}, {"prmt", 255}, {"bfi", 28672}, {"bfe", 0}, {"cnot", 1}};

static const char ptx[] = ".version 6.4\n"
                          ".target sm_75\n"
                          ".address_size 64\n"
                          ".visible .entry k(.param .u64 in, .param .u64 out)\n"
                          "{\n"
                          "  .reg .b16 %s<3>;\n"
                          "  .reg .b32 %r<12>;\n"
                          "  .reg .b64 %d<3>;\n"
                          "  ld.param.u64 %d1, [in];\n"
                          "  ld.param.u64 %d2, [out];\n"
                          "  ld.global.u16 %s1, [%d1];\n"
                          "  neg.s16 %s1, %s1;\n"
                          "  cvt.s32.s16 %r1, %s1;\n"
                          "  st.global.u32 [%d2], %r1;\n"
                          "  ld.global.u32 %r2, [%d1+4];\n"
                          "  ld.global.u32 %r3, [%d1+8];\n"
                          "  prmt.b32 %r4, %r2, %r3, 17819;\n"
                          "  cvt.u32.u8 %r5, %r4;\n"
                          "  st.global.u32 [%d2+4], %r5;\n"
                          "  bfi.b32 %r6, %r3, %r2, 12, 32;\n"
                          "  st.global.u32 [%d2+8], %r6;\n"
                          "  bfe.s32 %r7, %r3, 33, 9;\n"
                          "  st.global.u32 [%d2+12], %r7;\n"
                          "  ld.global.u32 %r8, [%d1+12];\n"
                          "  cnot.b32 %r9, %r8;\n"
                          "  cvt.sat.u16.u32 %s2, %r9;\n"
                          "  cvt.u32.u16 %r10, %s2;\n"
                          "  st.global.u32 [%d2+16], %r10;\n"
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

    const int numbers[] = {-32768, INT32_MIN, 7, 0};
    int results[INSTRUCTIONS] = {0};
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
    status |= cuMemcpyHtoD_v2(in, numbers, sizeof numbers);
    status |= cuMemAlloc_v2(&out, sizeof results);
    void *arguments[] = {&in, &out};
    status |= cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
    status |= cuMemcpyDtoH_v2(results, out, sizeof results);
    printf("%s, CUDA %d.%d, status %d\n", name, version / 1000, version % 1000 / 10, status);
    for (int i = 0; i < INSTRUCTIONS; i++)
        printf("%s %d, must be %d\n", instructions[i].name, results[i], instructions[i].must_be);
    return status != 0;
}
