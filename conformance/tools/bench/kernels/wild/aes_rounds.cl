/* Rounds of AES: a byte table in local memory, sixteen private bytes, and products in GF(256). */
static uchar twice(uchar x)
{
    return (uchar)(x << 1 ^ (x & 128 ? 27 : 0));
}
kernel void aes_rounds(global const uchar *a, global const uchar *b, global uint *out, uint n)
{
    local uchar box[256];
    uint i = (uint)get_global_id(0), l = (uint)get_local_id(0);
    uchar s[16], t[16];
    uint inverse = 0;
    for (uint y = 1; y < 256; y++) {
        uint x = l, product = 0;
        for (uint m = y; m; m >>= 1) {
            if (m & 1) product ^= x;
            x = x << 1 ^ (x & 128 ? 0x11b : 0);
        }
        if (product == 1) inverse = y;
    }
    box[l] = (uchar)(inverse ^ inverse << 1 ^ inverse << 2 ^ inverse << 3 ^ inverse << 4 ^ inverse >> 7 ^ inverse >> 6 ^
                     inverse >> 5 ^ inverse >> 4 ^ 0x63);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; k++)
        s[k] = (uchar)(a[16 * i + k] ^ b[k]);
    for (uint round = 0; round < n; round++) {
        for (uint k = 0; k < 16; k++)
            t[k] = box[s[(k + 4 * (k & 3)) & 15]];
        for (uint c = 0; c < 16; c += 4) {
            uchar all = (uchar)(t[c] ^ t[c + 1] ^ t[c + 2] ^ t[c + 3]);
            for (uint k = 0; k < 4; k++)
                s[c + k] = (uchar)(t[c + k] ^ all ^ twice((uchar)(t[c + k] ^ t[c + ((k + 1) & 3)])) ^ b[16 + round]);
        }
    }
    uint hash = 0;
    for (uint k = 0; k < 16; k++)
        hash = hash * 31u + s[k];
    out[i] = hash;
}
