/* The simulated device as an engine. */
#include "conformance/tools/bench/engine.h"

#include "reference/base/alloc.h"
#include "reference/base/check.h"
#include "sim/sim.h"

#include <stdio.h>

/* A case's objects and arguments in a world. */
typedef struct sim_bench {
    const bench_run *run;
    sim_world *world;
    sim_object objects[BENCH_ARGUMENTS_MAX];
    sim_argument arguments[BENCH_ARGUMENTS_MAX];
    uint32_t count;
    uint8_t *content; /* contents of one buffer at a time */
    bool has_finding; /* there was a finding: the case or the engine is wrong */
    rt_sink *sink;
} sim_bench;

static void on_finding(void *user, const sim_finding *finding)
{
    sim_bench *bench = user;
    bench->has_finding = true;
    fprintf(stderr, "%s: %.*s\n", finding->kind, RT_TEXT_ARG(finding->message));
}

static rt_status arguments_create(sim_bench *bench)
{
    const bench_case *test_case = bench->run->test_case;
    for (uint32_t i = 0; i < bench->count; i++) {
        const bench_argument *from = &test_case->arguments[i];
        sim_argument *to = &bench->arguments[i];
        switch (from->kind) {
        case BENCH_BUFFER:
            RT_TRY(sim_object_create(bench->world, from->bytes, RT_TEXT("buffer"),
                                     &bench->objects[i]));
            *to = (sim_argument){.kind = SIM_PARAMETER_GLOBAL, .object = bench->objects[i]};
            break;
        case BENCH_LOCAL:
            *to = (sim_argument){.kind = SIM_PARAMETER_LOCAL, .size = from->bytes};
            break;
        case BENCH_WORD:
            *to = (sim_argument){.kind = SIM_PARAMETER_VALUE,
                                 .bytes = {(const uint8_t *)&from->word, 4}};
            break;
        case BENCH_REAL:
            *to = (sim_argument){.kind = SIM_PARAMETER_VALUE,
                                 .bytes = {(const uint8_t *)&from->real, 4}};
            break;
        case BENCH_NONE: UNREACHABLE();
        }
    }
    return RT_STATUS_OK;
}

static void fill_buffers(const sim_bench *bench, bool includes_inputs)
{
    for (uint32_t i = 0; i < bench->count; i++) {
        const bench_argument *from = &bench->run->test_case->arguments[i];
        if (from->kind != BENCH_BUFFER || !(includes_inputs || from->written)) continue;
        bench_fill_buffer(bench->run->test_case, i, bench->content);
        sim_object_write(bench->world, bench->objects[i], 0, from->bytes, bench->content);
    }
}

static rt_status launch(sim_bench *bench, const sim_kernel *kernel, double *out_ms)
{
    const bench_case *test_case = bench->run->test_case;
    CHECK(test_case->dimensions == 1 || test_case->dimensions == 2);
    sim_range range = {.global = {test_case->global[0], test_case->global[1], 1},
                       .local = {test_case->local[0], test_case->local[1], 1},
                       .dimensions = test_case->dimensions};
    sim_launch_options options = {.on_finding = on_finding, .user = bench};
    fill_buffers(bench, false);
    double begin = bench_now_ms();
    RT_TRY(sim_launch(bench->world, kernel, &range, bench->arguments, bench->count, &options));
    *out_ms = bench_now_ms() - begin;
    if (!bench->has_finding) return RT_STATUS_OK;
    return rt_fail(bench->sink, RT_TOOL, RT_RULE_NONE, "%s has a finding", test_case->name);
}

static rt_status run_in_world(sim_bench *bench, const sim_kernel *kernel)
{
    const bench_run *run = bench->run;
    RT_TRY(arguments_create(bench));
    fill_buffers(bench, true);
    double ignored;
    RT_TRY(launch(bench, kernel, run->first_ms));
    for (uint32_t i = 1; i < run->warm_up; i++)
        RT_TRY(launch(bench, kernel, &ignored));
    for (uint32_t i = 0; i < run->repeat; i++)
        RT_TRY(launch(bench, kernel, &run->times_ms[i]));
    for (uint32_t i = 0; i < bench->count; i++) {
        const bench_argument *from = &run->test_case->arguments[i];
        if (!from->written) continue;
        sim_object_read(bench->world, bench->objects[i], 0, from->bytes, bench->content);
        rt_buffer_append(run->result, bench->content, from->bytes);
    }
    return RT_STATUS_OK;
}

static rt_status link_code(rt_sink *sink, rt_bytes code, sim_program **out_program)
{
    sim_module *module;
    RT_TRY(sim_module_create(sink, code, NULL, 0, &module));
    rt_status status = sim_program_link(sink, (const sim_module *const *)&module, 1, out_program);
    sim_module_destroy(module);
    return status;
}

static void tier_report(const sim_bench *bench)
{
    sim_tier_report report = sim_world_tier_report(bench->world);
    if (report.reason.length)
        fprintf(stderr, "%s is interpreted because it %.*s\n", bench->run->test_case->name,
                RT_TEXT_ARG(report.reason));
    fprintf(stderr, "%s: compiled in %.1f ms\n", bench->run->test_case->name, report.compile_ms);
}

static rt_status run_on_sim(rt_sink *sink, const bench_run *run, bool checks, bool is_compiled)
{
    CHECK(run->repeat >= 1);
    sim_program *program;
    double begin = bench_now_ms();
    RT_TRY(link_code(sink, run->code, &program));
    *run->build_ms = bench_now_ms() - begin;
    sim_bench bench = {.run = run,
                       .world = sim_world_create(sink, 1),
                       .count = bench_argument_count(run->test_case),
                       .content = rt_alloc(BENCH_BUFFER_BYTES_MAX),
                       .sink = sink};
    CHECK(bench.count <= BENCH_ARGUMENTS_MAX);
    if (!checks) sim_world_drop_checks(bench.world);
    if (is_compiled) RT_TRY(sim_world_choose_tier(bench.world, RT_TEXT("compiled"), NULL));
    const sim_kernel *kernel = sim_program_kernel(program, rt_text_of(run->test_case->name));
    rt_status status =
        kernel ? run_in_world(&bench, kernel)
               : rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "no kernel '%s'", run->test_case->name);
    if (is_compiled) tier_report(&bench);
    rt_free(bench.content);
    sim_world_destroy(bench.world);
    sim_program_destroy(program);
    return status;
}

rt_status bench_on_sim(rt_sink *sink, const bench_run *run)
{
    return run_on_sim(sink, run, true, false);
}

rt_status bench_on_sim_unchecked(rt_sink *sink, const bench_run *run)
{
    return run_on_sim(sink, run, false, false);
}

rt_status bench_on_sim_compiled(rt_sink *sink, const bench_run *run)
{
    return run_on_sim(sink, run, true, true);
}
