/* LU decomposition of a 16 x 16 matrix in local memory: work-items drop out as it proceeds. */
#pragma OPENCL FP_CONTRACT OFF
kernel void lu_local(global const float *a, global const float *b, global float *out, uint n)
{
    local float m[16][17];
    uint x = (uint)get_local_id(0) & 15, y = (uint)get_local_id(0) >> 4, i = (uint)get_global_id(0);
    m[y][x] = a[i] + b[0] + (x == y ? 40.0f : 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k + 1 < n; k++) {
        if (y > k && x == k) m[y][k] /= m[k][k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (y > k && x > k) m[y][x] -= m[y][k] * m[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = m[y][x];
}
