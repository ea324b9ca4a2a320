/* Steps of the shallow water equations on a ring of cells, each work-item its own ring of 16. */
#pragma OPENCL FP_CONTRACT OFF
kernel void shallow_water(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    float height[16], flow[16];
    for (uint k = 0; k < 16; k++) {
        height[k] = 4.0f + a[i * 16 + k];
        flow[k] = 0.1f * b[i * 16 + k];
    }
    for (uint t = 0; t < n; t++) {
        for (uint k = 0; k < 16; k++)
            flow[k] -= 0.02f * (height[(k + 1) & 15] - height[k]);
        for (uint k = 0; k < 16; k++)
            height[k] -= 0.05f * (flow[k] - flow[(k + 15) & 15]) * height[k];
    }
    for (uint k = 0; k < 16; k++)
        out[i * 16 + k] = height[k];
}
