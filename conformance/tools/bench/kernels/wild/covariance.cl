/* PolyBench's covariance of columns: two loops over the data for each pair. */
#pragma OPENCL FP_CONTRACT OFF
kernel void covariance(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0), x = i & 63, y = i >> 6;
    float mean_x = 0.0f, mean_y = 0.0f, sum = 0.0f;
    for (uint k = 0; k < n; k++) {
        mean_x += a[k * 64 + x];
        mean_y += a[k * 64 + y];
    }
    mean_x /= (float)n;
    mean_y /= (float)n;
    for (uint k = 0; k < n; k++)
        sum += (a[k * 64 + x] - mean_x) * (a[k * 64 + y] - mean_y);
    out[i] = sum / (float)(n - 1) + 0.0f * b[0];
}
