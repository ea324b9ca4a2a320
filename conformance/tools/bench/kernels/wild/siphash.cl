/* SipHash: 64-bit additions and rotations. */
static ulong spin(ulong x, uint by)
{
    return x << by | x >> (64 - by);
}
kernel void siphash(global const ulong *a, global const ulong *b, global ulong *out, uint n)
{
    uint i = (uint)get_global_id(0);
    ulong v0 = 0x736f6d6570736575ul ^ b[i], v1 = 0x646f72616e646f6dul, v2 = 0x6c7967656e657261ul ^ i, v3 = 0x7465646279746573ul;
    for (uint k = 0; k < n; k++) {
        ulong m = a[(i + k) % 2048];
        v3 ^= m;
        for (uint round = 0; round < 2; round++) {
            v0 += v1, v1 = spin(v1, 13) ^ v0, v0 = spin(v0, 32);
            v2 += v3, v3 = spin(v3, 16) ^ v2;
            v0 += v3, v3 = spin(v3, 21) ^ v0;
            v2 += v1, v1 = spin(v1, 17) ^ v2, v2 = spin(v2, 32);
        }
        v0 ^= m;
    }
    out[i] = v0 ^ v1 ^ v2 ^ v3;
}
