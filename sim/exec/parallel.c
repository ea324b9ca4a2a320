/* Runs the work-groups of one launch on several threads, provided that this cannot affect the
 * result.
 *
 * The threads run first, and their effects are compared afterwards.  Each thread runs some of the
 * groups in a separate world, which has its own clocks, race shadows, local memory and findings and
 * shares only the bytes of memory and the record of which of them are defined.  At the end its race
 * shadows show which cells it has read and written. If no thread has written a cell that another
 * has accessed, and no thread has a finding, then no order of the groups gives different bytes or a
 * finding, and the results are kept. Otherwise memory is restored and one thread runs the launch
 * again, as if the attempt had not been made.
 *
 * If groups race, so do the threads, but on bytes that are then discarded.
 *
 * Kernels that can reach operations by which groups may communicate are not run in parallel:
 * atomics on memory that other groups see, asynchronous copies, printf, writes to module-scope
 * variables or through pointers loaded from memory. Nor are launches with schedules other than
 * lockstep.  Each thread has its own local memory, so atomics on local memory and barriers do not
 * communicate between threads. */
#include "sim/exec/parallel.h"

#include "reference/base/alloc.h"
#include "sim/exec/undo.h"
#include "sim/number/math.h"

#include <pthread.h>
#include <string.h>

#define THREADS_MAX 64u

typedef struct worker {
    sim_world world;
    sim_launch_state launch;
    const sim_argument *arguments;
    sim_part part;
    pthread_t thread;
    bool is_started;
} worker;

/* ---- Workers -------------------------------------------------------------------------------- */

static bool worker_open(worker *w, const sim_launch_state *l, const sim_argument *arguments,
                        sim_part part)
{
    uint32_t object_count = l->world->objects.count;
    w->world = *l->world;
    w->world.sink = rt_sink_create();
    w->world.writers = NULL;
    w->world.objects.items = rt_alloc_array(object_count, sizeof *w->world.objects.items);
    for (uint32_t i = 0; i < object_count; i++) {
        w->world.objects.items[i] = l->world->objects.items[i];
        w->world.objects.items[i].race = NULL;
    }
    w->arguments = arguments;
    w->part = part;
    w->launch = (sim_launch_state){.world = &w->world,
                                   .kernel = l->kernel,
                                   .program = l->program,
                                   .range = l->range,
                                   .function_first = l->function_first,
                                   .budget = l->budget,
                                   .steps = l->steps,
                                   .schedule = l->schedule,
                                   .unit_lanes = l->unit_lanes,
                                   .pattern = l->pattern};
    uint32_t slots = l->program->pool_slot_count;
    w->launch.pool = rt_alloc_array(slots, sizeof *w->launch.pool);
    memcpy(w->launch.pool, l->pool, slots * sizeof *w->launch.pool);
    return rt_ok(sim_launch_open(&w->launch, arguments));
}

static void worker_close(worker *w, const sim_world *world)
{
    sim_launch_close(&w->launch);
    for (uint32_t i = 0; i < w->world.objects.count; i++) {
        const sim_memory *memory = &w->world.objects.items[i];
        sim_race_shadow_free(memory->race);
        if (memory->defined != world->objects.items[i].defined) rt_free(memory->defined);
    }
    rt_free(w->world.objects.items);
    rt_free(w->launch.pool);
    rt_sink_destroy(w->world.sink);
}

static void *thread_main(void *user)
{
    worker *w = user;
    sim_launch_run(&w->launch, w->arguments, w->part);
    sim_math_thread_end();
    return NULL;
}

/* Runs all parts in parallel.  The first runs on this thread, as does any part whose thread cannot
 * be started. */
static void workers_run(worker *workers, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        workers[i].is_started =
            pthread_create(&workers[i].thread, NULL, thread_main, &workers[i]) == 0;
    for (uint32_t i = 0; i < count; i++) {
        if (workers[i].is_started) {
            pthread_join(workers[i].thread, NULL);
        } else {
            sim_launch_run(&workers[i].launch, workers[i].arguments, workers[i].part);
        }
    }
}

/* ---- Judging -------------------------------------------------------------------------------- */

/* What the workers examined so far have done to each cell of an object. */
enum { SEEN_READ = 1, SEEN_WRITTEN = 2 };

/* True if the worker has accessed a cell for which `seen` has a bit of `against`; the worker's
 * cells may be wider than those of `seen`. */
static bool cells_meet(const uint32_t *cells, uint32_t wider, const uint8_t *seen, uint64_t count,
                       uint8_t against)
{
    uint32_t met = 0;
    for (uint64_t i = 0; cells && i < count; i++)
        met |= (cells[i >> wider] != 0) & ((seen[i] & against) != 0);
    return met != 0;
}

static void cells_note(const uint32_t *cells, uint32_t wider, uint8_t *seen, uint64_t count,
                       uint8_t as)
{
    for (uint64_t i = 0; cells && i < count; i++)
        seen[i] |= cells[i >> wider] != 0 ? as : 0;
}

/* True if no two workers conflict in their accesses to the object. */
static bool object_is_apart(const worker *workers, uint32_t count, uint32_t object)
{
    const sim_race_shadow *narrow = NULL; /* the shadow with the smallest cells */
    for (uint32_t i = 0; i < count; i++) {
        const sim_race_shadow *shadow = workers[i].world.objects.items[object].race;
        if (shadow && (!narrow || shadow->shift < narrow->shift)) narrow = shadow;
    }
    if (!narrow) return true;
    uint64_t cells = sim_race_cells(narrow);
    CHECK(cells >= 1 && narrow->class == SIM_RACE_GLOBAL);
    uint8_t *seen = rt_alloc(cells);
    bool apart = true;
    for (uint32_t i = 0; apart && i < count; i++) {
        const sim_race_shadow *mine = workers[i].world.objects.items[object].race;
        if (!mine) continue;
        uint32_t wider = (uint32_t)mine->shift - narrow->shift;
        apart = !cells_meet(mine->cells[SIM_RACE_WRITES], wider, seen, cells,
                            SEEN_READ | SEEN_WRITTEN) &&
                !cells_meet(mine->cells[SIM_RACE_READS], wider, seen, cells, SEEN_WRITTEN);
        cells_note(mine->cells[SIM_RACE_WRITES], wider, seen, cells, SEEN_WRITTEN);
        cells_note(mine->cells[SIM_RACE_READS], wider, seen, cells, SEEN_READ);
    }
    rt_free(seen);
    return apart;
}

/* True if the workers did what a single thread would have done; their cost and stamps are then
 * charged to the launch and its world. */
static bool workers_agree(sim_launch_state *l, const worker *workers, uint32_t count)
{
    sim_world *world = l->world;
    uint32_t first = world->race_next ? world->race_next : 1;
    uint64_t cost = 0, steps = 0, next = first;
    for (uint32_t i = 0; i < count; i++) {
        const worker *w = &workers[i];
        /* Findings, and effects other than on bytes of memory, may differ from those of a single
         * thread, so there must be none. */
        if (!rt_ok(w->launch.status) || w->launch.findings.rows.count > 0) return false;
        if (w->world.race_restarts != world->race_restarts) return false;
        CHECK(w->launch.budget <= l->budget && w->world.race_next >= first);
        CHECK(w->world.objects.count == world->objects.count);
        for (uint32_t k = 0; k < world->objects.count; k++) {
            const sim_memory *before = &w->world.objects.items[k],
                             *shared = &world->objects.items[k];
            if (before->defined != shared->defined || before->all_defined != shared->all_defined)
                return false;
        }
        cost += l->budget - w->launch.budget;
        steps += l->steps - w->launch.steps;
        next += w->world.race_next - first;
    }
    for (uint32_t object = 1; object < world->objects.count; object++) {
        if (!object_is_apart(workers, count, object)) return false;
    }
    if (cost > l->budget || steps > l->steps || next > world->race_limit) return false;
    l->budget -= cost;
    l->steps -= steps;
    world->race_next = (uint32_t)next;
    return true;
}

/* ---- The launch ----------------------------------------------------------------------------- */

bool sim_launch_parallel(sim_launch_state *l, const sim_argument *arguments)
{
    const sim_world *world = l->world;
    const sim_access_set *written = &l->kernel->written;
    const sim_reach *reach = &l->kernel->reach;
    uint64_t groups = sim_launch_group_count(l);
    if (world->threads <= 1 || groups <= 1 || l->schedule != SIM_SCHEDULE_LOCKSTEP) return false;
    if (reach->far_atomics || reach->copies || reach->prints) return false;
    if (written->anything || written->variables || sim_launch_records(l)) return false;
    /* Without race detection, conflicts would go unnoticed. Besides, the stamps must suffice for
     * all threads. */
    if (world->is_unchecked || world->race_next > world->race_limit / 2) return false;
    uint32_t count = l->world->threads < THREADS_MAX ? l->world->threads : THREADS_MAX;
    if (count > groups) count = (uint32_t)groups;
    CHECK(count >= 2 && count <= THREADS_MAX);
    worker *workers = rt_alloc_array(count, sizeof *workers);
    sim_undo before = {0};
    sim_undo_open(&before, l, arguments, SIM_UNDO_SHARED_ALL);
    for (uint32_t i = 0; i < before.objects.count; i++)
        sim_undo_save_all(&before.objects.items[i]);
    bool stands = true;
    uint64_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        sim_part part = {first, groups / count + (i < groups % count)};
        stands &= worker_open(&workers[i], l, arguments, part);
        first += part.count;
    }
    CHECK(first == groups);
    if (stands) workers_run(workers, count);
    stands = stands && workers_agree(l, workers, count);
    for (uint32_t i = 0; i < count; i++)
        worker_close(&workers[i], world);
    l->world->parallel_count += stands;
    sim_undo_close(&before, !stands);
    sim_undo_free(&before);
    rt_free(workers);
    return stands;
}
