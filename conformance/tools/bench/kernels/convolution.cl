#pragma OPENCL FP_CONTRACT OFF
__kernel void convolution(__global const float *in, __global const float *weights, __global float *out, uint taps)
{
    uint i = (uint)get_global_id(0), n = (uint)get_global_size(0);
    float sum = 0.0f;
    for (uint k = 0; k < taps; k++) {
        if (i + k < n) sum += weights[k] * in[i + k];
    }
    out[i] = sum;
}
