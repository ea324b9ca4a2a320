/* Kernels that use uninitialised values (bad_…), each with a twin that only copies such values, or
 * initialises them (good_…).  test_exec_undefined.c runs them at three levels.  Conditions guard an
 * atomic, so that no optimiser turns the branch into a selection. */
#define IF(condition, place)                                                                       \
    if (condition) atomic_inc(&(place))

/* ---- Private memory ------------------------------------------------------------------------- */

__kernel void bad_branch(__global int *out, int n)
{
    int tmp[4];
    int i = get_global_id(0);
    tmp[i & 1] = i;
    IF(tmp[(i & 1) + n], out[i]);
}
__kernel void good_branch(__global int *out, int n)
{
    int tmp[4];
    int i = get_global_id(0);
    tmp[i & 1] = i;
    tmp[(i & 1) + n] = i;
    IF(tmp[(i & 1) + n], out[i]);
}

/* Only lanes from 8 on read uninitialised memory. */
__kernel void bad_lanes(__global int *out, int n)
{
    int tmp[8];
    int i = get_global_id(0);
    for (int k = 0; k < n; k++) {
        if (i < 8) tmp[k] = k + i;
    }
    out[i] = 0;
    for (int k = 0; k < n; k++) {
        IF(tmp[k] > 3, out[i]);
    }
}
__kernel void good_lanes(__global int *out, int n)
{
    int tmp[8];
    int i = get_global_id(0);
    for (int k = 0; k < n; k++) {
        if (i < 8) tmp[k] = k + i;
    }
    out[i] = 0;
    for (int k = 0; k < n; k++) {
        IF(i < 8 && tmp[k] > 3, out[i]);
    }
}

/* A variable declared in a loop's body is uninitialised in every iteration. */
__kernel void bad_again(__global int *out, __global const int *in)
{
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 3; k++) {
        int tmp[4];
        if (k == 0) tmp[in[0]] = 5;
        IF(tmp[in[k]] == 5, out[i]);
        for (int q = 0; q < 4; q++)
            tmp[in[q]] = q + 100;
        out[i] = sum + tmp[in[i & 3]];
    }
}

int helper(int write, int at)
{
    int kept[4];
    if (write) kept[at] = 3;
    return kept[at];
}
__kernel void bad_frame(__global int *out, int at)
{
    int i = get_global_id(0);
    int first = helper(1, at);
    int second = helper(0, at); /* values left by the first call are undefined */
    out[i] = first + (second > 2 ? 1 : 0);
    IF(second == 3, out[i]);
}
__kernel void good_frame(__global int *out, int at)
{
    int i = get_global_id(0);
    int first = helper(1, at);
    int second = helper(1, at);
    out[i] = first + (second > 2 ? 1 : 0);
    IF(second == 3, out[i]);
}

/* ---- Buffers -------------------------------------------------------------------------------- */

__kernel void bad_address(__global int *out, __global const int *index)
{
    int i = get_global_id(0);
    out[index[i] & 7] = i;
}
__kernel void bad_far_address(__global int *out, __global const int *index)
{
    out[index[0] | 64] = 1;
}
__kernel void good_address(__global int *out, __global const int *index)
{
    int i = get_global_id(0);
    out[(index[i] & 0) + i] = i;
}
__kernel void bad_load_address(__global int *out, __global const int *index)
{
    int i = get_global_id(0);
    int v = out[index[i] & 7];
    out[i] = v;
}
__kernel void bad_divisor(__global int *out, __global const int *in)
{
    int i = get_global_id(0);
    out[i] = (i + 100) / (in[i] | 1);
}
__kernel void good_dividend(__global int *out, __global const int *in)
{
    int i = get_global_id(0);
    out[i] = in[i] / (i + 1);
}
__kernel void bad_switch(__global int *out, __global const int *in)
{
    int i = get_global_id(0);
    switch (in[i]) {
    case 1: out[i] = i * 77; break;
    case 2: out[i] = i * i; break;
    case 500: out[i + 0] = 9 - i; break;
    case 7000: out[i] = i ^ 5; break;
    default: out[i] = -i;
    }
}
__kernel void bad_compare(__global int *out, __global const int *in)
{
    int i = get_global_id(0);
    int was = atomic_cmpxchg(&out[i], in[i], 5);
    out[i] = was;
}
__kernel void good_exchange(__global int *out, __global const int *in)
{
    int i = get_global_id(0);
    atomic_xchg(&out[i], in[i]);
    if (atomic_add(&out[i], 0) == 0 && i < 0) out[i] = 1;
}
__kernel void bad_component(__global int *out, __global const int *in, __global const int4 *v)
{
    int i = get_global_id(0);
    int4 value = v[i];
    int which = in[i] & 3;
    out[i] = value[which];
}
/* Copies defined and undefined values. */
__kernel void good_copy(__global int *out, __global const int *in)
{
    int i = get_global_id(0);
    int x = in[i];
    out[i] = (i & 1) ? x + 1 : x * 3;
}
__kernel void good_select(__global int *out, __global const int *in)
{
    int i = get_global_id(0);
    int x = in[i];
    out[i] = x > 7 ? 5 : 6;
}

/* ---- Bits ----------------------------------------------------------------------------------- */

/* Bit-fields, which OpenCL C lacks, as compilers implement them: in a word, a has bits 0 to 2, b
 * has bits 3 to 7, and c has bits 8 to 16, all signed. */
void put(__global uint *word, uint first, uint count, uint value)
{
    uint ones = (1u << count) - 1;
    *word = (*word & ~(ones << first)) | (value & ones) << first;
}
int signed_field(__global const uint *word, uint first, uint count)
{
    return (int)(*word << (32 - first - count)) >> (32 - count);
}
__kernel void good_fields(__global int *out, __global uint *in)
{
    int i = get_global_id(0);
    put(&in[i], 0, 3, i & 3);
    put(&in[i], 3, 5, i - 20);
    int n = 0;
    if (signed_field(&in[i], 0, 3) > 1) n += 1;
    if (signed_field(&in[i], 3, 5) < 0) n += 2;
    if (signed_field(&in[i], 3, 5) == i - 20) n += 4;
    if ((char)in[i] < 0) n += 8; /* the sign of b, and of the byte whose top bits are b */
    if ((in[i] & 7) != 3) n += 16;
    out[i] = n;
}
__kernel void bad_fields(__global int *out, __global uint *in)
{
    int i = get_global_id(0);
    put(&in[i], 0, 3, i & 3);
    put(&in[i], 3, 5, i - 20);
    out[i] = 0;
    IF(signed_field(&in[i], 8, 9) > 5, out[i]);
}
/* The sign of a byte whose other bits are undefined. */
__kernel void good_sign(__global int *out, __global uchar *in)
{
    int i = get_global_id(0);
    in[i] = (in[i] & 0x7f) | (uchar)(i << 7);
    if ((char)in[i] < 0) out[i] = 1;
    if (in[i] >= 0x80) out[i] = 2;
}
__kernel void good_bits(__global int *out, __global uchar *in)
{
    int i = get_global_id(0);
    in[4 * i + 1] = (uchar)(i + 1); /* one byte of an otherwise undefined integer */
    uint x = *(__global uint *)(in + 4 * i);
    int n = 0;
    if ((x & 0xff00) == (uint)(i + 1) << 8) n += 1;
    if ((x >> 8 & 0xff) > 4) n += 2;
    if ((x | 0xffff00ff) != 0xffff00ff) n += 4;
    if ((uchar)(x >> 8) == i + 1) n += 8;
    if ((char)(x >> 8) > 0) n += 16;
    out[i] = n;
}

/* ---- Structs, padding, vectors -------------------------------------------------------------- */

typedef struct {
    char tag;
    int value;
    float3 place;
    union {
        int number;
        uchar bytes[8];
    } u;
} record;

record make(int i)
{
    record r;
    r.tag = (char)i;
    r.value = i * 3;
    r.place = (float3)(i, i + 1, i + 2);
    r.u.number = i;
    return r;
}
__kernel void good_record(__global int *out, __global record *records)
{
    int i = get_global_id(0);
    record r = make(i);
    records[i] = r;
    record s = records[i];
    int n = 0;
    if (s.tag == (char)i) n++;
    if (s.value == 3 * i) n++;
    if (s.place.z > s.place.x) n++;
    if (s.u.bytes[0] == (uchar)i) n++;
    out[i] = n;
}
__kernel void bad_record(__global int *out, __global record *records)
{
    int i = get_global_id(0);
    record r = make(i);
    records[i] = r;
    record s = records[i];
    out[i] = 0;
    IF(s.u.bytes[7] == 3, out[i]); /* the member that was written has four bytes */
}
__kernel void good_arrays(__global int *out, int n)
{
    int i = get_global_id(0);
    int filled[16];
    int count = 0;
    for (int k = 0; k < n; k++) {
        if ((k ^ i) & 1) filled[count++] = k;
    }
    int sum = 0;
    for (int k = 0; k < count; k++) {
        if (filled[k] > 1) sum += filled[k];
    }
    out[i] = sum;
}
__kernel void good_first(__global int *out, __global const int *in, int n)
{
    int i = get_global_id(0), best;
    bool any = false;
    for (int k = 0; k < n; k++) {
        if (in[k] > i && (!any || in[k] < best)) {
            best = in[k];
            any = true;
        }
    }
    out[i] = any ? best : -1;
}

/* ---- Local memory and groups ---------------------------------------------------------------- */

__kernel void bad_local(__global int *out)
{
    __local int tile[16];
    int i = get_local_id(0);
    if (i < 8) tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 0;
    IF(tile[i] > 3, out[get_global_id(0)]);
}
__kernel void good_local(__global int *out, __local int *extra)
{
    __local int tile[16];
    int i = get_local_id(0);
    tile[15 - i] = i;
    if (i < 4) extra[2 * i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[i] > 3 ? 1 : 0;
    if (i < 4 && extra[2 * i] > 2) out[get_global_id(0)] = 2;
}
/* The second group must not see the values of the first. */
__kernel void bad_second_group(__global int *out)
{
    __local int tile[16];
    int i = get_local_id(0);
    if (get_group_id(0) == 0) tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 0;
    IF(tile[i] == i, out[get_global_id(0)]);
}
__kernel void bad_reduce(__global int *out, __global const int *in)
{
    int i = get_global_id(0);
    int sum = work_group_reduce_add(in[i]);
    out[i] = 0;
    IF(sum == 12, out[i]);
}
__kernel void good_reduce(__global int *out, __global const int *in)
{
    int i = get_global_id(0);
    int sum = work_group_reduce_add(i < 4 ? in[i] : i);
    out[i] = sum;
}
__kernel void bad_vote(__global int *out, __global const int *in)
{
    int i = get_global_id(0);
    out[i] = 0;
    IF(work_group_any(in[i] == 77), out[i]);
}
__kernel void good_broadcast(__global int *out, __global const int *in)
{
    int i = get_global_id(0);
    int x = work_group_broadcast(in[i], 2);
    out[i] = 0;
    IF(x == 2, out[i]);
}
__kernel void good_async(__global int *out, __global const int *in, __local int *tile)
{
    event_t e = async_work_group_copy(tile, in, 16, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[get_local_id(0)];
}
__kernel void bad_async(__global int *out, __global const int *in, __local int *tile)
{
    event_t e = async_work_group_copy(tile, in, 16, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = 0;
    IF(tile[get_local_id(0)] == 5, out[get_global_id(0)]);
}
/* A tile that was fully defined, so that checks skip it, gets an undefined element. */
__kernel void bad_unsettled(__global int *out, __global const int *in)
{
    __local int tile[16];
    int i = get_local_id(0);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 5) tile[9] = in[i] + tile[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    IF(tile[i] > 3, out[get_global_id(0)]);
}
__kernel void bad_counter(__global int *out)
{
    __local int next;
    int at = atomic_inc(&next);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&out[at & 15]);
}
__kernel void good_counter(__global int *out)
{
    __local int next;
    if (get_local_id(0) == 0) next = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int at = atomic_inc(&next);
    atomic_inc(&out[at & 15]);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef int (*operation)(int);
int more(int x)
{
    return x + 1;
}
int less(int x)
{
    return x - 1;
}
__kernel void bad_call(__global int *out, int n)
{
    int i = get_global_id(0);
    operation table[3];
    table[n - 2] = more;
    table[n - 1] = less;
    out[i] = table[n](i);
}
__kernel void good_call(__global int *out, int n)
{
    int i = get_global_id(0);
    operation table[3];
    table[n - 2] = more;
    table[n - 1] = less;
    out[i] = table[n - 1 - (i & 1)](i);
}

/* One work-item's undefined value reaches the work-items of another wave. */
__kernel void two_waves(__global int *out, __global const int *in, int from)
{
    int i = get_global_id(0);
    int x = work_group_broadcast(in[i], from);
    IF(x == 3, out[i]);
}
