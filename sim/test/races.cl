// Kernels for test_exec_race.c: correct ones, which cause no finding, and incorrect twins (whose
// names end in _wrong or _same), in which one detail is missing.  All take the same arguments:
// memory to write, memory to read, and local memory of at least one int per work-item.

#define GLOBAL CLK_GLOBAL_MEM_FENCE
#define LOCAL  CLK_LOCAL_MEM_FENCE
#define ITEM   int i = (int)get_global_id(0)
#define HERE   int l = (int)get_local_id(0), n = (int)get_local_size(0), g = (int)get_group_id(0)
#define ARGUMENTS global int *a, global int *b, local int *s

// ---- Barriers ----

#define REDUCE(name, first, inner)                                                                 \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        s[l] = b[i];                                                                               \
        first;                                                                                     \
        for (int k = n / 2; k > 0; k /= 2) {                                                       \
            if (l < k) s[l] += s[l + k];                                                           \
            inner;                                                                                 \
        }                                                                                          \
        if (l == 0) a[g] = s[0];                                                                   \
    }
REDUCE(reduce, barrier(LOCAL), barrier(LOCAL))
REDUCE(reduce_both, barrier(LOCAL | GLOBAL), barrier(LOCAL | GLOBAL))
REDUCE(reduce_first_wrong, , barrier(LOCAL))
REDUCE(reduce_inner_wrong, barrier(LOCAL), )
REDUCE(reduce_flag_wrong, barrier(GLOBAL), barrier(GLOBAL))

kernel void scan(ARGUMENTS)
{
    ITEM;
    HERE;
    s[l] = b[i];
    barrier(LOCAL);
    for (int k = 1; k < n; k *= 2) {
        int x = l >= k ? s[l - k] : 0;
        barrier(LOCAL);
        s[l] += x;
        barrier(LOCAL);
    }
    a[i] = s[l];
}
kernel void scan_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    s[l] = b[i];
    barrier(LOCAL);
    for (int k = 1; k < n; k *= 2) {
        if (l >= k) s[l] += s[l - k];
        barrier(LOCAL);
    }
    a[i] = s[l];
}

// Tiles, read one after the other by all work-items, with a barrier before and after reading each.
#define TILES(name, before, after)                                                                 \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        int sum = 0;                                                                               \
        for (int t = 0; t < 4; t++) {                                                              \
            s[l] = b[t * n + l];                                                                   \
            before;                                                                                \
            for (int k = 0; k < n; k++)                                                            \
                sum += s[k] * s[(l + k) % n];                                                      \
            after;                                                                                 \
        }                                                                                          \
        a[i] = sum;                                                                                \
    }
TILES(tiles, barrier(LOCAL), barrier(LOCAL))
TILES(tiles_before_wrong, , barrier(LOCAL))
TILES(tiles_after_wrong, barrier(LOCAL), )

// Reads of the neighbour's cell, then many of the work-item's own cell, then a write of it, which has to wait for
// the former.
#define READ_EARLY(name, before)                                                                   \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        local volatile int *own = s + l;                                                           \
        *own = b[i];                                                                               \
        barrier(LOCAL);                                                                            \
        int sum = s[(l + 1) % n];                                                                  \
        for (int k = 0; k < 600; k++)                                                              \
            sum += *own;                                                                           \
        before;                                                                                    \
        *own = sum;                                                                                \
        a[i] = sum;                                                                                \
    }
READ_EARLY(read_early, barrier(LOCAL))
READ_EARLY(read_early_wrong, )

kernel void two_buffers(ARGUMENTS)
{
    ITEM;
    HERE;
    int half_count = n / 2, m = l % half_count;
    local int *from = s, *to = s + half_count;
    s[m + (l < half_count ? 0 : half_count)] = b[i];
    barrier(LOCAL);
    for (int k = 0; k < 5; k++) {
        if (l < half_count) to[m] = from[(m + 1) % half_count] + from[m];
        barrier(LOCAL);
        local int *x = from;
        from = to;
        to = x;
    }
    a[i] = from[m];
}

// The work-items of a group pass values through global memory.
#define PASS_ON(name, flag)                                                                        \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        a[i] = i;                                                                                  \
        barrier(flag);                                                                             \
        int x = a[g * n + (l + 1) % n];                                                            \
        barrier(flag);                                                                             \
        a[i] = x;                                                                                  \
    }
PASS_ON(pass_on, GLOBAL)
PASS_ON(pass_on_wrong, LOCAL)

// A work-item's own accesses need no ordering by barriers; those here order only local memory.
kernel void own(ARGUMENTS)
{
    ITEM;
    HERE;
    a[i] = 1;
    for (int k = 0; k < 3; k++) {
        s[l] = k;
        barrier(LOCAL);
        a[i] += s[(l + 1) % n];
        barrier(LOCAL);
    }
}

kernel void one_for_all(ARGUMENTS)
{
    ITEM;
    HERE;
    if (l == 0) {
        s[0] = b[g];
        a[get_global_size(0) + g] = s[0];
    }
    barrier(LOCAL | GLOBAL);
    a[i] = s[0] + a[get_global_size(0) + g];
}
kernel void one_for_all_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    if (l == 0) s[0] = b[g];
    a[i] = s[0];
}

// Read by several work-items, then written by one of them.
#define READ_READ_WRITE(name, between)                                                             \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        HERE;                                                                                      \
        int x = 0;                                                                                 \
        if (l == 1) x = a[g];                                                                      \
        if (l == 2) x = a[g];                                                                      \
        if (l == 3) x = a[g];                                                                      \
        between;                                                                                   \
        if (l == 3) a[g] = 1;                                                                      \
        b[get_global_id(0)] = x;                                                                   \
    }
READ_READ_WRITE(read_read_write, barrier(GLOBAL))
READ_READ_WRITE(read_read_write_wrong, )

// ---- Conflicting accesses ----

// A load is an access even if nothing uses its result.
#define LOADED(name, between)                                                                      \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        HERE;                                                                                      \
        s[l] = l;                                                                                  \
        barrier(LOCAL);                                                                            \
        (void)*(volatile local int *)&s[(l + 1) % n];                                              \
        between;                                                                                   \
        s[l] = 2 * l;                                                                              \
    }
LOADED(loaded, barrier(LOCAL))
LOADED(loaded_wrong, )
#define LOADED_ONE(name, between)                                                                  \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        HERE;                                                                                      \
        (void)*(volatile global int *)&a[g];                                                       \
        between;                                                                                   \
        if (l == 0) a[g] = n;                                                                      \
    }
LOADED_ONE(loaded_one, barrier(GLOBAL))
LOADED_ONE(loaded_one_wrong, )
kernel void loaded_vector_wrong(ARGUMENTS)
{
    ITEM;
    (void)((volatile global int4 *)a)[i >> 2];
    if ((i & 3) == 1) a[i] = 1;
}

kernel void bytes(ARGUMENTS)
{
    ITEM;
    global char *c = (global char *)a;
    global short *h = (global short *)(a + get_global_size(0));
    c[i] = (char)(c[i] + 1);
    h[i] = (short)(h[i] + 2);
}
kernel void bytes_wrong(ARGUMENTS)
{
    ITEM;
    global char *c = (global char *)a;
    c[i] = (char)i;
    c[i + 1] = (char)i;
}
kernel void bytes_in_words_wrong(ARGUMENTS)
{
    ITEM;
    a[i] = i;
    if (i == 5) ((global char *)a)[4 * 6 + 3] = 1;
}
kernel void bytes_in_words(ARGUMENTS)
{
    ITEM;
    a[i] = i;
    ((global char *)a)[4 * i + 3] = 1;
    ((global short *)a)[2 * i] = 1;
}

typedef struct pair {
    int left;
    char middle;
    short right;
} pair;
kernel void members(ARGUMENTS)
{
    ITEM;
    global pair *p = (global pair *)a;
    if (i & 1) {
        p[i / 2].left = i;
        p[i / 2].middle = 1;
    } else {
        p[i / 2].right = (short)i;
    }
}
kernel void whole(ARGUMENTS)
{
    ITEM;
    ((global pair *)a)[i] = ((global pair *)b)[i % 7];
}
kernel void whole_wrong(ARGUMENTS)
{
    ITEM;
    ((global pair *)a)[i] = ((global pair *)b)[i % 7];
    if (i == 9) ((global pair *)a)[3].middle = 4;
}

kernel void slices(ARGUMENTS)
{
    ITEM;
    for (int k = 0; k < 8; k++)
        a[8 * i + k] = k;
    for (int k = 1; k < 8; k++)
        a[8 * i + k] += a[8 * i + k - 1];
}
kernel void slices_wrong(ARGUMENTS)
{
    ITEM;
    for (int k = 0; k < 9; k++)
        a[8 * i + k] = k + i;
}
kernel void stencil(ARGUMENTS)
{
    ITEM;
    a[i] = b[i] + b[i + 1];
}
kernel void stencil_wrong(ARGUMENTS)
{
    ITEM;
    a[i] = a[i] + a[i + 1];
}
// Loops that go through 512 elements in steps of the number of work-items, upwards and downwards; in
// the first of the wrong ones, a step is too short, and in the second, the last access is to what
// another work-item has written one step on.
#define SIZE (int)get_global_size(0)
kernel void strided(ARGUMENTS)
{
    ITEM;
    for (int k = i; k < 512; k += SIZE)
        a[k] += b[k];
}
kernel void strided_down(ARGUMENTS)
{
    ITEM;
    for (int k = 511 - i; k >= 0; k -= SIZE)
        a[k] += b[k];
}
kernel void strided_vectors(ARGUMENTS)
{
    ITEM;
    global int4 *to = (global int4 *)a;
    for (int k = i; k < 128; k += SIZE)
        to[k] += vload4(k, b);
}
kernel void strided_wrong(ARGUMENTS)
{
    ITEM;
    for (int k = i; k < 512; k += SIZE - 1)
        a[k] += b[k];
}
kernel void strided_late_wrong(ARGUMENTS)
{
    ITEM;
    a[i] = 1;
    a[i + SIZE] = 2;
    a[i + SIZE + 1] = 3;
}
kernel void mirrored(ARGUMENTS)
{
    ITEM;
    a[511 - i] = b[i];
}
kernel void mirrored_wrong(ARGUMENTS)
{
    ITEM;
    a[511 - i / 2] = i;
}
kernel void counter_wrong(ARGUMENTS)
{
    a[0]++;
}
kernel void one_place_wrong(ARGUMENTS)
{
    a[1] = (int)get_global_id(0);
}
kernel void one_place_same(ARGUMENTS)
{
    ITEM;
    if (b[i] >= 0) a[1] = 1;
}
kernel void scattered_same(ARGUMENTS)
{
    ITEM;
    a[i / 3] = 7;
}
// Two work-items of each group have swapped places, between others that have their own.
#define MIDDLE(name, between)                                                                      \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        a[g * n + (l == 20 ? 40 : l == 40 ? 20 : l)] = i;                                          \
        between;                                                                                   \
        b[i] = a[i];                                                                               \
    }
MIDDLE(middle, barrier(GLOBAL))
MIDDLE(middle_wrong, )
#define MIDDLE_NEAR(name, between)                                                                 \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        HERE;                                                                                      \
        s[l] = l;                                                                                  \
        barrier(LOCAL);                                                                            \
        int x = s[l == 20 ? 40 : l == 40 ? 20 : l];                                                \
        between;                                                                                   \
        s[l] = x + 1;                                                                              \
    }
MIDDLE_NEAR(middle_near, barrier(LOCAL))
MIDDLE_NEAR(middle_near_wrong, )

// Every other work-item reads what the next but one stores.
#define EVEN(name, between)                                                                        \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        HERE;                                                                                      \
        int x = 0;                                                                                 \
        s[l] = l;                                                                                  \
        barrier(LOCAL);                                                                            \
        if (l % 2 == 0) x = s[(l + 2) % n];                                                        \
        between;                                                                                   \
        s[l] = x;                                                                                  \
    }
EVEN(even, barrier(LOCAL))
EVEN(even_wrong, )

// Reads of every other place, then writes of the places between them.
kernel void every_other(ARGUMENTS)
{
    HERE;
    s[l] = l;
    barrier(LOCAL);
    if (l < n / 2) {
        int x = s[2 * l];
        s[2 * l + 1] = x;
    }
}

// Two work-items of each group read two places in the other order, which those of the last group then write.
kernel void reversed_reads_wrong(ARGUMENTS)
{
    HERE;
    if (l < 2) {
        int x = a[1 - l];
        if (g == (int)get_num_groups(0) - 1) a[1 - l] = x + 1;
        b[get_global_id(0)] = x;
    }
}

// The places ascend in each half of a group, and are the same in both.
kernel void folded_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    a[g * n + 8 + l % (n / 2)] = i;
}
kernel void single_pair_wrong(ARGUMENTS)
{
    ITEM;
    a[i == 9 ? 7 : i] = i;
}
kernel void between_groups_wrong(ARGUMENTS)
{
    ITEM;
    int n = (int)get_global_size(0);
    a[i] = i;
    barrier(GLOBAL);
    b[i] = a[(i + (int)get_local_size(0)) % n];
}
kernel void read_before_other_group_wrong(ARGUMENTS)
{
    HERE;
    int x = 0;
    if (l == 0) x = a[0]; // by every group; the last group then writes
    if (l == 0 && g == (int)get_num_groups(0) - 1) a[0] = x + 1;
    if (l == 0) b[g] = x;
}

kernel void chosen_pointer(ARGUMENTS)
{
    ITEM;
    global int *p = i & 1 ? a : b;
    for (int k = 0; k < 2; k++) {
        p[i] = k;
        p = p == a ? b : a;
    }
}
kernel void chosen_pointer_wrong(ARGUMENTS)
{
    ITEM;
    global int *p = i & 1 ? a : b;
    for (int k = 0; k < 2; k++) {
        p[i + k] = k + 2 * i;
        p = p == a ? b : a;
    }
}

// A vector of three is loaded as one of four: a store to the fourth component does not race with the load.
#define PADDING(name, element)                                                                     \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        if (i == 0) a[element] = 1;                                                                \
        int3 v = *(global int3 *)a;                                                                \
        ((global int3 *)a)[16 + i] = v;                                                            \
    }
PADDING(padding, 3)
PADDING(padding_wrong, 2)

kernel void vectors(ARGUMENTS)
{
    ITEM;
    vstore4((int4)(i), i, a);
    ((global int4 *)b)[i] = vload4(i, a);
}
// Neighbours of one group store to one place, each as another component of its vector.
kernel void overlapping_wrong(ARGUMENTS)
{
    ITEM;
    vstore2((int2)(i, -i), 0, a + i);
}

kernel void overlapping_part_wrong(ARGUMENTS)
{
    ITEM;
    if (i % 5 != 2) vstore4((int4)(i), 0, a + 3 * (i ^ 1));
}

kernel void not_overlapping(ARGUMENTS)
{
    ITEM;
    if (i % 5 != 2) vstore2((int2)(i, -i), 0, a + 3 * (i ^ 1));
}

kernel void vectors_wrong(ARGUMENTS)
{
    ITEM;
    vstore4((int4)(i), 0, a + 3 * i);
}
kernel void threes(ARGUMENTS)
{
    ITEM;
    vstore3((int3)(i), i, a);
}
kernel void longs(ARGUMENTS)
{
    ITEM;
    ((global long *)a)[i] = i;
    ((global long *)a)[i] += 1;
}
kernel void longs_wrong(ARGUMENTS)
{
    ITEM;
    ((global long *)a)[i] = i;
    if (i == 3) a[2 * 8 + 1] = 5;
}

global int shared_counter;
kernel void variable_wrong(ARGUMENTS)
{
    shared_counter += b[0];
}
kernel void variable(ARGUMENTS)
{
    atomic_add(&shared_counter, b[0]);
}

kernel void plane(ARGUMENTS)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    size_t l = get_local_linear_id(), n = get_local_size(0) * get_local_size(1) * get_local_size(2);
    s[l] = (int)i;
    barrier(LOCAL);
    a[i] = s[n - 1 - l];
}
kernel void plane_wrong(ARGUMENTS)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    a[y * get_global_size(0) + x] = (int)z; // one layer for all z
}

// ---- Atomics ----

kernel void histogram(ARGUMENTS)
{
    ITEM;
    HERE;
    if (l < 16) s[l] = 0;
    barrier(LOCAL);
    atomic_inc(&s[b[i] & 15]);
    barrier(LOCAL);
    if (l < 16) atomic_add(&a[l], s[l]);
}
kernel void histogram_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    if (l < 16) s[l] = 0;
    barrier(LOCAL);
    atomic_inc(&s[b[i] & 15]);
    if (l < 16) atomic_add(&a[l], s[l]);
}
kernel void histogram_zero_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    if (l < 16) s[l] = 0;
    atomic_inc(&s[b[i] & 15]);
    barrier(LOCAL);
    if (l < 16) atomic_add(&a[l], s[l]);
}
kernel void mixed_wrong(ARGUMENTS)
{
    ITEM;
    atomic_inc(&a[0]);
    if (i == 70) b[0] = a[0];
}
// Work-item 0 of the launch clears the counter; a barrier orders only its own group.
#define CLEARED(name, first, order, scope)                                                         \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        if (i == 0) first;                                                                         \
        barrier(LOCAL | GLOBAL);                                                                   \
        atomic_fetch_add_explicit((ATOMIC)a, 1, order, scope);                                     \
    }
#define ATOMIC global atomic_int *
#define RELAXED_ADD                                                                                \
    atomic_fetch_add_explicit((ATOMIC)a, 1, memory_order_relaxed, memory_scope_device)
CLEARED(cleared_wrong, a[0] = 0, memory_order_relaxed, memory_scope_device)
CLEARED(peeked_wrong, b[0] = a[0], memory_order_relaxed, memory_scope_device)
CLEARED(cleared_atomically, RELAXED_ADD, memory_order_relaxed, memory_scope_device)
CLEARED(narrow_first_wrong,
        atomic_fetch_add_explicit((ATOMIC)a, 1, memory_order_acq_rel, memory_scope_work_group),
        memory_order_relaxed, memory_scope_device)
CLEARED(narrow_load_first_wrong,
        b[0] = atomic_load_explicit((ATOMIC)a, memory_order_acquire, memory_scope_work_group),
        memory_order_relaxed, memory_scope_device)

// Every group clears its own counter, which one work-item of the next group also increments.
#define OWN_COUNTER(name, others)                                                                  \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        if (l == 0) a[g] = 0;                                                                      \
        barrier(GLOBAL);                                                                           \
        atomic_inc(&a[g]);                                                                         \
        if (l == n - 1 && (others)) atomic_inc(&a[(g + 1) % (int)get_num_groups(0)]);              \
    }
OWN_COUNTER(own_counter, false)
OWN_COUNTER(own_counter_wrong, true)

kernel void tickets(ARGUMENTS)
{
    int i = atomic_inc(&a[0]);
    b[i] = i;
}
kernel void scope(ARGUMENTS)
{
    atomic_fetch_add_explicit((ATOMIC)a, 1, memory_order_acq_rel, memory_scope_device);
}
kernel void scope_wrong(ARGUMENTS)
{
    atomic_fetch_add_explicit((ATOMIC)a, 1, memory_order_acq_rel, memory_scope_work_group);
}

// A plain store after the atomics of the same work-item, or of another one as well.
#define ATOMIC_THEN_STORE(name, others)                                                            \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        HERE;                                                                                      \
        if (l == 1 || (others)) atomic_inc(&a[g]);                                                 \
        if (l == 1) a[g] = 5;                                                                      \
    }
ATOMIC_THEN_STORE(atomic_then_store, false)
ATOMIC_THEN_STORE(atomic_then_store_wrong, l == 0)

// Work-item 0 of the launch signals all others; the first group runs first, and in it the first
// work-item runs before those that spin.
#define HAND_OVER(name, before, store_order, load_order, after)                                    \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        if (i == 0) {                                                                              \
            a[5] = 4;                                                                              \
            before;                                                                                \
            atomic_store_explicit((ATOMIC)a, 1, store_order, memory_scope_device);                 \
        } else {                                                                                   \
            while (atomic_load_explicit((ATOMIC)a, load_order, memory_scope_device) == 0) {}       \
            after;                                                                                 \
            b[i] = a[5];                                                                           \
        }                                                                                          \
    }
#define FENCE(order, scope) atomic_work_item_fence(GLOBAL, memory_order_##order, scope)
HAND_OVER(hand_over, , memory_order_release, memory_order_acquire, )
HAND_OVER(hand_over_seq_cst, , memory_order_seq_cst, memory_order_seq_cst, )
HAND_OVER(hand_over_fences, FENCE(release, memory_scope_device), memory_order_relaxed,
          memory_order_relaxed, FENCE(acquire, memory_scope_device))
HAND_OVER(hand_over_half, FENCE(acq_rel, memory_scope_device), memory_order_relaxed,
          memory_order_acquire, )
HAND_OVER(hand_over_relaxed_wrong, , memory_order_relaxed, memory_order_relaxed, )
HAND_OVER(hand_over_store_wrong, , memory_order_relaxed, memory_order_acquire, )
HAND_OVER(hand_over_load_wrong, , memory_order_release, memory_order_relaxed, )
HAND_OVER(hand_over_fence_wrong, FENCE(release, memory_scope_work_group), memory_order_relaxed,
          memory_order_relaxed, FENCE(acquire, memory_scope_work_group))
kernel void hand_over_late_wrong(ARGUMENTS)
{
    ITEM;
    if (i == 0) {
        atomic_store_explicit((ATOMIC)a, 1, memory_order_release, memory_scope_device);
        a[5] = 4;
    } else {
        while (atomic_load_explicit((ATOMIC)a, memory_order_acquire, memory_scope_device) == 0) {}
        b[i] = a[5];
    }
}

// Those who know of the plain store increment what it stored, in any number.
#define HANDED_COUNTER(name, load_order)                                                           \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        if (i == 0) {                                                                              \
            a[5] = 4;                                                                              \
            atomic_store_explicit((ATOMIC)a, 1, memory_order_release, memory_scope_device);        \
        } else {                                                                                   \
            while (atomic_load_explicit((ATOMIC)a, load_order, memory_scope_device) == 0) {}       \
            atomic_inc(&a[5]);                                                                     \
        }                                                                                          \
    }
HANDED_COUNTER(handed_counter, memory_order_acquire)
HANDED_COUNTER(handed_counter_wrong, memory_order_relaxed)

// The group that finishes last collects the results of all groups.
#define LAST_GROUP(name, before, order, after)                                                     \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        int groups = (int)get_num_groups(0);                                                       \
        a[16 + i] = b[i];                                                                          \
        barrier(GLOBAL);                                                                           \
        if (l == 0) {                                                                              \
            for (int k = 1; k < n; k++)                                                            \
                a[16 + i] += a[16 + i + k];                                                        \
            before;                                                                                \
            s[0] = atomic_fetch_add_explicit((ATOMIC)a, 1, order, memory_scope_device);            \
            after;                                                                                 \
        }                                                                                          \
        barrier(LOCAL | GLOBAL);                                                                   \
        if (s[0] == groups - 1) {                                                                  \
            for (int k = l; k < groups; k += n)                                                    \
                b[k] = a[16 + k * n];                                                              \
            if (l == 0) a[0] = 0; /* ready for the next launch */                                  \
        }                                                                                          \
    }
LAST_GROUP(last_group, , memory_order_acq_rel, )
LAST_GROUP(last_group_fences, FENCE(release, memory_scope_device), memory_order_relaxed,
           FENCE(acquire, memory_scope_device))
LAST_GROUP(last_group_relaxed_wrong, , memory_order_relaxed, )
LAST_GROUP(last_group_release_wrong, , memory_order_acquire, )
LAST_GROUP(last_group_scope_wrong, mem_fence(GLOBAL), memory_order_relaxed, mem_fence(GLOBAL))

kernel void last_group_barrier(ARGUMENTS)
{
    ITEM;
    HERE;
    a[16 + i] = b[i];
    work_group_barrier(GLOBAL, memory_scope_device);
    if (l == 0) {
        s[0] = atomic_fetch_add_explicit((ATOMIC)a, 1, memory_order_relaxed, memory_scope_device);
    }
    work_group_barrier(LOCAL | GLOBAL, memory_scope_device);
    if (s[0] != (int)get_num_groups(0) - 1) return;
    for (int k = l; k < (int)get_global_size(0); k += n)
        b[k] = a[16 + k];
}

// The store after the barrier is not released by it.
kernel void last_group_barrier_late_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    if (l != 0) a[16 + i] = b[i];
    work_group_barrier(GLOBAL, memory_scope_device);
    if (l == 0) {
        a[16 + i] = b[i];
        s[0] = atomic_fetch_add_explicit((ATOMIC)a, 1, memory_order_relaxed, memory_scope_device);
    }
    work_group_barrier(LOCAL | GLOBAL, memory_scope_device);
    if (s[0] != (int)get_num_groups(0) - 1) return;
    for (int k = l; k < (int)get_global_size(0); k += n)
        b[k] = a[16 + k];
}

// A lock around a plain counter.
#define LOCKED(name, lock_order, unlock_order)                                                     \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        for (bool done = false; !done;) {                                                          \
            int free = 0;                                                                          \
            if (atomic_compare_exchange_strong_explicit((ATOMIC)a, &free, 1, lock_order,           \
                                                        memory_order_relaxed,                      \
                                                        memory_scope_device)) {                    \
                a[1]++;                                                                            \
                atomic_store_explicit((ATOMIC)a, 0, unlock_order, memory_scope_device);            \
                done = true;                                                                       \
            }                                                                                      \
        }                                                                                          \
    }
LOCKED(locked, memory_order_acquire, memory_order_release)
LOCKED(locked_wrong, memory_order_relaxed, memory_order_relaxed)

// An atomic in local memory does not order global memory.
#define LOCAL_FLAG(name, target)                                                                   \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        local atomic_int *flag = (local atomic_int *)s;                                            \
        if (l == 0) atomic_init(flag, 0);                                                          \
        barrier(LOCAL);                                                                            \
        if (l == 0) {                                                                              \
            target = 4;                                                                            \
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);         \
        } else {                                                                                   \
            while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group) == 0) \
                ;                                                                                  \
            b[i] = target;                                                                         \
        }                                                                                          \
    }
LOCAL_FLAG(local_flag, s[1])
LOCAL_FLAG(local_flag_wrong, a[g])

// ---- Copies ----

kernel void copied(ARGUMENTS)
{
    ITEM;
    HERE;
    event_t e = async_work_group_copy(s, b + g * n, (size_t)n, 0);
    wait_group_events(1, &e);
    a[i] = s[n - 1 - l];
}
kernel void copied_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    event_t e = async_work_group_copy(s, b + g * n, (size_t)n, 0);
    a[i] = s[n - 1 - l];
    wait_group_events(1, &e);
}

// ---- Sub-groups, of 16 ----

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#define NEIGHBOUR(name, between, distance)                                                         \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        int first = l / 16 * 16, x = b[i];                                                         \
        s[l] = x;                                                                                  \
        between;                                                                                   \
        a[i] = x + s[(first + (l + distance) % 16) % n];                                           \
    }
NEIGHBOUR(neighbour, sub_group_barrier(LOCAL), 1)
NEIGHBOUR(neighbour_wrong, , 1)
NEIGHBOUR(neighbour_flag_wrong, sub_group_barrier(GLOBAL), 1)
NEIGHBOUR(neighbour_value_wrong, x = sub_group_reduce_add(x), 1)
kernel void other_subgroup_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    s[l] = b[i];
    sub_group_barrier(LOCAL);
    a[i] = s[(l + 16) % n];
}
#define SUBGROUP_SCOPE(name, items)                                                                \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        atomic_fetch_add_explicit((global atomic_int *)&a[i / items], 1, memory_order_relaxed,     \
                                  memory_scope_sub_group);                                         \
    }
SUBGROUP_SCOPE(subgroup_scope, 16)
SUBGROUP_SCOPE(subgroup_scope_wrong, 32)
#define SUBGROUP_REDUCE(name, inner)                                                               \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        s[l] = b[i];                                                                               \
        sub_group_barrier(LOCAL);                                                                  \
        for (int k = 8; k > 0; k /= 2) {                                                           \
            if (l % 16 < k) s[l] += s[l + k];                                                      \
            inner;                                                                                 \
        }                                                                                          \
        if (l % 16 == 0) a[i] = s[l];                                                              \
    }
SUBGROUP_REDUCE(subgroup_reduce, sub_group_barrier(LOCAL))
SUBGROUP_REDUCE(subgroup_reduce_wrong, )

// ---- Pointers from memory ----

kernel void pointer_in_memory(ARGUMENTS)
{
    ITEM;
    global int *c = *(global int *global *)b;
    c[i] = i;
}
kernel void pointer_in_memory_wrong(ARGUMENTS)
{
    ITEM;
    global int *c = *(global int *global *)b;
    c[i / 2] = i;
}

// ---- Asynchronous copies ----

kernel void copy_out(ARGUMENTS)
{
    ITEM;
    HERE;
    s[l] = b[i];
    barrier(LOCAL);
    event_t e = async_work_group_copy(a + g * n, s, n, 0);
    wait_group_events(1, &e);
    s[l] = 0;
}
// Every work-item writes one element and then copies a share, but which share is unspecified.
kernel void copy_out_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    s[l] = b[i];
    event_t e = async_work_group_copy(a + g * n, s, n, 0);
    wait_group_events(1, &e);
}
kernel void copy_out_reads(ARGUMENTS)
{
    ITEM;
    HERE;
    s[l] = b[i];
    barrier(LOCAL);
    event_t e = async_work_group_copy(a + g * n, s, n, 0);
    a[get_global_size(0) + i] = s[n - 1 - l];
    wait_group_events(1, &e);
}
kernel void copy_out_stores_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    s[l] = b[i];
    barrier(LOCAL);
    event_t e = async_work_group_copy(a + g * n, s, n, 0);
    s[l] = 0;
    wait_group_events(1, &e);
}
kernel void copy_out_read_back_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    s[l] = b[i];
    barrier(LOCAL);
    event_t e = async_work_group_copy(a + g * n, s, n, 0);
    int early = a[i];
    wait_group_events(1, &e);
    a[i] += early;
}
kernel void copy_in(ARGUMENTS)
{
    ITEM;
    HERE;
    event_t e = async_work_group_copy(s, b + g * n, n, 0);
    wait_group_events(1, &e);
    a[i] = s[n - 1 - l];
}
kernel void copy_in_early_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    event_t e = async_work_group_copy(s, b + g * n, n, 0);
    a[i] = s[l];
    wait_group_events(1, &e);
}
// A barrier does not complete a copy.
kernel void copy_in_barrier_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    event_t e = async_work_group_copy(s, b + g * n, n, 0);
    barrier(LOCAL | GLOBAL);
    a[i] = s[n - 1 - l];
    wait_group_events(1, &e);
}
kernel void copy_in_no_wait_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    async_work_group_copy(s, b + g * n, n, 0);
    a[i] = 1;
}
// All work-items name the same copy, and the same events.
#define COPY_SAME(name, to, from, count, event)                                                    \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        event_t e = async_work_group_copy(s + (to), b + g * n + (from), (count), 0);               \
        event_t shared[2];                                                                         \
        shared[0] = e;                                                                             \
        shared[1] = async_work_group_copy(s + n, b + g * n, 1, 0);                                 \
        event_t f = async_work_group_copy(s + n + 1, b + g * n, 1, shared[event]);                 \
        wait_group_events(1, &shared[1]);                                                          \
        wait_group_events(1, &e);                                                                  \
        wait_group_events(1, &f);                                                                  \
    }
COPY_SAME(copy_same, 1, 0, n / 2, 1)
COPY_SAME(copy_target_differs_wrong, l / 32, 0, n / 2, 1)
COPY_SAME(copy_source_differs_wrong, 1, l / 32, n / 2, 1)
COPY_SAME(copy_count_differs_wrong, 1, 0, n / 2 + l / 32, 1)
COPY_SAME(copy_event_differs_wrong, 1, 0, n / 2, l / 32)
#define WAIT_SAME(name, chosen, count)                                                             \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        HERE;                                                                                      \
        event_t e[2];                                                                              \
        e[0] = async_work_group_copy(s, b + g * n, 4, 0);                                          \
        e[1] = async_work_group_copy(s + 4, b + g * n, 4, 0);                                      \
        event_t first = e[chosen];                                                                 \
        wait_group_events(count, &first);                                                          \
        wait_group_events(2, e);                                                                   \
    }
WAIT_SAME(wait_same, 0, 1)
WAIT_SAME(wait_differs_wrong, l / 32, 1)
kernel void wait_null_wrong(ARGUMENTS)
{
    event_t e = 0;
    wait_group_events(1, &e);
    if (a[0] < 0) async_work_group_copy(s, b, 1, 0);
}
#define COPY_TWO(name, first, second)                                                              \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        local int t[512];                                                                          \
        event_t e[2];                                                                              \
        e[0] = async_work_group_copy(s, b + g * n, n, 0);                                          \
        e[1] = async_work_group_copy(t, b + 1 + g * n, n, 0);                                      \
        wait_group_events(1, &e[first]);                                                           \
        int v = s[n - 1 - l];                                                                      \
        wait_group_events(1, &e[second]);                                                          \
        a[i] = v + t[l];                                                                           \
    }
COPY_TWO(copy_two, 0, 1)
COPY_TWO(copy_two_wrong, 1, 0)
kernel void copy_shared_event(ARGUMENTS)
{
    ITEM;
    HERE;
    event_t e = async_work_group_copy(s, b + g * n, n / 2, 0);
    e = async_work_group_copy(s + n / 2, b + 1 + g * n, n - n / 2, e);
    wait_group_events(1, &e);
    a[i] = s[n - 1 - l];
}
kernel void copy_overlap_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    event_t e = async_work_group_copy(s, b + g * n, n, 0);
    e = async_work_group_copy(s, b + 1 + g * n, n, e);
    wait_group_events(1, &e);
    a[i] = s[l];
}
#define COPY_BACK(name, flag)                                                                      \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        a[i] = i;                                                                                  \
        barrier(flag);                                                                             \
        event_t e = async_work_group_copy(s, a + g * n, n, 0);                                     \
        wait_group_events(1, &e);                                                                  \
        a[i] = s[n - 1 - l];                                                                       \
    }
COPY_BACK(copy_back, GLOBAL)
COPY_BACK(copy_back_wrong, LOCAL)
// While a tile is processed, the next one is being copied.
#define COPY_AHEAD(name, behind)                                                                   \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        local int t[2][512];                                                                       \
        int sum = 0;                                                                               \
        event_t e = async_work_group_copy(t[0], b, n, 0);                                          \
        for (int k = 0; k < 6; k++) {                                                              \
            wait_group_events(1, &e);                                                              \
            if (k < 5) e = async_work_group_copy(t[(k + 1) % 2], b + (k + 1) * n, n, 0);           \
            sum += t[k % 2][n - 1 - l];                                                            \
            behind;                                                                                \
        }                                                                                          \
        a[i] = sum;                                                                                \
    }
COPY_AHEAD(copy_ahead, barrier(LOCAL))
COPY_AHEAD(copy_ahead_into_same_wrong, e = async_work_group_copy(t[k % 2], b, n, e))
// Words are stored to local memory while it is known who has stored to it before: atomics and stores
// of bytes between two of these stores must not be overlooked.
#define STORED_IN_WORDS(name, first, place, then)                                                  \
    kernel void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        ITEM;                                                                                      \
        HERE;                                                                                      \
        local int t[64];                                                                           \
        t[l] = 0;                                                                                  \
        t[l + 32] = 0;                                                                             \
        barrier(LOCAL);                                                                            \
        if (l == 0) first;                                                                         \
        t[place] = 7;                                                                              \
        if (l == 0) then;                                                                          \
        barrier(LOCAL);                                                                            \
        a[i] = t[n - 1 - l];                                                                       \
    }
#define COUNT(k) atomic_inc(&t[k])
STORED_IN_WORDS(atomic_before, COUNT(41), l == 16 ? 40 : l, (void)0)
STORED_IN_WORDS(atomic_before_wrong, COUNT(40), l == 16 ? 40 : l, (void)0)
STORED_IN_WORDS(atomic_between, (void)0, l == 16 ? 40 : l, COUNT(41))
STORED_IN_WORDS(atomic_between_wrong, (void)0, l == 16 ? 40 : l, COUNT(40))
STORED_IN_WORDS(byte_between, (void)0, l + 16, ((local uchar *)t)[4 * 60] = 1)
STORED_IN_WORDS(byte_between_wrong, (void)0, l + 16, ((local uchar *)t)[4 * 40] = 1)
