/* Loads and stores of compiled code: the accesses of a chunk's lanes, fully checked, as in memory.c
 * and lane_access.c. What those would report, or cannot be sure of, makes the code give up, so
 * nothing here makes a finding. */
#include "sim/exec/chunk_access.h"

#include "sim/exec/race_cells.h"
#include "sim/number/math.h"

#include <string.h>

#define LANES_N SIM_TIER_LANES
/* Forms and widths are constants after inlining. */
#define ALWAYS inline __attribute__((always_inline))
/* A component's values in `values`. */
#define COMPONENT_BYTES (LANES_N * 8u)

typedef uint8_t chunk_8 __attribute__((may_alias));
typedef uint16_t chunk_16 __attribute__((aligned(1), may_alias));
typedef uint32_t chunk_32 __attribute__((aligned(1), may_alias));
typedef uint64_t chunk_64 __attribute__((aligned(1), may_alias));

static uint32_t give_up(sim_tier_context *c, sim_tier_reason reason)
{
    c->reason = reason;
    return 0;
}

/* The offsets of the lanes' accesses in one object; those of inactive lanes are 0. */
typedef struct chunk_places {
    uint32_t at[LANES_N];
    sim_chunk_kind kind; /* RUN: only if all lanes are active; SAME: then, or for uniform addresses */
} chunk_places;

/* ---- Objects -------------------------------------------------------------------------------- */

/* Finds the object at the address for an access that has not reached it before. */
__attribute__((noinline)) static bool view_find(sim_tier_context *c, const sim_tier_access *a,
                                                uint64_t address, sim_tier_view *out)
{
    sim_exec *x = c->exec;
    sim_view_memory view;
    sim_finding_kind kind;
    out->key = UINT64_MAX;
    if (!sim_access_find(x, address, &view, &kind)) return false;
    if (view.size > INT32_MAX || view.size < (uint64_t)a->bytes * a->count) return false;
    if (view.forbidden & (a->is_store ? SIM_FORBIDS_STORES : SIM_FORBIDS_LOADS)) return false;
    *out = (sim_tier_view){.key = SIM_TIER_KEY(address),
                           .data = view.data,
                           .defined = view.defined,
                           .size = view.size,
                           .race = view.race};
    if (view.class == SIM_CLASS_LOCAL) {
        const sim_local_object *local = &x->launch->locals.items[view.object - 1];
        out->all_defined = &local->all_defined;
        out->defined = x->launch->locals_defined.data + local->offset;
    }
    if (view.race) out->clock = &x->launch->race->clocks[view.race->class];
    if (!out->defined && !out->race) out->plain_size = out->size;
    return true;
}

static inline sim_tier_view *view_at(sim_tier_context *c, const sim_tier_access *a,
                                     uint64_t address)
{
    sim_tier_view *view = &c->views[a->view];
    if (view->key == SIM_TIER_KEY(address) || view_find(c, a, address, view)) return view;
    return NULL;
}

/* ---- Races ---------------------------------------------------------------------------------- */

/* The cells [first, first + n) that one lane accesses. */
static inline bool lane_is_open(const sim_race_clock *clock, const uint32_t *cells, uint32_t first,
                                uint32_t n, uint32_t mine)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < n; i++)
        open |= (uint32_t)SIM_CELL_IS_OPEN(clock, cells[first + i], mine);
    return open != 0;
}

/* Narrows the cells if necessary; returns the number of cells per lane. */
static inline uint32_t cells_open(const sim_tier_view *view, sim_race_kind kind,
                                  const chunk_places *p, uint32_t mask, uint32_t first,
                                  uint32_t size)
{
    sim_race_shadow *shadow = view->race;
    uint32_t bits = first | size;
    if (shadow->shift) {
        for (uint32_t i = 0; i < LANES_N; i++)
            bits |= mask >> i & 1 ? p->at[i] : 0;
    }
    if (!shadow->cells[kind] || (shadow->shift && (bits & 3)))
        sim_race_cells_make(shadow, kind, shadow->shift ? bits : 0);
    return size >> shadow->shift;
}

/* Sixteen adjacent cells, one for each lane: true if none is open. */
static inline bool run_is_settled(const sim_race_clock *clock, const uint32_t *cells, uint32_t stamp)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < LANES_N; i++)
        open |= (uint32_t)SIM_CELL_IS_OPEN(clock, cells[i], stamp + i);
    return open == 0;
}

static ALWAYS bool race_load(sim_tier_context *c, const sim_tier_view *view, const chunk_places *p,
                             uint32_t mask, uint32_t first, uint32_t size)
{
    sim_race_shadow *shadow = view->race;
    const sim_race_clock *clock = view->clock;
    uint32_t n = cells_open(view, SIM_RACE_READS, p, mask, first, size), shift = shadow->shift;
    uint32_t settled = sim_race_settled(clock, shadow->class), base = clock->base + c->lid;
    uint32_t from = clock->launch_first, group = clock->group_first, ordered = clock->ordered_from;
    uint32_t *reads = shadow->cells[SIM_RACE_READS];
    bool is_run = p->kind == SIM_CHUNK_RUN && n == 1;
    if (clock->is_split) return false;
    for (uint32_t kind = 0; kind < SIM_RACE_KINDS_WRITING; kind++) {
        if (!sim_race_may_be_open(shadow, kind, settled)) continue;
        const uint32_t *cells = shadow->cells[kind];
        if (is_run) {
            if (!run_is_settled(clock, cells + ((p->at[0] + first) >> shift), base)) return false;
            continue;
        }
        for (uint32_t left = mask; left; left &= left - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(left);
            if (lane_is_open(clock, cells, (p->at[i] + first) >> shift, n, base + i)) return false;
        }
    }
    shadow->from[SIM_RACE_READS] = ordered;
    if (is_run) {
        uint32_t *cells = reads + ((p->at[0] + first) >> shift);
        for (uint32_t i = 0; i < LANES_N; i++)
            cells[i] = sim_cell_joined(cells[i], base + i, from, group, ordered);
        return true;
    }
    uint32_t left = mask;
    if (p->kind == SIM_CHUNK_SAME) { /* only the first and the last reader matter */
        left = (mask & -mask) | 1u << (31 - (uint32_t)__builtin_clz(mask));
    }
    for (; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left), at = (p->at[i] + first) >> shift;
        for (uint32_t k = at; k < at + n; k++)
            reads[k] = sim_cell_joined(reads[k], base + i, from, group, ordered);
    }
    return true;
}

/* Lanes that write the same cell find each other's stamp open. */
static ALWAYS bool race_store(sim_tier_context *c, const sim_tier_view *view, const chunk_places *p,
                              uint32_t mask, uint32_t size)
{
    sim_race_shadow *shadow = view->race;
    const sim_race_clock *clock = view->clock;
    uint32_t n = cells_open(view, SIM_RACE_WRITES, p, mask, 0, size), shift = shadow->shift;
    uint32_t settled = sim_race_settled(clock, shadow->class), base = clock->base + c->lid;
    bool is_run = p->kind == SIM_CHUNK_RUN && n == 1;
    if (clock->is_split) return false;
    for (uint32_t kind = 0; kind < SIM_RACE_KINDS; kind++) {
        const uint32_t *cells = shadow->cells[kind];
        if (kind == SIM_RACE_WRITES || !sim_race_may_be_open(shadow, kind, settled)) continue;
        if (is_run) {
            if (!run_is_settled(clock, cells + (p->at[0] >> shift), base)) return false;
            continue;
        }
        for (uint32_t left = mask; left; left &= left - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(left);
            if (lane_is_open(clock, cells, p->at[i] >> shift, n, base + i)) return false;
        }
    }
    shadow->from[SIM_RACE_WRITES] = clock->ordered_from;
    uint32_t *writes = shadow->cells[SIM_RACE_WRITES];
    if (is_run) {
        uint32_t *cells = writes + (p->at[0] >> shift);
        if (!run_is_settled(clock, cells, base)) return false;
        for (uint32_t i = 0; i < LANES_N; i++)
            cells[i] = base + i;
        return true;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left), at = p->at[i] >> shift;
        if (lane_is_open(clock, writes, at, n, base + i)) return false;
        for (uint32_t k = at; k < at + n; k++)
            writes[k] = base + i;
    }
    return true;
}

/* ---- Offsets -------------------------------------------------------------------------------- */

static inline uint64_t lane_distance(const sim_tier_access *a, uint32_t form, const void *index,
                                     uint32_t lane)
{
    switch (form) {
    case SIM_MEMORY_U32: return (uint64_t)((const uint32_t *)index)[lane] * a->stride;
    case SIM_MEMORY_S32: return (uint64_t)((const int32_t *)index)[lane] * a->stride;
    case SIM_MEMORY_I64: return ((const uint64_t *)index)[lane] * a->stride;
    case SIM_MEMORY_EACH: return ((const uint64_t *)index)[lane];
    default: return 0;
    }
}

/* Computes the lanes' offsets from `start`, the offset of the uniform part; false if an active lane
 * is outside the object or not aligned. */
static ALWAYS bool places_find(const sim_tier_access *a, uint32_t form, uint64_t start,
                               const void *index, uint32_t mask, uint64_t last, uint32_t step,
                               chunk_places *p)
{
    uint32_t outside = 0, bits = 0, apart = 0, differ = 0;
    if (form == SIM_MEMORY_ONE || form == SIM_MEMORY_SAME) {
        if (start > last || (start & (a->alignment - 1))) return false;
        for (uint32_t i = 0; i < LANES_N; i++)
            p->at[i] = (uint32_t)start;
        p->kind = SIM_CHUNK_SAME;
        return true;
    }
    for (uint32_t i = 0; i < LANES_N; i++) {
        uint64_t offset = start + lane_distance(a, form, index, i);
        bool is_active = mask >> i & 1;
        outside |= (uint32_t)(is_active & (offset > last));
        p->at[i] = is_active ? (uint32_t)offset : 0;
    }
    for (uint32_t i = 0; i < LANES_N; i++) {
        bits |= p->at[i];
        apart |= p->at[i] ^ (p->at[0] + i * step);
        differ |= p->at[i] ^ p->at[0];
    }
    p->kind = SIM_CHUNK_MIXED;
    if (mask == (1u << LANES_N) - 1) {
        if (apart == 0) p->kind = SIM_CHUNK_RUN;
        if (differ == 0) p->kind = SIM_CHUNK_SAME;
    }
    return (outside | (bits & (a->alignment - 1))) == 0;
}

/* ---- Private memory ------------------------------------------------------------------------- */

/* The private variable that an address names; false if it is none of an active function. */
static inline bool variable_find(const sim_tier_context *c, uint64_t address, uint64_t *out_first,
                                 uint64_t *out_size)
{
    uint32_t object = sim_address_object(address);
    uint32_t number = object >> SIM_PRIVATE_VARIABLE_BITS;
    uint32_t variable = object & ((1u << SIM_PRIVATE_VARIABLE_BITS) - 1);
    const sim_tier_frame *frame = number < SIM_TIER_FRAMES ? c->frames[number] : NULL;
    if (!frame || variable >= frame->function->variable_count) return false;
    *out_first = frame->private_first + frame->function->variables[variable].offset;
    *out_size = frame->function->variables[variable].size;
    return true;
}

static inline uint64_t granule_place(uint64_t position, uint32_t lane)
{
    return (position / 8 * LANES_N + lane) * 8 + position % 8;
}

#define WIDTH_BITS 8
#define ELEMENT    uint8_t
#include "sim/exec/chunk_width.inc"
#define WIDTH_BITS 16
#define ELEMENT    uint16_t
#include "sim/exec/chunk_width.inc"
#define WIDTH_BITS 32
#define ELEMENT    uint32_t
#include "sim/exec/chunk_width.inc"
#define WIDTH_BITS 64
#define ELEMENT    uint64_t
#include "sim/exec/chunk_width.inc"

/* ---- Other helpers -------------------------------------------------------------------------- */

static void chunk_math(uint32_t function, uint32_t is_double, uint32_t mask, const void *a,
                       const void *b, void *out)
{
    uint8_t active[LANES_N];
    sim_math_lanes lanes = {.count = LANES_N, .mask = active, .a = a, .b = b, .out = out};
    for (uint32_t i = 0; i < LANES_N; i++)
        active[i] = mask >> i & 1;
    if (mask == 1) lanes.count = 1;
    if (is_double) {
        sim_math_double((sim_math)function, &lanes);
    } else {
        sim_math_float((sim_math)function, &lanes);
    }
}

static void private_forget(sim_tier_context *c, uint32_t mask, uint64_t first, uint64_t size)
{
    CHECK(first % 8 == 0);
    for (uint64_t at = first; at < first + size; at += 8) {
        uint64_t *granules = (uint64_t *)(void *)(c->private_defined + granule_place(at, 0));
        for (uint32_t i = 0; i < LANES_N; i++)
            granules[i] = mask >> i & 1 ? 0 : granules[i];
    }
}

static void chunk_enter(sim_tier_context *c, const sim_tier_frame *frame, uint32_t mask)
{
    CHECK(frame->number > 0 && frame->number < SIM_TIER_FRAMES);
    c->frames[frame->number] = frame;
    private_forget(c, mask, frame->private_first, frame->function->private_bytes);
}

static void chunk_forget(sim_tier_context *c, uint64_t address, uint32_t mask)
{
    uint64_t first, size;
    if (sim_address_class_of(address) != SIM_CLASS_PRIVATE) return;
    if (variable_find(c, address, &first, &size)) private_forget(c, mask, first, size);
}

#define WIDTHS(op, form)                                                                           \
    [SIM_MEMORY_##form] = {op##_##form##_8, op##_##form##_16, op##_##form##_32, op##_##form##_64},

const sim_tier_helpers SIM_NAME(sim_chunk_helpers) = {
    .load = {SIM_MEMORY_FORMS(WIDTHS, load)},
    .store = {SIM_MEMORY_FORMS(WIDTHS, store)},
    .math = chunk_math,
    .enter = chunk_enter,
    .forget = chunk_forget,
};
