/* Hashes words of different lengths: bytes, and a loop whose length depends on the data. */
kernel void murmur3(global const uchar *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), length = b[i] % n, h = i;
    for (uint k = 0; k + 4 <= length; k += 4) {
        uint w = (uint)a[i + k] | (uint)a[i + k + 1] << 8 | (uint)a[i + k + 2] << 16 | (uint)a[i + k + 3] << 24;
        w *= 0xcc9e2d51u;
        w = (w << 15 | w >> 17) * 0x1b873593u;
        h ^= w;
        h = (h << 13 | h >> 19) * 5u + 0xe6546b64u;
    }
    uint rest = 0;
    for (uint k = length & ~3u; k < length; k++)
        rest = rest << 8 | a[i + k];
    h ^= rest * 0xcc9e2d51u ^ length;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    out[i] = h ^ h >> 16;
}
