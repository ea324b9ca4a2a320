/* Cholesky factorisation of a 16 x 16 matrix in local memory, one column after the other. */
#pragma OPENCL FP_CONTRACT OFF
kernel void cholesky_local(global const float *a, global const float *b, global float *out, uint n)
{
    local float m[256];
    uint l = (uint)get_local_id(0), g = (uint)get_group_id(0) * 256;
    for (uint k = l; k < 256; k += 16) {
        uint x = k & 15, y = k >> 4;
        m[k] = x == y ? 60.0f + b[0] : a[g + min(x, y) * 16 + max(x, y)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < n; k++) {
        if (l == k) m[17 * k] = sqrt(m[17 * k]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l > k) m[l * 16 + k] /= m[17 * k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l > k) {
            for (uint x = k + 1; x <= l; x++)
                m[l * 16 + x] -= m[l * 16 + k] * m[x * 16 + k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint x = 0; x < 16; x++)
        out[g + l * 16 + x] = x <= l ? m[l * 16 + x] : 0.0f;
}
