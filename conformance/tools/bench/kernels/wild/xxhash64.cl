/* xxHash of 64 bits: multiplications and rotations of long integers. */
static ulong turn(ulong x, uint by)
{
    return x << by | x >> (64 - by);
}
kernel void xxhash64(global const ulong *a, global const ulong *b, global ulong *out, uint n)
{
    uint i = (uint)get_global_id(0);
    ulong p1 = 11400714785074694791ul, p2 = 14029467366897019727ul, p3 = 1609587929392839161ul;
    ulong h = b[i] + p3;
    for (uint k = 0; k < n; k++) {
        ulong lane = turn(a[(i * n + k) % 32768] * p2, 31) * p1;
        h = turn(h ^ lane, 27) * p1 + p3;
    }
    h = (h ^ h >> 33) * p2;
    out[i] = h ^ h >> 29;
}
