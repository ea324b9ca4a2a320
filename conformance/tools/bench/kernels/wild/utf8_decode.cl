/* Decodes bytes as UTF-8 and counts characters and errors: branches on every byte. */
kernel void utf8_decode(global const uchar *a, global const uchar *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), characters = 0, errors = 0, sum = 0, value = 0, left = 0;
    for (uint k = 0; k < n; k++) {
        uint byte = a[(i * n + k) & 0x3ffff];
        if (left > 0) {
            if ((byte & 0xc0) == 0x80) {
                value = value << 6 | (byte & 0x3f);
                if (--left == 0) {
                    characters++;
                    sum ^= value;
                }
                continue;
            }
            errors++;
            left = 0;
        }
        if (byte < 0x80) {
            characters++;
            sum += byte;
        } else if (byte >= 0xc2 && byte < 0xe0) {
            value = byte & 0x1f;
            left = 1;
        } else if (byte >= 0xe0 && byte < 0xf0) {
            value = byte & 0x0f;
            left = 2;
        } else if (byte >= 0xf0 && byte < 0xf5) {
            value = byte & 0x07;
            left = 3;
        } else {
            errors++;
        }
    }
    out[i] = characters + errors * 1000 + sum * 31;
}
