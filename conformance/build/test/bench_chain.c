/* Measures what fusion saves on a chain of element-wise kernels, each of which reads what the
 * previous one wrote: kernel by kernel; fused with complete_fusion's defaults; fused without
 * barriers, which no work-item of such a chain needs; and fused without barriers and with the
 * intermediate buffers in private memory. Usage: bench_chain BACKEND SELECTOR ELEMENTS. Prints one
 * JSON object for each length of the chain: median wall-clock milliseconds for one list, from
 * start_fusion to the end of a wait. The modes are interleaved, so that other load on the machine
 * affects them alike; one-time builds and compilations are excluded. */
#include "backends/opencl/opencl.h"
#include "backends/sim/simdev.h"
#include "conformance/build/test/fusion_fixture.h"
#include "reference/runtime.h"

#include "reference/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

enum { LENGTH_MAX = 8, ROUNDS_MIN = 5, ROUNDS_MAX = 101 };

static const double SECONDS_MAX = 6;

typedef enum launch_mode { SEPARATE, BARRIERS, FUSED, PROMOTED, MODES } launch_mode;
static const char *const mode_names[MODES] = {"unfused_ms", "barriers_ms", "fused_ms",
                                              "promoted_ms"};

typedef struct bench {
    fusion_fixture *fixture;
    dev_tools tools;
    rt_fusion_compiler compiler;
    dev_device *device;
    rt_runtime *runtime;
    rt_queue_id queue;
    rt_text kernels[LENGTH_MAX];
    rt_memory *buffers[LENGTH_MAX + 1];
    uint64_t elements;
} bench;

static void demand(bench *b, rt_status status)
{
    if (rt_ok(status)) return;
    fprintf(stderr, "bench_chain: %s\n",
            rt_sink_diagnostic(b->fixture->sink, status)->message.data);
    exit(status.code == RT_UNAVAILABLE ? 77 : 1);
}

/* ---- Tools, in this process ---------------------------------------------------------------- */

static rt_status link_to_bitcode(void *user, rt_sink *sink, const dev_code *codes, uint32_t count,
                                 rt_buffer *out_bitcode)
{
    const bench *b = user;
    rt_link_code *linked = rt_alloc_array(count, sizeof *linked);
    for (uint32_t i = 0; i < count; i++)
        linked[i] = (rt_link_code){.spirv = codes[i].bytes};
    rt_status status = b->fixture->api->link_to_bitcode(sink, linked, count, out_bitcode);
    rt_free(linked);
    return status;
}

static rt_status fuse(void *user, rt_sink *sink, const rt_fusion_request *request,
                      rt_buffer *out_result)
{
    const bench *b = user;
    return b->fixture->api->fuse(sink, request, (rt_text){0}, out_result);
}

/* ---- Set-up -------------------------------------------------------------------------------- */

/* Kernel k writes half of the value that it read, plus k. */
static rt_image *make_image(bench *b)
{
    rt_arena *arena = &b->fixture->arena;
    rt_buffer source = {0};
    for (uint32_t k = 0; k < LENGTH_MAX; k++) {
        rt_buffer_printf(&source,
                         "kernel void step%u(global const float *in, global float *out) {"
                         " size_t i = get_global_id(0); out[i] = in[i] * 0.5f + %u.0f; }\n",
                         k, k);
        b->kernels[k] = rt_arena_printf(arena, "step%u", k);
    }
    rt_image *image = rt_arena_alloc(arena, sizeof *image);
    *image = (rt_image){.name = RT_TEXT("chain/0"),
                        .format = RT_FORMAT_SPIRV64,
                        .kernels = b->kernels,
                        .kernel_count = LENGTH_MAX,
                        .code = fixture_compile(b->fixture, rt_buffer_string(&source))};
    rt_image_hash(image);
    rt_buffer_free(&source);
    return image;
}

static void make_runtime(bench *b, const dev_backend *backend, rt_text selector)
{
    const rt_image *image = make_image(b);
    const rt_module module = {.name = RT_TEXT("chain"), .images = {image, 1}};
    b->tools = (dev_tools){b, link_to_bitcode};
    b->compiler = (rt_fusion_compiler){b, fuse};
    const dev_open_parameters parameters = {.sink = b->fixture->sink, .tools = &b->tools};
    demand(b, dev_device_open(backend, &parameters, selector, &b->device));
    b->runtime = rt_runtime_create(&(rt_runtime_parameters){.sink = b->fixture->sink,
                                                            .modules = &module,
                                                            .module_count = 1,
                                                            .fusion_compiler = &b->compiler});
    const rt_device *device = rt_runtime_device_add(b->runtime, RT_TEXT("device"), b->device, 0);
    rt_scheduler *scheduler = rt_runtime_scheduler(b->runtime);
    demand(b, rt_scheduler_queue_create(scheduler, device, 0, false, &b->queue));
    rt_scheduler_queue_enable_fusion(scheduler, b->queue);
    rt_loader_start(rt_runtime_loader(b->runtime), 0, NULL, 0);
    float *initial = rt_alloc_array(b->elements, sizeof *initial);
    for (uint64_t i = 0; i < b->elements; i++)
        initial[i] = (float)(i % 1000);
    for (uint32_t i = 0; i <= LENGTH_MAX; i++) {
        demand(b, rt_runtime_memory_create(b->runtime, RT_TEXT("buffer"),
                                           b->elements * sizeof *initial, initial, &b->buffers[i]));
        b->buffers[i]->element_size = sizeof *initial;
    }
    rt_free(initial);
}

/* ---- One list ------------------------------------------------------------------------------ */

static void submit(bench *b, uint32_t k, uint32_t length, launch_mode mode)
{
    bool first = k == 0, last = k + 1 == length;
    rt_promotion between = mode == PROMOTED ? RT_PROMOTION_PRIVATE : RT_PROMOTION_NONE;
    const rt_argument arguments[] = {
        {.kind = RT_ARGUMENT_MEMORY,
         .memory = b->buffers[k],
         .access = RT_ACCESS_READ,
         .promotion = first ? RT_PROMOTION_NONE : between},
        {.kind = RT_ARGUMENT_MEMORY,
         .memory = b->buffers[k + 1],
         .access = RT_ACCESS_WRITE,
         .promotion = last ? RT_PROMOTION_NONE : between},
    };
    const rt_launch launch = {.kernel = b->kernels[k],
                              .range = {.dimensions = 1, .global = {b->elements, 1, 1}},
                              .arguments = arguments,
                              .argument_count = 2};
    rt_command_id command;
    demand(b, rt_scheduler_launch(rt_runtime_scheduler(b->runtime), b->queue, &launch, &command));
}

static double wall_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double run_list(bench *b, uint32_t length, launch_mode mode)
{
    rt_fusion *fusion = rt_runtime_fusion(b->runtime);
    rt_command_id command;
    double begin = wall_ms();
    demand(b, rt_fusion_start(fusion, b->queue));
    for (uint32_t k = 0; k < length; k++)
        submit(b, k, length, mode);
    demand(b, mode == SEPARATE ? rt_fusion_cancel(fusion, b->queue)
                               : rt_fusion_complete(fusion, b->queue, mode != BARRIERS, &command));
    demand(b, rt_scheduler_wait(rt_runtime_scheduler(b->runtime)));
    return wall_ms() - begin;
}

/* ---- Medians ------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* A list whose fusion is refused would run kernel by kernel and be measured as if it were fused. */
static void check_launches(bench *b, uint32_t from, uint32_t expected)
{
    rt_trace *trace = rt_runtime_trace(b->runtime);
    uint32_t launches = 0;
    for (uint32_t i = from; i < rt_trace_count(trace); i++)
        launches += rt_trace_event(trace, i)->kind == RT_EVENT_LAUNCH;
    if (launches == expected) return;
    fprintf(stderr, "bench_chain: %u launches, %u expected\n", launches, expected);
    exit(1);
}

static void measure(bench *b, uint32_t length)
{
    static double times[MODES][ROUNDS_MAX];
    for (launch_mode mode = SEPARATE; mode < MODES;
         mode++) { /* a first run, which builds, compiles and uploads */
        uint32_t from = rt_trace_count(rt_runtime_trace(b->runtime));
        run_list(b, length, mode);
        check_launches(b, from, mode == SEPARATE ? length : 1);
    }
    double begin = wall_ms();
    uint32_t rounds = 0;
    while (rounds < ROUNDS_MAX && (rounds < ROUNDS_MIN || wall_ms() - begin < 1e3 * SECONDS_MAX)) {
        for (launch_mode mode = SEPARATE; mode < MODES; mode++)
            times[mode][rounds] = run_list(b, length, mode);
        rounds++;
    }
    printf("{\"kernels\": %u, \"elements\": %llu, \"rounds\": %u", length,
           (unsigned long long)b->elements, rounds);
    for (launch_mode mode = SEPARATE; mode < MODES; mode++) {
        qsort(times[mode], rounds, sizeof times[mode][0], compare);
        printf(", \"%s\": %.4f", mode_names[mode], times[mode][rounds / 2]);
    }
    printf("}\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    bench b = {.elements = argc == 4 ? strtoull(argv[3], NULL, 10) : 0};
    bool is_sim = argc == 4 && rt_text_is(rt_text_of(argv[1]), "sim");
    if (b.elements < 1 || b.elements > UINT64_C(1) << 26) {
        fprintf(stderr, "usage: bench_chain sim|opencl SELECTOR ELEMENTS (1 to 2^26)\n");
        return 2;
    }
    void *state = NULL;
    fusion_fixture_open(&state);
    b.fixture = state;
    make_runtime(&b, is_sim ? &simdev_backend : &ocl_backend, rt_text_of(argv[2]));
    for (uint32_t length = 2; length <= LENGTH_MAX; length *= 2)
        measure(&b, length);
    rt_runtime_destroy(b.runtime);
    dev_device_destroy(b.device);
    fusion_fixture_close(&state);
    return 0;
}
