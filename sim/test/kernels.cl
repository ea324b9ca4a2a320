// The kernels of test_exec_*.c, compiled when the tests are built, at three levels of optimisation.
#define NOINLINE __attribute__((noinline))
#include "cases.h"
#include "flow.h"

// Operands in every form: varying or uniform, in all four combinations.
#define CASE_KERNEL(name, T, R, expression)                                                        \
    static R case_##name(T a, T b) { return expression; }                                          \
    kernel void lanes_##name(global const T *a, global const T *b, global R *out, uint n)          \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = case_##name(a[i], b[i]);                                                          \
        out[n + i] = case_##name(a[i], b[0]);                                                      \
        out[2 * n + i] = case_##name(a[0], b[i]);                                                  \
        out[3 * n + i] = case_##name(a[1], b[1]);                                                  \
    }
CASES(CASE_KERNEL)

#define FLOW_KERNEL(name)                                                                          \
    kernel void flow_kernel_##name(global int *out, int base)                                      \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = flow_##name((int)i);                                                              \
        out[get_global_size(0) + i] = flow_##name(base);                                           \
    }
FLOWS(FLOW_KERNEL)

kernel void geometry(global ulong *out)
{
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    global ulong *o = out + 20 * i;
    for (uint k = 0; k < 3; k++) {
        o[k] = get_global_id(k);
        o[3 + k] = get_local_id(k);
        o[6 + k] = get_group_id(k);
        o[9 + k] = get_local_size(k);
        o[12 + k] = get_num_groups(k);
    }
    o[15] = get_global_linear_id();
    o[16] = get_local_linear_id();
    o[17] = get_work_dim();
    o[18] = get_global_size(0);
    o[19] = get_enqueued_local_size(1);
}

kernel void sum_local(global const int *in, global int *out, local int *tmp)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    tmp[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t left = n; left > 1;) {
        size_t half_up = (left + 1) / 2;
        if (l + half_up < left) tmp[l] += tmp[l + half_up];
        left = half_up;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = tmp[0];
}

NOINLINE void rotate_local(local int *tmp, int by)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    int v = tmp[(l + (size_t)by) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void rotate_in_call(global int *out)
{
    local int tmp[1024];
    tmp[get_local_id(0)] = (int)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 1; k < 4; k++) rotate_local(tmp, k);
    out[get_global_id(0)] = tmp[get_local_id(0)];
}

kernel void divergent_barrier(global int *out)
{
    if (get_local_id(0) < 3) barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}

kernel void store_at(global int *out, int offset) { out[(int)get_global_id(0) + offset] = 7; }
kernel void load_at(global int *out, global const int *in, int offset)
{
    out[get_global_id(0)] = in[(int)get_global_id(0) + offset];
}
kernel void load_one(global int *out, global const int *in, int offset)
{
    out[get_global_id(0)] = in[offset];
}
kernel void private_at(global int *out, int offset)
{
    volatile int a[4];
    for (int k = 0; k < 4; k++) a[k] = k;
    out[get_global_id(0)] = a[(int)get_global_id(0) + offset];
}
kernel void local_at(global int *out, local int *tmp, int offset)
{
    tmp[(int)get_local_id(0) + offset] = 1;
    out[get_global_id(0)] = 1;
}
kernel void misaligned(global int *out, global const char *in)
{
    out[get_global_id(0)] = *(global const int *)(in + 1 + 4 * get_global_id(0));
}
kernel void divide(global int *out, global const int *a, global const int *b)
{
    size_t i = get_global_id(0);
    out[i] = a[i] / b[i];
}
kernel void shift(global int *out, global const int *a, global const int *b)
{
    size_t i = get_global_id(0);
    uint amount = (uint)b[i];
    out[i] = amount > 100 ? 0 : (int)__builtin_rotateleft32((uint)a[i], 3);
}
kernel void to_int(global int *out, global const float *a)
{
    size_t i = get_global_id(0);
    out[i] = (int)a[i];
}
kernel void for_ever(global int *out)
{
    volatile int go = 1;
    while (go) out[get_global_id(0)]++;
}

kernel void atomics(global uint *out, global int *mins)
{
    uint i = (uint)get_global_id(0);
    uint ticket = atomic_add(&out[0], 1u);
    out[8 + ticket] = i;
    atomic_max(&out[1], i * 3 % 101);
    atomic_min(&mins[0], (int)i - 50);
    atomic_xor(&out[2], i);
    atomic_or(&out[3], 1u << (i & 31));
    atomic_sub(&out[4], i);
    atomic_cmpxchg(&out[5], 0u, i + 1);
    atomic_inc(&out[6]);
    atomic_and(&out[7], ~(1u << (i & 15)));
}

kernel void spin(global volatile int *flag, global int *out)
{
    // The first work-item releases the others, whose branch comes first in the code.
    if (get_global_id(0) != 0) {
        int seen;
        while ((seen = atomic_add(flag, 0)) == 0) {}
        out[get_global_id(0)] = seen;
    } else {
        out[0] = 5;
        atomic_xchg(flag, 9);
    }
}

constant int table[5] = {3, 1, 4, 1, 5};
global int counter = 100;
global int *global pointer = &counter;
kernel void module_variables(global int *out)
{
    size_t i = get_global_id(0);
    out[i] = table[i % 5];
    if (i == 0) counter++;
    if (i == 0) out[get_global_size(0)] = *pointer;
}

typedef struct settings {
    int a;
    char c;
    float4 v;
    int list[3];
} settings;
kernel void by_value(global float *out, settings s, int2 pair, char3 small)
{
    size_t i = get_global_id(0);
    s.list[i % 3] += (int)i;
    out[i] = (float)(s.a + s.c + s.list[i % 3] + pair.x * pair.y + small.z) + s.v.w;
}

kernel void vectors(global float4 *out, global const float4 *in, global int16 *wide, int k)
{
    size_t i = get_global_id(0);
    float4 v = in[i];
    float4 r = v.wzyx * 2.0f + (float4)(1, 2, 3, 4);
    r[k & 3] = (float)k;
    r.xy += v[(i + (size_t)k) & 3];
    out[i] = isless(v, r) ? r : v;
    int16 w = (int16)((int)i);
    w.s0123 = convert_int4(v);
    w.hi = as_int8((float8)(v, r));
    wide[i] = w;
}
kernel void vector3(global float *out, global const float3 *in)
{
    size_t i = get_global_id(0);
    out[i] = dot(in[i], (float3)(1, 10, 100)) + in[i].y;
}
kernel void bits(global ulong *out, global const uint2 *in)
{
    size_t i = get_global_id(0);
    ulong whole = as_ulong(in[i]);
    uchar8 bytes = as_uchar8(whole);
    out[i] = whole ^ (ulong)bytes.s7 ^ ((ulong)as_ushort4(in[i]).y << 20);
}
kernel void copy_struct(global settings *out, global const settings *in)
{
    settings s = in[get_global_id(0)];
    s.a++;
    out[get_global_id(0)] = s;
}
NOINLINE int generic_sum(int *p, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++) sum += p[k];
    return sum;
}
kernel void mixed_spaces(global int *out, global int *in, local int *tmp)
{
    size_t i = get_global_id(0);
    int mine[4] = {(int)i, 1, 2, 3};
    if (get_local_id(0) < 4) tmp[get_local_id(0)] = 10 * (int)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i % 3 == 0 ? mine : i % 3 == 1 ? (int *)in : (int *)tmp;
    out[i] = generic_sum(p, 4) + generic_sum(mine, 2) + generic_sum(in, 1);
}
