/* Follows chains of indices of unequal length to their ends. */
kernel void pointer_jumping(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), at = i, steps = 0;
    while (steps < n && (at & 15) != 3) {
        at = (a[at] * 57 + at * 3 + 1) & 65535;
        steps++;
    }
    out[i] = at * 1024 + steps + b[i];
}
