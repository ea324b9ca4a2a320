/* The accesses of compiled code that are not made in line: those of memory that the launch may
 * write, whose bytes may be undefined, or that differ between lanes. They are checked as in
 * memory.c, race.c and lane_access.c; what those would report, or cannot be sure of, makes the code
 * give up, so nothing here makes a finding. */
#include "sim/exec/chunk_access.h"

#include "sim/exec/race_cells.h"
#include "sim/exec/scatter.h"
#include "sim/exec/undo.h"

#include <string.h>

#define ALL_LANES SIM_CHUNK_ALL
/* Where the global linear ids of a chunk are in its rows. */
#define OWN_ROW (SIM_ROW_GLOBAL_LINEAR * SIM_ROW_BYTES(8))
_Static_assert(SIM_TIER_LANES == SIM_CHUNK, "a chunk of the engine's size");
_Static_assert(SIM_TIER_STAMP == SIM_RACE_STAMP, "compiled code reads cells");
/* Widths are constants after inlining. */
#define ALWAYS inline __attribute__((always_inline))
/* Iterates over all lanes, without a loop. */
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif
#define EACH_LANE(i) UNROLLED for (uint32_t i = 0; i < SIM_CHUNK; i++)

typedef uint8_t chunk_8 __attribute__((may_alias));
typedef uint16_t chunk_16 __attribute__((aligned(1), may_alias));
typedef uint32_t chunk_32 __attribute__((aligned(1), may_alias));
typedef uint64_t chunk_64 __attribute__((aligned(1), may_alias));

static uint32_t give_up(sim_tier_context *c, sim_tier_reason reason)
{
    c->reason = reason;
    return 0;
}

/* ---- Objects -------------------------------------------------------------------------------- */

/* True if the address is in the object in which flat.c expects it. */
static bool is_expected(const sim_tier_context *c, const sim_tier_access *access, uint64_t address)
{
    uint64_t pointer;
    if (access->key && access->key != SIM_TIER_KEY(address)) return false;
    if (access->pointer == SIM_REGISTER_NONE) return true;
    memcpy(&pointer, c->uniforms + (access->pointer & SIM_REGISTER_MASK), sizeof pointer);
    return SIM_TIER_KEY(pointer) == SIM_TIER_KEY(address);
}

static uint32_t chunk_find(sim_tier_context *c, sim_tier_access *access, uint64_t address)
{
    sim_exec *x = c->exec;
    sim_tier_view *out = &access->view;
    sim_view_memory view;
    sim_finding_kind kind;
    uint64_t size = (uint64_t)access->bytes * access->count;
    out->key = UINT64_MAX;
    if (!is_expected(c, access, address) || !sim_access_find(x, address, &view, &kind))
        return give_up(c, SIM_TIER_ACCESS);
    if (view.size > INT32_MAX || view.size < size) return give_up(c, SIM_TIER_ACCESS);
    uint32_t forbidden = access->is_store ? SIM_FORBIDS_STORES : SIM_FORBIDS_LOADS;
    if (access->is_atomic) forbidden |= SIM_FORBIDS_LOADS;
    if (view.forbidden & forbidden) return give_up(c, SIM_TIER_ACCESS);
    bool is_global = view.class == SIM_CLASS_GLOBAL;
    sim_undo_object *undo =
        is_global ? sim_undo_find(c->undo, x->launch->world, view.object) : NULL;
    if (is_global && access->is_store && !undo) return give_up(c, SIM_TIER_ACCESS);
    *out = (sim_tier_view){.key = SIM_TIER_KEY(address),
                           .data = view.data,
                           .defined = view.defined,
                           .end = view.size - size + 1,
                           .race = view.race,
                           .undo = undo};
    if (view.class == SIM_CLASS_LOCAL && access->is_quiet) out->race = view.race = NULL;
    if (view.class == SIM_CLASS_LOCAL) {
        const sim_local_object *local = &x->launch->locals.items[view.object - 1];
        out->all_defined = &local->all_defined;
        out->defined = x->launch->locals_defined.data + local->offset;
    }
    if (view.race) out->clock = &x->launch->race->clocks[view.race->class];
    sim_chunk_view_renew(c, access);
    return 1;
}

/* ---- Races ---------------------------------------------------------------------------------- */

/* The cells that the lanes of a chunk access: cells[places[i] + k] of each active lane i, for each
 * k below `count`. If `is_run`, the lanes' cells are adjacent, and those of lanes that are not
 * active exist. */
typedef struct chunk_cells {
    sim_words mine, mask;
    uint32_t places[SIM_CHUNK];
    uint32_t count, lanes; /* lanes: a bit for each active one */
    bool is_run;
    bool is_distinct; /* no two lanes share a cell, as in a run; false if that is unknown */
} chunk_cells;

static ALWAYS sim_words lanes_of(uint32_t mask)
{
    static const sim_words bits = {1,       1 << 1,  1 << 2,  1 << 3, 1 << 4,  1 << 5,
                                   1 << 6,  1 << 7,  1 << 8,  1 << 9, 1 << 10, 1 << 11,
                                   1 << 12, 1 << 13, 1 << 14, 1 << 15};
    return (sim_words)((bits & mask) != 0);
}

static ALWAYS sim_words cells_get(const chunk_cells *r, const uint32_t *cells)
{
    if (r->is_run) return sim_words_get(cells + r->places[0]);
    return sim_words_gather(cells, r->places);
}

static ALWAYS void cells_put(const chunk_cells *r, uint32_t *cells, sim_words from)
{
    uint32_t words[SIM_CHUNK];
    if (r->is_run) {
        sim_words before = sim_words_get(cells + r->places[0]);
        sim_words_put(cells + r->places[0], (from & r->mask) | (before & ~r->mask));
        return;
    }
    if (r->lanes == ALL_LANES) {
        sim_words_put(words, from);
        EACH_LANE(i) cells[r->places[i]] = words[i];
    } else {
        sim_words_scatter(cells, r->places, r->lanes, from);
    }
}

static ALWAYS bool cells_are_settled(const sim_race_clock *clock, const chunk_cells *r,
                                     const uint32_t *cells)
{
    sim_words found = cells_get(r, cells);
    return !sim_words_any((sim_words)SIM_CELL_IS_OPEN(clock, found, r->mine) & r->mask);
}

static ALWAYS void cells_read(const sim_race_clock *clock, const chunk_cells *r, uint32_t *cells)
{
    sim_words cell = cells_get(r, cells), stamp = cell & SIM_RACE_STAMP;
    sim_words here = (sim_words)(stamp >= clock->ordered_from);
    /* A cell that several work-items have accessed since the barrier keeps its state. */
    sim_words several = here & (sim_words)((cell & SIM_RACE_SEVERAL) != 0);
    if (!sim_words_any(~several & r->mask)) return;
    sim_words other = (sim_words)(stamp != r->mine) | cell,
              before = (sim_words)(stamp < clock->group_first);
    sim_words older = (sim_words)(stamp >= clock->launch_first) & (before | cell);
    cells_put(r, cells, r->mine | (here & other & SIM_RACE_SEVERAL) | (older & SIM_RACE_OLDER));
    if (r->is_distinct) return;
    /* A cell that another lane has overwritten has several readers. */
    sim_words differs = (cells_get(r, cells) ^ r->mine) & SIM_RACE_STAMP & r->mask;
    if (!sim_words_any(differs)) return;
    FOR_MASKED(r->lanes, i)
    {
        uint32_t *own = &cells[r->places[i]];
        if ((*own & SIM_RACE_STAMP) != r->mine[i]) *own |= SIM_RACE_SEVERAL;
    }
}

/* Makes the lanes the last writers; false if two lanes share a cell. */
static ALWAYS bool cells_write(const chunk_cells *r, uint32_t *cells)
{
    cells_put(r, cells, r->mine);
    return r->is_distinct || !sim_words_any((cells_get(r, cells) ^ r->mine) & r->mask);
}

/* True if each active lane's cells are after those of the lane before it, or each are before them;
 * false if there are lanes between them that are not active. */
static ALWAYS bool cells_are_apart(sim_words here, uint32_t count, uint32_t mask)
{
    sim_words next =
        __builtin_shufflevector(here, here, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15);
    sim_words pairs = lanes_of(mask & mask >> 1);
    if ((mask + (mask & -mask)) & mask) return false;
    return !sim_words_any((sim_words)(next < here + count) & pairs) ||
           !sim_words_any((sim_words)(here < next + count) & pairs);
}

/* Notes that accesses of the kind, which are no plain writes, are recorded in the cells from now
 * on: stores in line do not look for them. */
static ALWAYS void cells_mark(sim_tier_context *c, const sim_tier_view *view, sim_race_kind kind)
{
    sim_race_shadow *shadow = view->race;
    uint32_t from = view->clock->ordered_from;
    bool is_first = shadow->from[kind] != from;
    shadow->from[kind] = from;
    if (is_first && shadow->class == SIM_RACE_LOCAL) sim_chunk_views_renew(c);
}

/* Narrows the cells if necessary. */
static ALWAYS void cells_open(sim_tier_context *c, uint32_t lid, const sim_tier_view *view,
                              sim_race_kind kind, uint32_t chunk_kind, uint32_t mask,
                              const uint32_t *at, uint32_t first, uint32_t size, chunk_cells *out)
{
    sim_race_shadow *shadow = view->race;
    uint32_t bits = first | size;
    out->mask = lanes_of(mask);
    out->lanes = mask;
    sim_words offsets = sim_words_get(at);
    if (shadow->shift && sim_words_any(offsets & out->mask & 3)) bits |= 1;
    if (!shadow->cells[kind] || (shadow->shift && (bits & 3))) {
        sim_race_cells_make(shadow, kind, shadow->shift ? bits : 0);
        sim_chunk_views_renew(c);
    }
    sim_words here = (offsets + first) >> shadow->shift;
    sim_words_put(out->places, here);
    out->mine = sim_words_count() + (view->clock->base + lid);
    out->count = size >> shadow->shift;
    bool is_run = chunk_kind == SIM_TIER_RUN && out->count == 1;
    out->is_run = is_run;
    out->is_distinct = is_run || cells_are_apart(here, out->count, mask);
}

/* Looks at the first `kinds` kinds of accesses, without those of atomics if `with_atomics` is
 * false. */
static ALWAYS bool cells_all_settled(const sim_race_shadow *shadow, const sim_race_clock *clock,
                                     const chunk_cells *r, uint32_t kinds, bool with_atomics)
{
    uint32_t settled = sim_race_settled(clock, shadow->class);
    for (uint32_t kind = 0; kind < kinds; kind++) {
        if (!with_atomics && sim_race_kind_atomic((sim_race_kind)kind)) continue;
        if (!sim_race_may_be_open(shadow, kind, settled)) continue;
        for (uint32_t k = 0; k < r->count; k++) {
            if (!cells_are_settled(clock, r, shadow->cells[kind] + k)) return false;
        }
    }
    return true;
}

static ALWAYS bool race_load(sim_tier_context *c, uint32_t lid, const sim_tier_view *view,
                             uint32_t kind, uint32_t mask, const uint32_t *at, uint32_t first,
                             uint32_t size)
{
    chunk_cells r;
    sim_race_shadow *shadow = view->race;
    const sim_race_clock *clock = view->clock;
    /* Of several lanes that read one place, the first and the last matter. */
    if (kind == SIM_TIER_SAME) mask = (mask & -mask) | 1u << (31 - (uint32_t)__builtin_clz(mask));
    cells_open(c, lid, view, SIM_RACE_READS, kind, mask, at, first, size, &r);
    if (clock->is_split || !cells_all_settled(shadow, clock, &r, SIM_RACE_KINDS_WRITING, true))
        return false;
    cells_mark(c, view, SIM_RACE_READS);
    for (uint32_t k = 0; k < r.count; k++)
        cells_read(clock, &r, shadow->cells[SIM_RACE_READS] + k);
    return true;
}

/* True if two lanes have a cell in common that is not the same one of both. */
static bool cells_overlap(const chunk_cells *r)
{
    sim_words at = sim_words_get(r->places), lanes = sim_words_count();
    if (!sim_words_any(at % r->count & r->mask)) return false;
    FOR_MASKED(r->lanes, i)
    {
        sim_words found = sim_cells_common(at, r->places[i], r->count);
        if (sim_words_any(found & r->mask & (sim_words)(lanes != i))) return true;
    }
    return false;
}

static ALWAYS bool race_store(sim_tier_context *c, const sim_tier_view *view, uint32_t kind,
                              uint32_t mask, const uint32_t *at, uint32_t size)
{
    chunk_cells r;
    sim_race_shadow *shadow = view->race;
    const sim_race_clock *clock = view->clock;
    cells_open(c, c->lid, view, SIM_RACE_WRITES, kind, mask, at, 0, size, &r);
    if (r.count > 1 && !r.is_distinct && cells_overlap(&r)) return false;
    if (clock->is_split || !cells_all_settled(shadow, clock, &r, SIM_RACE_KINDS, true))
        return false;
    shadow->from[SIM_RACE_WRITES] = clock->ordered_from;
    for (uint32_t k = 0; k < r.count; k++) {
        if (!cells_write(&r, shadow->cells[SIM_RACE_WRITES] + k)) return false;
    }
    return true;
}

/* Records atomics for the device, which conflict with plain accesses only. */
static ALWAYS bool race_atomic(sim_tier_context *c, const sim_tier_view *view, uint32_t mask,
                               const uint32_t *at, uint32_t size)
{
    chunk_cells r;
    sim_race_shadow *shadow = view->race;
    const sim_race_clock *clock = view->clock;
    cells_open(c, c->lid, view, SIM_RACE_ATOMIC_WRITES, SIM_TIER_MIXED, mask, at, 0, size, &r);
    if (clock->is_split || !cells_all_settled(shadow, clock, &r, SIM_RACE_KINDS, false))
        return false;
    cells_mark(c, view, SIM_RACE_ATOMIC_WRITES);
    for (uint32_t k = 0; k < r.count; k++)
        cells_read(clock, &r, shadow->cells[SIM_RACE_ATOMIC_WRITES] + k);
    return true;
}

/* ---- Work-items' own parts ------------------------------------------------------------------ */

/* Takes the parts of the work-items from the first access to an object, [at + first, size bytes) of
 * each active lane; without two lanes, these are unknown. */
static void own_learn(const sim_tier_context *c, sim_undo_object *object, uint32_t mask,
                      const uint32_t *at, uint32_t first, uint32_t size)
{
    const uint64_t *ids = (const uint64_t *)(const void *)(c->rows + OWN_ROW);
    uint32_t others = mask & (mask - 1), low = (uint32_t)__builtin_ctz(mask);
    object->own = SIM_OWN_SHARED;
    if (!others) return;
    uint32_t next = (uint32_t)__builtin_ctz(others);
    uint64_t step = ids[next] - ids[low], distance = at[next] - at[low];
    if (at[next] <= at[low] || step == 0 || distance % step) return;
    uint64_t stride = distance / step;
    if (stride < size || stride > (UINT64_C(1) << 32) / c->undo->items) return;
    object->own = SIM_OWN_KEPT;
    object->own_stride = (uint32_t)stride;
    object->own_first = at[low] + first - (uint32_t)ids[low] * object->own_stride;
}

/* True if each active lane's access is in its work-item's part, if the parts begin at `start`. */
static ALWAYS bool own_parts_hold(const sim_tier_context *c, const sim_undo_object *object,
                                  uint32_t start, uint32_t mask, const uint32_t *at, uint32_t first,
                                  uint32_t size)
{
    sim_wide_words ids[2];
    uint32_t stride = object->own_stride;
    CHECK(size <= stride);
    memcpy(ids, c->rows + OWN_ROW, sizeof ids);
    sim_words parts = sim_words_narrow(ids[0], ids[1]) * stride;
    sim_words within = sim_words_get(at) + (first - start) - parts;
    return !sim_words_any((sim_words)(within > stride - size) & lanes_of(mask));
}

/* True if the accesses are to parts some periods on, all as many: loops that go through an object
 * in steps of the number of work-items make such ones. Up to PERIOD_MAX, no sum below wraps in a
 * way that seems to be in a part. */
static bool own_is_repeated(const sim_tier_context *c, const sim_undo_object *object, uint32_t mask,
                            const uint32_t *at, uint32_t first, uint32_t size)
{
    enum { PERIOD_MAX = 1 << 30 };
    const uint64_t *ids_of = (const uint64_t *)(const void *)(c->rows + OWN_ROW);
    uint32_t stride = object->own_stride, low = (uint32_t)__builtin_ctz(mask);
    uint64_t period = c->undo->items * stride;
    if (size > stride || period > PERIOD_MAX) return false;
    int64_t distance =
        (int64_t)at[low] + first - (int32_t)object->own_first - (int64_t)(ids_of[low] * stride);
    int64_t rest = distance % (int64_t)period;
    if (rest < 0) rest += (int64_t)period;
    uint32_t start = object->own_first + (uint32_t)(distance - rest);
    return own_parts_hold(c, object, start, mask, at, first, size);
}

static ALWAYS bool own_is_kept(const sim_tier_context *c, const sim_undo_object *object,
                               uint32_t kind, uint32_t mask, const uint32_t *at, uint32_t first,
                               uint32_t size)
{
    const uint64_t *ids_of = (const uint64_t *)(const void *)(c->rows + OWN_ROW);
    uint32_t stride = object->own_stride;
    if (size > stride) return false;
    /* Ids increase from lane to lane, so these are consecutive. */
    if (mask == ALL_LANES && kind == SIM_TIER_RUN && size == stride &&
        ids_of[SIM_CHUNK - 1] - ids_of[0] == SIM_CHUNK - 1)
        return at[0] + first - object->own_first == (uint32_t)ids_of[0] * stride;
    return own_parts_hold(c, object, object->own_first, mask, at, first, size);
}

/* Whether an access must be recorded. */
typedef enum own_verdict {
    OWN_PART, /* no: it keeps to the work-items' own parts */
    OWN_NOT,  /* yes */
    OWN_LATE, /* yes, but the accesses before it have not been: the code must give up */
} own_verdict;

/* Judges the access to [at + first, size bytes) of each active lane, in memory that may race. */
static ALWAYS own_verdict own_judge(const sim_tier_context *c, const sim_tier_view *view,
                                    uint32_t kind, uint32_t mask, const uint32_t *at,
                                    uint32_t first, uint32_t size)
{
    sim_undo_object *object = view->undo;
    if (!object || object->own == SIM_OWN_SHARED) return OWN_NOT;
    if (object->own == SIM_OWN_ATOMIC) return OWN_LATE;
    bool is_first = object->own == SIM_OWN_UNKNOWN;
    if (is_first) own_learn(c, object, mask, at, first, size);
    if (object->own == SIM_OWN_SHARED) return OWN_NOT;
    if (own_is_kept(c, object, kind, mask, at, first, size) ||
        own_is_repeated(c, object, mask, at, first, size))
        return OWN_PART;
    if (!is_first) return OWN_LATE;
    object->own = SIM_OWN_SHARED;
    return OWN_NOT;
}

static uint32_t give_up_shared(sim_tier_context *c, const sim_tier_view *view)
{
    c->shared = sim_undo_bit(c->undo, view->undo);
    return give_up(c, SIM_TIER_SHARED);
}

/* Saves what a store of `size` bytes per lane overwrites. */
static ALWAYS void undo_prepare(const sim_tier_view *view, uint32_t kind, const uint32_t *at,
                                uint32_t size)
{
    sim_undo_object *object = view->undo;
    if (!object || object->is_whole) return;
    if (kind == SIM_TIER_MIXED) {
        sim_undo_save_all(object);
    } else {
        sim_undo_before_store(object, at[0], kind == SIM_TIER_RUN ? SIM_CHUNK * size : size);
    }
}

/* ---- The log of reads ----------------------------------------------------------------------- */

static ALWAYS uint32_t read_bytes(const sim_tier_read *read)
{
    return (uint32_t)read->access->bytes * read->access->count;
}

/* The offsets of the lanes; 0 in lanes that are not active. */
static ALWAYS sim_words read_offsets(const sim_tier_read *read)
{
    if (read->kind == SIM_TIER_MIXED) return sim_words_get(read->at);
    uint32_t step = read->kind == SIM_TIER_RUN ? read_bytes(read) : 0;
    return (sim_words_count() * step + read->first) & lanes_of(read->mask);
}

/* What is to be compared with the cells of a row of reads, a number for each lane. */
typedef struct read_stamps {
    sim_words mine, from, mask;
} read_stamps;

/* True if no other work-item has stored in these cells since the last barrier. */
static ALWAYS bool read_is_settled(const read_stamps *s, sim_words cells)
{
    sim_words here = (sim_words)((cells & SIM_RACE_STAMP) >= s->from);
    return !sim_words_any(here & (sim_words)(cells != s->mine) & s->mask);
}

/* The same for all cells that the row's lanes have read. */
static ALWAYS bool read_all_settled(const sim_tier_read *read, const read_stamps *stamps,
                                    const uint32_t *cells)
{
    const sim_tier_access *a = read->access;
    uint32_t shift = read->race->shift, low = a->low * a->bytes;
    uint32_t size = (a->high - a->low) * (uint32_t)a->bytes, places[SIM_CHUNK];
    if (read->kind == SIM_TIER_SAME) {
        uint32_t last = (read->first + low + (size - 1)) >> shift;
        for (uint32_t at = (read->first + low) >> shift; at <= last; at++) {
            if (!read_is_settled(stamps, (sim_words){0} + cells[at])) return false;
        }
        return true;
    }
    if (read->kind == SIM_TIER_RUN && size == read_bytes(read) && size >> shift == 1 &&
        read->mask == ALL_LANES)
        return read_is_settled(stamps, sim_words_get(cells + (read->first >> shift)));
    sim_words offsets = read_offsets(read) + low, at = offsets >> shift;
    for (sim_words last = (offsets + (size - 1)) >> shift;; at += (sim_words)(at != last) & 1) {
        sim_words_put(places, at);
        if (!read_is_settled(stamps, sim_words_gather(cells, places))) return false;
        if (!sim_words_any(at ^ last)) return true;
    }
}

static uint32_t chunk_log_check(sim_tier_context *c)
{
    const sim_race_clock *clock = &c->exec->launch->race->clocks[SIM_RACE_LOCAL];
    read_stamps stamps = {.from = (sim_words){0} + clock->ordered_from};
    if (c->reads_next == c->reads) return 1;
    if (clock->is_split) return give_up(c, SIM_TIER_RACE);
    /* So cells of local memory know of no older accesses, and a stamp says everything. */
    CHECK(clock->launch_first == clock->group_first);
    for (const sim_tier_read *read = c->reads; read < c->reads_next; read++) {
        const sim_race_shadow *shadow = read->race;
        stamps.mine = sim_words_count() + (clock->base + read->lid);
        stamps.mask = lanes_of(read->mask);
        for (uint32_t kind = 0; kind < SIM_RACE_KINDS_WRITING; kind++) {
            if (sim_race_may_be_open(shadow, kind, clock->ordered_from) &&
                !read_all_settled(read, &stamps, shadow->cells[kind]))
                return give_up(c, SIM_TIER_RACE);
        }
    }
    return 1;
}

static uint32_t chunk_log_flush(sim_tier_context *c)
{
    sim_race_clock *clock = &c->exec->launch->race->clocks[SIM_RACE_LOCAL];
    for (const sim_tier_read *read = c->reads; read < c->reads_next; read++) {
        const sim_tier_access *a = read->access;
        const sim_tier_view view = {.race = read->race, .clock = clock};
        uint32_t size = (a->high - a->low) * (uint32_t)a->bytes, at[SIM_CHUNK];
        sim_words_put(at, read_offsets(read));
        if (!race_load(c, read->lid, &view, SIM_TIER_MIXED, read->mask, at, a->low * a->bytes,
                       size))
            return give_up(c, SIM_TIER_RACE);
    }
    c->reads_next = c->reads;
    return 1;
}

/* ---- Private memory ------------------------------------------------------------------------- */

/* A private variable. */
typedef struct chunk_variable {
    uint64_t first, size; /* its bytes in a work-item's private memory */
    bool is_marked;
} chunk_variable;

static inline chunk_variable variable_at(const sim_tier_frame *frame, uint32_t number)
{
    const sim_private_variable *variable = &frame->function->variables[number];
    return (chunk_variable){frame->private_first + variable->offset, variable->size,
                            frame->is_marked[number]};
}

/* The private variable that an address names; false if it is none of an active function. */
static inline bool variable_find(const sim_tier_context *c, uint64_t address, chunk_variable *out)
{
    uint32_t object = sim_address_object(address);
    uint32_t number = object >> SIM_PRIVATE_VARIABLE_BITS;
    uint32_t variable = object & ((1u << SIM_PRIVATE_VARIABLE_BITS) - 1);
    const sim_tier_frame *frame = number < SIM_TIER_FRAMES ? c->frames[number] : NULL;
    if (!frame || variable >= frame->function->variable_count) return false;
    *out = variable_at(frame, variable);
    return true;
}

static inline uint64_t granule_place(uint64_t position, uint32_t lane)
{
    return (position / 4 * SIM_TIER_LANES + lane) * 4 + position % 4;
}

/* The place of a lane's bytes [address, address + size); false if they are not in one variable, or
 * if that is marked and they are not whole granules. */
static inline bool private_find(sim_tier_context *c, const sim_tier_access *a, uint64_t address,
                                uint64_t *out_position, bool *out_is_marked)
{
    chunk_variable v;
    uint64_t needed = (uint64_t)a->bytes * a->count, offset = sim_address_offset(address);
    if (!variable_find(c, address, &v)) return false;
    if (v.size < needed || offset > v.size - needed || offset & (a->alignment - 1)) return false;
    if (v.is_marked && (a->bytes | offset) & 3) return false;
    *out_position = v.first + offset;
    *out_is_marked = v.is_marked;
    return true;
}

/* Copies a lane's granule of a marked variable to memory, or back; false if it has the value of
 * undefined ones. */
static inline bool granule_copy(sim_tier_context *c, bool is_store, uint64_t position,
                                uint32_t lane, uint8_t *value)
{
    static const uint32_t mark = SIM_TIER_MARK;
    uint8_t *granule = c->private_memory + granule_place(position, lane);
    memcpy(is_store ? granule : value, is_store ? value : granule, sizeof mark);
    return memcmp(granule, &mark, sizeof mark) != 0;
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

#define WIDTH_BITS 32
#define ELEMENT    uint32_t
#define SIGNED     int32_t
#include "sim/exec/chunk_atomic.inc"
#define WIDTH_BITS 64
#define ELEMENT    uint64_t
#define SIGNED     int64_t
#include "sim/exec/chunk_atomic.inc"

/* ---- Copies --------------------------------------------------------------------------------- */

/* Copies from one place that cannot race, or whose bytes may be undefined, to the lanes' private
 * memory, whole granules at a time; false, with only a part copied, if that is not possible. */
static bool copy_spread(sim_tier_context *c, sim_tier_access *from, uint32_t mask, uint64_t target,
                        uint64_t source, uint64_t size)
{
    chunk_variable v;
    uint64_t position, offset = sim_address_offset(target);
    const sim_tier_view *view = &from->view;
    if (sim_address_class_of(target) != SIM_CLASS_PRIVATE || from->bytes != 4) return false;
    if (sim_address_class_of(source) > SIM_CLASS_LOCAL || size % 4) return false;
    if (view->key != SIM_TIER_KEY(source) && !chunk_find(c, from, source)) return false;
    if (view->race || view->loads) return false;
    uint64_t at = sim_address_offset(source);
    if (!variable_find(c, target, &v) || size > v.size || offset > v.size - size) return false;
    if (size > view->end + 3 || at > view->end + 3 - size) return false;
    position = v.first + offset;
    if (position % 4) return false;
    for (uint64_t k = 0; k < size; k += 4) {
        uint32_t word = *(const chunk_32 *)(view->data + at + k);
        if (v.is_marked && word == SIM_TIER_MARK) return false;
        uint64_t place = granule_place(position + k, 0);
        uint32_t *words = (uint32_t *)(void *)(c->private_memory + place);
        uint32_t *defined = (uint32_t *)(void *)(c->private_defined + place);
        for (uint32_t i = 0; i < SIM_TIER_LANES; i++) {
            words[i] = mask >> i & 1 ? word : words[i];
            defined[i] = mask >> i & 1 ? UINT32_MAX : defined[i];
        }
    }
    return true;
}

static uint32_t copy_lane(sim_tier_context *c, sim_tier_access *from, sim_tier_access *to,
                          uint32_t lane, uint64_t target, uint64_t source, uint64_t size)
{
    uint64_t addresses[SIM_CHUNK], row[SIM_CHUNK];
    for (uint64_t k = 0; k < size; k += from->bytes) {
        addresses[lane] = source + k;
        bool is_done = from->bytes == 4 ? load_any_32(c, from, 1u << lane, addresses, row)
                                        : load_any_8(c, from, 1u << lane, addresses, row);
        if (!is_done) return 0;
        addresses[lane] = target + k;
        is_done = to->bytes == 4 ? store_any_32(c, to, 1u << lane, addresses, row)
                                 : store_any_8(c, to, 1u << lane, addresses, row);
        if (!is_done) return 0;
    }
    return 1;
}

static uint32_t chunk_copy(sim_tier_context *c, sim_tier_access *from, sim_tier_access *to,
                           uint32_t mask, const uint64_t *places, uint32_t to_alignment,
                           uint32_t from_alignment)
{
    const uint64_t *target = places, *source = places + SIM_CHUNK, *size = source + SIM_CHUNK;
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    bool is_same = true;
    FOR_MASKED(mask, i)
    {
        if (size[i] && (target[i] & (to_alignment - 1) || source[i] & (from_alignment - 1)))
            return give_up(c, SIM_TIER_ACCESS);
        is_same &= target[i] == target[first] && source[i] == source[first];
        is_same &= size[i] == size[first];
    }
    if (is_same && copy_spread(c, from, mask, target[first], source[first], size[first])) return 1;
    FOR_MASKED(mask, i)
    {
        if (!copy_lane(c, from, to, i, target[i], source[i], size[i])) return 0;
    }
    return 1;
}

/* ---- Other helpers -------------------------------------------------------------------------- */

static void chunk_math(uint32_t function, uint32_t is_double, uint32_t mask, const void *a,
                       const void *b, void *out)
{
    uint8_t active[SIM_TIER_LANES];
    sim_math_lanes lanes = {.count = SIM_TIER_LANES, .mask = active, .a = a, .b = b, .out = out};
    for (uint32_t i = 0; mask != ALL_LANES && i < SIM_TIER_LANES; i++)
        active[i] = mask >> i & 1;
    if (mask == ALL_LANES) lanes.mask = NULL;
    if (mask == 1) lanes.count = 1;
    if (mask == 1) {
        (is_double ? sim_math_double : sim_math_float)((sim_math)function, &lanes);
    } else if (is_double) {
        SIM_NAME(sim_math_rows_double)((sim_math)function, &lanes);
    } else {
        SIM_NAME(sim_math_rows)((sim_math)function, &lanes);
    }
}

static uint32_t chunk_collective(sim_tier_context *c, const sim_op *op, uint32_t mask,
                                 const uint64_t *operands, uint64_t *out)
{
    uint32_t size = c->exec->launch->kernel->subgroup_size;
    const uint64_t *a = operands, *b = a + SIM_CHUNK;
    if (sim_collective_chunk(op, size, mask, a, b, b + SIM_CHUNK, out)) return 1;
    return give_up(c, SIM_TIER_MISUSE);
}

/* Rows have room for whole chunks. */
static void chunk_row_add(uint64_t *row, uint32_t lanes, uint64_t number)
{
    for (uint32_t lane = 0; lane < lanes; lane += 8) {
        sim_wide_words part;
        memcpy(&part, row + lane, sizeof part);
        part += number;
        memcpy(row + lane, &part, sizeof part);
    }
}

static void private_forget(sim_tier_context *c, uint32_t mask, chunk_variable v)
{
    uint8_t *memory = v.is_marked ? c->private_memory : c->private_defined;
    uint32_t none = v.is_marked ? SIM_TIER_MARK : 0;
    CHECK(v.first % 4 == 0);
    for (uint64_t at = v.first; at < v.first + v.size; at += 4) {
        uint32_t *granules = (uint32_t *)(void *)(memory + granule_place(at, 0));
        for (uint32_t i = 0; i < SIM_TIER_LANES; i++)
            granules[i] = mask >> i & 1 ? none : granules[i];
    }
}

static void chunk_enter(sim_tier_context *c, const sim_tier_frame *frame, uint32_t mask)
{
    CHECK(frame->number > 0 && frame->number < SIM_TIER_FRAMES);
    c->frames[frame->number] = frame;
    for (uint32_t i = 0; i < frame->function->variable_count; i++)
        private_forget(c, mask, variable_at(frame, i));
}

static void chunk_forget(sim_tier_context *c, uint64_t address, uint32_t mask)
{
    chunk_variable v;
    if (sim_address_class_of(address) != SIM_CLASS_PRIVATE) return;
    if (variable_find(c, address, &v)) private_forget(c, mask, v);
}

#define WIDTHS(name)                                                                               \
    {                                                                                              \
        name##_8, name##_16, name##_32, name##_64                                                  \
    }
const sim_tier_helpers SIM_NAME(sim_chunk_helpers) = {
    .find = chunk_find,
    .load = WIDTHS(load),
    .store = WIDTHS(store),
    .load_any = WIDTHS(load_any),
    .store_any = WIDTHS(store_any),
    .atomic = {NULL, NULL, atomic_32, atomic_64},
    .copy = chunk_copy,
    .collective = chunk_collective,
    .math = chunk_math,
    .enter = chunk_enter,
    .forget = chunk_forget,
    .log_flush = chunk_log_flush,
    .log_check = chunk_log_check,
    .row_add = chunk_row_add,
};
