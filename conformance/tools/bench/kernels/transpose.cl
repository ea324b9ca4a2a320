__kernel void transpose(__global const int *in, __global int *out, __local int *tile, uint n)
{
    uint lx = (uint)get_local_id(0), ly = (uint)get_local_id(1);
    uint gx = (uint)get_group_id(0) * 16, gy = (uint)get_group_id(1) * 16;
    tile[ly * 17 + lx] = in[(gy + ly) * n + gx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(gx + ly) * n + gy + lx] = tile[lx * 17 + ly];
}
