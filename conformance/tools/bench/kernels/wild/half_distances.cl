/* Squared distances of rows of halves, in single precision. */
#pragma OPENCL FP_CONTRACT OFF
kernel void half_distances(global const half *a, global const half *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    float least = 1e30f;
    for (uint k = 0; k < n; k++) {
        float sum = 0.0f;
        for (uint c = 0; c < 8; c++) {
            float d = vload_half(i * 8 + c, a) - vload_half(k * 8 + c, b);
            sum += d * d;
        }
        least = fmin(least, sum);
    }
    out[i] = least;
}
