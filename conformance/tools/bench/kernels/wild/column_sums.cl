/* PolyBench's A^T y: a column of the matrix for each work-item. */
#pragma OPENCL FP_CONTRACT OFF
kernel void column_sums(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0), size = (uint)get_global_size(0);
    float sum = 0.0f;
    for (uint k = 0; k < n; k++)
        sum += a[k * size + i] * b[k];
    out[i] = sum;
}
