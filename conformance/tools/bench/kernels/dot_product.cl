#pragma OPENCL FP_CONTRACT OFF
__kernel void dot_product(__global const float *a, __global const float *b, __global float *out, __local float *sums)
{
    uint l = (uint)get_local_id(0);
    sums[l] = a[get_global_id(0)] * b[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = (uint)get_local_size(0) >> 1; step > 0; step >>= 1) {
        if (l < step) sums[l] += sums[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = sums[0];
}
