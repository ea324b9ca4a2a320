#pragma OPENCL FP_CONTRACT OFF
__kernel void matmul_tiled(__global const float *a, __global const float *b, __global float *c, __local float *ta,
                           __local float *tb, uint n)
{
    uint lx = (uint)get_local_id(0), ly = (uint)get_local_id(1);
    uint col = (uint)get_global_id(0), row = (uint)get_global_id(1);
    float sum = 0.0f;
    for (uint tile = 0; tile < n; tile += 16) {
        ta[ly * 16 + lx] = a[row * n + tile + lx];
        tb[ly * 16 + lx] = b[(tile + ly) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 16; k++)
            sum += ta[ly * 16 + k] * tb[k * 16 + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
