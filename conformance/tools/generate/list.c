/* Lists of kernels that are fused, or run one by one.
 *
 * No work-item needs what a work-item of another group wrote, so fusion changes no result. Kernels
 * have one to three dimensions, equal or different ranges, and local sizes that are given, left
 * open or mixed; they return early, loop, query their ids in functions, and use vectors, tables,
 * private arrays and, with a local size, barriers and local memory. */
#include "conformance/tools/generate/generate.h"

#include "conformance/tools/generate/random.h"
#include "reference/base/check.h"

#include <inttypes.h>

enum {
    BUFFERS = 4,
    ELEMENTS = 128, /* no range has more work-items */
    LOCAL_BYTES = 256,
    DIMENSIONS = 3,
    SUBMITS_LEAST = 2,
    SUBMITS_MAX = 7,
};

#define GROUP                                                                                      \
    "size_t n = get_local_size(0) * get_local_size(1) * get_local_size(2), me = "                  \
    "get_local_linear_id(); "

/* `takes` lists the parameters: a memory, one that is only (r)ead, (k) a number, (v) four numbers,
 * (l)ocal memory. Each kernel begins with its place, i. */
static const struct kernel_row {
    const char *name, *helpers, *body, *takes;
    bool needs_groups;
} kernels[] = {
    {"own", "", "a[i] = a[i] * 3 + k;", "ak", false},
    {"ids", "",
     "a[i] ^= (int)(get_global_id(0) + 7 * get_global_id(1) + 49 * get_global_id(2) + 1000 * "
     "get_global_size(0) + 3000 * get_global_size(1) + get_work_dim());",
     "a", false},
    {"two", "", "a[i] += r[i] - 1;", "ar", false},
    {"early", "",
     "for (int s = 0; s < 5; s++) { if (((a[i] + s) & 3) == 1) return; a[i] += k + s; }", "ak",
     false},
    {"loop", "",
     "int n = r[i] & 7, s = 0; while (n--) { s = s * 2 + n; if (s > 20) break; } a[i] += s;", "ar",
     false},
    {"call",
     "__attribute__((noinline)) int place(uint d) { return (int)(get_global_id(d) * "
     "get_global_size(d)); }",
     "a[i] += place(k & 3);", "ak", false},
    {"priv", "",
     "uint t[4]; for (int s = 0; s < 4; s++) t[s] = a[i] + s * (int)get_global_id(s & 1); a[i] = "
     "t[a[i] & 3];",
     "a", false},
    {"vec", "", "uint4 w = v * a[i]; a[i] = w.x + w.y * 3 - w.z + w.w;", "av", false},
    {"table", "constant uint numbers[8] = {3, 1, 4, 1, 5, 9, 2, 6};", "a[i] += numbers[a[i] & 7];",
     "a", false},
    {"swap", "",
     GROUP "l[me] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[n - 1 - me] + "
           "(int)get_group_id(0) + (int)get_num_groups(1);",
     "al", true},
    {"fold", "",
     "local uint s[64]; " GROUP "s[me] = a[i]; for (size_t h = 1; h < n; h *= 2) { "
     "barrier(CLK_LOCAL_MEM_FENCE); uint t = s[(me + h) % n]; barrier(CLK_LOCAL_MEM_FENCE); "
     "s[me] = s[me] * 2 + t; } a[i] = s[me];",
     "a", true},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

typedef struct list_range {
    uint32_t dimensions, extents[DIMENSIONS];
    bool has_groups; /* the list's local size is given with it */
} list_range;

typedef struct list_submit {
    uint32_t kernel;
    list_range range;
    uint32_t written, read;
    int numbers[5];
} list_submit;

typedef struct list {
    uint32_t group_dimensions; /* of the local size; 0: no range has one */
    list_submit submits[SUBMITS_MAX];
    uint32_t submit_count;
    bool no_barriers;
} list;

static const uint32_t groups[DIMENSIONS + 1][DIMENSIONS] = {{0}, {4}, {2, 2}, {2, 1, 2}};

/* ---- Drawing ------------------------------------------------------------------------------ */

static list_range draw_range(gen_random *random, const list *drawn, uint32_t dimensions_max)
{
    static const uint32_t extent_max[DIMENSIONS] = {40, 7, 4};
    list_range range = {.dimensions = drawn->group_dimensions};
    if (range.dimensions > 0 && gen_random_chance(random, 75)) {
        for (uint32_t i = 0; i < range.dimensions; i++)
            range.extents[i] = groups[range.dimensions][i] * (1 + gen_random_below(random, 3));
        range.has_groups = gen_random_chance(random, 85);
        return range;
    }
    range.dimensions = 1 + gen_random_below(random, dimensions_max);
    for (uint32_t i = 0; i < range.dimensions; i++)
        range.extents[i] = 1 + gen_random_below(random, extent_max[range.dimensions - 1]);
    return range;
}

static list_submit draw_submit(gen_random *random, const list_range *range)
{
    list_submit submit = {.range = *range};
    do
        submit.kernel = gen_random_below(random, KERNELS);
    while (kernels[submit.kernel].needs_groups && !range->has_groups);
    submit.written = gen_random_below(random, BUFFERS);
    submit.read = (submit.written + 1 + gen_random_below(random, BUFFERS - 1)) % BUFFERS;
    submit.numbers[0] = (int)gen_random_below(random, 19) - 9;
    for (uint32_t i = 1; i < 5; i++)
        submit.numbers[i] = (int)gen_random_below(random, 10);
    return submit;
}

static list draw_list(gen_random *random, uint32_t dimensions_max)
{
    list drawn = {.no_barriers = gen_random_chance(random, 25)};
    if (gen_random_chance(random, 50))
        drawn.group_dimensions = 1 + gen_random_below(random, dimensions_max);
    bool is_uniform = gen_random_chance(random, 35);
    list_range range = draw_range(random, &drawn, dimensions_max);
    uint32_t count = SUBMITS_LEAST + gen_random_below(random, SUBMITS_MAX - SUBMITS_LEAST + 1);
    while (drawn.submit_count < count) {
        if (!is_uniform) range = draw_range(random, &drawn, dimensions_max);
        drawn.submits[drawn.submit_count++] = draw_submit(random, &range);
    }
    return drawn;
}

static void omit(list *drawn, const gen_request *request)
{
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < drawn->submit_count; i++)
        if (!gen_request_omits(request, i + 1)) drawn->submits[kept_count++] = drawn->submits[i];
    drawn->submit_count = kept_count;
}

/* ---- Writing ------------------------------------------------------------------------------ */

static void write_kernel(const struct kernel_row *kernel, rt_buffer *out)
{
    static const char *const parameters[] = {
        ['a'] = "global uint *a", ['r'] = "global const uint *r", ['k'] = "int k",
        ['v'] = "uint4 v",        ['l'] = "local uint *l",
    };
    if (*kernel->helpers) rt_buffer_printf(out, "          %s\n", kernel->helpers);
    rt_buffer_printf(out, "          kernel void %s(", kernel->name);
    for (const char *at = kernel->takes; *at; at++)
        rt_buffer_printf(out, "%s%s", at == kernel->takes ? "" : ", ",
                         parameters[(unsigned char)*at]);
    rt_buffer_printf(out, ") { size_t i = get_global_linear_id(); %s }\n", kernel->body);
}

static void write_numbers(const char *before, const uint32_t *numbers, uint32_t count,
                          rt_buffer *out)
{
    for (uint32_t i = 0; i < count; i++)
        rt_buffer_printf(out, "%s%u", i == 0 ? before : ", ", numbers[i]);
    rt_buffer_printf(out, "]");
}

static void write_argument(const list_submit *submit, char parameter, rt_buffer *out)
{
    const int *n = submit->numbers;
    switch (parameter) {
    case 'a': rt_buffer_printf(out, "m%u", submit->written); break;
    case 'r': rt_buffer_printf(out, "{read: m%u}", submit->read); break;
    case 'k': rt_buffer_printf(out, "{int: %d}", n[0]); break;
    case 'v': rt_buffer_printf(out, "{uint4: [%d, %d, %d, %d]}", n[1], n[2], n[3], n[4]); break;
    default: CHECK(parameter == 'l'); rt_buffer_printf(out, "{local: %u}", (unsigned)LOCAL_BYTES);
    }
}

static void write_submit(const list *drawn, const list_submit *submit, rt_buffer *out)
{
    const struct kernel_row *kernel = &kernels[submit->kernel];
    const list_range *range = &submit->range;
    rt_buffer_printf(out, "  - submit: {queue: q, kernel: %s", kernel->name);
    write_numbers(", range: [", range->extents, range->dimensions, out);
    if (range->has_groups)
        write_numbers(", local: [", groups[drawn->group_dimensions], drawn->group_dimensions, out);
    for (const char *at = kernel->takes; *at; at++) {
        rt_buffer_printf(out, "%s", at == kernel->takes ? ", args: [" : ", ");
        write_argument(submit, *at, out);
    }
    rt_buffer_printf(out, "]}\n");
}

static bool has_same_range(const list_submit *a, const list_submit *b)
{
    bool is_same =
        a->range.dimensions == b->range.dimensions && a->range.has_groups == b->range.has_groups;
    for (uint32_t i = 0; i < DIMENSIONS; i++)
        is_same = is_same && a->range.extents[i] == b->range.extents[i];
    return is_same;
}

/* Lists without local sizes, and lists with a single range, must be fused; for the rest, the
 * documents' restrictions decide (KernelFusionJIT.md). */
static void write_launches(const list *drawn, rt_buffer *out)
{
    bool is_uniform = true, has_groups = false;
    for (uint32_t i = 0; i < drawn->submit_count; i++) {
        is_uniform = is_uniform && has_same_range(&drawn->submits[0], &drawn->submits[i]);
        has_groups |= drawn->submits[i].range.has_groups;
    }
    if (drawn->submit_count == 0) return;
    if (is_uniform || !has_groups)
        rt_buffer_printf(out, "  - expect: {launches: 1}\n");
    else
        rt_buffer_printf(out, "  - expect: {one_of: [{launches: 1}, {launches: %u}]}\n",
                         drawn->submit_count);
}

static void write_scenario(const gen_request *request, const list *drawn, rt_buffer *out)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < drawn->submit_count; i++)
        used |= 1u << drawn->submits[i].kernel;
    rt_buffer_printf(out,
                     "assay: 1\nsummary: >-\n  The generated list of seed %" PRIu64
                     ": its kernels leave the same memories, fused or one by one.\n"
                     "modules:\n  app:\n%s",
                     request->seed,
                     used ? "    sources:\n      - language: opencl-c\n        code: |\n"
                          : "    host_symbols: []\n");
    for (uint32_t k = 0; k < KERNELS; k++)
        if (used & 1u << k) write_kernel(&kernels[k], out);
    rt_buffer_printf(out, "memory:\n  untouched: {type: int, values: [1]}\n");
    for (uint32_t m = 0; m < BUFFERS; m++)
        rt_buffer_printf(out, "  m%u: {type: uint, values: {iota: %u}}\n", m, (unsigned)ELEMENTS);
    rt_buffer_printf(out, "steps:\n  - queue: {id: q, properties: [enable_fusion]}\n"
                          "  - start_fusion: q\n");
    for (uint32_t i = 0; i < drawn->submit_count; i++)
        write_submit(drawn, &drawn->submits[i], out);
    rt_buffer_printf(out, "  - complete_fusion: {queue: q, no_barriers: %s}\n",
                     drawn->no_barriers ? "true" : "false");
}

static void list_write(const gen_request *request, uint32_t dimensions_max, bool must_fuse,
                       rt_buffer *out, uint32_t *out_submit_count)
{
    gen_random random = {request->seed};
    list drawn = draw_list(&random, dimensions_max);
    *out_submit_count = drawn.submit_count;
    omit(&drawn, request);
    write_scenario(request, &drawn, out);
    if (must_fuse) write_launches(&drawn, out);
    rt_buffer_printf(out, "  - expect: {memory: untouched, equals: [1]}\n");
}

void gen_list_write(const gen_request *request, rt_buffer *out, uint32_t *out_submit_count)
{
    list_write(request, DIMENSIONS, true, out, out_submit_count);
}

void gen_flat_list_write(const gen_request *request, rt_buffer *out, uint32_t *out_submit_count)
{
    list_write(request, 1, false, out, out_submit_count);
}
