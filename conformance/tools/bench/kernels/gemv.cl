#pragma OPENCL FP_CONTRACT OFF
__kernel void gemv(__global const float *matrix, __global const float *x, __global float *y, uint n)
{
    uint row = (uint)get_global_id(0);
    float sum = 0.0f;
    for (uint k = 0; k < n; k++)
        sum += matrix[row * n + k] * x[k];
    y[row] = sum;
}
