__kernel void hash(__global const uint *in, __global uint *out, uint rounds)
{
    uint i = (uint)get_global_id(0), a = 0x9e3779b9u, b = i;
    for (uint r = 0; r < rounds; r++) {
        uint word = in[(i * 4 + (r & 3))];
        a = rotate(a ^ word, 5u) * 0x85ebca6bu;
        b = rotate(b + a, 13u) ^ (a >> 16);
    }
    out[i] = a ^ b;
}
