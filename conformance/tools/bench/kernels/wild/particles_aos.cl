/* Moves particles that are structures of a float, a double and bytes. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef struct particle {
    float x;
    uint kind;
    double speed;
} particle;
kernel void particles_aos(global const particle *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    particle p = a[i];
    p.kind &= 3;
    p.speed = 0.25 * (double)b[i];
    for (uint k = 0; k < n; k++) {
        p.speed -= p.kind == 1 ? 0.01 * p.x : 0.02;
        p.x += 0.1f * (float)p.speed;
        p.kind = p.x > 2.0f ? 2 : p.kind;
    }
    out[i] = p.x;
}
