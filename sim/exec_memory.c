/* Loads, stores, atomics and copies of lane arrays.
 *
 * The usual case is made fast: all lanes in one object, all inside it, all aligned.  That is found
 * out first, for all lanes at once; where it does not hold, access.c goes lane by lane and says
 * what is wrong.  Lanes that are not active take part with offset 0, which lies in every object. */
#include "sim/half.h"
#include "sim/shadow.h"

#include <string.h>

#define COMPONENTS_MAX 16u

/* Elements in memory, which need not be aligned where the module says so. */
typedef uint8_t memory_8 __attribute__((may_alias));
typedef uint16_t memory_16 __attribute__((aligned(1), may_alias));
typedef uint32_t memory_32 __attribute__((aligned(1), may_alias));
typedef uint64_t memory_64 __attribute__((aligned(1), may_alias));

static inline uint64_t uniform_64(const sim_exec *x, sim_register place)
{
    return *(const uint64_t *)sim_at(x, place);
}

/* ---- Offsets of all lanes ------------------------------------------------------------------- */

/* Where the lanes' accesses go: one object, offsets in x->offsets. */
typedef struct span {
    sim_view_memory view;
    uint64_t start;     /* offset of the uniform part of the address */
    uint64_t last;      /* the last offset at which the access fits */
    uint64_t unaligned; /* bits that an aligned offset does not have */
} span;

static bool is_store(const sim_op *op)
{
    return op->handler >= SIM_H_STORE_ONE_8 && op->handler <= SIM_H_STORE_EACH_64;
}

/* Prepares accesses of `size` bytes around an address; false where no access can be right or the
 * memory is that of the lanes. */
static bool span_open(sim_exec *x, const sim_op *op, uint64_t address, uint32_t size, span *s)
{
    sim_finding_kind kind;
    if (!sim_access_find(x, address, &s->view, &kind)) return false;
    if (s->view.size < size || (s->view.is_constant && is_store(op))) return false;
    s->start = s->view.offset;
    s->last = s->view.size - size;
    s->unaligned = op->c - 1;
    return true;
}

#define OFFSETS_LOOP(DISTANCE)                                                                     \
    if (x->dense) {                                                                                \
        FOR_LANES                                                                                  \
        {                                                                                          \
            uint64_t o = start + (DISTANCE);                                                       \
            wrong |= (uint64_t)(o > last) | (o & bits);                                            \
            out[i] = o;                                                                            \
        }                                                                                          \
    } else {                                                                                       \
        FOR_LANES                                                                                  \
        {                                                                                          \
            uint64_t o = start + (DISTANCE);                                                       \
            o = m[i] ? o : 0;                                                                      \
            wrong |= (uint64_t)(o > last) | (o & bits);                                            \
            out[i] = o;                                                                            \
        }                                                                                          \
    }

/* Nearly all strides are powers of two, and vector units shift far faster than they multiply. */
#define OFFSETS(name, I)                                                                           \
    static bool offsets_##name(sim_exec *x, const sim_op *op, const span *s)                       \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x);                                                                \
        const I *index = (const I *)sim_at(x, op->b) + x->low;                                     \
        uint64_t *out = x->offsets + x->low, wrong = 0, stride = op->stride;                       \
        uint64_t start = s->start + (uint64_t)op->imm, last = s->last, bits = s->unaligned;        \
        const uint8_t *m = x->mask + x->low;                                                       \
        if ((stride & (stride - 1)) == 0) {                                                        \
            uint32_t amount = (uint32_t)__builtin_ctzll(stride);                                   \
            OFFSETS_LOOP((uint64_t)(int64_t)index[i] << amount)                                    \
        } else {                                                                                   \
            OFFSETS_LOOP((uint64_t)(int64_t)index[i] * stride)                                     \
        }                                                                                          \
        return wrong == 0;                                                                         \
    }
OFFSETS(U32, uint32_t)
OFFSETS(S32, int32_t)
OFFSETS(I64, int64_t)

/* The same for addresses that the lanes have whole: right when all are in one object. */
static bool offsets_each(sim_exec *x, const sim_op *op, uint32_t size, span *s)
{
    uint32_t n = LANE_COUNT(x);
    const uint64_t *address = (const uint64_t *)sim_at(x, op->a) + x->low;
    uint64_t first = address[sim_first_lane(x) - x->low];
    if (!span_open(x, op, first, size, s)) return false;
    uint64_t *out = x->offsets + x->low, wrong = 0;
    uint64_t start = first - s->view.offset - (uint64_t)op->imm, last = s->last;
    uint64_t bits = s->unaligned;
    const uint8_t *m = x->mask + x->low;
    FOR_LANES
    {
        uint64_t o = address[i] - start;
        o = m[i] ? o : 0;
        wrong |= (uint64_t)(o > last) | (o & bits);
        out[i] = o;
    }
    return wrong == 0;
}

/* Address of one lane, for the slow way. */
static uint64_t lane_address(const sim_exec *x, const sim_op *op, sim_memory_form form,
                             uint32_t lane)
{
    uint64_t base =
        form == SIM_MEMORY_EACH ? ((const uint64_t *)sim_at(x, op->a))[lane] : uniform_64(x, op->a);
    uint64_t index = 0;
    if (form == SIM_MEMORY_U32) index = ((const uint32_t *)sim_at(x, op->b))[lane];
    if (form == SIM_MEMORY_S32) index = (uint64_t)((const int32_t *)sim_at(x, op->b))[lane];
    if (form == SIM_MEMORY_I64) index = ((const uint64_t *)sim_at(x, op->b))[lane];
    return base + index * op->stride + (uint64_t)op->imm;
}

/* ---- Lane by lane --------------------------------------------------------------------------- */

static void addresses_keep(sim_exec *x, const sim_op *op, sim_memory_form form)
{
    for (uint32_t lane = x->low; lane < x->high; lane++) {
        if (x->mask[lane]) x->offsets[lane] = lane_address(x, op, form, lane);
    }
}

static void load_slowly(sim_exec *x, const sim_op *op, sim_memory_form form, uint32_t bytes)
{
    uint8_t loaded[COMPONENTS_MAX * 8];
    /* A target may be the row of the index, so all addresses are computed before any load. */
    addresses_keep(x, op, form);
    for (uint32_t lane = x->low; lane < x->high; lane++) {
        if (!x->mask[lane]) continue;
        sim_lane_load(x, op, lane, x->offsets[lane], bytes * op->count, op->c, 1, loaded);
        if (x->lane_has_undefined || x->wave->tracks) {
            sim_shadow_load_lane(x, op, lane, x->offsets[lane], bytes);
        }
        for (uint32_t k = 0; k < op->count; k++) {
            sim_register place = sim_component(x, op, k);
            if (place == SIM_REGISTER_NONE) continue;
            memcpy((uint8_t *)sim_at(x, place) + lane * bytes, loaded + k * bytes, bytes);
        }
    }
}

static void store_slowly(sim_exec *x, const sim_op *op, sim_memory_form form, uint32_t bytes)
{
    uint8_t stored[COMPONENTS_MAX * 8];
    for (uint32_t lane = x->low; lane < x->high; lane++) {
        if (!x->mask[lane]) continue;
        for (uint32_t k = 0; k < op->count; k++) {
            sim_register place = sim_component(x, op, k);
            uint32_t step = sim_register_uniform(place) ? 0 : lane * bytes;
            memcpy(stored + k * bytes, (const uint8_t *)sim_at(x, place) + step, bytes);
        }
        uint64_t address = lane_address(x, op, form, lane);
        x->lane_has_undefined = x->wave->tracks && sim_shadow_store_lane(x, op, lane, bytes);
        sim_lane_store(x, op, lane, address, bytes * op->count, op->c, 1, stored);
    }
}

/* ---- Whole rows ----------------------------------------------------------------------------- */

#define LOAD_ROWS(bits)                                                                            \
    static bool rows_are_defined_##bits(const sim_exec *x, const sim_op *op,                       \
                                        const uint8_t *defined)                                    \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x);                                                                \
        const uint64_t *offsets = x->offsets + x->low;                                             \
        const uint8_t *m = x->mask + x->low;                                                       \
        uint##bits##_t wrong = 0;                                                                  \
        for (uint32_t k = 0; k < op->count; k++) {                                                 \
            const uint8_t *from = defined + k * (bits / 8);                                        \
            FOR_LANES                                                                              \
            {                                                                                      \
                uint##bits##_t undefined =                                                         \
                    (uint##bits##_t) ~*(const memory_##bits *)(from + offsets[i]);                 \
                wrong |= m[i] ? undefined : 0;                                                     \
            }                                                                                      \
        }                                                                                          \
        return wrong == 0;                                                                         \
    }                                                                                              \
    static void load_rows_##bits(sim_exec *x, const sim_op *op, const sim_view_memory *view)       \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x);                                                                \
        const uint64_t *offsets = x->offsets + x->low;                                             \
        const uint8_t *m = x->mask + x->low, *data = view->data;                                   \
        if (view->defined && !rows_are_defined_##bits(x, op, view->defined)) {                     \
            sim_shadow_load_rows(x, op, view, bits / 8);                                           \
        } else if (x->wave->tracks) {                                                              \
            sim_shadow_load_defined(x, op, bits / 8);                                              \
        }                                                                                          \
        for (uint32_t k = 0; k < op->count; k++) {                                                 \
            sim_register place = sim_component(x, op, k);                                          \
            if (place == SIM_REGISTER_NONE) continue;                                              \
            uint##bits##_t *d = (uint##bits##_t *)sim_at(x, place) + x->low;                       \
            const uint8_t *from = data + k * (bits / 8);                                           \
            bool keep = x->partial && place >> SIM_REGISTER_SHIFT == SIM_SPACE_FRAME;              \
            if (keep) {                                                                            \
                for (uint32_t i = 0; i < n; i++) {                                                 \
                    if (m[i]) d[i] = *(const memory_##bits *)(from + offsets[i]);                  \
                }                                                                                  \
            } else {                                                                               \
                FOR_LANES d[i] = *(const memory_##bits *)(from + offsets[i]);                      \
            }                                                                                      \
        }                                                                                          \
    }
LOAD_ROWS(8)
LOAD_ROWS(16)
LOAD_ROWS(32)
LOAD_ROWS(64)

/* True when all lanes are active and their offsets `step` bytes apart. */
static bool is_sequence(const sim_exec *x, uint32_t step)
{
    uint32_t n = LANE_COUNT(x);
    const uint64_t *offsets = x->offsets + x->low;
    uint64_t start = offsets[0], apart = 0;
    if (!x->dense || offsets[n - 1] - start != (uint64_t)(n - 1) * step) return false;
    FOR_LANES apart |= (offsets[i] - start) ^ (uint64_t)(i * step);
    return apart == 0;
}

/* Lanes store in order: where two store to the same place, the later one stays. */
#define STORE_ROWS(bits)                                                                           \
    static void store_component_##bits(const sim_exec *x, sim_register place, uint8_t *to)         \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x), step = sim_register_uniform(place) ? 0 : 1;                    \
        const uint64_t *offsets = x->offsets + x->low;                                             \
        const uint8_t *m = x->mask + x->low;                                                       \
        const uint##bits##_t *v = sim_at(x, place);                                                \
        v += step * x->low;                                                                        \
        if (x->dense && step) {                                                                    \
            for (uint32_t i = 0; i < n; i++)                                                       \
                *(memory_##bits *)(to + offsets[i]) = v[i];                                        \
        } else {                                                                                   \
            for (uint32_t i = 0; i < n; i++) {                                                     \
                if (m[i]) *(memory_##bits *)(to + offsets[i]) = v[step * i];                       \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void define_component_##bits(const sim_exec *x, uint8_t *defined)                       \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x);                                                                \
        const uint64_t *offsets = x->offsets + x->low;                                             \
        const uint8_t *m = x->mask + x->low;                                                       \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            if (m[i]) *(memory_##bits *)(defined + offsets[i]) = (uint##bits##_t)UINT64_MAX;       \
        }                                                                                          \
    }                                                                                              \
    static void store_rows_##bits(sim_exec *x, const sim_op *op, const sim_view_memory *view)      \
    {                                                                                              \
        uint32_t bytes = bits / 8, n = LANE_COUNT(x);                                              \
        bool sequence = is_sequence(x, bytes * op->count);                                         \
        for (uint32_t k = 0; k < op->count; k++) {                                                 \
            sim_register place = sim_component(x, op, k);                                          \
            if (sequence && op->count == 1 && !sim_register_uniform(place)) {                      \
                memcpy(view->data + x->offsets[x->low],                                            \
                       (const uint8_t *)sim_at(x, place) + x->low * bytes, n * bytes);             \
            } else {                                                                               \
                store_component_##bits(x, place, view->data + k * bytes);                          \
            }                                                                                      \
            if (view->defined && !sequence) {                                                      \
                define_component_##bits(x, view->defined + k * bytes);                             \
            }                                                                                      \
        }                                                                                          \
        if (view->defined && sequence) {                                                           \
            memset(view->defined + x->offsets[x->low], 0xff, n * bytes * op->count);               \
        }                                                                                          \
        if (x->wave->tracks && sim_shadow_stores(x, op, bytes)) {                                  \
            sim_shadow_store_rows(x, op, view, bytes);                                             \
        }                                                                                          \
    }
STORE_ROWS(8)
STORE_ROWS(16)
STORE_ROWS(32)
STORE_ROWS(64)

/* ---- Private memory at one address: the lanes' granules lie side by side -------------------- */

/* True when each component of an access at the position is within one granule. */
static inline bool in_granule(uint64_t position, uint32_t bytes, uint32_t count)
{
    return position % bytes == 0 || position % 8 + bytes * count <= 8;
}

#define PRIVATE_ROWS(bits)                                                                         \
    static bool private_is_defined_##bits(const sim_exec *x, const sim_op *op, uint64_t position)  \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x);                                                                \
        const uint8_t *m = x->mask + x->low;                                                       \
        uint##bits##_t wrong = 0;                                                                  \
        for (uint32_t k = 0; k < op->count; k++) {                                                 \
            const uint8_t *from = sim_private_defined(x, x->low, position + k * (bits / 8));       \
            FOR_LANES                                                                              \
            {                                                                                      \
                uint##bits##_t undefined =                                                         \
                    (uint##bits##_t) ~*(const memory_##bits *)(from + i * 8u);                     \
                wrong |= m[i] ? undefined : 0;                                                     \
            }                                                                                      \
        }                                                                                          \
        return wrong == 0;                                                                         \
    }                                                                                              \
    static void load_private_##bits(sim_exec *x, const sim_op *op, const sim_view_memory *view)    \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x);                                                                \
        const uint8_t *m = x->mask + x->low;                                                       \
        uint64_t position = view->position + view->offset;                                         \
        if (!private_is_defined_##bits(x, op, position)) {                                         \
            sim_shadow_load_private(x, op, view, bits / 8);                                        \
        } else if (x->wave->tracks) {                                                              \
            sim_shadow_load_defined(x, op, bits / 8);                                              \
        }                                                                                          \
        for (uint32_t k = 0; k < op->count; k++) {                                                 \
            sim_register place = sim_component(x, op, k);                                          \
            if (place == SIM_REGISTER_NONE) continue;                                              \
            uint##bits##_t *d = (uint##bits##_t *)sim_at(x, place) + x->low;                       \
            const uint8_t *from = sim_private_byte(x, x->low, position + k * (bits / 8));          \
            bool keep = x->partial && place >> SIM_REGISTER_SHIFT == SIM_SPACE_FRAME;              \
            if (keep) {                                                                            \
                FOR_LANES                                                                          \
                {                                                                                  \
                    uint##bits##_t v = *(const memory_##bits *)(from + i * 8u);                    \
                    d[i] = m[i] ? v : d[i];                                                        \
                }                                                                                  \
            } else {                                                                               \
                FOR_LANES d[i] = *(const memory_##bits *)(from + i * 8u);                          \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    /* Granules are stored whole, the other bytes as they were, which vector units can do. */      \
    static void store_private_##bits(sim_exec *x, const sim_op *op, const sim_view_memory *view)   \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x);                                                                \
        const uint8_t *m = x->mask + x->low;                                                       \
        for (uint32_t k = 0; k < op->count; k++) {                                                 \
            uint64_t position = view->position + view->offset + k * (bits / 8);                    \
            uint32_t shift = position % 8 * 8;                                                     \
            uint64_t field = (uint64_t)(uint##bits##_t)UINT64_MAX << shift;                        \
            uint64_t *to = (void *)sim_private_byte(x, x->low, position - position % 8);           \
            uint64_t *shadow = (void *)sim_private_defined(x, x->low, position - position % 8);    \
            sim_register place = sim_component(x, op, k);                                          \
            const uint##bits##_t *v = sim_at(x, place);                                            \
            if (sim_register_uniform(place)) {                                                     \
                uint64_t value = (uint64_t)*v << shift;                                            \
                FOR_LANES to[i] = m[i] ? (to[i] & ~field) | value : to[i];                         \
            } else {                                                                               \
                v += x->low;                                                                       \
                FOR_LANES                                                                          \
                {                                                                                  \
                    uint64_t value = (uint64_t)v[i] << shift;                                      \
                    to[i] = m[i] ? (to[i] & ~field) | value : to[i];                               \
                }                                                                                  \
            }                                                                                      \
            FOR_LANES shadow[i] |= m[i] ? field : 0;                                               \
        }                                                                                          \
        if (x->wave->tracks && sim_shadow_stores(x, op, bits / 8)) {                               \
            sim_shadow_store_private(x, op, view, bits / 8);                                       \
        }                                                                                          \
    }
PRIVATE_ROWS(8)
PRIVATE_ROWS(16)
PRIVATE_ROWS(32)
PRIVATE_ROWS(64)

/* ---- Handlers ------------------------------------------------------------------------------- */

/* The last active lane: its value stays where all lanes store to one address. */
static uint32_t last_lane(const sim_exec *x)
{
    uint32_t lane = x->high;
    while (!x->mask[lane - 1])
        lane--;
    return lane - 1;
}

/* One address for all lanes: right, and what it leads to? */
static bool open_one(sim_exec *x, const sim_op *op, uint32_t size, span *s)
{
    uint64_t address = uniform_64(x, op->a) + (uint64_t)op->imm;
    return span_open(x, op, address, size, s) && s->start <= s->last &&
           (s->start & s->unaligned) == 0;
}

/* A load of which nothing is used is in no race: only that it may be made was to be checked. */
static bool is_unused(const sim_exec *x, const sim_op *op)
{
    uint32_t k = 0;
    while (k < op->count && sim_component(x, op, k) == SIM_REGISTER_NONE)
        k++;
    return k == op->count;
}

/* True where no lane's access can be in a race; it is then recorded. */
static inline bool load_is_settled(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                                   uint32_t bytes)
{
    return !view->race || is_unused(x, op) || SIM_NAME(sim_race_load)(x, op, view, bytes);
}
static inline bool store_is_settled(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                                    uint32_t bytes)
{
    return !view->race || SIM_NAME(sim_race_store)(x, op, view, bytes);
}
static inline bool one_is_settled(sim_exec *x, const sim_op *op, const span *s, uint32_t size)
{
    return !s->view.race || is_unused(x, op) ||
           sim_race_read_one(x, op->site, &s->view, s->start, size);
}

#define MEMORY_HANDLERS(bits)                                                                      \
    static void LOAD_ONE_##bits(sim_exec *x, const sim_op *op)                                     \
    {                                                                                              \
        uint8_t loaded[COMPONENTS_MAX * 8];                                                        \
        uint32_t size = bits / 8 * op->count;                                                      \
        const uint8_t *from = loaded;                                                              \
        span s;                                                                                    \
        uint64_t address = uniform_64(x, op->a) + (uint64_t)op->imm;                               \
        uint32_t lane = sim_first_lane(x);                                                         \
        x->lane_has_undefined = false;                                                             \
        if (open_one(x, op, size, &s) && s.view.data && !s.view.defined &&                         \
            one_is_settled(x, op, &s, size)) {                                                     \
            from = s.view.data + s.start;                                                          \
        } else {                                                                                   \
            sim_lane_load(x, op, lane, address, size, op->c, x->active, loaded);                   \
        }                                                                                          \
        if (x->lane_has_undefined || x->wave->tracks) {                                            \
            sim_shadow_load_lane(x, op, lane, address, bits / 8);                                  \
        }                                                                                          \
        for (uint32_t k = 0; k < op->count; k++) {                                                 \
            sim_register place = sim_component(x, op, k);                                          \
            if (place == SIM_REGISTER_NONE) continue;                                              \
            *(uint##bits##_t *)sim_at(x, place) = *(const memory_##bits *)(from + k * (bits / 8)); \
        }                                                                                          \
    }                                                                                              \
    static void LOAD_SAME_##bits(sim_exec *x, const sim_op *op)                                    \
    {                                                                                              \
        span s;                                                                                    \
        if (!open_one(x, op, bits / 8 * op->count, &s) ||                                          \
            !one_is_settled(x, op, &s, bits / 8 * op->count)) {                                    \
            load_slowly(x, op, SIM_MEMORY_SAME, bits / 8);                                         \
        } else if (s.view.class != SIM_CLASS_PRIVATE) {                                            \
            for (uint32_t i = x->low; i < x->high; i++)                                            \
                x->offsets[i] = s.start;                                                           \
            load_rows_##bits(x, op, &s.view);                                                      \
        } else if (in_granule(s.view.position + s.start, bits / 8, op->count)) {                   \
            load_private_##bits(x, op, &s.view);                                                   \
        } else {                                                                                   \
            load_slowly(x, op, SIM_MEMORY_SAME, bits / 8);                                         \
        }                                                                                          \
    }                                                                                              \
    static void LOAD_EACH_##bits(sim_exec *x, const sim_op *op)                                    \
    {                                                                                              \
        span s;                                                                                    \
        if (offsets_each(x, op, bits / 8 * op->count, &s) && s.view.data &&                        \
            load_is_settled(x, op, &s.view, bits / 8)) {                                           \
            load_rows_##bits(x, op, &s.view);                                                      \
        } else {                                                                                   \
            load_slowly(x, op, SIM_MEMORY_EACH, bits / 8);                                         \
        }                                                                                          \
    }                                                                                              \
    static void STORE_ONE_##bits(sim_exec *x, const sim_op *op)                                    \
    {                                                                                              \
        span s;                                                                                    \
        bool right = open_one(x, op, bits / 8 * op->count, &s);                                    \
        if (right && s.view.race && x->active > 1) {                                               \
            store_slowly(x, op, SIM_MEMORY_ONE, bits / 8); /* each has its own value */            \
        } else if (right && s.view.data) {                                                         \
            uint8_t stored[COMPONENTS_MAX * 8];                                                    \
            uint32_t lane = last_lane(x);                                                          \
            for (uint32_t k = 0; k < op->count; k++) {                                             \
                sim_register place = sim_component(x, op, k);                                      \
                const uint##bits##_t *v = sim_at(x, place);                                        \
                v += sim_register_uniform(place) ? 0 : lane;                                       \
                *(memory_##bits *)(stored + k * (bits / 8)) = *v;                                  \
            }                                                                                      \
            x->lane_has_undefined =                                                                \
                x->wave->tracks && sim_shadow_store_lane(x, op, lane, bits / 8);                   \
            sim_lane_store(x, op, lane, uniform_64(x, op->a) + (uint64_t)op->imm,                  \
                           bits / 8 * op->count, op->c, x->active, stored);                        \
        } else if (right && in_granule(s.view.position + s.start, bits / 8, op->count)) {          \
            store_private_##bits(x, op, &s.view);                                                  \
        } else {                                                                                   \
            store_slowly(x, op, SIM_MEMORY_ONE, bits / 8);                                         \
        }                                                                                          \
    }                                                                                              \
    static void STORE_EACH_##bits(sim_exec *x, const sim_op *op)                                   \
    {                                                                                              \
        span s;                                                                                    \
        if (offsets_each(x, op, bits / 8 * op->count, &s) && s.view.data &&                        \
            store_is_settled(x, op, &s.view, bits / 8)) {                                          \
            store_rows_##bits(x, op, &s.view);                                                     \
        } else {                                                                                   \
            store_slowly(x, op, SIM_MEMORY_EACH, bits / 8);                                        \
        }                                                                                          \
    }                                                                                              \
    static void STORE_SAME_##bits(sim_exec *x, const sim_op *op)                                   \
    {                                                                                              \
        STORE_ONE_##bits(x, op);                                                                   \
    }
MEMORY_HANDLERS(8)
MEMORY_HANDLERS(16)
MEMORY_HANDLERS(32)
MEMORY_HANDLERS(64)

#define INDEXED_HANDLERS(form, bits)                                                               \
    static void LOAD_##form##_##bits(sim_exec *x, const sim_op *op)                                \
    {                                                                                              \
        span s;                                                                                    \
        if (span_open(x, op, uniform_64(x, op->a), bits / 8 * op->count, &s) && s.view.data &&     \
            offsets_##form(x, op, &s) && load_is_settled(x, op, &s.view, bits / 8)) {              \
            load_rows_##bits(x, op, &s.view);                                                      \
        } else {                                                                                   \
            load_slowly(x, op, SIM_MEMORY_##form, bits / 8);                                       \
        }                                                                                          \
    }                                                                                              \
    static void STORE_##form##_##bits(sim_exec *x, const sim_op *op)                               \
    {                                                                                              \
        span s;                                                                                    \
        if (span_open(x, op, uniform_64(x, op->a), bits / 8 * op->count, &s) && s.view.data &&     \
            offsets_##form(x, op, &s) && store_is_settled(x, op, &s.view, bits / 8)) {             \
            store_rows_##bits(x, op, &s.view);                                                     \
        } else {                                                                                   \
            store_slowly(x, op, SIM_MEMORY_##form, bits / 8);                                      \
        }                                                                                          \
    }
#define ALL_INDEXED(form)                                                                          \
    INDEXED_HANDLERS(form, 8)                                                                      \
    INDEXED_HANDLERS(form, 16)                                                                     \
    INDEXED_HANDLERS(form, 32)                                                                     \
    INDEXED_HANDLERS(form, 64)
ALL_INDEXED(U32)
ALL_INDEXED(S32)
ALL_INDEXED(I64)

/* ---- Atomics: lanes in order ---------------------------------------------------------------- */

/* Integers that hold floats: a half is computed with as float, rounded once (half.h). */
static inline float float_of_I16(uint16_t bits)
{
    return sim_float_of_half(bits);
}
static inline uint16_t bits_of_I16(float value)
{
    return sim_half_of_float(value);
}
static inline float float_of_I32(uint32_t bits)
{
    return (sim_float_bits){.bits = bits}.value;
}
static inline uint32_t bits_of_I32(float value)
{
    return (sim_float_bits){.value = value}.bits;
}
static inline double float_of_I64(uint64_t bits)
{
    return (sim_double_bits){.bits = bits}.value;
}
static inline uint64_t bits_of_I64(double value)
{
    return (sim_double_bits){.value = value}.bits;
}

#define ATOMIC(type, U, S, F)                                                                      \
    static U atomic_##type(sim_atomic operation, U old, U value, U comparator)                     \
    {                                                                                              \
        switch (operation) {                                                                       \
        case SIM_ATOMIC_LOAD: return old;                                                          \
        case SIM_ATOMIC_STORE:                                                                     \
        case SIM_ATOMIC_EXCHANGE: return value;                                                    \
        case SIM_ATOMIC_COMPARE: return old == comparator ? value : old;                           \
        case SIM_ATOMIC_ADD: return old + value;                                                   \
        case SIM_ATOMIC_SUB: return old - value;                                                   \
        case SIM_ATOMIC_SMIN: return (S)old < (S)value ? old : value;                              \
        case SIM_ATOMIC_UMIN: return old < value ? old : value;                                    \
        case SIM_ATOMIC_SMAX: return (S)old > (S)value ? old : value;                              \
        case SIM_ATOMIC_UMAX: return old > value ? old : value;                                    \
        case SIM_ATOMIC_AND: return old & value;                                                   \
        case SIM_ATOMIC_OR: return old | value;                                                    \
        case SIM_ATOMIC_XOR: return old ^ value;                                                   \
        case SIM_ATOMIC_FADD:                                                                      \
        case SIM_ATOMIC_FMIN:                                                                      \
        case SIM_ATOMIC_FMAX: {                                                                    \
            F a = float_of_##type(old), b = float_of_##type(value);                                \
            if (operation == SIM_ATOMIC_FADD) {                                                    \
                a = a + b;                                                                         \
            } else if (a != a || (operation == SIM_ATOMIC_FMIN ? b < a : b > a)) {                 \
                a = b; /* a number goes before a NaN */                                            \
            }                                                                                      \
            return bits_of_##type(a);                                                              \
        }                                                                                          \
        }                                                                                          \
        UNREACHABLE();                                                                             \
    }                                                                                              \
    static void ATOMIC_##type(sim_exec *x, const sim_op *op)                                       \
    {                                                                                              \
        sim_atomic operation = (sim_atomic)op->extra;                                              \
        bool one_a = sim_register_uniform(op->a), one_b = sim_register_uniform(op->b);             \
        bool one_c = sim_register_uniform(op->c);                                                  \
        const uint64_t *address = sim_at(x, op->a);                                                \
        const U *value = sim_at(x, op->b), *comparator = sim_at(x, op->c);                         \
        U *d = op->target == SIM_REGISTER_NONE ? NULL : sim_at(x, op->target);                     \
        for (uint32_t i = x->low; i < x->high; i++) {                                              \
            if (!x->mask[i]) continue;                                                             \
            U old, next, b = value[one_b ? 0 : i], c = comparator[one_c ? 0 : i];                  \
            uint64_t where = address[one_a ? 0 : i];                                               \
            uint32_t size = (uint32_t)sizeof(U);                                                   \
            if (operation != SIM_ATOMIC_STORE) {                                                   \
                sim_lane_load(x, op, i, where, size, size, 1, (uint8_t *)&old);                    \
            } else {                                                                               \
                old = 0;                                                                           \
                x->lane_has_undefined = false;                                                     \
            }                                                                                      \
            if (x->lane_has_undefined || x->wave->tracks) {                                        \
                sim_shadow_exchange(x, op, &(sim_shadow_atomic){i, size, where, old, b, c});       \
            }                                                                                      \
            next = atomic_##type(operation, old, b, c);                                            \
            if (d) d[i] = old;                                                                     \
            bool writes =                                                                          \
                operation != SIM_ATOMIC_LOAD && !(operation == SIM_ATOMIC_COMPARE && old != c);    \
            sim_race_atomic(x, op, i, where, size, writes);                                        \
            if (operation == SIM_ATOMIC_LOAD) continue;                                            \
            sim_lane_store(x, op, i, where, size, size, 1, (const uint8_t *)&next);                \
        }                                                                                          \
    }
ATOMIC(I16, uint16_t, int16_t, float)
ATOMIC(I32, uint32_t, int32_t, float)
ATOMIC(I64, uint64_t, int64_t, double)

/* ---- Copies --------------------------------------------------------------------------------- */

/* Bytes from an address to the end of its object. */
static uint64_t room_at(sim_exec *x, uint64_t address)
{
    sim_view_memory view;
    sim_finding_kind kind;
    bool is_inside = sim_access_find(x, address, &view, &kind) && view.offset <= view.size;
    return is_inside ? view.size - view.offset : 0;
}

/* A lane copies in pieces, from the front; ranges that overlap are undefined in SPIR-V.
 * Of a size that goes beyond an object, no more is copied than shows that. */
static void copy_lane(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t to, uint64_t from,
                      uint64_t size)
{
    uint8_t piece[64];
    uint64_t room = room_at(x, from) < room_at(x, to) ? room_at(x, from) : room_at(x, to);
    if (size > room + sizeof piece) size = room + sizeof piece;
    for (uint64_t done = 0; done < size;) {
        uint32_t part =
            size - done < sizeof piece ? (uint32_t)(size - done) : (uint32_t)sizeof piece;
        bool is_first = done == 0;
        sim_lane_load(x, op, lane, from + done, part, is_first ? op->extra : 1, 1, piece);
        sim_lane_store(x, op, lane, to + done, part, is_first ? (uint32_t)op->imm : 1, 1, piece);
        done += part;
    }
}

static void COPY_MEMORY(sim_exec *x, const sim_op *op)
{
    bool one_a = sim_register_uniform(op->a), one_b = sim_register_uniform(op->b);
    bool one_c = sim_register_uniform(op->c);
    const uint64_t *to = sim_at(x, op->a), *from = sim_at(x, op->b), *size = sim_at(x, op->c);
    for (uint32_t i = x->low; i < x->high; i++) {
        if (!x->mask[i]) continue;
        copy_lane(x, op, i, to[one_a ? 0 : i], from[one_b ? 0 : i], size[one_c ? 0 : i]);
    }
}

/* Lanes run in step: only the search for races needs to know. */
static void FENCE(sim_exec *x, const sim_op *op)
{
    sim_race_fence(x, op->extra);
}

static void FRAME_ADDRESS(sim_exec *x, const sim_op *op)
{
    CHECK(x->frame->number != 0);
    uint32_t object = x->frame->number << SIM_PRIVATE_VARIABLE_BITS | op->extra;
    *(uint64_t *)sim_at(x, op->target) = sim_address_of(SIM_CLASS_PRIVATE, object);
}

/* ---- The table ------------------------------------------------------------------------------ */

#define ENTRY(name) [SIM_H_##name] = name,
#define MEMORY_ENTRIES(op, form)                                                                   \
    ENTRY(op##_##form##_8) ENTRY(op##_##form##_16) ENTRY(op##_##form##_32) ENTRY(op##_##form##_64)

sim_handle *const SIM_NAME(sim_memory_table)[SIM_HANDLER_COUNT] = {
    SIM_MEMORY_FORMS(MEMORY_ENTRIES, LOAD) SIM_MEMORY_FORMS(MEMORY_ENTRIES, STORE) ENTRY(ATOMIC_I16)
        ENTRY(ATOMIC_I32) ENTRY(ATOMIC_I64) ENTRY(FENCE) ENTRY(COPY_MEMORY)
            ENTRY(FRAME_ADDRESS)[SIM_H_COLLECTIVE] = sim_handle_collective,
    [SIM_H_FORGET] = sim_handle_forget,
    [SIM_H_GROUP_PUT] = sim_handle_group_put,
    [SIM_H_GROUP_TAKE] = sim_handle_group_take,
    [SIM_H_ASYNC_COPY] = sim_handle_async_copy,
    [SIM_H_WAIT_EVENTS] = sim_handle_wait_events,
    [SIM_H_PRINT] = sim_handle_print};
