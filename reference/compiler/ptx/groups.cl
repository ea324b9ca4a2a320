/* Work-group and sub-group functions on NVPTX.
 *
 * A sub-group is a warp: 32 consecutive work-items in the linear order of the work-group; the last
 * sub-group may have fewer (CUDA C++ Programming Guide, "SIMT Architecture").  A work-group's
 * result is combined, in sub-group order, from values that its sub-groups leave in shared memory,
 * so scans are correct too.  Source: OpenCL C 2.0, 6.13.15 and 6.13.16; PTX ISA 6.4, "shfl.sync",
 * "vote.sync". */
#include "builtins.clh"

enum { WARP = 32 };

/* One slot for each sub-group of the largest possible work-group. */
extern __local ulong *__assay_scratch(void);

void LIBRARY barrier(cl_mem_fence_flags flags);
size_t LIBRARY get_local_linear_id(void);
size_t LIBRARY get_local_size(uint d);
void LIBRARY atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order,
                                    memory_scope scope);

static void group_wait(void) { barrier(1); }

/* ---- Sub-groups: ids and sizes ------------------------------------------------------------------ */

static uint group_size(void)
{
    return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
}
static uint lane(void) { return (uint)get_local_linear_id() % WARP; }

BUILTIN uint get_max_sub_group_size(void) { return WARP; }
BUILTIN uint get_num_sub_groups(void) { return (group_size() + WARP - 1) / WARP; }
/* All work-groups have the same size. */
BUILTIN uint get_enqueued_num_sub_groups(void) { return get_num_sub_groups(); }
BUILTIN uint get_sub_group_id(void) { return (uint)get_local_linear_id() / WARP; }
BUILTIN uint get_sub_group_local_id(void) { return lane(); }
BUILTIN uint get_sub_group_size(void)
{
    uint rest = group_size() - get_sub_group_id() * WARP;
    return rest < WARP ? rest : WARP;
}

/* The mask of the sub-group's lanes, all of which must take part. */
static uint members(void) { return ~0u >> (WARP - get_sub_group_size()); }

/* ---- Sub-groups: barrier, votes ------------------------------------------------------------- */

BUILTIN void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    bool wider = scope == memory_scope_device || scope == memory_scope_all_svm_devices;
    if (wider) atomic_work_item_fence(flags, memory_order_acq_rel, scope);
    __nvvm_bar_warp_sync(members());
    if (wider) atomic_work_item_fence(flags, memory_order_acq_rel, scope);
}
BUILTIN void sub_group_barrier(cl_mem_fence_flags flags)
{
    sub_group_barrier(flags, memory_scope_sub_group);
}

BUILTIN int sub_group_all(int predicate) { return __nvvm_vote_all_sync(members(), predicate != 0); }
BUILTIN int sub_group_any(int predicate) { return __nvvm_vote_any_sync(members(), predicate != 0); }
BUILTIN int work_group_all(int predicate) { return __nvvm_bar0_and(predicate) != 0; }
BUILTIN int work_group_any(int predicate) { return __nvvm_bar0_or(predicate) != 0; }

/* ---- Values of other lanes ------------------------------------------------------------------- */

/* The value of a given lane, for the lanes of a mask, all of which must take part; the value of the
 * lane `by` places before this one, or this lane's own value if there is no such lane. */
static uint lane_uint(uint mask, uint x, uint from)
{
    return (uint)__nvvm_shfl_sync_idx_i32(mask, (int)x, (int)from, 31);
}
static uint before_uint(uint x, uint by)
{
    return (uint)__nvvm_shfl_sync_up_i32(members(), (int)x, (int)by, 0);
}
static ulong lane_ulong(uint mask, ulong x, uint from)
{
    return (ulong)lane_uint(mask, (uint)(x >> 32), from) << 32 | lane_uint(mask, (uint)x, from);
}
static ulong before_ulong(ulong x, uint by)
{
    return (ulong)before_uint((uint)(x >> 32), by) << 32 | before_uint((uint)x, by);
}
static ushort lane_ushort(uint mask, ushort x, uint from)
{
    return (ushort)lane_uint(mask, x, from);
}
static ushort before_ushort(ushort x, uint by) { return (ushort)before_uint(x, by); }
static uchar lane_uchar(uint mask, uchar x, uint from) { return (uchar)lane_uint(mask, x, from); }

/* The types of which sub-groups exchange values: DO(type, the type of its bits). Those of 32 bits
 * and more, and half, have collective functions in OpenCL C 2.0. */
#define SMALL_TYPES(DO)                                                                            \
    DO(char, uchar) DO(uchar, uchar) DO(short, ushort) DO(ushort, ushort)
#define COLLECTIVE_TYPES(DO)                                                                       \
    DO(int, uint)                                                                                  \
    DO(uint, uint) DO(long, ulong) DO(ulong, ulong) DO(half, ushort) DO(float, uint)               \
        DO(double, ulong)

#define LANE(type, bits)                                                                           \
    static type lane_of_##type(uint mask, type x, uint from)                                       \
    {                                                                                              \
        return __builtin_astype(lane_##bits(mask, __builtin_astype(x, bits), from), type);         \
    }
SMALL_TYPES(LANE)
COLLECTIVE_TYPES(LANE)

/* One work-item leaves bits in a slot of the scratch memory, and all work-items read them. The
 * second barrier keeps the next writer from writing before all have read. */
#define VALUES(type, bits)                                                                         \
    static type before_of_##type(type x, uint by)                                                  \
    {                                                                                              \
        return __builtin_astype(before_##bits(__builtin_astype(x, bits), by), type);               \
    }                                                                                              \
    static type left_##type(uint place)                                                            \
    {                                                                                              \
        return __builtin_astype((bits)__assay_scratch()[place], type);                             \
    }                                                                                              \
    static void leave_##type(uint place, type x)                                                   \
    {                                                                                              \
        __assay_scratch()[place] = __builtin_astype(x, bits);                                      \
    }                                                                                              \
    static type told_##type(type x, bool tells)                                                    \
    {                                                                                              \
        if (tells) leave_##type(0, x);                                                             \
        group_wait();                                                                              \
        type result = left_##type(0);                                                              \
        group_wait();                                                                              \
        return result;                                                                             \
    }                                                                                              \
    BUILTIN type sub_group_broadcast(type x, uint from)                                            \
    {                                                                                              \
        return lane_of_##type(members(), x, from);                                                 \
    }                                                                                              \
    BUILTIN type work_group_broadcast(type x, size_t at)                                           \
    {                                                                                              \
        return told_##type(x, is_at(at, 0, 0));                                                    \
    }                                                                                              \
    BUILTIN type work_group_broadcast(type x, size_t at, size_t y)                                 \
    {                                                                                              \
        return told_##type(x, is_at(at, y, 0));                                                    \
    }                                                                                              \
    BUILTIN type work_group_broadcast(type x, size_t at, size_t y, size_t z)                       \
    {                                                                                              \
        return told_##type(x, is_at(at, y, z));                                                    \
    }

static bool is_at(size_t x, size_t y, size_t z)
{
    return get_local_linear_id() == (z * get_local_size(1) + y) * get_local_size(0) + x;
}

COLLECTIVE_TYPES(VALUES)

/* ---- Reductions and scans -------------------------------------------------------------------- */

#define SUM(a, b)      ((a) + (b))
#define LEAST(a, b)    ((b) < (a) ? (b) : (a))
#define GREATEST(a, b) ((a) < (b) ? (b) : (a))

/* The combined value of the sub-groups before this one (`none` for the first), and of all
 * sub-groups. */
#define OF_SUB_GROUPS(name, type, COMBINE, none)                                                   \
    static type folded_##name##_##type(uint count)                                                 \
    {                                                                                              \
        type result = none;                                                                        \
        for (uint i = 0; i < count; i++)                                                           \
            result = i == 0 ? left_##type(0) : COMBINE(result, left_##type(i));                    \
        return result;                                                                             \
    }                                                                                              \
    static void leave_##name##_##type(type scanned)                                                \
    {                                                                                              \
        if (lane() == get_sub_group_size() - 1) leave_##type(get_sub_group_id(), scanned);         \
        group_wait();                                                                              \
    }

#define COLLECTIVE(name, type, COMBINE, none)                                                      \
    BUILTIN type sub_group_scan_inclusive_##name(type x)                                           \
    {                                                                                              \
        for (uint by = 1; by < WARP; by *= 2) {                                                    \
            type other = before_of_##type(x, by);                                                  \
            x = lane() >= by ? COMBINE(other, x) : x;                                              \
        }                                                                                          \
        return x;                                                                                  \
    }                                                                                              \
    BUILTIN type sub_group_scan_exclusive_##name(type x)                                           \
    {                                                                                              \
        type other = before_of_##type(sub_group_scan_inclusive_##name(x), 1);                      \
        return lane() == 0 ? (type)(none) : other;                                                 \
    }                                                                                              \
    BUILTIN type sub_group_reduce_##name(type x)                                                   \
    {                                                                                              \
        return lane_of_##type(members(), sub_group_scan_inclusive_##name(x),                       \
                              get_sub_group_size() - 1);                                           \
    }                                                                                              \
    OF_SUB_GROUPS(name, type, COMBINE, none)                                                       \
    BUILTIN type work_group_reduce_##name(type x)                                                  \
    {                                                                                              \
        leave_##name##_##type(sub_group_scan_inclusive_##name(x));                                 \
        type result = folded_##name##_##type(get_num_sub_groups());                                \
        group_wait();                                                                              \
        return result;                                                                             \
    }                                                                                              \
    BUILTIN type work_group_scan_inclusive_##name(type x)                                          \
    {                                                                                              \
        type own = sub_group_scan_inclusive_##name(x);                                             \
        leave_##name##_##type(own);                                                                \
        type others = folded_##name##_##type(get_sub_group_id());                                  \
        group_wait();                                                                              \
        return get_sub_group_id() == 0 ? own : COMBINE(others, own);                               \
    }                                                                                              \
    BUILTIN type work_group_scan_exclusive_##name(type x)                                          \
    {                                                                                              \
        type own = sub_group_scan_inclusive_##name(x);                                             \
        leave_##name##_##type(own);                                                                \
        type others = folded_##name##_##type(get_sub_group_id());                                  \
        group_wait();                                                                              \
        type before = before_of_##type(own, 1);                                                    \
        if (lane() == 0) return others;                                                            \
        return get_sub_group_id() == 0 ? before : COMBINE(others, before);                         \
    }
#define COLLECTIVES(type, least, greatest)                                                         \
    COLLECTIVE(add, type, SUM, 0)                                                                  \
    COLLECTIVE(min, type, LEAST, greatest)                                                         \
    COLLECTIVE(max, type, GREATEST, least)
/* The least and the greatest value of each type: DO(type, least, greatest). */
#define SMALL_LIMITS(DO)                                                                           \
    DO(char, -0x80, 0x7f)                                                                          \
    DO(uchar, 0, 0xff) DO(short, -0x8000, 0x7fff) DO(ushort, 0, 0xffff)
#define WHOLE_LIMITS(DO)                                                                           \
    DO(int, (-0x7fffffff - 1), 0x7fffffff)                                                         \
    DO(uint, 0u, 0xffffffffu)                                                                      \
    DO(long, (-0x7fffffffffffffffL - 1), 0x7fffffffffffffffL)                                      \
    DO(ulong, 0ul, 0xfffffffffffffffful)
#define FLOAT_LIMITS(DO)                                                                           \
    DO(half, (half)-__builtin_inff(), (half)__builtin_inff())                                      \
    DO(float, -__builtin_inff(), __builtin_inff()) DO(double, -__builtin_inf(), __builtin_inf())
WHOLE_LIMITS(COLLECTIVES)
FLOAT_LIMITS(COLLECTIVES)
