/* The greatest common divisor of 64-bit numbers, without division. */
kernel void binary_gcd(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), sum = 0;
    for (uint k = 0; k < n; k++) {
        ulong x = (ulong)(a[i] + 1) * (b[(i + k) % 4096] + 1), y = (ulong)(a[(i + k) % 4096] + 1) * 7200ul;
        uint shift = 0;
        while (((x | y) & 1) == 0) {
            x >>= 1;
            y >>= 1;
            shift++;
        }
        while (x != y) {
            if ((x & 1) == 0) {
                x >>= 1;
            } else if ((y & 1) == 0) {
                y >>= 1;
            } else if (x > y) {
                x = (x - y) >> 1;
            } else {
                y = (y - x) >> 1;
            }
        }
        sum += (uint)(x << shift);
    }
    out[i] = sum;
}
