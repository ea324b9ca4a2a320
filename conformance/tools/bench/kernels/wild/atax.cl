/* PolyBench's A x: a row of the matrix for each work-item. */
#pragma OPENCL FP_CONTRACT OFF
kernel void atax(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    float sum = 0.0f;
    for (uint k = 0; k < n; k++)
        sum += a[i * n + k] * b[k];
    out[i] = sum;
}
