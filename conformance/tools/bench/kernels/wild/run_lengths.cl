/* Run-length encoding of 32 bytes for each work-item. */
kernel void run_lengths(global const uchar *a, global const uchar *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), hash = b[i], k = 0;
    while (k < n) {
        uint letter = a[i * n + k] & 1, length = 1;
        while (k + length < n && (a[i * n + k + length] & 1) == letter)
            length++;
        hash = hash * 31u + (letter << 8 | length);
        k += length;
    }
    out[i] = hash;
}
