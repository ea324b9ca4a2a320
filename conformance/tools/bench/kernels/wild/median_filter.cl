/* The median of 3 x 3 bytes, by a partial sort in private memory. */
kernel void median_filter(global const uchar *a, global const uchar *b, global uchar *out, uint n)
{
    uint i = (uint)get_global_id(0), x = i % n, y = i / n;
    uchar v[9];
    uint count = 0;
    for (uint dy = 0; dy < 3; dy++) {
        for (uint dx = 0; dx < 3; dx++)
            v[count++] = (uchar)(a[(y + dy) * n + (x + dx) % n] * 37 + b[dx]);
    }
    for (uint k = 0; k < 5; k++) {
        uint least = k;
        for (uint m = k + 1; m < 9; m++)
            if (v[m] < v[least]) least = m;
        uchar t = v[k];
        v[k] = v[least];
        v[least] = t;
    }
    out[i] = v[4];
}
