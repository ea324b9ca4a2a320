/* The cheapest order of multiplications: a private triangular table with three loops. */
kernel void matrix_chain(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), cost[12][12], size[13];
    for (uint k = 0; k <= 12; k++)
        size[k] = 1 + (a[(i + k) % 4096] + b[k]) % 20;
    for (uint k = 0; k < 12; k++)
        cost[k][k] = 0;
    for (uint length = 1; length < n; length++) {
        for (uint from = 0; from + length < n; from++) {
            uint to = from + length, best = 0xffffffffu;
            for (uint k = from; k < to; k++)
                best = min(best, cost[from][k] + cost[k + 1][to] + size[from] * size[k + 1] * size[to + 1]);
            cost[from][to] = best;
        }
    }
    out[i] = cost[0][n - 1];
}
