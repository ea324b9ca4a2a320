/* Smooth noise in octaves: hashes of lattice points and polynomials between them. */
#pragma OPENCL FP_CONTRACT OFF
static float lattice(uint x, uint y)
{
    uint h = x * 374761393u + y * 668265263u;
    h = (h ^ h >> 13) * 1274126177u;
    return (float)(h >> 16) * (1.0f / 65536.0f);
}
kernel void value_noise(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    float sum = b[0], weight = 1.0f, fx = (float)(i & 127) * 0.37f, fy = (float)(i >> 7) * 0.29f;
    for (uint k = 0; k < n; k++) {
        uint x = (uint)fx, y = (uint)fy;
        float u = fx - (float)x, v = fy - (float)y;
        u = u * u * (3.0f - 2.0f * u);
        v = v * v * (3.0f - 2.0f * v);
        float top = lattice(x, y) * (1.0f - u) + lattice(x + 1, y) * u;
        float low = lattice(x, y + 1) * (1.0f - u) + lattice(x + 1, y + 1) * u;
        sum += weight * (top * (1.0f - v) + low * v);
        weight *= 0.5f, fx *= 2.0f, fy *= 2.0f;
    }
    out[i] = sum + a[i];
}
