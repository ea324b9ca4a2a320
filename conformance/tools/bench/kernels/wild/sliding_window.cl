/* Decompresses copies from a private window of 64 bytes. */
kernel void sliding_window(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), at = 0, hash = 0;
    uchar window[64];
    for (uint k = 0; k < 64; k++)
        window[k] = (uchar)(k * 7 + b[i]);
    for (uint k = 0; k < n; k++) {
        uint word = a[(i + k) % 4096] * 2654435761u, distance = 1 + (word >> 8 & 31), length = 1 + (word >> 16 & 7);
        for (uint m = 0; m < length; m++) {
            uchar c = window[(at - distance) & 63];
            window[at++ & 63] = (uchar)(c + (word & 1));
            hash = hash * 33u + c;
        }
    }
    out[i] = hash;
}
