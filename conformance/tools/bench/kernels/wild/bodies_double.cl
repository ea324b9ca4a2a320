/* Forces between bodies in double precision. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void bodies_double(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    double x = a[i], y = b[i], fx = 0.0, fy = 0.0;
    for (uint k = 0; k < n; k++) {
        double dx = a[k] - x, dy = b[k] - y, d = dx * dx + dy * dy + 0.25;
        double w = 1.0 / (d * sqrt(d));
        fx += dx * w;
        fy += dy * w;
    }
    out[2 * i] = (float)fx;
    out[2 * i + 1] = (float)fy;
}
