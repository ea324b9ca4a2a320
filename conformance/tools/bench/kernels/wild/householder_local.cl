/* QR factorisation of a 16 x 16 matrix in local memory by reflections: a column of work-items. */
#pragma OPENCL FP_CONTRACT OFF
kernel void householder_local(global const float *a, global const float *b, global float *out, uint n)
{
    local float m[256], v[16];
    uint l = (uint)get_local_id(0), g = (uint)get_group_id(0) * 256;
    for (uint k = 0; k < 16; k++)
        m[k * 16 + l] = a[g + k * 16 + l] + (k == l ? 9.0f + b[l] : 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < n; k++) {
        float norm = 0.0f;
        for (uint y = k; y < 16; y++)
            norm += m[y * 16 + k] * m[y * 16 + k];
        float alpha = m[k * 16 + k] > 0.0f ? -sqrt(norm) : sqrt(norm);
        if (l >= k) v[l] = m[l * 16 + k] - (l == k ? alpha : 0.0f);
        barrier(CLK_LOCAL_MEM_FENCE);
        float length = 0.0f, along = 0.0f;
        for (uint y = k; y < 16; y++) {
            length += v[y] * v[y];
            along += v[y] * m[y * 16 + l];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        float scale = 2.0f * along / length;
        for (uint y = k; y < 16; y++)
            m[y * 16 + l] -= scale * v[y];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint k = 0; k < 16; k++)
        out[g + k * 16 + l] = m[k * 16 + l];
}
