/* Checks whole rows for data races: handles the usual case, in which no earlier access is open
 * (check/race.h), for all lanes at once.  If one is open, sim/check/race.c handles the lanes one by
 * one and reports what is wrong. */
#include "sim/exec/race_cells.h"
#include "sim/exec/scatter.h"

#include <string.h>

/* The lanes' accesses, each to one cell of an object: cells[at[i] + k]. Usually the active lanes
 * are contiguous, and the i-th of them has cell first + k + i and stamp `stamp` + i: the row is
 * then in sequence, and the members from `is_distinct` on are not filled in. */
typedef struct row {
    uint32_t k;
    uint32_t launch_first, group_first, ordered_from;
    bool in_sequence;
    uint32_t n, stamp;
    uint64_t first;
    bool is_distinct;    /* no two lanes share a cell; false if a quick check cannot tell */
    uint32_t count;      /* lanes, active or not: a multiple of SIM_CHUNK */
    const uint8_t *mask; /* mask of the lanes */
    _Alignas(64) uint32_t mine[SIM_LANES];   /* the lanes' stamps */
    _Alignas(64) uint32_t at[SIM_LANES + 1]; /* cells, without k; then a sentinel */
    uint8_t kinds[SIM_LANES / SIM_CHUNK];
    uint8_t lanes[SIM_LANES]; /* storage for the mask of a logged row */
} row;

/* ---- Which cells --------------------------------------------------------------------------- */

/* The lanes that a row covers: only the active lanes if these are contiguous, otherwise all. */
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

static void row_start(const sim_race_clock *clock, row *out)
{
    out->launch_first = clock->launch_first;
    out->group_first = clock->group_first;
    out->ordered_from = clock->ordered_from;
    out->in_sequence = false;
}

/* All bits of the last lane. */
static inline sim_words beyond_last(void)
{
    return (sim_words)(sim_words_count() == (sim_words){0} + (SIM_CHUNK - 1));
}

/* True if each lane's cell is after that of the lane before it. Chunks are compared with themselves
 * as they were stored: processors stall a load that spans two stores. An assignment to one lane
 * would be such stores. */
static bool cells_ascend(const row *r)
{
    sim_words falls = {0};
    uint32_t last = 0;
    bool is_first = true;
    for (uint32_t c = 0; c < r->count; c += SIM_CHUNK) {
        sim_words at = sim_words_get(r->at + c);
        sim_words next =
            __builtin_shufflevector(at, at, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15);
        next |= beyond_last();
        falls |= (sim_words)(next <= at);
        if (!is_first && r->at[c] <= last) return false;
        last = r->at[c + SIM_CHUNK - 1];
        is_first = false;
    }
    return !sim_words_any(falls);
}

/* Fills in `mine` and `is_distinct` of a row that is not in sequence and whose first lane has local
 * linear id `lid`; `at`, `count` and `mask` must be set. */
static void row_stamps(const sim_race_clock *clock, uint32_t lid, row *out)
{
    uint32_t n = out->count, base = clock->base + lid;
    CHECK(n % SIM_CHUNK == 0 && n <= SIM_LANES);
    out->is_distinct = cells_ascend(out);
    FOR_LANES out->mine[i] = base + i;
    for (uint32_t i = 0; clock->is_split && i < n; i++)
        out->mine[i] = out->mask[i] ? clock->stamps[lid + i] : 0;
}

/* Builds the row for accesses `first` bytes after x->offsets, in elements of `element` bytes. */
static void row_open(const sim_exec *x, const sim_race_shadow *shadow, uint32_t element,
                     uint32_t first, row *out)
{
    const sim_race_clock *clock = &x->launch->race->clocks[shadow->class];
    lanes covered = lanes_of(x);
    const uint32_t *offsets = x->offsets + covered.first;
    uint32_t n = covered.n, shift = shadow->shift, lid = x->wave->first_item + covered.first;
    uint32_t start = (offsets[0] + first) >> shift, apart = 0;
    row_start(clock, out);
    out->n = n;
    out->stamp = clock->base + lid;
    out->first = start;
    if (!covered.mask && !clock->is_split && (offsets[n - 1] + first) >> shift == start + n - 1) {
        FOR_LANES apart |= ((offsets[i] + first) >> shift) ^ (start + i);
        out->in_sequence = apart == 0;
    }
    if (out->in_sequence) return;
    out->count = n = LANE_COUNT(x);
    out->mask = x->mask + x->low;
    offsets = x->offsets + x->low;
    FOR_LANES out->at[i] = (offsets[i] + first) >> shift;
    if (element == UINT32_C(1) << shift) {
        memcpy(out->kinds, x->kinds + x->low / SIM_CHUNK, n / SIM_CHUNK);
    } else {
        sim_chunks_find(out->at, out->mask, n, 1, 0, out->kinds);
    }
    row_stamps(clock, x->wave->first_item + x->low, out);
}

/* ---- Checks -------------------------------------------------------------------------------- */

/* Iterates over the chunks of a row that is not in sequence, except those without active lanes. */
#define FOR_ROW_CHUNKS(r)                                                                          \
    for (uint32_t c = 0; c < (r)->count; c += SIM_CHUNK)                                           \
        if ((r)->kinds[c / SIM_CHUNK] != SIM_CHUNK_IDLE)

/* Gathers the cells of a chunk's lanes, active or not. */
static inline sim_words chunk_get(const row *r, const uint32_t *cells, uint32_t c)
{
    const uint32_t *at = r->at + c;
    sim_chunk_kind kind = SIM_CHUNK_KIND(r->kinds[c / SIM_CHUNK]);
    if (kind == SIM_CHUNK_RUN) return sim_words_get(cells + at[0]);
    if (kind == SIM_CHUNK_SAME) return (sim_words){0} + cells[at[0]];
    return sim_words_gather(cells, at);
}

/* Writes back the cells of a chunk's active lanes. */
static inline void chunk_put(const row *r, uint32_t *cells, uint32_t c, sim_words from)
{
    const uint32_t *at = r->at + c;
    const uint8_t *m = r->mask + c;
    uint8_t kind = r->kinds[c / SIM_CHUNK];
    if (kind == SIM_CHUNK_RUN) {
        sim_words_put(cells + at[0], from);
    } else if (kind == (SIM_CHUNK_RUN | SIM_CHUNK_PART)) {
        sim_words mask = sim_words_mask(m);
        sim_words_put(cells + at[0], (from & mask) | (sim_words_get(cells + at[0]) & ~mask));
    } else {
        sim_words_scatter(cells, at, sim_chunk_active(m), from);
    }
}

/* True if no lane's cell is open. */
static bool row_settled(const row *r, const uint32_t *cells)
{
    uint32_t n = r->n, open = 0;
    sim_words found_open = {0};
    cells += r->k;
    if (r->in_sequence) {
        uint32_t stamp = r->stamp;
        cells += r->first;
        FOR_LANES open |= (uint32_t)SIM_CELL_IS_OPEN(r, cells[i], stamp + i);
        return open == 0;
    }
    FOR_ROW_CHUNKS(r)
    {
        sim_words found = chunk_get(r, cells, c), mine = sim_words_get(r->mine + c);
        found_open |= (sim_words)SIM_CELL_IS_OPEN(r, found, mine) & sim_words_mask(r->mask + c);
    }
    return !sim_words_any(found_open);
}

/* Makes the lanes the last writers; false, with nothing changed, if two lanes share a cell. */
static bool row_write(const row *r, uint32_t *cells)
{
    uint32_t before[SIM_LANES], n = r->n;
    cells += r->k;
    if (r->in_sequence) {
        uint32_t stamp = r->stamp;
        cells += r->first;
        FOR_LANES cells[i] = stamp + i;
        return true;
    }
    if (!r->is_distinct) {
        FOR_ROW_CHUNKS(r) sim_words_put(before + c, chunk_get(r, cells, c));
    }
    FOR_ROW_CHUNKS(r) chunk_put(r, cells, c, sim_words_get(r->mine + c));
    if (r->is_distinct) return true;
    /* If a lane's cell does not hold what the lane has just written, another lane has the same
     * cell. */
    sim_words shared = {0};
    FOR_ROW_CHUNKS(r)
    {
        sim_words differs = chunk_get(r, cells, c) ^ sim_words_get(r->mine + c);
        shared |= differs & sim_words_mask(r->mask + c);
    }
    if (!sim_words_any(shared)) return true;
    FOR_ROW_CHUNKS(r) chunk_put(r, cells, c, sim_words_get(before + c));
    return false;
}

/* True if two active lanes have a cell in common. */
static bool row_meets(const row *r, uint32_t cells)
{
    sim_words found = {0};
    uint32_t active = 0, total = 0, words[SIM_CHUNK];
    for (uint32_t i = 0; i < r->count; i++) {
        if (!r->mask[i]) continue;
        active++;
        for (uint32_t c = 0; c < r->count; c += SIM_CHUNK)
            found -= sim_cells_common(sim_words_get(r->at + c), r->at[i], cells) &
                     sim_words_mask(r->mask + c);
    }
    sim_words_put(words, found);
    for (uint32_t i = 0; i < SIM_CHUNK; i++)
        total += words[i];
    return total > active; /* each lane meets itself */
}

/* True if a cell of a lane is a different one of another lane's; in most rows all lanes' cells
 * begin at a multiple of their number, or each lane's are after those of the lane before it. */
static bool row_overlaps(const row *r, uint32_t cells)
{
    if (cells < 2 || r->n < 2) return false;
    if (r->in_sequence) return true;
    sim_words odd = {0}, close = {0};
    for (uint32_t c = 0; c < r->count; c += SIM_CHUNK) {
        sim_words at = sim_words_get(r->at + c), next = sim_words_get(r->at + c + 1);
        if (c + SIM_CHUNK == r->count) next |= beyond_last();
        odd |= at % cells & sim_words_mask(r->mask + c);
        close |= (sim_words)(next < at + cells);
    }
    return sim_words_any(odd) && sim_words_any(close) && row_meets(r, cells);
}

/* Like sim_cell_joined(), for the sixteen lanes of a chunk. */
static inline sim_words joined_words(const row *r, sim_words cell, sim_words mine)
{
    sim_words stamp = cell & SIM_RACE_STAMP, here = (sim_words)(stamp >= r->ordered_from);
    sim_words other = (sim_words)(stamp != mine) | cell,
              before = (sim_words)(stamp < r->group_first);
    sim_words older = (sim_words)(stamp >= r->launch_first) & (before | cell);
    return mine | (here & other & SIM_RACE_SEVERAL) | (older & SIM_RACE_OLDER);
}

/* Records the reads of a chunk of lanes; if several lanes read the same cell, the last lane's stamp
 * remains. */
static void chunk_read(const row *r, uint32_t *cells, uint32_t c)
{
    sim_words mine = sim_words_get(r->mine + c);
    chunk_put(r, cells, c, joined_words(r, chunk_get(r, cells, c), mine));
    if (SIM_CHUNK_KIND(r->kinds[c / SIM_CHUNK]) == SIM_CHUNK_RUN || r->is_distinct) return;
    sim_words differs = (chunk_get(r, cells, c) ^ mine) & SIM_RACE_STAMP;
    if (!sim_words_any(differs & sim_words_mask(r->mask + c))) return;
    for (uint32_t i = c; i < c + SIM_CHUNK; i++) {
        uint32_t *cell = &cells[r->at[i]];
        if (r->mask[i] && (*cell & SIM_RACE_STAMP) != r->mine[i]) *cell |= SIM_RACE_SEVERAL;
    }
}

/* Records the reads chunk by chunk: if two chunks read the same cell, the second finds the first
 * one's stamp. */
static void row_read(const row *r, uint32_t *cells)
{
    uint32_t n = r->n, first = r->launch_first, group = r->group_first, ordered = r->ordered_from;
    cells += r->k;
    if (r->in_sequence) {
        uint32_t stamp = r->stamp;
        cells += r->first;
        FOR_LANES cells[i] = sim_cell_joined(cells[i], stamp + i, first, group, ordered);
        return;
    }
    FOR_ROW_CHUNKS(r) chunk_read(r, cells, c);
}

/* ---- The log of reads ---------------------------------------------------------------------- */

static void log_row(sim_exec *x, const sim_view_memory *view, uint32_t first, uint32_t size)
{
    sim_race *race = x->launch->race;
    lanes covered = lanes_of(x);
    uint32_t n = covered.n;
    const uint32_t *from = x->offsets + covered.first;
    sim_race_log_row *logged = sim_race_log_add(race, view->race, n * (covered.mask ? 3 : 2));
    uint16_t *offsets = (uint16_t *)(void *)(race->log_data + logged->data);
    uint32_t start = from[0], apart = 0;
    FOR_LANES apart |= (from[i] - start) ^ (i * size);
    FOR_LANES offsets[i] = (uint16_t)(from[i] + first);
    logged->size = size;
    logged->lid = x->wave->first_item + covered.first;
    logged->count = n;
    logged->offset = start + first;
    logged->has_mask = covered.mask != NULL;
    logged->in_sequence = !covered.mask && apart == 0;
    if (covered.mask) memcpy(race->log_data + logged->data + 2 * n, covered.mask, n);
}

/* Applies a logged row to the cells; false if it cannot be handled as a row. */
static bool logged_read(const sim_race *race, const sim_race_log_row *logged)
{
    const uint8_t *data = race->log_data + logged->data;
    const uint16_t *offsets = (const uint16_t *)(const void *)data;
    sim_race_shadow *shadow = logged->shadow;
    const sim_race_clock *clock = &race->clocks[shadow->class];
    uint32_t n = logged->count, shift = shadow->shift;
    uint64_t bits = logged->size;
    row r;
    if (logged->is_uniform || clock->is_split) return false;
    if (shift) FOR_LANES bits |= offsets[i];
    sim_race_cells_make(shadow, SIM_RACE_READS, shift ? bits : 0);
    shift = shadow->shift;
    row_start(clock, &r);
    r.in_sequence = logged->in_sequence && logged->size == UINT32_C(1) << shift;
    r.n = n;
    r.stamp = clock->base + logged->lid;
    r.first = logged->offset >> shift;
    if (!r.in_sequence) {
        r.count = sim_chunks_up(n);
        r.mask = r.lanes;
        memset(r.lanes, 0, r.count);
        if (logged->has_mask) memcpy(r.lanes, data + 2 * n, n);
        if (!logged->has_mask) memset(r.lanes, 1, n);
        memset(r.at, 0, r.count * sizeof *r.at);
        FOR_LANES r.at[i] = (uint32_t)offsets[i] >> shift;
        sim_chunks_find(r.at, r.mask, r.count, 1, sim_race_cells(shadow) - 1, r.kinds);
        row_stamps(clock, logged->lid, &r);
    }
    shadow->from[SIM_RACE_READS] = r.ordered_from;
    for (r.k = 0; r.k < logged->size >> shift; r.k++)
        row_read(&r, shadow->cells[SIM_RACE_READS]);
    return true;
}

/* True if the logged reads cannot conflict with writes by the lanes of r, each to one cell: the
 * reads are of other bytes, or of the same bytes by the same work-items. */
static bool log_is_apart(const sim_race *race, const sim_race_shadow *shadow, const row *r)
{
    uint32_t lid = r->stamp - race->clocks[shadow->class].base, size = 1u << shadow->shift;
    uint64_t start = r->first << shadow->shift;
    for (uint32_t i = 0; i < race->log.count; i++) {
        const sim_race_log_row *logged = &race->log.items[i];
        if (logged->shadow != shadow) continue;
        if (!r->in_sequence || !(logged->in_sequence || logged->is_uniform)) return false;
        uint64_t from = logged->offset, end = from + (uint64_t)logged->size * logged->count;
        bool is_apart = end <= start || from >= start + (uint64_t)size * r->n;
        bool is_same = logged->size == size && !logged->is_several &&
                       from - start == ((uint64_t)logged->lid - lid) * size;
        if (!is_apart && !is_same) return false;
    }
    return true;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Adjusts the size of the cells to the accesses and returns the number of cells per lane; 0 if the
 * accesses cannot be handled as a row. */
static uint32_t cells_open(sim_exec *x, const sim_op *op, sim_race_shadow *shadow,
                           sim_race_kind kind, uint32_t element, uint32_t first, uint32_t size,
                           row *out)
{
    uint64_t bits = first | size;
    if (shadow->shift && (op->c & 3)) {
        const uint32_t *offsets = x->offsets + x->low;
        const uint8_t *m = x->mask + x->low;
        uint32_t n = LANE_COUNT(x), set = 0; /* bits set in any active lane's offset */
        FOR_LANES set |= m[i] ? offsets[i] : 0;
        bits |= set;
    }
    sim_race_cells_make(shadow, kind, shadow->shift ? bits : 0);
    row_open(x, shadow, element, first, out);
    return size >> shadow->shift;
}

/* True if no recorded access of the first `kinds` kinds to the first `cells` cells of each lane is
 * open. */
static inline bool cells_settled(row *r, const sim_race_shadow *shadow, uint32_t settled,
                                 uint32_t kinds, uint32_t cells)
{
    for (uint32_t kind = 0; kind < kinds; kind++) {
        if (!sim_race_may_be_open(shadow, kind, settled)) continue;
        for (r->k = 0; r->k < cells; r->k++) {
            if (!row_settled(r, shadow->cells[kind])) return false;
        }
    }
    return true;
}

bool SIM_NAME(sim_race_load)(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                             uint32_t bytes)
{
    sim_race_shadow *shadow = view->race;
    const sim_race_clock *clock = &x->launch->race->clocks[shadow->class];
    uint32_t low, high;
    sim_components_read(x, op, &low, &high);
    uint32_t first = low * bytes, size = (high - low) * bytes;
    row r;
    uint32_t settled = sim_race_settled(clock, shadow->class);
    bool is_written = sim_race_may_be_written(shadow, settled);
    bool is_log_useful = !shadow->logs_in_vain || clock->is_split;
    if (shadow->class == SIM_RACE_LOCAL && !is_written && is_log_useful) {
        sim_race_site(shadow, SIM_RACE_READS, op->site);
        log_row(x, view, first, size);
        return true;
    }
    uint32_t cells = cells_open(x, op, shadow, SIM_RACE_READS, bytes * op->count, first, size, &r);
    if (cells == 0 || clock->is_split) return false;
    if (is_written && !cells_settled(&r, shadow, settled, SIM_RACE_KINDS_WRITING, cells)) {
        return false;
    }
    for (r.k = 0; r.k < cells; r.k++)
        row_read(&r, shadow->cells[SIM_RACE_READS]);
    shadow->from[SIM_RACE_READS] = clock->ordered_from;
    sim_race_site(shadow, SIM_RACE_READS, op->site);
    return true;
}

bool SIM_NAME(sim_race_store)(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                              uint32_t bytes)
{
    sim_race *race = x->launch->race;
    sim_race_shadow *shadow = view->race;
    uint32_t size = bytes * op->count;
    const sim_race_clock *clock = &race->clocks[shadow->class];
    row r;
    uint32_t cells = cells_open(x, op, shadow, SIM_RACE_WRITES, size, 0, size, &r);
    if (shadow->logged_from == clock->ordered_from &&
        (cells != 1 || !log_is_apart(race, shadow, &r))) {
        shadow->logs_in_vain = true;
        uint32_t remaining = 0; /* logged rows that cannot be applied as rows */
        for (uint32_t i = 0; i < race->log.count; i++) {
            if (!logged_read(race, &race->log.items[i]))
                race->log.items[remaining++] = race->log.items[i];
        }
        race->log.count = remaining;
        sim_race_log_flush(race);
        cells = cells_open(x, op, shadow, SIM_RACE_WRITES, size, 0, size, &r);
    }
    uint32_t settled = sim_race_settled(clock, shadow->class);
    if (row_overlaps(&r, cells)) return false;
    if (!cells_settled(&r, shadow, settled, SIM_RACE_KINDS, cells)) return false;
    for (r.k = 0; r.k < cells; r.k++) {
        if (!row_write(&r, shadow->cells[SIM_RACE_WRITES])) return false;
    }
    shadow->from[SIM_RACE_WRITES] = r.ordered_from;
    sim_race_site(shadow, SIM_RACE_WRITES, op->site);
    return cells > 0;
}
