/* One step of a breadth-first search: nodes of the frontier set the bits of their neighbours atomically. */
#ifdef BENCH_HOST
#define atomic_or(p, x) (*(p) |= (x))
#endif
kernel void frontier_bits(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), size = (uint)get_global_size(0);
    if ((a[i] & 7) != 0) return;
    for (uint k = 0; k < n; k++) {
        uint to = (i * 5 + b[(i + k * 101) % size] * 13 + k) % size;
        atomic_or(&out[to >> 5], 1u << (to & 31));
    }
}
