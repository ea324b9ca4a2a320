/* Inserts keys into an open hash table by compare and exchange; which keys are there at the end does
 * not depend on the order, and the output is their number for each group. */
kernel void hash_table(global const uint *a, global const uint *b, global uint *out, uint n)
{
    local uint table[512], count;
    uint l = (uint)get_local_id(0), i = (uint)get_global_id(0);
    for (uint k = l; k < 512; k += 256)
        table[k] = 0;
    if (l == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint key = 1 + (a[i] ^ b[0]) % n, at = key * 2654435761u >> 23, is_new = 0;
    while (true) {
        uint old = atomic_cmpxchg(&table[at], 0u, key);
        is_new = old == 0;
        if (old == 0 || old == key) break;
        at = (at + 1) & 511;
    }
    if (is_new) atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) out[get_group_id(0)] = count;
}
