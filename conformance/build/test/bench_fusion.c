/* Measures how long the fusion compiler takes on lists of small kernels, with one range and with
 * different ones. Usage: bench_fusion KERNELS. Prints one JSON object: processor seconds of one
 * fusion (the minimum of several), and bytes in and out. */
#include "conformance/build/test/fusion_fixture.h"

#include "reference/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

enum { REPEATS = 3, SOURCES = 10, SIZE = 1024 };

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Compiles SOURCES different kernels, each one line of arithmetic; longer lists repeat them. */
static rt_bytes compile(fusion_fixture *fixture)
{
    rt_buffer source = {0};
    for (uint32_t i = 0; i < SOURCES; i++) {
        rt_buffer_printf(&source,
                         "kernel void k%u(global const int *a, global int *b, int n) {"
                         " size_t i = get_global_id(0); b[i] = %u * a[i] + n; }\n",
                         i, i + 2);
    }
    rt_bytes code = fixture_compile(fixture, rt_buffer_string(&source));
    rt_buffer_free(&source);
    return code;
}

/* Returns the minimum time of REPEATS fusions, in processor seconds; each kernel reads what the
 * previous one wrote. */
static double measure(fusion_fixture *fixture, const rt_link_code *code, uint32_t count,
                      bool different)
{
    rt_fusion_kernel *kernels = rt_alloc_array(count, sizeof *kernels);
    rt_fusion_identity *identities = rt_alloc_array(count, sizeof *identities);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t size = different && i % 2 ? SIZE / 2 : SIZE;
        kernels[i] = (rt_fusion_kernel){
            rt_arena_printf(&fixture->arena, "k%u", i % SOURCES), code, 1,
            different && i % 3 == 0 ? fixture_range(32, SIZE / 32, 0) : fixture_range(size, 0, 0)};
        if (i > 0) identities[i - 1] = (rt_fusion_identity){{i - 1, 1}, {i, 0}};
    }
    const rt_fusion_request request = {.name = RT_TEXT("fused"),
                                       .kernels = kernels,
                                       .kernel_count = count,
                                       .range = kernels[0].range,
                                       .barriers = true,
                                       .identities = identities,
                                       .identity_count = count - 1,
                                       .format = RT_FORMAT_SPIRV64,
                                       .spirv_version_max = 0x00010200};
    double least = 0;
    for (uint32_t i = 0; i < REPEATS; i++) {
        double begin = processor_seconds();
        fixture_must_fuse(fixture, &request);
        double elapsed = processor_seconds() - begin;
        if (i == 0 || elapsed < least) least = elapsed;
    }
    rt_free(kernels);
    rt_free(identities);
    return least;
}

int main(int argc, char **argv)
{
    uint32_t count = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    if (count < 1 || count > 10000) {
        fprintf(stderr, "usage: bench_fusion KERNELS (1 to 10000)\n");
        return 2;
    }
    void *state = NULL;
    fusion_fixture_open(&state);
    fusion_fixture *fixture = state;
    const rt_link_code code = {compile(fixture), NULL, 0};
    double alike = measure(fixture, &code, count, false);
    size_t alike_bytes = fixture->result.image.code.size;
    double different = measure(fixture, &code, count, true);
    printf("{\"kernels\": %u, \"one_range_s\": %.6f, \"one_range_bytes\": %zu, "
           "\"different_ranges_s\": %.6f, \"different_ranges_bytes\": %zu}\n",
           count, alike, alike_bytes, different, fixture->result.image.code.size);
    fusion_fixture_close(&state);
    return 0;
}
