/* Knuth-Morris-Pratt: a private failure table, and a loop with a loop of unknown length. */
kernel void kmp_search(global const uchar *a, global const uchar *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), fail[8], found = 0, at = 0, size = 3 + i % 5;
    fail[0] = 0;
    for (uint k = 1; k < size; k++) {
        uint f = fail[k - 1];
        while (f > 0 && b[i + f] != b[i + k])
            f = fail[f - 1];
        fail[k] = b[i + f] == b[i + k] ? f + 1 : 0;
    }
    for (uint k = 0; k < n; k++) {
        while (at > 0 && a[i + k] != b[i + at])
            at = fail[at - 1];
        if (a[i + k] == b[i + at]) at++;
        if (at == size) {
            found += k;
            at = fail[at - 1];
        }
    }
    out[i] = found;
}
