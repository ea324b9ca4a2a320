/* Measures the cost of scheduling many commands.
 *
 *     bench_sched COMMANDS
 *
 * Prints one line of JSON.  Each of COMMANDS launches reads one of 64 buffers and writes another,
 * and depends on up to three of the newest 1000 commands; every thousandth also depends on one of
 * all earlier commands.  Then all commands are waited for, once together and once one by one.  A
 * second pass holds the same launches back in fusions of 100 and cancels them.  The device does
 * nothing, so only the runtime is measured.  `ci/bench sched` runs it in a separate process for
 * each number of commands, because the reported memory is the process's peak. */
#include "reference/base/hash.h"
#include "reference/program/test/fixture.h"
#include "reference/sched/fusion_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { MEMORIES = 64, RECENT = 1000, LIST = 100, COMMANDS_MAX = 10000000 };

typedef struct bench {
    fixture *f;
    rt_scheduler *scheduler;
    rt_queue_id queue;
    rt_memory *memories[MEMORIES];
    rt_command_id *commands; /* of each launch */
    uint32_t count;
    uint64_t edges, random;
} bench;

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void demand(rt_status status, const char *request)
{
    if (rt_ok(status)) return;
    fprintf(stderr, "bench_sched: %s failed\n", request);
    exit(1);
}

static uint32_t draw(bench *b, uint32_t below)
{
    b->random += RT_MIX_STEP;
    return (uint32_t)(rt_mix64(b->random) % below);
}

static void submit_launch(bench *b, uint32_t number)
{
    const rt_argument arguments[] = {
        {.kind = RT_ARGUMENT_MEMORY,
         .memory = b->memories[draw(b, MEMORIES)],
         .access = RT_ACCESS_READ},
        {.kind = RT_ARGUMENT_MEMORY,
         .memory = b->memories[draw(b, MEMORIES)],
         .access = RT_ACCESS_WRITE},
    };
    rt_command_id after[4];
    uint32_t after_count = number > 0 ? draw(b, 4) : 0;
    uint32_t reach = number < RECENT ? number : RECENT;
    for (uint32_t i = 0; i < after_count; i++)
        after[i] = b->commands[number - 1 - draw(b, reach)];
    if (number % 1000 == 999) after[after_count++] = b->commands[draw(b, number)];
    b->edges += after_count;
    const rt_launch request = {.kernel = RT_TEXT("k"),
                               .range = {.dimensions = 1, .global = {1, 1, 1}},
                               .arguments = arguments,
                               .argument_count = 2,
                               .after = after,
                               .after_count = after_count};
    demand(rt_scheduler_launch(b->scheduler, b->queue, &request, &b->commands[number]), "a launch");
}

static void begin(bench *b, uint32_t count)
{
    static const fixture_module modules[] = {{"main", "k", NULL, NULL}};
    *b = (bench){.count = count};
    b->f = fixture_create(modules, 1, "");
    demand(rt_loader_open(&b->f->loader, 0), "loading");
    b->scheduler = rt_scheduler_create(b->f->sink, b->f->trace, b->f->manager, NULL);
    demand(rt_scheduler_queue_create(b->scheduler, &b->f->device, 0, false, &b->queue), "a queue");
    rt_scheduler_queue_enable_fusion(b->scheduler, b->queue);
    for (uint32_t i = 0; i < MEMORIES; i++)
        demand(rt_memory_create(b->f->sink, i, RT_TEXT("m"), 4, "0123", &b->memories[i]),
               "a memory");
    b->commands = rt_alloc_array(count, sizeof *b->commands);
}

static void end(bench *b)
{
    rt_scheduler_destroy(b->scheduler);
    for (uint32_t i = 0; i < MEMORIES; i++)
        rt_memory_destroy(b->memories[i]);
    fixture_destroy(b->f);
    rt_free(b->commands);
}

/* Measures the seconds spent submitting, waiting for all commands, and waiting for each of them. */
static void plain_pass(uint32_t count, double out_seconds[3], uint64_t *out_edges)
{
    bench b;
    begin(&b, count);
    double start = now_s();
    for (uint32_t i = 0; i < count; i++)
        submit_launch(&b, i);
    out_seconds[0] = now_s() - start;
    start = now_s();
    demand(rt_scheduler_wait(b.scheduler), "a wait");
    out_seconds[1] = now_s() - start;
    start = now_s();
    for (uint32_t i = 0; i < count; i++)
        demand(rt_scheduler_wait_command(b.scheduler, b.commands[i]), "a wait");
    out_seconds[2] = now_s() - start;
    *out_edges = b.edges;
    end(&b);
}

static double held_pass(uint32_t count)
{
    bench b;
    begin(&b, count);
    double start = now_s();
    for (uint32_t i = 0; i < count; i++) {
        if (i % LIST == 0) demand(rt_fusion_command_start(b.scheduler, b.queue), "start_fusion");
        submit_launch(&b, i);
        if (i % LIST == LIST - 1 || i + 1 == count)
            rt_fusion_command_cancel(b.scheduler, b.queue, RT_SYNC_REASON_CALL);
    }
    double seconds = now_s() - start;
    end(&b);
    return seconds;
}

int main(int argument_count, char **arguments)
{
    uint64_t count = argument_count == 2 ? strtoull(arguments[1], NULL, 10) : 0;
    if (count < 1 || count > COMMANDS_MAX) {
        fprintf(stderr, "bench_sched COMMANDS, from 1 to %d\n", COMMANDS_MAX);
        return 2;
    }
    double seconds[3];
    uint64_t edges;
    plain_pass((uint32_t)count, seconds, &edges);
    double held_seconds = held_pass((uint32_t)count);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"commands\": %" PRIu64 ", \"edges\": %" PRIu64
           ", \"submit_s\": %.6f, \"wait_s\": %.6f, \"wait_each_s\": %.6f, \"hold_s\": %.6f, "
           "\"memory_kib\": %ld}\n",
           count, edges, seconds[0], seconds[1], seconds[2], held_seconds, usage.ru_maxrss);
    return 0;
}
