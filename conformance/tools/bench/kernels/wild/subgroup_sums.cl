/* Sums of sub-groups, added up atomically: the result does not depend on their size. */
#ifdef BENCH_HOST
#define sub_group_reduce_add(x) (x)
#define get_sub_group_local_id() 0
#else
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
kernel void subgroup_sums(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), sum = 0;
    for (uint k = 0; k < n; k++) {
        uint all = sub_group_reduce_add(a[(i + k * 256) % 65536] + b[k]);
        if (get_sub_group_local_id() == 0) sum += all;
    }
    atomic_add(&out[get_group_id(0)], sum);
}
