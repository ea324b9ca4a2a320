/* Counts random points in a quarter of a circle: xorshift, integers only. */
kernel void monte_carlo_pi(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), state = a[i] * 2654435761u + i + 1, hits = b[i] & 1;
    for (uint k = 0; k < n; k++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        uint x = state & 32767u, y = state >> 16 & 32767u;
        if (x * x + y * y < 32767u * 32767u) hits++;
    }
    out[i] = hits;
}
