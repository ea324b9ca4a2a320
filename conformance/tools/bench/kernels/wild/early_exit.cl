/* Searches a hundred candidates until one fits; most lanes leave early, a few never. */
kernel void early_exit(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), found = n;
    for (uint k = 0; k < n; k++) {
        uint x = a[(i + k * 7) % 4096];
        if (x == 77) continue;
        if ((x ^ b[i]) % 23 == 5) {
            found = k;
            break;
        }
    }
    out[i] = found;
}
