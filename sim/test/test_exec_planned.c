/* Compares the data races that are found in random kernels with a model that knows only the rule:
 * two accesses race if different work-items make them to a common byte, one of them writes, they
 * are not both atomic, and no barrier of a common group that orders the memory is between them.
 *
 * planned.cl makes the accesses of a plan.  Steps are mostly what a kernel does (all work-items
 * access their own element, their neighbour's, the same one), with all widths, some work-items, and
 * all kinds of barriers.  There must be a finding if and only if the model has a race, and the two
 * accesses that its message names must race in the model. */
#include "sim/test/harness.h"

#include <string.h>

#define STEPS_MAX  8u
#define ITEMS_MAX  640u
#define ITEM_BYTES 16u

/* The kinds of accesses in planned.cl: the bytes of the element, and those that are accessed. */
typedef struct access_kind {
    uint8_t bytes, first, size;
    bool is_write, is_atomic;
} access_kind;

static const access_kind kinds[] = {
    {0},
    {1, 0, 1, false, false},
    {2, 0, 2, false, false},
    {4, 0, 4, false, false},
    {8, 0, 8, false, false},
    {16, 0, 16, false, false},
    {16, 4, 8, false, false}, /* THREE */
    {1, 0, 1, true, false},
    {2, 0, 2, true, false},
    {4, 0, 4, true, false},
    {8, 0, 8, true, false},
    {16, 0, 16, true, false},
    {4, 0, 4, true, true},
    {4, 0, 4, false, true},
};
/* Without optimisation the first component is loaded too. */
static const access_kind three_whole = {16, 0, 12, false, false};
#define THREE     6
#define ATOMICS   12
#define KINDS     (sizeof kinds / sizeof *kinds)
#define IN_LOCAL  16
#define LOCAL     1
#define GLOBAL    2
#define BOTH      4
#define OF_ACCESS 8 /* bits of an access before its index */

typedef struct plan {
    uint32_t level, steps, local, items;
    int32_t barrier[STEPS_MAX];
    int32_t access[STEPS_MAX][ITEMS_MAX];
} plan;

/* ---- Random plans --------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32) % below;
}

/* All work-items make the same kind of access, at places and with a mask that follow a pattern. */
static void step_draw(plan *p, uint32_t k, uint32_t kind_count, uint64_t *state)
{
    uint32_t kind = 1 + draw(state, kind_count - 1), place = draw(state, 8), mask = draw(state, 8);
    bool in_local = draw(state, 3) == 0, is_shared = draw(state, 8) == 0;
    uint32_t one = draw(state, p->local), n = p->local;
    for (uint32_t i = 0; i < p->items; i++) {
        uint32_t lid = i % n, group = i / n;
        bool is_active = mask == 0   ? lid % 2 == one % 2
                         : mask == 1 ? lid == one
                         : mask == 2 ? draw(state, 4) == 0
                         : mask == 3 ? lid < one
                                     : true;
        uint32_t at = place == 0   ? (lid + one) % n
                      : place == 1 ? n - 1 - lid
                      : place == 2 ? one
                      : place == 3 ? lid / 2
                      : place == 4 ? draw(state, n)
                                   : lid;
        if (!in_local && !is_shared) at += group * n * ITEM_BYTES / kinds[kind].bytes;
        uint32_t code = kind + (in_local ? IN_LOCAL : 0);
        p->access[k][i] = is_active ? (int32_t)(at << OF_ACCESS | code) : 0;
    }
    p->barrier[k] = draw(state, 3) ? BOTH : (int32_t)draw(state, 8);
}

static plan plan_draw(uint32_t local, uint32_t groups, bool is_plain, uint64_t *state)
{
    plan p = {.steps = 2 + draw(state, STEPS_MAX - 1), .local = local, .items = local * groups};
    assert_true(p.items <= ITEMS_MAX && p.steps <= STEPS_MAX);
    for (uint32_t k = 0; k < p.steps; k++)
        step_draw(&p, k, is_plain ? ATOMICS : KINDS, state);
    return p;
}

/* ---- The model ------------------------------------------------------------------------------ */

typedef struct access {
    const access_kind *kind; /* NULL: none */
    bool in_local;
    uint32_t item, group, step;
    uint32_t first, size; /* bytes; in local memory, of the group's */
} access;

static access access_of(const plan *p, uint32_t step, uint32_t item)
{
    int32_t code = p->access[step][item];
    uint32_t row = (uint32_t)code & (IN_LOCAL - 1);
    const access_kind *kind = row == THREE && p->level == 0 ? &three_whole : &kinds[row];
    if (code == 0) return (access){0};
    return (access){.kind = kind,
                    .in_local = code & IN_LOCAL,
                    .item = item,
                    .group = item / p->local,
                    .step = step,
                    .first = (uint32_t)(code >> OF_ACCESS) * kind->bytes + kind->first,
                    .size = kind->size};
}

static bool are_ordered(const plan *p, access a, access b)
{
    if (a.group != b.group) return a.in_local; /* in local memory, these are different bytes */
    uint32_t from = a.step < b.step ? a.step : b.step, to = a.step < b.step ? b.step : a.step;
    for (uint32_t k = from; k < to; k++) {
        if (p->barrier[k] & (BOTH | (a.in_local ? LOCAL : GLOBAL))) return true;
    }
    return false;
}

static bool do_race(const plan *p, access a, access b)
{
    if (!a.kind || !b.kind || a.item == b.item || a.in_local != b.in_local) return false;
    if (a.first >= b.first + b.size || b.first >= a.first + a.size) return false;
    if (!a.kind->is_write && !b.kind->is_write) return false;
    return !(a.kind->is_atomic && b.kind->is_atomic) && !are_ordered(p, a, b);
}

/* True if the access races with any that `fits`; a work-item's name, or SIM_NONE, restricts which.
 */
static bool races_with_any(const plan *p, access a, const char *verb, uint32_t item, int group)
{
    for (uint32_t k = 0; k < p->steps; k++) {
        for (uint32_t i = 0; i < p->items; i++) {
            access b = access_of(p, k, i);
            if ((item != SIM_NONE && i != item) || !do_race(p, a, b)) continue;
            if (group >= 0 && (b.group == a.group) != group) continue;
            const char *is = b.kind->is_atomic ? "atomic" : b.kind->is_write ? "store" : "load";
            if (!verb || strcmp(verb, is) == 0) return true;
        }
    }
    return false;
}

static bool has_race(const plan *p, bool in_local)
{
    for (uint32_t k = 0; k < p->steps; k++) {
        for (uint32_t i = 0; i < p->items; i++) {
            access a = access_of(p, k, i);
            if (a.kind && a.in_local == in_local && races_with_any(p, a, NULL, SIM_NONE, -1))
                return true;
        }
    }
    return false;
}

/* ---- Findings ------------------------------------------------------------------------------- */

/* True if the accesses that a message names race with each other in the model. */
static bool is_right(const plan *p, const sim_finding *finding)
{
    char verb[16], other[16], who[64] = "";
    unsigned size, offset, item, other_item;
    const char *text = finding->message.data;
    bool in_local = strcmp(finding->object.data, "a") != 0;
    int found = sscanf(text,
                       in_local ? "%15s of %u bytes at offset %u of 'local argument 2' by "
                                  "work-item (%u, 0, 0) and the %15s by %63[^(]"
                                : "%15s of %u bytes at offset %u of 'a' by work-item (%u, 0, 0) "
                                  "and the %15s by %63[^(]",
                       verb, &size, &offset, &item, other, who);
    const char *by = strstr(text, "and the ");
    by = by ? strchr(by, '(') : NULL;
    bool is_named = by && sscanf(by, "(%u, 0, 0)", &other_item) == 1;
    int group = is_named ? -1 : strncmp(who, "another work-item of the group", 30) == 0;
    if (found != 6 || item != finding->work_item[0] || offset != finding->offset) return false;
    for (uint32_t k = 0; k < p->steps; k++) {
        access a = access_of(p, k, item);
        /* Compilers split vectors. */
        if (!a.kind || a.in_local != in_local || a.first > offset ||
            offset + size > a.first + a.size)
            continue;
        a.first = offset;
        a.size = size;
        const char *is = a.kind->is_atomic ? "atomic" : a.kind->is_write ? "store" : "load";
        if (strcmp(is, verb) == 0 &&
            races_with_any(p, a, other, is_named ? other_item : SIM_NONE, group))
            return true;
    }
    return false;
}

static void judge(const harness *h, const plan *p, uint64_t seed)
{
    bool found[2] = {false, false};
    for (uint32_t i = 0; i < h->finding_count; i++) {
        const sim_finding *finding = &h->findings[i];
        bool is_race =
            strcmp(finding->kind, "race") == 0 || strcmp(finding->kind, "same-value-race") == 0;
        if (!is_race || !is_right(p, finding))
            fail_msg("seed %llu: %s: %s", (unsigned long long)seed, finding->kind,
                     finding->message.data);
        found[strcmp(finding->object.data, "a") != 0] = true;
    }
    for (uint32_t in_local = 0; in_local < 2; in_local++) {
        if (found[in_local] != has_race(p, in_local))
            fail_msg("seed %llu: %s in %s memory", (unsigned long long)seed,
                     found[in_local] ? "there is no race" : "a race is not found",
                     in_local ? "local" : "global");
    }
}

/* ---- Running -------------------------------------------------------------------------------- */

typedef struct memories {
    sim_object a, plan, out;
} memories;

static void plan_run(harness *h, const char *kernel, memories m, const plan *p)
{
    static int32_t words[1 + STEPS_MAX * (ITEMS_MAX + 1)];
    static const uint8_t zeros[ITEMS_MAX * ITEM_BYTES];
    uint32_t count = 0;
    words[count++] = (int32_t)p->steps;
    for (uint32_t k = 0; k < p->steps; k++) {
        words[count++] = p->barrier[k];
        memcpy(words + count, p->access[k], p->items * sizeof *words);
        count += p->items;
    }
    sim_object_write(h->world, m.a, 0, sizeof zeros, zeros);
    sim_object_write(h->world, m.plan, 0, count * sizeof *words, words);
    sim_argument arguments[] = {harness_global(m.a), harness_global(m.plan),
                                harness_local(p->local * ITEM_BYTES), harness_global(m.out)};
    harness_try(h, kernel, harness_range(p->items, p->local), arguments, 4);
    if (!rt_ok(h->status)) fail_msg("%s", rt_sink_diagnostic(h->sink, h->status)->message.data);
    /* Local memory begins undefined, but nothing depends on the sum of what is loaded. */
}

#define PLANS 10u

static memories memories_make(harness *h)
{
    size_t words = 1 + STEPS_MAX * (ITEMS_MAX + 1);
    return (memories){.a = harness_memory(h, "a", NULL, ITEMS_MAX * ITEM_BYTES),
                      .plan = harness_memory(h, "plan", NULL, words * sizeof(int32_t)),
                      .out = harness_memory(h, "out", NULL, ITEMS_MAX * sizeof(int32_t))};
}

static const uint32_t sizes[][2] = {{1, 3}, {16, 3}, {40, 4}, {64, 2}, {300, 2}};
#define SIZES (sizeof sizes / sizeof *sizes)

static void test_plans(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("planned", level, engine);
        memories m = memories_make(&h);
        for (uint32_t i = 0; i < SIZES * PLANS; i++) {
            uint64_t seed = 1 + i + SIZES * PLANS * level, random = seed * 0x9e3779b97f4a7c15u;
            bool is_plain = i % 3 == 0;
            plan p = plan_draw(sizes[i % SIZES][0], sizes[i % SIZES][1], is_plain, &random);
            p.level = level;
            h.schedule = i / SIZES % SIM_SCHEDULES;
            plan_run(&h, is_plain ? "planned_plain" : "planned", m, &p);
            judge(&h, &p, seed);
        }
        harness_close(&h);
    }
}

/* Compiled code gives up where accesses may race. A kernel that has done so twice is no longer
 * compiled, so the tier is chosen again. */
static void test_compiled_plans(void **state)
{
    (void)state;
    harness h = harness_open_file("planned", 1, sim_engine_best());
    memories m = memories_make(&h);
    uint64_t compiled = 0;
    for (uint32_t i = 0; i < SIZES * PLANS; i++) {
        uint64_t seed = 1 + i, random = seed * 0x9e3779b97f4a7c15u;
        plan p = plan_draw(sizes[i % SIZES][0], sizes[i % SIZES][1], true, &random);
        p.level = 1;
        bool is_new = i == 0 || sim_world_tier_report(h.world).undone == 2;
        compiled += is_new ? sim_world_tier_report(h.world).compiled : 0;
        if (is_new && !harness_compile(&h)) skip();
        h.schedule = i / SIZES % SIM_SCHEDULES;
        plan_run(&h, "planned_plain", m, &p);
        judge(&h, &p, seed);
    }
    assert_true(compiled + sim_world_tier_report(h.world).compiled > 20);
    harness_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_compiled_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
