/* Steps of the Collatz sequence from large 64-bit numbers: every lane leaves at another time. */
kernel void collatz_long(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), steps = 0;
    ulong x = (ulong)a[i] * 1000003ul + b[i] + 1;
    while (x != 1 && steps < n) {
        x = x & 1 ? 3 * x + 1 : x >> 1;
        steps++;
    }
    out[i] = steps;
}
