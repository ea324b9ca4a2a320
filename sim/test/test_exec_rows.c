/* Compares loads and stores of whole rows of work-items with a model that makes them one after the
 * other: every width and type of index, vectors and members, indices in all the orders that kernels
 * have, some work-items only, partly undefined memory, indices and alignments that are wrong.  The
 * model decides the bytes, which bits are undefined, and how many work-items a finding concerns.
 * Accesses without a finding must also be made row by row: the quick way must not be lost. */
#include "sim/test/harness.h"

#include <string.h>

#define ITEMS_MAX 600u
#define ELEMENTS  1024u /* of each memory */
#define MARGIN    64    /* elements before the one with index 0 */
#define BYTES_MAX 16u

typedef enum way { PLAIN, CHOSEN, LOCAL, PRIVATE } way;

typedef struct access_case {
    const char *kernel;
    way way;
    uint32_t stride, first, size, alignment; /* bytes */
    uint32_t index_bytes;
    bool has_sign;
} access_case;

#define PLAIN_CASES(name, stride, first, size, alignment)                                          \
    {name "_uint", PLAIN, stride, first, size, alignment, 4, false},                               \
        {name "_int", PLAIN, stride, first, size, alignment, 4, true},                             \
    {                                                                                              \
        name "_long", PLAIN, stride, first, size, alignment, 8, true                               \
    }
#define THROUGH_CASES(name, size)                                                                  \
    {"local_" name, LOCAL, size, 0, size, size, 4, true},                                          \
    {                                                                                              \
        "private_" name, PRIVATE, size, 0, size, size, 4, true                                     \
    }
static const access_case cases[] = {
    PLAIN_CASES("uchar", 1, 0, 1, 1),
    PLAIN_CASES("ushort", 2, 0, 2, 2),
    PLAIN_CASES("uint", 4, 0, 4, 4),
    PLAIN_CASES("ulong", 8, 0, 8, 8),
    PLAIN_CASES("uchar4", 4, 0, 4, 4),
    PLAIN_CASES("uint2", 8, 0, 8, 8),
    PLAIN_CASES("uint4", 16, 0, 16, 16),
    PLAIN_CASES("ulong2", 16, 0, 16, 16),
    PLAIN_CASES("three", 12, 4, 4, 4),
    PLAIN_CASES("odd", 5, 1, 4, 1),
    {"chosen_uchar", CHOSEN, 1, 0, 1, 1, 4, true},
    {"chosen_uint", CHOSEN, 4, 0, 4, 4, 4, true},
    {"chosen_ulong", CHOSEN, 8, 0, 8, 8, 4, true},
    {"chosen_uint4", CHOSEN, 16, 0, 16, 16, 4, true},
    THROUGH_CASES("uchar", 1),
    THROUGH_CASES("ushort", 2),
    THROUGH_CASES("uint", 4),
    THROUGH_CASES("ulong", 8),
    THROUGH_CASES("uchar4", 4),
    THROUGH_CASES("uint2", 8),
    THROUGH_CASES("uint4", 16),
    THROUGH_CASES("ulong2", 16),
};

/* ---- The model ------------------------------------------------------------------------------ */

/* `unknown` marks bytes whose values the simulator chooses. */
typedef struct memory {
    uint8_t data[ELEMENTS * BYTES_MAX], undefined[ELEMENTS * BYTES_MAX];
    uint8_t unknown[ELEMENTS * BYTES_MAX];
    int64_t size, offset; /* of the object, and of the argument in it; bytes */
} contents;

typedef struct element {
    uint8_t data[BYTES_MAX], undefined[BYTES_MAX], unknown[BYTES_MAX];
} element;

typedef struct counts {
    uint64_t outside_loads, outside_stores, uneven_loads, uneven_stores;
} counts;

typedef struct plan {
    const access_case *c;
    uint32_t items, local;
    int64_t from_at[ITEMS_MAX], to_at[ITEMS_MAX];
    uint8_t active[ITEMS_MAX];
    contents from, to;
    counts wrong;
    bool is_regular; /* no index is outside or wraps around */
    bool is_defined; /* all that may be loaded is */
} plan;

/* Where an index leads; false, and counted, if the access is wrong. */
static bool place_find(const access_case *c, const contents *m, int64_t index, uint64_t *outside,
                       uint64_t *uneven, int64_t *out_at)
{
    *out_at = m->offset + (int64_t)((uint64_t)index * c->stride) + c->first;
    if (*out_at < 0 || *out_at > m->size - (int64_t)c->size) {
        ++*outside;
        return false;
    }
    if (*out_at % c->alignment) {
        ++*uneven;
        return false;
    }
    return true;
}

static element load(plan *p, const contents *m, int64_t index)
{
    element out = {0};
    int64_t at;
    memset(out.unknown, 1, sizeof out.unknown);
    if (!place_find(p->c, m, index, &p->wrong.outside_loads, &p->wrong.uneven_loads, &at))
        return out;
    memcpy(out.data, m->data + at, p->c->size);
    memcpy(out.undefined, m->undefined + at, p->c->size);
    memcpy(out.unknown, m->unknown + at, p->c->size);
    return out;
}

static void store(plan *p, contents *m, int64_t index, const element *e)
{
    int64_t at;
    if (!place_find(p->c, m, index, &p->wrong.outside_stores, &p->wrong.uneven_stores, &at)) return;
    memcpy(m->data + at, e->data, p->c->size);
    memcpy(m->undefined + at, e->undefined, p->c->size);
    memcpy(m->unknown + at, e->unknown, p->c->size);
}

/* Makes a memory of 16 elements undefined. */
static void scratch_clear(const access_case *c, contents *m)
{
    m->size = 16 * (int64_t)c->stride;
    memset(m->undefined, 0xff, (size_t)m->size);
    memset(m->unknown, 1, (size_t)m->size);
}

/* Loads come before stores: no plan stores to what another work-item loads. */
static void model_run(plan *p)
{
    const access_case *c = p->c;
    static contents scratch;
    for (uint32_t i = 0; i < p->items; i++) {
        int64_t number = i;
        element e;
        if ((c->way == LOCAL && i % p->local == 0) || c->way == PRIVATE) scratch_clear(c, &scratch);
        if (c->way == PRIVATE) {
            e = load(p, &p->from, number);
            store(p, &scratch, 3, &e);
        }
        if (c->way == LOCAL && i % p->local == 0) {
            for (uint32_t k = i; k < i + p->local; k++) {
                if (!p->active[k]) continue;
                e = load(p, &p->from, k);
                store(p, &scratch, p->to_at[k], &e);
            }
        }
        if (!p->active[i]) continue;
        if (c->way == PRIVATE) {
            e = load(p, &p->from, (int64_t)p->items + number);
            store(p, &scratch, p->to_at[i], &e);
        }
        int64_t index = p->from_at[i];
        const contents *source = c->way >= LOCAL ? &scratch : &p->from;
        if (c->way == CHOSEN) {
            source = index & 1 ? &p->to : &p->from;
            index >>= 1;
        }
        e = load(p, source, index);
        store(p, &p->to, c->way >= LOCAL ? number : p->to_at[i], &e);
    }
}

/* ---- Random plans --------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32) % below;
}

/* No two elements of a memory are alike for long. */
static void memory_draw(contents *m, const access_case *c, bool is_defined, uint64_t *state)
{
    m->size = ELEMENTS * c->stride;
    m->offset = MARGIN * c->stride;
    memset(m->unknown, 0, sizeof m->unknown);
    uint32_t size = (uint32_t)m->size;
    for (uint32_t i = 0; i < size; i++)
        m->data[i] = (uint8_t)(i * 151 + (i >> 8) * 7);
    for (uint32_t i = 0; i < size / 16 && !is_defined; i++)
        m->undefined[draw(state, size)] = (uint8_t)draw(state, 256);
}

/* A different index for each work-item, or, for loads, also the same one for several. */
static int64_t index_draw(uint32_t order, uint32_t i, uint32_t items, uint32_t shift)
{
    switch (order) {
    case 0: return (i + shift) % items;
    case 1: return items - 1 - i;
    case 2: return (int64_t)i * 7 % items; /* the numbers of work-items have no factor of 7 */
    case 3: return (int64_t)i - MARGIN / 2;
    case 4: return shift;
    case 5: return i / 3;
    default: return i;
    }
}

/* An index outside the memory, or a work-item's own one, at which it arrives because addresses wrap
 * around. */
static int64_t index_outside(const access_case *c, int64_t own, uint64_t *state)
{
    static const int64_t indices[] = {ELEMENTS - MARGIN, ELEMENTS, 1 << 27, -MARGIN - 3,
                                      -(1 << 27)};
    uint32_t which = draw(state, 6);
    if (which == 5 && c->index_bytes == 8 && c->way == PLAIN && (c->stride & (c->stride - 1)) == 0)
        return (int64_t)((uint64_t)own + (UINT64_C(1) << 63) / c->stride * 2);
    int64_t index = indices[which % 5];
    return index < 0 && !c->has_sign ? ELEMENTS : index;
}

static void plan_draw(plan *p, const access_case *c, uint32_t items, uint32_t local,
                      uint64_t *state)
{
    uint32_t from_order = draw(state, 8), to_order = draw(state, 7), mask = draw(state, 4);
    uint32_t shift = draw(state, items), wrong = draw(state, 3) ? 0 : 1 + draw(state, 20);
    uint32_t uneven = draw(state, 8);
    *p = (plan){.c = c, .items = items, .local = local, .is_regular = wrong == 0};
    p->is_defined = draw(state, 2);
    memory_draw(&p->from, c, p->is_defined, state);
    memory_draw(&p->to, c, draw(state, 2), state);
    if (uneven == 0) p->from.offset++;
    if (uneven == 1) p->to.offset += 2;
    if (c->way == CHOSEN) p->to.offset = p->to.size / 2;
    for (uint32_t i = 0; i < items; i++) {
        bool is_active = mask == 0   ? draw(state, 2)
                         : mask == 1 ? i % 32 < 21
                         : mask == 2 ? i != shift
                                     : true;
        p->active[i] = is_active;
        p->from_at[i] = index_draw(from_order, i, items, shift);
        p->to_at[i] = index_draw(to_order > 3 ? 6 : to_order, i, items, shift);
        if (!c->has_sign && p->from_at[i] < 0) p->from_at[i] += MARGIN;
        if (!c->has_sign && to_order == 3) p->to_at[i] += MARGIN;
        if (c->way >= LOCAL) p->from_at[i] &= 15;
        if (c->way == LOCAL) p->to_at[i] = i % local < 16 ? (i % local * 3) & 15 : 99;
        if (c->way == LOCAL && i % local >= 16) p->active[i] = 0;
        if (c->way == PRIVATE) p->to_at[i] = (p->to_at[i] * 5) & 15;
        /* What is stored begins in the middle; what is loaded from there ends before. */
        if (c->way == CHOSEN)
            p->from_at[i] = from_order & 1 ? -2 * (int64_t)i - 1 : 2 * p->from_at[i];
        if (c->way == CHOSEN && from_order == 2 && i % 3 == 0) p->from_at[i] = -2 * (int64_t)i - 1;
        if (c->way == CHOSEN) p->to_at[i] = i % (ELEMENTS / 2);
        if (wrong && draw(state, wrong) == 0 && c->way != CHOSEN) {
            if (draw(state, 2))
                p->from_at[i] = c->way >= LOCAL ? 16 : index_outside(c, p->from_at[i], state);
            else if (c->way == PLAIN)
                p->to_at[i] = index_outside(c, p->to_at[i], state);
        }
    }
}

/* ---- Running -------------------------------------------------------------------------------- */

static sim_object memory_make(harness *h, const char *label, const contents *m)
{
    bool is_defined = true;
    for (int64_t i = 0; i < m->size; i++)
        is_defined &= m->undefined[i] == 0;
    sim_object object = harness_memory(h, label, is_defined ? m->data : NULL, (size_t)m->size);
    if (is_defined) return object;
    sim_memory *memory = sim_world_memory(h->world, object);
    memcpy(memory->data, m->data, (size_t)m->size);
    for (int64_t i = 0; i < m->size; i++)
        memory->defined[i] = (uint8_t)~m->undefined[i];
    return object;
}

static sim_object indices_make(harness *h, const plan *p, const int64_t *indices)
{
    static uint8_t bytes[ITEMS_MAX * 8];
    for (uint32_t i = 0; i < p->items; i++)
        memcpy(bytes + i * p->c->index_bytes, &indices[i], p->c->index_bytes);
    return harness_memory(h, "indices", bytes, p->items * p->c->index_bytes);
}

static void bytes_judge(const harness *h, const plan *p, sim_object to)
{
    const sim_memory *memory = sim_world_memory(h->world, to);
    for (int64_t i = 0; i < p->to.size; i++) {
        uint8_t undefined = memory->all_defined ? 0 : (uint8_t)~memory->defined[i];
        bool is_known = !p->to.unknown[i];
        uint8_t known = (uint8_t)~p->to.undefined[i];
        if (undefined == p->to.undefined[i] &&
            (!is_known || ((memory->data[i] ^ p->to.data[i]) & known) == 0))
            continue;
        fail_msg("%s: byte %d is %#x/%#x, expected %#x/%#x", p->c->kernel, (int)i, memory->data[i],
                 undefined, p->to.data[i], p->to.undefined[i]);
    }
}

static void findings_judge(const harness *h, const plan *p)
{
    counts found = {0};
    for (uint32_t i = 0; i < h->finding_count; i++) {
        const sim_finding *f = &h->findings[i];
        bool is_load = strncmp(f->message.data, "load of", 7) == 0;
        bool is_outside = strcmp(f->kind, "out-of-bounds") == 0;
        if (!is_outside && strcmp(f->kind, "misaligned") != 0)
            fail_msg("%s: %s: %s", p->c->kernel, f->kind, f->message.data);
        *(is_outside ? is_load ? &found.outside_loads : &found.outside_stores
          : is_load  ? &found.uneven_loads
                     : &found.uneven_stores) += f->count;
    }
    if (memcmp(&found, &p->wrong, sizeof found) != 0)
        fail_msg("%s: out of bounds %u, %u, expected %u, %u; misaligned %u, %u, expected %u, %u",
                 p->c->kernel, (unsigned)found.outside_loads, (unsigned)found.outside_stores,
                 (unsigned)p->wrong.outside_loads, (unsigned)p->wrong.outside_stores,
                 (unsigned)found.uneven_loads, (unsigned)found.uneven_stores,
                 (unsigned)p->wrong.uneven_loads, (unsigned)p->wrong.uneven_stores);
}

static void plan_run(harness *h, plan *p, bool is_compiled)
{
    const access_case *c = p->c;
    uint64_t slow = h->world->lane_accesses;
    sim_tier_report before = sim_world_tier_report(h->world);
    sim_object from = memory_make(h, "from", &p->from), to = memory_make(h, "to", &p->to);
    sim_argument arguments[] = {harness_global(from),
                                harness_global(indices_make(h, p, p->from_at)),
                                harness_global(to),
                                harness_global(indices_make(h, p, p->to_at)),
                                harness_global(harness_memory(h, "active", p->active, p->items)),
                                harness_local(16 * c->stride)};
    arguments[0].offset = (uint64_t)p->from.offset;
    arguments[2].offset = (uint64_t)p->to.offset;
    harness_try(h, c->kernel, harness_range(p->items, p->local), arguments,
                c->way == LOCAL ? 6 : 5);
    if (!rt_ok(h->status)) fail_msg("%s", rt_sink_diagnostic(h->sink, h->status)->message.data);
    model_run(p);
    findings_judge(h, p);
    bytes_judge(h, p, to);
    slow = h->world->lane_accesses - slow;
    sim_tier_report after = sim_world_tier_report(h->world);
    bool is_quick = h->finding_count == 0 && p->is_regular && c->way == PLAIN;
    if (is_quick && slow) fail_msg("%s: %u accesses lane by lane", c->kernel, (unsigned)slow);
    if (is_compiled && is_quick && p->is_defined && after.undone != before.undone)
        fail_msg("%s: compiled code gave up because it %s", c->kernel, after.reason.data);
    if (is_compiled && after.compiled + after.undone == before.compiled + before.undone)
        fail_msg("%s is interpreted because it %s", c->kernel, after.reason.data);
    for (uint32_t i = 0; i < 5; i++)
        sim_object_destroy(h->world, arguments[i].object);
}

#define PLANS 6u

static void test_rows(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{16, 16}, {80, 40}, {300, 300}};
    static plan p;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("rows", level, engine);
        harness_memory(&h, "before all others", NULL, 64);
        for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            for (uint32_t k = 0; k < 3 * PLANS; k++) {
                uint64_t random = (1 + k + i * 100 + level * 10000) * 0x9e3779b97f4a7c15u;
                plan_draw(&p, &cases[i], sizes[k % 3][0], sizes[k % 3][1], &random);
                /* One after the other, work-items are slow. */
                h.schedule = k % 5 == 4 ? (sim_schedule)(1 + k / 5) : SIM_SCHEDULE_LOCKSTEP;
                plan_run(&h, &p, false);
            }
        }
        harness_close(&h);
    }
}

/* Compiled code gives up where an access may be wrong; after the second time, a kernel is no longer
 * compiled. */
static void test_compiled_rows(void **state)
{
    (void)state;
    static plan p;
    harness h = harness_open_file("rows", 1, sim_engine_best());
    if (!harness_compile(&h)) skip();
    harness_memory(&h, "before all others", NULL, 64);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i += 4) { /* compiling takes long */
        for (uint32_t k = 0, undone = 0; k < 4 * PLANS && undone < 2; k++) {
            uint64_t random = (1 + k + i * 100) * 0x9e3779b97f4a7c15u;
            sim_tier_report before = sim_world_tier_report(h.world);
            plan_draw(&p, &cases[i], k % 2 ? 80 : 300, k % 2 ? 40 : 300, &random);
            h.schedule = k % SIM_SCHEDULES;
            plan_run(&h, &p, true);
            undone += sim_world_tier_report(h.world).undone > before.undone;
        }
    }
    harness_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_compiled_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
