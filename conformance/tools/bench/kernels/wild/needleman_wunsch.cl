/* Aligns two sequences of 64 letters for each group, diagonal by diagonal in local memory. */
kernel void needleman_wunsch(global const uchar *a, global const uchar *b, global int *out, uint n)
{
    local int score[65][65];
    uint l = (uint)get_local_id(0), g = (uint)get_group_id(0);
    score[0][l + 1] = -(int)(l + 1);
    score[l + 1][0] = -(int)(l + 1);
    if (l == 0) score[0][0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 0; d < 2 * n - 1; d++) {
        uint x = l, y = d - l;
        if (d >= l && y < n) {
            int match = score[y][x] + (a[g * 64 + y] == b[g * 64 + x] ? 2 : -1);
            score[y + 1][x + 1] = max(match, max(score[y][x + 1], score[y + 1][x]) - 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g * 64 + l] = score[l + 1][n];
}
