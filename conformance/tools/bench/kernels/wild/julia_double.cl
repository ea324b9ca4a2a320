/* A Julia set in double precision. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void julia_double(global const double *a, global const double *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), steps = 0;
    double x = (double)(i & 127) / 48.0 - 1.3, y = (double)(i >> 7) / 48.0 - 1.3;
    while (steps < n && x * x + y * y < 4.0) {
        double t = x * x - y * y - 0.75;
        y = 2.0 * x * y + 0.125;
        x = t;
        steps++;
    }
    out[i] = steps;
}
