/* Shared by the fusion tests: compiles OpenCL C to images and images to a fused kernel, and
 * launches either on the simulated device. */
#ifndef CONFORMANCE_COMPILE_TEST_FUSION_FIXTURE_H
#define CONFORMANCE_COMPILE_TEST_FUSION_FIXTURE_H

#include "conformance/build/compile.h"
#include "reference/compiler_api.h"
#include "reference/image/fusion_request.h"
#include "sim/sim.h"

enum { FIXTURE_KERNELS_MAX = 128, FIXTURE_ARGUMENTS_MAX = 64, FIXTURE_OBJECTS_MAX = 16 };

typedef struct fusion_fixture {
    const rt_compiler_api *api;
    rt_sink *sink;
    rt_arena arena;
    sim_world *world;
    uint32_t finding_count; /* in all launches since it was last reset */
    rt_buffer result_bytes;
    rt_fusion_result result; /* of the last fusion that succeeded */
} fusion_fixture;

/* Opens the plugin in the program's folder and creates a world. */
int fusion_fixture_open(void **state);
int fusion_fixture_close(void **state);

/* Compiles a source with clang and post-links it to one image. Returns the image's code. */
rt_bytes fixture_compile(fusion_fixture *fixture, const char *source);

/* Fuses, and returns the status for the test to check. On success, SPIRV-Tools must accept the
 * fused kernel. */
rt_status fixture_fuse(fusion_fixture *fixture, const rt_fusion_request *request);

/* Like fixture_fuse, but the fusion must succeed. */
void fixture_must_fuse(fusion_fixture *fixture, const rt_fusion_request *request);

/* Returns the message of a status that is not OK. */
const char *fixture_message(fusion_fixture *fixture, rt_status status);

/* Return a range without an offset; the first size of 0 ends the list of dimensions. The first
 * function leaves the local size open; for the second, local sizes `y` and `z` of 0 mean 1. */
rt_fusion_range fixture_range(uint64_t x, uint64_t y, uint64_t z);
rt_fusion_range fixture_range_local(rt_fusion_range range, uint64_t x, uint64_t y, uint64_t z);

/* Launches a kernel in SPIR-V code over the range that the runtime would pass to a device. */
void fixture_launch(fusion_fixture *fixture, rt_bytes code, rt_text kernel,
                    const rt_fusion_range *range, const sim_argument *arguments, uint32_t count);

/* The first two functions create an object of `count` 64-bit or 32-bit words, each set to `value`;
 * the third creates an argument that passes an object. */
sim_object fixture_words(fusion_fixture *fixture, uint64_t count, uint64_t value);
sim_object fixture_ints(fusion_fixture *fixture, uint64_t count, int32_t value);
sim_argument fixture_pass(sim_object object);

#endif
