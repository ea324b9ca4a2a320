/* Sorts a private array of 32 elements by insertion: variable indices, loops of different length. */
kernel void insertion_sort(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), v[32], hash = 0;
    for (uint k = 0; k < 32; k++)
        v[k] = a[(i * 13 + k * 7) % n] ^ (b[k] & 3);
    for (uint k = 1; k < 32; k++) {
        uint x = v[k], at = k;
        while (at > 0 && v[at - 1] > x) {
            v[at] = v[at - 1];
            at--;
        }
        v[at] = x;
    }
    for (uint k = 0; k < 32; k++)
        hash = hash * 33u + v[k];
    out[i] = hash;
}
