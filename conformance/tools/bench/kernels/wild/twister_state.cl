/* A generator of pseudo-random numbers with sixteen words of state, chosen by an index. */
kernel void twister_state(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), at = a[i] & 15, sum = 0;
    uint state[16];
    for (uint k = 0; k < 16; k++)
        state[k] = a[(i + k * 61) & 65535] * 2654435761u + k;
    for (uint k = 0; k < n; k++) {
        uint x = state[at], y = state[(at + 13) & 15];
        x ^= x << 16 ^ y ^ y << 15;
        uint z = state[(at + 9) & 15];
        z ^= z >> 11;
        state[at] = x ^ z;
        at = (at + 15) & 15;
        sum += state[at] ^ b[k];
    }
    out[i] = sum;
}
