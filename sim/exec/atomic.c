/* Atomics on lane arrays, executed lane by lane in order.
 *
 * Most of the cost of an atomic is not the operation itself but finding its memory and checking for
 * races.  If every lane's address is plainly valid, the memory is found once for all lanes.  If an
 * atomic publishes nothing and nothing has been published in the launch so far, it is checked and
 * recorded here just as sim/check/race.c would do it, as long as no cell is open. Otherwise lanes
 * take the slow path, which reports what is wrong. */
#include "sim/exec/exec.h"
#include "sim/number/half.h"

#include <string.h>

/* ---- Where ---------------------------------------------------------------------------------- */

/* The object that all lanes' atomics access; their offsets are in x->offsets. */
typedef struct target {
    sim_view_memory view;
    sim_race_shadow *race; /* NULL: no lane's atomic can race */
    const sim_race_clock *clock;
    uint32_t level;                             /* SIM_RACE_… of the operation */
    bool is_quick;                              /* lanes may take the fast path */
    uint32_t kinds[SIM_RACE_KINDS], kind_count; /* of earlier accesses that may be open */
} target;

/* Lists the kinds of accesses with which the operation may conflict. Atomics for the device never
 * conflict with each other. */
static void kinds_list(target *t)
{
    uint32_t settled = sim_race_settled(t->clock, t->race->class);
    bool all_wide = t->level == SIM_RACE_DEVICE && !t->race->has_narrow;
    t->kind_count = 0;
    for (uint32_t k = 0; k < SIM_RACE_KINDS; k++) {
        if (all_wide && sim_race_kind_atomic((sim_race_kind)k)) continue;
        if (sim_race_may_be_open(t->race, k, settled)) t->kinds[t->kind_count++] = k;
    }
}

/* Prepares race detection for the lanes' atomics; false if each lane must take the slow path. */
static bool race_open(const sim_exec *x, const sim_op *op, uint32_t size, target *t)
{
    sim_race *race = x->launch->race;
    t->race = SIM_CHECKED && race->is_on ? t->view.race : NULL;
    if (!t->race) return true;
    t->clock = &race->clocks[t->race->class];
    t->level = sim_race_atomic_level(op->stride);
    if (t->level < SIM_RACE_WORKGROUP || t->clock->is_split || size < 4) return false;
    /* The fast path requires that nothing has been published and that the operation publishes
     * nothing. */
    sim_race_order order = sim_race_order_of(op->stride);
    if (race->any_known || race->places.count > 0 || race->copy_now != SIM_NONE) return false;
    if (order.acquires || order.releases) return false;
    sim_race_log_settle(race, t->race);
    kinds_list(t);
    return true;
}

/* Finds the object that the first lane's address points into. True if all lanes' accesses are valid
 * within that object and may take the fast path. */
static bool target_open(sim_exec *x, const sim_op *op, uint32_t size, target *t)
{
    const uint64_t *address = sim_at(x, op->a);
    uint32_t step = sim_register_uniform(op->a) ? 0 : 1;
    uint64_t first = address[step * sim_first_lane(x)];
    sim_finding_kind kind;
    if (x->wave->tracks || !sim_access_find(x, first, &t->view, &kind)) return false;
    if (!t->view.data || t->view.size < size || t->view.size > INT32_MAX) return false;
    if (t->view.forbidden) return false;
    uint64_t start = first - t->view.offset, last = t->view.size - size, wrong = 0;
    for (uint32_t i = x->low; i < x->high; i++) {
        uint64_t o = address[step * i] - start;
        wrong |= x->mask[i] ? (uint64_t)(o > last) | (o & (size - 1)) : 0;
        x->offsets[i] = (uint32_t)o;
    }
    return wrong == 0 && race_open(x, op, size, t);
}

/* ---- Races ---------------------------------------------------------------------------------- */

/* True if the accesses of that kind recorded in the cell are settled, or atomic with respect to the
 * operation, for the work-item with stamp `mine`, which must not have synchronised with any other.
 */
static bool is_settled(const target *t, sim_race_kind kind, uint32_t cell, uint32_t mine)
{
    const sim_race_clock *clock = t->clock;
    uint32_t stamp = cell & SIM_RACE_STAMP;
    if (stamp < clock->launch_first) return true;
    bool are_atomic = sim_race_kind_atomic(kind);
    bool is_other_group = (cell & SIM_RACE_OLDER) || stamp < clock->group_first;
    bool are_for_device = are_atomic && t->level == SIM_RACE_DEVICE && !(cell & SIM_RACE_NARROW);
    if (is_other_group && !are_for_device) return false;
    if (stamp < clock->ordered_from) return true;
    if (are_atomic && !(cell & SIM_RACE_NARROW_HERE)) return true;
    return stamp == mine && !(cell & SIM_RACE_SEVERAL);
}

/* Like sim_race_join, but only for an atomic whose scope is at least the group, and for a clock
 * that has given no work-item two stamps since the last barrier. */
static uint32_t joined(const target *t, uint32_t cell, uint32_t mine)
{
    const sim_race_clock *clock = t->clock;
    uint32_t stamp = cell & SIM_RACE_STAMP, flags = cell & (SIM_RACE_OLDER | SIM_RACE_NARROW);
    bool is_narrow = t->level == SIM_RACE_WORKGROUP;
    if (stamp < clock->launch_first) return mine | (is_narrow ? SIM_RACE_NARROW : 0);
    if (stamp < clock->group_first) flags |= SIM_RACE_OLDER;
    if (stamp >= clock->ordered_from) {
        flags |= stamp != mine ? SIM_RACE_SEVERAL : cell & SIM_RACE_SEVERAL;
        flags |= cell & SIM_RACE_NARROW_HERE;
    }
    if (!is_narrow) return mine | flags;
    if (!(flags & SIM_RACE_NARROW)) flags &= ~SIM_RACE_OLDER;
    return mine | flags | SIM_RACE_NARROW;
}

/* Checks one lane's atomic of `size` bytes for races and records it; false, with nothing recorded,
 * if the lane must take the slow path. */
static inline bool race_quick(const sim_exec *x, const sim_op *op, const target *t, uint32_t lane,
                              uint32_t size, bool writes)
{
    sim_race_shadow *shadow = t->race;
    if (!shadow) return true;
    uint32_t mine = t->clock->base + x->wave->first_item + lane;
    uint32_t first = x->offsets[lane] >> shadow->shift, count = size >> shadow->shift;
    sim_race_kind access = sim_race_kind_of(writes, t->level);
    uint32_t *cells = shadow->cells[access];
    if (!cells) return false;
    for (uint32_t k = 0; k < t->kind_count; k++) {
        sim_race_kind kind = (sim_race_kind)t->kinds[k];
        const uint32_t *others = shadow->cells[kind];
        if (!writes && kind >= SIM_RACE_KINDS_WRITING) break;
        for (uint32_t c = first; c < first + count; c++) {
            if (!is_settled(t, kind, others[c], mine)) return false;
        }
    }
    for (uint32_t c = first; c < first + count; c++)
        cells[c] = joined(t, cells[c], mine);
    shadow->from[access] = t->clock->ordered_from;
    shadow->has_narrow |= t->level != SIM_RACE_DEVICE;
    sim_race_site(shadow, access, op->site);
    return true;
}

/* True if all `size` bytes with this shadow are defined. */
static inline bool is_defined(const uint8_t *defined, uint32_t size)
{
    uint64_t bits = UINT64_MAX;
    memcpy(&bits, defined, size);
    return bits == UINT64_MAX;
}

/* ---- What ----------------------------------------------------------------------------------- */

/* FLOAT_OF and BITS_OF convert between integers that hold the bits of floats and their values:
 * halves are computed as float and rounded once (half.h). */
#define LANE_TYPE I16
#define FLOAT     float
#define FLOAT_OF  sim_float_of_half
#define BITS_OF   sim_half_of_float
#include "sim/exec/atomic_width.inc"
#define LANE_TYPE      I32
#define FLOAT          float
#define FLOAT_OF(from) (sim_float_bits){.bits = (from)}.value
#define BITS_OF(from)  (sim_float_bits){.value = (from)}.bits
#include "sim/exec/atomic_width.inc"
#define LANE_TYPE      I64
#define FLOAT          double
#define FLOAT_OF(from) (sim_double_bits){.bits = (from)}.value
#define BITS_OF(from)  (sim_double_bits){.value = (from)}.bits
#include "sim/exec/atomic_width.inc"

/* ---- The table ------------------------------------------------------------------------------ */

sim_handle *const SIM_NAME(sim_atomic_table)[SIM_HANDLER_COUNT] = {
    [SIM_H_ATOMIC_I16] = ATOMIC_I16,
    [SIM_H_ATOMIC_I32] = ATOMIC_I32,
    [SIM_H_ATOMIC_I64] = ATOMIC_I64,
};
