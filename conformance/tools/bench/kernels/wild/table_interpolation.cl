/* Linear interpolation in a table of structures, at scattered places. */
#pragma OPENCL FP_CONTRACT OFF
typedef struct knot {
    float value, slope;
} knot;
kernel void table_interpolation(global const knot *a, global const uint *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    float sum = 0.0f;
    for (uint k = 0; k < n; k++) {
        uint at = b[(i * 7 + k * 1031) & 65535] * 31 + i;
        knot low = a[at & 16383];
        float part = (float)(at >> 14 & 7) * 0.125f;
        sum += low.value + part * low.slope;
    }
    out[i] = sum;
}
