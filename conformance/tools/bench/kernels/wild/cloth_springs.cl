/* Forces of springs between points of four components, of which three are a place. */
#pragma OPENCL FP_CONTRACT OFF
kernel void cloth_springs(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0), size = (uint)get_global_size(0);
#ifdef BENCH_HOST
    float f[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint k = 1; k <= n; k++) {
        uint j = (i + k * k) % size;
        float d[4], square = 0.01f;
        for (uint c = 0; c < 4; c++) {
            d[c] = a[4 * j + c] - a[4 * i + c];
            square += d[c] * d[c];
        }
        for (uint c = 0; c < 4; c++)
            f[c] += d[c] * (1.0f - 1.0f / sqrt(square)) * b[k];
    }
    for (uint c = 0; c < 4; c++)
        out[4 * i + c] = f[c];
#else
    float4 p = vload4(i, a), f = (float4)(0.0f);
    for (uint k = 1; k <= n; k++) {
        float4 d = vload4((i + k * k) % size, a) - p;
        float square = 0.01f + dot(d, d);
        f += d * (1.0f - 1.0f / sqrt(square)) * b[k];
    }
    vstore4(f, i, out);
#endif
}
