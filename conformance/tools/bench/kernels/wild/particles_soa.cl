/* Moves particles whose coordinates lie in separate arrays. */
#pragma OPENCL FP_CONTRACT OFF
kernel void particles_soa(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0), size = (uint)get_global_size(0);
    float x = a[i], y = a[size + i], vx = b[i], vy = b[size + i];
    for (uint k = 0; k < n; k++) {
        vx -= 0.01f * x;
        vy -= 0.01f * y + 0.001f;
        x += 0.1f * vx;
        y += 0.1f * vy;
    }
    out[i] = x;
    out[size + i] = y;
}
