/* Reed-Solomon syndromes over GF(256), by shift and add. */
static uint multiply(uint x, uint y)
{
    uint product = 0;
    while (y) {
        if (y & 1) product ^= x;
        x = x << 1 ^ (x & 128 ? 0x11d : 0);
        y >>= 1;
    }
    return product;
}
kernel void syndromes(global const uchar *a, global const uchar *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), hash = 0;
    for (uint root = 1; root < 9; root++) {
        uint sum = b[root];
        for (uint k = 0; k < n; k++)
            sum = multiply(sum, root) ^ a[i + k];
        hash = hash * 257u + sum;
    }
    out[i] = hash;
}
