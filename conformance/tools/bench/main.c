/* Times one kernel on one engine:
 *
 *     bench_kernels --list
 *     bench_kernels [--processor-time] sim|sim-unchecked|opencl|host CASE FILE WARM_UP REPEAT OUT
 *
 * FILE is SPIR-V for sim, with its checks or without, and source for opencl; host, the sequential
 * reference of the sets wild and unseen, does not use it.  Prints milliseconds, one number per
 * line: for the build, for the first launch, and for each timed launch.  Writes the kernel's output
 * to OUT. WARM_UP is at least 1 except for a single launch.  --processor-time counts the processor
 * time of the process, which is meaningful on a busy machine too.  --list prints the name of each
 * case, the number of its set (0: six, 1: wide, 2: wild, 3: unseen), and its tolerance.  ci/bench
 * kernels runs this program.  Exit status 1: the engine failed. */
#define _POSIX_C_SOURCE 200809L
#include "conformance/tools/bench/engine.h"

#include "reference/base/alloc.h"
#include "reference/base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static clockid_t clock_id = CLOCK_MONOTONIC;

void bench_use_processor_time(void)
{
    clock_id = CLOCK_PROCESS_CPUTIME_ID;
}

double bench_now_ms(void)
{
    struct timespec now;
    clock_gettime(clock_id, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int list(void)
{
    for (uint32_t i = 0; i < bench_case_count; i++) {
        printf("%s %d %g\n", bench_cases[i].name, (int)bench_cases[i].set,
               (double)bench_cases[i].tolerance);
    }
    return 0;
}

static bool read_file(const char *path, rt_buffer *out)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    uint8_t part[4096];
    size_t size;
    while ((size = fread(part, 1, sizeof part, file)) > 0)
        rt_buffer_append(out, part, size);
    bool good = !ferror(file);
    fclose(file);
    return good;
}

static bool write_file(const char *path, rt_bytes bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool good = fwrite(bytes.data, 1, bytes.size, file) == bytes.size;
    return fclose(file) == 0 && good;
}

static const bench_case *find(const char *name)
{
    for (uint32_t i = 0; i < bench_case_count; i++) {
        if (strcmp(bench_cases[i].name, name) == 0) return &bench_cases[i];
    }
    return NULL;
}

static int time_case(const char *engine, const bench_run *run, const char *out)
{
    static const struct {
        const char *name;
        rt_status (*run)(rt_sink *sink, const bench_run *run);
    } engines[] = {{"sim", bench_on_sim},
                   {"sim-unchecked", bench_on_sim_unchecked},
                   {"sim-compiled", bench_on_sim_compiled},
                   {"opencl", bench_on_opencl},
                   {"host", bench_on_host}};
    uint32_t at = 0, count = sizeof engines / sizeof *engines;
    while (at < count && strcmp(engine, engines[at].name) != 0)
        at++;
    if (at == count) {
        fprintf(stderr, "bench_kernels: there is no engine '%s'\n", engine);
        return 2;
    }
    rt_sink *sink = rt_sink_create();
    rt_status status = engines[at].run(sink, run);
    bool good = rt_ok(status);
    if (!good) {
        fprintf(stderr, "bench_kernels: %.*s\n",
                RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
    }
    if (good) printf("%.6f\n%.6f\n", *run->build_ms, *run->first_ms);
    for (uint32_t i = 0; good && i < run->repeat; i++)
        printf("%.6f\n", run->times_ms[i]);
    if (good && !write_file(out, rt_buffer_bytes(run->result))) {
        fprintf(stderr, "bench_kernels: %s cannot be written\n", out);
        good = false;
    }
    rt_sink_destroy(sink);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) return list();
    if (argc > 1 && strcmp(argv[1], "--processor-time") == 0) {
        bench_use_processor_time();
        argc--;
        argv++;
    }
    const bench_case *test_case = argc == 7 ? find(argv[2]) : NULL;
    uint32_t warm_up, repeat;
    if (!test_case || !rt_number_read_u32(rt_text_of(argv[4]), 0, UINT32_MAX, &warm_up) ||
        !rt_number_read_u32(rt_text_of(argv[5]), 1, 10000, &repeat)) {
        fprintf(
            stderr,
            "usage: bench_kernels --list\n"
            "       bench_kernels [--processor-time] sim|sim-unchecked|opencl|host CASE FILE WARM_UP REPEAT OUT\n");
        return 2;
    }
    rt_buffer code = {0}, result = {0};
    if (!read_file(argv[3], &code)) {
        fprintf(stderr, "bench_kernels: %s cannot be read\n", argv[3]);
        return 2;
    }
    double *times = rt_alloc(repeat * sizeof *times);
    double build_ms = 0, first_ms = 0;
    bench_run run = {.test_case = test_case,
                     .code = rt_buffer_bytes(&code),
                     .warm_up = warm_up,
                     .repeat = repeat,
                     .build_ms = &build_ms,
                     .first_ms = &first_ms,
                     .times_ms = times,
                     .result = &result};
    int status = time_case(argv[1], &run, argv[6]);
    rt_free(times);
    rt_buffer_free(&code);
    rt_buffer_free(&result);
    return status;
}
