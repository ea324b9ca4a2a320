// Groups and sub-groups of work-items, asynchronous copies, atomics, for test_exec_groups.c.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

// Row k of out holds the result of operation k.
#define PUT(k, value) out[(k)*get_global_size(0) + get_global_id(0)] = (int)(value)

kernel void work_group(global const int *in, global int *out, global float *sums)
{
    size_t i = get_global_id(0);
    int v = in[i];
    PUT(0, work_group_reduce_add(v));
    PUT(1, work_group_reduce_min(v));
    PUT(2, work_group_reduce_max((uint)v));
    PUT(3, work_group_scan_inclusive_add(v));
    PUT(4, work_group_scan_exclusive_add(v));
    PUT(5, work_group_scan_exclusive_min(v));
    PUT(6, work_group_scan_inclusive_max(v));
    PUT(7, work_group_all(v < 90));
    PUT(8, work_group_any(v == 7));
    PUT(9, work_group_broadcast(v, get_local_size(0) - 1));
    sums[i] = work_group_scan_inclusive_add(1.0f / (float)(v + 200));
}
kernel void sub_group(global const int *in, global int *out)
{
    int v = in[get_global_id(0)];
    PUT(0, sub_group_reduce_add(v));
    PUT(1, sub_group_reduce_min(v));
    PUT(2, sub_group_reduce_max((uint)v));
    PUT(3, sub_group_scan_inclusive_add(v));
    PUT(4, sub_group_scan_exclusive_add(v));
    PUT(5, sub_group_scan_exclusive_min(v));
    PUT(6, sub_group_scan_inclusive_max(v));
    PUT(7, sub_group_all(v < 90));
    PUT(8, sub_group_any(v == 7));
    PUT(9, sub_group_broadcast(v, get_sub_group_size() - 1));
    PUT(10, get_sub_group_id());
    PUT(11, get_sub_group_local_id());
    PUT(12, get_sub_group_size());
    PUT(13, get_max_sub_group_size());
    PUT(14, get_num_sub_groups());
}
kernel void divergent_sub_group(global int *out)
{
    size_t i = get_global_id(0);
    out[i] = 0;
    if (i % 16 < 5) out[i] = sub_group_reduce_add(1);
}
kernel void divergent_work_group(global int *out)
{
    size_t i = get_global_id(0);
    if (i < 5) out[i] = work_group_reduce_add(1);
}
kernel void many_in_a_loop(global int *out, int rounds)
{
    int v = (int)get_local_id(0);
    for (int k = 0; k < rounds; k++)
        v = work_group_scan_exclusive_add(v & 15) + work_group_reduce_max(v) + k;
    out[get_global_id(0)] = v;
}

kernel void async(global const int *in, global int *out, local int *near)
{
    size_t n = get_local_size(0), group = get_group_id(0);
    event_t e = async_work_group_copy(near, in + group * n, n, 0);
    wait_group_events(1, &e);
    int v = near[n - 1 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    near[get_local_id(0)] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out + group * 2 * n, near, n, 2, 0);
    wait_group_events(1, &e);
    prefetch(in, n);
}
kernel void async_beyond(global const int *in, global int *out, local int *near)
{
    event_t e = async_work_group_copy(near, in, 5, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = near[0];
}
kernel void async_divergent(global const int *in, global int *out, local int *near)
{
    event_t e = 0;
    if (get_local_id(0) < 2) e = async_work_group_copy(near, in, 4, e);
    wait_group_events(1, &e);
    out[get_global_id(0)] = 1;
}

kernel void atomics64(global ulong *out)
{
    ulong i = get_global_id(0);
    atom_add(&out[0], i << 32);
    atom_max(&out[1], i << 33);
    atom_min((global long *)&out[2], -(long)(i << 34));
    atom_or(&out[3], 1UL << (i & 63));
    atom_xor(&out[4], i << 40);
    atom_cmpxchg(&out[5], 0UL, 77UL);
    atom_inc(&out[6]);
}
kernel void flags(global int *out, volatile global atomic_flag *flag)
{
    out[get_global_id(0)] = atomic_flag_test_and_set(flag);
    if (get_global_id(0) == 7) {
        atomic_flag_clear(flag);
        out[get_global_size(0)] = atomic_flag_test_and_set(flag);
    }
}

// The arrays of large_one and large_other have 40 KiB each: local memory has room for only one.
kernel void large_one(global int *out)
{
    local int one[10240];
    one[get_local_id(0) * 5] = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = one[(get_local_id(0) ^ 1) * 5];
}

local int *large_other_place(size_t item, local int *two)
{
    return two + 10239 - item;
}

kernel void large_other(global int *out)
{
    local int two[10240];
    *large_other_place(get_local_id(0), two) = 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = *large_other_place(get_local_id(0) ^ 1, two);
}

kernel void large_both(global int *out)
{
    large_one(out);
    large_other(out);
}
