/* Data races of whole rows: the usual case, where nothing is open, found out for all lanes at once.
 * Where something is, race.c goes lane by lane and says what is wrong. */
#include "sim/exec.h"

#include <string.h>

/* The lanes' accesses to one cell each of an object: cells[at[i] + k].  Most often all lanes are
 * active and lane i has cell first + i and stamp + i: then the arrays are not filled in. */
typedef struct row {
    uint32_t n, k;
    const uint8_t *mask; /* NULL: all lanes are active */
    bool in_sequence;
    uint64_t first;
    uint32_t stamp;
    uint32_t launch_first, group_first, ordered_from;
    _Alignas(64) int32_t at[SIM_LANES];    /* cells, from which k are counted */
    _Alignas(64) uint32_t mine[SIM_LANES]; /* the lanes' stamps */
} row;

/* ---- Which cells --------------------------------------------------------------------------- */

/* The bytes of an access that something uses, from *out_first on. */
static uint32_t used_bytes(const sim_exec *x, const sim_op *op, uint32_t bytes, uint32_t *out_first)
{
    const sim_register *places = x->frame->function->places + op->extra;
    uint32_t first = 0, last = op->count;
    while (first + 1 < last && places[first] == SIM_REGISTER_NONE)
        first++;
    while (last > first + 1 && places[last - 1] == SIM_REGISTER_NONE)
        last--;
    *out_first = first * bytes;
    return (last - first) * bytes;
}

/* The lanes that a row goes over: without those that are not active where the others are side by
 * side. */
typedef struct lanes {
    uint32_t first, n;
    const uint8_t *mask; /* NULL: all are active */
} lanes;

static lanes lanes_of(const sim_exec *x)
{
    uint32_t first = x->low, last = x->high - 1;
    if (x->dense) return (lanes){first, LANE_COUNT(x), NULL};
    while (!x->mask[first])
        first++;
    while (!x->mask[last])
        last--;
    if (last - first + 1 == x->active) return (lanes){first, x->active, NULL};
    return (lanes){x->low, LANE_COUNT(x), x->mask + x->low};
}

/* The low bits of all active lanes' offsets. */
static uint64_t offset_bits(const sim_exec *x)
{
    const uint64_t *offsets = x->offsets + x->low;
    uint32_t n = LANE_COUNT(x);
    uint64_t bits = 0; /* lanes that are not active have offset 0 */
    FOR_LANES bits |= offsets[i];
    return bits;
}

/* Fills in all but the cells, for n lanes of which the first is work-item lid; the row is in
 * sequence if its stamps are. */
static void row_start(const sim_race_clock *clock, uint32_t lid, uint32_t n, const uint8_t *mask,
                      row *out)
{
    out->n = n;
    out->mask = mask;
    out->in_sequence = !mask && !clock->is_split;
    out->stamp = clock->base + lid;
    out->launch_first = clock->launch_first;
    out->group_first = clock->group_first;
    out->ordered_from = clock->ordered_from;
}

/* The stamps of a row that is not in sequence. */
static void row_stamps(const sim_race_clock *clock, uint32_t lid, row *out)
{
    uint32_t n = out->n, base = clock->base + lid;
    if (clock->is_split) {
        memcpy(out->mine, clock->stamps + lid, n * sizeof *out->mine);
    } else {
        FOR_LANES out->mine[i] = base + i;
    }
}

/* The row of x->offsets, `first` bytes further; false where cells have larger numbers than it can
 * hold. */
static bool row_open(const sim_exec *x, const sim_race_shadow *shadow, uint32_t first, row *out)
{
    const sim_race_clock *clock = &x->launch->race.clocks[shadow->class];
    lanes all = lanes_of(x);
    const uint64_t *offsets = x->offsets + all.first;
    uint32_t n = all.n, shift = shadow->shift, lid = x->wave->first_item + all.first;
    uint64_t start = (offsets[0] + first) >> shift, apart = 0;
    row_start(clock, lid, n, all.mask, out);
    out->first = start;
    if (out->in_sequence && (offsets[n - 1] + first) >> shift == start + n - 1) {
        FOR_LANES apart |= ((offsets[i] + first) >> shift) ^ (start + i);
        if (apart == 0) return true;
    }
    out->in_sequence = false;
    if (sim_race_cells(shadow) > INT32_MAX) return false;
    FOR_LANES out->at[i] = (int32_t)((offsets[i] + first) >> shift);
    row_stamps(clock, lid, out);
    return true;
}

/* ---- Checks -------------------------------------------------------------------------------- */

/* 1 where what the cell says is not settled for the work-item with stamp `mine`. */
static inline uint32_t is_open(const row *r, uint32_t cell, uint32_t mine)
{
    uint32_t stamp = cell & SIM_RACE_STAMP, span = r->ordered_from - r->group_first;
    bool apart = stamp - r->group_first >= span; /* not of this group before the barrier */
    return (uint32_t)((cell != mine) & (stamp >= r->launch_first) &
                      (apart | ((cell & SIM_RACE_OLDER) != 0)));
}

/* True when no lane meets anything open. */
static bool row_settled(const row *r, const uint32_t *cells)
{
    uint32_t n = r->n, open = 0;
    const uint32_t *mine = r->mine;
    const int32_t *at = r->at;
    const uint8_t *m = r->mask;
    if (!cells) return true;
    cells += r->k;
    if (r->in_sequence) {
        uint32_t stamp = r->stamp;
        cells += r->first;
        FOR_LANES open |= is_open(r, cells[i], stamp + i);
    } else if (!m) {
        FOR_LANES open |= is_open(r, cells[at[i]], mine[i]);
    } else {
        FOR_LANES open |= is_open(r, cells[at[i]], mine[i]) & (m[i] != 0);
    }
    return open == 0;
}

/* The lanes become the last writers; false, and nothing has changed, where two have one cell. */
static bool row_write(const row *r, uint32_t *cells)
{
    uint32_t before[SIM_LANES], n = r->n, shared = 0;
    const uint32_t *mine = r->mine;
    const int32_t *at = r->at;
    const uint8_t *m = r->mask;
    cells += r->k;
    if (r->in_sequence) {
        uint32_t stamp = r->stamp;
        cells += r->first;
        FOR_LANES cells[i] = stamp + i;
        return true;
    }
    FOR_LANES before[i] = cells[at[i]];
    for (uint32_t i = 0; i < n; i++) {
        if (!m || m[i]) cells[at[i]] = mine[i];
    }
    FOR_LANES shared |= (cells[at[i]] != mine[i]) & (!m || m[i] != 0);
    if (!shared) return true;
    for (uint32_t i = 0; i < n; i++) {
        if (!m || m[i]) cells[at[i]] = before[i];
    }
    return false;
}

/* The cell after a read, as sim_race_join has it, where no work-item has two stamps. */
static inline uint32_t joined(uint32_t cell, uint32_t mine, uint32_t first, uint32_t group,
                              uint32_t ordered)
{
    uint32_t stamp = cell & SIM_RACE_STAMP;
    bool here = stamp >= ordered;
    bool several = here & ((stamp != mine) | ((cell & SIM_RACE_SEVERAL) != 0));
    bool older = (stamp >= first) & ((stamp < group) | ((cell & SIM_RACE_OLDER) != 0));
    return mine | (several ? SIM_RACE_SEVERAL : 0) | (older ? SIM_RACE_OLDER : 0);
}

static void row_read(const row *r, uint32_t *cells)
{
    uint32_t n = r->n, first = r->launch_first, group = r->group_first, ordered = r->ordered_from;
    uint32_t next[SIM_LANES];
    const uint32_t *mine = r->mine;
    const int32_t *at = r->at;
    const uint8_t *m = r->mask;
    cells += r->k;
    if (r->in_sequence) {
        uint32_t stamp = r->stamp;
        cells += r->first;
        FOR_LANES cells[i] = joined(cells[i], stamp + i, first, group, ordered);
        return;
    }
    FOR_LANES next[i] = joined(cells[at[i]], mine[i], first, group, ordered);
    for (uint32_t i = 0; i < n; i++) {
        if (!m || m[i]) cells[at[i]] = next[i];
    }
    /* Lanes that read one cell together: the last one's name stays. */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t cell = cells[at[i]];
        if ((cell & SIM_RACE_STAMP) != mine[i] && (!m || m[i])) {
            cells[at[i]] = cell | SIM_RACE_SEVERAL;
        }
    }
}

/* ---- The log of reads ---------------------------------------------------------------------- */

static void log_row(sim_exec *x, const sim_view_memory *view, uint32_t first, uint32_t size)
{
    sim_race *race = &x->launch->race;
    lanes all = lanes_of(x);
    uint32_t n = all.n;
    const uint64_t *from = x->offsets + all.first;
    sim_race_log_row *logged = sim_race_log_add(race, view->race, n * (all.mask ? 3 : 2));
    uint16_t *offsets = (uint16_t *)(void *)(race->log_data + logged->data);
    uint64_t start = from[0], apart = 0;
    FOR_LANES apart |= (from[i] - start) ^ (uint64_t)(i * size);
    FOR_LANES offsets[i] = (uint16_t)(from[i] + first);
    logged->size = size;
    logged->lid = x->wave->first_item + all.first;
    logged->count = n;
    logged->offset = (uint32_t)(start + first);
    logged->has_mask = all.mask != NULL;
    logged->in_sequence = !all.mask && apart == 0;
    if (all.mask) memcpy(race->log_data + logged->data + 2 * n, all.mask, n);
}

/* Turns a logged row into cells; false where it is none of those that go by rows. */
static bool logged_read(const sim_race *race, const sim_race_log_row *logged)
{
    const uint8_t *data = race->log_data + logged->data;
    const uint16_t *offsets = (const uint16_t *)(const void *)data;
    sim_race_shadow *shadow = logged->shadow;
    const sim_race_clock *clock = &race->clocks[shadow->class];
    uint32_t n = logged->count, shift = shadow->shift;
    uint64_t bits = logged->size;
    row r;
    if (logged->is_one || clock->is_split) return false;
    if (shift) FOR_LANES bits |= offsets[i];
    sim_race_cells_make(shadow, false, shift ? bits : 0);
    shift = shadow->shift;
    row_start(clock, logged->lid, n, logged->has_mask ? data + 2 * n : NULL, &r);
    r.in_sequence = logged->in_sequence && logged->size == UINT32_C(1) << shift;
    r.first = logged->offset >> shift;
    if (!r.in_sequence) {
        FOR_LANES r.at[i] = offsets[i] >> shift;
        row_stamps(clock, logged->lid, &r);
    }
    shadow->read_from = r.ordered_from;
    for (r.k = 0; r.k < logged->size >> shift; r.k++)
        row_read(&r, shadow->readers);
    return true;
}

/* True when the logged reads are of other bytes than those that the lanes of r, which have a cell
 * each, are about to write, or of the same by the same lanes. */
static bool log_is_apart(const sim_race *race, const sim_race_shadow *shadow, const row *r)
{
    uint32_t lid = r->stamp - race->clocks[shadow->class].base, size = 1u << shadow->shift;
    uint64_t start = r->first << shadow->shift;
    for (uint32_t i = 0; i < race->log.count; i++) {
        const sim_race_log_row *logged = &race->log.items[i];
        if (logged->shadow != shadow) continue;
        if (!r->in_sequence || !(logged->in_sequence || logged->is_one)) return false;
        uint64_t from = logged->offset, end = from + (uint64_t)logged->size * logged->count;
        bool apart = end <= start || from >= start + (uint64_t)size * r->n;
        bool own = logged->size == size && !logged->is_several &&
                   from - start == ((uint64_t)logged->lid - lid) * size;
        if (!apart && !own) return false;
    }
    return true;
}

/* Turns the log of reads into cells. */
static void log_settle(sim_race *race)
{
    uint32_t rest = 0;
    for (uint32_t i = 0; i < race->log.count; i++) {
        if (!logged_read(race, &race->log.items[i])) race->log.items[rest++] = race->log.items[i];
    }
    race->log.count = rest;
    sim_race_log_flush(race);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Makes the cells fit the accesses and gives their number per lane; 0: not row by row. */
static uint32_t cells_open(sim_exec *x, const sim_op *op, sim_race_shadow *shadow, bool is_write,
                           uint32_t first, uint32_t size, row *out)
{
    uint64_t bits = first | size;
    if (shadow->shift && (op->c & 3)) bits |= offset_bits(x);
    sim_race_cells_make(shadow, is_write, shadow->shift ? bits : 0);
    return row_open(x, shadow, first, out) ? size >> shadow->shift : 0;
}

bool SIM_NAME(sim_race_load)(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                             uint32_t bytes)
{
    sim_race_shadow *shadow = view->race;
    const sim_race_clock *clock = &x->launch->race.clocks[shadow->class];
    uint32_t first, size = used_bytes(x, op, bytes, &first);
    row r;
    if (shadow->class == SIM_RACE_LOCAL && shadow->written_from != clock->ordered_from) {
        sim_race_site(shadow, false, op->site);
        log_row(x, view, first, size);
        return true;
    }
    uint32_t cells = cells_open(x, op, shadow, false, first, size, &r);
    if (cells == 0 || clock->is_split) return false;
    for (r.k = 0; r.k < cells; r.k++) {
        if (!row_settled(&r, shadow->writers)) return false;
    }
    for (r.k = 0; r.k < cells; r.k++)
        row_read(&r, shadow->readers);
    shadow->read_from = clock->ordered_from;
    sim_race_site(shadow, false, op->site);
    return true;
}

bool SIM_NAME(sim_race_store)(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                              uint32_t bytes)
{
    sim_race *race = &x->launch->race;
    sim_race_shadow *shadow = view->race;
    uint32_t size = bytes * op->count;
    uint32_t ordered_from = race->clocks[shadow->class].ordered_from;
    row r;
    uint32_t cells = cells_open(x, op, shadow, true, 0, size, &r);
    if (shadow->logged_from == ordered_from && (cells != 1 || !log_is_apart(race, shadow, &r))) {
        log_settle(race);
        cells = cells_open(x, op, shadow, true, 0, size, &r);
    }
    /* What came to local memory before the last barrier is settled; nobody else sees it. */
    bool is_local = shadow->class == SIM_RACE_LOCAL;
    const uint32_t *writers =
        is_local && shadow->written_from != ordered_from ? NULL : shadow->writers;
    const uint32_t *readers =
        is_local && shadow->read_from != ordered_from ? NULL : shadow->readers;
    for (r.k = 0; r.k < cells; r.k++) {
        if (!row_settled(&r, writers) || !row_settled(&r, readers)) return false;
    }
    for (r.k = 0; r.k < cells; r.k++) {
        if (!row_write(&r, shadow->writers)) return false;
    }
    shadow->written_from = r.ordered_from;
    sim_race_site(shadow, true, op->site);
    return cells > 0;
}
