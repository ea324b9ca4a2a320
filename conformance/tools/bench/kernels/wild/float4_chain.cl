/* A chain of operations on vectors of four. */
#pragma OPENCL FP_CONTRACT OFF
kernel void float4_chain(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
#ifdef BENCH_HOST
    for (uint c = 0; c < 4; c++) {
        float x = a[4 * i + c], y = b[4 * i + c];
        for (uint k = 0; k < n; k++) {
            x = 0.5f * x + 0.25f * y;
            y = y * 0.5f - x * 0.125f;
        }
        out[4 * i + c] = x + y;
    }
#else
    float4 x = vload4(i, a), y = vload4(i, b);
    for (uint k = 0; k < n; k++) {
        x = 0.5f * x + 0.25f * y;
        y = y * 0.5f - x * 0.125f;
    }
    vstore4(x + y, i, out);
#endif
}
