/* Mixes pictures in half precision: halves in memory, floats in registers. */
#pragma OPENCL FP_CONTRACT OFF
kernel void half_blend(global const half *a, global const half *b, global half *out, uint n)
{
    uint i = (uint)get_global_id(0);
    for (uint k = 0; k < n; k++) {
        uint at = i * n + k;
        float x = vload_half(at, a), y = vload_half(at, b);
        vstore_half(0.75f * x + 0.25f * y, at, out);
    }
}
