/* Density from lists of particles in cells: structures of start and length. */
#pragma OPENCL FP_CONTRACT OFF
typedef struct cell {
    uint start, length;
} cell;
kernel void cell_lists(global const cell *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    float x = b[i], sum = 0.0f;
    for (uint k = 0; k < 3; k++) {
        uint at = (i / 8 + k) % 1024, first = a[at].start % n, count = a[at].length % 13;
        for (uint m = first; m < first + count; m++) {
            float d = 1.0f - (b[m] - x) * (b[m] - x) * 0.1f;
            if (d > 0.0f) sum += d * d * d;
        }
    }
    out[i] = sum;
}
