/* One relaxation of all edges of a graph with eight edges per node, by atomic minimum. */
kernel void edge_relax(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), base = b[i % 4096] & 1023u;
    for (uint k = 0; k < 8; k++) {
        uint to = (a[i] * 31u + k * 977u + i) % n;
        atomic_min(&out[to], base + 1 + (a[(i + k) % n] & 63u));
    }
}
