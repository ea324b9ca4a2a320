/* Functions that are not inlined, and which call each other. */
__attribute__((noinline)) static uint mix(uint x, uint y)
{
    return (x ^ y) * 2654435761u + (x >> 7);
}
__attribute__((noinline)) static uint twist(uint x, uint depth)
{
    uint sum = x;
    for (uint k = 0; k < depth; k++)
        sum = mix(sum, k);
    return sum;
}
kernel void plain_calls(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), sum = a[i];
    for (uint k = 0; k < n; k++)
        sum = sum & 1 ? twist(sum, 1 + (b[i] & 3)) : mix(sum, k);
    out[i] = sum;
}
