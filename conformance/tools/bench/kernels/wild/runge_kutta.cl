/* Integrates an oscillator in double precision. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void runge_kutta(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    double x = a[i], v = b[i], h = 0.01;
    for (uint k = 0; k < n; k++) {
        double k1 = -x - 0.1 * v, x1 = x + 0.5 * h * v, v1 = v + 0.5 * h * k1;
        double k2 = -x1 - 0.1 * v1, x2 = x + 0.5 * h * v1, v2 = v + 0.5 * h * k2;
        double k3 = -x2 - 0.1 * v2, x3 = x + h * v2, v3 = v + h * k3;
        double k4 = -x3 - 0.1 * v3;
        x += h / 6.0 * (v + 2.0 * v1 + 2.0 * v2 + v3);
        v += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    out[i] = (float)x;
}
