/* Heap sort of a private array of 64 elements. */
kernel void heap_sort(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), v[64], hash = 0;
    for (uint k = 0; k < 64; k++)
        v[k] = a[(i * 29 + k * 11) % n] + (b[i] & 7);
    for (uint end = 64, start = 32; end > 1;) {
        uint root;
        if (start > 0) {
            root = --start;
        } else {
            end--;
            uint t = v[0];
            v[0] = v[end];
            v[end] = t;
            root = 0;
        }
        while (2 * root + 1 < end) {
            uint child = 2 * root + 1;
            if (child + 1 < end && v[child] < v[child + 1]) child++;
            if (v[root] >= v[child]) break;
            uint t = v[root];
            v[root] = v[child];
            v[child] = t;
            root = child;
        }
    }
    for (uint k = 0; k < 64; k++)
        hash = hash * 33u + v[k];
    out[i] = hash;
}
