/* Division and remainder of 64-bit numbers. */
kernel void long_division(global const ulong *a, global const ulong *b, global ulong *out, uint n)
{
    uint i = (uint)get_global_id(0);
    ulong x = a[i] * 0x9e3779b97f4a7c15ul, sum = 0;
    for (uint k = 0; k < n; k++) {
        ulong d = (b[(i + k) % 2048] & 0xffffful) + 1;
        sum += x / d ^ x % d;
        x += sum;
    }
    out[i] = sum;
}
