/* A layer of a neural network: sums in local memory, then a sigmoid. */
#pragma OPENCL FP_CONTRACT OFF
kernel void layer_forward(global const float *a, global const float *b, global float *out, uint n)
{
    local float part[256];
    uint l = (uint)get_local_id(0), g = (uint)get_group_id(0);
    float sum = 0.0f;
    for (uint k = l; k < n; k += 256)
        sum += a[(g * 31 + k) % 65536] * b[k];
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 128; k > 0; k >>= 1) {
        if (l < k) part[l] += part[l + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[g] = 1.0f / (1.0f + exp(-0.01f * part[0]));
}
