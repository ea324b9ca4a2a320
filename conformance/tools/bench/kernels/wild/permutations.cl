/* Heap's algorithm: swaps elements of a private array, which the counters choose. */
kernel void permutations(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), value[8], counter[8], hash = 0, at = 0;
    for (uint k = 0; k < 8; k++) {
        value[k] = a[i] + k * b[k];
        counter[k] = 0;
    }
    uint size = 4 + i % 3;
    while (at < size && hash < n * 1000000u) {
        if (counter[at] < at) {
            uint from = at & 1 ? counter[at] : 0, t = value[from];
            value[from] = value[at];
            value[at] = t;
            hash = (hash * 31u + value[0] * 7u + value[size - 1]) & 0xfffffu;
            counter[at]++;
            at = 0;
        } else {
            counter[at] = 0;
            at++;
        }
    }
    out[i] = hash;
}
