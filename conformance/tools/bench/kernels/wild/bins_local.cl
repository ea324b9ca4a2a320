/* Counts bytes in local memory with atomics, and adds the counts of all groups. */
kernel void bins_local(global const uchar *a, global const uint *b, global uint *out, uint n)
{
    local uint bins[64];
    uint l = (uint)get_local_id(0), i = (uint)get_global_id(0);
    if (l < 64) bins[l] = b[l] & 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < n; k++)
        atomic_inc(&bins[a[(i * n + k) & 0x3ffff] & 63]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 64) atomic_add(&out[l], bins[l]);
}
