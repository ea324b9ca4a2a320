/* Tests the search for data races against a model of the same memory model: random accesses,
 * atomics, fences and barriers of several launches, which call check/race.h directly.
 *
 * The model keeps every access, and for every work-item how much of each other work-item's accesses
 * has happened before (a vector clock), so it knows all pairs that race. Up to the first race
 * nothing may be reported. The first race must be reported, unless it is one of those that race.h
 * says can be missed: where the work-item has acquired something, or atomics are narrower than the
 * device, only pairs with the last access of a kind count. A report must be about a pair of the
 * model's.
 *
 * Other tests show what the model leaves out, such as copies and what happens when stamps run out,
 * and that exec/race.c, which handles rows of accesses at once, finds the same. */
#include "sim/check/race.h"

#define SIM_ENGINE base /* whose rows are tested */
#include "sim/exec/chunks.h"
#include "sim/memory/world.h"
#include "sim/test/assembler.h"

#include <stdio.h>
#include <string.h>

#define BYTES    29u /* of each object; the last cell is not whole */
#define ITEMS    48u
#define GROUP    8u /* work-items are numbered GROUP * group + local linear id */
#define WAVE     4u
#define SUBGROUP 2u
#define ACCESSES 4096u
#define RANGES   8u

/* ---- The model ------------------------------------------------------------------------------ */

/* Up to which time the accesses of each work-item to each class of memory are known to have
 * happened. */
typedef struct knowledge {
    uint32_t until[SIM_RACE_CLASSES][ITEMS];
} knowledge;

typedef struct past_access {
    uint32_t item, group, time, site;
    uint32_t class, offset, size, level; /* level: of the atomic, for which work-items it is one */
    bool is_write, same_value;
} past_access;

typedef struct model_item {
    knowledge known, pending_device, pending_group, fence;
    uint32_t fence_level, fence_classes;
    bool has_acquired;
} model_item;

typedef struct model_place {
    bool exists;
    knowledge for_device, for_group;
    uint32_t group, owner;
    bool has_device, has_group;
} model_place;

typedef struct model {
    rt_sink *sink;
    sim_world *world;
    sim_kernel kernel;
    sim_program program;
    sim_range range;
    sim_launch_state launch;
    sim_launch_options options;
    sim_exec exec;
    sim_wave wave;
    uint8_t mask[SIM_LANES];
    uint64_t pool[SIM_POOL_SLOTS];
    sim_object object;
    uint64_t random;
    uint32_t time, group, items, mode;
    past_access accesses[ACCESSES];
    uint32_t access_count;
    model_item item[ITEMS];
    model_place places[SIM_RACE_CLASSES][BYTES];
    sim_accessed reported[64];
    uint32_t reported_count;
    /* Who stored the bytes of the object last: the work-item's ids. */
    struct {
        bool is_known, is_unsure;
        uint64_t ids[3];
    } writers[BYTES];
    uint32_t patience; /* how rarely a race is let through */
    bool has_parts;    /* accesses of less than four bytes */
    bool ended;        /* a race has been found */
} model;

enum { MODE_PLAIN, MODE_NARROW, MODE_ORDERED, MODES };

static uint32_t draw(model *m, uint32_t below)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (uint32_t)((m->random >> 20) % below);
}

static void learn(knowledge *to, const knowledge *from, uint32_t classes)
{
    for (uint32_t c = 0; c < SIM_RACE_CLASSES; c++) {
        for (uint32_t i = 0; i < ITEMS && (classes >> c & 1); i++)
            if (from->until[c][i] > to->until[c][i]) to->until[c][i] = from->until[c][i];
    }
}

/* What the work-item knows, and what it has done itself. */
static knowledge knowledge_now(const model *m, uint32_t item, uint32_t classes)
{
    knowledge own = m->item[item].known, out = {0};
    for (uint32_t c = 0; c < SIM_RACE_CLASSES; c++)
        own.until[c][item] = m->time;
    learn(&out, &own, classes);
    return out;
}

static bool is_nothing(const knowledge *k)
{
    static const knowledge nothing;
    return memcmp(k, &nothing, sizeof *k) == 0;
}

static sim_race_kind kind_of(const past_access *a)
{
    if (a->is_write) return a->level ? SIM_RACE_ATOMIC_WRITES : SIM_RACE_WRITES;
    return a->level ? SIM_RACE_ATOMIC_READS : SIM_RACE_READS;
}

static bool overlap(const past_access *a, const past_access *b)
{
    return a->class == b->class && a->offset < b->offset + b->size &&
           b->offset < a->offset + a->size;
}

static bool are_atomic(const past_access *a, const past_access *b)
{
    uint32_t level = a->level < b->level ? a->level : b->level;
    if (level == SIM_RACE_PLAIN) return false;
    if (level == SIM_RACE_DEVICE) return true;
    if (a->group != b->group) return false;
    return level == SIM_RACE_WORKGROUP || a->item / SUBGROUP == b->item / SUBGROUP;
}

static bool is_visible(const past_access *mine, const past_access *earlier)
{
    return mine->class == SIM_RACE_GLOBAL || mine->group == earlier->group;
}

static bool do_race(const model *m, const past_access *mine, const past_access *earlier)
{
    return overlap(mine, earlier) && is_visible(mine, earlier) && mine->item != earlier->item &&
           (mine->is_write || earlier->is_write) && !are_atomic(mine, earlier) &&
           m->item[mine->item].known.until[mine->class][earlier->item] < earlier->time;
}

/* True if some byte of both has not been accessed since in the same way. Of loads by several
 * work-items together any may be named. */
static bool is_last(const model *m, const past_access *mine, uint32_t earlier)
{
    const past_access *a = &m->accesses[earlier];
    for (uint32_t b = mine->offset; b < mine->offset + mine->size; b++) {
        past_access byte = *mine;
        bool is_hidden = false;
        byte.offset = b;
        byte.size = 1;
        for (uint32_t i = 0; i < m->access_count; i++)
            is_hidden |=
                i != earlier && m->accesses[i].time >= a->time && overlap(&byte, &m->accesses[i]) &&
                kind_of(&m->accesses[i]) == kind_of(a) && is_visible(mine, &m->accesses[i]);
        if (overlap(&byte, a) && !is_hidden) return true;
    }
    return false;
}

/* ---- Running -------------------------------------------------------------------------------- */

static void exec_set(model *m, uint32_t lid)
{
    m->wave.first_item = lid / WAVE * WAVE;
    m->wave.lane_count = WAVE;
    memset(m->mask, 0, sizeof m->mask);
    m->mask[lid % WAVE] = 1;
    m->exec.active = 1;
}

static uint64_t address_of(const model *m, uint32_t class, uint32_t offset)
{
    uint64_t base = class == SIM_RACE_LOCAL ? sim_address_of(SIM_CLASS_LOCAL, 1)
                                            : sim_object_address(m->object);
    return base + offset;
}

static sim_view_memory view_of(model *m, uint32_t class, uint32_t offset)
{
    sim_view_memory view;
    sim_finding_kind kind;
    assert_true(sim_access_find(&m->exec, address_of(m, class, offset), &view, &kind));
    assert_non_null(view.race);
    return view;
}

static void ids_of(const model *m, uint32_t item, uint64_t *out_ids)
{
    uint64_t group = item / GROUP, lid = item % GROUP;
    for (uint32_t k = 0; k < 3; k++) {
        uint64_t groups = (m->range.global[k] + m->range.local[k] - 1) / m->range.local[k];
        uint64_t id = group % groups, left = m->range.global[k] - id * m->range.local[k];
        uint64_t size = left < m->range.local[k] ? left : m->range.local[k];
        out_ids[k] = m->range.offset[k] + id * m->range.local[k] + lid % size;
        group /= groups;
        lid /= size;
    }
}

static const char *verb_of(sim_race_kind kind)
{
    return kind == SIM_RACE_WRITES ? "store" : kind == SIM_RACE_READS ? "load" : "atomic";
}

/* The work-item that the report names has made such an access, and the pair races. */
static bool is_explained(const model *m, const past_access *mine, const sim_finding_row *row)
{
    for (uint32_t i = 0; i < m->access_count; i++) {
        const past_access *a = &m->accesses[i];
        bool races = do_race(m, mine, a);
        /* The last of several narrow atomics is named for all of them. */
        if (m->mode == MODE_NARROW) races = overlap(mine, a) && is_visible(mine, a);
        if (!races) continue;
        char want[512], who[3][96];
        uint64_t ids[3], my_ids[3];
        ids_of(m, a->item, ids);
        ids_of(m, mine->item, my_ids);
        snprintf(who[0], sizeof who[0], "work-item (%u, %u, %u)", (unsigned)ids[0],
                 (unsigned)ids[1], (unsigned)ids[2]);
        snprintf(who[1], sizeof who[1], "another work-item of the group");
        snprintf(who[2], sizeof who[2], "a work-item of another group");
        for (uint32_t k = 0; k < 3; k++) {
            if (k == 1 && a->group != mine->group) continue;
            if (k == 2 && a->group == mine->group) continue;
            snprintf(want, sizeof want,
                     "%s of %u bytes at offset %u of '%s' by work-item (%u, %u, %u) and the %s by "
                     "%s are not ordered%s%s",
                     verb_of(kind_of(mine)), mine->size, mine->offset,
                     mine->class == SIM_RACE_LOCAL ? "near" : "far", (unsigned)my_ids[0],
                     (unsigned)my_ids[1], (unsigned)my_ids[2], verb_of(kind_of(a)), who[k],
                     mine->level && a->level ? ", and the scope of one does not include the other"
                                             : "",
                     row->kind == SIM_FINDING_SAME_VALUE_RACE ? "; the value stays the same" : "");
            if (!rt_text_equal(row->message, rt_text_of(want))) continue;
            uint32_t site = 0;
            for (uint32_t j = 0; j < m->access_count; j++) {
                const past_access *other = &m->accesses[j];
                if (other->class != a->class || kind_of(other) != kind_of(a)) continue;
                site = site == 0 || site == other->site ? other->site : UINT32_MAX;
            }
            bool is_there = row->other_site == (site == UINT32_MAX ? 0 : site);
            if (is_there && memcmp(row->work_item, my_ids, sizeof my_ids) == 0) return true;
        }
    }
    return false;
}

/* True if stamps have run out in this launch, which reports nothing any more. */
static bool has_forgotten(const model *m)
{
    const sim_race *race = m->launch.race;
    return race->is_blind || race->restarts != m->world->race_restarts;
}

/* Compares the report of a step with the model; the accesses of the step are the last `count`. */
static void step_judge(model *m, const past_access *mine, uint32_t count)
{
    uint64_t racing = 0, certain = 0, racing_reads = 0;
    for (uint32_t k = 0; k < count; k++) {
        bool races = false, is_certain = false, is_narrow = m->mode == MODE_NARROW;
        for (uint32_t i = 0; i < m->access_count; i++) {
            if (!do_race(m, &mine[k], &m->accesses[i])) continue;
            races = true;
            racing_reads += !m->accesses[i].is_write;
            is_certain |=
                (!is_narrow && !m->item[mine[k].item].has_acquired) || is_last(m, &mine[k], i);
        }
        racing += races;
        certain += is_certain;
    }
    if (has_forgotten(m)) certain = 0;
    const sim_findings *found = &m->launch.findings;
    const sim_finding_row *row = found->rows.count ? &found->rows.items[0] : NULL;
    if (row && !racing) fail_msg("reported without a race: %s", row->message.data);
    if (!row && certain)
        fail_msg("not reported: %s at %u by %u", verb_of(kind_of(mine)), mine->offset, mine->item);
    if (row) {
        m->ended = true;
        assert_int_equal(found->rows.count, 1);
        assert_int_equal(row->site, mine->site);
        assert_int_equal(row->offset, mine->offset);
        assert_true(row->count >= certain && row->count <= racing);
        const char *label = mine->class == SIM_RACE_LOCAL ? "near" : "far";
        assert_true(rt_text_equal(row->object, rt_text_of(label)));
        if (!mine->same_value || racing_reads == 0)
            assert_int_equal(row->kind,
                             mine->same_value ? SIM_FINDING_SAME_VALUE_RACE : SIM_FINDING_RACE);
        bool is_explained_by_one = false;
        for (uint32_t k = 0; k < count; k++)
            is_explained_by_one |= is_explained(m, &mine[k], row);
        if (!is_explained_by_one) fail_msg("no such pair: %s", row->message.data);
    }
    m->ended |= racing > 0;
}

static void accesses_add(model *m, const past_access *mine, uint32_t count)
{
    assert_true(m->access_count + count <= ACCESSES);
    memcpy(m->accesses + m->access_count, mine, count * sizeof *mine);
    m->access_count += count;
}

/* Most candidates that would race are left out, so that there is a long past. */
static bool is_unwanted(model *m, const past_access *mine)
{
    for (uint32_t i = 0; i < m->access_count; i++)
        if (do_race(m, mine, &m->accesses[i])) return draw(m, m->patience) > 0;
    return false;
}

/* The local memory of a single work-item is not checked. */
static uint32_t class_draw(model *m)
{
    return m->launch.local_races ? draw(m, SIM_RACE_CLASSES) : SIM_RACE_GLOBAL;
}

static past_access access_draw(model *m)
{
    static const uint32_t sizes[] = {4, 4, 8, 1, 2, 12};
    past_access a = {.item = m->group * GROUP + draw(m, m->items), .group = m->group};
    a.class = class_draw(m);
    a.size = sizes[draw(m, m->has_parts ? 6 : 3)];
    uint32_t unit = a.size > 4 ? 4 : a.size;
    a.offset = draw(m, (BYTES - a.size) / unit + 1) * unit;
    /* In a few places, work-items meet more often. */
    if (m->mode == MODE_ORDERED && draw(m, 8)) {
        a.size = 4;
        a.offset = 8 + 4 * draw(m, 3);
    }
    a.site = (draw(m, 8) ? 1 : 2) + 2 * a.class;
    a.time = m->time;
    return a;
}

static void step_load(model *m)
{
    past_access a = access_draw(m);
    for (uint32_t k = 0; k < 4 && is_unwanted(m, &a); k++)
        a = access_draw(m);
    if (is_unwanted(m, &a)) return;
    exec_set(m, a.item % GROUP);
    sim_view_memory view = view_of(m, a.class, a.offset);
    sim_race_read(&m->exec, a.site, m->exec.wave ? a.item % GROUP % WAVE : 0, &view, a.size);
    step_judge(m, &a, 1);
    accesses_add(m, &a, 1);
}

static void step_store(model *m)
{
    past_access a = access_draw(m);
    a.is_write = true;
    for (uint32_t k = 0; k < 4 && is_unwanted(m, &a); k++) {
        a = access_draw(m);
        a.is_write = true;
    }
    uint8_t bytes[16];
    memset(bytes, (int)draw(m, 2), sizeof bytes);
    exec_set(m, a.item % GROUP);
    sim_view_memory view = view_of(m, a.class, a.offset);
    a.same_value = memcmp(view.data + a.offset, bytes, a.size) == 0;
    if (is_unwanted(m, &a)) return;
    sim_race_write(&m->exec, a.site, a.item % GROUP % WAVE, &view, a.size, bytes);
    memcpy(view.data + a.offset, bytes, a.size);
    step_judge(m, &a, 1);
    accesses_add(m, &a, 1);
}

/* Several work-items of a wave load the same bytes, or, of local memory, each its own. */
static void step_load_together(model *m)
{
    past_access first = access_draw(m), all[WAVE];
    uint32_t begin = first.item % GROUP / WAVE * WAVE, count = 0;
    bool is_one = first.class == SIM_RACE_GLOBAL || draw(m, 2);
    uint32_t shift = m->has_parts ? draw(m, 4) : 0;
    exec_set(m, begin);
    m->mask[0] = 0;
    for (uint32_t i = 0; i < WAVE && begin + i < m->items; i++) {
        if (draw(m, 3) == 0 && begin + i != first.item % GROUP) continue;
        past_access *a = &all[count];
        *a = first;
        a->item = m->group * GROUP + begin + i;
        if (!is_one && shift + (i + 1) * first.size <= BYTES) a->offset = shift + i * first.size;
        if (is_unwanted(m, a)) return;
        m->mask[i] = 1;
        count++;
    }
    m->exec.active = count;
    sim_view_memory view = view_of(m, first.class, first.offset);
    sim_race *race = m->launch.race;
    if (is_one) {
        view.offset = 0;
        if (!sim_race_read_one(&m->exec, first.site, &view, first.offset, first.size)) {
            view.offset = first.offset;
            sim_race_read_all(&m->exec, first.site, &view, first.size);
        }
    } else {
        if (view.race->logs_in_vain ||
            sim_race_may_be_written(
                view.race, sim_race_settled(&race->clocks[SIM_RACE_LOCAL], SIM_RACE_LOCAL)))
            return;
        sim_race_log_row *row = sim_race_log_add(race, view.race, WAVE * 3);
        row->size = first.size;
        row->lid = begin;
        row->count = WAVE;
        row->has_mask = true;
        row->offset = 0;
        uint16_t *offsets = (uint16_t *)(void *)(race->log_data + row->data);
        memset(offsets, 0xee, WAVE * 2);
        for (uint32_t k = 0; k < count; k++)
            offsets[all[k].item % GROUP - begin] = (uint16_t)all[k].offset;
        memcpy(race->log_data + row->data + 2 * WAVE, m->mask, WAVE);
        sim_race_site(view.race, SIM_RACE_READS, first.site);
    }
    step_judge(m, all, count);
    accesses_add(m, all, count);
}

/* ---- Synchronisation ------------------------------------------------------------------------ */

static sim_race_order order_draw(model *m, uint32_t *out_packed)
{
    static const uint32_t scopes[] = {SIM_ScopeDevice, SIM_ScopeWorkgroup, SIM_ScopeSubgroup,
                                      SIM_ScopeInvocation, SIM_ScopeCrossDevice};
    static const uint32_t levels[] = {SIM_RACE_DEVICE, SIM_RACE_WORKGROUP, SIM_RACE_SUBGROUP,
                                      SIM_RACE_PLAIN, SIM_RACE_DEVICE};
    static const uint32_t bits[] = {SIM_MemorySemanticsAcquire, SIM_MemorySemanticsRelease,
                                    SIM_MemorySemanticsAcquireRelease,
                                    SIM_MemorySemanticsSequentiallyConsistent};
    uint32_t scope = draw(m, 5), how = draw(m, 4), classes = draw(m, 4);
    if (scope == 3 && draw(m, 4)) scope = 0;
    *out_packed =
        sim_order_pack(0, scopes[scope],
                       bits[how] | (classes & 1 ? SIM_MemorySemanticsCrossWorkgroupMemory : 0) |
                           (classes & 2 ? SIM_MemorySemanticsWorkgroupMemory : 0));
    return (sim_race_order){levels[scope], classes, how != 1, how != 0};
}

static void acquire(model *m, uint32_t item, const knowledge *from, uint32_t classes)
{
    if (is_nothing(from) || !classes) return;
    m->item[item].has_acquired = true;
    learn(&m->item[item].known, from, classes);
}

static void fence_model(model *m, uint32_t item, sim_race_order o)
{
    model_item *self = &m->item[item];
    if (o.level == SIM_RACE_PLAIN || !o.classes) return;
    if (o.acquires && o.level == SIM_RACE_DEVICE)
        acquire(m, item, &self->pending_device, o.classes);
    if (o.acquires) acquire(m, item, &self->pending_group, o.classes);
    if (!o.releases) return;
    self->fence = knowledge_now(m, item, o.classes);
    self->fence_level = o.level;
    self->fence_classes = o.classes;
}

static void step_fence(model *m)
{
    uint32_t packed, lid = draw(m, m->items);
    sim_race_order o = order_draw(m, &packed);
    exec_set(m, lid);
    sim_race_fence(&m->exec, packed);
    fence_model(m, m->group * GROUP + lid, o);
}

static void share_model(model *m, uint32_t first, uint32_t count, uint32_t classes,
                        bool has_acquired)
{
    knowledge sum = {0};
    for (uint32_t i = first; i < first + count; i++) {
        knowledge own = knowledge_now(m, m->group * GROUP + i, classes);
        learn(&sum, &own, classes);
        has_acquired |= m->item[m->group * GROUP + i].has_acquired;
    }
    for (uint32_t i = first; i < first + count; i++) {
        learn(&m->item[m->group * GROUP + i].known, &sum, classes);
        m->item[m->group * GROUP + i].has_acquired |= has_acquired;
    }
}

static void step_barrier(model *m)
{
    uint32_t packed, first = m->group * GROUP;
    sim_race_order o = order_draw(m, &packed);
    bool is_fence = o.level == SIM_RACE_DEVICE;
    sim_race_barrier(&m->launch, packed);
    if (o.level < SIM_RACE_WORKGROUP || !o.classes) return;
    for (uint32_t i = 0; is_fence && i < m->items; i++)
        fence_model(m, first + i, o);
    share_model(m, 0, m->items, o.classes, false);
    for (uint32_t i = 0; is_fence && i < m->items; i++)
        fence_model(m, first + i, o);
}

static void step_subgroup_barrier(model *m)
{
    uint32_t packed, first = draw(m, m->items) / SUBGROUP * SUBGROUP;
    uint32_t count = first + SUBGROUP <= m->items ? SUBGROUP : m->items - first;
    sim_race_order o = order_draw(m, &packed);
    sim_race_subgroup_barrier(&m->launch, first, count, packed);
    if (o.level < SIM_RACE_SUBGROUP || !o.classes) return;
    share_model(m, first, count, o.classes, true);
}

static void publish(model_place *place, const knowledge *what, uint32_t level)
{
    if (level == SIM_RACE_DEVICE) learn(&place->for_device, what, SIM_RACE_ALL_CLASSES);
    if (level != SIM_RACE_PLAIN) learn(&place->for_group, what, SIM_RACE_ALL_CLASSES);
}

static void synchronise_model(model *m, const past_access *a, sim_race_order o, bool is_store)
{
    model_item *self = &m->item[a->item];
    model_place *place = &m->places[a->class][a->offset];
    uint32_t classes = o.classes | 1u << a->class;
    bool releases = a->is_write && o.releases && o.level != SIM_RACE_PLAIN;
    bool fence = a->is_write && self->fence_level != SIM_RACE_PLAIN;
    if (!place->exists && !releases && !fence) return;
    if (!place->exists) *place = (model_place){.exists = true, .group = m->group, .owner = 0};
    if (place->group != m->group) {
        place->group = m->group;
        place->for_group = (knowledge){0};
        place->owner = UINT32_MAX;
        if (a->class == SIM_RACE_LOCAL) place->for_device = (knowledge){0};
    }
    if (!is_store && o.acquires) {
        if (o.level == SIM_RACE_DEVICE) acquire(m, a->item, &place->for_device, classes);
        if (o.level != SIM_RACE_PLAIN) acquire(m, a->item, &place->for_group, classes);
    } else if (!is_store) {
        learn(&self->pending_device, &place->for_device, SIM_RACE_ALL_CLASSES);
        learn(&self->pending_group, &place->for_group, SIM_RACE_ALL_CLASSES);
    }
    if (!a->is_write) return;
    if (is_store && (releases || fence || place->owner != a->item))
        place->for_device = place->for_group = (knowledge){0};
    if (fence) publish(place, &self->fence, self->fence_level);
    if (releases) {
        knowledge now = knowledge_now(m, a->item, classes);
        publish(place, &now, o.level);
    }
    if (releases || fence) place->owner = a->item;
    if (!releases && !fence && is_store && place->owner != a->item) place->owner = UINT32_MAX;
}

static void step_atomic(model *m)
{
    past_access a = access_draw(m);
    uint32_t packed, how = draw(m, 3);
    sim_race_order o = order_draw(m, &packed);
    if (m->mode == MODE_PLAIN || draw(m, 2)) {
        o.level = m->mode == MODE_NARROW && draw(m, 2) ? SIM_RACE_SUBGROUP : SIM_RACE_DEVICE;
        o.acquires = o.releases = false;
        o.classes = 0;
        packed = sim_order_pack(0,
                                o.level == SIM_RACE_SUBGROUP ? SIM_ScopeSubgroup
                                : draw(m, 2)                 ? SIM_ScopeWorkgroup
                                                             : SIM_ScopeDevice,
                                0);
        if (o.level == SIM_RACE_DEVICE && sim_order_memory(packed) == SIM_ScopeWorkgroup)
            o.level = SIM_RACE_WORKGROUP;
    }
    if (m->mode == MODE_ORDERED && o.level == SIM_RACE_SUBGROUP) return;
    a.size = 4;
    a.offset = m->mode == MODE_ORDERED ? 4 * draw(m, 2) : a.offset / 4 % (BYTES / 4) * 4;
    a.is_write = how > 0;
    a.level = o.level;
    if (o.level == SIM_RACE_WORKGROUP && !o.acquires && !o.releases) a.level = SIM_RACE_DEVICE;
    if (m->mode == MODE_ORDERED && a.level == SIM_RACE_WORKGROUP && a.class == SIM_RACE_GLOBAL)
        return;
    if (is_unwanted(m, &a)) return;
    sim_op op = {.site = a.site,
                 .stride = packed,
                 .extra = how == 0   ? SIM_ATOMIC_LOAD
                          : how == 1 ? SIM_ATOMIC_STORE
                                     : SIM_ATOMIC_ADD};
    exec_set(m, a.item % GROUP);
    sim_race_atomic(&m->exec, &op, a.item % GROUP % WAVE, address_of(m, a.class, a.offset), a.size,
                    a.is_write);
    step_judge(m, &a, 1);
    accesses_add(m, &a, 1);
    synchronise_model(m, &a, o, how == 1);
}

/* ---- Launches ------------------------------------------------------------------------------- */

static void accessed_keep(void *user, const sim_accessed *accessed)
{
    model *m = user;
    assert_true(m->reported_count < 64);
    m->reported[m->reported_count++] = *accessed;
}

static bool was_accessed(const model *m, uint32_t kind, uint32_t offset)
{
    past_access byte = {.class = SIM_RACE_GLOBAL, .offset = offset, .size = 1};
    for (uint32_t i = 0; i < m->access_count; i++)
        if (overlap(&byte, &m->accesses[i]) && kind_of(&m->accesses[i]) == (sim_race_kind)kind)
            return true;
    return false;
}

/* The ranges of every kind of access, maximal and ascending. */
static void report_judge(const model *m)
{
    uint32_t count = 0;
    for (uint32_t kind = 0; kind < SIM_RACE_KINDS; kind++) {
        for (uint32_t first = 0, end; first < BYTES; first = end + 1) {
            for (end = first; end < BYTES && was_accessed(m, kind, end); end++)
                ;
            if (end == first) continue;
            assert_true(count < m->reported_count);
            const sim_accessed *got = &m->reported[count++];
            assert_int_equal(got->object, m->object);
            assert_int_equal(got->offset, first);
            assert_int_equal(got->size, end - first);
            assert_int_equal(got->is_write,
                             kind == SIM_RACE_WRITES || kind == SIM_RACE_ATOMIC_WRITES);
            assert_int_equal(got->is_atomic, kind % 2 == 1);
        }
    }
    assert_int_equal(count, m->reported_count);
}

static void wrote_judge(model *m)
{
    uint32_t class = class_draw(m), offset = draw(m, BYTES);
    uint32_t size = 1 + draw(m, BYTES - offset);
    sim_view_memory view = view_of(m, class, offset);
    uint32_t whole = (1u << view.race->shift) - 1;
    past_access asked = {.class = class, .group = m->group, .offset = offset & ~whole};
    asked.size = ((offset + size + whole) & ~whole) - asked.offset;
    bool want = false;
    for (uint32_t i = 0; i < m->access_count; i++)
        want |= m->accesses[i].is_write && overlap(&asked, &m->accesses[i]) &&
                is_visible(&asked, &m->accesses[i]);
    if (has_forgotten(m) && class == SIM_RACE_LOCAL) return;
    assert_int_equal(sim_race_wrote(&m->exec, &view, size),
                     want || m->launch.race->restarts != m->world->race_restarts);
}

/* An access that is not ordered with the last one of the other kind may count as the later one. */
static void writers_judge(model *m, bool is_complete)
{
    for (uint32_t b = 0; b < BYTES; b++) {
        past_access byte = {.class = SIM_RACE_GLOBAL, .offset = b, .size = 1};
        const past_access *last = NULL;
        bool is_mixed = false;
        for (uint32_t i = 0; i < m->access_count; i++) {
            const past_access *a = &m->accesses[i];
            if (!a->is_write || !overlap(&byte, a)) continue;
            is_mixed |= last && kind_of(last) != kind_of(a);
            last = a;
        }
        if (last) {
            m->writers[b].is_known = true;
            m->writers[b].is_unsure = is_mixed;
            ids_of(m, last->item, m->writers[b].ids);
        }
        if (!is_complete) m->writers[b].is_known = m->writers[b].is_unsure = false;
        if (m->writers[b].is_unsure) continue;
        sim_writer got;
        assert_int_equal(sim_object_writer(m->world, m->object, b, &got), m->writers[b].is_known);
        if (!m->writers[b].is_known) continue;
        assert_true(rt_text_equal(got.kernel, RT_TEXT("k")) && !got.is_copy);
        assert_memory_equal(got.work_item, m->writers[b].ids, sizeof got.work_item);
    }
}

static void group_open(model *m)
{
    uint64_t groups[3], ids = m->group, items = 1;
    for (uint32_t k = 0; k < 3; k++) {
        groups[k] = (m->range.global[k] + m->range.local[k] - 1) / m->range.local[k];
        m->pool[SIM_SLOT_GROUP_COUNT + k] = groups[k];
        m->launch.group[k] = ids % groups[k];
        uint64_t left = m->range.global[k] - m->launch.group[k] * m->range.local[k];
        items *= left < m->range.local[k] ? left : m->range.local[k];
        ids /= groups[k];
    }
    m->items = (uint32_t)items;
    m->pool[SIM_SLOT_GROUP_ITEMS] = items;
    memset(m->item, 0, sizeof m->item);
    sim_race_group(&m->launch);
}

static void group_run(model *m)
{
    group_open(m);
    for (uint32_t step = 0, count = m->mode == MODE_ORDERED ? 60 : 8 + draw(m, 16);
         step < count && !m->ended; step++) {
        uint32_t what = draw(m, 16);
        if (m->mode == MODE_ORDERED && draw(m, 2)) what = 10 + draw(m, 4);
        m->time++;
        if (what < 4) step_load(m);
        if (what >= 4 && what < 7) step_store(m);
        if (what >= 7 && what < 9) step_load_together(m);
        if (what >= 9 && what < 13) step_atomic(m);
        if (what == 13 && m->mode == MODE_ORDERED) step_fence(m);
        if (what == 14) step_barrier(m);
        if (what == 15 && m->mode != MODE_PLAIN) step_subgroup_barrier(m);
        wrote_judge(m);
        assert_true(sim_race_check(m->launch.race));
    }
}

static uint32_t launch_open(model *m, uint32_t range)
{
    static const uint64_t ranges[RANGES][6] = {
        {6, 1, 1, 3, 1, 1}, {5, 4, 1, 2, 2, 1}, {3, 3, 2, 3, 2, 1}, {16, 1, 1, 8, 1, 1},
        {4, 1, 1, 1, 1, 1}, {2, 2, 3, 2, 1, 3}, {1, 1, 6, 1, 1, 3}, {1, 5, 1, 1, 3, 1}};
    const uint64_t *r = ranges[range];
    m->range = (sim_range){.global = {r[0], r[1], r[2]},
                           .local = {r[3], r[4], r[5]},
                           .offset = {10, 20, 30},
                           .dimensions = 3};
    uint32_t groups = 1;
    for (uint32_t k = 0; k < 3; k++)
        groups *= (uint32_t)((r[k] + r[k + 3] - 1) / r[k + 3]);
    assert_true(groups * GROUP <= ITEMS);
    static const bool is_written = true;
    m->kernel = (sim_kernel){.name = RT_TEXT("k"), .parameter_count = 1, .subgroup_size = SUBGROUP};
    m->kernel.reach.atomics = m->kernel.reach.meets = true;
    m->kernel.written.parameters = &is_written;
    m->kernel.program = &m->program;
    m->options = (sim_launch_options){.on_accessed = draw(m, 2) ? accessed_keep : NULL, .user = m};
    sim_launch_state *l = &m->launch;
    l->range = &m->range;
    l->kernel = &m->kernel;
    l->program = &m->program;
    l->options = &m->options;
    m->pool[SIM_SLOT_GROUP_ITEMS] = r[3] * r[4] * r[5];
    const sim_argument argument = {.kind = SIM_PARAMETER_GLOBAL, .object = m->object};
    m->access_count = m->reported_count = 0;
    m->ended = false;
    memset(m->places, 0, sizeof m->places);
    uint32_t restarts = m->world->race_restarts;
    sim_race_open(l, &argument);
    if (m->world->race_restarts != restarts) memset(m->writers, 0, sizeof m->writers);
    return groups;
}

static void launch_run(model *m)
{
    m->mode = draw(m, MODES);
    m->has_parts = draw(m, 2);
    m->patience = draw(m, 2) ? 4 : 40;
    uint32_t groups = launch_open(m, draw(m, RANGES));
    sim_launch_state *l = &m->launch;
    for (m->group = 0; m->group < groups && !m->ended; m->group++)
        group_run(m);
    bool is_complete = l->race->restarts == m->world->race_restarts;
    sim_race_close(l);
    if (m->options.on_accessed && is_complete) report_judge(m);
    if (!is_complete) assert_int_equal(m->reported_count, 0);
    if (m->world->writers) writers_judge(m, is_complete);
    sim_findings_free(&l->findings);
}

static void model_open(model *m, uint32_t world)
{
    static const uint8_t zeros[BYTES];
    *m = (model){.random = 0x9e3779b97f4a7c15u * (world + 1)};
    m->sink = rt_sink_create();
    m->world = sim_world_create(m->sink, 1);
    assert_true(rt_ok(sim_object_create(m->world, BYTES, RT_TEXT("far"), &m->object)));
    sim_object_write(m->world, m->object, 0, BYTES, zeros);
    m->launch.world = m->world;
    m->launch.pool = m->pool;
    *rt_vector_push(&m->launch.locals) =
        (sim_local_object){.size = BYTES, .all_defined = true, .label = RT_TEXT("near")};
    sim_lane_memory_grow(&m->launch.locals_memory, BYTES, 0);
    m->exec.launch = &m->launch;
    m->exec.wave = &m->wave;
    m->exec.mask = m->mask;
    m->exec.high = SIM_CHUNK;
}

static void model_close(model *m)
{
    rt_vector_free(&m->launch.locals);
    rt_free(m->launch.locals_memory.block);
    sim_world_destroy(m->world);
    rt_sink_destroy(m->sink);
}

/* Random launches, one after another, in a few worlds: what an earlier launch did never races. In
 * some worlds stamps run out. */
static void test_random_launches(void **state)
{
    (void)state;
    static model m;
    for (uint32_t world = 0; world < 40; world++) {
        model_open(&m, world);
        if (world % 2) sim_world_keep_writers(m.world);
        if (world % 4 == 3) m.world->race_limit = world % 8 == 3 ? 48 : 400;
        for (uint32_t i = 0; i < 50; i++)
            launch_run(&m);
        model_close(&m);
    }
}

/* The stamps of groups, of barriers and of work-items in sequence are one interval each. */
static void test_intervals(void **state)
{
    (void)state;
    static model m;
    model_open(&m, 0);
    sim_race_clock *clock = NULL;
    uint32_t all =
        sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                       SIM_MemorySemanticsAcquireRelease | SIM_MemorySemanticsCrossWorkgroupMemory);
    uint32_t groups = launch_open(&m, 0);
    clock = &m.launch.race->clocks[SIM_RACE_GLOBAL];
    assert_int_equal(groups, 2);
    for (m.group = 0; m.group < 2; m.group++)
        group_open(&m);
    assert_int_equal(clock->intervals.count, 1); /* both groups */
    assert_int_equal(clock->intervals.items[0].groups, 2);
    assert_int_equal(clock->intervals.items[0].rounds, 1);
    assert_int_equal(clock->intervals.items[0].lid_count, 3);
    sim_race_close(&m.launch);
    launch_open(&m, 0);
    m.group = 1;
    group_open(&m);
    clock = &m.launch.race->clocks[SIM_RACE_GLOBAL];
    for (uint32_t i = 0; i < 3; i++)
        sim_race_barrier(&m.launch, all);
    assert_int_equal(clock->intervals.count, 1); /* the rounds of the group */
    assert_int_equal(clock->intervals.items[0].groups, 1);
    assert_int_equal(clock->intervals.items[0].rounds, 4);
    uint64_t group = 0;
    uint32_t first = clock->intervals.items[0].first;
    for (uint32_t i = 0; i < 12; i++) {
        assert_int_equal(sim_race_lid(clock, first + i, &group), i % 3);
        assert_int_equal(group, 1);
    }
    sim_race_stamp(m.launch.race, 0, 1);
    sim_race_stamp(m.launch.race, 1, 2);
    assert_int_equal(clock->intervals.count, 2); /* 0, 1 and 2 in sequence */
    assert_int_equal(clock->intervals.items[1].lid_count, 3);
    sim_race_stamp(m.launch.race, 1, 1);
    sim_race_stamp(m.launch.race, 0, 1);
    assert_int_equal(clock->intervals.count, 4);
    static const uint32_t lids[] = {0, 1, 2, 1, 0};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(sim_race_lid(clock, first + 12 + i, &group), lids[i]);
    assert_int_equal(sim_race_stamp_of(clock, 0), first + 16);
    assert_int_equal(sim_race_stamp_of(clock, 1), first + 15);
    assert_int_equal(sim_race_stamp_of(clock, 2), first + 14);
    /* The next group's stamps follow. */
    m.group = 0;
    group_open(&m);
    assert_int_equal(clock->intervals.count, 5);
    assert_int_equal(sim_race_lid(clock, first + 17, &group), 0);
    assert_int_equal(group, 0);
    sim_race_close(&m.launch);
    model_close(&m);
}

/* A work-item that acquires the same release again and again needs no more memory. */
static void test_spinning(void **state)
{
    (void)state;
    static const uint32_t memory[] = {SIM_MemorySemanticsCrossWorkgroupMemory |
                                          SIM_MemorySemanticsWorkgroupMemory,
                                      SIM_MemorySemanticsCrossWorkgroupMemory};
    for (uint32_t k = 0; k < 2; k++) {
        static model m;
        model_open(&m, 0);
        launch_open(&m, 0);
        group_open(&m);
        for (uint32_t i = 0; i < 2; i++) { /* the second release is joined with the first */
            uint32_t release =
                sim_order_pack(0, SIM_ScopeDevice, SIM_MemorySemanticsRelease | memory[k]);
            uint32_t acquires =
                sim_order_pack(0, SIM_ScopeDevice, SIM_MemorySemanticsAcquire | memory[k]);
            sim_op op = {.site = 1, .stride = release, .extra = SIM_ATOMIC_ADD};
            exec_set(&m, i);
            sim_race_atomic(&m.exec, &op, i, address_of(&m, SIM_RACE_GLOBAL, 0), 4, true);
            op = (sim_op){.site = 1, .stride = acquires, .extra = SIM_ATOMIC_LOAD};
            exec_set(&m, 2);
            sim_race_atomic(&m.exec, &op, 2, address_of(&m, SIM_RACE_GLOBAL, 0), 4, false);
            uint32_t nodes = m.launch.race->nodes.count;
            for (uint32_t turn = 0; turn < 100; turn++)
                sim_race_atomic(&m.exec, &op, 2, address_of(&m, SIM_RACE_GLOBAL, 0), 4, false);
            assert_int_equal(m.launch.race->nodes.count, nodes);
        }
        sim_race_close(&m.launch);
        model_close(&m);
    }
}

/* Which launches are checked: those of several work-items, of asynchronous copies, and those whose
 * accesses someone asks for. */
static void test_which_launches_are_checked(void **state)
{
    (void)state;
    static const struct {
        uint64_t global[3];
        uint8_t access;
        bool copies, records, keeps_writers, is_unchecked, want;
    } cases[] = {
        {{1, 1, 1}, SIM_ACCESS_READ_WRITE, .want = false},
        {{2, 1, 1}, SIM_ACCESS_READ_WRITE, .want = true},
        {{1, 2, 1}, SIM_ACCESS_READ_WRITE, .want = true},
        {{1, 1, 2}, SIM_ACCESS_READ_WRITE, .want = true},
        {{1, 1, 1}, SIM_ACCESS_READ, .want = false},
        {{1, 1, 1}, SIM_ACCESS_WRITE, .want = true},
        {{1, 1, 1}, SIM_ACCESS_READ_WRITE, .copies = true, .want = true},
        {{1, 1, 1}, SIM_ACCESS_READ_WRITE, .records = true, .want = true},
        {{1, 1, 1}, SIM_ACCESS_READ_WRITE, .keeps_writers = true, .want = true},
        {{2, 1, 1}, SIM_ACCESS_READ_WRITE, .is_unchecked = true, .want = false},
        {{2, 1, 1}, SIM_ACCESS_WRITE, .copies = true, .records = true, .is_unchecked = true},
    };
    static model m;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        model_open(&m, 0);
        launch_open(&m, 0);
        sim_race_close(&m.launch);
        if (cases[i].keeps_writers) sim_world_keep_writers(m.world);
        m.world->is_unchecked = cases[i].is_unchecked;
        m.kernel.reach.copies = cases[i].copies;
        m.options.on_accessed = cases[i].records ? accessed_keep : NULL;
        m.range = (sim_range){.local = {1, 1, 1}, .dimensions = 3};
        memcpy(m.range.global, cases[i].global, sizeof m.range.global);
        m.pool[SIM_SLOT_GROUP_ITEMS] = 1;
        const sim_argument argument = {
            .kind = SIM_PARAMETER_GLOBAL, .object = m.object, .access = cases[i].access};
        sim_race_open(&m.launch, &argument);
        if (m.launch.race->is_on != cases[i].want) fail_msg("case %u", i);
        /* Local memory is checked only if someone shares it. */
        assert_int_equal(m.launch.local_races != NULL, cases[i].want && cases[i].copies);
        if (!cases[i].want) { /* it is not known whether the launch wrote anything */
            static const sim_view_memory view = {.size = BYTES};
            assert_true(sim_race_wrote(&m.exec, &view, 4));
            uint32_t packed = sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeDevice,
                                             SIM_MemorySemanticsAcquireRelease |
                                                 SIM_MemorySemanticsCrossWorkgroupMemory);
            sim_op op = {.site = 1, .stride = packed, .extra = SIM_ATOMIC_ADD};
            exec_set(&m, 0);
            sim_race_group(&m.launch);
            sim_race_barrier(&m.launch, packed);
            sim_race_subgroup_barrier(&m.launch, 0, 1, packed);
            sim_race_fence(&m.exec, packed);
            sim_race_atomic(&m.exec, &op, 0, address_of(&m, SIM_RACE_GLOBAL, 0), 4, true);
            sim_race_copy_wait(&m.exec, 1, 0, 0, 1, 0);
            sim_race_copies_end(&m.exec);
            assert_int_equal(m.launch.findings.rows.count, 0);
        }
        sim_race_close(&m.launch);
        assert_null(m.launch.race);
        assert_null(m.launch.local_races);
        model_close(&m);
    }
}

/* Atomics at addresses that are not of a tracked object, or not of a whole aligned value in it, are
 * not recorded; what is wrong with them is reported elsewhere. */
static void test_atomics_elsewhere(void **state)
{
    (void)state;
    static model m;
    model_open(&m, 0);
    sim_object other;
    assert_true(rt_ok(sim_object_create(m.world, BYTES, RT_TEXT("other"), &other)));
    launch_open(&m, 0);
    m.options.on_accessed = NULL;
    group_open(&m);
    uint64_t far = sim_object_address(m.object);
    const uint64_t addresses[] = {sim_object_address(other),
                                  0,
                                  far + 28,
                                  far + 26,
                                  far + 29,
                                  far + 2,
                                  far + 1,
                                  far - 4,
                                  far + 1000};
    sim_op op = {
        .site = 1, .stride = sim_order_pack(0, SIM_ScopeDevice, 0), .extra = SIM_ATOMIC_ADD};
    exec_set(&m, 0);
    for (uint32_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++)
        sim_race_atomic(&m.exec, &op, 0, addresses[i], 4, true);
    const sim_race_shadow *shadow = sim_world_memory(m.world, m.object)->race;
    assert_null(shadow->cells[SIM_RACE_ATOMIC_WRITES]);
    sim_race_atomic(&m.exec, &op, 0, far + 24, 4, true);
    assert_non_null(shadow->cells[SIM_RACE_ATOMIC_WRITES]);
    assert_int_equal(m.launch.findings.rows.count, 0);
    sim_race_close(&m.launch);
    model_close(&m);
}

/* The order of every scope with every semantics, and the level of an atomic with it. */
static void test_orders(void **state)
{
    (void)state;
    static const struct {
        uint32_t scope, level;
    } scopes[] = {{SIM_ScopeCrossDevice, SIM_RACE_DEVICE},
                  {SIM_ScopeDevice, SIM_RACE_DEVICE},
                  {SIM_ScopeWorkgroup, SIM_RACE_WORKGROUP},
                  {SIM_ScopeSubgroup, SIM_RACE_SUBGROUP},
                  {SIM_ScopeInvocation, SIM_RACE_PLAIN}};
    static const struct {
        uint32_t bits;
        bool acquires, releases;
    } kinds[] = {{SIM_MemorySemanticsRelaxed, false, false},
                 {SIM_MemorySemanticsAcquire, true, false},
                 {SIM_MemorySemanticsRelease, false, true},
                 {SIM_MemorySemanticsAcquireRelease, true, true},
                 {SIM_MemorySemanticsSequentiallyConsistent, true, true}};
    static const struct {
        uint32_t bits, classes;
    } memories[] = {{0, 0},
                    {SIM_MemorySemanticsCrossWorkgroupMemory, 1u << SIM_RACE_GLOBAL},
                    {SIM_MemorySemanticsWorkgroupMemory, 1u << SIM_RACE_LOCAL},
                    {SIM_MemorySemanticsCrossWorkgroupMemory | SIM_MemorySemanticsWorkgroupMemory,
                     SIM_RACE_ALL_CLASSES}};
    for (uint32_t i = 0; i < 5; i++) {
        for (uint32_t k = 0; k < 5 * 4; k++) {
            uint32_t packed = sim_order_pack(SIM_ScopeWorkgroup, scopes[i].scope,
                                             kinds[k / 4].bits | memories[k % 4].bits);
            sim_race_order order = sim_race_order_of(packed);
            assert_int_equal(order.level, scopes[i].level);
            assert_int_equal(order.classes, memories[k % 4].classes);
            assert_int_equal(order.acquires, kinds[k / 4].acquires);
            assert_int_equal(order.releases, kinds[k / 4].releases);
            /* The relaxed atomics of OpenCL 1.x have scope Workgroup. */
            bool is_old = k / 4 == 0 && scopes[i].scope == SIM_ScopeWorkgroup;
            assert_int_equal(sim_race_atomic_level(packed),
                             is_old ? SIM_RACE_DEVICE : scopes[i].level);
        }
    }
}

/* Work-item 0 stores at 8 and releases at 0, atomics at 0 follow, and work-item 2 acquires there
 * and loads at 8. The two are ordered as long as the release sequence goes on: with stores by
 * work-item 0 and with read-modify-writes by any (OpenCL API specification 3.0, section 3.3.6.2).
 */
static void test_release_sequences(void **state)
{
    (void)state;
    /* S, M: store and read-modify-write by 0; s, m: by 1; R: a store by 1 that releases. */
    static const struct {
        const char *atomics;
        bool races;
    } cases[] = {{"", false},     {"S", false}, {"SS", false}, {"SSS", false}, {"s", true},
                 {"ss", true},    {"m", false}, {"M", false},  {"MS", false},  {"mS", false},
                 {"mMSm", false}, {"Ss", true}, {"ms", true},  {"MSs", true},  {"sS", true},
                 {"sm", true},    {"R", true},  {"Rm", true},  {"mm", false}};
    static model m;
    uint32_t memory = SIM_MemorySemanticsCrossWorkgroupMemory;
    uint32_t relaxed = sim_order_pack(0, SIM_ScopeDevice, 0);
    uint32_t release = sim_order_pack(0, SIM_ScopeDevice, SIM_MemorySemanticsRelease | memory);
    uint32_t acquires = sim_order_pack(0, SIM_ScopeDevice, SIM_MemorySemanticsAcquire | memory);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const uint8_t bytes[4] = {1, 2, 3, 4};
        model_open(&m, 0);
        launch_open(&m, 0);
        m.options.on_accessed = NULL;
        group_open(&m);
        uint64_t flag = address_of(&m, SIM_RACE_GLOBAL, 0);
        sim_op store = {.site = 1, .stride = release, .extra = SIM_ATOMIC_STORE};
        exec_set(&m, 0);
        sim_view_memory view = view_of(&m, SIM_RACE_GLOBAL, 8);
        sim_race_write(&m.exec, 1, 0, &view, 4, bytes);
        sim_race_atomic(&m.exec, &store, 0, flag, 4, true);
        for (const char *c = cases[i].atomics; *c; c++) {
            uint32_t lid = *c == 'S' || *c == 'M' ? 0 : 1;
            bool is_store = *c == 'S' || *c == 's' || *c == 'R';
            sim_op op = {.site = 1,
                         .stride = *c == 'R' ? release : relaxed,
                         .extra = is_store ? SIM_ATOMIC_STORE : SIM_ATOMIC_ADD};
            exec_set(&m, lid);
            sim_race_atomic(&m.exec, &op, lid, flag, 4, true);
        }
        sim_op load = {.site = 1, .stride = acquires, .extra = SIM_ATOMIC_LOAD};
        exec_set(&m, 2);
        sim_race_atomic(&m.exec, &load, 2, flag, 4, false);
        sim_race_read(&m.exec, 2, 2, &view, 4);
        if ((m.launch.findings.rows.count > 0) != cases[i].races)
            fail_msg("'%s' is judged wrongly", cases[i].atomics);
        sim_race_close(&m.launch);
        sim_findings_free(&m.launch.findings);
        model_close(&m);
    }
}

/* The work-items of a group know nothing of what those of earlier groups have acquired, even if a
 * smaller group came in between. */
static void test_groups_begin_anew(void **state)
{
    (void)state;
    static model m;
    uint32_t memory = SIM_MemorySemanticsCrossWorkgroupMemory;
    sim_op op = {.site = 1,
                 .stride =
                     sim_order_pack(0, SIM_ScopeDevice, SIM_MemorySemanticsAcquireRelease | memory),
                 .extra = SIM_ATOMIC_ADD};
    model_open(&m, 0);
    launch_open(&m, 1);
    m.options.on_accessed = NULL;
    group_open(&m);
    assert_int_equal(m.items, 4);
    for (uint32_t lid = 0; lid < 4; lid++) {
        exec_set(&m, lid);
        sim_race_atomic(&m.exec, &op, lid, address_of(&m, SIM_RACE_GLOBAL, 0), 4, true);
        assert_int_equal(m.launch.race->item[lid].acquired != 0, lid > 0);
    }
    m.group = 2;
    group_open(&m);
    assert_int_equal(m.items, 2);
    m.group = 3;
    group_open(&m);
    assert_int_equal(m.items, 4);
    for (uint32_t lid = 0; lid < 4; lid++)
        assert_int_equal(m.launch.race->item[lid].acquired, 0);
    sim_race_close(&m.launch);
    model_close(&m);
}

/* ---- Barriers, logs and stamps --------------------------------------------------------------- */

static const uint8_t ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

enum {
    BOTH = SIM_MemorySemanticsCrossWorkgroupMemory | SIM_MemorySemanticsWorkgroupMemory,
};

/* A launch that does not report its accesses. */
static void quiet_open(model *m, uint32_t range)
{
    model_open(m, 0);
    launch_open(m, range);
    m->options.on_accessed = NULL;
    group_open(m);
}

static void quiet_close(model *m)
{
    sim_race_close(&m->launch);
    sim_findings_free(&m->launch.findings);
    model_close(m);
}

static void store_by(model *m, uint32_t class, uint32_t lid, uint32_t offset)
{
    sim_view_memory view = view_of(m, class, offset);
    exec_set(m, lid);
    sim_race_write(&m->exec, 1, lid % WAVE, &view, 4, ones);
}

static void load_by(model *m, uint32_t class, uint32_t lid, uint32_t offset)
{
    sim_view_memory view = view_of(m, class, offset);
    exec_set(m, lid);
    sim_race_read(&m->exec, 2, lid % WAVE, &view, 4);
}

static uint32_t found_count(const model *m)
{
    return m->launch.findings.rows.count;
}

/* What a barrier orders: nothing if it is relaxed, names no memory, or its memory scope does not
 * include all work-items that reach it (OpenCL API specification 3.0, section 3.3.6.3). */
static void test_what_barriers_order(void **state)
{
    (void)state;
    static const struct {
        uint32_t scope, semantics;
        bool is_subgroup, far, near;
    } cases[] = {
        {SIM_ScopeWorkgroup, BOTH, .far = false},
        {SIM_ScopeDevice, BOTH, .far = false},
        {SIM_ScopeWorkgroup, SIM_MemorySemanticsAcquireRelease, .far = false},
        {SIM_ScopeDevice, SIM_MemorySemanticsAcquireRelease, .far = false},
        {SIM_ScopeWorkgroup, SIM_MemorySemanticsAcquireRelease | BOTH, false, true, true},
        {SIM_ScopeDevice, SIM_MemorySemanticsSequentiallyConsistent | BOTH, false, true, true},
        {SIM_ScopeWorkgroup,
         SIM_MemorySemanticsAcquireRelease | SIM_MemorySemanticsCrossWorkgroupMemory, .far = true},
        {SIM_ScopeWorkgroup,
         SIM_MemorySemanticsSequentiallyConsistent | SIM_MemorySemanticsWorkgroupMemory,
         .near = true},
        {SIM_ScopeSubgroup, SIM_MemorySemanticsAcquireRelease | BOTH, .far = false},
        {SIM_ScopeInvocation, SIM_MemorySemanticsAcquireRelease | BOTH, .far = false},
        {SIM_ScopeSubgroup, BOTH, true, false, false},
        {SIM_ScopeSubgroup, SIM_MemorySemanticsAcquireRelease, true, false, false},
        {SIM_ScopeSubgroup, SIM_MemorySemanticsAcquireRelease | BOTH, true, true, true},
        {SIM_ScopeWorkgroup,
         SIM_MemorySemanticsAcquireRelease | SIM_MemorySemanticsCrossWorkgroupMemory, true, true,
         false},
        {SIM_ScopeSubgroup,
         SIM_MemorySemanticsSequentiallyConsistent | SIM_MemorySemanticsWorkgroupMemory, true,
         false, true},
        {SIM_ScopeInvocation, SIM_MemorySemanticsAcquireRelease | BOTH, true, false, false},
    };
    static model m;
    for (uint32_t i = 0; i < 2 * (sizeof cases / sizeof cases[0]); i++) {
        uint32_t class = i % 2 ? SIM_RACE_LOCAL : SIM_RACE_GLOBAL;
        uint32_t packed =
            sim_order_pack(SIM_ScopeWorkgroup, cases[i / 2].scope, cases[i / 2].semantics);
        quiet_open(&m, 0);
        store_by(&m, class, 0, 8);
        if (cases[i / 2].is_subgroup) {
            sim_race_subgroup_barrier(&m.launch, 0, SUBGROUP, packed);
        } else {
            sim_race_barrier(&m.launch, packed);
        }
        load_by(&m, class, 1, 8);
        bool is_ordered = class == SIM_RACE_LOCAL ? cases[i / 2].near : cases[i / 2].far;
        if (found_count(&m) != !is_ordered) fail_msg("case %u, class %u", i / 2, class);
        quiet_close(&m);
    }
}

/* Loads of local memory are logged again once no store has followed them up to a barrier. */
static void test_when_loads_are_logged_again(void **state)
{
    (void)state;
    static const struct {
        const char *steps; /* l, s: work-item 0 loads and stores; b: barrier */
        bool in_vain;
    } cases[] = {{"b", true},    {"lb", false},   {"sb", true},     {"lsb", true},
                 {"lbb", false}, {"bl", true},    {"lsbl", true},   {"lsbb", true},
                 {"sbb", true},  {"sblb", false}, {"lsblb", false}, {"lsbsb", true}};
    uint32_t packed = sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                                     SIM_MemorySemanticsAcquireRelease | BOTH);
    static model m;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        quiet_open(&m, 0);
        m.launch.race->locals[0].logs_in_vain = true;
        for (const char *c = cases[i].steps; *c; c++) {
            if (*c == 'l') load_by(&m, SIM_RACE_LOCAL, 0, 8);
            if (*c == 's') store_by(&m, SIM_RACE_LOCAL, 0, 8);
            if (*c == 'b') sim_race_barrier(&m.launch, packed);
        }
        if (m.launch.race->locals[0].logs_in_vain != cases[i].in_vain)
            fail_msg("'%s' is judged wrongly", cases[i].steps);
        assert_int_equal(found_count(&m), 0);
        quiet_close(&m);
    }
}

/* The log of loads has a limit of rows and one of bytes; what it contained is recorded then, and a
 * later store is compared with it. */
static void test_limits_of_the_log(void **state)
{
    (void)state;
    static model m;
    for (uint32_t is_long = 0; is_long < 2; is_long++) {
        uint32_t bytes = is_long ? SIM_RACE_LOG_BYTES / 4 : 0;
        uint32_t limit = is_long ? 4 : SIM_RACE_LOG_ROWS;
        quiet_open(&m, 0);
        sim_race *race = m.launch.race;
        for (uint32_t i = 0; i < limit; i++) {
            sim_race_log_row *row = sim_race_log_add(race, &race->locals[0], bytes);
            row->size = 4;
            row->lid = i % 2;
            row->count = 1;
            row->offset = i % 2 ? 12 : 8;
            row->is_uniform = true;
            assert_int_equal(row->data, i * bytes);
        }
        assert_int_equal(race->log.count, limit);
        assert_null(race->locals[0].cells[SIM_RACE_READS]);
        sim_race_log_row *row = sim_race_log_add(race, &race->locals[0], bytes);
        assert_int_equal(row->data, 0);
        row->size = 4;
        row->count = 1;
        row->is_uniform = true;
        assert_int_equal(race->log.count, 1);
        assert_non_null(race->locals[0].cells[SIM_RACE_READS]);
        store_by(&m, SIM_RACE_LOCAL, 1, 12); /* its own */
        assert_int_equal(race->log.count, 0);
        assert_int_equal(found_count(&m), 0);
        store_by(&m, SIM_RACE_LOCAL, 2, 12);
        assert_int_equal(found_count(&m), 1);
        quiet_close(&m);
    }
}

/* A clock that runs out begins anew, which settles the accesses to its class of memory and no
 * others; a launch in which atomics or sub-groups order accesses then reports nothing more. */
static void test_stamps_run_out(void **state)
{
    (void)state;
    static model m;
    for (uint32_t i = 0; i < 2 * SIM_RACE_CLASSES * 4; i++) {
        uint32_t class = i % SIM_RACE_CLASSES, other = 1 - class;
        bool has_atomics = i / 2 % 2, has_meetings = i / 4 % 2, is_one = i / 8;
        bool is_blind = has_atomics || has_meetings;
        uint32_t packed =
            sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                           SIM_MemorySemanticsAcquireRelease |
                               (class == SIM_RACE_LOCAL ? SIM_MemorySemanticsWorkgroupMemory
                                                        : SIM_MemorySemanticsCrossWorkgroupMemory));
        quiet_open(&m, 0);
        sim_race *race = m.launch.race;
        sim_race_clock *clock = &race->clocks[class];
        race->has_atomics = has_atomics;
        race->has_meetings = has_meetings;
        m.world->race_limit = 10;
        assert_int_equal(clock->next, 4); /* three work-items have the stamps 1 to 3 */
        store_by(&m, other, 0, 8);
        sim_race_barrier(&m.launch, packed);
        assert_int_equal(clock->next, 7);
        sim_race_barrier(&m.launch, packed);
        assert_int_equal(clock->next, 10);
        store_by(&m, class, 0, 8);
        load_by(&m, class, 0, 12);
        assert_int_equal(m.world->race_restarts, 0);
        /* There is no room for the three stamps that a barrier would take next. */
        if (is_one) {
            sim_race_stamp(race, 0, 1);
            bool is_other_out = race->clocks[other].next != 5;
            assert_false(is_other_out);
        } else {
            sim_race_barrier(&m.launch, packed);
        }
        assert_int_equal(clock->next, 4);
        assert_int_equal(clock->base, 1);
        assert_int_equal(clock->intervals.count, 1);
        assert_false(clock->is_split);
        assert_true(sim_race_check(race));
        assert_int_equal(m.world->race_restarts, class == SIM_RACE_GLOBAL);
        assert_int_equal(race->is_blind, is_blind);
        sim_race_shadow *shadow = view_of(&m, class, 0).race;
        for (uint32_t k = 0; k < SIM_RACE_KINDS; k++)
            assert_false(sim_race_may_be_open(shadow, k, sim_race_settled(clock, class)));
        load_by(&m, class, 1, 8); /* the store is forgotten */
        store_by(&m, class, 1, 12);
        assert_int_equal(found_count(&m), 0);
        load_by(&m, other, 1, 8);
        assert_int_equal(found_count(&m), !is_blind);
        store_by(&m, class, 2, 8); /* the load is not */
        assert_int_equal(found_count(&m), is_blind ? 0 : 2);
        assert_int_equal(race->clocks[other].launch_first, 1);
        quiet_close(&m);
    }
}

/* A launch begins with new stamps if half of them have been handed out. */
static void test_stamps_begin_anew_with_a_launch(void **state)
{
    (void)state;
    static model m;
    for (uint32_t next = 49; next <= 52; next++) {
        model_open(&m, 0);
        m.world->race_limit = 100;
        m.world->race_next = next;
        launch_open(&m, 0);
        m.options.on_accessed = NULL;
        const sim_race_clock *clock = &m.launch.race->clocks[SIM_RACE_GLOBAL];
        assert_int_equal(clock->launch_first, next > 50 ? 1 : next);
        assert_int_equal(clock->next, next > 50 ? 1 : next);
        assert_int_equal(m.launch.race->clocks[SIM_RACE_LOCAL].next, 1);
        assert_int_equal(m.world->race_restarts, next > 50);
        assert_int_equal(m.launch.race->restarts, m.world->race_restarts);
        group_open(&m);
        assert_int_equal(clock->next, (next > 50 ? 1 : next) + 3);
        sim_race_close(&m.launch);
        assert_int_equal(m.world->race_next, (next > 50 ? 1 : next) + 3);
        model_close(&m);
    }
}

/* Copies have stamps of their own, also after a barrier, and in groups of one work-item. */
static void test_stamps_of_copies(void **state)
{
    (void)state;
    static model m;
    uint32_t packed = sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                                     SIM_MemorySemanticsAcquireRelease | BOTH);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t items = i % 2 ? 1 : 3, barriers = i / 2;
        quiet_open(&m, i % 2 ? 4 : 0);
        sim_race *race = m.launch.race;
        sim_race_clock *clock = &race->clocks[SIM_RACE_GLOBAL];
        if (barriers) sim_race_barrier(&m.launch, packed);
        static const uint32_t copies[] = {0, 1, 1, 0, 0};
        uint64_t group = 7;
        for (uint32_t k = 0; k < 5; k++) {
            uint32_t stamp = sim_race_stamp_one(race, SIM_RACE_GLOBAL, items + copies[k]);
            assert_int_equal(stamp, 1 + items * (1 + barriers) + k);
        }
        for (uint32_t k = 0; k < 5; k++) {
            uint32_t stamp = 1 + items * (1 + barriers) + k;
            assert_int_equal(sim_race_lid(clock, stamp, &group), items + copies[k]);
            assert_int_equal(group, 0);
        }
        for (uint32_t k = 0; k < items * (1 + barriers); k++)
            assert_int_equal(sim_race_lid(clock, 1 + k, &group), k % items);
        if (barriers == 0) { /* they run out, too */
            m.world->race_limit = clock->next + items - 1;
            assert_int_equal(sim_race_stamp_one(race, SIM_RACE_GLOBAL, items), items + 1);
            assert_int_equal(clock->next, items + 2);
            m.world->race_limit = clock->next + items;
            assert_int_equal(sim_race_stamp_one(race, SIM_RACE_GLOBAL, items), items + 2);
        }
        quiet_close(&m);
    }
}

/* Which memory is tracked: what the kernel may write, each object once. */
static void test_tracked_memory(void **state)
{
    (void)state;
    enum { A, B, C, DESTROYED, OBJECTS };
    static const struct {
        bool parameters[4], anything, records;
        uint32_t tracked; /* bits of the objects */
        uint32_t count;
    } cases[] = {
        /* The parameters are A, null, B and A again. */
        {{false, false, false, false}, false, false, 0, 0},
        {{true, false, false, false}, false, false, 1u << A, 1},
        {{false, false, true, false}, false, false, 1u << B, 1},
        {{false, false, false, true}, false, false, 1u << A, 1},
        {{true, true, true, true}, false, false, 1u << A | 1u << B, 2},
        {{false, true, true, true}, false, false, 1u << A | 1u << B, 2},
        {{false, false, false, false}, true, false, 1u << A | 1u << B | 1u << C, 3},
        {{true, false, true, false}, true, false, 1u << A | 1u << B | 1u << C, 3},
        {{false, false, false, false}, false, true, 1u << A | 1u << B | 1u << C, 3},
    };
    static model m;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        model_open(&m, 0);
        launch_open(&m, 0);
        sim_race_close(&m.launch);
        m.options.on_accessed = cases[i].records ? accessed_keep : NULL;
        sim_object objects[OBJECTS] = {m.object};
        for (uint32_t k = B; k < OBJECTS; k++)
            assert_true(rt_ok(sim_object_create(m.world, BYTES, RT_TEXT("more"), &objects[k])));
        sim_object_destroy(m.world, objects[DESTROYED]);
        const sim_argument arguments[] = {
            {.kind = SIM_PARAMETER_GLOBAL, .object = objects[A]},
            {.kind = SIM_PARAMETER_GLOBAL},
            {.kind = SIM_PARAMETER_GLOBAL, .object = objects[B]},
            {.kind = SIM_PARAMETER_GLOBAL, .object = objects[A]},
        };
        m.kernel.parameter_count = 4;
        m.kernel.written.parameters = cases[i].parameters;
        m.kernel.written.anything = cases[i].anything;
        sim_race_open(&m.launch, arguments);
        assert_int_equal(m.launch.race->tracked.count, cases[i].count);
        for (uint32_t k = 0; k < OBJECTS; k++) {
            const sim_race_shadow *shadow = m.world->objects.items[objects[k]].race;
            bool is_tracked = shadow && shadow->is_tracked;
            if (is_tracked != (cases[i].tracked >> k & 1)) fail_msg("case %u, object %u", i, k);
        }
        sim_race_close(&m.launch);
        for (uint32_t k = 0; k < OBJECTS; k++) {
            const sim_race_shadow *shadow = m.world->objects.items[objects[k]].race;
            assert_false(shadow && shadow->is_tracked);
        }
        model_close(&m);
    }
}

/* A shadow has a cell for every four bytes until an access is not aligned to four; every byte then
 * has the cell of its four. */
static void test_cells_of_bytes(void **state)
{
    (void)state;
    sim_race_shadow shadow = {.size = 8, .shift = 2};
    sim_race_cells_make(&shadow, SIM_RACE_WRITES, 4);
    shadow.cells[SIM_RACE_WRITES][0] = 5;
    shadow.cells[SIM_RACE_WRITES][1] = 9;
    sim_race_cells_make(&shadow, SIM_RACE_ATOMIC_READS, 8 | 4);
    assert_int_equal(shadow.shift, 2);
    for (uint32_t bits = 1; bits < 4; bits++) {
        sim_race_shadow again = {.size = 8, .shift = 2};
        sim_race_cells_make(&again, SIM_RACE_READS, 4 | bits);
        assert_int_equal(again.shift, 0);
        sim_race_shadow_clear(&again);
    }
    sim_race_cells_make(&shadow, SIM_RACE_READS, 4 | 1);
    assert_int_equal(shadow.shift, 0);
    assert_null(shadow.cells[SIM_RACE_ATOMIC_WRITES]);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(shadow.cells[SIM_RACE_WRITES][i], i < 4 ? 5 : 9);
        assert_int_equal(shadow.cells[SIM_RACE_READS][i], 0);
        assert_int_equal(shadow.cells[SIM_RACE_ATOMIC_READS][i], 0);
    }
    sim_race_shadow_clear(&shadow);
}

/* An object remembers, for the running launch only, whether some atomics were narrow and where it
 * was accessed. */
static void test_launches_forget_sites(void **state)
{
    (void)state;
    static model m;
    sim_op op = {
        .site = 3, .stride = sim_order_pack(0, SIM_ScopeSubgroup, 0), .extra = SIM_ATOMIC_ADD};
    quiet_open(&m, 0);
    exec_set(&m, 0);
    sim_race_atomic(&m.exec, &op, 0, address_of(&m, SIM_RACE_GLOBAL, 0), 4, true);
    load_by(&m, SIM_RACE_GLOBAL, 0, 8);
    store_by(&m, SIM_RACE_GLOBAL, 0, 8);
    const sim_race_shadow *shadow = view_of(&m, SIM_RACE_GLOBAL, 0).race;
    assert_true(shadow->has_narrow);
    assert_int_equal(shadow->sites[SIM_RACE_ATOMIC_WRITES], 3);
    assert_int_equal(shadow->sites[SIM_RACE_WRITES], 1);
    assert_int_equal(shadow->sites[SIM_RACE_READS], 2);
    sim_race_close(&m.launch);
    launch_open(&m, 0);
    assert_false(shadow->has_narrow);
    for (uint32_t k = 0; k < SIM_RACE_KINDS; k++)
        assert_int_equal(shadow->sites[k], 0);
    quiet_close(&m);
}

/* ---- Limits of what work-items know ---------------------------------------------------------- */

/* When there is no room for what a work-item knows, it is assumed to know everything, and so is
 * everyone who learns from it. */
static void test_too_much_to_know(void **state)
{
    (void)state;
    enum { NODES = 1 << 20 };
    static model m;
    uint32_t release = sim_order_pack(0, SIM_ScopeDevice, SIM_MemorySemanticsRelease | BOTH);
    uint32_t acquires = sim_order_pack(0, SIM_ScopeDevice, SIM_MemorySemanticsAcquire | BOTH);
    uint32_t relaxed = sim_order_pack(0, SIM_ScopeDevice, 0);
    uint32_t barrier =
        sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                       SIM_MemorySemanticsAcquireRelease | SIM_MemorySemanticsWorkgroupMemory);
    for (uint32_t how = 0; how < 4; how++) {
        quiet_open(&m, 3); /* of eight work-items */
        sim_race *race = m.launch.race;
        uint64_t flag = address_of(&m, SIM_RACE_GLOBAL, 0);
        sim_op op = {.site = 1, .stride = release, .extra = SIM_ATOMIC_STORE};
        while (race->nodes.count < NODES - 1)
            *rt_vector_push(&race->nodes) = (sim_race_node){0};
        store_by(&m, SIM_RACE_GLOBAL, 7, 8); /* which no work-item acquires */
        exec_set(&m, 0);
        sim_race_atomic(&m.exec, &op, 0, flag, 4, true); /* the last node */
        assert_int_equal(race->nodes.count, NODES);
        op.stride = acquires;
        op.extra = SIM_ATOMIC_LOAD;
        exec_set(&m, 1);
        sim_race_atomic(&m.exec, &op, 1, flag, 4, false);
        assert_int_not_equal(race->item[1].acquired, SIM_RACE_KNOWS_ALL);
        load_by(&m, SIM_RACE_GLOBAL, 1, 8);
        assert_int_equal(found_count(&m), 1);
        op.stride = release;
        op.extra = SIM_ATOMIC_ADD;
        exec_set(&m, 0);
        sim_race_atomic(&m.exec, &op, 0, flag, 4, true);
        assert_int_equal(race->nodes.count, NODES);
        op.stride = acquires;
        op.extra = SIM_ATOMIC_LOAD;
        exec_set(&m, 2);
        sim_race_atomic(&m.exec, &op, 2, flag, 4, false);
        assert_int_equal(race->item[2].acquired, SIM_RACE_KNOWS_ALL);
        /* Work-item 2 tells work-item 3 in different ways, and knows no less afterwards. */
        if (how == 0) sim_race_barrier(&m.launch, barrier);
        if (how == 1) sim_race_subgroup_barrier(&m.launch, 2, SUBGROUP, barrier);
        if (how >= 2) {
            op.stride = how == 2 ? release : relaxed;
            op.extra = SIM_ATOMIC_STORE;
            exec_set(&m, 2);
            if (how == 3) sim_race_fence(&m.exec, release);
            sim_race_atomic(&m.exec, &op, 2, flag + 4, 4, true);
            op.stride = how == 2 ? acquires : relaxed;
            op.extra = SIM_ATOMIC_LOAD;
            exec_set(&m, 3);
            sim_race_atomic(&m.exec, &op, 3, flag + 4, 4, false);
            if (how == 3) sim_race_fence(&m.exec, acquires);
        }
        assert_int_equal(race->item[2].acquired, SIM_RACE_KNOWS_ALL);
        assert_int_equal(race->item[3].acquired, SIM_RACE_KNOWS_ALL);
        load_by(&m, SIM_RACE_GLOBAL, 3, 8);
        assert_int_equal(m.launch.findings.rows.items[0].count, 1);
        assert_int_equal(race->nodes.count, NODES);
        quiet_close(&m);
    }
}

/* Searches have a limit, too. */
static void test_too_much_to_search(void **state)
{
    (void)state;
    static model m;
    uint64_t limit = UINT64_C(1) << 27;
    quiet_open(&m, 0);
    sim_race *race = m.launch.race;
    uint32_t node = sim_race_node_now(race, 0, 1, SIM_RACE_ALL_CLASSES);
    for (uint32_t beyond = 0; beyond < 2; beyond++) {
        race->search_work = limit + beyond;
        /* Stamp 1 is that of work-item 0, and 2 that of work-item 1. */
        assert_true(sim_race_knows(race, node, SIM_RACE_GLOBAL, 1));
        assert_int_equal(sim_race_knows(race, node, SIM_RACE_GLOBAL, 2), beyond);
        assert_false(sim_race_knows(race, 0, SIM_RACE_GLOBAL, 2));
    }
    quiet_close(&m);
}

/* Who acquires what no work-item has released for it knows nothing, and nothing has to be shared.
 */
static void test_nothing_to_acquire(void **state)
{
    (void)state;
    static model m;
    uint32_t memory = SIM_MemorySemanticsCrossWorkgroupMemory;
    sim_op op = {.site = 1,
                 .stride =
                     sim_order_pack(0, SIM_ScopeWorkgroup, SIM_MemorySemanticsRelease | memory),
                 .extra = SIM_ATOMIC_STORE};
    quiet_open(&m, 0);
    exec_set(&m, 0);
    sim_race_atomic(&m.exec, &op, 0, address_of(&m, SIM_RACE_GLOBAL, 0), 4, true);
    m.group = 1;
    group_open(&m);
    assert_false(m.launch.race->any_known);
    op.stride = sim_order_pack(0, SIM_ScopeDevice, SIM_MemorySemanticsAcquire | memory);
    op.extra = SIM_ATOMIC_LOAD;
    exec_set(&m, 1);
    sim_race_atomic(&m.exec, &op, 1, address_of(&m, SIM_RACE_GLOBAL, 0), 4, false);
    assert_false(m.launch.race->any_known);
    assert_int_equal(m.launch.race->item[1].acquired, 0);
    quiet_close(&m);
}

/* ---- Asynchronous copies --------------------------------------------------------------------- */

/* Like quiet_open, with the global ids that the messages name. */
static void copies_open(model *m, uint32_t range)
{
    static uint8_t rows[(SIM_ROW_GLOBAL_ID + 3) * SIM_ROW_BYTES(8)];
    quiet_open(m, range);
    for (uint64_t i = 0; i < 3 * SIM_LANES; i++) {
        uint64_t id = i < SIM_LANES ? 10 + i : i < 2 * SIM_LANES ? 20 : 30;
        uint64_t row = SIM_ROW_GLOBAL_ID + i / SIM_LANES;
        memcpy(rows + row * SIM_ROW_BYTES(8) + i % SIM_LANES * 8, &id, sizeof id);
    }
    m->wave.rows.data = rows;
}

static void copies_close(model *m)
{
    sim_race_copies_forget(m->launch.race);
    quiet_close(m);
}

static uint64_t copy_by(model *m, uint32_t site, uint32_t lid, sim_race_copy_arguments arguments)
{
    exec_set(m, lid);
    uint64_t event = sim_race_copy_begin(&m->exec, site, lid, &arguments);
    sim_race_copy_begun(&m->exec);
    return event;
}

static const sim_finding_row *only_finding(const model *m)
{
    assert_int_equal(found_count(m), 1);
    return &m->launch.findings.rows.items[0];
}

static void expect_message(const model *m, const char *message)
{
    const sim_finding_row *row = only_finding(m);
    if (!rt_text_equal(row->message, rt_text_of(message)))
        fail_msg("%.*s, expected %s", RT_TEXT_ARG(row->message), message);
}

static void test_arguments_of_copies(void **state)
{
    (void)state;
    static const struct {
        sim_race_copy_arguments second;
        const char *what; /* NULL: the same */
    } cases[] = {{{1, 2, 3, 4, 0}, NULL},     {{9, 2, 3, 4, 0}, "target"},
                 {{1, 9, 3, 4, 0}, "source"}, {{1, 2, 9, 4, 0}, "number of elements"},
                 {{1, 2, 3, 9, 0}, "stride"}, {{1, 2, 3, 4, 9}, "event"},
                 {{9, 9, 9, 9, 9}, "target"}};
    static model m;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sim_race_copy_arguments first = {1, 2, 3, 4, 0};
        copies_open(&m, 0);
        assert_int_equal(copy_by(&m, 5, 0, first), 1);
        assert_int_equal(copy_by(&m, 5, 1, cases[i].second), 1);
        assert_int_equal(copy_by(&m, 5, 2, cases[i].second), 1);
        if (cases[i].what) {
            char want[160];
            snprintf(want, sizeof want,
                     "asynchronous copy whose %s differs between the work-items of the group, "
                     "begun by work-item (11, 20, 30)",
                     cases[i].what);
            expect_message(&m, want);
            const sim_finding_row *row = only_finding(&m);
            assert_int_equal(row->kind, SIM_FINDING_COPY_MISUSE);
            assert_int_equal(row->site, 5);
            assert_int_equal(row->count, 2);
            assert_int_equal(row->work_item[0], 11);
        } else {
            assert_int_equal(found_count(&m), 0);
        }
        copies_close(&m);
        /* Copies at different places are found as divergent. */
        copies_open(&m, 0);
        copy_by(&m, 5, 0, first);
        copy_by(&m, 6, 1, cases[i].second);
        assert_int_equal(found_count(&m), 0);
        /* The next copy has the next event, or the one that it is to share. */
        assert_int_equal(copy_by(&m, 7, 0, first), 2);
        assert_int_equal(copy_by(&m, 7, 0, (sim_race_copy_arguments){.shared = 1}), 1);
        assert_int_equal(copy_by(&m, 7, 0, first), 4);
        copies_close(&m);
    }
}

static void test_waits_for_copies(void **state)
{
    (void)state;
    enum { BARRIER = 9 };
    typedef struct wait {
        uint32_t lid, site;
        uint64_t number, count, event;
    } wait;
#define NULL_EVENT "wait for a null event, by work-item"
#define UNKNOWN    "wait for an event that no copy of the group has, by work-item"
#define DIFFER     "wait whose events differ between the work-items of the group, reached by work-item"
    static const struct {
        wait waits[6];
        const char *message; /* NULL: none */
        uint32_t lid, count;
    } cases[] = {
        {{{0, 5, 0, 1, 1}, {1, 5, 0, 1, 1}, {2, 5, 0, 1, 1}}, NULL, 0, 0},
        {{{0, 5, 0, 1, 0}}, NULL_EVENT, 0, 1},
        {{{0, 5, 0, 1, 0}, {1, 5, 0, 1, 0}}, NULL_EVENT, 0, 2},
        {{{0, 5, 0, 1, 3}}, UNKNOWN, 0, 1},
        {{{0, 5, 0, 1, 1}, {1, 5, 0, 1, 3}, {2, 5, 0, 1, 0}}, UNKNOWN, 1, 2},
        {{{0, 5, 0, 1, 1}, {1, 5, 0, 1, 2}}, DIFFER, 1, 1},
        {{{0, 5, 0, 1, 1}, {1, 5, 0, 1, 1}, {2, 5, 0, 1, 2}}, DIFFER, 2, 1},
        {{{0, 5, 0, 2, 1}, {0, 5, 1, 2, 2}, {1, 5, 0, 2, 1}, {1, 5, 1, 2, 2}}, NULL, 0, 0},
        {{{0, 5, 0, 2, 1}, {0, 5, 1, 2, 2}, {1, 5, 0, 2, 2}, {1, 5, 1, 2, 1}}, DIFFER, 1, 2},
        {{{0, 5, 0, 2, 1}, {0, 5, 1, 2, 2}, {1, 5, 0, 1, 1}}, DIFFER, 1, 1},
        {{{0, 5, 0, 1, 1}, {1, 5, 0, 2, 1}, {1, 5, 1, 2, 2}}, DIFFER, 1, 2},
        /* Waits at different places are found as divergent. */
        {{{0, 5, 0, 1, 1}, {1, 6, 0, 1, 2}}, NULL, 0, 0},
        {{{0, 5, 0, 1, 1}, {1, 6, 0, 2, 2}, {2, 6, 0, 1, 1}}, NULL, 0, 0},
        /* The same wait in a loop. */
        {{{0, 5, 0, 1, 1}, {1, 5, 0, 1, 1}, {.lid = BARRIER}, {0, 5, 0, 1, 2}, {1, 5, 0, 1, 2}},
         NULL,
         0,
         0},
        {{{0, 5, 0, 1, 1}, {1, 5, 0, 1, 1}, {.lid = BARRIER}, {0, 5, 0, 2, 2}, {0, 5, 1, 2, 1}},
         NULL,
         0,
         0},
        {{{0, 5, 0, 1, 1}, {.lid = BARRIER}, {0, 5, 0, 1, 2}, {1, 5, 0, 1, 1}}, DIFFER, 1, 1},
        {{{0, 5, 0, 1, 1}, {.lid = BARRIER}, {0, 6, 0, 1, 2}, {1, 6, 0, 1, 1}}, DIFFER, 1, 1},
    };
    static model m;
    uint32_t packed = sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                                     SIM_MemorySemanticsAcquireRelease | BOTH);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        copies_open(&m, 0);
        copy_by(&m, 1, 0, (sim_race_copy_arguments){0});
        copy_by(&m, 2, 0, (sim_race_copy_arguments){0});
        for (const wait *w = cases[i].waits; w->lid == BARRIER || w->site; w++) {
            exec_set(&m, w->lid == BARRIER ? 0 : w->lid);
            if (w->lid == BARRIER) sim_race_barrier(&m.launch, packed);
            if (w->lid == BARRIER) continue;
            sim_race_copy_wait(&m.exec, w->site, w->lid, w->number, w->count, w->event);
        }
        if (cases[i].message) {
            char want[160];
            snprintf(want, sizeof want, "%s (%u, 20, 30)", cases[i].message,
                     (unsigned)(10 + cases[i].lid));
            expect_message(&m, want);
            assert_int_equal(only_finding(&m)->kind, SIM_FINDING_COPY_MISUSE);
            if (only_finding(&m)->count != cases[i].count) fail_msg("case %u", i);
        } else if (found_count(&m)) {
            fail_msg("case %u: %s", i, m.launch.findings.rows.items[0].message.data);
        }
        copies_close(&m);
    }
}

/* Copies by work-item 0: c, d: the next one stores at 8 or 12; C, D: it loads there. 1, 2: the
 * group waits for event 1 or 2. b: barrier; x: barrier that orders nothing; n: the next group. r,
 * s: work-item 1 loads at 8 or 12; R, S: it stores there; o, O: work-item 0 loads or stores at 8.
 */
static void copies_run(model *m, uint32_t class, const char *steps)
{
    uint32_t orders = sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                                     SIM_MemorySemanticsAcquireRelease | BOTH);
    uint32_t relaxed = sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup, BOTH);
    for (const char *c = steps; *c; c++) {
        if (strchr("cdCD", *c)) {
            sim_view_memory view = view_of(m, class, strchr("cC", *c) ? 8 : 12);
            exec_set(m, 0);
            sim_race_copy_begin(&m->exec, 5, 0, &(sim_race_copy_arguments){0});
            if (strchr("cd", *c)) sim_race_write(&m->exec, 5, 0, &view, 4, ones);
            if (strchr("CD", *c)) sim_race_read(&m->exec, 5, 0, &view, 4);
            sim_race_copy_begun(&m->exec);
        }
        for (uint32_t lid = 0; strchr("12", *c) && lid < m->items; lid++) {
            exec_set(m, lid);
            sim_race_copy_wait(&m->exec, 6, lid, 0, 1, (uint64_t)(*c - '0'));
        }
        if (*c == 'b') sim_race_barrier(&m->launch, orders);
        if (*c == 'x') sim_race_barrier(&m->launch, relaxed);
        if (*c == 'n') {
            sim_race_copies_forget(m->launch.race);
            m->group++;
            group_open(m);
        }
        if (strchr("rs", *c)) load_by(m, class, 1, *c == 'r' ? 8 : 12);
        if (strchr("RS", *c)) store_by(m, class, 1, *c == 'R' ? 8 : 12);
        if (*c == 'o') load_by(m, class, 0, 8);
        if (*c == 'O') store_by(m, class, 0, 8);
        assert_true(sim_race_check(m->launch.race));
    }
}

/* A copy is open from where it begins to the barrier at which all have waited for it. */
static void test_when_copies_are_open(void **state)
{
    (void)state;
#define ITEM_0    "work-item (10, 20, 30)"
#define ITEM_1    "work-item (11, 20, 30)"
#define COPY_OF_0 "the asynchronous copy begun by " ITEM_0
#define A_COPY    "an asynchronous copy begun by the group"
    static const struct {
        const char *steps;
        uint32_t races;                     /* accesses that race */
        const char *verb, *who, *and_other; /* of the first; NULL: any */
    } cases[] = {
        {"cr", 1, "load", ITEM_1, "store by " A_COPY},
        {"cR", 1, "store", ITEM_1, "store by " A_COPY},
        {"Cr", 0, NULL, NULL, NULL},
        {"cs", 0, NULL, NULL, NULL},
        {"CR", 1, "store", ITEM_1, "load by " A_COPY},
        {"rc", 1, "store", COPY_OF_0, "load by " ITEM_1},
        {"RC", 1, "load", COPY_OF_0, "store by " ITEM_1},
        {"cc", 1, "store", COPY_OF_0, "store by " A_COPY},
        {"cC", 1, "load", COPY_OF_0, "store by " A_COPY},
        {"CC", 0, NULL, NULL, NULL},
        {"cd", 0, NULL, NULL, NULL},
        {"rbc", 0, NULL, NULL, NULL},
        {"RbC", 0, NULL, NULL, NULL},
        /* Any work-item may execute the copy. */
        {"oc", 1, "store", COPY_OF_0, "load by " ITEM_0},
        {"OC", 1, "load", COPY_OF_0, "store by " ITEM_0},
        {"co", 1, "load", ITEM_0, "store by " A_COPY},
        /* A barrier alone does not complete it, nor does a wait without one. */
        {"cbr", 1, "load", ITEM_1, "store by " A_COPY},
        {"CbR", 1, "store", ITEM_1, "load by " A_COPY},
        {"cbbbr", 1, "load", ITEM_1, "store by " A_COPY},
        {"c1r", 1, "load", ITEM_1, "store by " A_COPY},
        {"c1xr", 1, "load", ITEM_1, "store by " A_COPY},
        {"c1br", 0, NULL, NULL, NULL},
        {"C1bR", 0, NULL, NULL, NULL},
        {"c1bbr", 0, NULL, NULL, NULL},
        {"cb1br", 0, NULL, NULL, NULL},
        {"cbb1bO", 0, NULL, NULL, NULL},
        /* Of two copies, only one is complete. */
        {"c1bc2br", 0, NULL, NULL, NULL},
        {"c1bcr", 1, "load", ITEM_1, "store by " A_COPY},
        {"c1bcbr", 1, "load", ITEM_1, "store by " A_COPY},
        {"cd1br", 0, NULL, NULL, NULL},
        {"cd1bs", 1, NULL, NULL, NULL},
        {"cd2br", 1, "load", ITEM_1, "store by " A_COPY},
        {"cd2bs", 0, NULL, NULL, NULL},
        {"cd2bbr", 1, "load", ITEM_1, "store by " A_COPY},
        {"cd2bbs", 0, NULL, NULL, NULL},
        {"cd2b1br", 0, NULL, NULL, NULL},
        {"cd2b1brs", 0, NULL, NULL, NULL},
        {"cD1br", 0, NULL, NULL, NULL},
        {"cD1bS", 1, NULL, NULL, NULL},
        {"cD2bS", 0, NULL, NULL, NULL},
    };
    static model m;
    for (uint32_t i = 0; i < 2 * (sizeof cases / sizeof cases[0]); i++) {
        uint32_t class = i % 2 ? SIM_RACE_LOCAL : SIM_RACE_GLOBAL;
        const char *verb = cases[i / 2].verb;
        copies_open(&m, 0);
        copies_run(&m, class, cases[i / 2].steps);
        if (found_count(&m) > 1 ||
            (found_count(&m) ? only_finding(&m)->count : 0) != cases[i / 2].races)
            fail_msg("'%s' is judged wrongly in class %u", cases[i / 2].steps, class);
        if (verb) {
            char want[256];
            snprintf(want, sizeof want,
                     "%s of 4 bytes at offset 8 of '%s' by %s and the %s are not ordered", verb,
                     class == SIM_RACE_LOCAL ? "near" : "far", cases[i / 2].who,
                     cases[i / 2].and_other);
            expect_message(&m, want);
            assert_int_equal(only_finding(&m)->kind, SIM_FINDING_RACE);
            if (strstr(want, A_COPY)) assert_int_equal(only_finding(&m)->other_site, 5);
        }
        copies_close(&m);
    }
}

/* What the only work-item of a group has done precedes its copies. Those of other groups it does
 * not. */
static void test_copies_of_small_groups(void **state)
{
    (void)state;
    static const struct {
        const char *steps;
        uint32_t races;
        const char *message; /* of the race */
    } cases[] = {
        {"oc", 0, NULL},
        {"OC", 0, NULL},
        {"Oc", 0, NULL},
        {"co", 1,
         "load of 4 bytes at offset 8 of 'far' by work-item (10, 20, 30) and the store by an "
         "asynchronous copy begun by the group are not ordered"},
        {"cO", 1, NULL},
        {"cC", 1, NULL},
        {"c1bo", 0, NULL},
        {"cno", 1,
         "load of 4 bytes at offset 8 of 'far' by work-item (11, 20, 30) and the store by an "
         "asynchronous copy begun by another group are not ordered"},
        {"c1bno", 1, NULL},
        {"OnC", 1,
         "load of 4 bytes at offset 8 of 'far' by the asynchronous copy begun by work-item (11, "
         "20, 30) and the store by work-item (10, 20, 30) are not ordered"},
        {"CnO", 1, NULL},
        {"Cno", 0, NULL},
    };
    static model m;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        copies_open(&m, 4);
        copies_run(&m, SIM_RACE_GLOBAL, cases[i].steps);
        if (found_count(&m) != cases[i].races) fail_msg("'%s' is judged wrongly", cases[i].steps);
        if (cases[i].message) expect_message(&m, cases[i].message);
        copies_close(&m);
    }
}

/* Copies that no work-item waits for before the group ends are found, and the next group begins
 * anew. */
static void test_copies_without_a_wait(void **state)
{
    (void)state;
    static model m;
    uint32_t packed = sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                                     SIM_MemorySemanticsAcquireRelease | BOTH);
    copies_open(&m, 0);
    for (m.group = 0; m.group < 2; m.group++) {
        if (m.group) group_open(&m);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(copy_by(&m, 5 + i, 0, (sim_race_copy_arguments){0}), i + 1);
        copy_by(&m, 5, 2, (sim_race_copy_arguments){0});
        exec_set(&m, 0);
        sim_race_copy_wait(&m.exec, 9, 0, 0, 2, 1);
        sim_race_copy_wait(&m.exec, 9, 0, 1, 2, 3);
        sim_race_barrier(&m.launch, packed);
        sim_race_copies_end(&m.exec);
        assert_int_equal(m.launch.race->copies.count, 0);
        assert_int_equal(found_count(&m), 2);
        for (uint32_t i = 0; i < 2; i++) {
            const sim_finding_row *row = &m.launch.findings.rows.items[i];
            assert_int_equal(row->site, 6 + 2 * i);
            assert_int_equal(row->kind, SIM_FINDING_UNWAITED_COPY);
            assert_int_equal(row->count, m.group + 1);
            assert_true(rt_text_is(row->message,
                                   "asynchronous copy that no work-item waits for before the "
                                   "work-group ends, begun by work-item (10, 20, 30)"));
        }
        sim_race_copies_end(&m.exec); /* there are none any more */
        assert_int_equal(m.launch.findings.rows.items[0].count, m.group + 1);
    }
    copies_close(&m);
}

/* What a cell keeps of earlier reads and atomics when a work-item makes another one. */
static void test_joins(void **state)
{
    (void)state;
    enum {
        SEVERAL = SIM_RACE_SEVERAL,
        OLDER = SIM_RACE_OLDER,
        HERE = SIM_RACE_NARROW_HERE,
    };
    const uint32_t narrow = SIM_RACE_NARROW;
    /* Stamps 11 to 13 are the first group's, 14 to 16 the second one's until its barrier, and from
     * 17 on its present ones. Work-item 1, which has 18, makes the access. */
    const struct {
        uint32_t level, cell, flags;
    } cases[] = {
        {SIM_RACE_PLAIN, 0, 0},
        {SIM_RACE_PLAIN, 10 | SEVERAL | OLDER | HERE | narrow, 0}, /* of an earlier launch */
        {SIM_RACE_PLAIN, 11, OLDER},
        {SIM_RACE_PLAIN, 13, OLDER},
        {SIM_RACE_PLAIN, 13 | SEVERAL, OLDER},
        {SIM_RACE_PLAIN, 13 | OLDER, OLDER},
        {SIM_RACE_PLAIN, 14, 0},
        {SIM_RACE_PLAIN, 16 | SEVERAL, 0},
        {SIM_RACE_PLAIN, 16 | OLDER, OLDER},
        {SIM_RACE_PLAIN, 17, SEVERAL},
        {SIM_RACE_PLAIN, 17 | OLDER, SEVERAL | OLDER},
        {SIM_RACE_PLAIN, 18, 0},
        {SIM_RACE_PLAIN, 18 | SEVERAL, SEVERAL},
        {SIM_RACE_PLAIN, 18 | OLDER, OLDER},
        {SIM_RACE_PLAIN, 19, SEVERAL},
        {SIM_RACE_DEVICE, 10 | HERE | narrow, 0},
        {SIM_RACE_DEVICE, 13 | narrow, OLDER | narrow},
        {SIM_RACE_DEVICE, 13 | HERE | narrow, OLDER | narrow},
        {SIM_RACE_DEVICE, 16 | HERE | narrow, narrow},
        {SIM_RACE_DEVICE, 17 | HERE | narrow, SEVERAL | HERE | narrow},
        {SIM_RACE_DEVICE, 18 | HERE | narrow, HERE | narrow},
        {SIM_RACE_WORKGROUP, 0, 0},
        {SIM_RACE_WORKGROUP, 11, 0}, /* those of the earlier group were for the device */
        {SIM_RACE_WORKGROUP, 11 | narrow, OLDER},
        {SIM_RACE_WORKGROUP, 18 | OLDER, 0},
        {SIM_RACE_WORKGROUP, 18 | OLDER | narrow, OLDER},
        {SIM_RACE_WORKGROUP, 17, SEVERAL},
        {SIM_RACE_WORKGROUP, 18 | HERE | narrow, HERE},
        {SIM_RACE_SUBGROUP, 0, HERE},
        {SIM_RACE_SUBGROUP, 11 | narrow, OLDER | HERE},
        {SIM_RACE_SUBGROUP, 16, HERE},
        {SIM_RACE_SUBGROUP, 17, SEVERAL | HERE},
    };
    static model m;
    model_open(&m, 0);
    m.world->race_next = 11;
    launch_open(&m, 0);
    m.options.on_accessed = NULL;
    for (m.group = 0; m.group < 2; m.group++)
        group_open(&m);
    sim_race_barrier(&m.launch, sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                                               SIM_MemorySemanticsAcquireRelease | BOTH));
    const sim_race_clock *clock = &m.launch.race->clocks[SIM_RACE_GLOBAL];
    assert_int_equal(sim_race_stamp_of(clock, 1), 18);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t level = cases[i].level, want = 18 | cases[i].flags;
        if (level == SIM_RACE_SUBGROUP || level == SIM_RACE_WORKGROUP) want |= narrow;
        uint32_t got = sim_race_join(clock, cases[i].cell, 1, 18, level);
        if (got != want) fail_msg("case %u: %x, expected %x", i, got, want);
    }
    quiet_close(&m);
}

/* Two atomics race unless the scope of each includes both work-items, and with plain accesses they
 * always do. */
static void test_pairs_of_atomics(void **state)
{
    (void)state;
    static const uint32_t scopes[] = {SIM_ScopeInvocation, SIM_ScopeSubgroup, SIM_ScopeWorkgroup,
                                      SIM_ScopeDevice};
    static const struct {
        uint32_t group, lid, needed; /* of the second work-item; the scope that includes both */
    } others[] = {{0, 1, SIM_RACE_SUBGROUP}, {0, 2, SIM_RACE_WORKGROUP}, {1, 0, SIM_RACE_DEVICE}};
    static model m;
    for (uint32_t i = 0; i < 4 * 4 * 3 * 2; i++) {
        uint32_t one = i % 4, two = i / 4 % 4, which = i / 16 % 3, is_load = i / 48;
        uint32_t least = one < two ? one : two;
        quiet_open(&m, 0);
        sim_op op = {.site = 1,
                     .stride = sim_order_pack(0, scopes[one], SIM_MemorySemanticsAcquireRelease),
                     .extra = SIM_ATOMIC_ADD};
        uint64_t address = address_of(&m, SIM_RACE_GLOBAL, 8);
        exec_set(&m, 0);
        sim_race_atomic(&m.exec, &op, 0, address, 4, true);
        if (others[which].group) {
            m.group = 1;
            group_open(&m);
        }
        uint32_t lid = others[which].lid;
        op.stride = sim_order_pack(0, scopes[two], SIM_MemorySemanticsAcquireRelease);
        if (is_load) op.extra = SIM_ATOMIC_LOAD;
        exec_set(&m, lid);
        sim_race_atomic(&m.exec, &op, lid, address, 4, !is_load);
        if (found_count(&m) != (least < others[which].needed))
            fail_msg("levels %u and %u, work-item %u of group %u", one, two, lid,
                     others[which].group);
        quiet_close(&m);
    }
}

/* The log keeps a load's lanes until a store follows: those that are active, each where it loads.
 */
static void test_loads_in_the_log(void **state)
{
    (void)state;
    static const struct {
        uint16_t offsets[3]; /* of work-items 0 to 2 */
        uint8_t mask[3];
        bool has_mask;
        uint32_t size, shift; /* of the cells in the end */
        uint32_t lid, offset; /* of the store */
        bool races;
    } cases[] = {
        {{8, 12, 16}, {0}, false, 4, 2, 1, 12, false},
        {{8, 12, 16}, {0}, false, 4, 2, 2, 12, true},
        {{8, 12, 16}, {0}, false, 4, 2, 2, 8, true},
        {{8, 12, 16}, {0}, false, 4, 2, 0, 16, true},
        {{8, 12, 16}, {0}, false, 4, 2, 0, 20, false},
        {{8, 12, 16}, {1, 0, 1}, true, 4, 2, 2, 12, false},
        {{8, 12, 16}, {1, 0, 1}, true, 4, 2, 2, 8, true},
        {{8, 12, 16}, {1, 0, 1}, true, 4, 2, 1, 16, true},
        {{8, 13, 16}, {1, 0, 1}, true, 4, 2, 1, 16, true}, /* an inactive lane's does not count */
        {{8, 15, 16}, {0}, false, 1, 0, 1, 12, false},
        {{8, 15, 16}, {0}, false, 1, 0, 0, 12, true},
        {{8, 15, 16}, {0}, false, 1, 0, 0, 8, false},
        {{8, 15, 16}, {1, 1, 0}, true, 2, 0, 1, 12, false},
        {{8, 15, 16}, {1, 1, 0}, true, 2, 0, 0, 16, true},
    };
    static model m;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        quiet_open(&m, 0);
        sim_race *race = m.launch.race;
        sim_race_shadow *shadow = &race->locals[0];
        /* All three load the word at 0, which needs no space for offsets. */
        sim_race_log_row *row = sim_race_log_add(race, shadow, 0);
        row->size = 4;
        row->count = 1;
        row->is_uniform = row->is_several = true;
        row = sim_race_log_add(race, shadow, 9);
        row->size = cases[i].size;
        row->count = 3;
        row->offset = cases[i].offsets[0];
        row->has_mask = cases[i].has_mask;
        memset(race->log_data + row->data, 0xff, 64);
        memcpy(race->log_data + row->data, cases[i].offsets, 6);
        if (cases[i].has_mask) memcpy(race->log_data + row->data + 6, cases[i].mask, 3);
        store_by(&m, SIM_RACE_LOCAL, cases[i].lid, cases[i].offset);
        if (found_count(&m) != cases[i].races || shadow->shift != cases[i].shift)
            fail_msg("case %u is judged wrongly", i);
        assert_int_equal(shadow->cells[SIM_RACE_READS][0], 1 | SIM_RACE_SEVERAL);
        assert_int_equal(shadow->cells[SIM_RACE_READS][8 >> shadow->shift], 1);
        assert_int_equal(shadow->from[SIM_RACE_READS], 1);
        assert_int_equal(race->log.count + race->log_bytes, 0);
        quiet_close(&m);
    }
}

/* A barrier settles the logged loads if it orders local memory, and only then. */
static void test_barriers_and_the_log(void **state)
{
    (void)state;
    static model m;
    for (uint32_t class = 0; class < SIM_RACE_CLASSES; class ++) {
        quiet_open(&m, 0);
        sim_view_memory view = view_of(&m, SIM_RACE_LOCAL, 0);
        exec_set(&m, 0);
        assert_true(sim_race_read_one(&m.exec, 2, &view, 8, 4));
        assert_int_equal(m.launch.race->log.count, 1);
        sim_race_barrier(&m.launch,
                         sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                                        SIM_MemorySemanticsAcquireRelease |
                                            (class == SIM_RACE_LOCAL
                                                 ? SIM_MemorySemanticsWorkgroupMemory
                                                 : SIM_MemorySemanticsCrossWorkgroupMemory)));
        exec_set(&m, 0);
        assert_true(sim_race_read_one(&m.exec, 2, &view, 12, 4));
        store_by(&m, SIM_RACE_LOCAL, 1, 8);
        assert_int_equal(found_count(&m), class == SIM_RACE_GLOBAL);
        store_by(&m, SIM_RACE_LOCAL, 1, 12);
        assert_int_equal(m.launch.findings.rows.items[0].count, class == SIM_RACE_GLOBAL ? 2 : 1);
        quiet_close(&m);
    }
}

/* When stamps run out, nothing that work-items have published or acquired is left, and a running
 * copy has a new stamp. */
static void test_what_is_left_when_stamps_run_out(void **state)
{
    (void)state;
    static model m;
    copies_open(&m, 0);
    sim_race *race = m.launch.race;
    sim_op op = {.site = 1,
                 .stride = sim_order_pack(0, SIM_ScopeDevice,
                                          SIM_MemorySemanticsAcquireRelease |
                                              SIM_MemorySemanticsCrossWorkgroupMemory),
                 .extra = SIM_ATOMIC_ADD};
    const sim_race_clock *clock = &race->clocks[SIM_RACE_GLOBAL];
    race->has_atomics = race->has_meetings = false; /* otherwise it reports nothing more */
    m.world->race_limit = 10;
    sim_view_memory view = view_of(&m, SIM_RACE_GLOBAL, 8);
    exec_set(&m, 0);
    sim_race_copy_begin(&m.exec, 5, 0, &(sim_race_copy_arguments){0});
    sim_race_write(&m.exec, 5, 0, &view, 4, ones);
    sim_race_copy_begun(&m.exec);
    assert_int_equal(clock->next, 5);
    for (uint32_t lid = 0; lid < 2; lid++) {
        exec_set(&m, lid);
        sim_race_atomic(&m.exec, &op, lid, address_of(&m, SIM_RACE_GLOBAL, 0), 4, true);
    }
    assert_int_equal(clock->next, 7);
    assert_int_not_equal(race->item[1].acquired, 0);
    sim_race_stamp(race, 0, 1);
    assert_int_equal(clock->next, 8); /* there was room for just three stamps */
    assert_int_not_equal(race->nodes.count, 0);
    sim_race_stamp(race, 0, 1);
    assert_int_equal(clock->next, 4);
    assert_int_equal(race->nodes.count, 0);
    assert_int_equal(race->places.count, 0);
    assert_int_equal(race->item[1].acquired, 0);
    assert_false(race->any_known);
    exec_set(&m, 1); /* its share of the same copy */
    view = view_of(&m, SIM_RACE_GLOBAL, 12);
    sim_race_copy_begin(&m.exec, 5, 1, &(sim_race_copy_arguments){0});
    sim_race_write(&m.exec, 5, 1, &view, 4, ones);
    sim_race_copy_begun(&m.exec);
    assert_int_equal(clock->next, 5);
    load_by(&m, SIM_RACE_GLOBAL, 2, 12);
    expect_message(&m, "load of 4 bytes at offset 12 of 'far' by work-item (12, 20, 30) and the "
                       "store by an asynchronous copy begun by the group are not ordered");
    copies_close(&m);
}

/* A copy from one class of memory to the other stays open in both, and of the accesses that a
 * copy's cell stands for, those of work-items are named as such. */
static void test_copies_between_memories(void **state)
{
    (void)state;
    static model m;
    uint32_t packed = sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                                     SIM_MemorySemanticsAcquireRelease | BOTH);
    for (uint32_t from = 0; from < SIM_RACE_CLASSES; from++) {
        copies_open(&m, 0);
        sim_view_memory source = view_of(&m, from, 8), target = view_of(&m, 1 - from, 8);
        exec_set(&m, 0);
        sim_race_copy_begin(&m.exec, 5, 0, &(sim_race_copy_arguments){0});
        sim_race_read(&m.exec, 5, 0, &source, 4);
        sim_race_write(&m.exec, 5, 0, &target, 4, ones);
        sim_race_copy_begun(&m.exec);
        sim_race_barrier(&m.launch, packed);
        load_by(&m, from, 1, 8);
        assert_int_equal(found_count(&m), 0);
        store_by(&m, from, 1, 8);
        assert_int_equal(found_count(&m), 1);
        load_by(&m, 1 - from, 1, 8);
        assert_int_equal(found_count(&m), 2);
        copies_close(&m);
    }
    copies_open(&m, 0);
    sim_view_memory view = view_of(&m, SIM_RACE_GLOBAL, 8);
    load_by(&m, SIM_RACE_GLOBAL, 2, 8);
    for (uint32_t lid = 0; lid < 2; lid++) { /* two shares of the same copy */
        exec_set(&m, lid);
        sim_race_copy_begin(&m.exec, 5, lid, &(sim_race_copy_arguments){0});
        if (lid == 0) sim_race_read(&m.exec, 5, lid, &view, 4);
        if (lid == 1) sim_race_write(&m.exec, 5, lid, &view, 4, ones);
        sim_race_copy_begun(&m.exec);
    }
    expect_message(&m, "store of 4 bytes at offset 8 of 'far' by the asynchronous copy begun by "
                       "work-item (11, 20, 30) and the load by another work-item of the group are "
                       "not ordered");
    copies_close(&m);
}

/* A group that ends in a wait without a barrier leaves nothing to the next group's waits. */
static void test_waits_of_the_next_group(void **state)
{
    (void)state;
    static model m;
    for (uint32_t site = 9; site <= 10; site++) {
        copies_open(&m, 0);
        for (m.group = 0; m.group < 2; m.group++) {
            if (m.group) group_open(&m);
            for (uint32_t k = 0; k < 2; k++)
                copy_by(&m, 5 + k, 0, (sim_race_copy_arguments){0});
            exec_set(&m, 0);
            if (m.group == 0) {
                sim_race_copy_wait(&m.exec, 9, 0, 0, 1, 1);
            } else {
                sim_race_copy_wait(&m.exec, site, 0, 0, 1, 2);
                assert_int_equal(found_count(&m), 0);
                exec_set(&m, 1);
                sim_race_copy_wait(&m.exec, site, 1, 0, 1, 1);
                assert_int_equal(found_count(&m), 1);
            }
            sim_race_copies_forget(m.launch.race);
        }
        copies_close(&m);
    }
}

static const uint8_t zeros[16];

/* A store of the value that is there races with stores as one of equal values, but with loads as
 * any other. The first finding of a place keeps its message. */
static void test_stores_of_the_same_value(void **state)
{
    (void)state;
    static const struct {
        const char *before; /* by work-item 0: l, s: load and store; L, S: atomic ones */
        const uint8_t *bytes;
        sim_finding_kind kind;
        const char *other;
    } cases[] = {
        {"s", zeros, SIM_FINDING_SAME_VALUE_RACE, "store"},
        {"s", ones, SIM_FINDING_RACE, "store"},
        {"l", zeros, SIM_FINDING_RACE, "load"},
        {"l", ones, SIM_FINDING_RACE, "load"},
        {"S", zeros, SIM_FINDING_SAME_VALUE_RACE, "atomic"},
        {"S", ones, SIM_FINDING_RACE, "atomic"},
        {"L", zeros, SIM_FINDING_RACE, "atomic"},
        {"ls", zeros, SIM_FINDING_RACE, "load"},
        {"sL", zeros, SIM_FINDING_RACE, "atomic"},
    };
    static model m;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_op op = {
            .site = 1, .stride = sim_order_pack(0, SIM_ScopeDevice, 0), .extra = SIM_ATOMIC_LOAD};
        copies_open(&m, 0);
        for (const char *c = cases[i].before; *c; c++) {
            exec_set(&m, 0);
            if (*c == 'l') load_by(&m, SIM_RACE_GLOBAL, 0, 8);
            if (*c == 's') store_by(&m, SIM_RACE_GLOBAL, 0, 8);
            if (*c == 'L' || *c == 'S')
                sim_race_atomic(&m.exec, &op, 0, address_of(&m, SIM_RACE_GLOBAL, 8), 4, *c == 'S');
        }
        sim_view_memory view = view_of(&m, SIM_RACE_GLOBAL, 8);
        for (uint32_t lid = 1; lid < 3; lid++) { /* the other one's store races, too */
            exec_set(&m, lid);
            sim_race_write(&m.exec, 3, lid, &view, 4, cases[i].bytes);
            char want[160];
            bool is_same = cases[i].kind == SIM_FINDING_SAME_VALUE_RACE;
            snprintf(want, sizeof want,
                     "store of 4 bytes at offset 8 of 'far' by work-item (11, 20, 30) and the %s "
                     "by work-item (10, 20, 30) are not ordered%s",
                     cases[i].other, is_same ? "; the value stays the same" : "");
            expect_message(&m, want);
            assert_int_equal(only_finding(&m)->kind, cases[i].kind);
            assert_int_equal(only_finding(&m)->count, lid);
        }
        copies_close(&m);
    }
}

/* Where the other access is: of several places of one kind none is named, but a copy's is known. */
static void test_places_of_others(void **state)
{
    (void)state;
    static model m;
    for (uint32_t i = 0; i < 4; i++) {
        bool has_another = i % 2, is_later = i / 2; /* in the next group */
        copies_open(&m, 0);
        if (has_another) store_by(&m, SIM_RACE_GLOBAL, 2, 16); /* at place 1 */
        copies_run(&m, SIM_RACE_GLOBAL, is_later ? "c1bn" : "c");
        load_by(&m, SIM_RACE_GLOBAL, 1, 8);
        assert_int_equal(only_finding(&m)->other_site, has_another && is_later ? 0 : 5);
        copies_close(&m);
    }
}

static void test_narrow_atomics_are_noted(void **state)
{
    (void)state;
    static const struct {
        uint32_t scope, semantics;
        bool is_narrow;
    } cases[] = {{SIM_ScopeDevice, SIM_MemorySemanticsAcquireRelease, false},
                 {SIM_ScopeDevice, 0, false},
                 {SIM_ScopeWorkgroup, 0, false}, /* as of OpenCL 1.x */
                 {SIM_ScopeWorkgroup, SIM_MemorySemanticsAcquireRelease, true},
                 {SIM_ScopeSubgroup, 0, true}};
    static model m;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_op op = {.site = 1,
                     .stride = sim_order_pack(0, cases[i].scope, cases[i].semantics),
                     .extra = SIM_ATOMIC_ADD};
        quiet_open(&m, 0);
        store_by(&m, SIM_RACE_GLOBAL, 0, 8);
        exec_set(&m, 0);
        sim_race_atomic(&m.exec, &op, 0, address_of(&m, SIM_RACE_GLOBAL, 0), 4, true);
        assert_int_equal(view_of(&m, SIM_RACE_GLOBAL, 0).race->has_narrow, cases[i].is_narrow);
        quiet_close(&m);
    }
}

/* Atomics of objects that are smaller than the value, or just as large. */
static void test_atomics_of_small_objects(void **state)
{
    (void)state;
    static model m;
    for (uint32_t size = 1; size <= 5; size++) {
        model_open(&m, 0);
        sim_object small;
        assert_true(rt_ok(sim_object_create(m.world, size, RT_TEXT("small"), &small)));
        launch_open(&m, 0);
        sim_race_close(&m.launch);
        m.options.on_accessed = NULL;
        m.kernel.written.anything = true;
        const sim_argument argument = {.kind = SIM_PARAMETER_GLOBAL, .object = m.object};
        sim_race_open(&m.launch, &argument);
        group_open(&m);
        sim_op op = {
            .site = 1, .stride = sim_order_pack(0, SIM_ScopeDevice, 0), .extra = SIM_ATOMIC_ADD};
        exec_set(&m, 0);
        sim_race_atomic(&m.exec, &op, 0, sim_object_address(small), 4, true);
        const sim_race_shadow *shadow = sim_world_memory(m.world, small)->race;
        assert_non_null(shadow);
        assert_int_equal(shadow->cells[SIM_RACE_ATOMIC_WRITES] != NULL, size >= 4);
        /* Memory without a shadow is not written. */
        const sim_view_memory view = {.size = BYTES};
        assert_false(sim_race_wrote(&m.exec, &view, 4));
        quiet_close(&m);
    }
}

/* Whether a load by all work-items together can be recorded at once: no recorded store may be open
 * for any of them. */
static void test_loads_of_one_place(void **state)
{
    (void)state;
    /* s: work-item 0 stores at 8; t: at 16; a: it performs an atomic there at 8; b: barrier; n: the
     * next group; l: the next launch. */
    static const struct {
        const char *steps;
        bool is_recorded;
    } cases[] = {{"", true},     {"t", true},    {"s", false},   {"sb", true},  {"sbt", true},
                 {"sn", false},  {"snb", false}, {"sl", true},   {"slt", true}, {"slnt", true},
                 {"sbn", false}, {"a", false},   {"ab", true},   {"an", false}, {"anab", false},
                 {"nab", true},  {"al", true},   {"altb", true}, {"nsb", true}};
    uint32_t packed = sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                                     SIM_MemorySemanticsAcquireRelease | BOTH);
    sim_op op = {
        .site = 1, .stride = sim_order_pack(0, SIM_ScopeDevice, 0), .extra = SIM_ATOMIC_ADD};
    static model m;
    for (uint32_t i = 0; i < 3 * (sizeof cases / sizeof cases[0]); i++) {
        uint32_t active = 1 + i % 3;
        quiet_open(&m, 0);
        for (const char *c = cases[i / 3].steps; *c; c++) {
            if (*c == 's') store_by(&m, SIM_RACE_GLOBAL, 0, 8);
            if (*c == 't') store_by(&m, SIM_RACE_GLOBAL, 0, 16);
            exec_set(&m, 0);
            if (*c == 'a')
                sim_race_atomic(&m.exec, &op, 0, address_of(&m, SIM_RACE_GLOBAL, 8), 4, true);
            if (*c == 'b') sim_race_barrier(&m.launch, packed);
            if (*c == 'l') {
                sim_race_close(&m.launch);
                launch_open(&m, 0);
                m.options.on_accessed = NULL;
            }
            if (*c == 'n') m.group++;
            if (*c == 'n' || *c == 'l') group_open(&m);
        }
        exec_set(&m, 0);
        for (uint32_t k = 0; k < active; k++)
            m.mask[k] = 1;
        m.exec.active = active;
        sim_view_memory view = view_of(&m, SIM_RACE_GLOBAL, 0);
        bool is_recorded = sim_race_read_one(&m.exec, 2, &view, 8, 4);
        if (is_recorded != cases[i / 3].is_recorded) fail_msg("'%s'", cases[i / 3].steps);
        uint32_t stamp = sim_race_stamp_of(&m.launch.race->clocks[SIM_RACE_GLOBAL], 0);
        uint32_t want = is_recorded ? stamp | (active > 1 ? SIM_RACE_SEVERAL : 0) : 0;
        assert_int_equal(view.race->cells[SIM_RACE_READS][2], want);
        assert_int_equal(view.race->shift, 2);
        assert_int_equal(m.launch.race->log.count, 0);
        quiet_close(&m);
    }
    /* Those of local memory are logged unless that was in vain. */
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t active = 1 + i % 3;
        bool in_vain = i / 3;
        quiet_open(&m, 0);
        exec_set(&m, 0);
        for (uint32_t k = 0; k < active; k++)
            m.mask[k] = 1;
        m.exec.active = active;
        sim_view_memory view = view_of(&m, SIM_RACE_LOCAL, 0);
        view.race->logs_in_vain = in_vain;
        assert_true(sim_race_read_one(&m.exec, 2, &view, 8, 4));
        assert_int_equal(m.launch.race->log.count, !in_vain);
        assert_int_equal(m.launch.race->log_bytes, 0);
        assert_int_equal(view.race->cells[SIM_RACE_READS] != NULL, in_vain);
        assert_int_equal(view.race->sites[SIM_RACE_READS], 2);
        store_by(&m, SIM_RACE_LOCAL, 0, 8);
        assert_int_equal(found_count(&m), active > 1);
        quiet_close(&m);
    }
}

/* Of the lanes of a wave, those that are active load, from the first to the last. */
static void test_loads_of_lanes(void **state)
{
    (void)state;
    static model m;
    for (uint32_t mask = 1; mask < 1 << WAVE; mask++) {
        for (uint32_t lid = 0; lid < WAVE; lid++) {
            quiet_open(&m, 3);
            exec_set(&m, 0);
            m.exec.high = WAVE;
            m.exec.active = 0;
            for (uint32_t k = 0; k < WAVE; k++) {
                m.mask[k] = mask >> k & 1;
                m.exec.active += m.mask[k];
            }
            sim_view_memory view = view_of(&m, SIM_RACE_GLOBAL, 8);
            sim_race_read_all(&m.exec, 2, &view, 4);
            store_by(&m, SIM_RACE_GLOBAL, lid, 8);
            assert_int_equal(found_count(&m), (mask & ~(1u << lid)) != 0);
            quiet_close(&m);
        }
    }
}

/* A barrier whose memory scope is Device is also a release fence, of what precedes it: a relaxed
 * atomic that follows publishes that, and not what the work-item has done in between (OpenCL API
 * specification 3.0, section 3.3.6.3). */
static void test_barriers_as_fences(void **state)
{
    (void)state;
    static const uint32_t acquire_both = SIM_MemorySemanticsAcquire | BOTH;
    static model m;
    for (uint32_t i = 0; i < 3 * 2 * 3; i++) {
        uint32_t lid = i % 3, is_later = i / 3 % 2, how = i / 6; /* 0, 1: device; 2: group */
        uint32_t class = how == 1 ? SIM_RACE_LOCAL : SIM_RACE_GLOBAL;
        uint32_t packed =
            sim_order_pack(SIM_ScopeWorkgroup, how == 2 ? SIM_ScopeWorkgroup : SIM_ScopeDevice,
                           SIM_MemorySemanticsAcquireRelease | BOTH);
        sim_op op = {
            .site = 1, .stride = sim_order_pack(0, SIM_ScopeDevice, 0), .extra = SIM_ATOMIC_STORE};
        quiet_open(&m, 0);
        uint64_t flag = address_of(&m, SIM_RACE_GLOBAL, 0);
        if (!is_later) store_by(&m, class, (lid + 1) % 3, 8);
        sim_race_barrier(&m.launch, packed);
        if (is_later) store_by(&m, class, lid, 8);
        exec_set(&m, lid);
        sim_race_atomic(&m.exec, &op, lid, flag, 4, true);
        uint32_t reader = (lid + 2) % 3;
        if (class == SIM_RACE_GLOBAL) {
            m.group = 1;
            group_open(&m);
        }
        op.extra = SIM_ATOMIC_LOAD;
        exec_set(&m, reader);
        sim_race_atomic(&m.exec, &op, reader, flag, 4, false);
        sim_race_fence(&m.exec, sim_order_pack(0, SIM_ScopeDevice, acquire_both));
        load_by(&m, class, reader, 8);
        bool races = is_later || how == 2;
        if (found_count(&m) != races) fail_msg("case %u is judged wrongly", i);
        quiet_close(&m);
    }
}

/* A barrier that orders no memory completes no copy. */
static void test_barriers_without_memory(void **state)
{
    (void)state;
    static model m;
    copies_open(&m, 0);
    copies_run(&m, SIM_RACE_GLOBAL, "c1");
    sim_race_barrier(&m.launch, sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                                               SIM_MemorySemanticsAcquireRelease));
    assert_false(m.launch.race->copies.items[0].is_complete);
    copies_run(&m, SIM_RACE_GLOBAL, "b");
    assert_true(m.launch.race->copies.items[0].is_complete);
    copies_close(&m);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

enum { ROW_LANES = 32, ROW_BYTES = 1024 };

/* A group of 32 work-items, which form one wave, and memory of 1024 bytes in each class. */
static void rows_open(model *m)
{
    static const uint8_t nothing[ROW_BYTES];
    model_open(m, 0);
    assert_true(rt_ok(sim_object_create(m->world, ROW_BYTES, RT_TEXT("far"), &m->object)));
    sim_object_write(m->world, m->object, 0, ROW_BYTES, nothing);
    m->launch.locals.items[0].size = ROW_BYTES;
    sim_lane_memory_grow(&m->launch.locals_memory, ROW_BYTES, 0);
    launch_open(m, 0);
    sim_race_close(&m->launch);
    m->options.on_accessed = NULL;
    m->range =
        (sim_range){.global = {2 * ROW_LANES, 1, 1}, .local = {ROW_LANES, 1, 1}, .dimensions = 3};
    m->pool[SIM_SLOT_GROUP_ITEMS] = ROW_LANES;
    const sim_argument argument = {.kind = SIM_PARAMETER_GLOBAL, .object = m->object};
    sim_race_open(&m->launch, &argument);
    group_open(m);
}

typedef struct row_access {
    uint32_t class, size, value, alignment;
    bool is_store;
    uint32_t offsets[ROW_LANES];
    uint8_t mask[ROW_LANES];
} row_access;

static row_access row_draw(model *m)
{
    static const uint32_t sizes[] = {4, 4, 4, 8, 2, 1};
    row_access r = {.class = draw(m, 2), .size = sizes[draw(m, draw(m, 3) ? 4 : 6)]};
    uint32_t how = draw(m, 8), first = draw(m, ROW_LANES),
             last = first + draw(m, ROW_LANES - first);
    uint32_t start = draw(m, 4) ? 0 : draw(m, 8), mask_how = draw(m, 3);
    r.is_store = draw(m, 2);
    r.value = draw(m, 2);
    r.alignment = r.size == 8 && draw(m, 2) ? 4 : r.size; /* 4: lanes may overlap in part */
    for (uint32_t i = 0; i < ROW_LANES; i++) {
        uint32_t at = start + i; /* in elements */
        if (how == 4) at = start + ROW_LANES - 1 - i;
        if (how == 5) at = start + 2 * i;
        if (how == 6) at = draw(m, 64);
        if (how == 7) at = start + i / 2;
        r.offsets[i] = at * r.alignment;
        r.mask[i] = mask_how == 0 || (mask_how == 1 ? i >= first && i <= last : draw(m, 2));
    }
    r.mask[first] = 1;
    return r;
}

/* Performs the access row by row, if it can be handled like that, or lane by lane. Returns whether
 * it was handled as a row. */
static bool row_run(model *m, const row_access *r, bool by_row)
{
    sim_exec *x = &m->exec;
    sim_view_memory view = view_of(m, r->class, 0);
    sim_op op = {.site = r->is_store ? 1 : 2, .count = 1, .c = r->alignment};
    sim_register place = 0;
    sim_code_function function = {.places = &place};
    sim_frame frame = {.function = &function};
    uint8_t bytes[8];
    memset(bytes, (int)r->value, sizeof bytes);
    m->wave.first_item = 0;
    m->wave.lane_count = ROW_LANES;
    memcpy(m->mask, r->mask, ROW_LANES);
    memcpy(x->offsets, r->offsets, sizeof r->offsets);
    x->frame = &frame;
    x->high = ROW_LANES;
    x->active = 0;
    for (uint32_t i = 0; i < ROW_LANES; i++)
        x->active += r->mask[i];
    x->dense = x->active == ROW_LANES;
    sim_chunks_find(x->offsets, x->dense ? NULL : x->mask, ROW_LANES, r->size, ROW_BYTES - r->size,
                    x->kinds);
    bool is_done = by_row && (r->is_store ? SIM_NAME(sim_race_store)(x, &op, &view, r->size)
                                          : SIM_NAME(sim_race_load)(x, &op, &view, r->size));
    for (uint32_t i = 0; i < ROW_LANES; i++) {
        if (!r->mask[i]) continue;
        view.offset = r->offsets[i];
        if (!is_done && r->is_store) sim_race_write(x, op.site, i, &view, r->size, bytes);
        if (!is_done && !r->is_store) sim_race_read(x, op.site, i, &view, r->size);
        if (r->is_store) memcpy(view.data + view.offset, bytes, r->size);
    }
    x->frame = NULL;
    return is_done;
}

/* Rows that are handled at once leave the same findings as their lanes one by one. */
static void test_rows_and_lanes(void **state)
{
    (void)state;
    static model a, b;
    uint32_t orders = sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup,
                                     SIM_MemorySemanticsAcquireRelease | BOTH);
    uint32_t rows = 0, found = 0;
    for (uint32_t run = 0; run < 2000; run++) {
        rows_open(&a);
        rows_open(&b);
        a.random = 0x9e3779b97f4a7c15u * (run + 1);
        bool overlaps = false; /* then another one of several readers may be named */
        for (uint32_t step = 0; step < 12 && !found_count(&b); step++) {
            if (draw(&a, 3) == 0) {
                sim_race_barrier(&a.launch, orders);
                sim_race_barrier(&b.launch, orders);
            } else if (draw(&a, 8) == 0) {
                a.group = b.group = 1;
                group_open(&a);
                group_open(&b);
            } else if (draw(&a, 8) == 0) { /* as a release does */
                uint32_t lid = draw(&a, ROW_LANES);
                sim_race_stamp(a.launch.race, lid, 1);
                sim_race_stamp(b.launch.race, lid, 1);
            }
            row_access r = row_draw(&a);
            overlaps |= r.alignment < r.size;
            rows += row_run(&a, &r, true);
            row_run(&b, &r, false);
            assert_int_equal(found_count(&a), found_count(&b));
            for (uint32_t k = 0; k < found_count(&a); k++) {
                const sim_finding_row *got = &a.launch.findings.rows.items[k];
                const sim_finding_row *want = &b.launch.findings.rows.items[k];
                if (!overlaps) assert_string_equal(got->message.data, want->message.data);
                assert_int_equal(got->count, want->count);
                assert_int_equal(got->kind, want->kind);
                assert_int_equal(got->other_site, want->other_site);
                found++;
            }
        }
        quiet_close(&a);
        quiet_close(&b);
    }
    assert_true(rows > 1000 && found > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_launches),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_spinning),
        cmocka_unit_test(test_which_launches_are_checked),
        cmocka_unit_test(test_atomics_elsewhere),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_release_sequences),
        cmocka_unit_test(test_groups_begin_anew),
        cmocka_unit_test(test_what_barriers_order),
        cmocka_unit_test(test_when_loads_are_logged_again),
        cmocka_unit_test(test_limits_of_the_log),
        cmocka_unit_test(test_stamps_run_out),
        cmocka_unit_test(test_stamps_begin_anew_with_a_launch),
        cmocka_unit_test(test_stamps_of_copies),
        cmocka_unit_test(test_tracked_memory),
        cmocka_unit_test(test_cells_of_bytes),
        cmocka_unit_test(test_launches_forget_sites),
        cmocka_unit_test(test_too_much_to_know),
        cmocka_unit_test(test_too_much_to_search),
        cmocka_unit_test(test_nothing_to_acquire),
        cmocka_unit_test(test_arguments_of_copies),
        cmocka_unit_test(test_waits_for_copies),
        cmocka_unit_test(test_when_copies_are_open),
        cmocka_unit_test(test_copies_of_small_groups),
        cmocka_unit_test(test_copies_without_a_wait),
        cmocka_unit_test(test_joins),
        cmocka_unit_test(test_pairs_of_atomics),
        cmocka_unit_test(test_loads_in_the_log),
        cmocka_unit_test(test_barriers_and_the_log),
        cmocka_unit_test(test_what_is_left_when_stamps_run_out),
        cmocka_unit_test(test_copies_between_memories),
        cmocka_unit_test(test_waits_of_the_next_group),
        cmocka_unit_test(test_stores_of_the_same_value),
        cmocka_unit_test(test_places_of_others),
        cmocka_unit_test(test_narrow_atomics_are_noted),
        cmocka_unit_test(test_atomics_of_small_objects),
        cmocka_unit_test(test_loads_of_one_place),
        cmocka_unit_test(test_loads_of_lanes),
        cmocka_unit_test(test_barriers_as_fences),
        cmocka_unit_test(test_barriers_without_memory),
        cmocka_unit_test(test_rows_and_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
