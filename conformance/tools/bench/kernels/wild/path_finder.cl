/* The cheapest path through a grid, row by row in local memory. */
kernel void path_finder(global const uint *a, global const uint *b, global uint *out, uint n)
{
    local uint cost[256];
    uint l = (uint)get_local_id(0), i = (uint)get_global_id(0), size = (uint)get_global_size(0);
    cost[l] = b[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint row = 0; row < n; row++) {
        uint best = cost[l];
        if (l > 0) best = min(best, cost[l - 1]);
        if (l < 255) best = min(best, cost[l + 1]);
        best += a[(row * 977 + i) % size];
        barrier(CLK_LOCAL_MEM_FENCE);
        cost[l] = best;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = cost[l];
}
