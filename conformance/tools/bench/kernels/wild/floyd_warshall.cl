/* All shortest paths of 32 nodes for each group, in local memory with a barrier for each node. */
kernel void floyd_warshall(global const uint *a, global const uint *b, global uint *out, uint n)
{
    local uint path[32][33];
    uint l = (uint)get_local_id(0), g = (uint)get_group_id(0) * 1024;
    for (uint k = l; k < 1024; k += 256)
        path[k / 32][k % 32] = k / 32 == k % 32 ? 0 : 1 + a[g + k] + (b[0] & 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint via = 0; via < n; via++) {
        for (uint k = l; k < 1024; k += 256) {
            uint row = k / 32, column = k % 32;
            if (row == via || column == via) continue;
            uint length = path[row][via] + path[via][column];
            if (length < path[row][column]) path[row][column] = length;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint k = l; k < 1024; k += 256)
        out[g + k] = path[k / 32][k % 32];
}
