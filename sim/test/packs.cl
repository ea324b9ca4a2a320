// Kernels for test_packs.c.  All take memory to write, memory to read, and local memory of one int per
// work-item.  Kernels whose names end in _wrong must cause a finding.

#define ITEM int i = (int)get_global_id(0)
#define HERE int l = (int)get_local_id(0), n = (int)get_local_size(0), g = (int)get_group_id(0)
#define ARGUMENTS global int *a, global const int *b, local int *s

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

// One work-item of each group stores what all of them load.
kernel void spread(ARGUMENTS)
{
    local int first;
    local short odd[3];
    ITEM;
    HERE;
    if (l == 0) first = b[g];
    if (l < 3) odd[l] = (short)(g + l);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = first + odd[l % 3];
}

// Groups repeat a loop without barriers as often as their number says.
kernel void loops(ARGUMENTS)
{
    ITEM;
    HERE;
    int sum = 0;
    for (int k = 0; k <= g % 7; k++)
        sum += b[(i + k) % (int)get_global_size(0)] * (k + 1);
    s[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = s[n - 1 - l] + (int)get_num_groups(0);
}

// Groups pass different numbers of barriers.
kernel void waits(ARGUMENTS)
{
    ITEM;
    HERE;
    s[l] = b[i];
    for (int k = 0; k <= g % 3; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int other = s[(l + 1) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
        s[l] = other;
    }
    a[i] = s[l];
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

int cell(local const int *s, int k)
{
    return s[k] * 2;
}

// Pointers to local memory are the same in all groups, in calls and in private memory.
kernel void pointed(ARGUMENTS)
{
    ITEM;
    HERE;
    local int *where[2];
    s[l] = b[i];
    where[0] = s + l;
    where[1] = s + n - 1 - l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = cell(where[i & 1], 0) + (int)((uintptr_t)where[0] - (uintptr_t)s);
}

// Ids in three dimensions.
kernel void numbered(ARGUMENTS)
{
    int i = (int)((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0));
    a[i] = (int)(get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2)) * 1000 +
           (int)(get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2)) + (int)get_global_linear_id();
}

// The last work-item of a group stores past the end of its local memory, into that of the next group.
kernel void beyond_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    s[l + (g == 5)] = b[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = s[l];
}

// Two work-items of a group store different values to one place of local memory.
kernel void race_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    s[g == 3 ? 0 : l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = s[g == 3 ? 0 : l];
}

// A group stores what another one loads.
kernel void meets_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    a[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0 && g == 2) a[i] = a[n] + b[i];
}

// Local memory that no work-item has written is an index.
kernel void unknown_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    if (g != 4 || l != 1) s[l] = b[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = b[s[l] & 255];
}

// One work-item of one group does not reach the barrier.
kernel void missing_wrong(ARGUMENTS)
{
    ITEM;
    HERE;
    s[l] = b[i];
    if (i != 3 * n + 1) barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = s[l];
}

kernel void counted(ARGUMENTS)
{
    ITEM;
    atomic_add(&a[i % 16], b[i]);
}

kernel void summed(ARGUMENTS)
{
    ITEM;
    a[i] = work_group_reduce_add(b[i]);
}
