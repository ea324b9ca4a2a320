/* Launches kernels in tests: modules built at three levels of optimisation, run on every engine
 * that this machine supports. */
#ifndef SIM_TEST_HARNESS_H
#define SIM_TEST_HARNESS_H

#include "sim/exec/exec.h"
#include "sim/test/assembler.h"
#include "sim/test/executed.h"
#include "sim/test/tier_fate.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#define FINDINGS_MAX 32

typedef struct harness {
    rt_sink *sink;
    sim_program *program;
    sim_world *world;
    sim_finding findings[FINDINGS_MAX]; /* their strings are in `texts` */
    char texts[FINDINGS_MAX][2][512];
    uint32_t finding_count;
    rt_buffer output; /* of the last launch */
    uint64_t budget;
    bool checks_fate;      /* of launches of the tier that the environment names */
    sim_schedule schedule; /* from SIM_TEST_SCHEDULE in the environment, by default lockstep */
    rt_status status;      /* of the last launch */
} harness;

static inline sim_module *harness_read(rt_sink *sink, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    static const size_t size_max = 4u << 20;
    uint8_t *data = rt_alloc(size_max);
    size_t size = fread(data, 1, size_max, file);
    fclose(file);
    sim_module *module = NULL;
    rt_status status = sim_module_create(sink, (rt_bytes){data, size}, NULL, 0, &module);
    rt_free(data);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(sink, status)->message.data);
    return module;
}

/* CTest runs the execution tests under every schedule, with the same expectations. */
static inline sim_schedule harness_schedule(void)
{
    const char *name = getenv("SIM_TEST_SCHEDULE");
    sim_schedule schedule = SIM_SCHEDULE_LOCKSTEP;
    while (name && schedule < SIM_SCHEDULES && strcmp(sim_schedule_name(schedule), name) != 0)
        schedule++;
    if (schedule == SIM_SCHEDULES) fail_msg("there is no schedule %s", name);
    return schedule;
}

/* Skips a test whose expectations hold only under the schedules lockstep and forward. */
#define HARNESS_IN_ORDER()                                                                         \
    do {                                                                                           \
        if (harness_schedule() > SIM_SCHEDULE_FORWARD) skip();                                     \
    } while (0)

static char harness_code[] = "/tmp/sim_code_XXXXXX";

static inline int harness_code_remove(const char *path, const struct stat *status, int kind,
                                      struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static inline void harness_code_forget(void)
{
    (void)nftw(harness_code, harness_code_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* Chooses how the world's kernels run. A test launches a kernel in many worlds, and LLVM would take
 * most of its time, so a folder of this process keeps the machine code; no other process sees it,
 * because its code may be of an earlier build. */
static inline void harness_choose_tier(harness *h, const char *tier)
{
    static bool is_made;
    rt_status status = sim_world_choose_tier(h->world, rt_text_of(tier), NULL);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(h->sink, status)->message.data);
    if (!is_made) {
        if (!mkdtemp(harness_code)) fail_msg("cannot create %s", harness_code);
        atexit(harness_code_forget);
        is_made = true;
    }
    sim_world_keep_code(h->world, rt_text_of(harness_code));
}

/* Links modules, destroys them, and creates a world on the given engine. */
static inline harness harness_link(rt_sink *sink, sim_module **modules, uint32_t count,
                                   uint32_t engine)
{
    harness h = {.sink = sink, .schedule = harness_schedule()};
    rt_status status =
        sim_program_link(sink, (const sim_module *const *)modules, count, &h.program);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(sink, status)->message.data);
    for (uint32_t i = 0; i < count; i++)
        sim_module_destroy(modules[i]);
    h.world = sim_world_create(sink, 42);
    h.world->engine = engine;
    const char *threads = getenv("SIM_TEST_THREADS");
    if (threads) sim_world_use_threads(h.world, (uint32_t)strtoul(threads, NULL, 10));
    if (getenv("SIM_TEST_PACKS")) h.world->pack_steps = 0;
    const char *tier = getenv("SIM_TEST_TIER");
    if (tier) harness_choose_tier(&h, tier);
    h.checks_fate = tier && strcmp(tier, "compiled") == 0;
    return h;
}

#ifdef SIM_TEST_FOLDER
/* The kernels of test/FILE.cl. */
static inline harness harness_open_file(const char *file, uint32_t level, uint32_t engine)
{
    char path[1024];
    snprintf(path, sizeof path, SIM_TEST_FOLDER "%s_%u.spv", file, level);
    rt_sink *sink = rt_sink_create();
    sim_module *module = harness_read(sink, path);
    return harness_link(sink, &module, 1, engine);
}
static inline harness harness_open(uint32_t level, uint32_t engine)
{
    return harness_open_file("kernels", level, engine);
}
#endif

static inline harness harness_text(const char *text)
{
    rt_sink *sink = rt_sink_create();
    sim_module *module = sim_test_module(sink, text);
    return harness_link(sink, &module, 1, sim_engine_best());
}

/* From now on the world's kernels run compiled, if the compiler is part of the build; what earlier
 * kernels did is forgotten. */
static inline bool harness_compile(harness *h)
{
#ifdef SIM_TEST_COMPILED
    harness_choose_tier(h, "compiled");
    return true;
#else
    (void)h;
    return false;
#endif
}

static inline void harness_close(harness *h)
{
    rt_buffer_free(&h->output);
    sim_world_destroy(h->world);
    sim_program_destroy(h->program);
    rt_sink_destroy(h->sink);
}

static inline void harness_finding(void *user, const sim_finding *finding)
{
    harness *h = user;
    assert_true(h->finding_count < FINDINGS_MAX);
    uint32_t i = h->finding_count++;
    h->findings[i] = *finding;
    snprintf(h->texts[i][0], 512, "%.*s", RT_TEXT_ARG(finding->message));
    snprintf(h->texts[i][1], 512, "%.*s", RT_TEXT_ARG(finding->object));
    h->findings[i].message = rt_text_of(h->texts[i][0]);
    h->findings[i].object = rt_text_of(h->texts[i][1]);
}

static inline void harness_output(void *user, rt_text text)
{
    rt_buffer_append_text(&((harness *)user)->output, text);
}

static inline sim_object harness_memory(harness *h, const char *label, const void *data,
                                        size_t size)
{
    sim_object object;
    assert_true(rt_ok(sim_object_create(h->world, size, rt_text_of(label), &object)));
    if (data) sim_object_write(h->world, object, 0, size, data);
    return object;
}

static inline sim_argument harness_global(sim_object object)
{
    return (sim_argument){.kind = SIM_PARAMETER_GLOBAL, .object = object};
}
static inline sim_argument harness_local(uint64_t size)
{
    return (sim_argument){.kind = SIM_PARAMETER_LOCAL, .size = size};
}
static inline sim_argument harness_value(const void *data, size_t size)
{
    return (sim_argument){.kind = SIM_PARAMETER_VALUE, .bytes = {data, size}};
}

static inline sim_range harness_range(uint64_t global, uint64_t local)
{
    return (sim_range){.global = {global, 1, 1}, .local = {local, 1, 1}, .dimensions = 1};
}

/* Launches a kernel; the status is in h->status and the findings are in h->findings. */
static inline void harness_try(harness *h, const char *kernel, sim_range range,
                               const sim_argument *arguments, uint32_t count)
{
    const sim_kernel *found = sim_program_kernel(h->program, rt_text_of(kernel));
    if (!found) fail_msg("no kernel %s", kernel);
    sim_launch_options options = {.budget = h->budget,
                                  .schedule = h->schedule,
                                  .on_finding = harness_finding,
                                  .on_output = harness_output,
                                  .user = h};
    h->finding_count = 0;
    rt_buffer_free(&h->output);
    sim_test_executed(found);
    sim_tier_report before = sim_world_tier_report(h->world);
    h->status = sim_launch(h->world, found, &range, arguments, count, &options);
    const char *kind = h->finding_count ? h->findings[0].kind : NULL;
    if (h->checks_fate && rt_ok(h->status))
        tier_fate_check(kernel, kind, before, sim_world_tier_report(h->world));
}

/* Launches a kernel that must succeed without a finding. */
static inline void harness_run(harness *h, const char *kernel, sim_range range,
                               const sim_argument *arguments, uint32_t count)
{
    harness_try(h, kernel, range, arguments, count);
    if (!rt_ok(h->status)) {
        fail_msg("%s: %s", kernel, rt_sink_diagnostic(h->sink, h->status)->message.data);
    }
    if (h->finding_count) {
        fail_msg("%s: %s: %s", kernel, h->findings[0].kind, h->findings[0].message.data);
    }
}

static inline void harness_read_back(harness *h, sim_object object, void *out, size_t size)
{
    sim_object_read(h->world, object, 0, size, out);
}

#define FOR_EACH_BUILD(level, engine)                                                              \
    for (uint32_t level = 0; level < 3; level++)                                                   \
        for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++)                             \
            if (sim_engine_at(engine))

#endif
