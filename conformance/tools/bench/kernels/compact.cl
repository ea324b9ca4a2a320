/* Each group counts its items below a limit. */
__kernel void compact(__global const uint *in, __global uint *counts, __local volatile uint *count, uint limit)
{
    if (get_local_id(0) == 0) *count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[get_global_id(0)] < limit) atomic_inc(count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) counts[get_group_id(0)] = *count;
}
