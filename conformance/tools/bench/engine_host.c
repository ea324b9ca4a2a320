/* A sequential reference for the sets wild and unseen: the kernels compiled as C (host.h).
 *
 * The work-items of a group are coroutines, which run in ascending order from one barrier to the
 * next. The times are those of the switches more than of the kernels; ci/bench kernels uses only
 * the result. */
#include "conformance/tools/bench/engine.h"
#include "conformance/tools/bench/wild.h"

#include "reference/base/alloc.h"
#include "reference/base/check.h"

#include <string.h>
#include <ucontext.h>

enum { ITEMS_MAX = 256, STACK_BYTES = 64 << 10 };

typedef struct coroutines {
    ucontext_t scheduler, items[ITEMS_MAX];
    bool is_done[ITEMS_MAX];
    bench_host_kernel *kernel;
    const void *a, *b;
    void *out;
    uint32_t n;
} coroutines;

bench_host_item bench_host_now;
static coroutines *running;

void bench_host_barrier(void)
{
    uint32_t item = bench_host_now.local_id;
    CHECK(running && swapcontext(&running->items[item], &running->scheduler) == 0);
}

static void item_run(void)
{
    uint32_t item = bench_host_now.local_id;
    running->kernel(running->a, running->b, running->out, running->n);
    running->is_done[item] = true;
}

static void item_resume(coroutines *c, uint32_t item)
{
    bench_host_now.local_id = item;
    CHECK(swapcontext(&c->scheduler, &c->items[item]) == 0);
}

static void items_create(coroutines *c, uint32_t count, uint8_t *stacks)
{
    for (uint32_t i = 0; i < count; i++) {
        CHECK(getcontext(&c->items[i]) == 0);
        c->items[i].uc_stack.ss_sp = stacks + (uint64_t)i * STACK_BYTES;
        c->items[i].uc_stack.ss_size = STACK_BYTES;
        c->items[i].uc_link = &c->scheduler;
        makecontext(&c->items[i], item_run, 0);
        c->is_done[i] = false;
    }
}

static void group_run(coroutines *c, uint8_t *stacks)
{
    uint32_t count = bench_host_now.local_size, left = count;
    items_create(c, count, stacks);
    while (left > 0) {
        for (uint32_t i = 0; i < count; i++) {
            if (c->is_done[i]) continue;
            item_resume(c, i);
            left -= c->is_done[i];
        }
    }
}

static bench_host_kernel *kernel_find(const char *name)
{
    static const struct {
        const char *name;
        bench_host_kernel *kernel;
    } kernels[] = {
#define ROW(name) {#name, bench_host_##name},
        BENCH_WILD_KERNELS(ROW)
#undef ROW
    };
    for (uint32_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (strcmp(kernels[i].name, name) == 0) return kernels[i].kernel;
    }
    return NULL;
}

rt_status bench_on_host(rt_sink *sink, const bench_run *run)
{
    const bench_case *test_case = run->test_case;
    bench_host_kernel *kernel = kernel_find(test_case->name);
    if (!kernel) {
        return rt_fail(sink, RT_TOOL, RT_RULE_NONE, "%s has no sequential reference",
                       test_case->name);
    }
    CHECK(test_case->dimensions == 1 && test_case->local[0] <= ITEMS_MAX);
    uint8_t *buffers = rt_alloc(UINT64_C(3) * BENCH_WILD_BYTES);
    uint8_t *stacks = rt_alloc((uint64_t)ITEMS_MAX * STACK_BYTES);
    running = rt_alloc(sizeof *running);
    for (uint32_t i = 0; i < 3; i++)
        bench_fill_buffer(test_case, i, buffers + (uint64_t)i * BENCH_WILD_BYTES);
    running->kernel = kernel;
    running->a = buffers;
    running->b = buffers + BENCH_WILD_BYTES;
    running->out = buffers + UINT64_C(2) * BENCH_WILD_BYTES;
    running->n = test_case->arguments[3].word;
    bench_host_now.local_size = (uint32_t)test_case->local[0];
    bench_host_now.groups = (uint32_t)(test_case->global[0] / test_case->local[0]);
    double begin = bench_now_ms();
    for (uint32_t group = 0; group < bench_host_now.groups; group++) {
        bench_host_now.group = group;
        group_run(running, stacks);
    }
    for (uint32_t i = 0; i < run->repeat; i++)
        run->times_ms[i] = bench_now_ms() - begin;
    rt_buffer_append(run->result, running->out, BENCH_WILD_BYTES);
    rt_free(running);
    running = NULL;
    rt_free(stacks);
    rt_free(buffers);
    return RT_STATUS_OK;
}
