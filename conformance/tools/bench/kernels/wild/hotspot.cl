/* Heat in a plate of 16 x 16 for each group: iterations in local memory with a halo. */
#pragma OPENCL FP_CONTRACT OFF
kernel void hotspot(global const float *a, global const float *b, global float *out, uint n)
{
    local float heat[18][18];
    uint l = (uint)get_local_id(0), x = (l & 15) + 1, y = (l >> 4) + 1, i = (uint)get_global_id(0);
    for (uint k = l; k < 324; k += 256)
        heat[k / 18][k % 18] = 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    heat[y][x] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 0; step < n; step++) {
        float around = heat[y - 1][x] + heat[y + 1][x] + heat[y][x - 1] + heat[y][x + 1];
        float next = heat[y][x] + 0.2f * (around - 4.0f * heat[y][x]) + 0.01f * b[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        heat[y][x] = next;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = heat[y][x];
}
