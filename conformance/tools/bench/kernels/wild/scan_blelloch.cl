/* A work-efficient scan of 512 numbers: up and down a tree in local memory. */
kernel void scan_blelloch(global const uint *a, global const uint *b, global uint *out, uint n)
{
    local uint v[512];
    uint l = (uint)get_local_id(0), g = (uint)get_group_id(0) * 512, offset = 1;
    v[2 * l] = a[g + 2 * l] + b[0];
    v[2 * l + 1] = a[g + 2 * l + 1];
    for (uint d = 256; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) v[offset * (2 * l + 2) - 1] += v[offset * (2 * l + 1) - 1];
        offset *= n;
    }
    if (l == 0) v[511] = 0;
    for (uint d = 1; d < 512; d *= n) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            uint t = v[offset * (2 * l + 1) - 1];
            v[offset * (2 * l + 1) - 1] = v[offset * (2 * l + 2) - 1];
            v[offset * (2 * l + 2) - 1] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g + 2 * l] = v[2 * l];
    out[g + 2 * l + 1] = v[2 * l + 1];
}
