/* Runs several small groups as one wave; pack.h says how. */
#include "sim/exec/pack.h"

#include "reference/base/alloc.h"
#include "sim/exec/parallel.h"
#include "sim/exec/undo.h"

#include <string.h>

/* A launch that takes more than 1 / SAVED_MIN of its former steps is not worth what a pack costs.
 */
#define SAVED_MIN 2u
/* Copying this many bytes, so that they can be restored, takes about as long as a step. */
#define BYTES_PER_STEP 64u

/* ---- Which launches ------------------------------------------------------------------------- */

/* Nothing but barriers may connect the work-items of a group, and everything that the kernel writes
 * must be known. */
static bool kernel_is_packable(const sim_kernel *kernel)
{
    const sim_reach *reach = &kernel->reach;
    if (reach->atomics || reach->meets || reach->collects || reach->copies) return false;
    if (reach->prints || reach->points) return false;
    return !kernel->written.anything && !kernel->written.variables;
}

/* Returns how many groups fit into a wave, with their local memory. */
static uint32_t parts_of(const sim_launch_state *l)
{
    uint64_t bytes = 0, parts = SIM_LANES / l->pool[SIM_SLOT_GROUP_ITEMS];
    for (uint32_t i = 0; i < l->locals.count; i++)
        bytes += sim_local_stride(l->locals.items[i].size);
    if (bytes && parts > SIM_LOCAL_SIZE_MAX / bytes) parts = SIM_LOCAL_SIZE_MAX / bytes;
    uint64_t groups = sim_launch_group_count(l);
    return (uint32_t)(parts < groups ? parts : groups);
}

/* Returns the bytes that the launch may write. */
static uint64_t bytes_written(const sim_launch_state *l, const sim_argument *arguments)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
        bool is_object = arguments[i].kind == SIM_PARAMETER_GLOBAL && arguments[i].object;
        if (!is_object || !l->kernel->written.parameters[i]) continue;
        bytes += sim_world_memory(l->world, arguments[i].object)->size;
    }
    return bytes;
}

static bool is_worth_it(const sim_launch_state *l, const sim_packable *known,
                        const sim_argument *arguments)
{
    const sim_world *world = l->world;
    if (known->is_refused || known->steps < world->pack_steps) return false;
    if (l->schedule != SIM_SCHEDULE_LOCKSTEP || l->range->is_non_uniform) return false;
    if (world->is_unchecked || sim_launch_records(l)) return false;
    if (parts_of(l) < 2 || !kernel_is_packable(l->kernel)) return false;
    uint64_t steps = known->steps_per_group * sim_launch_group_count(l);
    return world->pack_steps == 0 || bytes_written(l, arguments) / BYTES_PER_STEP <= steps;
}

/* ---- The program ---------------------------------------------------------------------------- */

/* Returns the kernel for packs; NULL if there is none. */
static const sim_kernel *kernel_find(const sim_launch_state *l, const sim_instance *instance)
{
    const sim_program *program = l->program;
    if (!*instance->packed) {
        rt_sink *sink = rt_sink_create();
        rt_status status = sim_program_for_packs(sink, program, instance->packed);
        rt_sink_destroy(sink);
        if (!rt_ok(status)) return NULL;
    }
    const sim_program *packed = *instance->packed;
    CHECK(packed->kernel_count == program->kernel_count);
    CHECK(packed->site_count == program->site_count);
    /* Its constants must be the same for the instance's pool, which has the addresses of variables,
     * to be its pool too. */
    bool is_same = packed->pool_slot_count == program->pool_slot_count &&
                   memcmp(packed->pool_slots, program->pool_slots,
                          program->pool_slot_count * sizeof *program->pool_slots) == 0;
    return is_same ? &packed->kernels[l->kernel - program->kernels] : NULL;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

void sim_pack_rows(const sim_launch_state *l, const sim_wave *wave)
{
    const sim_range *range = l->range;
    const uint64_t *counts = l->pool + SIM_SLOT_GROUP_COUNT, *global = range->global;
    uint64_t group[RT_ND_RANGE_DIMENSIONS];
    memcpy(group, l->group, sizeof group);
    for (uint32_t lane = 0; lane < wave->lane_count; lane++) {
        if (lane > 0 && l->lane_parts[lane] != l->lane_parts[lane - 1]) {
            for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
                if (++group[k] < counts[k]) break;
                group[k] = 0;
            }
        }
        uint64_t linear = 0;
        for (uint32_t k = RT_ND_RANGE_DIMENSIONS; k-- > 0;) {
            uint64_t id =
                group[k] * range->local[k] + sim_wave_row(wave, SIM_ROW_LOCAL_ID + k)[lane];
            sim_wave_row(wave, SIM_ROW_GROUP_ID + k)[lane] = group[k];
            sim_wave_row(wave, SIM_ROW_GLOBAL_ID + k)[lane] = id + range->offset[k];
            linear = linear * global[k] + id;
        }
        sim_wave_row(wave, SIM_ROW_GLOBAL_LINEAR)[lane] = linear;
    }
}

/* ---- Launches ------------------------------------------------------------------------------- */

/* Undoes a launch unless it stands, which means that its effects are kept. Undefined bits may have
 * given an object that had none a shadow, which restored bytes do not need. */
static void undo_close(sim_undo *undo, bool stands)
{
    for (uint32_t i = 0; i < undo->objects.count; i++) {
        sim_memory *memory = (sim_memory *)undo->objects.items[i].memory;
        bool had_none = undo->objects.items[i].defined == NULL;
        if (had_none && !memory->all_defined) sim_memory_settle(memory);
    }
    sim_undo_close(undo, !stands);
    sim_undo_free(undo);
}

/* Runs the packs; false if what they did cannot be kept. What they report is then reported again.
 */
static bool packs_run(sim_launch_state *l, sim_launch_state *p, const sim_argument *arguments)
{
    uint64_t groups = sim_launch_group_count(l), packs = (groups + p->parts - 1) / p->parts;
    rt_sink *sink = p->world->sink;
    p->world->sink = rt_sink_create();
    p->status = sim_launch_open(p, arguments);
    if (rt_ok(p->status)) sim_launch_run(p, arguments, (sim_part){0, packs});
    rt_sink_destroy(p->world->sink);
    p->world->sink = sink;
    bool stands = rt_ok(p->status) && p->findings.rows.count == 0 && !p->gave_up;
    if (!stands) return false;
    CHECK(p->budget <= l->budget);
    l->budget = p->budget;
    return true;
}

bool sim_launch_packed(sim_launch_state *l, const sim_instance *instance,
                       const sim_argument *arguments)
{
    sim_packable *known = &instance->packable[l->kernel - l->program->kernels];
    if (!is_worth_it(l, known, arguments)) return false;
    const sim_kernel *kernel = kernel_find(l, instance);
    known->is_refused = true;
    if (!kernel) return false;
    uint32_t lane_parts[SIM_LANES] = {0}, parts = parts_of(l);
    uint64_t items = l->pool[SIM_SLOT_GROUP_ITEMS], steps = l->steps / parts;
    for (uint32_t lane = 0; lane < parts * items; lane++)
        lane_parts[lane] = (uint32_t)(lane / items);
    /* In lockstep a group takes at most the steps of its pack. */
    sim_launch_state p = {.world = l->world,
                          .kernel = kernel,
                          .program = kernel->program,
                          .range = l->range,
                          .function_first = l->function_first,
                          .budget = l->budget,
                          .steps = steps,
                          .pattern = l->pattern,
                          .parts = parts,
                          .lane_parts = lane_parts};
    p.pool = rt_alloc_array(l->program->pool_slot_count, sizeof *p.pool);
    memcpy(p.pool, l->pool, l->program->pool_slot_count * sizeof *p.pool);
    sim_undo undo = {0};
    sim_undo_open(&undo, l, arguments, SIM_UNDO_SHARED_ALL);
    for (uint32_t i = 0; i < undo.objects.count; i++)
        sim_undo_save_all(&undo.objects.items[i]);
    bool stands = packs_run(l, &p, arguments);
    undo_close(&undo, stands);
    uint64_t before = known->steps_per_group * sim_launch_group_count(l);
    if (stands) known->is_refused = l->world->pack_steps && (steps - p.steps) * SAVED_MIN > before;
    l->world->packed_count += stands;
    sim_launch_close(&p);
    rt_free(p.pool);
    return stands;
}

void sim_pack_measure(const sim_launch_state *l, const sim_instance *instance,
                      uint64_t steps_before)
{
    sim_packable *known = &instance->packable[l->kernel - l->program->kernels];
    uint64_t steps = steps_before - l->steps;
    known->steps += steps;
    known->steps_per_group = steps / sim_launch_group_count(l);
}
