/* CRC-32 bytewise, with a table that each group computes into local memory. */
kernel void crc32(global const uchar *a, global const uint *b, global uint *out, uint n)
{
    local uint table[256];
    uint i = (uint)get_global_id(0), l = (uint)get_local_id(0), c = l;
    for (uint k = 0; k < 8; k++)
        c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    table[l] = c;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint crc = ~b[i];
    for (uint k = 0; k < n; k++)
        crc = crc >> 8 ^ table[(crc ^ a[i + k]) & 255u];
    out[i] = ~crc;
}
