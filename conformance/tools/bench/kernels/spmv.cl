#pragma OPENCL FP_CONTRACT OFF
__kernel void spmv(__global const uint *rows, __global const uint *columns, __global const float *values,
                   __global const float *x, __global float *y)
{
    uint row = (uint)get_global_id(0);
    float sum = 0.0f;
    for (uint k = rows[row]; k < rows[row + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}
