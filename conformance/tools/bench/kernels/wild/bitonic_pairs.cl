/* Sorts 256 pairs of key and value in local memory by a bitonic network. */
kernel void bitonic_pairs(global const uint *a, global const uint *b, global uint *out, uint n)
{
    local uint keys[256], values[256];
    uint l = (uint)get_local_id(0), i = (uint)get_global_id(0);
    keys[l] = a[i] * 1024 + l;
    values[l] = b[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint size = 2; size <= n; size <<= 1) {
        for (uint stride = size >> 1; stride > 0; stride >>= 1) {
            uint other = l ^ stride;
            if (other > l) {
                bool up = (l & size) == 0;
                if ((keys[l] > keys[other]) == up) {
                    uint key = keys[l], value = values[l];
                    keys[l] = keys[other], values[l] = values[other];
                    keys[other] = key, values[other] = value;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    out[i] = values[l] ^ keys[l];
}
