/* Solves tridiagonal systems by elimination, one for each work-item, with columns that lie apart. */
#pragma OPENCL FP_CONTRACT OFF
kernel void tridiagonal(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0), size = (uint)get_global_size(0);
    float c[32], d[32];
    c[0] = -1.0f / 6.0f;
    d[0] = a[i] / 6.0f;
    for (uint k = 1; k < n; k++) {
        float pivot = 6.0f + 0.5f * b[k] + c[k - 1];
        c[k] = -1.0f / pivot;
        d[k] = (a[k * size + i] + d[k - 1]) / pivot;
    }
    float x = d[n - 1];
    out[(n - 1) * size + i] = x;
    for (uint k = n - 1; k > 0; k--) {
        x = d[k - 1] - c[k - 1] * x;
        out[(k - 1) * size + i] = x;
    }
}
