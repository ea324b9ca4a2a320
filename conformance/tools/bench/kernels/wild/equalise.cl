/* Histogram equalisation of 1024 bytes for each group: local atomics, a scan, a look-up. */
kernel void equalise(global const uchar *a, global const uchar *b, global uchar *out, uint n)
{
    local uint histogram[256];
    uint l = (uint)get_local_id(0), g = (uint)get_group_id(0) * 1024;
    histogram[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 4; k++)
        atomic_inc(&histogram[(a[g + l + 256 * k] * n + b[l]) & 255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < 256; step <<= 1) {
        uint add = l >= step ? histogram[l - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        histogram[l] += add;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint k = 0; k < 4; k++) {
        uint at = g + l + 256 * k;
        out[at] = (uchar)(histogram[(a[at] * n + b[l]) & 255] * 255 / 1024);
    }
}
