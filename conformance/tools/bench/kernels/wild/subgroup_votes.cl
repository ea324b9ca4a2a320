/* Counts groups of work-items that agree: votes and a maximum of sub-groups whose result depends on no size. */
#ifdef BENCH_HOST
#define sub_group_all(x) (x)
#define sub_group_reduce_max(x) (x)
#define atomic_max(p, x) (*(p) = max(*(p), x))
#else
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
kernel void subgroup_votes(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), most = 0;
    for (uint k = 0; k < n; k++) {
        uint value = a[(i + k * 64) & 65535] ^ b[k];
        if (sub_group_all(value < 2048)) most = max(most, value);
    }
    atomic_max(&out[get_group_id(0)], sub_group_reduce_max(most));
}
