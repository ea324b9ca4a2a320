/* Loads, stores and copies of lane arrays.
 *
 * The usual case is made fast: all lanes in one object, all inside it, all aligned.  That is found
 * out first, for all lanes at once; where it does not hold, access.c goes lane by lane and says
 * what is wrong.  Lanes that are not active take part with an offset inside the object, 0 where
 * they have none. */
#include "sim/exec/chunks.h"

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
    uint32_t unaligned; /* bits that an aligned offset does not have */
} span;

static bool is_store(const sim_op *op)
{
    return op->handler >= SIM_H_STORE_ONE_8 && op->handler <= SIM_H_STORE_EACH_64;
}

/* Prepares accesses of `size` bytes around an address; false where no access can be right, the
 * object's offsets are too large for rows, or the memory is that of the lanes. */
static bool span_open(sim_exec *x, const sim_op *op, uint64_t address, uint32_t size, span *s)
{
    sim_finding_kind kind;
    if (!sim_access_find(x, address, &s->view, &kind)) return false;
    if (s->view.size < size || s->view.size > INT32_MAX) return false;
    if (s->view.is_constant && is_store(op)) return false;
    if (!SIM_CHECKED) {
        s->view.defined = NULL;
        s->view.race = NULL;
    }
    s->start = s->view.offset;
    s->last = s->view.size - size;
    s->unaligned = op->c - 1;
    return true;
}

/* The indices that lead into the object: [low, low + count], of those that the type can hold. */
typedef struct index_range {
    int64_t low;
    uint64_t count;
    uint32_t start; /* what index 0 leads to, which may be outside: offsets are computed in 32 bits
                       and right where they are inside */
} index_range;

/* Rounded down; `by` is most often a power of two, and dividing takes longer than all the rest. */
static int64_t divide_down(int64_t value, int64_t by)
{
    if ((by & (by - 1)) == 0) return value >> __builtin_ctzll((uint64_t)by);
    return value >= 0 ? value / by : -((by - 1 - value) / by);
}

/* False where no index does, or the numbers are so large that products could wrap. */
static bool index_range_of(const sim_op *op, const span *s, int64_t least, int64_t most,
                           index_range *out)
{
    static const int64_t far = INT64_C(1) << 60;
    int64_t start = (int64_t)(s->start + (uint64_t)op->imm), stride = op->stride;
    if (stride == 0 || start > far || start < -far) return false;
    int64_t low = -divide_down(start, stride), high = divide_down((int64_t)s->last - start, stride);
    if (low < least) low = least;
    if (high > most) high = most;
    if (low > high) return false;
    *out = (index_range){low, (uint64_t)(high - low), (uint32_t)(uint64_t)start};
    return true;
}

#define OFFSETS_LOOP(W, DISTANCE)                                                                  \
    if (x->dense) {                                                                                \
        FOR_LANES                                                                                  \
        {                                                                                          \
            uint32_t o = start + (DISTANCE);                                                       \
            outside |= (W)((W)(index[i] - low) > count);                                           \
            uneven |= o;                                                                           \
            out[i] = o;                                                                            \
        }                                                                                          \
    } else {                                                                                       \
        FOR_LANES                                                                                  \
        {                                                                                          \
            bool is_outside = (W)(index[i] - low) > count;                                         \
            uint32_t o = start + (DISTANCE);                                                       \
            outside |= (W)(is_outside & m[i]);                                                     \
            o = is_outside ? 0 : o;                                                                \
            uneven |= m[i] ? o : 0;                                                                \
            out[i] = o;                                                                            \
        }                                                                                          \
    }

/* Nearly all strides are powers of two, and vector units shift far faster than they multiply. */
#define OFFSETS(name, W, LEAST, MOST)                                                              \
    static bool offsets_##name(sim_exec *x, const sim_op *op, const span *s)                       \
    {                                                                                              \
        index_range range;                                                                         \
        if (!index_range_of(op, s, LEAST, MOST, &range)) return false;                             \
        uint32_t n = LANE_COUNT(x), stride = op->stride, start = range.start, uneven = 0;          \
        const W *index = (const W *)sim_at(x, op->b) + x->low;                                     \
        W low = (W)(uint64_t)range.low, count = (W)range.count, outside = 0;                       \
        uint32_t *out = x->offsets + x->low;                                                       \
        const uint8_t *m = x->mask + x->low;                                                       \
        if ((stride & (stride - 1)) == 0) {                                                        \
            uint32_t amount = (uint32_t)__builtin_ctz(stride);                                     \
            OFFSETS_LOOP(W, (uint32_t)index[i] << amount)                                          \
        } else {                                                                                   \
            OFFSETS_LOOP(W, (uint32_t)index[i] * stride)                                           \
        }                                                                                          \
        return !SIM_CHECKED || (outside | (uneven & s->unaligned)) == 0;                           \
    }
OFFSETS(U32, uint32_t, 0, UINT32_MAX)
OFFSETS(S32, uint32_t, INT32_MIN, INT32_MAX)
OFFSETS(I64, uint64_t, INT64_MIN, INT64_MAX)

/* A row of single elements of which every chunk is a run or at one place. */
typedef struct direct_row {
    uint32_t at[SIM_LANES / SIM_CHUNK]; /* offset of a chunk's first lane */
    bool is_run[SIM_LANES / SIM_CHUNK];
} direct_row;

/* True where nothing but the addresses of a load has to be looked at, and where aligned elements
 * follow each other without gaps. */
static inline bool may_be_direct(const sim_exec *x, const sim_op *op, const span *s)
{
    return x->dense && op->count == 1 && !s->view.race && !s->view.defined &&
           !(SIM_CHECKED && x->wave->tracks) && (op->stride & s->unaligned) == 0;
}

/* The shortest way to load: the indices are looked at and no lane's offset is computed.  False, and
 * nothing has happened, where that does not do. */
#define DIRECT(name, W, LEAST, MOST)                                                               \
    static bool direct_##name(const sim_exec *x, const sim_op *op, const span *s, uint32_t size,   \
                              direct_row *out)                                                     \
    {                                                                                              \
        typedef W words __attribute__((vector_size(SIM_CHUNK * sizeof(W))));                       \
        static const words steps = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};         \
        index_range range;                                                                         \
        if (!may_be_direct(x, op, s) || !index_range_of(op, s, LEAST, MOST, &range)) return false; \
        if (range.start & s->unaligned) return false;                                              \
        const W *index = (const W *)sim_at(x, op->b);                                              \
        W low = (W)(uint64_t)range.low, count = (W)range.count, outside = 0;                       \
        W run = op->stride == size ? SIM_CHUNK - 1 : 0;                                            \
        words apart = {0};                                                                         \
        FOR_CHUNKS(x)                                                                              \
        {                                                                                          \
            W first = index[c], distance = index[c + SIM_CHUNK - 1] - first, at = first - low;     \
            if (distance != 0 && distance != run) return false;                                    \
            words chunk;                                                                           \
            memcpy(&chunk, index + c, sizeof chunk);                                               \
            apart |= (chunk - first) ^ (steps & (distance ? (W)-1 : 0));                           \
            outside |= (W)(at > count) | (W)(count - at < distance);                               \
            out->at[c / SIM_CHUNK] = range.start + (uint32_t)first * op->stride;                   \
            out->is_run[c / SIM_CHUNK] = distance != 0;                                            \
        }                                                                                          \
        W any = 0;                                                                                 \
        for (uint32_t i = 0; i < SIM_CHUNK; i++)                                                   \
            any |= apart[i];                                                                       \
        return (any | outside) == 0;                                                               \
    }
DIRECT(U32, uint32_t, 0, UINT32_MAX)
DIRECT(S32, uint32_t, INT32_MIN, INT32_MAX)
DIRECT(I64, uint64_t, INT64_MIN, INT64_MAX)

/* The same for addresses that the lanes have whole: right when all are in one object. */
static bool offsets_each(sim_exec *x, const sim_op *op, uint32_t size, span *s)
{
    uint32_t n = LANE_COUNT(x), uneven = 0;
    const uint64_t *address = (const uint64_t *)sim_at(x, op->a) + x->low;
    uint64_t first = address[sim_first_lane(x) - x->low];
    if (!span_open(x, op, first, size, s)) return false;
    uint64_t start = first - s->view.offset - (uint64_t)op->imm, last = s->last, outside = 0;
    uint32_t *out = x->offsets + x->low;
    const uint8_t *m = x->mask + x->low;
    FOR_LANES
    {
        uint64_t o = address[i] - start;
        bool is_outside = o > last;
        outside |= (uint64_t)(is_outside & m[i]);
        o = is_outside ? 0 : o;
        uneven |= m[i] ? (uint32_t)o : 0;
        out[i] = (uint32_t)o;
    }
    return !SIM_CHECKED || (outside | (uneven & s->unaligned)) == 0;
}

/* Says of every chunk of x->offsets how it lies, for elements of `size` bytes; always true. */
static bool offsets_settle(sim_exec *x, uint32_t size, const span *s)
{
    const uint8_t *mask = x->dense ? NULL : x->mask + x->low;
    sim_chunks_find(x->offsets + x->low, mask, LANE_COUNT(x), size, s->last,
                    x->kinds + x->low / SIM_CHUNK);
    return true;
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

static void load_slowly(sim_exec *x, const sim_op *op, sim_memory_form form, uint32_t bytes)
{
    uint8_t loaded[COMPONENTS_MAX * 8];
    uint64_t addresses[SIM_LANES];
    /* A target may be the row of the index, so all addresses are computed before any load. */
    for (uint32_t lane = x->low; lane < x->high; lane++) {
        if (x->mask[lane]) addresses[lane] = lane_address(x, op, form, lane);
    }
    for (uint32_t lane = x->low; lane < x->high; lane++) {
        if (!x->mask[lane]) continue;
        sim_lane_load(x, op, lane, addresses[lane], bytes * op->count, op->c, 1, loaded);
        if (SIM_CHECKED && (x->lane_has_undefined || x->wave->tracks)) {
            sim_shadow_load_lane(x, op, lane, addresses[lane], bytes);
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

/* A register in which lanes of other fragments must keep what they have. */
static inline bool keeps_others(const sim_exec *x, sim_register place)
{
    return x->partial && place >> SIM_REGISTER_SHIFT == SIM_SPACE_FRAME;
}

/* The kind for the components of elements: those of several stand apart in memory, so that only
 * single ones are loaded and stored as a run. */
static inline sim_chunk_kind component_kind(const sim_exec *x, const sim_op *op, uint32_t c)
{
    sim_chunk_kind kind = SIM_CHUNK_KIND(x->kinds[c / SIM_CHUNK]);
    return kind == SIM_CHUNK_RUN && op->count > 1 ? SIM_CHUNK_MIXED : kind;
}

#define LOAD_ROWS(bits)                                                                            \
    static inline void load_chunk_##bits(uint##bits##_t *d, const uint8_t *from,                   \
                                         const uint32_t *at, sim_chunk_kind kind)                  \
    {                                                                                              \
        if (kind == SIM_CHUNK_RUN) {                                                               \
            memcpy(d, from + at[0], SIM_CHUNK * sizeof *d);                                        \
        } else if (kind == SIM_CHUNK_SAME) {                                                       \
            uint##bits##_t v = *(const memory_##bits *)(from + at[0]);                             \
            FOR_CHUNK_LANES d[i] = v;                                                              \
        } else {                                                                                   \
            for (uint32_t i = 0; i < SIM_CHUNK; i++)                                               \
                d[i] = *(const memory_##bits *)(from + at[i]);                                     \
        }                                                                                          \
    }                                                                                              \
    static bool rows_are_defined_##bits(const sim_exec *x, const sim_op *op,                       \
                                        const uint8_t *defined)                                    \
    {                                                                                              \
        uint##bits##_t wrong = 0, d[SIM_CHUNK];                                                    \
        FOR_CHUNKS(x)                                                                              \
        {                                                                                          \
            sim_chunk_kind kind = component_kind(x, op, c);                                        \
            if (kind == SIM_CHUNK_IDLE) continue;                                                  \
            const uint8_t *m = x->mask + c;                                                        \
            for (uint32_t k = 0; k < op->count; k++) {                                             \
                load_chunk_##bits(d, defined + k * (bits / 8), x->offsets + c, kind);              \
                FOR_CHUNK_LANES                                                                    \
                {                                                                                  \
                    uint##bits##_t undefined = (uint##bits##_t) ~d[i];                             \
                    wrong |= m[i] ? undefined : 0;                                                 \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        return wrong == 0;                                                                         \
    }                                                                                              \
    static void load_component_##bits(const sim_exec *x, const sim_op *op, sim_register place,     \
                                      const uint8_t *from)                                         \
    {                                                                                              \
        bool keep = keeps_others(x, place);                                                        \
        uint##bits##_t v[SIM_CHUNK];                                                               \
        FOR_CHUNKS(x)                                                                              \
        {                                                                                          \
            sim_chunk_kind kind = component_kind(x, op, c);                                        \
            if (kind == SIM_CHUNK_IDLE) continue;                                                  \
            uint##bits##_t *d = (uint##bits##_t *)sim_at(x, place) + c;                            \
            if (!keep || !(x->kinds[c / SIM_CHUNK] & SIM_CHUNK_PART)) {                            \
                load_chunk_##bits(d, from, x->offsets + c, kind);                                  \
                continue;                                                                          \
            }                                                                                      \
            const uint8_t *m = x->mask + c;                                                        \
            load_chunk_##bits(v, from, x->offsets + c, kind);                                      \
            FOR_CHUNK_LANES d[i] = m[i] ? v[i] : d[i];                                             \
        }                                                                                          \
    }                                                                                              \
    static void load_rows_##bits(sim_exec *x, const sim_op *op, const sim_view_memory *view)       \
    {                                                                                              \
        if (view->defined && !rows_are_defined_##bits(x, op, view->defined)) {                     \
            sim_shadow_load_rows(x, op, view, bits / 8);                                           \
        } else if (x->wave->tracks) {                                                              \
            sim_shadow_load_defined(x, op, bits / 8);                                              \
        }                                                                                          \
        for (uint32_t k = 0; k < op->count; k++) {                                                 \
            sim_register place = sim_component(x, op, k);                                          \
            if (place == SIM_REGISTER_NONE) continue;                                              \
            load_component_##bits(x, op, place, view->data + k * (bits / 8));                      \
        }                                                                                          \
    }
#define LOAD_DIRECT(bits)                                                                          \
    static void load_direct_##bits(const sim_exec *x, const sim_op *op,                            \
                                   const sim_view_memory *view, const direct_row *row)             \
    {                                                                                              \
        sim_register place = sim_component(x, op, 0);                                              \
        if (place == SIM_REGISTER_NONE) return;                                                    \
        uint##bits##_t *d = sim_at(x, place);                                                      \
        FOR_CHUNKS(x)                                                                              \
        {                                                                                          \
            const uint8_t *from = view->data + row->at[c / SIM_CHUNK];                             \
            if (row->is_run[c / SIM_CHUNK]) {                                                      \
                memcpy(d + c, from, SIM_CHUNK * sizeof *d);                                        \
            } else {                                                                               \
                uint##bits##_t v = *(const memory_##bits *)from, *to = d + c;                      \
                FOR_CHUNK_LANES to[i] = v;                                                         \
            }                                                                                      \
        }                                                                                          \
    }
LOAD_DIRECT(8)
LOAD_DIRECT(16)
LOAD_DIRECT(32)
LOAD_DIRECT(64)
LOAD_ROWS(8)
LOAD_ROWS(16)
LOAD_ROWS(32)
LOAD_ROWS(64)

/* Lanes store in order: where two store to the same place, the later one stays.  What is not an
 * active lane's is never written, not even as it was. */
#define STORE_ROWS(bits)                                                                           \
    static inline void store_chunk_##bits(const sim_exec *x, const sim_op *op, uint32_t c,         \
                                          uint8_t *to, const uint##bits##_t *v)                    \
    {                                                                                              \
        const uint32_t *at = x->offsets + c;                                                       \
        const uint8_t *m = x->mask + c;                                                            \
        bool is_run = component_kind(x, op, c) == SIM_CHUNK_RUN;                                   \
        if (!(x->kinds[c / SIM_CHUNK] & SIM_CHUNK_PART)) {                                         \
            if (is_run) memcpy(to + at[0], v, SIM_CHUNK * sizeof *v);                              \
            for (uint32_t i = 0; !is_run && i < SIM_CHUNK; i++)                                    \
                *(memory_##bits *)(to + at[i]) = v[i];                                             \
        } else if (is_run) {                                                                       \
            memory_##bits *d = (memory_##bits *)(to + at[0]);                                      \
            FOR_CHUNK_LANES                                                                        \
            {                                                                                      \
                if (m[i]) d[i] = v[i];                                                             \
            }                                                                                      \
        } else {                                                                                   \
            for (uint32_t left = sim_chunk_active(m); left; left &= left - 1) {                    \
                uint32_t i = (uint32_t)__builtin_ctz(left);                                        \
                *(memory_##bits *)(to + at[i]) = v[i];                                             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void store_rows_##bits(sim_exec *x, const sim_op *op, const sim_view_memory *view)      \
    {                                                                                              \
        static const uint##bits##_t defined[SIM_CHUNK] = DEFINED_##bits;                           \
        uint##bits##_t same[SIM_CHUNK];                                                            \
        for (uint32_t k = 0; k < op->count; k++) {                                                 \
            sim_register place = sim_component(x, op, k);                                          \
            bool is_uniform = sim_register_uniform(place);                                         \
            const uint##bits##_t *v = sim_at(x, place);                                            \
            for (uint32_t i = 0; is_uniform && i < SIM_CHUNK; i++)                                 \
                same[i] = *v;                                                                      \
            FOR_CHUNKS(x)                                                                          \
            {                                                                                      \
                if (x->kinds[c / SIM_CHUNK] == SIM_CHUNK_IDLE) continue;                           \
                uint32_t distance = k * (bits / 8);                                                \
                store_chunk_##bits(x, op, c, view->data + distance, is_uniform ? same : v + c);    \
                if (!view->defined) continue;                                                      \
                store_chunk_##bits(x, op, c, view->defined + distance, defined);                   \
            }                                                                                      \
        }                                                                                          \
        if (x->wave->tracks && sim_shadow_stores(x, op, bits / 8)) {                               \
            sim_shadow_store_rows(x, op, view, bits / 8);                                          \
        }                                                                                          \
    }
#define FOUR_TIMES(v) v, v, v, v
#define SIXTEEN_TIMES(v)                                                                           \
    {                                                                                              \
        FOUR_TIMES(v), FOUR_TIMES(v), FOUR_TIMES(v), FOUR_TIMES(v)                                 \
    }
#define DEFINED_8  SIXTEEN_TIMES(UINT8_MAX)
#define DEFINED_16 SIXTEEN_TIMES(UINT16_MAX)
#define DEFINED_32 SIXTEEN_TIMES(UINT32_MAX)
#define DEFINED_64 SIXTEEN_TIMES(UINT64_MAX)
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
        if (SIM_CHECKED && !private_is_defined_##bits(x, op, position)) {                          \
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
    return !SIM_CHECKED || !view->race || is_unused(x, op) ||
           SIM_NAME(sim_race_load)(x, op, view, bytes);
}
static inline bool store_is_settled(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                                    uint32_t bytes)
{
    return !SIM_CHECKED || !view->race || SIM_NAME(sim_race_store)(x, op, view, bytes);
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
        if (SIM_CHECKED && (x->lane_has_undefined || x->wave->tracks)) {                           \
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
                x->offsets[i] = (uint32_t)s.start;                                                 \
            (void)offsets_settle(x, bits / 8 * op->count, &s);                                     \
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
            offsets_settle(x, bits / 8 * op->count, &s) &&                                         \
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
            offsets_settle(x, bits / 8 * op->count, &s) &&                                         \
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
        direct_row row;                                                                            \
        uint32_t size = bits / 8 * op->count;                                                      \
        bool found = span_open(x, op, uniform_64(x, op->a), size, &s) && s.view.data;              \
        if (found && direct_##form(x, op, &s, size, &row)) {                                       \
            load_direct_##bits(x, op, &s.view, &row);                                              \
        } else if (found && offsets_##form(x, op, &s) && offsets_settle(x, size, &s) &&            \
                   load_is_settled(x, op, &s.view, bits / 8)) {                                    \
            load_rows_##bits(x, op, &s.view);                                                      \
        } else {                                                                                   \
            load_slowly(x, op, SIM_MEMORY_##form, bits / 8);                                       \
        }                                                                                          \
    }                                                                                              \
    static void STORE_##form##_##bits(sim_exec *x, const sim_op *op)                               \
    {                                                                                              \
        span s;                                                                                    \
        if (span_open(x, op, uniform_64(x, op->a), bits / 8 * op->count, &s) && s.view.data &&     \
            offsets_##form(x, op, &s) && offsets_settle(x, bits / 8 * op->count, &s) &&            \
            store_is_settled(x, op, &s.view, bits / 8)) {                                          \
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
    SIM_MEMORY_FORMS(MEMORY_ENTRIES, LOAD) SIM_MEMORY_FORMS(MEMORY_ENTRIES, STORE) ENTRY(FENCE)
        ENTRY(COPY_MEMORY) ENTRY(FRAME_ADDRESS)[SIM_H_COLLECTIVE] = sim_handle_collective,
    [SIM_H_FORGET] = sim_handle_forget,
    [SIM_H_GROUP_PUT] = sim_handle_group_put,
    [SIM_H_GROUP_TAKE] = sim_handle_group_take,
    [SIM_H_ASYNC_COPY] = sim_handle_async_copy,
    [SIM_H_WAIT_EVENTS] = sim_handle_wait_events,
    [SIM_H_PRINT] = sim_handle_print};
