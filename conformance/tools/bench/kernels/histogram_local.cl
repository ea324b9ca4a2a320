__kernel void histogram_local(__global const uint *in, __global volatile uint *bins, __local volatile uint *own)
{
    uint l = (uint)get_local_id(0);
    own[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&own[in[get_global_id(0)] & 255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own[l] != 0) atomic_add(&bins[l], own[l]);
}
