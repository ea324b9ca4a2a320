/* The sub-group functions on NVPTX that need not be reached by all work-items of a sub-group.
 *
 * The work-items that take part are the lanes that execute together with this one. Every one of
 * them sees the same mask and visits the same lanes, so a value can be exchanged inside the loops.
 * Source: OpenCL C 3.0, 6.15.19 (cl_khr_subgroup_non_uniform_vote, ballot, non_uniform_arithmetic,
 * shuffle, shuffle_relative, clustered_reduce); PTX ISA 6.4, "activemask", "shfl.sync",
 * "vote.sync". */
#include "builtins.clh"

static uint taking_part(void)
{
    uint mask;
    __asm__ volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}

/* Lanes before this one, of a mask. */
static uint before(uint mask) { return mask & ((1u << lane()) - 1); }
static uint first_lane(uint mask) { return (uint)__builtin_ctz(mask); }

/* ---- Votes and ballots ---------------------------------------------------------------------- */

BUILTIN int sub_group_elect(void) { return first_lane(taking_part()) == lane(); }
BUILTIN int sub_group_non_uniform_all(int predicate)
{
    return __nvvm_vote_all_sync(taking_part(), predicate != 0);
}
BUILTIN int sub_group_non_uniform_any(int predicate)
{
    return __nvvm_vote_any_sync(taking_part(), predicate != 0);
}
BUILTIN uint4 sub_group_ballot(int predicate)
{
    return (uint4)((uint)__nvvm_vote_ballot_sync(taking_part(), predicate != 0), 0, 0, 0);
}
BUILTIN int sub_group_ballot_bit_extract(uint4 value, uint index)
{
    return index < WARP ? (int)(value.x >> index & 1) : 0;
}
BUILTIN int sub_group_inverse_ballot(uint4 value) { return (int)(value.x >> lane() & 1); }
BUILTIN uint sub_group_ballot_bit_count(uint4 value)
{
    return (uint)__builtin_popcount(value.x & members());
}
BUILTIN uint sub_group_ballot_exclusive_scan(uint4 value)
{
    return (uint)__builtin_popcount(before(value.x));
}
BUILTIN uint sub_group_ballot_inclusive_scan(uint4 value)
{
    return sub_group_ballot_exclusive_scan(value) + (value.x >> lane() & 1);
}
BUILTIN uint sub_group_ballot_find_lsb(uint4 value)
{
    return (uint)__builtin_ctz(value.x & members());
}
BUILTIN uint sub_group_ballot_find_msb(uint4 value)
{
    return WARP - 1 - (uint)__builtin_clz(value.x & members());
}

/* The lanes whose numbers compare so with this one's, of those that exist. */
static uint4 lanes(uint mask) { return (uint4)(mask & members(), 0, 0, 0); }
BUILTIN uint4 get_sub_group_eq_mask(void) { return lanes(1u << lane()); }
BUILTIN uint4 get_sub_group_ge_mask(void) { return lanes(~0u << lane()); }
BUILTIN uint4 get_sub_group_gt_mask(void) { return lanes(~1u << lane()); }
BUILTIN uint4 get_sub_group_le_mask(void) { return lanes(~(~1u << lane())); }
BUILTIN uint4 get_sub_group_lt_mask(void) { return lanes(~(~0u << lane())); }

/* ---- Shuffles ------------------------------------------------------------------------------- */

#define SHUFFLES(type, bits)                                                                       \
    BUILTIN type sub_group_shuffle(type x, uint from)                                              \
    {                                                                                              \
        return lane_of_##type(taking_part(), x, from);                                        \
    }                                                                                              \
    BUILTIN type sub_group_shuffle_xor(type x, uint mask)                                          \
    {                                                                                              \
        return lane_of_##type(taking_part(), x, lane() ^ mask);                               \
    }                                                                                              \
    BUILTIN type sub_group_shuffle_up(type x, uint by)                                             \
    {                                                                                              \
        return lane_of_##type(taking_part(), x, lane() - by);                                 \
    }                                                                                              \
    BUILTIN type sub_group_shuffle_down(type x, uint by)                                           \
    {                                                                                              \
        return lane_of_##type(taking_part(), x, lane() + by);                                 \
    }                                                                                              \
    BUILTIN type sub_group_non_uniform_broadcast(type x, uint from)                                \
    {                                                                                              \
        return lane_of_##type(taking_part(), x, from);                                        \
    }                                                                                              \
    BUILTIN type sub_group_broadcast_first(type x)                                                 \
    {                                                                                              \
        uint mask = taking_part();                                                                 \
        return lane_of_##type(mask, x, first_lane(mask));                                     \
    }                                                                                              \
    BUILTIN int sub_group_non_uniform_all_equal(type x)                                            \
    {                                                                                              \
        uint mask = taking_part();                                                                 \
        return __nvvm_vote_all_sync(mask, x == lane_of_##type(mask, x, first_lane(mask)));    \
    }
SMALL_TYPES(SHUFFLES)
COLLECTIVE_TYPES(SHUFFLES)

/* ---- Reductions and scans ------------------------------------------------------------------- */

#define PRODUCT(a, b)      ((a) * (b))
#define BITS_IN_BOTH(a, b) ((a) & (b))
#define BITS_IN_ANY(a, b)  ((a) | (b))
#define BITS_IN_ONE(a, b)  ((a) ^ (b))
#define TRUE_IN_BOTH(a, b) ((a) && (b))
#define TRUE_IN_ANY(a, b)  ((a) || (b))
#define TRUE_IN_ONE(a, b)  (!(a) != !(b))

/* chosen_... combines the values of the lanes in `chosen` that take part, in their order; `none` if
 * there is none. */
#define NON_UNIFORM(name, type, COMBINE, none)                                                     \
    static type chosen_##name##_##type(type x, uint chosen)                                        \
    {                                                                                              \
        type result = (type)(none);                                                                \
        uint mask = taking_part();                                                                 \
        bool has_one = false;                                                                      \
        for (uint rest = mask; rest != 0; rest &= rest - 1) {                                      \
            uint from = first_lane(rest);                                                          \
            type other = lane_of_##type(mask, x, from);                                       \
            if (!(chosen >> from & 1)) continue;                                                   \
            result = has_one ? COMBINE(result, other) : other;                                     \
            has_one = true;                                                                        \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    BUILTIN type sub_group_non_uniform_reduce_##name(type x)                                       \
    {                                                                                              \
        return chosen_##name##_##type(x, ~0u);                                                     \
    }                                                                                              \
    BUILTIN type sub_group_non_uniform_scan_inclusive_##name(type x)                               \
    {                                                                                              \
        return chosen_##name##_##type(x, ~(~1u << lane()));                                        \
    }                                                                                              \
    BUILTIN type sub_group_non_uniform_scan_exclusive_##name(type x)                               \
    {                                                                                              \
        return chosen_##name##_##type(x, before(~0u));                                             \
    }                                                                                              \
    BUILTIN type sub_group_clustered_reduce_##name(type x, uint size)                              \
    {                                                                                              \
        uint start = lane() & ~(size - 1);                                                         \
        return chosen_##name##_##type(x, ~0u >> (WARP - size) << start);                           \
    }
#define NON_UNIFORM_NUMBERS(type, least, greatest)                                                 \
    NON_UNIFORM(add, type, SUM, 0)                                                                 \
    NON_UNIFORM(mul, type, PRODUCT, 1)                                                             \
    NON_UNIFORM(min, type, LEAST, greatest)                                                        \
    NON_UNIFORM(max, type, GREATEST, least)
#define NON_UNIFORM_WHOLE(type, least, greatest)                                                   \
    NON_UNIFORM_NUMBERS(type, least, greatest)                                                     \
    NON_UNIFORM(and, type, BITS_IN_BOTH, ~0)                                                       \
    NON_UNIFORM(or, type, BITS_IN_ANY, 0)                                                          \
    NON_UNIFORM(xor, type, BITS_IN_ONE, 0)
SMALL_LIMITS(NON_UNIFORM_WHOLE)
WHOLE_LIMITS(NON_UNIFORM_WHOLE)
FLOAT_LIMITS(NON_UNIFORM_NUMBERS)
NON_UNIFORM(logical_and, int, TRUE_IN_BOTH, 1)
NON_UNIFORM(logical_or, int, TRUE_IN_ANY, 0)
NON_UNIFORM(logical_xor, int, TRUE_IN_ONE, 0)
