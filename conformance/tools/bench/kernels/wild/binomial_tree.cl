/* Prices an option on a binomial tree; the tree's level is a private array. */
#pragma OPENCL FP_CONTRACT OFF
kernel void binomial_tree(global const float *a, global const float *b, global float *out, uint n)
{
    uint i = (uint)get_global_id(0);
    float price = 20.0f + 5.0f * a[i], strike = 22.0f + b[i], values[65];
    float up = 1.02f, down = 1.0f / up, p = 0.53f, discount = 0.9995f;
    float lowest = price;
    for (uint k = 0; k < n; k++)
        lowest = lowest * down;
    for (uint k = 0; k <= n; k++) {
        values[k] = fmax(lowest - strike, 0.0f);
        lowest = lowest * up * up;
    }
    for (uint level = n; level > 0; level--) {
        for (uint k = 0; k < level; k++)
            values[k] = discount * (p * values[k + 1] + (1.0f - p) * values[k]);
    }
    out[i] = values[0];
}
