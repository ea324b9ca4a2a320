/* Diffusion against speckles: divisions and exponentials at four neighbours. */
#pragma OPENCL FP_CONTRACT OFF
kernel void speckle(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0), x = i % n, y = i / n;
    float c = 3.0f + a[i], north = 3.0f + a[(y ? y - 1 : 0) * n + x], south = 3.0f + a[min(y + 1, n - 1) * n + x];
    float west = 3.0f + a[y * n + (x ? x - 1 : 0)], east = 3.0f + a[y * n + min(x + 1, n - 1)];
    float l = (north + south + west + east) / c - 4.0f, g = ((north - c) * (north - c) + (south - c) * (south - c)) / (c * c);
    float q = (0.5f * g - 0.0625f * l * l) / ((1.0f + 0.25f * l) * (1.0f + 0.25f * l) + 1.0f);
    float d = 1.0f / (1.0f + fabs(q - 0.05f));
    out[i] = c + 0.25f * d * (north + south + west + east - 4.0f * c) * exp(-0.1f * b[i]);
}
