/* Breadth-first search in a grid with walls, by relaxation: distances settle in local memory. */
kernel void grid_distance(global const uint *a, global const uint *b, global uint *out, uint n)
{
    local uint distance[256];
    uint l = (uint)get_local_id(0), g = (uint)get_group_id(0) * 256;
    uint x = l & 15, y = l >> 4, is_wall = (a[g + l] + b[0]) % 4 == 0 && l != 0;
    distance[l] = l == 0 ? 0 : 9999;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint round = 0; round < n; round++) {
        uint best = distance[l];
        if (x > 0) best = min(best, distance[l - 1] + 1);
        if (x < 15) best = min(best, distance[l + 1] + 1);
        if (y > 0) best = min(best, distance[l - 16] + 1);
        if (y < 15) best = min(best, distance[l + 16] + 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!is_wall) distance[l] = best;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g + l] = distance[l];
}
