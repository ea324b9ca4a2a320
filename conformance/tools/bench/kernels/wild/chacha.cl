/* ChaCha: sixteen private words, all indices constant. */
static uint left(uint x, uint by)
{
    return x << by | x >> (32 - by);
}
#define QUARTER(p, q, r, s)                                                                        \
    x[p] += x[q], x[s] = left(x[s] ^ x[p], 16), x[r] += x[s], x[q] = left(x[q] ^ x[r], 12),        \
    x[p] += x[q], x[s] = left(x[s] ^ x[p], 8), x[r] += x[s], x[q] = left(x[q] ^ x[r], 7)
kernel void chacha(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), x[16], hash = 0;
    for (uint k = 0; k < 16; k++)
        x[k] = a[k * 5] + b[i] + k * i;
    for (uint k = 0; k < n; k++) {
        QUARTER(0, 4, 8, 12);
        QUARTER(1, 5, 9, 13);
        QUARTER(2, 6, 10, 14);
        QUARTER(3, 7, 11, 15);
        QUARTER(0, 5, 10, 15);
        QUARTER(1, 6, 11, 12);
        QUARTER(2, 7, 8, 13);
        QUARTER(3, 4, 9, 14);
    }
    for (uint k = 0; k < 16; k++)
        hash ^= x[k];
    out[i] = hash;
}
