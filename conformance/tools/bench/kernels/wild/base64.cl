/* Encodes three bytes as four letters, as bytes. */
kernel void base64(global const uchar *a, global const uchar *b, global uchar *out, uint n)
{
    uint i = (uint)get_global_id(0);
    for (uint k = 0; k < n; k++) {
        uint from = 3 * (i * n + k), to = 4 * (i * n + k);
        uint bits = (uint)a[from] << 16 | (uint)a[from + 1] << 8 | (uint)(a[from + 2] ^ b[k]);
        for (uint m = 0; m < 4; m++) {
            uint digit = bits >> (18 - 6 * m) & 63;
            uint letter = digit < 26 ? 65 + digit : digit < 52 ? 71 + digit : digit < 62 ? digit - 4 : digit == 62 ? 43 : 47;
            out[to + m] = (uchar)letter;
        }
    }
}
