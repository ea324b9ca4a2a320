/* Solves Kepler's equation by Newton's method in double precision. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void kepler_double(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    double mean = (double)a[i], e = 0.1 + 0.05 * (double)b[i] * (double)b[i], x = mean;
    for (uint k = 0; k < n; k++) {
        double step = (x - e * sin(x) - mean) / (1.0 - e * cos(x));
        x -= step;
        if (fabs(step) < 1e-13) break;
    }
    out[i] = (float)x;
}
