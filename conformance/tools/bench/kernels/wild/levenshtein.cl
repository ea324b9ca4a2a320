/* Edit distance of two words of 24 letters: two private rows. */
kernel void levenshtein(global const uchar *a, global const uchar *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), row[25];
    for (uint x = 0; x <= n; x++)
        row[x] = x;
    for (uint y = 1; y <= n; y++) {
        uint diagonal = row[0], letter = a[i + y];
        row[0] = y;
        for (uint x = 1; x <= n; x++) {
            uint cost = min(min(row[x], row[x - 1]) + 1, diagonal + (letter != b[i + x]));
            diagonal = row[x];
            row[x] = cost;
        }
    }
    out[i] = row[n];
}
