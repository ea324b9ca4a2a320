// Kernels for test_exec_bounds.c: arrays that lie within a structure or a larger array.  `n` is an
// index that the compiler does not know; kernels whose names end in _wrong leave the inner array,
// but never the whole object.

typedef struct record {
    int before[4];
    int after[8];
} record;

kernel void member(global record *r, int n)
{
    r->before[n] = 1;
}
kernel void member_of_element(global record *r, int n)
{
    r[get_global_id(0) + 1].before[n] = 1;
}
kernel void last_member(global record *r, int n)
{
    r[0].after[n] = 1;
}
kernel void member_read(global record *r, int n)
{
    r[1].after[0] = r[0].before[n];
}
kernel void member_atomic(global record *r, int n)
{
    atomic_inc(&r->before[n]);
}
// A pointer past the last element may be formed, compared and moved back.
kernel void past_the_end(global record *r, int n)
{
    global int *end = &r->before[n + 4];
    for (global int *at = r->before; at != end; at++)
        *at = 1;
}

kernel void row(global int *out, int n)
{
    local int tile[4][5];
    size_t l = get_local_id(0);
    for (int k = 0; k < 5; k++)
        tile[l][k] = (int)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l % 3][n];
}
kernel void row_private(global int *out, int n)
{
    int a[3][4];
    size_t i = get_global_id(0);
    for (int k = 0; k < 12; k++)
        a[k / 4][k % 4] = k;
    out[i] = a[i % 2][n];
}
// Walks through a whole array of arrays: compilers write this as indices into its first element.
kernel void flat(global int *out, int n)
{
    local int tile[4][5];
    local int *all = &tile[0][0];
    size_t l = get_local_id(0);
    for (int k = 0; k < 5; k++)
        all[5 * l + k] = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = all[19 - 5 * l];
}

// A trailing array of one element stands for an array of any length.
typedef struct list {
    int count;
    int items[1];
} list;
kernel void flexible(global list *l, int n)
{
    l->items[n] = 1;
}
typedef struct pair {
    int items[1];
    int count;
} pair;
kernel void single(global pair *p, int n)
{
    p->items[n] = 1;
}

// The array is the whole object: its bounds decide.
kernel void whole(global int *out, int n)
{
    int a[4] = {1, 2, 3, 4};
    out[get_global_id(0)] = a[n];
}
kernel void out_of_all(global int *out, int n)
{
    volatile local record here;
    if (get_local_id(0) == 0) here.after[7] = 1;
    here.before[n] = 1;
    out[get_global_id(0)] = n;
}
