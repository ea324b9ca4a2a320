/* Reads with a large stride and writes in sequence. */
kernel void strided_gather(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), size = (uint)get_global_size(0), sum = 0;
    for (uint k = 0; k < n; k++)
        sum += a[(i * 67 + k * 4099) % size] ^ b[k];
    out[i] = sum;
}
