/* A cellular automaton of 8192 cells for each group, 32 to a word. */
kernel void rule_110(global const uint *a, global const uint *b, global uint *out, uint n)
{
    local uint cells[256];
    uint l = (uint)get_local_id(0), i = (uint)get_global_id(0);
    cells[l] = a[i] * 2654435761u + b[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < n; k++) {
        uint here = cells[l], left = here >> 1 | cells[(l + 255) & 255] << 31, right = here << 1 | cells[(l + 1) & 255] >> 31;
        barrier(CLK_LOCAL_MEM_FENCE);
        cells[l] = (here | right) & ~(left & here & right);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = cells[l];
}
