/* How fast the simulator runs the six kernels that it is measured by.
 *
 *     sim_bench vadd.spv lcg.spv …    the file's name says which kernel and what work
 *
 * Every result is checked against plain C, so that a fast wrong answer does not count. */
#include "reference/base/alloc.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REPEAT 20

typedef struct bench {
    const char *file; /* base name without ending */
    const char *kernel;
    sim_range range;
    uint64_t sizes[3]; /* bytes of buffer arguments; 0: none */
    uint32_t (*arguments)(sim_argument *out, const sim_object *objects);
    void (*fill)(float *data, uint64_t index, uint32_t buffer);
    bool (*check)(const uint8_t *const *buffers);
} bench;

static uint32_t words[4] = {1024, 512, 512, 256};
static float epsilon = 0.01f;

static sim_argument memory(sim_object object)
{
    return (sim_argument){.kind = SIM_PARAMETER_GLOBAL, .object = object};
}
static sim_argument value(const void *data, size_t size)
{
    return (sim_argument){.kind = SIM_PARAMETER_VALUE, .bytes = {data, size}};
}

static void fill_float(float *data, uint64_t index, uint32_t buffer)
{
    *data = (float)((index * 7 + buffer * 3) % 17) * 0.25f - 1.0f;
}
static void fill_int(float *data, uint64_t index, uint32_t buffer)
{
    uint32_t v = (uint32_t)(index * 7 + buffer) % 1000;
    memcpy(data, &v, 4);
}

/* ---- vadd ------------------------------------------------------------------------------- */

static uint32_t arguments_three(sim_argument *out, const sim_object *objects)
{
    for (uint32_t i = 0; i < 3; i++)
        out[i] = memory(objects[i]);
    return 3;
}
static bool check_vadd(const uint8_t *const *b)
{
    const float *x = (const void *)b[0], *y = (const void *)b[1], *z = (const void *)b[2];
    for (uint32_t i = 0; i < 1u << 20; i++) {
        if (z[i] != x[i] + y[i]) return false;
    }
    return true;
}

/* ---- lcg -------------------------------------------------------------------------------- */

static uint32_t arguments_lcg(sim_argument *out, const sim_object *objects)
{
    out[0] = memory(objects[0]);
    out[1] = value(&words[0], 4);
    return 2;
}
static bool check_lcg(const uint8_t *const *b)
{
    const uint32_t *out = (const void *)b[0];
    for (uint32_t i = 0; i < 4096; i++) {
        uint32_t x = i * 2654435761u + 1u;
        for (uint32_t k = 0; k < words[0]; k++) {
            x = x * 1664525u + 1013904223u;
            x ^= x >> 13;
        }
        if (out[i] != x) return false;
    }
    return true;
}

/* ---- matmul ----------------------------------------------------------------------------- */

static uint32_t arguments_matmul(sim_argument *out, const sim_object *objects)
{
    out[3] = value(&words[3], 4);
    return arguments_three(out, objects) + 1;
}
static bool check_matmul(const uint8_t *const *b)
{
    const float *x = (const void *)b[0], *y = (const void *)b[1], *z = (const void *)b[2];
    for (uint32_t row = 0; row < 256; row++) {
        for (uint32_t col = 0; col < 256; col++) {
            float sum = 0.0f;
            for (uint32_t k = 0; k < 256; k++)
                sum += x[row * 256 + k] * y[k * 256 + col];
            if (z[row * 256 + col] != sum) return false;
        }
    }
    return true;
}

/* ---- reduce ----------------------------------------------------------------------------- */

static uint32_t arguments_reduce(sim_argument *out, const sim_object *objects)
{
    out[0] = memory(objects[0]);
    out[1] = memory(objects[1]);
    out[2] = (sim_argument){.kind = SIM_PARAMETER_LOCAL, .size = 1024};
    return 3;
}
static bool check_reduce(const uint8_t *const *b)
{
    const uint32_t *in = (const void *)b[0], *out = (const void *)b[1];
    for (uint32_t g = 0; g < 256; g++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 256; i++)
            sum += in[g * 256 + i];
        if (out[g] != sum) return false;
    }
    return true;
}

/* ---- mandel ----------------------------------------------------------------------------- */

static uint32_t arguments_mandel(sim_argument *out, const sim_object *objects)
{
    out[0] = memory(objects[0]);
    for (uint32_t i = 0; i < 3; i++)
        out[1 + i] = value(&words[1 + i], 4);
    return 4;
}
static bool check_mandel(const uint8_t *const *b)
{
    const int32_t *out = (const void *)b[0];
    for (uint32_t py = 0; py < 512; py += 7) {
        for (uint32_t px = 0; px < 512; px++) {
            float cx = -2.0f + 3.0f * (float)px / 512.0f, cy = -1.5f + 3.0f * (float)py / 512.0f;
            float x = 0.0f, y = 0.0f;
            int32_t it = 0;
            while (it < 256) {
                float x2 = x * x, y2 = y * y;
                if (x2 + y2 > 4.0f) break;
                y = 2.0f * x * y + cy;
                x = x2 - y2 + cx;
                it++;
            }
            if (out[py * 512 + px] != it) return false;
        }
    }
    return true;
}

/* ---- nbody ------------------------------------------------------------------------------ */

static uint32_t arguments_nbody(sim_argument *out, const sim_object *objects)
{
    out[0] = memory(objects[0]);
    out[1] = memory(objects[1]);
    out[2] = value(&words[0], 4);
    out[3] = value(&epsilon, 4);
    return 4;
}
static bool check_nbody(const uint8_t *const *b)
{
    const float *p = (const void *)b[0], *out = (const void *)b[1];
    for (uint32_t i = 0; i < 1024; i++) {
        double a[3] = {0, 0, 0};
        for (uint32_t j = 0; j < 1024; j++) {
            double d[3], r2 = (double)epsilon;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)p[4 * j + (uint32_t)k] - (double)p[4 * i + (uint32_t)k];
                r2 += d[k] * d[k];
            }
            double s = (double)p[4 * j + 3] / (r2 * sqrt(r2));
            for (int k = 0; k < 3; k++)
                a[k] += d[k] * s;
        }
        for (uint32_t k = 0; k < 3; k++) {
            if (fabs((double)out[4 * i + k] - a[k]) > 1e-3 * (1 + fabs(a[k]))) return false;
        }
    }
    return true;
}

/* ---- Running ---------------------------------------------------------------------------- */

#define RANGE(x, y, lx, ly, n)                                                                     \
    {                                                                                              \
        .global = {x, y, 1}, .local = {lx, ly, 1}, .offset = {0, 0, 0}, .dimensions = n            \
    }

static const bench benches[] = {
    {"vadd",
     "vadd_f",
     RANGE(1 << 20, 1, 256, 1, 1),
     {4 << 20, 4 << 20, 4 << 20},
     arguments_three,
     fill_float,
     check_vadd},
    {"lcg", "lcg", RANGE(4096, 1, 256, 1, 1), {16384, 0, 0}, arguments_lcg, fill_int, check_lcg},
    {"matmul",
     "matmul",
     RANGE(256, 256, 16, 16, 2),
     {1 << 18, 1 << 18, 1 << 18},
     arguments_matmul,
     fill_float,
     check_matmul},
    {"reduce",
     "reduce",
     RANGE(65536, 1, 256, 1, 1),
     {1 << 18, 1024, 0},
     arguments_reduce,
     fill_int,
     check_reduce},
    {"mandel",
     "mandel",
     RANGE(512, 512, 16, 16, 2),
     {1 << 20, 0, 0},
     arguments_mandel,
     fill_int,
     check_mandel},
    {"nbody",
     "nbody",
     RANGE(1024, 1, 256, 1, 1),
     {16384, 16384, 0},
     arguments_nbody,
     fill_float,
     check_nbody},
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void print_finding(void *user, const sim_finding *finding)
{
    (void)user;
    printf("  finding: %s: %.*s\n", finding->kind, RT_TEXT_ARG(finding->message));
}

static rt_bytes read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return (rt_bytes){NULL, 0};
    uint8_t *data = rt_alloc(1 << 20);
    size_t size = fread(data, 1, 1 << 20, file);
    fclose(file);
    return (rt_bytes){data, size};
}

static rt_status link_file(rt_sink *sink, const char *path, sim_program **out_program)
{
    rt_bytes code = read_file(path);
    sim_module *module;
    rt_status status = sim_module_create(sink, code, NULL, 0, &module);
    rt_free((void *)(uintptr_t)code.data);
    if (!rt_ok(status)) return status;
    status = sim_program_link(sink, (const sim_module *const *)&module, 1, out_program);
    sim_module_destroy(module);
    return status;
}

static rt_status run(rt_sink *sink, const bench *b, const sim_program *program)
{
    sim_world *world = sim_world_create(sink, 1);
    sim_object objects[3] = {0};
    uint8_t *data[3] = {NULL};
    for (uint32_t i = 0; i < 3 && b->sizes[i]; i++) {
        RT_TRY(sim_object_create(world, b->sizes[i], RT_TEXT("buffer"), &objects[i]));
        data[i] = rt_alloc(b->sizes[i]);
        for (uint64_t k = 0; k < b->sizes[i] / 4; k++)
            b->fill((float *)(void *)data[i] + k, k, i);
        sim_object_write(world, objects[i], 0, b->sizes[i], data[i]);
    }
    sim_argument arguments[8];
    uint32_t count = b->arguments(arguments, objects);
    const sim_kernel *kernel = sim_program_kernel(program, rt_text_of(b->kernel));
    sim_launch_options options = {.on_finding = print_finding};
    double best = 1e30;
    for (uint32_t i = 0; i < REPEAT; i++) {
        double start = now_ms();
        RT_TRY(sim_launch(world, kernel, &b->range, arguments, count, &options));
        double time = now_ms() - start;
        if (time < best) best = time;
    }
    for (uint32_t i = 0; i < 3 && b->sizes[i]; i++) {
        sim_object_read(world, objects[i], 0, b->sizes[i], data[i]);
    }
    bool right = b->check((const uint8_t *const *)data);
    printf("%-8s %8.2f ms  %s\n", b->file, best, right ? "right" : "WRONG");
    for (uint32_t i = 0; i < 3; i++)
        rt_free(data[i]);
    sim_world_destroy(world);
    return RT_STATUS_OK;
}

int main(int argc, char **argv)
{
    rt_sink *sink = rt_sink_create();
    int failures = 0;
    for (int i = 1; i < argc; i++) {
        const char *name = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
        for (uint32_t k = 0; k < sizeof benches / sizeof benches[0]; k++) {
            if (strncmp(name, benches[k].file, strlen(benches[k].file)) != 0) continue;
            sim_program *program = NULL;
            rt_status status = link_file(sink, argv[i], &program);
            if (rt_ok(status)) status = run(sink, &benches[k], program);
            sim_program_destroy(program);
            if (rt_ok(status)) continue;
            failures++;
            printf("%s: %.*s\n", name, RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
        }
    }
    rt_sink_destroy(sink);
    return failures != 0;
}
