/* Collective operations of a group: reductions, scans, votes, ballots, shuffles, copies.
 *
 * Work-items are processed in the order of their numbers, so that sums of floats are the same for
 * every engine, group and machine. The work-items of a sub-group occupy neighbouring lanes of one
 * wave and have met (meet.c); the values of a work-group were stored before a barrier. If an
 * operation requests the value of a work-item that does not take part, a number drawn from the seed
 * is used instead. */
#include "sim/exec/exec.h"
#include "sim/number/half.h"

#include <string.h>

#define MEMBERS_MAX RT_WORK_GROUP_SIZE_MAX
#define EVENTS_MAX  65536u /* maximum number of events that one wait examines */

/* The operation and the work-items that take part in it, in ascending order of their numbers. */
typedef struct members {
    sim_collective operation;
    uint32_t fold;
    sim_lane_type type;
    bool is_half, is_bool;
    uint32_t count;
    uint32_t size;    /* number of work-items in the group */
    uint32_t cluster; /* 0: none */
    const uint32_t *numbers;
    const uint64_t *a, *b, *c;
} members;

/* ---- Values --------------------------------------------------------------------------------- */

static int64_t signed_of(sim_lane_type type, uint64_t bits)
{
    uint32_t unused = 64 - 8 * sim_lane_bytes(type);
    return (int64_t)(bits << unused) >> unused;
}

static double float_of(const members *m, uint64_t bits)
{
    if (m->is_half) return (double)sim_float_of_half((uint16_t)bits);
    if (m->type == SIM_F32) return (double)(sim_float_bits){.bits = (uint32_t)bits}.value;
    return (sim_double_bits){.bits = bits}.value;
}

/* Returns the value's bits, rounded to the type. Double represents sums and products of two floats
 * so precisely that rounding twice gives the same result as rounding once. */
static uint64_t bits_of(const members *m, double value)
{
    if (m->is_half) return sim_half_of_double(value);
    if (m->type == SIM_F32) return (sim_float_bits){.value = (float)value}.bits;
    return (sim_double_bits){.value = value}.bits;
}

static uint64_t combine(const members *m, uint64_t a, uint64_t b)
{
    switch (m->operation) {
    case SIM_COLLECTIVE_IADD: return a + b;
    case SIM_COLLECTIVE_IMUL: return a * b;
    case SIM_COLLECTIVE_SMIN: return signed_of(m->type, b) < signed_of(m->type, a) ? b : a;
    case SIM_COLLECTIVE_SMAX: return signed_of(m->type, b) > signed_of(m->type, a) ? b : a;
    case SIM_COLLECTIVE_UMIN: return b < a ? b : a;
    case SIM_COLLECTIVE_UMAX: return b > a ? b : a;
    case SIM_COLLECTIVE_AND: return a & b;
    case SIM_COLLECTIVE_OR: return a | b;
    case SIM_COLLECTIVE_XOR: return a ^ b;
    default: break;
    }
    double left = float_of(m, a), right = float_of(m, b);
    switch (m->operation) {
    case SIM_COLLECTIVE_FADD: return bits_of(m, left + right);
    case SIM_COLLECTIVE_FMUL: return bits_of(m, left * right);
    case SIM_COLLECTIVE_FMIN: return left != left || right < left ? b : a;
    case SIM_COLLECTIVE_FMAX: return left != left || right > left ? b : a;
    default: UNREACHABLE();
    }
}

/* Returns the operation's identity, with which an exclusive scan begins. */
static uint64_t identity_of(const members *m)
{
    uint64_t mask = UINT64_MAX >> (64 - 8 * sim_lane_bytes(m->type));
    switch (m->operation) {
    case SIM_COLLECTIVE_IMUL: return 1;
    case SIM_COLLECTIVE_UMIN: return mask;
    case SIM_COLLECTIVE_AND: return m->is_bool ? 1 : mask;
    case SIM_COLLECTIVE_SMIN: return mask >> 1;
    case SIM_COLLECTIVE_SMAX: return (mask >> 1) + 1;
    case SIM_COLLECTIVE_FMUL: return bits_of(m, 1);
    case SIM_COLLECTIVE_FMIN: return bits_of(m, (double)__builtin_inff());
    case SIM_COLLECTIVE_FMAX: return bits_of(m, -(double)__builtin_inff());
    default: return 0;
    }
}

/* ---- Reductions and scans ------------------------------------------------------------------- */

static void fold(const members *m, uint64_t *out)
{
    uint64_t mask = UINT64_MAX >> (64 - 8 * sim_lane_bytes(m->type));
    uint32_t cluster = m->cluster ? m->cluster : m->size;
    bool is_exclusive = m->fold == SIM_GroupOperationExclusiveScan;
    bool is_scan = is_exclusive || m->fold == SIM_GroupOperationInclusiveScan;
    CHECK(cluster >= 1 && m->operation <= SIM_COLLECTIVE_XOR);
    /* The members of each cluster are reduced or scanned separately. */
    for (uint32_t first = 0, end; first < m->count; first = end) {
        uint64_t so_far = 0, limit = (m->numbers[first] / cluster + UINT64_C(1)) * cluster;
        for (end = first; end < m->count && m->numbers[end] < limit; end++) {
            uint64_t before = end == first ? identity_of(m) : so_far;
            so_far = end == first ? m->a[end] : combine(m, so_far, m->a[end]) & mask;
            out[end] = is_exclusive ? before : so_far;
        }
        for (uint32_t i = first; i < end && !is_scan; i++)
            out[i] = so_far;
    }
}

/* ---- Votes and masks ------------------------------------------------------------------------ */

static bool vote(const members *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        bool holds = m->a[i] != 0;
        if (m->operation == SIM_COLLECTIVE_ALL_EQUAL) {
            bool is_float = m->type >= SIM_F32 || m->is_half;
            holds = is_float ? float_of(m, m->a[i]) == float_of(m, m->a[0]) : m->a[i] == m->a[0];
        }
        if (holds == (m->operation == SIM_COLLECTIVE_ANY)) return holds;
    }
    return m->operation != SIM_COLLECTIVE_ANY;
}

/* Returns the mask of the members whose entry in `values` is not 0. */
static uint64_t ballot(const members *m, const uint64_t *values)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < m->count; i++)
        mask |= (uint64_t)(values[i] != 0) << m->numbers[i];
    return mask;
}

static uint64_t mask_bits(const members *m, uint32_t i)
{
    uint64_t mask = m->a[i] & (UINT64_MAX >> (64 - m->size));
    uint32_t number = m->numbers[i];
    switch (m->operation) {
    case SIM_COLLECTIVE_BIT_EXTRACT: return m->b[i] < m->size ? mask >> m->b[i] & 1 : 0;
    case SIM_COLLECTIVE_FIND_LSB: return mask ? (uint64_t)__builtin_ctzll(mask) : UINT32_MAX;
    case SIM_COLLECTIVE_FIND_MSB: return mask ? 63 - (uint64_t)__builtin_clzll(mask) : UINT32_MAX;
    default: break;
    }
    uint64_t below = (UINT64_C(1) << number) - 1;
    if (m->fold == SIM_GroupOperationExclusiveScan) mask &= below;
    if (m->fold == SIM_GroupOperationInclusiveScan) mask &= below << 1 | 1;
    return (uint64_t)__builtin_popcountll(mask);
}

/* ---- Shuffles ------------------------------------------------------------------------------- */

/* Returns the number of the work-item from which member i gets its value. The value is that
 * work-item's operand c if *out_uses_c is true, otherwise its operand a. There may be no work-item
 * with that number. */
static uint64_t source_of(const members *m, uint32_t i, bool *out_uses_c)
{
    uint64_t number = m->numbers[i], b = m->b[i];
    uint64_t cluster = m->cluster ? m->cluster : m->size;
    *out_uses_c = false;
    switch (m->operation) {
    case SIM_COLLECTIVE_SHUFFLE_XOR: return number ^ b;
    case SIM_COLLECTIVE_SHUFFLE_UP: return number - b;
    case SIM_COLLECTIVE_SHUFFLE_DOWN: return number + b;
    case SIM_COLLECTIVE_ROTATE: return number / cluster * cluster + (number + b) % cluster;
    case SIM_COLLECTIVE_SHUFFLE_DOWN_NEXT:
        *out_uses_c = number + b >= m->size;
        return *out_uses_c ? number + b - m->size : number + b;
    case SIM_COLLECTIVE_SHUFFLE_UP_BEFORE:
        *out_uses_c = b <= number;
        return *out_uses_c ? number - b : number + m->size - b;
    default: return b;
    }
}

/* Returns the index of the member with that number, or the number of members if there is none. */
static uint32_t member_of(const members *m, uint64_t number)
{
    /* Usually all work-items before it take part. */
    if (number < m->count && m->numbers[number] == number) return (uint32_t)number;
    uint32_t i = 0;
    while (i < m->count && m->numbers[i] != number)
        i++;
    return i;
}

/* ---- All operations ------------------------------------------------------------------------- */

/* A request for another work-item's value, as findings report it. */
typedef struct value_request {
    sim_exec *x;
    const sim_op *op;
    uint32_t lane;         /* of the first member */
    uint64_t count;        /* number of work-items that request it */
    sim_finding_kind kind; /* kind of finding for an invalid request */
} value_request;

static void broadcast(const value_request *r, const members *m, uint64_t *out)
{
    uint32_t from = m->operation == SIM_COLLECTIVE_BROADCAST_FIRST ? 0 : member_of(m, m->b[0]);
    bool is_valid = true;
    for (uint32_t i = 1; i < m->count && m->operation == SIM_COLLECTIVE_BROADCAST; i++)
        is_valid &= m->b[i] == m->b[0];
    if (!is_valid || from == m->count) {
        sim_note(r->x, r->op->site, r->kind, r->lane, r->count,
                 is_valid ? "broadcast from a work-item that does not take part,"
                          : "broadcast with a source that differs between work-items,");
    }
    for (uint32_t i = 0; i < m->count; i++) {
        out[i] =
            is_valid && from < m->count ? m->a[from] : sim_lane_choose(r->x, r->op->site, r->lane);
    }
}

/* A work-item that is named explicitly must take part. Neighbours at a distance need not exist:
 * correct kernels may read beyond the edge and discard the result. */
static void shuffle(const value_request *r, const members *m, uint64_t *out)
{
    for (uint32_t i = 0; i < m->count; i++) {
        bool uses_c;
        uint32_t from = member_of(m, source_of(m, i, &uses_c));
        uint32_t lane = r->lane + m->numbers[i] - m->numbers[0];
        if (from == m->count && m->operation == SIM_COLLECTIVE_SHUFFLE) {
            sim_note(r->x, r->op->site, r->kind, lane, 1,
                     "shuffle from a work-item that does not take part,");
        }
        out[i] = from == m->count ? sim_lane_choose(r->x, r->op->site, lane)
                                  : (uses_c ? m->c : m->a)[from];
    }
}

static void collective(const value_request *r, const members *m, uint64_t *out)
{
    CHECK(m->count >= 1 && m->count <= m->size && m->size <= MEMBERS_MAX);
    CHECK(r->count >= 1 && r->lane < SIM_LANES);
    if (m->operation <= SIM_COLLECTIVE_XOR) {
        if (m->cluster > m->size)
            sim_note(r->x, r->op->site, r->kind, r->lane, r->count,
                     "cluster of more work-items than the sub-group has,");
        fold(m, out);
        return;
    }
    if (m->operation == SIM_COLLECTIVE_BROADCAST ||
        m->operation == SIM_COLLECTIVE_BROADCAST_FIRST) {
        broadcast(r, m, out);
        return;
    }
    if (m->operation >= SIM_COLLECTIVE_SHUFFLE) {
        shuffle(r, m, out);
        return;
    }
    if (m->operation <= SIM_COLLECTIVE_ALL_EQUAL || m->operation == SIM_COLLECTIVE_BALLOT) {
        uint64_t result = m->operation == SIM_COLLECTIVE_BALLOT ? ballot(m, m->a) : vote(m);
        for (uint32_t i = 0; i < m->count; i++)
            out[i] = result;
        return;
    }
    for (uint32_t i = 0; i < m->count; i++)
        out[i] = m->operation == SIM_COLLECTIVE_ELECT ? i == 0 : mask_bits(m, i);
}

/* ---- Definedness ---------------------------------------------------------------------------- */

/* The undefined bits of the members' operands. */
typedef struct undefined {
    const uint64_t *a, *b, *c;
} undefined;

static bool any_of(const uint64_t *bits, uint32_t count)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < count; i++)
        any |= bits[i];
    return any != 0;
}

/* A single member with a defined value can decide a vote. */
static uint64_t vote_undefined(const members *m, const uint64_t *a)
{
    for (uint32_t i = 0; i < m->count && m->operation != SIM_COLLECTIVE_ALL_EQUAL; i++) {
        if (!a[i] && (m->a[i] != 0) == (m->operation == SIM_COLLECTIVE_ANY)) return 0;
    }
    return any_of(a, m->count);
}

static uint64_t moved_undefined(const members *m, const undefined *u, uint32_t i)
{
    bool uses_c = false;
    uint32_t from = 0;
    if (m->operation == SIM_COLLECTIVE_BROADCAST) {
        if (any_of(u->b, m->count)) return UINT64_MAX;
        from = member_of(m, m->b[0]);
    } else if (m->operation >= SIM_COLLECTIVE_SHUFFLE) {
        if (u->b[i]) return UINT64_MAX;
        from = member_of(m, source_of(m, i, &uses_c));
    }
    return from == m->count ? 0 : (uses_c ? u->c : u->a)[from];
}

static void collective_undefined(const members *m, const undefined *u, uint64_t *out)
{
    if (m->operation <= SIM_COLLECTIVE_XOR) {
        /* The result of a reduction or scan is undefined if any of its inputs is. This is found by
         * the same reduction or scan, with "or" as the operation, on one flag per member. */
        uint64_t flags[MEMBERS_MAX];
        members marks = *m;
        for (uint32_t i = 0; i < m->count; i++)
            flags[i] = u->a[i] ? UINT64_MAX : 0;
        marks.operation = SIM_COLLECTIVE_OR;
        marks.type = SIM_I64;
        marks.a = flags;
        fold(&marks, out);
        return;
    }
    for (uint32_t i = 0; i < m->count; i++) {
        switch (m->operation) {
        case SIM_COLLECTIVE_ALL:
        case SIM_COLLECTIVE_ANY:
        case SIM_COLLECTIVE_ALL_EQUAL: out[i] = vote_undefined(m, u->a); break;
        case SIM_COLLECTIVE_ELECT: out[i] = 0; break;
        case SIM_COLLECTIVE_BALLOT: out[i] = ballot(m, u->a); break;
        case SIM_COLLECTIVE_BIT_EXTRACT:
        case SIM_COLLECTIVE_BIT_COUNT:
        case SIM_COLLECTIVE_FIND_LSB:
        case SIM_COLLECTIVE_FIND_MSB:
            out[i] = (u->a[i] & (UINT64_MAX >> (64 - m->size))) | u->b[i] ? UINT64_MAX : 0;
            break;
        default: out[i] = moved_undefined(m, u, i); break;
        }
    }
}

/* Sets the shadow of a result; bools and results of votes have only one bit. */
static void result_undefined(const sim_exec *x, const sim_op *op, const members *m, uint32_t lane,
                             uint64_t bits)
{
    if (op->target == SIM_REGISTER_NONE) return;
    bool is_bool = m->is_bool && op->stride == 1 && m->operation < SIM_COLLECTIVE_ALL;
    bool is_vote = (m->operation >= SIM_COLLECTIVE_ALL && m->operation <= SIM_COLLECTIVE_ELECT) ||
                   m->operation == SIM_COLLECTIVE_BIT_EXTRACT;
    if (is_vote || (is_bool && m->operation >= SIM_COLLECTIVE_AND)) bits &= 1;
    sim_shadow_set(x, op->target, op->stride, lane, bits);
}

/* ---- Handlers ------------------------------------------------------------------------------- */

static members members_of(const sim_op *op)
{
    return (members){.operation = (sim_collective)(op->extra & 0xff),
                     .fold = op->extra >> 8 & 0xff,
                     .type = (sim_lane_type)(op->extra >> 16 & 0xff),
                     .is_half = (op->extra & SIM_COLLECTIVE_HALF) != 0,
                     .is_bool = (op->extra & SIM_COLLECTIVE_BOOL) != 0,
                     .cluster = (uint32_t)op->imm};
}

static void result_set(const sim_exec *x, const sim_op *op, uint32_t lane, uint64_t value)
{
    if (op->target == SIM_REGISTER_NONE) return;
    memcpy((uint8_t *)sim_at(x, op->target) + lane * op->stride, &value, op->stride);
}

/* The operands of all lanes that meet, and their results. */
typedef struct meeting_values {
    uint8_t mask[SIM_LANES];
    uint64_t a[SIM_LANES], b[SIM_LANES], c[SIM_LANES], out[SIM_LANES];
    uint64_t ua[SIM_LANES], ub[SIM_LANES], uc[SIM_LANES], uout[SIM_LANES]; /* undefined bits */
} meeting_values;

/* Collects the operands of one fragment's lanes; its activation is the running one. */
static void values_gather(const sim_exec *x, const sim_op *op, const uint8_t *mask,
                          meeting_values *v)
{
    uint32_t bytes = sim_lane_bytes(members_of(op).type);
    for (uint32_t i = 0; i < x->wave->lane_count; i++) {
        if (!mask[i]) continue;
        v->mask[i] = 1;
        v->a[i] = sim_lane_bits(x, op->a, bytes, i);
        v->b[i] = sim_lane_bits(x, op->b, 8, i);
        v->c[i] = sim_lane_bits(x, op->c, bytes, i);
        v->ua[i] = x->wave->tracks ? sim_shadow_get(x, op->a, bytes, i) : 0;
        v->ub[i] = x->wave->tracks ? sim_shadow_get(x, op->b, 8, i) : 0;
        v->uc[i] = x->wave->tracks ? sim_shadow_get(x, op->c, bytes, i) : 0;
    }
}

static void values_scatter(const sim_exec *x, const sim_op *op, const uint8_t *mask,
                           const meeting_values *v)
{
    members m = members_of(op);
    for (uint32_t i = 0; i < x->wave->lane_count; i++) {
        if (!mask[i]) continue;
        result_set(x, op, i, v->out[i]);
        if (x->wave->tracks) result_undefined(x, op, &m, i, v->uout[i]);
    }
}

/* Executes the operation for the sub-group whose lanes begin at `first`. */
static void subgroup(sim_exec *x, const sim_op *op, uint32_t first, uint32_t size,
                     meeting_values *v)
{
    uint64_t a[SIM_LANES], b[SIM_LANES], c[SIM_LANES], out[SIM_LANES];
    uint64_t ua[SIM_LANES], ub[SIM_LANES], uc[SIM_LANES]; /* undefined bits */
    CHECK(first % size == 0 && first < x->wave->lane_count);
    uint32_t numbers[SIM_LANES], live = x->wave->lane_count - first;
    if (live > size) live = size;
    members m = members_of(op);
    m.size = size;
    for (uint32_t i = 0; i < live; i++) {
        if (!v->mask[first + i]) continue;
        numbers[m.count] = i;
        a[m.count] = v->a[first + i];
        b[m.count] = v->b[first + i];
        c[m.count] = v->c[first + i];
        ua[m.count] = v->ua[first + i];
        ub[m.count] = v->ub[first + i];
        uc[m.count++] = v->uc[first + i];
    }
    if (m.count == 0) return;
    m.numbers = numbers;
    m.a = a;
    m.b = b;
    m.c = c;
    bool is_barrier = m.operation == SIM_COLLECTIVE_BARRIER;
    if (op->count && m.count < live) {
        sim_note(x, op->site, SIM_FINDING_SUBGROUP_MISUSE, first + numbers[0], m.count,
                 is_barrier ? "barrier not reached by all work-items of the sub-group; reached"
                            : "operation not reached by all work-items of the sub-group; reached");
    }
    if (is_barrier) {
        sim_race_subgroup_barrier(x->launch, x->wave->first_item + first, live, (uint32_t)op->imm);
        return;
    }
    collective(&(value_request){x, op, first + numbers[0], m.count, SIM_FINDING_SUBGROUP_MISUSE},
               &m, out);
    for (uint32_t i = 0; i < m.count; i++)
        v->out[first + numbers[i]] = out[i];
    if (!x->wave->tracks) return;
    collective_undefined(&m, &(undefined){ua, ub, uc}, out);
    for (uint32_t i = 0; i < m.count; i++)
        v->uout[first + numbers[i]] = out[i];
}

void sim_handle_collective(sim_exec *x, const sim_op *op)
{
    uint32_t size = x->launch->kernel->subgroup_size;
    CHECK(size >= 8 && size <= 32 && SIM_LANES % size == 0);
    meeting_values v;
    memset(v.mask, 0, sizeof v.mask);
    for (uint32_t i = 0; i < x->met_count; i++) {
        sim_enter_frame(x, x->met[i]);
        values_gather(x, op, x->met[i]->mask, &v);
    }
    if (x->met_count == 0) values_gather(x, op, x->mask, &v);
    for (uint32_t first = 0; first < x->wave->lane_count; first += size)
        subgroup(x, op, first, size, &v);
    for (uint32_t i = 0; i < x->met_count; i++) {
        sim_enter_frame(x, x->met[i]);
        values_scatter(x, op, x->met[i]->mask, &v);
    }
    if (x->met_count == 0) values_scatter(x, op, x->mask, &v);
}

/* True if nothing about the operation is a finding, and no value is chosen. */
static bool is_proper(const members *m)
{
    bool is_proper = m->operation > SIM_COLLECTIVE_XOR || m->cluster <= m->size;
    for (uint32_t i = 0; i < m->count && m->operation == SIM_COLLECTIVE_BROADCAST; i++)
        is_proper &= m->b[i] == m->b[0] && member_of(m, m->b[0]) < m->count;
    for (uint32_t i = 0; i < m->count && m->operation >= SIM_COLLECTIVE_SHUFFLE; i++) {
        bool uses_c;
        is_proper &= member_of(m, source_of(m, i, &uses_c)) < m->count;
    }
    return is_proper;
}

bool sim_collective_chunk(const sim_op *op, uint32_t size, uint32_t mask, const uint64_t *a,
                          const uint64_t *b, const uint64_t *c, uint64_t *out)
{
    static const uint32_t all[SIM_CHUNK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    members m = members_of(op);
    CHECK(SIM_CHUNK % size == 0 && size <= SIM_CHUNK && m.operation != SIM_COLLECTIVE_BARRIER);
    m.size = size;
    for (uint32_t first = 0; first < SIM_CHUNK; first += size) {
        uint32_t numbers[SIM_CHUNK], here = mask >> first & ((1u << size) - 1);
        uint64_t values[4][SIM_CHUNK];
        const value_request request = {.op = op, .count = (uint32_t)__builtin_popcount(here)};
        m.count = (uint32_t)request.count;
        m.numbers = all;
        m.a = a + first;
        m.b = b + first;
        m.c = c + first;
        if (m.count == size) {
            if (!is_proper(&m)) return false;
            collective(&request, &m, out + first);
            continue;
        }
        if (m.count == 0) continue;
        uint32_t k = 0;
        for (uint32_t i = 0; i < size; i++) {
            if (!(here >> i & 1)) continue;
            numbers[k] = i;
            values[0][k] = a[first + i];
            values[1][k] = b[first + i];
            values[2][k++] = c[first + i];
        }
        CHECK(k == m.count);
        m.numbers = numbers;
        m.a = values[0];
        m.b = values[1];
        m.c = values[2];
        if (!is_proper(&m)) return false;
        collective(&request, &m, values[3]);
        for (uint32_t i = 0; i < m.count; i++)
            out[first + numbers[i]] = values[3][i];
    }
    return true;
}

/* Returns the index, in the group's values and in their shadows, of the first value stored before
 * the barrier with that number. Operand a of all work-items comes first, then operand b. */
static uint64_t values_first(const sim_exec *x, uint32_t barrier)
{
    return (barrier & 1) * 2 * x->launch->pool[SIM_SLOT_GROUP_ITEMS];
}

void sim_handle_group_put(sim_exec *x, const sim_op *op)
{
    members m = members_of(op);
    uint32_t bytes = sim_lane_bytes(m.type);
    uint64_t items = x->launch->pool[SIM_SLOT_GROUP_ITEMS];
    uint64_t first = values_first(x, x->launch->barrier_count) + x->wave->first_item;
    CHECK(x->wave->first_item + x->wave->lane_count <= items);
    for (uint32_t i = x->low; i < x->high; i++) {
        if (!x->mask[i]) continue;
        uint64_t *values = x->launch->group_values + first + i;
        uint64_t *shadows = x->launch->group_undefined + first + i;
        values[0] = sim_lane_bits(x, op->a, bytes, i);
        values[items] = sim_lane_bits(x, op->b, 8, i);
        shadows[0] = x->wave->tracks ? sim_shadow_get(x, op->a, bytes, i) : 0;
        shadows[items] = x->wave->tracks ? sim_shadow_get(x, op->b, 8, i) : 0;
    }
}

void sim_handle_group_take(sim_exec *x, const sim_op *op)
{
    uint64_t out[MEMBERS_MAX];
    uint32_t numbers[MEMBERS_MAX];
    members m = members_of(op);
    m.count = m.size = (uint32_t)x->launch->pool[SIM_SLOT_GROUP_ITEMS];
    CHECK(m.count <= MEMBERS_MAX && x->launch->barrier_count > 0);
    for (uint32_t i = 0; i < m.count; i++)
        numbers[i] = i;
    uint64_t at = values_first(x, x->launch->barrier_count - 1);
    m.numbers = numbers;
    m.a = m.c = x->launch->group_values + at;
    m.b = m.a + m.count;
    value_request r = {x, op, sim_first_lane(x), x->active, SIM_FINDING_UNDEFINED_ARITHMETIC};
    collective(&r, &m, out);
    for (uint32_t i = x->low; i < x->high; i++) {
        if (x->mask[i]) result_set(x, op, i, out[x->wave->first_item + i]);
    }
    const uint64_t *ua = x->launch->group_undefined + at, *ub = ua + m.count;
    if (any_of(ua, 2 * m.count)) sim_shadow_start(x);
    if (!x->wave->tracks) return;
    collective_undefined(&m, &(undefined){ua, ub, ua}, out);
    for (uint32_t i = x->low; i < x->high; i++) {
        if (x->mask[i]) result_undefined(x, op, &m, i, out[x->wave->first_item + i]);
    }
}

/* Each work-item copies the elements whose index modulo the group's size equals the work-item's
 * number. */
void sim_handle_async_copy(sim_exec *x, const sim_op *op)
{
    uint8_t element[SIM_ACCESS_BYTES_MAX];
    const sim_register *places = x->frame->function->places + op->extra;
    uint64_t items = x->launch->pool[SIM_SLOT_GROUP_ITEMS];
    uint32_t size = (uint32_t)op->imm;
    CHECK(size <= sizeof element);
    sim_arrive(x, op->site);
    for (uint32_t i = x->low; i < x->high; i++) {
        if (!x->mask[i]) continue;
        sim_race_copy_arguments arguments = {.target = sim_lane_bits(x, places[0], 8, i),
                                             .source = sim_lane_bits(x, places[1], 8, i),
                                             .count = sim_lane_bits(x, places[2], 8, i),
                                             .stride = sim_lane_bits(x, places[3], 8, i),
                                             .shared = sim_lane_bits(x, places[4], 8, i)};
        uint64_t event = sim_race_copy_begin(x, op->site, i, &arguments);
        uint64_t to = arguments.target, from = arguments.source, count = arguments.count;
        uint64_t stride = arguments.stride * size;
        /* Local memory cannot hold more elements than that; copying one element past its end is
         * enough for a finding. */
        if (count > SIM_LOCAL_SIZE_MAX) count = SIM_LOCAL_SIZE_MAX + 1;
        for (uint64_t k = x->wave->first_item + i; k < count; k += items) {
            uint64_t source = from + k * (op->a ? size : stride);
            sim_lane_load(x, op, i, source, size, op->c, 1, element);
            sim_lane_store(x, op, i, to + k * (op->a ? stride : size), size, op->c, 1, element);
        }
        sim_race_copy_begun(x);
        if (op->target == SIM_REGISTER_NONE) continue;
        memcpy((uint8_t *)sim_at(x, op->target) + i * sizeof event, &event, sizeof event);
    }
}

void sim_handle_wait_events(sim_exec *x, const sim_op *op)
{
    for (uint32_t i = x->low; i < x->high; i++) {
        if (!x->mask[i]) continue;
        uint64_t count = sim_lane_bits(x, op->a, 8, i), events = sim_lane_bits(x, op->b, 8, i);
        for (uint64_t k = 0, event; k < count && k < EVENTS_MAX; k++) {
            sim_lane_load(x, op, i, events + k * sizeof event, sizeof event, sizeof event, 1,
                          (uint8_t *)&event);
            if (x->lane_has_undefined) {
                sim_note(x, op->site, SIM_FINDING_UNINITIALISED, i, 1,
                         "wait for an uninitialised event,");
                continue;
            }
            sim_race_copy_wait(x, op->site, i, k, count, event);
        }
    }
}
