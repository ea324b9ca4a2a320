/* Assigns points of four coordinates to the nearest of n centres. */
#pragma OPENCL FP_CONTRACT OFF
kernel void kmeans_assign(global const float *a, global const float *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), best = 0;
    float least = 1e30f;
    for (uint c = 0; c < n; c++) {
        float sum = 0.0f;
        for (uint k = 0; k < 4; k++) {
            float d = a[4 * i + k] - b[4 * c + k];
            sum += d * d;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    out[i] = best;
}
