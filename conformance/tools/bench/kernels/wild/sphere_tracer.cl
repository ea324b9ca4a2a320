/* Traces rays through spheres that lie in an array of structures; rays end at different times. */
#pragma OPENCL FP_CONTRACT OFF
typedef struct sphere {
    float x, y, z, radius;
} sphere;
kernel void sphere_tracer(global const sphere *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    float u = (float)(i & 127) / 64.0f - 1.0f, v = (float)(i >> 7) / 64.0f - 1.0f, length = sqrt(u * u + v * v + 1.0f);
    float dx = u / length, dy = v / length, dz = 1.0f / length, travelled = 0.0f, near = 0.0f;
    for (uint step = 0; step < 48; step++) {
        near = 100.0f;
        for (uint k = 0; k < n; k++) {
            float x = dx * travelled - a[k].x, y = dy * travelled - a[k].y, z = dz * travelled - a[k].z - 4.0f;
            near = fmin(near, sqrt(x * x + y * y + z * z) - 0.3f - 0.1f * fabs(a[k].radius));
        }
        if (near < 0.001f || travelled > 8.0f) break;
        travelled += near;
    }
    out[i] = fmin(travelled, 8.0f) + 0.0f * b[i];
}
