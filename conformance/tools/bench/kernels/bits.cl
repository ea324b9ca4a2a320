__kernel void bits(__global const uint *in, __global uint *out)
{
    uint x = in[get_global_id(0)] * 2654435761u, reversed = 0;
    for (uint i = 0; i < 32; i++) {
        reversed = reversed << 1 | (x & 1);
        x >>= 1;
    }
    out[get_global_id(0)] = reversed + popcount(reversed) + clz(reversed);
}
