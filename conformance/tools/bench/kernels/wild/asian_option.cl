/* Prices an option on the average of a path: exponentials of pseudo-random steps. */
#pragma OPENCL FP_CONTRACT OFF
kernel void asian_option(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0), seed = i * 747796405u + 1;
    float price = 1.0f, sum = 0.0f;
    for (uint k = 0; k < n; k++) {
        seed = seed * 1664525u + 1013904223u;
        float step = (float)(seed >> 8) * (1.0f / 16777216.0f) - 0.5f;
        price *= exp(0.001f * a[i] + 0.2f * step);
        sum += price;
    }
    out[i] = fmax(sum / (float)n - sqrt(1.0f + 0.1f * b[i] * b[i]), 0.0f);
}
