/* Mixes pictures of bytes with an alpha channel. */
kernel void byte_blend(global const uchar *a, global const uchar *b, global uchar *out, uint n)
{
    uint i = (uint)get_global_id(0);
    for (uint k = 0; k < n; k++) {
        uint at = 4 * (i * n + k), alpha = a[at + 3];
        for (uint c = 0; c < 3; c++)
            out[at + c] = (uchar)((a[at + c] * alpha + b[at + c] * (255 - alpha) + 127) / 255);
        out[at + 3] = (uchar)max(alpha, (uint)b[at + 3]);
    }
}
