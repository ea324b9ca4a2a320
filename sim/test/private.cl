// Kernels for test_exec_private.c: private arrays whose index differs between work-items.

#define PERMUTED(name, type)                                                                       \
    kernel void name(global const int *index, global type *out, int n)                             \
    {                                                                                              \
        int i = (int)get_global_id(0);                                                             \
        type v[16];                                                                                \
        for (int k = 0; k < 16; k++)                                                               \
            v[k] = (type)(7 * k + i);                                                              \
        if (i % 5 != n) v[index[i] & 15] += (type)1000;                                            \
        if (i % 3 != n) v[(index[i] + 3) & 15] = v[(index[i] + 1) & 15];                           \
        type sum = (type)0;                                                                        \
        for (int k = 0; k < 16; k++)                                                               \
            sum = sum * (type)3 + v[(k + index[i]) & 15];                                          \
        out[i] = sum;                                                                              \
    }
PERMUTED(bytes, uchar)
PERMUTED(shorts, ushort)
PERMUTED(words, uint)
PERMUTED(longs, ulong)

// Vectors start with a granule of private memory.
kernel void vectors(global const int *index, global uint4 *out, int n)
{
    int i = (int)get_global_id(0);
    uint4 v[4];
    for (int k = 0; k < 4; k++)
        v[k] = (uint4)(k, k + i, 3, index[i]);
    if (i % 5 != n) v[index[i] & 3] += (uint4)(1, 2, 3, 4);
    out[i] = v[(index[i] + (i % 3 != n)) & 3];
}

// An element of a packed structure may straddle two granules.
typedef struct __attribute__((packed)) packed {
    uchar tag;
    uint value;
} packed;
kernel void straddling(global const int *index, global uint *out, int n)
{
    int i = (int)get_global_id(0);
    packed v[8];
    for (int k = 0; k < 8; k++) {
        v[k].tag = (uchar)k;
        v[k].value = (uint)(k * 100 + i);
    }
    v[index[i] & 7].value += (uint)n;
    out[i] = v[(index[i] + 1) & 7].value * 2 + v[index[i] & 7].value + v[index[i] & 7].tag;
}

// Only the elements that the work-item has written are defined.
kernel void defined_only(global const int *index, global uint *out, int n)
{
    int i = (int)get_global_id(0);
    uint v[16];
    v[index[i] & 15] = (uint)i;
    if (v[(index[i] + n) & 15] > 3) out[i] = 1;
}

kernel void in_bounds(global const int *index, global uint *out, int n)
{
    int i = (int)get_global_id(0);
    uint v[16];
    for (int k = 0; k < 16; k++)
        v[k] = (uint)k;
    v[(index[i] & 15) + (i == 70 ? n : 0)] = 99;
    out[i] = v[index[i] & 15];
}
