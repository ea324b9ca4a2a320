/* Newton's method until it converges, with a limit: float comparisons decide when lanes leave. */
#pragma OPENCL FP_CONTRACT OFF
kernel void polynomial_roots(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    float x = 3.0f + a[i], c = 2.0f + b[i] * 0.25f;
    for (uint k = 0; k < n; k++) {
        float f = x * x * x - c, step = f / (3.0f * x * x);
        x -= step;
        if (fabs(step) < 0.00001f) break;
    }
    out[i] = x;
}
