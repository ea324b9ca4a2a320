/* Writes in a permuted order. */
kernel void permuted_scatter(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), size = (uint)get_global_size(0);
    out[(i * n) % size] = a[i] + b[i] * 3;
}
