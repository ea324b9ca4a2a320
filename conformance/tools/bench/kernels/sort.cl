/* Each group sorts its items with a bitonic sort. */
__kernel void sort(__global const uint *in, __global uint *out, __local uint *keys)
{
    uint l = (uint)get_local_id(0), n = (uint)get_local_size(0);
    keys[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint size = 2; size <= n; size <<= 1) {
        for (uint step = size >> 1; step > 0; step >>= 1) {
            uint other = l ^ step;
            if (other > l) {
                uint a = keys[l], b = keys[other];
                if ((a > b) == ((l & size) == 0)) {
                    keys[l] = b;
                    keys[other] = a;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    out[get_global_id(0)] = keys[l];
}
