// Kernels whose results or findings depend on the order of work-items, for test_exec_schedule.c.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
#define NOINLINE __attribute__((noinline))

// Built-in functions that this compiler does not declare.
#define BUILTIN __attribute__((overloadable, convergent))
BUILTIN int intel_sub_group_shuffle(int value, uint from);
BUILTIN int intel_sub_group_shuffle_xor(int value, uint mask);
BUILTIN uint intel_sub_group_shuffle(uint value, uint from);
BUILTIN uint intel_sub_group_shuffle_xor(uint value, uint mask);
BUILTIN uint4 sub_group_ballot(int predicate);

// Records when each work-item runs, before and after a barrier.
kernel void when(volatile global int *count, global int *first, global int *second)
{
    size_t i = get_global_id(0);
    first[i] = atomic_inc(&count[0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    second[i] = atomic_inc(&count[1]);
}

// Sums over a group by halving: correct with barriers before and in the loop; without them the sum
// depends on the order.
kernel void sum_without_barrier(global int *out, local int *near)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    near[i] = (int)i;
    for (size_t step = n / 2; step > 0; step /= 2)
        if (i < step) near[i] += near[i + step];
    if (i == 0) out[get_group_id(0)] = near[0];
}
kernel void sum_with_barrier(global int *out, local int *near)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    near[i] = (int)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t step = n / 2; step > 0; step /= 2) {
        if (i < step) near[i] += near[i + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0) out[get_group_id(0)] = near[0];
}

// The first two work-items wait, each in a separate loop, for a signal from the last two.
kernel void wait_for_last(volatile global int *said, global int *out)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    if (i == 0) {
        while (atomic_or(&said[0], 0) == 0) {}
    } else if (i == 1) {
        while (atomic_or(&said[1], 0) == 0) {}
    }
    if (i >= n - 2) atomic_or(&said[n - 1 - i], 5);
    out[i] = i < 2 ? atomic_or(&said[i], 0) : 1;
}

// The work-items of a sub-group spin for different times before a collective operation.
uint walk(uint x, uint steps)
{
    for (uint k = 0; k < steps; k++) x = x * 1664525u + 1013904223u;
    return x;
}
kernel void meet_late(global uint *sums, global uint *others, global uint *turned, uint many)
{
    uint i = (uint)get_global_id(0), me = get_sub_group_local_id();
    uint x = walk(i, me & 4 ? many : 3);
    sums[i] = sub_group_reduce_add(x);
    others[i] = intel_sub_group_shuffle_xor(x, 4u);
    for (uint k = 0; k < 3; k++) {
        x = walk(x, me == k ? many : 1);
        x += intel_sub_group_shuffle(x, k);
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    turned[i] = x;
}

// ---- Sub-groups of all sizes ------------------------------------------------------------------

#define PUT(k, value) out[(k)*get_global_size(0) + get_global_id(0)] = (int)(value)
#define SUBGROUP(size)                                                                             \
    __attribute__((intel_reqd_sub_group_size(size))) kernel void subgroup_##size(                  \
        global const int *in, global int *out, local int *near)                                    \
    {                                                                                              \
        int v = in[get_global_id(0)];                                                              \
        uint me = get_sub_group_local_id(), last = get_sub_group_size() - 1;                       \
        PUT(0, sub_group_reduce_add(v));                                                           \
        PUT(1, sub_group_scan_exclusive_add(v));                                                   \
        PUT(2, sub_group_scan_inclusive_max(v));                                                   \
        PUT(3, intel_sub_group_shuffle(v, last - me));                                             \
        PUT(4, sub_group_ballot(v & 1).x);                                                         \
        PUT(5, sub_group_broadcast(v, last));                                                      \
        PUT(6, get_max_sub_group_size());                                                          \
        PUT(7, last + 1);                                                                          \
        near[get_local_id(0)] = v;                                                                 \
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);                                                    \
        PUT(8, near[get_local_id(0) - me + last - me]);                                            \
    }
SUBGROUP(8)
SUBGROUP(16)
SUBGROUP(32)

// ---- Incorrect uses of sub-groups, with correct counterparts ----------------------------------

#define NUMBERS uint me = get_sub_group_local_id(), mine = get_sub_group_id(); (void)me; (void)mine

kernel void fold_some(global int *out, int few)
{
    NUMBERS;
    int sum = 0;
    if ((int)me < few) sum = sub_group_reduce_add(1);
    out[get_global_id(0)] = sum;
}
kernel void barrier_some(global int *out, int few)
{
    NUMBERS;
    if ((int)me < few) sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}
kernel void barrier_ended(global int *out, int few)
{
    NUMBERS;
    if ((int)me >= few) return;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}
kernel void whole_subgroups(global int *out)
{
    NUMBERS;
    int sum = 0;
    if (mine & 1) {
        sum = sub_group_reduce_add(1);
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine & 2) sum += sub_group_reduce_add(2);
    out[get_global_id(0)] = sum;
}
// If `apart` is 0, all name the same work-item; if it is 1, each names a different one.
kernel void broadcast_from(global int *out, uint from, uint apart)
{
    NUMBERS;
    out[get_global_id(0)] = sub_group_broadcast((int)get_global_id(0), from + me * apart);
}
kernel void shuffle_from(global int *out, uint from)
{
    out[get_global_id(0)] = intel_sub_group_shuffle((int)get_global_id(0), from);
}
// Values from beyond the sub-group's end are not used.
kernel void shuffle_down_sum(global int *out)
{
    NUMBERS;
    int v = 1;
    for (uint step = get_max_sub_group_size() / 2; step > 0; step /= 2) {
        int other = intel_sub_group_shuffle_xor(v, step);
        v += (me ^ step) < get_sub_group_size() ? other : 0;
    }
    out[get_global_id(0)] = v;
}

// ---- Barriers that part of the group does not reach, with correct counterparts ----------------

// These are functions, since the compiler would otherwise merge barriers on both sides of a branch.
NOINLINE void wait_here(void) { barrier(CLK_LOCAL_MEM_FENCE); }
NOINLINE void wait_there(void) { barrier(CLK_GLOBAL_MEM_FENCE); }
NOINLINE void by_way(void) { wait_here(); }

kernel void ended(global int *out, int live)
{
    if ((int)get_local_id(0) >= live) return;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}
kernel void ended_whole(global int *out, int live)
{
    if ((int)get_group_id(0) >= live) return;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}
kernel void turns(global int *out, int few, int step)
{
    int n = few + (int)get_local_id(0) / 500 * step, sum = 0;
    for (int k = 0; k < n; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += k;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = sum;
}
kernel void two_barriers(global int *out, int below)
{
    if ((int)get_local_id(0) < below) {
        wait_here();
    } else {
        wait_there();
    }
    out[get_global_id(0)] = 1;
}
kernel void two_ways(global int *out, int below)
{
    if ((int)get_local_id(0) < below) {
        wait_here();
    } else {
        by_way();
    }
    out[get_global_id(0)] = 1;
}
kernel void calls_in_turn(global int *out)
{
    wait_here();
    out[get_global_id(0)] = 1;
    wait_here();
    out[get_global_id(0)]++;
}

// Other operations that all work-items of a group must reach, or whose operands must be uniform.
kernel void copy_some(global int *out, int few)
{
    local int near[4];
    event_t e = 0;
    if ((int)get_local_id(0) < few) e = async_work_group_copy(near, out, 4, e);
    wait_group_events(1, &e);
}
kernel void group_broadcast_from(global int *out, uint from, uint apart)
{
    out[get_global_id(0)] = work_group_broadcast(1, from + get_local_id(0) / 599 * apart);
}

// ---- The budget -------------------------------------------------------------------------------

kernel void endless(volatile global int *out)
{
    int x = 1;
    while (out[0] >= 0 || x)
        x = x * 5 + 2;
}

// ---- The stack --------------------------------------------------------------------------------

typedef int (*counter)(int, volatile global ulong *);
NOINLINE int even(int n, volatile global ulong *table)
{
    volatile int left = n;
    return left == 0 ? 0 : ((counter)table[1])(left - 1, table) + 1;
}
NOINLINE int odd(int n, volatile global ulong *table)
{
    volatile int left = n;
    return left == 0 ? 100000 : ((counter)table[0])(left - 1, table) + 1;
}
kernel void fill_table(volatile global ulong *table)
{
    table[0] = (ulong)&even;
    table[1] = (ulong)&odd;
}
kernel void mutual(volatile global ulong *table, global int *out, int depth)
{
    size_t i = get_global_id(0);
    out[i] = even(depth + (int)(i % 3), table);
}
// Units that wait in nested calls, with more activations than can be numbered.
#define NEST(depth, below)                                                                         \
    NOINLINE int nest_##depth(int x, local int *near)                                              \
    {                                                                                              \
        volatile int mine = x + depth;                                                             \
        int sum = below(x + 1, near);                                                              \
        return sum * 3 + mine;                                                                     \
    }
NOINLINE int exchange(int x, local int *near)
{
    near[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    return near[get_local_size(0) - 1 - get_local_id(0)];
}
NEST(1, exchange)
NEST(2, nest_1)
NEST(3, nest_2)
NEST(4, nest_3)
NEST(5, nest_4)
kernel void nested(global int *out, local int *near)
{
    out[get_global_id(0)] = nest_5((int)get_local_id(0), near);
}
kernel void large(global int *out)
{
    volatile int far[1 << 20];
    far[get_global_id(0)] = 3;
    out[get_global_id(0)] = far[get_global_id(0)];
}
kernel void fitting(global int *out)
{
    volatile int far[1 << 12];
    far[get_global_id(0)] = 3;
    out[get_global_id(0)] = far[get_global_id(0)];
}
