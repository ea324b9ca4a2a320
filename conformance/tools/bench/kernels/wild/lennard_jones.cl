/* Forces of neighbours from a list: gathers by index. */
#pragma OPENCL FP_CONTRACT OFF
kernel void lennard_jones(global const float *a, global const uint *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0), size = (uint)get_global_size(0);
    float x = a[i], force = 0.0f;
    for (uint k = 0; k < n; k++) {
        uint other = (b[(i + k * 61) % size] + k) % size;
        float d = a[other] - x, r = 1.0f / (d * d + 1.0f), r3 = r * r * r;
        force += (2.0f * r3 * r3 - r3) * r * d;
    }
    out[i] = force;
}
