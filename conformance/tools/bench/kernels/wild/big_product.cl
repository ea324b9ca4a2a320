/* Multiplies numbers of 16 words in private memory, with carries in 64 bits. */
kernel void big_product(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), x[16], y[16], r[32], hash = 0;
    for (uint k = 0; k < 16; k++) {
        x[k] = a[(i + k) % 4096] * 2654435761u;
        y[k] = b[(i * 3 + k) % 4096] * 2246822519u;
    }
    for (uint k = 0; k < 32; k++)
        r[k] = 0;
    for (uint j = 0; j < n; j++) {
        ulong carry = 0;
        for (uint k = 0; k < 16; k++) {
            carry += (ulong)x[j] * y[k] + r[j + k];
            r[j + k] = (uint)carry;
            carry >>= 32;
        }
        r[j + 16] = (uint)carry;
    }
    for (uint k = 0; k < 32; k++)
        hash = hash * 31u + r[k];
    out[i] = hash;
}
