/* Expands literals and matches into a private window of bytes. */
kernel void lz_expand(global const uchar *a, global const uchar *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), at = 0, sum = 0, read = i * 16;
    uchar window[64];
    for (uint k = 0; k < 64; k++)
        window[k] = (uchar)k;
    while (at < n) {
        uint code = a[read++ & 0x3ffff];
        if (code & 1) {
            uint length = (code >> 1 & 7) + 2, back = (a[read++ & 0x3ffff] & 31) + 1;
            for (uint k = 0; k < length; k++, at++) {
                uchar byte = window[(at - back) & 63];
                window[at & 63] = byte;
                sum = sum * 31 + byte;
            }
        } else {
            window[at++ & 63] = (uchar)code;
            sum = sum * 31 + code;
        }
    }
    out[i] = sum + b[i];
}
