/* The best local alignment of two words of 32 bytes for each work-item. */
kernel void smith_waterman(global const uchar *a, global const uchar *b, global int *out, uint n)
{
    uint i = (uint)get_global_id(0);
    int row[33], best = 0;
    for (uint x = 0; x < 33; x++)
        row[x] = 0;
    for (uint y = 0; y < n; y++) {
        int diagonal = 0;
        for (uint x = 0; x < n; x++) {
            int here = diagonal + (a[i + y] == b[i + x] ? 3 : -2);
            here = max(max(here, 0), max(row[x + 1], row[x]) - 1);
            diagonal = row[x + 1];
            row[x + 1] = here;
            best = max(best, here);
        }
    }
    out[i] = best;
}
