// Kernels for test_parallel.c.  All take memory to write, memory to read, and local memory of one int
// per work-item.  Kernels whose names end in _wrong must cause a finding.

#define ITEM int i = (int)get_global_id(0)
#define HERE int l = (int)get_local_id(0), n = (int)get_local_size(0), g = (int)get_group_id(0)
#define ARGUMENTS global int *a, global const int *b, local int *s

kernel void apart(ARGUMENTS)
{
    ITEM;
    a[i] = 3 * b[i] + i;
}

kernel void reduced(ARGUMENTS)
{
    ITEM;
    HERE;
    s[l] = b[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = n / 2; k > 0; k /= 2) {
        if (l < k) s[l] += s[l + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) a[g] = s[0];
}

// Groups of six share words with their neighbours, but not bytes.
kernel void bytes(ARGUMENTS)
{
    ITEM;
    ((global uchar *)a)[i] = (uchar)(b[i] + 1);
}

// Reads back what its own group has written.
kernel void turned(ARGUMENTS)
{
    ITEM;
    HERE;
    a[i] = b[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    int other = a[g * n + (n - 1 - l)];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] = other;
}

// Some of the stored bits are undefined, which is not a finding.
kernel void half_known(ARGUMENTS)
{
    ITEM;
    volatile int x[2]; // otherwise a compiler would use the defined element for both
    x[0] = b[i];
    a[i] = x[i & 1];
}

// The last group's results depend on those of the first.
kernel void from_the_other_end_wrong(ARGUMENTS)
{
    ITEM;
    a[i] = a[(int)get_global_size(0) - 1 - i] + b[i];
}

kernel void beyond_wrong(ARGUMENTS)
{
    ITEM;
    if (i == 100) a[1 << 20] = 1;
    a[i] = b[i];
}

// The second third writes what the first does; the last third is apart from both.
kernel void thirds_wrong(ARGUMENTS)
{
    ITEM;
    int third = (int)get_global_size(0) / 3;
    a[i >= third && i < 2 * third ? i - third : i] = b[i];
}

// The second half writes single bytes, beyond the words of the first half or among them.
kernel void words_then_bytes(ARGUMENTS)
{
    ITEM;
    if (i < (int)get_global_size(0) / 2)
        a[i] = b[i];
    else
        ((global uchar *)a)[8192 + i] = (uchar)b[i];
}
kernel void words_then_bytes_wrong(ARGUMENTS)
{
    ITEM;
    int half_size = (int)get_global_size(0) / 2;
    if (i < half_size)
        a[i] = b[i];
    else
        ((global uchar *)a)[4 * (i - half_size) + 1] = (uchar)b[i];
}

kernel void one_place_wrong(ARGUMENTS)
{
    ITEM;
    a[0] = i;
    a[i + 1] = b[i];
}

// Counts in local memory; only in lockstep do the old values follow the order of the work-items.
kernel void counted_near(ARGUMENTS)
{
    ITEM;
    HERE;
    if (l < 4) s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int old = atomic_inc(&s[l % 4]);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = s[l % 4] * 100 + old;
}

// All groups count in the same places.
kernel void counted(ARGUMENTS)
{
    ITEM;
    a[i + 16] = b[i];
    atomic_add(&a[i % 16], 1);
}

__attribute__((noinline)) void count(global int *a, int i)
{
    atomic_max(&a[i % 16], i);
}

kernel void counted_in_a_call(ARGUMENTS)
{
    ITEM;
    a[i + 16] = b[i];
    count(a, i);
}

// The pointer's type does not reveal the memory that it points into.
kernel void counted_generic(ARGUMENTS)
{
    ITEM;
    HERE;
    s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_int *to = (atomic_int *)(b[0] == 0 ? (int *)s : (int *)(a + i));
    atomic_fetch_add_explicit(to, 1, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = s[l];
}

kernel void copied(ARGUMENTS)
{
    HERE;
    event_t e = async_work_group_copy(s, b + g * n, n, 0);
    wait_group_events(1, &e);
    a[g * n + l] = s[n - 1 - l];
}

kernel void printing(ARGUMENTS)
{
    ITEM;
    a[i] = b[i];
    if (i == 0) printf("%d\n", a[i]);
}

// The work-items of a group access one place both with and without atomics.
kernel void near_race_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    if (l == 0) s[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&s[0]);
    s[0] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = b[i];
}
