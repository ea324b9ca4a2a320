/* Loads, stores and copies of lane arrays.
 *
 * The usual case is fast: all lanes in one object, all inside it, all aligned.  This is checked
 * first, for all lanes at once; if it does not hold, lane_access.c handles the lanes one by one and
 * reports what is wrong.  Inactive lanes take part with an offset inside the object: their own if
 * it is inside, otherwise 0. */
#include "sim/exec/scatter.h"

#include <string.h>

#define COMPONENTS_MAX 16u
_Static_assert(COMPONENTS_MAX * 8 <= SIM_ACCESS_BYTES_MAX, "lane_undefined holds a lane's access");

/* Elements in memory, which may be unaligned if the module says so. */
typedef uint8_t memory_8 __attribute__((may_alias));
typedef uint16_t memory_16 __attribute__((aligned(1), may_alias));
typedef uint32_t memory_32 __attribute__((aligned(1), may_alias));
typedef uint64_t memory_64 __attribute__((aligned(1), may_alias));

static inline uint64_t uniform_64(const sim_exec *x, sim_register place)
{
    return *(const uint64_t *)sim_at(x, place);
}

/* Which lanes are active. In variables, because a store to memory might change the members of x. */
typedef struct active_lanes {
    const uint8_t *mask; /* NULL: all in the range */
    uint32_t low, high;
} active_lanes;

static inline active_lanes active_lanes_of(const sim_exec *x)
{
    return (active_lanes){x->dense ? NULL : x->mask, x->low, x->high};
}

/* ---- Offsets of all lanes ------------------------------------------------------------------- */

/* The object that all lanes access; their offsets are in x->offsets. */
typedef struct span {
    sim_view_memory view;
    uint64_t start;     /* offset of the uniform part of the address */
    uint64_t last;      /* the last offset at which the access fits */
    uint32_t unaligned; /* bits that must be clear in an aligned offset */
} span;

/* Prepares accesses of `size` bytes in the object that `address` names; false if no access can be
 * valid or the object's offsets do not fit into rows. */
static bool span_open(sim_exec *x, const sim_op *op, uint64_t address, uint32_t size, span *s)
{
    sim_finding_kind kind;
    if (!sim_access_find(x, address, &s->view, &kind)) return false;
    if (s->view.size < size || s->view.size > INT32_MAX) return false;
    bool is_store = op->handler >= SIM_H_STORE_ONE_8 && op->handler <= SIM_H_STORE_EACH_64;
    if (s->view.forbidden & (is_store ? SIM_FORBIDS_STORES : SIM_FORBIDS_LOADS)) return false;
    if (!SIM_CHECKED) {
        s->view.defined = NULL;
        s->view.race = NULL;
    }
    s->start = s->view.offset;
    s->last = s->view.size - size;
    s->unaligned = op->c - 1;
    return true;
}

/* The range [low, low + count] of the indices whose addresses are inside the object, limited to
 * values that the index type can hold. */
typedef struct index_range {
    int64_t low;
    uint64_t count;
    uint32_t start; /* offset for index 0, which may be outside the object: offsets are computed
                     * modulo 2^32 and are correct if inside */
} index_range;

/* Divides, rounding down. `by` is usually a power of two, and a division would take longer than
 * everything else. */
static int64_t divide_down(int64_t value, int64_t by)
{
    if ((by & (by - 1)) == 0) return value >> __builtin_ctzll((uint64_t)by);
    return value >= 0 ? value / by : -((by - 1 - value) / by);
}

/* False if no index leads into the object or if the numbers are so large that products could wrap.
 */
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

/* True if each lane accesses its own group's bytes of the object. */
static inline bool is_apart(const sim_exec *x, const span *s)
{
    return SIM_CHECKED && x->launch->parts && s->view.class == SIM_CLASS_LOCAL;
}

/* Moves the offsets to the lanes' own groups' bytes of the object. */
static void offsets_part(sim_exec *x, uint32_t size, span *s)
{
    const sim_launch_state *l = x->launch;
    uint32_t stride = (uint32_t)l->locals.items[s->view.object - 1].stride;
    FOR_CHUNKS(x)
    {
        sim_words part = sim_words_get(l->lane_parts + c);
        sim_words_put(x->offsets + c, sim_words_get(x->offsets + c) + part * stride);
    }
    s->last = l->parts * stride - size;
}

/* A row in which each lane accesses one element, and the lanes of every chunk access either a run
 * of elements or all the same one. */
typedef struct direct_row {
    uint32_t at[SIM_LANES / SIM_CHUNK]; /* offset of a chunk's first lane */
    bool is_run[SIM_LANES / SIM_CHUNK];
} direct_row;

/* True if only the addresses of a load need to be checked, each lane loads one element, all lanes
 * are active, and the stride keeps addresses aligned. */
static inline bool may_be_direct(const sim_exec *x, const sim_op *op, const span *s)
{
    return x->dense && op->count == 1 && !s->view.race && !s->view.defined && !is_apart(x, s) &&
           !(SIM_CHECKED && x->wave->tracks) && (op->stride & s->unaligned) == 0;
}

/* Computes the offsets for accesses in which each lane has a full address; true if all are valid
 * and in one object. */
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

/* Completes valid offsets, and determines the kind of every chunk of them, for elements of `size`
 * bytes; always true. */
static bool offsets_settle(sim_exec *x, uint32_t size, span *s)
{
    if (is_apart(x, s)) offsets_part(x, size, s);
    const uint8_t *mask = x->dense ? NULL : x->mask + x->low;
    sim_chunks_find(x->offsets + x->low, mask, LANE_COUNT(x), size, s->last,
                    x->kinds + x->low / SIM_CHUNK);
    return true;
}

/* Returns one lane's address, for the slow path. */
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
    /* A target may be the same row as the index, so all addresses are computed before any load. */
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

/* True for a register in which lanes of other fragments must keep their values. */
static inline bool keeps_others(const sim_exec *x, sim_register place)
{
    return x->partial && place >> SIM_REGISTER_SHIFT == SIM_SPACE_FRAME;
}

/* Returns a chunk's kind with respect to one component. If elements have several components,
 * corresponding components are not contiguous in memory, so only single-component elements are
 * loaded and stored as a run. */
static inline sim_chunk_kind component_kind(const sim_exec *x, const sim_op *op, uint32_t c)
{
    sim_chunk_kind kind = SIM_CHUNK_KIND(x->kinds[c / SIM_CHUNK]);
    return kind == SIM_CHUNK_RUN && op->count > 1 ? SIM_CHUNK_MIXED : kind;
}

/* ---- Private memory at one address: the lanes' granules are contiguous ---------------------- */

/* True if each component of an access at the position lies within a single granule. */
static inline bool in_granule(uint64_t position, uint32_t bytes, uint32_t count)
{
    return position % bytes == 0 || position % 8 + bytes * count <= 8;
}

/* ---- Private memory at each lane's own offset ------------------------------------------------ */

/* Iterates over the active lanes. */
#define FOR_ACTIVE_LANES(s, i)                                                                     \
    for (uint32_t c = (s).low; c < (s).high; c += SIM_CHUNK)                                       \
    FOR_MASKED_FROM(c, (s).mask ? sim_chunk_active((s).mask + c) : SIM_CHUNK_ALL, i)

/* Returns the distance in a wave's private memory from the first byte of a granule to the byte of
 * the same lane that is `distance` bytes further. */
static inline uint32_t private_distance(uint32_t distance)
{
    return (distance >> 3) * (8 * SIM_LANES) + (distance & 7);
}

/* Computes the place in the wave's private memory, which has less than 4 GiB, of each active lane's
 * access, whose offsets are in x->offsets. False if elements of that size could straddle two
 * granules, or if several components do not begin with a granule. */
static bool private_places(const sim_exec *x, const sim_op *op, const sim_view_memory *view,
                           uint32_t bytes, uint32_t *out_at)
{
    uint32_t first = (uint32_t)view->position, same = (op->count > 1 ? 8 : bytes) - 1;
    sim_words bits = (sim_words){0} + first;
    const uint8_t *mask = x->mask;
    const active_lanes lanes = active_lanes_of(x);
    FOR_CHUNKS(&lanes)
    {
        sim_words position = sim_words_get(x->offsets + c) + first;
        sim_words place = (position >> 3) * SIM_LANES + sim_words_count() + c;
        bits |= position & sim_words_mask(mask + c);
        sim_words_put(out_at + (c - lanes.low), place * 8 + (position & 7));
    }
    return !sim_words_any(bits & same);
}

/* ---- Handlers ------------------------------------------------------------------------------- */

/* Returns the last active lane, whose value remains when all lanes store to one address. */
static uint32_t last_lane(const sim_exec *x)
{
    uint32_t lane = x->high;
    while (!x->mask[lane - 1])
        lane--;
    return lane - 1;
}

/* Finds the object at the address that all lanes share; true if the access is valid. */
static bool open_one(sim_exec *x, const sim_op *op, uint32_t size, span *s)
{
    uint64_t address = uniform_64(x, op->a) + (uint64_t)op->imm;
    return span_open(x, op, address, size, s) && s->start <= s->last &&
           (s->start & s->unaligned) == 0;
}

/* Gives all lanes the offset that open_one has found. */
static void offsets_same(sim_exec *x, uint32_t size, span *s)
{
    for (uint32_t i = x->low; i < x->high; i++)
        x->offsets[i] = (uint32_t)s->start;
    (void)offsets_settle(x, size, s);
}

/* True if no lane's access can race; the accesses have then been recorded. */
static inline bool load_is_settled(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                                   uint32_t bytes)
{
    return !SIM_CHECKED || !view->race || SIM_NAME(sim_race_load)(x, op, view, bytes);
}
static inline bool store_is_settled(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                                    uint32_t bytes)
{
    return !SIM_CHECKED || !view->race || SIM_NAME(sim_race_store)(x, op, view, bytes);
}
static inline bool one_is_settled(sim_exec *x, const sim_op *op, const span *s, uint32_t bytes)
{
    uint32_t low, high;
    if (!s->view.race) return true;
    sim_components_read(x, op, &low, &high);
    return sim_race_read_one(x, op->site, &s->view, s->start + low * bytes, (high - low) * bytes);
}

/* Repeat a value for every lane of a chunk. */
#define FOUR_TIMES(v)    v, v, v, v
#define SIXTEEN_TIMES(v) FOUR_TIMES(v), FOUR_TIMES(v), FOUR_TIMES(v), FOUR_TIMES(v)

#define BITS    8
#define ELEMENT uint8_t
#include "sim/exec/memory_width.inc"
#define BITS    16
#define ELEMENT uint16_t
#include "sim/exec/memory_width.inc"
#define BITS    32
#define ELEMENT uint32_t
#include "sim/exec/memory_width.inc"
#define BITS    64
#define ELEMENT uint64_t
#include "sim/exec/memory_width.inc"

/* ---- Handlers for indexed addresses --------------------------------------------------------- */

#define INDEX_FORM U32
#define INDEX      uint32_t
#define INDEX_MIN  0
#define INDEX_MAX  UINT32_MAX
#include "sim/exec/memory_index.inc"
#define INDEX_FORM S32
#define INDEX      uint32_t
#define INDEX_MIN  INT32_MIN
#define INDEX_MAX  INT32_MAX
#include "sim/exec/memory_index.inc"
#define INDEX_FORM I64
#define INDEX      uint64_t
#define INDEX_MIN  INT64_MIN
#define INDEX_MAX  INT64_MAX
#include "sim/exec/memory_index.inc"

/* ---- Copies --------------------------------------------------------------------------------- */

/* Returns the number of bytes from an address to the end of its object. */
static uint64_t room_at(sim_exec *x, uint64_t address)
{
    sim_view_memory view;
    sim_finding_kind kind;
    bool is_inside = sim_access_find(x, address, &view, &kind) && view.offset <= view.size;
    return is_inside ? view.size - view.offset : 0;
}

/* Copies lane by lane, in pieces from the front; overlapping ranges are undefined in SPIR-V. If the
 * size exceeds an object, the copy stops soon after the object's end, which suffices for the
 * finding. */
static void COPY_MEMORY(sim_exec *x, const sim_op *op)
{
    uint8_t piece[64];
    for (uint32_t i = x->low; i < x->high; i++) {
        if (!x->mask[i]) continue;
        uint64_t to = sim_lane_bits(x, op->a, 8, i), from = sim_lane_bits(x, op->b, 8, i);
        uint64_t size = sim_lane_bits(x, op->c, 8, i);
        uint64_t room = room_at(x, from) < room_at(x, to) ? room_at(x, from) : room_at(x, to);
        if (size > room + sizeof piece) size = room + sizeof piece;
        for (uint64_t done = 0; done < size;) {
            uint32_t part = (uint32_t)(size - done < sizeof piece ? size - done : sizeof piece);
            bool is_first = done == 0;
            sim_lane_load(x, op, i, from + done, part, is_first ? op->extra : 1, 1, piece);
            sim_lane_store(x, op, i, to + done, part, is_first ? (uint32_t)op->imm : 1, 1, piece);
            done += part;
        }
    }
}

/* Lanes run in lockstep, so only race detection needs to know about fences. */
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
