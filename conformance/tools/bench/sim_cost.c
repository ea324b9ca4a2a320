/* Measures the cost of a launch on the simulated device, from a module's bytes to its result:
 *
 *     bench_sim TIER FILE KERNEL GLOBAL LOCAL REPEAT ARGUMENT...
 *
 * TIER is that of sim{tier=…}. FILE is SPIR-V; an argument is bBYTES, a buffer of ones, or uNUMBER.
 * Prints one JSON object: the milliseconds of processor time that this process takes to read and
 * validate the module, to link and decode it, and for each launch; the memory in use before the
 * buffers are created and the maximum since then, in KiB; and the first word of the first buffer.
 * ci/bench sim runs this program. Exit status 1: the device refused or found something; 2: wrong
 * usage. */
#define _POSIX_C_SOURCE 200809L
#include "reference/base/alloc.h"
#include "reference/base/number.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ARGUMENTS_MAX = 8, REPEAT_MAX = 1000 };

typedef struct cost {
    rt_sink *sink;
    sim_world *world;
    sim_argument arguments[ARGUMENTS_MAX];
    uint32_t values[ARGUMENTS_MAX];
    uint32_t argument_count;
    sim_object first; /* the first buffer */
    sim_range range;
    uint32_t repeat;
    bool has_finding;
    double read_ms, link_ms, launch_ms[REPEAT_MAX];
    long before_kib;
} cost;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static long memory_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void on_finding(void *user, const sim_finding *finding)
{
    cost *c = user;
    c->has_finding = true;
    fprintf(stderr, "bench_sim: %s: %.*s\n", finding->kind, RT_TEXT_ARG(finding->message));
}

static bool read_file(const char *path, rt_buffer *out)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    uint8_t part[65536];
    for (size_t size; (size = fread(part, 1, sizeof part, file)) > 0;)
        rt_buffer_append(out, part, size);
    bool good = !ferror(file);
    fclose(file);
    return good;
}

static rt_status buffer_create(cost *c, uint64_t size, sim_object *out_object)
{
    RT_TRY(sim_object_create(c->world, size, RT_TEXT("buffer"), out_object));
    static uint8_t ones[65536];
    memset(ones, 1, sizeof ones);
    for (uint64_t at = 0; at < size; at += sizeof ones) {
        uint64_t rest = size - at;
        sim_object_write(c->world, *out_object, at, rest < sizeof ones ? rest : sizeof ones, ones);
    }
    return RT_STATUS_OK;
}

/* Returns a number from 1 to `most`; 0 if the text is not such a number. */
static uint64_t number_read(const char *text, uint64_t most)
{
    uint64_t number;
    (void)rt_number_read(rt_text_of(text), 1, most, &number);
    return number;
}

static rt_status argument_create(cost *c, const char *text)
{
    CHECK(c->argument_count < ARGUMENTS_MAX);
    uint32_t i = c->argument_count++;
    uint64_t number = number_read(text + 1, UINT64_MAX);
    if (text[0] == 'u') {
        c->values[i] = (uint32_t)number;
        c->arguments[i] = (sim_argument){.kind = SIM_PARAMETER_VALUE,
                                         .bytes = {(const uint8_t *)&c->values[i], 4}};
        return RT_STATUS_OK;
    }
    sim_object object;
    RT_TRY(buffer_create(c, number, &object));
    c->arguments[i] = (sim_argument){.kind = SIM_PARAMETER_GLOBAL, .object = object};
    if (!c->first) c->first = object;
    return RT_STATUS_OK;
}

static rt_status link_code(cost *c, rt_bytes code, sim_program **out_program)
{
    sim_module *module;
    double begin = now_ms();
    RT_TRY(sim_module_create(c->sink, code, NULL, 0, &module));
    double read = now_ms();
    rt_status status =
        sim_program_link(c->sink, (const sim_module *const *)&module, 1, out_program);
    c->read_ms = read - begin;
    c->link_ms = now_ms() - read;
    sim_module_destroy(module);
    return status;
}

static rt_status launch_all(cost *c, const sim_kernel *kernel)
{
    sim_launch_options options = {.on_finding = on_finding, .user = c};
    CHECK(c->repeat >= 1 && c->repeat <= REPEAT_MAX);
    for (uint32_t i = 0; i < c->repeat; i++) {
        double begin = now_ms();
        RT_TRY(sim_launch(c->world, kernel, &c->range, c->arguments, c->argument_count, &options));
        c->launch_ms[i] = now_ms() - begin;
    }
    return c->has_finding ? rt_fail(c->sink, RT_TOOL, RT_RULE_NONE, "the kernel has a finding")
                          : RT_STATUS_OK;
}

static void print_cost(const cost *c)
{
    uint32_t word = 0;
    if (c->first) sim_object_read(c->world, c->first, 0, sizeof word, &word);
    printf("{\"read_ms\": %.4f, \"link_ms\": %.4f, \"before_kib\": %ld, \"most_kib\": %ld, "
           "\"word\": %u, \"launch_ms\": [",
           c->read_ms, c->link_ms, c->before_kib, memory_kib(), word);
    for (uint32_t i = 0; i < c->repeat; i++)
        printf("%s%.4f", i > 0 ? ", " : "", c->launch_ms[i]);
    printf("]}\n");
}

static rt_status measure(cost *c, rt_bytes code, char *const *words, int word_count)
{
    sim_program *program;
    RT_TRY(link_code(c, code, &program));
    c->before_kib = memory_kib();
    c->world = sim_world_create(c->sink, 1);
    rt_status status = sim_world_choose_tier(c->world, rt_text_of(words[1]), NULL);
    for (int i = 7; rt_ok(status) && i < word_count; i++)
        status = argument_create(c, words[i]);
    const sim_kernel *kernel = sim_program_kernel(program, rt_text_of(words[3]));
    if (rt_ok(status) && !kernel)
        status = rt_fail(c->sink, RT_MALFORMED, RT_RULE_NONE, "no kernel '%s'", words[3]);
    if (rt_ok(status)) status = launch_all(c, kernel);
    if (rt_ok(status)) print_cost(c);
    sim_world_destroy(c->world);
    sim_program_destroy(program);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 7 || argc - 7 > ARGUMENTS_MAX) {
        fprintf(stderr,
                "usage: bench_sim TIER FILE KERNEL GLOBAL LOCAL REPEAT bBYTES|uNUMBER...\n");
        return 2;
    }
    cost *c = rt_alloc(sizeof *c);
    *c = (cost){.range = {.global = {number_read(argv[4], UINT32_MAX), 1, 1},
                          .local = {number_read(argv[5], 1 << 16), 1, 1},
                          .dimensions = 1},
                .repeat = (uint32_t)number_read(argv[6], REPEAT_MAX)};
    rt_buffer code = {0};
    int exit_status = 2;
    if (c->range.global[0] == 0 || c->range.local[0] == 0 || c->repeat == 0) {
        fprintf(stderr, "bench_sim: a size or count is not a number, or too large\n");
    } else if (!read_file(argv[2], &code)) {
        fprintf(stderr, "bench_sim: %s cannot be read\n", argv[2]);
    } else {
        c->sink = rt_sink_create();
        rt_status status = measure(c, rt_buffer_bytes(&code), argv, argc);
        if (!rt_ok(status))
            fprintf(stderr, "bench_sim: %.*s\n",
                    RT_TEXT_ARG(rt_sink_diagnostic(c->sink, status)->message));
        rt_sink_destroy(c->sink);
        exit_status = rt_ok(status) ? 0 : 1;
    }
    rt_buffer_free(&code);
    rt_free(c);
    return exit_status;
}
