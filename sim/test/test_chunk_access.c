/* Tests of what compiled code calls (exec/chunk_access.c), in a context of this test. Launches show
 * only that compiled code and the interpreter agree, and code that gives up needlessly shows
 * nothing; here each call either gives up, for the expected reason, or does exactly what a plain
 * model does. The accesses are chosen at random, the same ones in every run. */
#include "sim/exec/chunk_access.h"
#include "sim/exec/undo.h"
#include "sim/test/harness.h"

#define LANES SIM_TIER_LANES
#define ALL   0xffffu
#define OWN   (SIM_ROW_GLOBAL_LINEAR * SIM_ROW_BYTES(8))

/* The base engine may be the only one of the build. */
#pragma weak sim_chunk_helpers_v3
#pragma weak sim_chunk_helpers_v4
static const sim_tier_helpers *helpers_at(uint32_t level)
{
    const sim_tier_helpers *const all[] = {&sim_chunk_helpers_base, &sim_chunk_helpers_v3,
                                           &sim_chunk_helpers_v4};
    return sim_engine_at(level) ? all[level] : NULL;
}
#define FOR_EACH_LEVEL(helpers)                                                                    \
    for (uint32_t level = 0; level < SIM_ENGINE_COUNT; level++)                                    \
        for (const sim_tier_helpers *helpers = helpers_at(level); helpers; helpers = NULL)

/* All levels are built from the same source, which the base engine's rounds test. */
#define ROUNDS(count) (level ? (count) / 8 : (count))

static uint64_t random_state = 1;
/* A number below the limit. */
static uint32_t pick(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 24) % limit);
}
static bool in_100(uint32_t times)
{
    return pick(100) < times;
}

static const uint32_t masks[] = {ALL,    ALL,    0x7fff, 0xfffe, 0x0ff0, 0x5555,
                                 0xf00f, 0x0001, 0x8000, 0x8001, 0x0300};
static uint32_t pick_mask(void)
{
    return masks[pick(sizeof masks / sizeof *masks)];
}

/* ---- The context ---------------------------------------------------------------------------- */

enum { ROOM = 2048, COMPONENTS = 16, ITEMS = 64, READS = 4 };

static _Alignas(64) uint8_t data[ROOM], defined[ROOM], values[COMPONENTS][SIM_TIER_ROW_BYTES];
static _Alignas(64) uint8_t rows[SIM_WAVE_ROWS * SIM_ROW_BYTES(8)];
static sim_launch_state launch;
static sim_race race;
static sim_exec exec;
static sim_race_shadow shadow;
static sim_tier_code code;
static sim_tier_context context;
static sim_tier_access watched; /* a store to the same object elsewhere in the kernel */
static sim_tier_access *watched_accesses[] = {&watched};
static sim_tier_read reads[READS];
static bool all_defined;

static void context_set(void)
{
    launch = (sim_launch_state){.race = &race};
    race = (sim_race){.is_on = true};
    exec = (sim_exec){.launch = &launch};
    code = (sim_tier_code){.accesses = watched_accesses, .access_count = 1};
    watched = (sim_tier_access){.bytes = 4, .count = 1, .is_store = true};
    context = (sim_tier_context){.rows = rows,
                                 .exec = &exec,
                                 .code = &code,
                                 .reads = reads,
                                 .reads_next = reads,
                                 .reads_end = reads + READS};
}

/* An access of elements of 1, 2, 4 or 8 bytes, of which some components of a load are used. */
static sim_tier_access access_pick(bool is_store)
{
    static const uint8_t counts[] = {1, 1, 1, 2, 3, 4, 8, 16};
    sim_tier_access a = {.is_store = is_store, .bytes = (uint8_t)(1u << pick(4))};
    a.count = counts[pick(sizeof counts)];
    a.alignment = a.bytes;
    a.high = a.count;
    if (!is_store && in_100(40)) a.low = (uint8_t)pick(a.count);
    if (!is_store && in_100(40)) a.high = (uint8_t)(a.low + 1 + pick(a.count - a.low));
    a.view.key = UINT64_MAX;
    return a;
}

static uint32_t width_of(const sim_tier_access *a)
{
    return (uint32_t)__builtin_ctz(a->bytes);
}
static uint32_t size_of(const sim_tier_access *a)
{
    return (uint32_t)a->bytes * a->count;
}

/* Returns what the call returned, which gives a reason if and only if it is 0. */
static bool is_done(uint32_t returned, sim_tier_reason *out_reason)
{
    *out_reason = (sim_tier_reason)context.reason;
    if (returned > 1) fail_msg("returns %u", returned);
    if (returned) assert_int_equal(*out_reason, SIM_TIER_NO_REASON);
    return returned;
}
static uint32_t do_load(const sim_tier_helpers *h, const sim_tier_access *a, uint32_t kind,
                        uint32_t mask, const uint32_t *at)
{
    context.reason = SIM_TIER_NO_REASON;
    return h->load[width_of(a)](&context, a, kind, mask, at, values);
}
static uint32_t do_store(const sim_tier_helpers *h, const sim_tier_access *a, uint32_t kind,
                         uint32_t mask, const uint32_t *at)
{
    context.reason = SIM_TIER_NO_REASON;
    return h->store[width_of(a)](&context, a, kind, mask, at, values);
}

/* ---- Values --------------------------------------------------------------------------------- */

static void memory_fill(void)
{
    for (uint32_t i = 0; i < ROOM; i++)
        data[i] = (uint8_t)pick(256);
    for (uint32_t k = 0; k < COMPONENTS; k++) {
        for (uint32_t i = 0; i < SIM_TIER_ROW_BYTES; i++)
            values[k][i] = (uint8_t)pick(256);
    }
    memset(defined, 0xff, sizeof defined);
}

static uint32_t layout_pick(uint32_t size, uint32_t *at)
{
    uint32_t kind = pick(3), first = pick(ROOM - LANES * size + 1);
    for (uint32_t i = 0; i < LANES; i++) {
        if (kind == SIM_TIER_RUN) at[i] = first + i * size;
        if (kind == SIM_TIER_SAME) at[i] = first;
        if (kind == SIM_TIER_MIXED) at[i] = pick(in_100(50) ? ROOM / size : 8) * size;
    }
    return kind;
}

/* Memory whose bytes are defined but one, or for which that is not examined. */
static sim_tier_view view_pick(const uint32_t *at, uint32_t size)
{
    sim_tier_view view = {.key = UINT64_MAX, .data = data, .end = ROOM - size + 1};
    uint32_t state = pick(4);
    all_defined = state == 1;
    if (state > 0) view.defined = defined;
    if (state < 3) view.all_defined = &all_defined;
    if (state > 0) defined[at[pick(LANES)] + pick(size)] = (uint8_t) ~(1u << pick(8));
    return view;
}

static void load_check(const sim_tier_helpers *h)
{
    sim_tier_access a = access_pick(false);
    uint32_t at[LANES], kind = layout_pick(size_of(&a), at), mask = pick_mask();
    bool is_undefined = false;
    sim_tier_reason reason;
    memory_fill();
    a.view = view_pick(at, size_of(&a));
    bool is_examined = a.view.defined && !all_defined;
    for (uint32_t i = 0; i < LANES; i++) {
        for (uint32_t b = a.low * a.bytes; b < (uint32_t)a.high * a.bytes; b++)
            is_undefined |= is_examined && mask >> i & 1 && defined[at[i] + b] != 0xff;
    }
    if (is_done(do_load(h, &a, kind, mask, at), &reason) == is_undefined)
        fail_msg("defined or not: %u of %u bytes, kind %u", a.count, a.bytes, kind);
    if (is_undefined) assert_int_equal(reason, SIM_TIER_UNDEFINED);
    for (uint32_t i = 0; !is_undefined && i < LANES; i++) {
        for (uint32_t k = a.low; mask >> i & 1 && k < a.high; k++)
            assert_memory_equal(values[k] + i * a.bytes, data + at[i] + k * a.bytes, a.bytes);
    }
}

static void store_check(const sim_tier_helpers *h)
{
    static uint8_t data_wanted[ROOM], defined_wanted[ROOM];
    sim_tier_access a = access_pick(true);
    uint32_t at[LANES], kind = layout_pick(size_of(&a), at), mask = pick_mask();
    sim_tier_reason reason;
    memory_fill();
    a.view = view_pick(at, size_of(&a));
    bool defines = a.view.defined && !all_defined;
    memcpy(data_wanted, data, ROOM);
    memcpy(defined_wanted, defined, ROOM);
    for (uint32_t i = 0; i < LANES; i++) {
        if (!(mask >> i & 1)) continue;
        for (uint32_t k = 0; k < a.count; k++)
            memcpy(data_wanted + at[i] + k * a.bytes, values[k] + i * a.bytes, a.bytes);
        if (defines) memset(defined_wanted + at[i], 0xff, size_of(&a));
    }
    assert_true(is_done(do_store(h, &a, kind, mask, at), &reason));
    assert_memory_equal(data, data_wanted, ROOM);
    assert_memory_equal(defined, defined_wanted, ROOM);
}

static void test_values(void **state)
{
    (void)state;
    FOR_EACH_LEVEL(helpers)
    {
        context_set();
        for (uint32_t round = 0; round < ROUNDS(8000); round++) {
            load_check(helpers);
            store_check(helpers);
        }
    }
}

/* ---- Races ---------------------------------------------------------------------------------- */

/* Who has accessed a byte, by kind of access: work-items of the running group since the last
 * barrier, any of that group, and earlier groups of the launch. */
static struct {
    uint64_t now[SIM_RACE_KINDS];
    bool in_group[SIM_RACE_KINDS], is_older[SIM_RACE_KINDS];
} known[ROOM];
static bool is_new[SIM_RACE_KINDS]; /* there are accesses of the kind since the last barrier */
static sim_race_class class;

#define BIT(kind) (1u << (kind))

static bool is_open(uint32_t byte, uint32_t kinds, uint32_t lid)
{
    for (uint32_t k = 0; k < SIM_RACE_KINDS; k++) {
        if (!(kinds & BIT(k))) continue;
        if (known[byte].is_older[k] || known[byte].now[k] & ~(UINT64_C(1) << lid)) return true;
    }
    return false;
}

/* Some byte [at + first, size bytes) of an active lane has an access of the kinds that is not
 * ordered before it. */
static bool is_any_open(uint32_t lid, uint32_t mask, const uint32_t *at, uint32_t first,
                        uint32_t size, uint32_t kinds)
{
    for (uint32_t i = 0; i < LANES; i++) {
        for (uint32_t b = 0; mask >> i & 1 && b < size; b++) {
            if (is_open(at[i] + first + b, kinds, lid + i)) return true;
        }
    }
    return false;
}

static bool lanes_overlap(uint32_t mask, const uint32_t *at, uint32_t size)
{
    for (uint32_t i = 0; i < LANES; i++) {
        for (uint32_t k = 0; k < i; k++) {
            bool is_near = at[i] < at[k] + size && at[k] < at[i] + size;
            if (mask >> i & mask >> k & 1 && is_near) return true;
        }
    }
    return false;
}

static void bytes_note(sim_race_kind kind, uint32_t lid, uint32_t mask, const uint32_t *at,
                       uint32_t first, uint32_t size)
{
    is_new[kind] = true;
    for (uint32_t i = 0; i < LANES; i++) {
        for (uint32_t b = 0; mask >> i & 1 && b < size; b++) {
            known[at[i] + first + b].now[kind] |= UINT64_C(1) << (lid + i);
            known[at[i] + first + b].in_group[kind] = true;
        }
    }
}

static void barrier_pass(void)
{
    sim_race_clock *clock = &race.clocks[class];
    clock->base = clock->ordered_from = clock->next;
    clock->next += ITEMS;
    memset(is_new, 0, sizeof is_new);
    for (uint32_t i = 0; i < ROOM; i++)
        memset(known[i].now, 0, sizeof known[i].now);
    context.reads_next = reads;
    if (context.views_change) sim_chunk_views_renew(&context);
}

static void group_begin(void)
{
    sim_race_clock *clock = &race.clocks[class];
    clock->group_first = clock->next;
    if (class == SIM_RACE_LOCAL) clock->launch_first = clock->next;
    for (uint32_t i = 0; i < ROOM; i++) {
        for (uint32_t k = 0; k < SIM_RACE_KINDS; k++) {
            known[i].is_older[k] |= class == SIM_RACE_GLOBAL && known[i].in_group[k];
            known[i].in_group[k] = false;
        }
    }
    context.views_change = true;
    barrier_pass();
}

static void launch_begin(bool is_clear)
{
    race.clocks[class].launch_first = race.clocks[class].next;
    race.clocks[class].is_split = false;
    for (uint32_t k = 0; is_clear && k < SIM_RACE_KINDS; k++) {
        rt_free(shadow.cells[k]);
        shadow.cells[k] = NULL;
        shadow.from[k] = 0;
        shadow.shift = 2;
    }
    memset(known, 0, sizeof known);
    group_begin();
}

/* Stores in line are possible if only their own cells can tell of accesses that are not ordered. */
static void watched_check(void)
{
    if (class != SIM_RACE_LOCAL) return;
    const sim_tier_view *view = &watched.view;
    bool is_in_line = shadow.shift == 2 && shadow.cells[SIM_RACE_WRITES] &&
                      !is_new[SIM_RACE_READS] && !is_new[SIM_RACE_ATOMIC_READS] &&
                      !is_new[SIM_RACE_ATOMIC_WRITES];
    uint64_t flags = all_defined ? 0 : SIM_TIER_SHADOWED;
    assert_int_equal(view->loads, SIM_TIER_HELPED);
    assert_int_equal(view->stores, is_in_line ? flags : SIM_TIER_HELPED);
    if (!is_in_line) return;
    assert_ptr_equal(view->writes, shadow.cells[SIM_RACE_WRITES]);
    assert_ptr_equal(view->writes_from, &shadow.from[SIM_RACE_WRITES]);
}

/* Where the lanes of the chunk from that work-item on access memory. */
static uint32_t race_layout_pick(uint32_t lid, uint32_t size, uint32_t *at)
{
    uint32_t shape = pick(100), first = pick(ROOM / size - LANES + 1) * size, turn = pick(16);
    bool has_own = ITEMS * size <= ROOM && in_100(75);
    if (has_own) first = lid * size;
    uint32_t shift = in_100(3) ? pick(4) : 0;
    if (first + LANES * size + shift > ROOM) shift = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        at[i] = first + i * size + shift;
        if (shape >= 50 && shape < 85) at[i] = first + (i ^ turn) * size + shift;
        if (shape >= 85 && shape < 90) at[i] = first + shift;
        if (shape >= 90) at[i] = pick((ROOM - size) / 4) * 4;
    }
    return shape < 50 ? SIM_TIER_RUN : shape >= 85 && shape < 90 ? SIM_TIER_SAME : SIM_TIER_MIXED;
}

static bool race_load_try(const sim_tier_helpers *h, uint32_t lid)
{
    sim_tier_access a = access_pick(false);
    uint32_t at[LANES], kind = race_layout_pick(lid, size_of(&a), at), mask = pick_mask();
    uint32_t first = a.low * a.bytes, size = (uint32_t)(a.high - a.low) * a.bytes;
    a.view = (sim_tier_view){.data = data, .race = &shadow, .clock = &race.clocks[class]};
    bool is_race =
        race.clocks[class].is_split ||
        is_any_open(lid, mask, at, first, size, BIT(SIM_RACE_WRITES) | BIT(SIM_RACE_ATOMIC_WRITES));
    sim_tier_reason reason;
    context.lid = lid;
    if (is_done(do_load(h, &a, kind, mask, at), &reason) == is_race)
        fail_msg("a load of %u times %u bytes, kind %u, lanes %x: %d", a.count, a.bytes, kind, mask,
                 is_race);
    if (is_race) assert_int_equal(reason, SIM_TIER_RACE);
    if (!is_race) bytes_note(SIM_RACE_READS, lid, mask, at, first, size);
    return !is_race;
}

static bool race_store_try(const sim_tier_helpers *h, uint32_t lid)
{
    sim_tier_access a = access_pick(true);
    uint32_t at[LANES], kind = race_layout_pick(lid, size_of(&a), at), mask = pick_mask();
    a.view = (sim_tier_view){.data = data, .race = &shadow, .clock = &race.clocks[class]};
    bool is_race = race.clocks[class].is_split || lanes_overlap(mask, at, size_of(&a)) ||
                   is_any_open(lid, mask, at, 0, size_of(&a), UINT32_MAX);
    sim_tier_reason reason;
    context.lid = lid;
    if (is_done(do_store(h, &a, kind, mask, at), &reason) == is_race)
        fail_msg("a store of %u times %u bytes, kind %u, lanes %x: %d", a.count, a.bytes, kind,
                 mask, is_race);
    if (is_race) assert_int_equal(reason, SIM_TIER_RACE);
    if (!is_race) bytes_note(SIM_RACE_WRITES, lid, mask, at, 0, size_of(&a));
    return !is_race;
}

static bool race_atomic_try(const sim_tier_helpers *h, uint32_t lid)
{
    sim_tier_access a = {.bytes = in_100(50) ? 4 : 8,
                         .count = 1,
                         .is_store = true,
                         .is_atomic = true,
                         .operation = SIM_ATOMIC_ADD};
    uint32_t at[LANES], mask = pick_mask();
    uint64_t addresses[LANES], origin = sim_address_of(SIM_CLASS_GLOBAL, 1);
    (void)race_layout_pick(lid, a.bytes, at);
    for (uint32_t i = 0; i < LANES; i++) {
        at[i] &= ~(a.bytes - 1u);
        addresses[i] = origin + at[i];
    }
    a.view = (sim_tier_view){.key = SIM_TIER_KEY(origin),
                             .data = data,
                             .end = ROOM - a.bytes + 1u,
                             .race = &shadow,
                             .clock = &race.clocks[class]};
    bool is_race =
        race.clocks[class].is_split ||
        is_any_open(lid, mask, at, 0, a.bytes, BIT(SIM_RACE_WRITES) | BIT(SIM_RACE_READS));
    sim_tier_reason reason;
    context.lid = lid;
    context.reason = SIM_TIER_NO_REASON;
    uint32_t returned = h->atomic[width_of(&a)](&context, &a, mask, addresses, values);
    if (is_done(returned, &reason) == is_race) fail_msg("an atomic: %d", is_race);
    if (is_race) assert_int_equal(reason, SIM_TIER_RACE);
    if (!is_race) bytes_note(SIM_RACE_ATOMIC_WRITES, lid, mask, at, 0, a.bytes);
    return !is_race;
}

/* An atomic load by one work-item, which compiled code does not make. */
static void atomic_read_add(uint32_t lid)
{
    const sim_race_clock *clock = &race.clocks[class];
    uint32_t at[LANES] = {pick(ROOM / 4) * 4};
    if (is_any_open(lid, 1, at, 0, 4, BIT(SIM_RACE_WRITES))) return;
    sim_race_cells_make(&shadow, SIM_RACE_ATOMIC_READS, 0);
    for (uint32_t c = at[0] >> shadow.shift; c <= (at[0] + 3) >> shadow.shift; c++) {
        uint32_t byte = c << shadow.shift, stamp = clock->base + lid;
        if (is_open(byte, BIT(SIM_RACE_ATOMIC_READS), lid)) stamp |= SIM_RACE_SEVERAL;
        if (known[byte].is_older[SIM_RACE_ATOMIC_READS]) stamp |= SIM_RACE_OLDER;
        shadow.cells[SIM_RACE_ATOMIC_READS][c] = stamp;
    }
    shadow.from[SIM_RACE_ATOMIC_READS] = clock->ordered_from;
    bytes_note(SIM_RACE_ATOMIC_READS, lid, 1, at, 0, 4);
    sim_chunk_views_renew(&context);
}

/* The loads that the log has, as the log's model. */
static struct logged {
    sim_tier_access access;
    uint32_t at[LANES];
} logged[READS];

static bool log_is_open(uint32_t number)
{
    const sim_tier_access *a = &logged[number].access;
    return is_any_open(reads[number].lid, reads[number].mask, logged[number].at,
                       (uint32_t)a->low * a->bytes, (uint32_t)(a->high - a->low) * a->bytes,
                       BIT(SIM_RACE_WRITES) | BIT(SIM_RACE_ATOMIC_WRITES));
}

static bool log_check_try(const sim_tier_helpers *h)
{
    uint32_t count = (uint32_t)(context.reads_next - reads);
    bool is_race = count > 0 && race.clocks[class].is_split;
    sim_tier_reason reason;
    for (uint32_t i = 0; i < count; i++)
        is_race |= log_is_open(i);
    context.reason = SIM_TIER_NO_REASON;
    if (is_done(h->log_check(&context), &reason) == is_race) fail_msg("the log: %d", is_race);
    if (is_race) assert_int_equal(reason, SIM_TIER_RACE);
    assert_ptr_equal(context.reads_next, reads + count);
    return !is_race;
}

static bool log_add_try(const sim_tier_helpers *h, uint32_t lid)
{
    uint32_t count = (uint32_t)(context.reads_next - reads);
    if (count == READS) {
        bool is_race = race.clocks[class].is_split;
        sim_tier_reason reason;
        for (uint32_t i = 0; i < count && !is_race; i++) {
            const sim_tier_access *a = &logged[i].access;
            is_race = log_is_open(i);
            if (!is_race)
                bytes_note(SIM_RACE_READS, reads[i].lid, reads[i].mask, logged[i].at,
                           (uint32_t)a->low * a->bytes, (uint32_t)(a->high - a->low) * a->bytes);
        }
        context.reason = SIM_TIER_NO_REASON;
        if (is_done(h->log_flush(&context), &reason) == is_race)
            fail_msg("emptying the log: %d", is_race);
        if (is_race) assert_int_equal(reason, SIM_TIER_RACE);
        if (is_race) return false;
        assert_ptr_equal(context.reads_next, reads);
        count = 0;
    }
    struct logged *l = &logged[count];
    l->access = access_pick(false);
    uint32_t kind = race_layout_pick(lid, size_of(&l->access), l->at), mask = pick_mask();
    reads[count] = (sim_tier_read){.race = &shadow,
                                   .access = &l->access,
                                   .mask = mask,
                                   .lid = lid,
                                   .kind = kind,
                                   .first = kind == SIM_TIER_MIXED ? 0 : l->at[0]};
    for (uint32_t i = 0; kind == SIM_TIER_MIXED && i < LANES; i++)
        reads[count].at[i] = mask >> i & 1 ? l->at[i] : 0;
    context.reads_next++;
    return true;
}

static bool race_step(const sim_tier_helpers *h)
{
    uint32_t what = pick(100), lid = pick(ITEMS / LANES) * LANES;
    if (what < 35) return race_load_try(h, lid);
    if (what < 60) return race_store_try(h, lid);
    if (what < 70) return race_atomic_try(h, lid);
    if (what < 72) atomic_read_add(lid + pick(LANES));
    if (what >= 72 && what < 82 && class == SIM_RACE_LOCAL) return log_add_try(h, lid);
    if (what >= 82 && what < 94) {
        if (class == SIM_RACE_LOCAL && !log_check_try(h)) return false;
        if (what >= 84) barrier_pass();
    }
    if (what >= 94 && what < 98) group_begin();
    if (what == 98) launch_begin(false);
    if (what == 99 && in_100(20)) {
        race.clocks[class].is_split = true;
        sim_chunk_views_renew(&context);
        bool is_race = class == SIM_RACE_LOCAL ? !log_check_try(h) : false;
        if (!is_race) is_race = !race_load_try(h, lid) && !race_store_try(h, lid);
        assert_true(is_race && !race_atomic_try(h, lid));
        return false;
    }
    return true;
}

static void test_races(void **state)
{
    (void)state;
    FOR_EACH_LEVEL(helpers)
    {
        for (uint32_t round = 0; round < 4; round++) {
            uint32_t races = 0, steps = ROUNDS(20000);
            class = round % 2 ? SIM_RACE_LOCAL : SIM_RACE_GLOBAL;
            context_set();
            all_defined = round < 2;
            shadow = (sim_race_shadow){.size = ROOM, .shift = 2, .class = (uint8_t) class};
            race.clocks[class].next = 1000;
            if (class == SIM_RACE_LOCAL)
                watched.view = (sim_tier_view){.key = UINT64_MAX,
                                               .data = data,
                                               .defined = defined,
                                               .all_defined = &all_defined,
                                               .race = &shadow,
                                               .clock = &race.clocks[class]};
            launch_begin(true);
            for (uint32_t step = 0; step < steps; step++) {
                if (!race_step(helpers)) {
                    launch_begin(in_100(60));
                    races++;
                }
                watched_check();
            }
            /* Both ends are common. */
            assert_in_range(races, steps / 30, steps * 2 / 3);
            launch_begin(true);
        }
    }
}

/* ---- Work-items' own parts ------------------------------------------------------------------ */

enum { OBJECTS = 66 };
static sim_undo undo;
static sim_memory memories[OBJECTS];
static uint8_t saved[ROOM], is_saved[1];

static void undo_set(uint32_t items)
{
    undo = (sim_undo){.items = items};
    for (uint32_t i = 0; i < OBJECTS; i++) {
        memories[i] = (sim_memory){.data = data, .size = ROOM, .all_defined = true};
        *rt_vector_push(&undo.objects) = (sim_undo_object){
            .memory = &memories[i], .data = saved, .is_saved = is_saved, .is_whole = true};
    }
    context.undo = &undo;
}

static void ids_set(const uint64_t *ids)
{
    memcpy(rows + OWN, ids, LANES * sizeof *ids);
}

/* The parts of the work-items, as far as the accesses up to now have shown them. */
typedef struct parts {
    sim_own_state state;
    int64_t first, stride;
} parts;

static parts parts_learn(const uint64_t *ids, uint32_t mask, const uint32_t *at, uint32_t first,
                         uint32_t size)
{
    const parts shared = {.state = SIM_OWN_SHARED};
    uint32_t low = 0, next;
    while (!(mask >> low & 1))
        low++;
    for (next = low + 1; next < LANES && !(mask >> next & 1);)
        next++;
    if (next == LANES) return shared;
    int64_t distance = (int64_t)at[next] - at[low], step = (int64_t)(ids[next] - ids[low]);
    if (distance <= 0 || step == 0 || distance % step) return shared;
    int64_t stride = distance / step;
    if (stride < size || stride > (INT64_C(1) << 32) / (int64_t)undo.items) return shared;
    return (parts){SIM_OWN_KEPT, (int64_t)at[low] + first - (int64_t)ids[low] * stride, stride};
}

/* All lanes' accesses are in their parts, or all as many periods on. */
static bool parts_hold(const parts *p, const uint64_t *ids, uint32_t mask, const uint32_t *at,
                       uint32_t first, uint32_t size)
{
    int64_t period = p->stride * (int64_t)undo.items, turn = 0;
    bool is_first = true;
    for (uint32_t i = 0; i < LANES; i++) {
        if (!(mask >> i & 1)) continue;
        int64_t in = (int64_t)at[i] + first - p->first - (int64_t)ids[i] * p->stride, of = 0;
        for (; in < 0; of--)
            in += period;
        for (; in >= period; of++)
            in -= period;
        if (in + size > p->stride || (!is_first && of != turn)) return false;
        turn = of;
        is_first = false;
    }
    return true;
}

static bool is_recorded(void)
{
    for (uint32_t k = 0; k < SIM_RACE_KINDS; k++) {
        if (shadow.cells[k]) return true;
    }
    return false;
}

/* Where the lanes access memory; false if that is outside. */
static bool own_layout_pick(uint32_t size, const uint64_t *ids, int64_t first, int64_t stride,
                            uint32_t *at)
{
    int64_t more = (int64_t)pick(4) * (int64_t)undo.items * stride;
    uint32_t wrong = in_100(25) ? pick(LANES) : LANES;
    bool is_adjacent = in_100(15);
    if (in_100(50)) more = 0;
    if (stride > size && in_100(50)) more += pick((uint32_t)stride - size + 2);
    for (uint32_t i = 0; i < LANES; i++) {
        /* Adjacent places are not those of work-items whose ids are not. */
        uint64_t id = is_adjacent ? ids[0] + i : ids[i];
        int64_t place = first + (int64_t)id * stride + more;
        if (i == wrong) place += (in_100(50) ? 1 : -1) * (in_100(50) ? 1 : stride);
        if (place < 0 || place + size > ROOM) return false;
        at[i] = (uint32_t)place;
    }
    return true;
}

/* Accesses to one object up to the first one that must be recorded. */
static void own_try(const sim_tier_helpers *h)
{
    static const uint32_t numbers[] = {0, 1, 62, 63, 65};
    static const uint32_t item_counts[] = {16, 20, 32, 48, 1u << 26, 1u << 28};
    uint32_t number = numbers[pick(5)], at[LANES], kind;
    int64_t stride = (int64_t[]){1, 4, 8, 16, 24}[pick(5)], first = pick(64);
    sim_own_state begin = in_100(8) ? SIM_OWN_SHARED : in_100(8) ? SIM_OWN_ATOMIC : 0;
    parts p = {.state = begin};
    context_set();
    memset(data, 0, sizeof data);
    undo_set(item_counts[pick(6)]);
    sim_undo_object *object = &undo.objects.items[number];
    object->own = begin;
    class = SIM_RACE_GLOBAL;
    shadow = (sim_race_shadow){.size = ROOM, .shift = 2};
    race.clocks[class] = (sim_race_clock){
        .launch_first = 1000, .group_first = 1000, .ordered_from = 1000, .base = 1000};
    for (uint32_t step = 0; step < 12; step++) {
        uint64_t ids[LANES], base = pick(3) * 16, jump = in_100(20) ? 16 : 0;
        for (uint32_t i = 0; i < LANES; i++)
            ids[i] = base + i + (i >= 8 ? jump : 0);
        ids_set(ids);
        bool is_atomic = in_100(10), is_store = is_atomic || in_100(50);
        sim_tier_access a = access_pick(is_store);
        if (is_atomic) a = (sim_tier_access){.bytes = 4, .count = 1, .operation = SIM_ATOMIC_ADD};
        uint32_t size = size_of(&a), mask = pick_mask();
        if (!own_layout_pick(size, ids, first, stride, at)) continue;
        if (is_atomic) {
            for (uint32_t i = 0; i < LANES; i++)
                at[i] &= ~3u;
        }
        bool is_run = !is_atomic, is_same = !is_atomic;
        for (uint32_t i = 1; i < LANES; i++) {
            is_run &= at[i] == at[0] + i * size;
            is_same &= at[i] == at[0];
        }
        uint32_t low = a.low * a.bytes, read = (uint32_t)(a.high - a.low) * a.bytes;
        if (is_store) low = 0, read = size;
        kind = is_run ? SIM_TIER_RUN : is_same ? SIM_TIER_SAME : SIM_TIER_MIXED;
        a.view = (sim_tier_view){.key = 1,
                                 .data = data,
                                 .end = ROOM - size + 1,
                                 .race = &shadow,
                                 .clock = &race.clocks[class],
                                 .undo = object};
        /* What must be the outcome. */
        bool is_late = false, is_part = false, was_unknown = p.state == SIM_OWN_UNKNOWN;
        if (is_atomic) {
            is_late = p.state == SIM_OWN_KEPT;
            if (was_unknown) p.state = SIM_OWN_ATOMIC;
            is_part = p.state == SIM_OWN_ATOMIC;
        } else if (p.state == SIM_OWN_ATOMIC) {
            is_late = true;
        } else if (p.state != SIM_OWN_SHARED) {
            if (was_unknown) p = parts_learn(ids, mask, at, low, read);
            is_part = p.state == SIM_OWN_KEPT && parts_hold(&p, ids, mask, at, low, read);
            is_late = !was_unknown && !is_part;
            if (was_unknown && !is_part) p.state = SIM_OWN_SHARED;
        }
        bool races = !is_part && is_store && !is_atomic && lanes_overlap(mask, at, size);
        uint64_t addresses[LANES];
        for (uint32_t i = 0; i < LANES; i++)
            addresses[i] = sim_address_of(SIM_CLASS_GLOBAL, 1) + at[i];
        a.view.key = SIM_TIER_KEY(addresses[0]);
        sim_tier_reason reason;
        context.shared = 0;
        context.reason = SIM_TIER_NO_REASON;
        uint32_t returned = is_atomic  ? h->atomic[2](&context, &a, mask, addresses, values)
                            : is_store ? do_store(h, &a, kind, mask, at)
                                       : do_load(h, &a, kind, mask, at);
        if (is_done(returned, &reason) == (is_late || races))
            fail_msg("state %d, %s: returns %u", (int)p.state, is_part ? "a part" : "", returned);
        assert_int_equal(object->own, p.state);
        assert_int_equal(is_recorded(), !is_part && !is_late);
        assert_int_equal(context.shared, is_late ? UINT64_C(1) << (number < 63 ? number : 63) : 0);
        if (is_late) assert_int_equal(reason, SIM_TIER_SHARED);
        if (races && !is_late) assert_int_equal(reason, SIM_TIER_RACE);
        if (!is_part) break;
    }
    for (uint32_t k = 0; k < SIM_RACE_KINDS; k++)
        rt_free(shadow.cells[k]);
    rt_vector_free(&undo.objects);
}

static void test_own(void **state)
{
    (void)state;
    FOR_EACH_LEVEL(helpers)
    {
        for (uint32_t round = 0; round < ROUNDS(12000); round++)
            own_try(helpers);
    }
}

/* ---- What stores save ----------------------------------------------------------------------- */

enum { PAGES = 6, PAGED = PAGES * SIM_UNDO_PAGE - 100 };

static void test_saved_pages(void **state)
{
    (void)state;
    static _Alignas(64) uint8_t now[PAGED], bits[PAGED], before[PAGED], bits_before[PAGED],
        kept[PAGES * SIM_UNDO_PAGE], kept_bits[PAGES * SIM_UNDO_PAGE];
    uint8_t flags[PAGES], wanted[PAGES];
    FOR_EACH_LEVEL(helpers)
    {
        for (uint32_t round = 0; round < ROUNDS(2000); round++) {
            context_set();
            undo = (sim_undo){.items = 1};
            for (uint32_t i = 0; i < PAGED; i++)
                now[i] = before[i] = (uint8_t)(i * 7 + i / 256), bits[i] = bits_before[i] = 0;
            memset(kept, 0, sizeof kept);
            memset(kept_bits, 0, sizeof kept_bits);
            memset(flags, 0, sizeof flags);
            memset(wanted, 0, sizeof wanted);
            bool has_bits = in_100(50), is_all = false;
            sim_memory memory = {
                .data = now, .defined = bits, .size = PAGED, .all_defined = !has_bits};
            *rt_vector_push(&undo.objects) =
                (sim_undo_object){.memory = &memory,
                                  .data = kept,
                                  .defined = has_bits ? kept_bits : NULL,
                                  .is_saved = flags};
            sim_undo_object *object = &undo.objects.items[0];
            context.undo = &undo;
            for (uint32_t step = pick(3) + 1; step > 0; step--) {
                sim_tier_access a = access_pick(true);
                uint32_t size = size_of(&a), kind = in_100(15) ? SIM_TIER_MIXED : pick(2);
                uint32_t all = kind == SIM_TIER_SAME ? size : LANES * size, at[LANES];
                uint32_t first = in_100(50) ? pick(PAGED - all + 1)
                                            : (1 + pick(PAGES - 1)) * SIM_UNDO_PAGE - pick(all + 1);
                if (first > PAGED - all) first = PAGED - all;
                for (uint32_t i = 0; i < LANES; i++)
                    at[i] = first + (kind == SIM_TIER_SAME ? 0 : i * size);
                a.view =
                    (sim_tier_view){.data = now, .defined = has_bits ? bits : NULL, .undo = object};
                sim_tier_reason reason;
                assert_true(is_done(do_store(helpers, &a, kind, pick_mask(), at), &reason));
                is_all |= kind == SIM_TIER_MIXED;
                for (uint32_t page = 0; page < PAGES; page++) {
                    uint32_t begin = page * SIM_UNDO_PAGE, end = begin + SIM_UNDO_PAGE;
                    wanted[page] |= is_all || (first < end && first + all > begin);
                }
                assert_int_equal(object->is_whole, is_all);
                assert_memory_equal(flags, wanted, PAGES);
            }
            sim_undo_close(&undo, true);
            assert_memory_equal(now, before, PAGED);
            assert_memory_equal(bits, bits_before, PAGED);
            rt_vector_free(&undo.objects);
        }
    }
}

/* ---- Lane by lane --------------------------------------------------------------------------- */

enum { OBJECT_SIZE = 96, FRAME = 3, PRIVATE_FIRST = 32, PRIVATE_ROOM = 256 };
static const sim_private_variable variables[] = {
    {.offset = 0, .size = 16}, {.offset = 16, .size = 13}, {.offset = 32, .size = 64}};
static const bool marked[] = {true, false, false};
static _Alignas(64) uint8_t private_memory[PRIVATE_ROOM * LANES],
    private_defined[PRIVATE_ROOM * LANES];
static const sim_code_function function = {.variables = variables, .variable_count = 3};
static sim_tier_frame *frame;
static harness world; /* its objects 1 and 2; bytes of the second may be undefined */
static uint64_t objects[2];

static int world_open(void **state)
{
    (void)state;
    static const uint8_t zeros[OBJECT_SIZE];
    world.sink = rt_sink_create();
    world.world = sim_world_create(world.sink, 42);
    objects[0] = sim_object_address(harness_memory(&world, "a", zeros, OBJECT_SIZE));
    objects[1] = sim_object_address(harness_memory(&world, "b", NULL, OBJECT_SIZE));
    frame = rt_alloc(sizeof *frame + sizeof marked);
    *frame = (sim_tier_frame){.function = &function, .private_first = PRIVATE_FIRST};
    frame->number = FRAME;
    memcpy(frame->is_marked, marked, sizeof marked);
    return 0;
}
static int world_close(void **state)
{
    (void)state;
    rt_free(frame);
    sim_world_destroy(world.world);
    rt_sink_destroy(world.sink);
    return 0;
}

static sim_memory *memory_of(uint32_t number)
{
    return sim_world_memory(world.world, sim_address_object(objects[number]));
}

/* Where byte `at` of a lane's private memory is: see tier.h. */
static uint32_t private_place(uint64_t at, uint32_t lane)
{
    return (uint32_t)(at / 4 * LANES + lane) * 4 + at % 4;
}

static void lanes_set(void)
{
    context_set();
    memory_fill();
    launch.world = world.world;
    undo = (sim_undo){.items = 1};
    for (uint32_t i = 0; i < 2; i++) {
        sim_memory *memory = memory_of(i);
        for (uint32_t k = 0; k < OBJECT_SIZE; k++)
            memory->data[k] = (uint8_t)pick(256);
        if (memory->defined) memset(memory->defined, 0xff, OBJECT_SIZE);
        *rt_vector_push(&undo.objects) =
            (sim_undo_object){.memory = memory, .is_whole = true, .own = SIM_OWN_SHARED};
    }
    context.undo = &undo;
    context.private_memory = private_memory;
    context.private_defined = private_defined;
    context.frames[FRAME] = frame;
    for (uint32_t i = 0; i < sizeof private_memory; i++)
        private_memory[i] = (uint8_t)pick(256);
    memset(private_defined, 0xff, sizeof private_defined);
    /* Something is undefined: a byte of an object, a granule or a byte of a variable. */
    uint32_t mark = SIM_TIER_MARK, lane = pick(LANES);
    if (in_100(30)) memory_of(1)->defined[pick(OBJECT_SIZE)] = 0x7f;
    if (in_100(30))
        memcpy(private_memory + private_place(PRIVATE_FIRST + 4 * pick(4), lane), &mark, 4);
    if (in_100(30)) private_defined[private_place(PRIVATE_FIRST + 16 + pick(80), lane)] = 0xfe;
}

/* One lane's bytes, wherever they are; `granules`: they are in a variable with marks. */
typedef struct found_bytes {
    uint8_t *data[SIM_ACCESS_BYTES_MAX], *defined[SIM_ACCESS_BYTES_MAX];
    bool granules;
} found_bytes;

/* False if the access, of elements of so many bytes, may be wrong. */
static bool bytes_find(uint64_t address, uint32_t lane, uint32_t size, uint32_t alignment,
                       uint32_t element, found_bytes *out)
{
    uint32_t object = sim_address_object(address);
    uint64_t offset = sim_address_offset(address);
    out->granules = false;
    if (offset % alignment) return false;
    if (sim_address_class_of(address) == SIM_CLASS_GLOBAL) {
        uint32_t number = SIM_TIER_KEY(address) == SIM_TIER_KEY(objects[1]);
        if (!number && SIM_TIER_KEY(address) != SIM_TIER_KEY(objects[0])) return false;
        if (size > OBJECT_SIZE || offset > OBJECT_SIZE - size) return false;
        for (uint32_t i = 0; i < size; i++) {
            out->data[i] = memory_of(number)->data + offset + i;
            out->defined[i] = number ? memory_of(number)->defined + offset + i : NULL;
        }
        return true;
    }
    if (sim_address_class_of(address) != SIM_CLASS_PRIVATE || object >> 12 != FRAME) return false;
    if ((object & 0xfff) >= 3) return false;
    const sim_private_variable *variable = &variables[object & 0xfff];
    if (size > variable->size || offset > variable->size - size) return false;
    out->granules = marked[object & 0xfff];
    if (out->granules && (element % 4 || offset % 4)) return false;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t place = private_place(PRIVATE_FIRST + variable->offset + offset + i, lane);
        out->data[i] = private_memory + place;
        out->defined[i] = out->granules ? NULL : private_defined + place;
    }
    return true;
}

static bool bytes_are_defined(const found_bytes *f, uint32_t low, uint32_t high)
{
    for (uint32_t i = low; i < high; i++) {
        if (f->defined[i] && *f->defined[i] != 0xff) return false;
        uint32_t mark = 0;
        for (uint32_t k = 0; f->granules && i % 4 == 0 && k < 4; k++)
            mark |= (uint32_t)*f->data[i + k] << 8 * k;
        if (mark == SIM_TIER_MARK) return false;
    }
    return true;
}

static uint64_t address_pick(uint32_t size)
{
    uint64_t address = objects[pick(2)];
    uint32_t limit = OBJECT_SIZE;
    if (in_100(50)) {
        uint32_t number = in_100(96) ? FRAME : in_100(50) ? FRAME - 1 : 64, v = pick(3);
        if (in_100(2)) v = 3;
        address = sim_address_of(SIM_CLASS_PRIVATE, number << SIM_PRIVATE_VARIABLE_BITS | v);
        limit = v < 3 ? (uint32_t)variables[v].size : 8;
    }
    if (in_100(1)) return sim_address_of(SIM_CLASS_GLOBAL, 77);
    if (in_100(1)) return sim_address_of(SIM_CLASS_FUNCTION, 1);
    uint32_t last = limit > size ? limit - size : 0;
    if (in_100(4)) return address + last + 1 + pick(2);
    if (in_100(2)) return address - 1 - pick(8);
    return address + (in_100(3)    ? pick(last + 1)
                      : in_100(30) ? last / 8 * 8
                                   : pick(last + 1) / 8 * 8);
}

static void any_try(const sim_tier_helpers *h)
{
    sim_tier_access a = access_pick(in_100(50));
    uint32_t mask = pick_mask() & pick_mask();
    uint64_t addresses[LANES];
    static uint8_t wanted[COMPONENTS][SIM_TIER_ROW_BYTES];
    static uint8_t private_wanted[sizeof private_memory], object_wanted[2][OBJECT_SIZE];
    lanes_set();
    a.count = (uint8_t)(a.count > 4 ? 4 : a.count);
    a.high = a.is_store || a.high > a.count ? a.count : a.high;
    a.low = a.low < a.high ? a.low : 0;
    if (in_100(20)) a.alignment = 1u << pick(4);
    a.key = 0, a.pointer = SIM_REGISTER_NONE;
    for (uint32_t i = 0; i < LANES; i++)
        addresses[i] = address_pick(size_of(&a));
    uint32_t mark = SIM_TIER_MARK;
    if (a.is_store && a.bytes == 4 && in_100(20)) memcpy(values[0] + 4 * pick(LANES), &mark, 4);
    memcpy(wanted, values, sizeof wanted);
    memcpy(private_wanted, private_memory, sizeof private_wanted);
    for (uint32_t n = 0; n < 2; n++)
        memcpy(object_wanted[n], memory_of(n)->data, OBJECT_SIZE);
    /* The model works on the memory itself, which is restored below. */
    static uint8_t private_before[sizeof private_memory], defined_before[sizeof private_defined];
    static uint8_t object_before[2][OBJECT_SIZE], bits_before[OBJECT_SIZE];
    memcpy(private_before, private_memory, sizeof private_before);
    memcpy(defined_before, private_defined, sizeof defined_before);
    memcpy(object_before, object_wanted, sizeof object_before);
    memcpy(bits_before, memory_of(1)->defined, OBJECT_SIZE);
    sim_tier_reason expected = SIM_TIER_NO_REASON, reason;
    for (uint32_t i = 0; i < LANES && !expected; i++) {
        found_bytes f;
        if (!(mask >> i & 1)) continue;
        if (!bytes_find(addresses[i], i, size_of(&a), a.alignment, a.bytes, &f)) {
            expected = SIM_TIER_ACCESS;
            break;
        }
        for (uint32_t b = 0; a.is_store && b < size_of(&a); b++) {
            *f.data[b] = values[b / a.bytes][i * a.bytes + b % a.bytes];
            if (f.defined[b]) *f.defined[b] = 0xff;
        }
        uint32_t low = a.low * a.bytes, high = (uint32_t)a.high * a.bytes;
        if (a.is_store) low = 0, high = size_of(&a);
        if (!bytes_are_defined(&f, low, high)) expected = SIM_TIER_UNDEFINED;
        for (uint32_t b = low; !a.is_store && b < high; b++)
            wanted[b / a.bytes][i * a.bytes + b % a.bytes] = *f.data[b];
    }
    static uint8_t defined_wanted[sizeof private_defined], bits_wanted[OBJECT_SIZE];
    memcpy(private_wanted, private_memory, sizeof private_wanted);
    memcpy(defined_wanted, private_defined, sizeof defined_wanted);
    memcpy(bits_wanted, memory_of(1)->defined, OBJECT_SIZE);
    memcpy(private_memory, private_before, sizeof private_before);
    memcpy(private_defined, defined_before, sizeof defined_before);
    memcpy(memory_of(1)->defined, bits_before, OBJECT_SIZE);
    for (uint32_t n = 0; n < 2; n++) {
        memcpy(object_wanted[n], memory_of(n)->data, OBJECT_SIZE);
        memcpy(memory_of(n)->data, object_before[n], OBJECT_SIZE);
    }
    context.reason = SIM_TIER_NO_REASON;
    uint32_t returned = a.is_store
                            ? h->store_any[width_of(&a)](&context, &a, mask, addresses, values)
                            : h->load_any[width_of(&a)](&context, &a, mask, addresses, values);
    bool done = is_done(returned, &reason);
    if (done != !expected || reason != expected)
        fail_msg("%s of %u times %u bytes: reason %d, expected %d", a.is_store ? "store" : "load",
                 a.count, a.bytes, (int)reason, (int)expected);
    if (done) {
        if (!a.is_store) assert_memory_equal(values, wanted, sizeof wanted);
        assert_memory_equal(private_memory, private_wanted, sizeof private_wanted);
        assert_memory_equal(private_defined, defined_wanted, sizeof defined_wanted);
        assert_memory_equal(memory_of(1)->defined, bits_wanted, OBJECT_SIZE);
        for (uint32_t n = 0; n < 2; n++)
            assert_memory_equal(memory_of(n)->data, object_wanted[n], OBJECT_SIZE);
    }
    rt_vector_free(&undo.objects);
}

static void test_any(void **state)
{
    (void)state;
    FOR_EACH_LEVEL(helpers)
    {
        for (uint32_t round = 0; round < ROUNDS(10000); round++)
            any_try(helpers);
    }
}

/* ---- Copies --------------------------------------------------------------------------------- */

static void copy_try(const sim_tier_helpers *h)
{
    uint32_t piece = in_100(60) ? 4 : 1, mask = pick_mask(), alignments[2] = {1u << pick(3), 1};
    uint64_t places[3][LANES];
    bool is_same = in_100(60);
    alignments[1] = 1u << pick(3);
    sim_tier_access from = {.bytes = (uint8_t)piece, .count = 1, .high = 1, .alignment = 1};
    sim_tier_access to = {
        .bytes = (uint8_t)piece, .count = 1, .high = 1, .alignment = 1, .is_store = true};
    from.pointer = to.pointer = SIM_REGISTER_NONE;
    from.view.key = to.view.key = UINT64_MAX;
    lanes_set();
    /* Pieces are as large as the size and both alignments allow. */
    for (uint32_t k = 0; piece == 4 && k < 2; k++)
        alignments[k] = 4u << pick(2);
    for (uint32_t i = 0; i < LANES; i++) {
        places[2][i] = pick(6) * piece;
        places[0][i] = address_pick((uint32_t)places[2][i]);
        places[1][i] = address_pick((uint32_t)places[2][i]);
        if (is_same && in_100(70)) {
            uint32_t v = 2;
            places[0][i] = sim_address_of(SIM_CLASS_PRIVATE, FRAME << 12 | v) + 8;
            places[1][i] = objects[1] + 16;
        }
        for (uint32_t k = 0; is_same && k < 3; k++)
            places[k][i] = places[k][0];
    }
    static uint8_t private_before[sizeof private_memory], defined_before[sizeof private_defined];
    static uint8_t object_before[2][OBJECT_SIZE], bits_before[OBJECT_SIZE];
    static uint8_t private_wanted[sizeof private_memory], defined_wanted[sizeof private_defined];
    static uint8_t object_wanted[2][OBJECT_SIZE], bits_wanted[OBJECT_SIZE];
    memcpy(private_before, private_memory, sizeof private_before);
    memcpy(defined_before, private_defined, sizeof defined_before);
    memcpy(bits_before, memory_of(1)->defined, OBJECT_SIZE);
    for (uint32_t n = 0; n < 2; n++)
        memcpy(object_before[n], memory_of(n)->data, OBJECT_SIZE);
    bool is_wrong = false;
    for (uint32_t i = 0; i < LANES; i++) {
        if (mask >> i & 1 && places[2][i])
            is_wrong |= places[0][i] % alignments[0] != 0 || places[1][i] % alignments[1] != 0;
    }
    for (uint32_t i = 0; i < LANES && !is_wrong; i++) {
        for (uint64_t k = 0; mask >> i & 1 && k < places[2][i] && !is_wrong; k += piece) {
            found_bytes source, target;
            is_wrong = !bytes_find(places[1][i] + k, i, piece, piece, piece, &source) ||
                       !bytes_are_defined(&source, 0, piece) ||
                       !bytes_find(places[0][i] + k, i, piece, piece, piece, &target);
            for (uint32_t b = 0; !is_wrong && b < piece; b++) {
                *target.data[b] = *source.data[b];
                if (target.defined[b]) *target.defined[b] = 0xff;
            }
            is_wrong = is_wrong || !bytes_are_defined(&target, 0, piece);
        }
    }
    memcpy(private_wanted, private_memory, sizeof private_wanted);
    memcpy(defined_wanted, private_defined, sizeof defined_wanted);
    memcpy(bits_wanted, memory_of(1)->defined, OBJECT_SIZE);
    memcpy(private_memory, private_before, sizeof private_before);
    memcpy(private_defined, defined_before, sizeof defined_before);
    memcpy(memory_of(1)->defined, bits_before, OBJECT_SIZE);
    for (uint32_t n = 0; n < 2; n++) {
        memcpy(object_wanted[n], memory_of(n)->data, OBJECT_SIZE);
        memcpy(memory_of(n)->data, object_before[n], OBJECT_SIZE);
    }
    context.reason = SIM_TIER_NO_REASON;
    uint32_t returned =
        h->copy(&context, &from, &to, mask, &places[0][0], alignments[0], alignments[1]);
    if (returned != !is_wrong) fail_msg("a copy: %d", is_wrong);
    if (returned) {
        assert_memory_equal(private_memory, private_wanted, sizeof private_wanted);
        assert_memory_equal(private_defined, defined_wanted, sizeof defined_wanted);
        assert_memory_equal(memory_of(1)->defined, bits_wanted, OBJECT_SIZE);
        for (uint32_t n = 0; n < 2; n++)
            assert_memory_equal(memory_of(n)->data, object_wanted[n], OBJECT_SIZE);
    } else {
        assert_in_set(context.reason,
                      ((const LargestIntegralType[]){SIM_TIER_ACCESS, SIM_TIER_UNDEFINED}), 2);
    }
    rt_vector_free(&undo.objects);
}

static void test_copy(void **state)
{
    (void)state;
    FOR_EACH_LEVEL(helpers)
    {
        for (uint32_t round = 0; round < ROUNDS(8000); round++)
            copy_try(helpers);
    }
}

/* ---- Atomics -------------------------------------------------------------------------------- */

static uint64_t atomic_apply(sim_atomic operation, uint32_t bits, uint64_t a, uint64_t b)
{
    uint32_t unused = 64 - bits;
    int64_t x = (int64_t)(a << unused), y = (int64_t)(b << unused);
    switch (operation) {
    case SIM_ATOMIC_ADD: return a + b;
    case SIM_ATOMIC_SUB: return a - b;
    case SIM_ATOMIC_SMIN: return x < y ? a : b;
    case SIM_ATOMIC_UMIN: return a < b ? a : b;
    case SIM_ATOMIC_SMAX: return x > y ? a : b;
    case SIM_ATOMIC_UMAX: return a > b ? a : b;
    case SIM_ATOMIC_AND: return a & b;
    case SIM_ATOMIC_OR: return a | b;
    default: return a ^ b;
    }
}

/* The lanes' places are in two objects. At most one lane's is wrong, which may not be active. */
static void atomic_try(const sim_tier_helpers *h)
{
    uint32_t bytes = in_100(50) ? 4 : 8, mask = pick_mask(), wrong = pick(2 * LANES);
    uint32_t fault = pick(4);
    uint64_t addresses[LANES], ones = UINT64_MAX >> (64 - 8 * bytes);
    uint8_t wanted[2][OBJECT_SIZE];
    sim_tier_reason expected = SIM_TIER_NO_REASON, reason;
    lanes_set();
    memset(memory_of(1)->defined, 0xff, OBJECT_SIZE);
    sim_tier_access a = {.bytes = (uint8_t)bytes,
                         .count = 1,
                         .is_store = true,
                         .is_atomic = true,
                         .operation = (uint8_t)(SIM_ATOMIC_ADD + pick(9)),
                         .pointer = SIM_REGISTER_NONE,
                         .view = {.key = UINT64_MAX}};
    for (uint32_t i = 0; i < LANES; i++) {
        addresses[i] = objects[pick(2)] + pick(OBJECT_SIZE / bytes) * bytes;
        if (i != wrong) continue;
        if (fault == 0) addresses[i] = objects[pick(2)] + OBJECT_SIZE;
        if (fault == 1) addresses[i] += 1u << pick(bytes == 4 ? 2 : 3);
        if (fault == 2) addresses[i] = sim_address_of(SIM_CLASS_PRIVATE, FRAME << 12);
        if (fault == 3) addresses[i] = objects[1] + 8;
        if (fault == 3) memory_of(1)->defined[8 + pick(bytes)] = (uint8_t) ~(1u << pick(8));
        if (mask >> i & 1) expected = SIM_TIER_ACCESS;
    }
    for (uint32_t i = 0; i < LANES; i++) {
        bool is_there = addresses[i] == objects[1] + 8 - 8 % bytes;
        if (wrong < LANES && fault == 3 && is_there && mask >> i & 1) expected = SIM_TIER_UNDEFINED;
    }
    for (uint32_t n = 0; n < 2; n++)
        memcpy(wanted[n], memory_of(n)->data, OBJECT_SIZE);
    for (uint32_t i = 0; i < LANES && !expected; i++) {
        if (!(mask >> i & 1)) continue;
        uint64_t before = 0, value = 0;
        uint8_t *place = wanted[SIM_TIER_KEY(addresses[i]) == SIM_TIER_KEY(objects[1])] +
                         sim_address_offset(addresses[i]);
        memcpy(&before, place, bytes);
        memcpy(&value, values[0] + i * bytes, bytes);
        value = atomic_apply((sim_atomic)a.operation, 8 * bytes, before, value) & ones;
        memcpy(place, &value, bytes);
    }
    context.reason = SIM_TIER_NO_REASON;
    uint32_t returned = h->atomic[width_of(&a)](&context, &a, mask, addresses, values);
    if (is_done(returned, &reason) != !expected || reason != expected)
        fail_msg("an atomic of %u bytes: reason %d, expected %d", bytes, (int)reason,
                 (int)expected);
    for (uint32_t n = 0; returned && n < 2; n++)
        assert_memory_equal(memory_of(n)->data, wanted[n], OBJECT_SIZE);
    rt_vector_free(&undo.objects);
}

static void test_atomics(void **state)
{
    (void)state;
    FOR_EACH_LEVEL(helpers)
    {
        for (uint32_t round = 0; round < ROUNDS(6000); round++)
            atomic_try(helpers);
        assert_null(helpers->atomic[0]);
        assert_null(helpers->atomic[1]);
    }
}

/* ---- Objects -------------------------------------------------------------------------------- */

enum { OTHER_KEY = 1, OTHER_POINTER, SAME_POINTER };

static const struct {
    const char *name;
    uint64_t end; /* of the view; 0: the code gives up */
    uint32_t object, bytes, count;
    bool is_store, is_atomic, is_quiet, is_local;
    uint8_t forbidden, expects;
    bool is_written; /* by the launch */
} finds[] = {
    {"load", 93, 0, 4, 1, .is_written = true},
    {"load of all", 1, 0, 8, 12, .is_written = true},
    {"load of more", 0, 0, 8, 13, .is_written = true},
    {"load of what is not written", 89, 1, 8, 1},
    {"store to what is not written", 0, 1, 8, 1, .is_store = true},
    {"store", 95, 1, 1, 2, .is_store = true, .is_written = true},
    {"atomic", 93, 1, 4, 1, .is_store = true, .is_atomic = true, .is_written = true},
    {"no object", 0, 2, 4, 1},
    {"no stores", 0, 0, 4, 1, .is_store = true, .forbidden = SIM_FORBIDS_STORES,
     .is_written = true},
    {"loads only", 93, 0, 4, 1, .forbidden = SIM_FORBIDS_STORES, .is_written = true},
    {"no loads", 0, 0, 4, 1, .forbidden = SIM_FORBIDS_LOADS, .is_written = true},
    {"stores only", 93, 0, 4, 1, .is_store = true, .forbidden = SIM_FORBIDS_LOADS,
     .is_written = true},
    {"no loads by atomics", 0, 0, 4, 1, .is_store = true, .is_atomic = true,
     .forbidden = SIM_FORBIDS_LOADS, .is_written = true},
    {"no stores by atomics", 0, 0, 4, 1, .is_store = true, .is_atomic = true,
     .forbidden = SIM_FORBIDS_STORES, .is_written = true},
    {"another key", 0, 0, 4, 1, .expects = OTHER_KEY, .is_written = true},
    {"another pointer", 0, 0, 4, 1, .expects = OTHER_POINTER, .is_written = true},
    {"this pointer", 93, 0, 4, 1, .expects = SAME_POINTER, .is_written = true},
    {"local load", 61, 1, 4, 1, .is_local = true},
    {"local store", 61, 1, 4, 1, .is_store = true, .is_local = true},
    {"quiet local load", 61, 1, 4, 1, .is_quiet = true, .is_local = true},
    {"another local object", 40, 2, 1, 1, .is_local = true},
    {"quiet load", 93, 0, 4, 1, .is_quiet = true, .is_written = true},
};

static void test_find(void **state)
{
    (void)state;
    static uint8_t local_bytes[256], local_bits[256], uniforms[16];
    static sim_local_object locals[] = {{.offset = 64, .size = 64},
                                        {.offset = 128, .size = 40, .all_defined = true}};
    static sim_race_shadow local_races[2], global_race = {.is_tracked = true, .shift = 2};
    FOR_EACH_LEVEL(helpers)
    {
        for (uint32_t i = 0; i < sizeof finds / sizeof *finds; i++) {
            uint32_t number = finds[i].object;
            lanes_set();
            for (uint32_t k = 0; k < 2; k++)
                local_races[k] = (sim_race_shadow){.shift = 2, .class = SIM_RACE_LOCAL};
            launch.locals.items = locals;
            launch.locals.count = 2;
            launch.locals_memory.data = local_bytes;
            launch.locals_defined.data = local_bits;
            launch.local_races = local_races;
            memory_of(0)->race = &global_race;
            memory_of(0)->forbidden = finds[i].forbidden;
            if (!finds[i].is_written) undo.objects.count = 1;
            uint64_t address = number < 2 ? objects[number] : sim_address_of(SIM_CLASS_GLOBAL, 77);
            if (finds[i].is_local) address = sim_address_of(SIM_CLASS_LOCAL, number);
            sim_tier_access a = {.bytes = (uint8_t)finds[i].bytes,
                                 .count = (uint8_t)finds[i].count,
                                 .is_store = finds[i].is_store,
                                 .is_atomic = finds[i].is_atomic,
                                 .is_quiet = finds[i].is_quiet,
                                 .pointer = SIM_REGISTER_NONE,
                                 .view = {.key = 5}};
            uint64_t pointer = address + 40;
            a.key = SIM_TIER_KEY(address);
            if (finds[i].expects == OTHER_KEY) a.key = SIM_TIER_KEY(objects[1]);
            if (finds[i].expects >= OTHER_POINTER) a.pointer = 8;
            if (finds[i].expects == OTHER_POINTER) pointer = objects[1];
            memcpy(uniforms + 8, &pointer, sizeof pointer);
            context.uniforms = uniforms;
            sim_tier_reason reason;
            context.reason = SIM_TIER_NO_REASON;
            if (is_done(helpers->find(&context, &a, address + 12), &reason) != (finds[i].end > 0))
                fail_msg("%s: reason %d", finds[i].name, (int)reason);
            memory_of(0)->race = NULL;
            memory_of(0)->forbidden = 0;
            rt_vector_free(&undo.objects);
            const sim_tier_view *view = &a.view;
            if (!finds[i].end) {
                assert_int_equal(reason, SIM_TIER_ACCESS);
                assert_true(view->key == UINT64_MAX);
                continue;
            }
            if (view->end != finds[i].end) fail_msg("%s: %u", finds[i].name, (unsigned)view->end);
            assert_int_equal(view->key, SIM_TIER_KEY(address));
            if (!finds[i].is_local) {
                assert_ptr_equal(view->data, memory_of(number)->data);
                assert_ptr_equal(view->defined, memory_of(number)->defined);
                assert_null(view->all_defined);
                assert_ptr_equal(view->race, number ? NULL : &global_race);
                assert_ptr_equal(view->clock, number ? NULL : &race.clocks[SIM_RACE_GLOBAL]);
                assert_int_equal(view->undo != NULL, finds[i].is_written);
                uint64_t needs =
                    finds[i].is_store || number == 1 || view->race ? SIM_TIER_HELPED : 0;
                assert_int_equal(view->loads, needs);
                assert_int_equal(view->stores, SIM_TIER_HELPED);
                continue;
            }
            sim_race_shadow *shadowed = finds[i].is_quiet ? NULL : &local_races[number - 1];
            uint64_t undefined = number == 1 ? SIM_TIER_SHADOWED : 0;
            assert_ptr_equal(view->data, local_bytes + locals[number - 1].offset);
            assert_ptr_equal(view->defined, local_bits + locals[number - 1].offset);
            assert_ptr_equal(view->all_defined, &locals[number - 1].all_defined);
            assert_ptr_equal(view->race, shadowed);
            assert_ptr_equal(view->clock, shadowed ? &race.clocks[SIM_RACE_LOCAL] : NULL);
            assert_null(view->undo);
            assert_int_equal(view->loads, finds[i].is_store ? SIM_TIER_HELPED
                                          : shadowed        ? undefined | SIM_TIER_LOGGED
                                                            : undefined);
            assert_int_equal(context.views_change, finds[i].is_store || undefined != 0);
        }
    }
}

/* ---- Other helpers -------------------------------------------------------------------------- */

static void test_private_variables(void **state)
{
    (void)state;
    static uint8_t memory_wanted[sizeof private_memory], defined_wanted[sizeof private_defined];
    FOR_EACH_LEVEL(helpers)
    {
        for (uint32_t round = 0; round < 400; round++) {
            uint32_t mask = pick_mask(), what = pick(6), mark = SIM_TIER_MARK;
            lanes_set();
            rt_vector_free(&undo.objects);
            memset(context.frames, 0, sizeof context.frames);
            if (what < 5) context.frames[FRAME] = frame;
            memcpy(memory_wanted, private_memory, sizeof memory_wanted);
            memcpy(defined_wanted, private_defined, sizeof defined_wanted);
            /* Variable 3 and an address in global memory are none; 5 enters the function. */
            for (uint32_t v = 0; v < 3; v++) {
                if (what != v && what != 5) continue;
                for (uint32_t at = 0; at < variables[v].size; at += 4) {
                    for (uint32_t i = 0; i < LANES; i++) {
                        uint32_t place = private_place(PRIVATE_FIRST + variables[v].offset + at, i);
                        if (!(mask >> i & 1)) continue;
                        if (marked[v]) memcpy(memory_wanted + place, &mark, 4);
                        if (!marked[v]) memset(defined_wanted + place, 0, 4);
                    }
                }
            }
            uint64_t address =
                sim_address_of(what == 4 ? SIM_CLASS_LOCAL : SIM_CLASS_PRIVATE,
                               FRAME << SIM_PRIVATE_VARIABLE_BITS | (what == 4 ? 0 : what));
            if (what < 5) helpers->forget(&context, address + 4, mask);
            if (what == 5) helpers->enter(&context, frame, mask);
            assert_ptr_equal(context.frames[FRAME], frame);
            assert_memory_equal(private_memory, memory_wanted, sizeof memory_wanted);
            assert_memory_equal(private_defined, defined_wanted, sizeof defined_wanted);
        }
    }
}

static void test_rows_and_math(void **state)
{
    (void)state;
    FOR_EACH_LEVEL(helpers)
    {
        for (uint32_t lanes = 1; lanes <= 32; lanes++) {
            _Alignas(64) uint64_t row[40];
            uint32_t end = (lanes + 7) / 8 * 8;
            for (uint32_t i = 0; i < 40; i++)
                row[i] = i * UINT64_C(0x100000001);
            helpers->row_add(row, lanes, UINT64_C(0xfffffff00000003));
            for (uint32_t i = 0; i < 40; i++) {
                uint64_t before = i * UINT64_C(0x100000001);
                assert_true(row[i] == before + (i < end ? UINT64_C(0xfffffff00000003) : 0));
            }
        }
        for (uint32_t m = 0; m < sizeof masks / sizeof *masks; m++) {
            _Alignas(64) float a[LANES], b[LANES], out[LANES], wanted[LANES];
            _Alignas(64) double c[LANES], d[LANES], out_2[LANES], wanted_2[LANES];
            uint8_t active[LANES];
            for (uint32_t i = 0; i < LANES; i++) {
                c[i] = a[i] = 0.5f + (float)i;
                d[i] = b[i] = 3.25f - (float)i;
                active[i] = masks[m] >> i & 1;
            }
            sim_math_lanes l = {.count = LANES, .mask = active, .a = a, .b = b, .out = wanted};
            sim_math_float(SIM_MATH_atan2, &l);
            helpers->math(SIM_MATH_atan2, false, masks[m], a, b, out);
            l = (sim_math_lanes){.count = LANES, .mask = active, .a = c, .b = d, .out = wanted_2};
            sim_math_double(SIM_MATH_atan2, &l);
            helpers->math(SIM_MATH_atan2, true, masks[m], c, d, out_2);
            for (uint32_t i = 0; i < LANES; i++) {
                if (active[i]) assert_memory_equal(&out[i], &wanted[i], sizeof *out);
                if (active[i]) assert_memory_equal(&out_2[i], &wanted_2[i], sizeof *out_2);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_races),
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_saved_pages),
        cmocka_unit_test(test_any),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_private_variables),
        cmocka_unit_test(test_rows_and_math),
    };
    return cmocka_run_group_tests(tests, world_open, world_close);
}
