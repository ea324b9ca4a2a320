/* Decodes a prefix code of one to seven bits from a stream: a loop per symbol, until a zero bit. */
kernel void prefix_codes(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), at = i * 37 % 4096, hash = 0;
    for (uint k = 0; k < n; k++) {
        uint ones = 0;
        while (ones < 7) {
            uint bit = (a[at >> 5 & 1023] * 2654435761u) >> (at & 31) & 1;
            at++;
            if (!bit) break;
            ones++;
        }
        hash = hash * 31u + b[ones] + ones;
    }
    out[i] = hash;
}
