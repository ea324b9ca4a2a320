/* A recursive filter in fixed point with products of 64 bits. */
kernel void biquad_fixed(global const int *a, global const int *b, global int *out, uint n)
{
    uint i = (uint)get_global_id(0);
    long x1 = 0, x2 = 0, y1 = b[i], y2 = 0;
    for (uint k = 0; k < n; k++) {
        long x = a[(i * 8 + k) & 65535];
        long y = (x * 17000 + x1 * 34000 + x2 * 17000 + y1 * 45000 - y2 * 21000) >> 16;
        x2 = x1, x1 = x, y2 = y1, y1 = y;
    }
    out[i] = (int)(y1 ^ y2 << 8);
}
