/* Data races: shadows, clocks and reports. race.h explains the idea. */
#include "sim/check/race.h"

#include "reference/base/alloc.h"
#include "sim/check/writers.h"
#include "sim/memory/note.h"

#include <string.h>

#define SITE_NONE 0u /* no kernel has code at site 0 */

/* ---- Shadows ------------------------------------------------------------------------------- */

static uint32_t *cells_widen(uint32_t *cells, uint64_t size)
{
    if (!cells) return NULL;
    uint32_t *bytes = rt_alloc_array(size, sizeof *bytes);
    for (uint64_t i = 0; i < size; i++)
        bytes[i] = cells[i / 4];
    rt_free(cells);
    return bytes;
}

void sim_race_cells_make(sim_race_shadow *shadow, sim_race_kind kind, uint64_t bits)
{
    if (shadow->shift && (bits & 3)) {
        for (uint32_t k = 0; k < SIM_RACE_KINDS; k++)
            shadow->cells[k] = cells_widen(shadow->cells[k], shadow->size);
        shadow->shift = 0;
    }
    uint32_t **cells = &shadow->cells[kind];
    if (!*cells) *cells = rt_alloc_array(sim_race_cells(shadow), sizeof **cells);
}

void sim_race_site(sim_race_shadow *shadow, sim_race_kind kind, uint32_t site)
{
    uint32_t *known = &shadow->sites[kind];
    if (*known != site) *known = *known == SITE_NONE ? site : SIM_NONE;
}

static void cells_clear(sim_race_shadow *shadow)
{
    size_t size = sim_race_cells(shadow) * sizeof(uint32_t);
    for (uint32_t k = 0; k < SIM_RACE_KINDS; k++) {
        if (shadow->cells[k]) memset(shadow->cells[k], 0, size);
        shadow->from[k] = 0;
    }
}

sim_race_shadow *sim_race_shadow_of(sim_memory *memory)
{
    if (memory->race) return memory->race;
    memory->race = rt_alloc(sizeof *memory->race);
    *memory->race = (sim_race_shadow){.size = memory->size, .shift = 2};
    return memory->race;
}

static void track(sim_race *race, sim_memory *memory)
{
    if (!memory->data || sim_race_shadow_of(memory)->is_tracked) return;
    memory->race->is_tracked = true;
    memory->race->has_narrow = false;
    for (uint32_t k = 0; k < SIM_RACE_KINDS; k++)
        memory->race->sites[k] = SITE_NONE;
    *rt_vector_push(&race->tracked) = memory->race;
}

static void track_written(sim_launch_state *l, const sim_argument *arguments)
{
    const sim_world *world = l->world;
    const sim_access_set *written = &l->kernel->written;
    bool all = written->anything || sim_launch_records(l);
    for (uint32_t i = 1; all && i < world->objects.count; i++)
        track(l->race, &l->world->objects.items[i]);
    for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
        if (arguments[i].kind != SIM_PARAMETER_GLOBAL || !arguments[i].object) continue;
        if (!written->parameters[i]) continue;
        track(l->race, sim_world_memory(l->world, arguments[i].object));
    }
    for (uint32_t i = 0; written->variables && i < world->instances.count; i++) {
        const sim_instance *instance = &world->instances.items[i];
        if (instance->program != l->program) continue;
        for (uint32_t k = 0; k < l->program->global_count; k++)
            track(l->race, sim_world_memory(l->world, instance->objects[k]));
    }
}

/* ---- Clocks -------------------------------------------------------------------------------- */

static void interval_add(sim_race *race, sim_race_clock *clock, uint32_t lid_first, uint32_t count)
{
    uint32_t first = clock->next;
    clock->next += count;
    CHECK(count >= 1 && first >= 1 && clock->next <= SIM_RACE_STAMP + 1u);
    if (clock->intervals.count) {
        sim_race_interval *last = &clock->intervals.items[clock->intervals.count - 1];
        bool joins = last->first + last->lid_count * last->groups * last->rounds == first;
        bool whole = lid_first == 0 && count == race->items && last->lid_first == 0 &&
                     last->lid_count == count;
        if (joins && whole && last->rounds == 1 && last->group + last->groups == race->group) {
            last->groups++;
            return;
        }
        if (joins && whole && last->groups == 1 && last->group == race->group) {
            last->rounds++;
            return;
        }
        if (joins && last->groups == 1 && last->rounds == 1 && last->group == race->group &&
            last->lid_first + last->lid_count == lid_first) {
            last->lid_count += count;
            return;
        }
    }
    *rt_vector_push(&clock->intervals) = (sim_race_interval){.first = first,
                                                             .lid_first = lid_first,
                                                             .lid_count = count,
                                                             .groups = 1,
                                                             .rounds = 1,
                                                             .group = race->group};
}

/* Restarts the clock because its stamps have run out or soon will: clears all shadows of this class
 * of memory, so accesses that were open are forgotten. */
static void clock_restart(sim_race *race, sim_race_class class)
{
    sim_race_clock *clock = &race->clocks[class];
    if (class == SIM_RACE_GLOBAL) {
        race->world->race_restarts++;
        sim_writers_restart(race->world);
        for (uint32_t i = 1; i < race->world->objects.count; i++) {
            if (race->world->objects.items[i].race) cells_clear(race->world->objects.items[i].race);
        }
    } else {
        for (uint32_t i = 0; i < race->local_count; i++)
            cells_clear(&race->locals[i]);
    }
    clock->launch_first = clock->group_first = clock->ordered_from = clock->next = 1;
    clock->intervals.count = 0;
}

static void clock_run_out(sim_race *race, sim_race_class class)
{
    clock_restart(race, class);
    for (uint32_t i = race->copy_first; i < race->copies.count; i++)
        race->copies.items[i].stamp[class] = 0;
    sim_race_order_reset(race);
    race->is_blind = race->has_atomics || race->has_meetings;
}

/* Hands out new stamps of one clock to all work-items of the group. */
static void clock_stamp(sim_race *race, sim_race_class class)
{
    sim_race_clock *clock = &race->clocks[class];
    if (clock->next + race->items > race->world->race_limit) clock_run_out(race, class);
    CHECK(clock->ordered_from <= clock->next && clock->group_first <= clock->ordered_from);
    clock->is_split = false;
    clock->base = clock->next;
    interval_add(race, clock, 0, race->items);
}

uint32_t sim_race_stamp_one(sim_race *race, sim_race_class class, uint32_t lid)
{
    sim_race_clock *clock = &race->clocks[class];
    if (clock->next + race->items > race->world->race_limit) {
        clock_run_out(race, class);
        clock_stamp(race, class);
    }
    interval_add(race, clock, lid, 1);
    return clock->next - 1;
}

void sim_race_stamp(sim_race *race, uint32_t lid_first, uint32_t lid_count)
{
    CHECK(lid_first + lid_count <= race->items);
    sim_race_log_flush(race);
    for (uint32_t class = 0; class < SIM_RACE_CLASSES; class ++) {
        sim_race_clock *clock = &race->clocks[class];
        if (clock->next + race->items > race->world->race_limit) {
            clock_run_out(race, (sim_race_class) class);
            clock_stamp(race, (sim_race_class) class);
            continue;
        }
        for (uint32_t i = 0; !clock->is_split && i < race->items; i++)
            clock->stamps[i] = clock->base + i;
        clock->is_split = true;
        for (uint32_t i = 0; i < lid_count; i++)
            clock->stamps[lid_first + i] = clock->next + i;
        interval_add(race, clock, lid_first, lid_count);
    }
}

/* Reads of an object are logged again if no write has followed them since the last barrier. */
static void logs_judge(const sim_race *race)
{
    uint32_t from = race->clocks[SIM_RACE_LOCAL].ordered_from;
    for (uint32_t i = 0; i < race->local_count; i++) {
        sim_race_shadow *shadow = &race->locals[i];
        if (shadow->from[SIM_RACE_READS] == from && shadow->from[SIM_RACE_WRITES] != from)
            shadow->logs_in_vain = false;
    }
}

/* Settles the group's earlier accesses to memory of that class. */
static void clock_order(sim_race *race, sim_race_class class)
{
    sim_race_clock *clock = &race->clocks[class];
    if (class == SIM_RACE_LOCAL) logs_judge(race);
    if (class == SIM_RACE_LOCAL) race->log.count = race->log_bytes = 0;
    clock->ordered_from = clock->next;
    clock_stamp(race, class);
}

uint32_t sim_race_lid(const sim_race_clock *clock, uint32_t stamp, uint64_t *out_group)
{
    uint32_t high = clock->intervals.count, step = 1;
    CHECK(high > 0 && stamp >= clock->intervals.items[0].first && stamp < clock->next);
    /* A work-item that synchronises often meets its own latest accesses, whose intervals are near
     * the end. */
    while (step < high && clock->intervals.items[high - step].first > stamp) {
        high -= step;
        step *= 2;
    }
    uint32_t low = step < high ? high - step : 0;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (clock->intervals.items[middle].first <= stamp) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const sim_race_interval *interval = &clock->intervals.items[low];
    uint32_t distance = stamp - interval->first;
    uint32_t round = distance / interval->lid_count;
    CHECK(round < interval->groups * interval->rounds);
    *out_group = interval->group + round / interval->rounds;
    return interval->lid_first + distance % interval->lid_count;
}

uint32_t sim_race_join(const sim_race_clock *clock, uint32_t cell, uint32_t lid, uint32_t mine,
                       uint32_t level)
{
    uint32_t stamp = cell & SIM_RACE_STAMP, flags = 0;
    bool is_narrow = level == SIM_RACE_SUBGROUP || level == SIM_RACE_WORKGROUP;
    uint64_t group;
    if (level == SIM_RACE_SUBGROUP) mine |= SIM_RACE_NARROW_HERE;
    if (stamp < clock->launch_first) return mine | (is_narrow ? SIM_RACE_NARROW : 0);
    flags = cell & (SIM_RACE_OLDER | SIM_RACE_NARROW);
    if (stamp < clock->group_first) {
        flags |= SIM_RACE_OLDER;
    } else if (stamp >= clock->ordered_from) {
        bool is_other = sim_race_lid(clock, stamp, &group) != lid;
        flags |= is_other ? SIM_RACE_SEVERAL : cell & SIM_RACE_SEVERAL;
        flags |= cell & SIM_RACE_NARROW_HERE;
    }
    if (!is_narrow) return mine | flags;
    /* The earlier groups' atomics are for the device, and there is only one bit. */
    if (!(flags & SIM_RACE_NARROW)) flags &= ~SIM_RACE_OLDER;
    return mine | flags | SIM_RACE_NARROW;
}

/* ---- The log of reads ---------------------------------------------------------------------- */

void sim_race_log_flush(sim_race *race)
{
    for (uint32_t k = 0; k < race->log.count; k++) {
        const sim_race_log_row *row = &race->log.items[k];
        sim_race_shadow *shadow = row->shadow;
        const sim_race_clock *clock = &race->clocks[shadow->class];
        const uint16_t *offsets = (const uint16_t *)(const void *)(race->log_data + row->data);
        const uint8_t *mask = row->has_mask ? race->log_data + row->data + 2 * row->count : NULL;
        uint64_t bits = row->size | row->offset;
        for (uint32_t i = 0; !row->is_uniform && i < row->count; i++)
            bits |= !mask || mask[i] ? offsets[i] : 0;
        sim_race_cells_make(shadow, SIM_RACE_READS, bits);
        shadow->from[SIM_RACE_READS] = clock->ordered_from;
        uint32_t *cells = shadow->cells[SIM_RACE_READS];
        for (uint32_t i = 0; i < row->count; i++) {
            if (mask && !mask[i]) continue;
            uint32_t lid = row->lid + i, mine = sim_race_stamp_of(clock, lid);
            uint32_t offset = row->is_uniform ? row->offset : offsets[i];
            uint32_t last = (offset + row->size - 1) >> shadow->shift;
            for (uint32_t c = offset >> shadow->shift; c <= last; c++) {
                uint32_t cell = sim_race_join(clock, cells[c], lid, mine, SIM_RACE_PLAIN);
                cells[c] = cell | (row->is_several ? SIM_RACE_SEVERAL : 0);
            }
        }
    }
    race->log.count = race->log_bytes = 0;
}

sim_race_log_row *sim_race_log_add(sim_race *race, sim_race_shadow *shadow, uint32_t bytes)
{
    CHECK(bytes <= SIM_RACE_LOG_BYTES / 2);
    if (race->log_bytes + bytes > SIM_RACE_LOG_BYTES || race->log.count >= SIM_RACE_LOG_ROWS) {
        sim_race_log_flush(race);
    }
    if (!race->log_data) race->log_data = rt_alloc(SIM_RACE_LOG_BYTES);
    sim_race_log_row *row = rt_vector_push(&race->log);
    *row = (sim_race_log_row){.shadow = shadow, .data = race->log_bytes};
    shadow->logged_from = race->clocks[shadow->class].ordered_from;
    race->log_bytes += (bytes + 63) & ~63u;
    return row;
}

/* ---- Judging ------------------------------------------------------------------------------- */

/* One access of one lane. */
typedef struct access {
    sim_exec *x;
    sim_race *race;
    sim_race_shadow *shadow;
    const sim_view_memory *view;
    uint32_t site, size, level;
    uint32_t lid;  /* id of the work-item or copy that makes the access; the ids of copies follow
                    * those of work-items */
    uint32_t item; /* the work-item itself; for a copy, the work-item whose share this is */
    bool is_write;
} access;

/* The party whose recorded access is open with respect to the access being judged. */
typedef enum open_kind {
    OPEN_NONE,
    OPEN_NAMED,  /* the work-item or copy that the stamp names */
    OPEN_HERE,   /* an unknown other work-item of the group */
    OPEN_BEFORE, /* an unknown work-item of an earlier group */
} open_kind;

static open_kind find_open(const access *a, sim_race_kind kind, uint32_t cell)
{
    sim_race *race = a->race;
    sim_race_class class = (sim_race_class)a->shadow->class;
    const sim_race_clock *clock = &race->clocks[class];
    uint32_t stamp = cell & SIM_RACE_STAMP;
    uint32_t known = race->item[a->item].acquired;
    bool are_atomic = a->level != SIM_RACE_PLAIN && sim_race_kind_atomic(kind);
    bool are_for_group =
        are_atomic && a->level >= SIM_RACE_WORKGROUP && !(cell & SIM_RACE_NARROW_HERE);
    bool are_for_device = are_atomic && a->level == SIM_RACE_DEVICE && !(cell & SIM_RACE_NARROW);
    uint64_t group;
    if (stamp < clock->launch_first || race->is_blind) return OPEN_NONE;
    if (stamp >= clock->ordered_from && !are_for_group) {
        uint32_t other = sim_race_lid(clock, stamp, &group);
        bool near = a->lid / race->subgroup_size == other / race->subgroup_size;
        bool is_atomic = near && are_atomic;
        /* If the group has only one work-item, what precedes a copy in that work-item's program
         * also happens before the copy. With several work-items it is unspecified which of them
         * executes which part of a copy, and when. */
        bool is_own_copy = a->lid >= race->items_max && race->items == 1 && other == 0;
        if (other != a->lid && !is_atomic && !is_own_copy &&
            !sim_race_knows(race, known, class, stamp)) {
            return OPEN_NAMED;
        }
        if ((cell & SIM_RACE_SEVERAL) && !are_atomic && !known) return OPEN_HERE;
    } else if (stamp < clock->group_first && !are_for_device &&
               !sim_race_knows(race, known, class, stamp)) {
        return OPEN_NAMED;
    }
    return (cell & SIM_RACE_OLDER) && !are_for_device && !known ? OPEN_BEFORE : OPEN_NONE;
}

/* ---- Reporting ----------------------------------------------------------------------------- */

/* Writes the global id of work-item `lid` in a group. */
static void item_ids(const sim_launch_state *l, uint64_t group, uint64_t lid, uint64_t *out_ids)
{
    const sim_range *range = l->range;
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
        uint64_t groups = sim_range_groups(range, k), id = group % groups;
        uint64_t size = sim_range_group_size(range, k, id);
        out_ids[k] = id * range->local[k] + lid % size + range->offset[k];
        group /= groups;
        lid /= size;
    }
}

/* "the store by work-item (1, 0, 0)"; *out_site is where, SITE_NONE if it is unknown. */
static rt_text other_text(const access *a, sim_race_kind kind, uint32_t cell, open_kind open,
                          uint32_t *out_site)
{
    sim_launch_state *l = a->x->launch;
    rt_arena *arena = &l->findings.arena;
    const char *verb = sim_race_kind_atomic(kind) ? "atomic"
                       : kind == SIM_RACE_WRITES  ? "store"
                                                  : "load";
    uint32_t site = a->shadow->sites[kind];
    *out_site = site == SIM_NONE ? SITE_NONE : site;
    uint64_t group, ids[RT_ND_RANGE_DIMENSIONS];
    uint32_t lid = sim_race_lid(&a->race->clocks[a->shadow->class], cell & SIM_RACE_STAMP, &group);
    rt_text who = open == OPEN_HERE ? RT_TEXT("another work-item of the group")
                                    : RT_TEXT("a work-item of another group");
    if (open == OPEN_NAMED && lid >= a->race->items_max) {
        bool here = group == a->race->group;
        who = here ? RT_TEXT("an asynchronous copy begun by the group")
                   : RT_TEXT("an asynchronous copy begun by another group");
        if (here) *out_site = sim_race_copy_of(a->race, lid)->site;
    } else if (open == OPEN_NAMED) {
        item_ids(l, group, lid, ids);
        who = rt_arena_printf(arena, "work-item (%llu, %llu, %llu)", (unsigned long long)ids[0],
                              (unsigned long long)ids[1], (unsigned long long)ids[2]);
    }
    return rt_arena_printf(arena, "the %s by %.*s", verb, RT_TEXT_ARG(who));
}

static void report(const access *a, sim_race_kind race_kind, uint32_t cell, open_kind open,
                   bool same_value)
{
    sim_launch_state *l = a->x->launch;
    sim_finding_row *row;
    sim_finding_kind kind = same_value ? SIM_FINDING_SAME_VALUE_RACE : SIM_FINDING_RACE;
    if (!sim_findings_add(&l->findings, a->site, kind, 1, &row)) return;
    rt_arena *arena = &l->findings.arena;
    const char *verb = a->level ? "atomic" : a->is_write ? "store" : "load";
    bool narrow = a->level && sim_race_kind_atomic(race_kind);
    item_ids(l, a->race->group, a->item, row->work_item);
    row->object = rt_arena_text(arena, a->view->label);
    row->offset = a->view->offset;
    rt_text other = other_text(a, race_kind, cell, open, &row->other_site);
    row->message = rt_arena_printf(
        arena,
        "%s of %u bytes at offset %llu of '%.*s' by %swork-item (%llu, %llu, %llu) and %.*s are "
        "not ordered%s%s",
        verb, a->size, (unsigned long long)a->view->offset, RT_TEXT_ARG(a->view->label),
        a->lid == a->item ? "" : "the asynchronous copy begun by ",
        (unsigned long long)row->work_item[0], (unsigned long long)row->work_item[1],
        (unsigned long long)row->work_item[2], RT_TEXT_ARG(other),
        narrow ? ", and the scope of one does not include the other" : "",
        same_value ? "; the value stays the same" : "");
}

/* ---- One lane ------------------------------------------------------------------------------ */

static access access_of(sim_exec *x, uint32_t site, uint32_t lane, const sim_view_memory *view,
                        uint32_t size)
{
    sim_race *race = x->launch->race;
    CHECK(size >= 1 && view->race && view->offset + size <= view->race->size);
    uint32_t item = x->wave->first_item + lane;
    bool is_copy = race->copy_now != SIM_NONE;
    return (access){.x = x,
                    .race = race,
                    .shadow = view->race,
                    .view = view,
                    .site = site,
                    .lid = is_copy ? race->items_max + race->copy_now : item,
                    .item = item,
                    .size = size};
}

/* Judges the access and notes the worst race that it is part of. `same_value`: the access is a
 * write that stores the value already there. */
static void judge(const access *a, bool same_value)
{
    const sim_race_shadow *shadow = a->shadow;
    const sim_race_clock *clock = &a->race->clocks[shadow->class];
    uint64_t first = a->view->offset >> shadow->shift;
    uint64_t last = (a->view->offset + a->size - 1) >> shadow->shift;
    uint32_t kinds = a->is_write ? SIM_RACE_KINDS : SIM_RACE_KINDS_WRITING;
    uint32_t settled = sim_race_settled(clock, shadow->class);
    open_kind same_open = OPEN_NONE; /* an open write of the value that this write stores too */
    sim_race_kind same_kind = SIM_RACE_WRITES;
    uint32_t same_cell = 0;
    for (uint64_t c = first; c <= last; c++) {
        for (uint32_t k = 0; k < kinds; k++) {
            sim_race_kind kind = (sim_race_kind)k;
            if (!sim_race_may_be_open(shadow, k, settled)) continue;
            uint32_t cell = shadow->cells[k][c];
            open_kind open = find_open(a, kind, cell);
            if (!open) continue;
            if (!same_value || k >= SIM_RACE_KINDS_WRITING) {
                report(a, kind, cell, open, false);
                return;
            }
            same_open = open;
            same_kind = kind;
            same_cell = cell;
        }
    }
    if (same_open) report(a, same_kind, same_cell, same_open, true);
}

void sim_race_record(const sim_race_clock *clock, const sim_race_piece *piece, uint32_t lid,
                     uint32_t mine, uint32_t level)
{
    sim_race_shadow *shadow = piece->shadow;
    sim_race_kind kind = sim_race_kind_of(piece->is_write, level);
    uint32_t *cells = shadow->cells[kind];
    uint64_t last = (piece->offset + piece->size - 1) >> shadow->shift;
    CHECK(cells && piece->offset + piece->size <= shadow->size);
    for (uint64_t c = piece->offset >> shadow->shift; c <= last; c++)
        cells[c] =
            kind == SIM_RACE_WRITES ? mine : sim_race_join(clock, cells[c], lid, mine, level);
    shadow->from[kind] = clock->ordered_from;
    shadow->has_narrow |= level == SIM_RACE_SUBGROUP || level == SIM_RACE_WORKGROUP;
}

/* Judges the lane's access and records it in the shadow. */
static void record(const access *a, bool same_value)
{
    sim_race_kind kind = sim_race_kind_of(a->is_write, a->level);
    sim_race_cells_make(a->shadow, kind, a->view->offset | a->size);
    judge(a, same_value);
    sim_race_class class = (sim_race_class)a->shadow->class;
    const sim_race_clock *clock = &a->race->clocks[class];
    sim_race_piece piece = {a->shadow, a->view->offset, a->size, a->is_write};
    bool is_copy = a->lid >= a->race->items_max;
    uint32_t mine = is_copy ? sim_race_copy_stamp(a->race, a->lid - a->race->items_max, class)
                            : sim_race_stamp_of(clock, a->lid);
    sim_race_record(clock, &piece, a->lid, mine, a->level);
    if (is_copy) sim_race_copy_note(a->race, &piece);
    sim_race_site(a->shadow, kind, a->site);
}

void sim_race_read(sim_exec *x, uint32_t site, uint32_t lane, const sim_view_memory *view,
                   uint32_t size)
{
    access a = access_of(x, site, lane, view, size);
    record(&a, false);
}

void sim_race_read_all(sim_exec *x, uint32_t site, const sim_view_memory *view, uint32_t size)
{
    for (uint32_t i = x->low; i < x->high; i++) {
        if (x->mask[i]) sim_race_read(x, site, i, view, size);
    }
}

void sim_race_write(sim_exec *x, uint32_t site, uint32_t lane, const sim_view_memory *view,
                    uint32_t size, const uint8_t *bytes)
{
    access a = access_of(x, site, lane, view, size);
    a.is_write = true;
    sim_race_log_settle(a.race, a.shadow);
    record(&a, memcmp(view->data + view->offset, bytes, size) == 0);
}

bool sim_race_wrote(const sim_exec *x, const sim_view_memory *view, uint32_t size)
{
    const sim_race *race = x->launch->race;
    const sim_race_shadow *shadow = view->race;
    if (!race->is_on || race->restarts != race->world->race_restarts) return true;
    if (!shadow) return false;
    uint32_t launch_first = race->clocks[shadow->class].launch_first;
    uint64_t last = (view->offset + size - 1) >> shadow->shift;
    for (uint32_t k = 0; k < SIM_RACE_KINDS_WRITING; k++) {
        if (!sim_race_may_be_open(shadow, k, launch_first)) continue;
        for (uint64_t c = view->offset >> shadow->shift; c <= last; c++) {
            if ((shadow->cells[k][c] & SIM_RACE_STAMP) >= launch_first) return true;
        }
    }
    return false;
}

/* OpenCL 1.x atomics are atomic for all work-items of the device, but llvm-spirv translates them to
 * relaxed atomics of scope Workgroup. */
uint32_t sim_race_atomic_level(uint32_t order)
{
    sim_race_order o = sim_race_order_of(order);
    bool is_relaxed = !o.acquires && !o.releases;
    return o.level == SIM_RACE_WORKGROUP && is_relaxed ? SIM_RACE_DEVICE : o.level;
}

void sim_race_atomic(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address, uint32_t size,
                     bool wrote)
{
    sim_view_memory view;
    sim_finding_kind kind;
    if (!x->launch->race->is_on || !sim_access_find(x, address, &view, &kind) || !view.race) return;
    if (view.size < size || view.offset > view.size - size || view.offset % size) return;
    access a = access_of(x, op->site, lane, &view, size);
    a.is_write = wrote;
    a.level = sim_race_atomic_level(op->stride);
    sim_race_log_settle(a.race, a.shadow);
    record(&a, false);
    sim_race_synchronise(a.race, a.lid, op, address, wrote);
}

/* ---- All lanes at one address -------------------------------------------------------------- */

/* True if the access recorded in the cell may be open with respect to some work-item of the group.
 */
static bool may_be_open(const sim_race_clock *clock, uint32_t cell)
{
    uint32_t stamp = cell & SIM_RACE_STAMP;
    if (stamp < clock->launch_first) return false;
    return stamp < clock->group_first || stamp >= clock->ordered_from || (cell & SIM_RACE_OLDER);
}

bool sim_race_read_one(sim_exec *x, uint32_t site, const sim_view_memory *view, uint64_t offset,
                       uint32_t size)
{
    sim_race_shadow *shadow = view->race;
    sim_race *race = x->launch->race;
    const sim_race_clock *clock = &race->clocks[shadow->class];
    uint32_t lid = x->wave->first_item + sim_first_lane(x);
    uint32_t settled = sim_race_settled(clock, shadow->class);
    bool is_written = sim_race_may_be_written(shadow, settled);
    sim_race_site(shadow, SIM_RACE_READS, site);
    if (shadow->class == SIM_RACE_LOCAL && !is_written && !shadow->logs_in_vain) {
        sim_race_log_row *row = sim_race_log_add(race, shadow, 0);
        row->size = size;
        row->lid = lid;
        row->count = 1;
        row->offset = (uint32_t)offset;
        row->is_uniform = true;
        row->is_several = x->active > 1;
        return true;
    }
    sim_race_cells_make(shadow, SIM_RACE_READS, offset | size);
    uint64_t first = offset >> shadow->shift, last = (offset + size - 1) >> shadow->shift;
    for (uint32_t k = 0; is_written && k < SIM_RACE_KINDS_WRITING; k++) {
        if (!sim_race_may_be_open(shadow, k, settled)) continue;
        for (uint64_t c = first; c <= last; c++) {
            if (may_be_open(clock, shadow->cells[k][c])) return false;
        }
    }
    uint32_t *cells = shadow->cells[SIM_RACE_READS], mine = sim_race_stamp_of(clock, lid);
    shadow->from[SIM_RACE_READS] = clock->ordered_from;
    for (uint64_t c = first; c <= last; c++) {
        uint32_t cell = sim_race_join(clock, cells[c], lid, mine, SIM_RACE_PLAIN);
        cells[c] = cell | (x->active > 1 ? SIM_RACE_SEVERAL : 0);
    }
    return true;
}

/* ---- Barriers and fences ------------------------------------------------------------------- */

void sim_race_barrier(sim_launch_state *l, uint32_t packed_order)
{
    sim_race *race = l->race;
    sim_race_order order = sim_race_order_of(packed_order);
    bool orders = (order.acquires || order.releases) && order.classes;
    if (!race->is_on || !orders || order.level < SIM_RACE_WORKGROUP) return;
    CHECK(race->copy_now == SIM_NONE);
    /* A barrier whose memory scope is Device is also a fence by each work-item. All work-items
     * learn what any of them acquires, and each releases what all of them have done, so the fences
     * are applied before and after the barrier. */
    bool is_fence = order.level == SIM_RACE_DEVICE && race->has_atomics;
    for (uint32_t lid = 0; is_fence && lid < race->items; lid++)
        sim_race_item_fence(race, lid, order);
    if (race->any_known) sim_race_share(race, 0, race->items, order.classes, 0);
    sim_race_copies_complete(race);
    for (uint32_t class = 0; class < SIM_RACE_CLASSES; class ++) {
        if (!(order.classes & SIM_RACE_CLASS_BIT(class))) continue;
        clock_order(race, (sim_race_class) class);
        sim_race_copies_renew(race, (sim_race_class) class);
    }
    for (uint32_t lid = 0; is_fence && lid < race->items; lid++) {
        sim_race_item_fence(race, lid, order);
        /* It releases what precedes the barrier; what follows already has the work-item's stamp. */
        for (uint32_t class = 0; order.releases && class < SIM_RACE_CLASSES; class ++)
            race->item[lid].fence_stamp[class] = race->clocks[class].ordered_from - 1;
    }
    CHECK_SLOW(sim_race_check(race));
}

void sim_race_subgroup_barrier(sim_launch_state *l, uint32_t lid_first, uint32_t lid_count,
                               uint32_t packed_order)
{
    sim_race *race = l->race;
    sim_race_order order = sim_race_order_of(packed_order);
    bool orders = (order.acquires || order.releases) && order.classes;
    if (!race->is_on || !orders || order.level < SIM_RACE_SUBGROUP) return;
    uint32_t node = sim_race_node_now(race, lid_first, lid_count, order.classes);
    sim_race_share(race, lid_first, lid_count, order.classes, node);
    sim_race_stamp(race, lid_first, lid_count);
}

void sim_race_fence(sim_exec *x, uint32_t packed_order)
{
    sim_race *race = x->launch->race;
    sim_race_order order = sim_race_order_of(packed_order);
    if (!race->is_on || !race->has_atomics) return;
    for (uint32_t i = x->low; i < x->high; i++) {
        if (!x->mask[i]) continue;
        uint32_t lid = x->wave->first_item + i;
        sim_race_item_fence(race, lid, order);
        if (order.releases) sim_race_stamp(race, lid, 1);
    }
}

/* ---- Checking the whole state -------------------------------------------------------------- */

bool sim_race_check(const sim_race *race)
{
    CHECK(race->items >= 1 && race->subgroup_size >= 1);
    CHECK(race->copy_first <= race->copies.count);
    CHECK(race->log.count <= SIM_RACE_LOG_ROWS && race->log_bytes <= SIM_RACE_LOG_BYTES);
    for (uint32_t class = 0; class < SIM_RACE_CLASSES; class ++) {
        const sim_race_clock *clock = &race->clocks[class];
        CHECK(clock->launch_first >= 1 && clock->launch_first <= clock->group_first);
        CHECK(clock->group_first <= clock->ordered_from && clock->ordered_from <= clock->base);
        CHECK(clock->base < clock->next && clock->next <= SIM_RACE_STAMP + 1u);
        for (uint32_t i = 0; i < clock->intervals.count; i++) {
            const sim_race_interval *interval = &clock->intervals.items[i];
            uint32_t end =
                interval->first + interval->lid_count * interval->groups * interval->rounds;
            bool is_last = i + 1 == clock->intervals.count;
            CHECK(interval->groups == 1 || interval->rounds == 1);
            CHECK(end <= (is_last ? clock->next : interval[1].first));
        }
    }
    for (uint32_t i = 0; i < race->tracked.count; i++)
        CHECK(race->tracked.items[i]->is_tracked);
    for (uint32_t i = 1; i < race->nodes.count; i++) /* nodes refer only to older nodes */
        CHECK(race->nodes.items[i].a < i && race->nodes.items[i].b < i);
    return true;
}

/* ---- Launches and groups ------------------------------------------------------------------- */

void sim_race_open(sim_launch_state *l, const sim_argument *arguments)
{
    sim_race *race = rt_alloc(sizeof *race);
    const uint64_t *size = l->range->global;
    CHECK(!l->race && !l->local_races);
    l->race = race;
    race->is_on = size[0] > 1 || size[1] > 1 || size[2] > 1 || l->kernel->reach.copies;
    for (uint32_t i = 0; i < l->kernel->parameter_count; i++)
        race->is_on |= arguments[i].access == SIM_ACCESS_WRITE;
    race->is_on |= sim_launch_records(l) || l->world->writers;
    race->is_on &= !l->world->is_unchecked;
    if (!race->is_on) return;
    race->world = l->world;
    race->items = race->items_max = (uint32_t)l->pool[SIM_SLOT_GROUP_ITEMS];
    CHECK(race->items >= 1 && race->items <= RT_WORK_GROUP_SIZE_MAX);
    race->has_atomics = l->kernel->reach.atomics;
    race->has_meetings = l->kernel->reach.meets;
    race->subgroup_size = l->kernel->subgroup_size;
    for (uint32_t class = 0; class < SIM_RACE_CLASSES; class ++) {
        sim_race_clock *clock = &race->clocks[class];
        clock->stamps = rt_alloc_array(sim_chunks_up(race->items), sizeof *clock->stamps);
        clock->next = class == SIM_RACE_GLOBAL && l->world->race_next ? l->world->race_next : 1;
        clock->launch_first = clock->next;
        /* Restarting early ensures that a launch that takes less than half of the stamps does not
         * run out of them. */
        if (clock->next > l->world->race_limit / 2) clock_restart(race, (sim_race_class) class);
    }
    race->restarts = l->world->race_restarts;
    race->item = rt_alloc_array(race->items, sizeof *race->item);
    race->copy_calls = rt_alloc_array(race->items, sizeof *race->copy_calls);
    race->copy_now = SIM_NONE;
    bool locals_race = race->items > 1 || l->kernel->reach.copies;
    race->local_count = l->locals.count;
    race->locals = rt_alloc_array(l->locals.count + 1u, sizeof *race->locals);
    for (uint32_t i = 0; i < l->locals.count; i++) {
        race->locals[i] = (sim_race_shadow){.size = sim_local_bytes(l, &l->locals.items[i]),
                                            .shift = 2,
                                            .class = SIM_RACE_LOCAL,
                                            .is_tracked = locals_race};
    }
    if (locals_race) l->local_races = race->locals;
    track_written(l, arguments);
}

/* Reports the ranges of one kind of access to an object: the cells whose stamps are this launch's.
 * Those of a window are reported as its object's, because other commands may use the same bytes
 * without it. */
static void ranges_report(const sim_launch_state *l, sim_object object, sim_race_kind kind)
{
    const sim_memory *memory = &l->world->objects.items[object];
    const sim_race_shadow *shadow = memory->race;
    const uint32_t *cells = shadow->cells[kind];
    uint32_t first = l->race->clocks[SIM_RACE_GLOBAL].launch_first;
    if (shadow->from[kind] < first) return;
    CHECK(cells); /* `from` is 0 until there are cells, and stamps begin with 1 */
    uint64_t count = sim_race_cells(shadow);
    for (uint64_t c = 0, end; c < count; c = end + 1) {
        for (end = c; end < count && (cells[end] & SIM_RACE_STAMP) >= first; end++)
            ;
        if (end == c) continue;
        uint64_t stop = end << shadow->shift;
        if (stop > shadow->size) stop = shadow->size;
        const sim_accessed accessed = {.object = memory->whole ? memory->whole : object,
                                       .offset = memory->origin + (c << shadow->shift),
                                       .size = stop - (c << shadow->shift),
                                       .is_write = kind < SIM_RACE_KINDS_WRITING,
                                       .is_atomic = sim_race_kind_atomic(kind)};
        l->options->on_accessed(l->options->user, &accessed);
    }
}

/* Reports everything that the launch accessed, unless stamps have run out and accesses were
 * forgotten. */
static void accesses_report(const sim_launch_state *l)
{
    const sim_world *world = l->world;
    if (l->race->restarts != world->race_restarts) return;
    for (uint32_t i = 1; i < world->objects.count; i++) {
        const sim_race_shadow *shadow = world->objects.items[i].race;
        if (!shadow || !shadow->is_tracked) continue;
        for (uint32_t k = 0; k < SIM_RACE_KINDS; k++)
            ranges_report(l, i, (sim_race_kind)k);
    }
}

void sim_race_close(sim_launch_state *l)
{
    sim_race *race = l->race;
    CHECK_IMPLIES(race->is_on, race->copy_now == SIM_NONE);
    if (race->is_on && sim_launch_records(l)) accesses_report(l);
    bool is_complete = race->is_on && race->restarts == l->world->race_restarts && !l->parts;
    if (is_complete && l->world->writers) sim_writers_keep(l);
    if (race->is_on) l->world->race_next = race->clocks[SIM_RACE_GLOBAL].next;
    for (uint32_t i = 0; i < race->tracked.count; i++)
        race->tracked.items[i]->is_tracked = false;
    for (uint32_t i = 0; i < race->local_count; i++)
        sim_race_shadow_clear(&race->locals[i]);
    for (uint32_t class = 0; class < SIM_RACE_CLASSES; class ++) {
        rt_free(race->clocks[class].stamps);
        rt_vector_free(&race->clocks[class].intervals);
    }
    rt_vector_free(&race->tracked);
    rt_free(race->locals);
    rt_vector_free(&race->log);
    rt_free(race->log_data);
    rt_free(race->item);
    if (race->is_on) sim_race_copies_forget(race);
    rt_free(race->copy_calls);
    rt_vector_free(&race->copies);
    rt_vector_free(&race->wait_events);
    rt_vector_free(&race->nodes);
    rt_vector_free(&race->places);
    rt_map_free(&race->place_of);
    rt_vector_free(&race->found);
    rt_free(race);
    l->race = NULL;
    l->local_races = NULL;
}

void sim_race_group(sim_launch_state *l)
{
    sim_race *race = l->race;
    if (!race->is_on) return;
    CHECK(race->copies.count == 0 && race->copy_now == SIM_NONE);
    const uint64_t *groups = l->pool + SIM_SLOT_GROUP_COUNT;
    race->items = (uint32_t)l->pool[SIM_SLOT_GROUP_ITEMS];
    CHECK(race->items <= race->items_max);
    race->group = (l->group[2] * groups[1] + l->group[1]) * groups[0] + l->group[0];
    sim_race_order_group(race);
    for (uint32_t class = 0; class < SIM_RACE_CLASSES; class ++) {
        sim_race_clock *clock = &race->clocks[class];
        clock->group_first = clock->next;
        if (class == SIM_RACE_LOCAL) {
            clock->launch_first = clock->next;
            clock->intervals.count = 0;
        }
        clock_order(race, (sim_race_class) class);
    }
    CHECK_SLOW(sim_race_check(race));
}
