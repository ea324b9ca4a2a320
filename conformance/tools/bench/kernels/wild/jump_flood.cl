/* Nearest seeds on a plane: each cell looks at its eight neighbours at halving distances. */
kernel void jump_flood(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), best = 0xffffffffu, nearest = 0;
    int x = (int)(i & 127), y = (int)(i >> 7);
    for (int step = (int)n; step > 0; step >>= 1) {
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                int sx = x + dx * step, sy = y + dy * step;
                if (sx < 0 || sx > 127 || sy < 0 || sy > 127) continue;
                uint seed = a[sy * 128 + sx] + b[sx];
                int ox = (int)(seed & 127) - x, oy = (int)(seed >> 4 & 127) - y;
                uint distance = (uint)(ox * ox + oy * oy);
                if (distance < best) best = distance, nearest = seed;
            }
        }
    }
    out[i] = nearest;
}
