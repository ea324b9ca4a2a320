/* Counts partial knight's tours on a board of five by five by backtracking with its own stack. */
kernel void knight_tours(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), found = 0, visited = 0;
    uchar square[16], move[16];
    int depth = 0;
    square[0] = (uchar)(a[i] % 25);
    move[0] = 0;
    visited = 1u << square[0];
    while (depth >= 0) {
        if ((uint)depth == n) {
            found++;
            visited &= ~(1u << square[depth]);
            depth--;
            continue;
        }
        uint m = move[depth]++;
        if (m == 8) {
            visited &= ~(1u << square[depth]);
            depth--;
            continue;
        }
        int dx = (m & 1 ? 2 : 1) * (m & 2 ? 1 : -1), dy = (m & 1 ? 1 : 2) * (m & 4 ? 1 : -1);
        int x = square[depth] % 5 + dx, y = square[depth] / 5 + dy;
        if (x < 0 || x > 4 || y < 0 || y > 4) continue;
        uint to = (uint)(y * 5 + x);
        if (visited >> to & 1) continue;
        visited |= 1u << to;
        depth++;
        square[depth] = (uchar)to;
        move[depth] = 0;
    }
    out[i] = found + b[i];
}
