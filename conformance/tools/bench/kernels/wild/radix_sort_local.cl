/* Radix sort of 256 keys for each group, one bit at a time: a scan and a scatter in local memory. */
kernel void radix_sort_local(global const uint *a, global const uint *b, global uint *out, uint n)
{
    local uint key[256], sum[256];
    uint i = (uint)get_global_id(0), l = (uint)get_local_id(0);
    key[l] = a[i] ^ (b[0] & 1);
    for (uint bit = 0; bit < n; bit++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint mine = key[l], zero = ~mine >> bit & 1;
        sum[l] = zero;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint step = 1; step < 256; step <<= 1) {
            uint add = l >= step ? sum[l - step] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum[l] += add;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        uint before = sum[l] - zero, zeros = sum[255];
        key[zero ? before : zeros + l - before] = mine;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = key[l];
}
