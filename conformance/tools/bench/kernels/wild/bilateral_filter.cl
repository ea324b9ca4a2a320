/* A bilateral filter of radius n with exponentials. */
#pragma OPENCL FP_CONTRACT OFF
kernel void bilateral_filter(global const float *a, global const float *b, global float *out, uint n)
{
    int x = (int)get_global_id(0) & 127, y = (int)get_global_id(0) >> 7, r = (int)n;
    float centre = a[y * 128 + x], sum = 0.0f, weights = 0.0f;
    for (int dy = -r; dy <= r; dy++) {
        for (int dx = -r; dx <= r; dx++) {
            int u = clamp(x + dx, 0, 127), v = clamp(y + dy, 0, 127);
            float here = a[v * 128 + u], d = here - centre;
            float w = exp(-0.1f * (float)(dx * dx + dy * dy) - d * d * (1.0f + b[0]));
            sum += w * here;
            weights += w;
        }
    }
    out[y * 128 + x] = sum / weights;
}
