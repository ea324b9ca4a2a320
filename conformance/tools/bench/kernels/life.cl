__kernel void life(__global const uint *in, __global uint *out, uint n)
{
    uint x = (uint)get_global_id(0), y = (uint)get_global_id(1), alive = 0;
    for (uint dy = n - 1; dy <= n + 1; dy++) {
        for (uint dx = n - 1; dx <= n + 1; dx++) {
            if (dx != n || dy != n) alive += in[(y + dy) % n * n + (x + dx) % n] & 1;
        }
    }
    out[y * n + x] = alive == 3 || (alive == 2 && (in[y * n + x] & 1));
}
