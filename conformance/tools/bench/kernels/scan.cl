/* Each group computes the inclusive prefix sums of its items. */
__kernel void scan(__global const uint *in, __global uint *out, __local uint *sums)
{
    uint l = (uint)get_local_id(0), n = (uint)get_local_size(0);
    sums[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < n; step <<= 1) {
        uint add = l >= step ? sums[l - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[l] += add;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sums[l];
}
