/* Each group of 128 transforms 256 complex numbers (radix 2, in local memory). */
__kernel void fft(__global const float2 *in, __global float2 *out, __local float2 *x)
{
    uint l = (uint)get_local_id(0), base = (uint)get_group_id(0) * 256;
    for (uint i = l; i < 256; i += 128) {
        uint reversed = 0;
        for (uint bit = 0; bit < 8; bit++)
            reversed |= (i >> bit & 1) << (7 - bit);
        x[reversed] = in[base + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = 1; half_size < 256; half_size <<= 1) {
        uint k = l & (half_size - 1);
        uint at = (l - k) * 2 + k;
        float angle = -3.14159265f * (float)k / (float)half_size;
        float c = cos(angle), s = sin(angle);
        float2 a = x[at], b = x[at + half_size];
        float2 turned = (float2)(b.x * c - b.y * s, b.x * s + b.y * c);
        x[at] = a + turned;
        x[at + half_size] = a - turned;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = l; i < 256; i += 128)
        out[base + i] = x[i];
}
