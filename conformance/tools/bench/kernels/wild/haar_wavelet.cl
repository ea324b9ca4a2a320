/* A Haar wavelet of 512 values for each group: half of the work-items stop at each level. */
#pragma OPENCL FP_CONTRACT OFF
kernel void haar_wavelet(global const float *a, global const float *b, global float *out, uint n)
{
    local float v[512], w[512];
    uint l = (uint)get_local_id(0), g = (uint)get_group_id(0) * 512;
    v[l] = a[g + l];
    v[l + 256] = a[g + l + 256] + b[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint size = 256; size >= n; size >>= 1) {
        if (l < size) {
            w[l] = 0.5f * (v[2 * l] + v[2 * l + 1]);
            w[l + size] = 0.5f * (v[2 * l] - v[2 * l + 1]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < size) {
            v[l] = w[l];
            v[l + size] = w[l + size];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g + l] = v[l];
    out[g + l + 256] = v[l + 256];
}
