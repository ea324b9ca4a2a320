/* Follows pointers through a table until a marked entry: dependent loads. */
kernel void trie_lookup(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), at = b[i] % 4096, steps = 0;
    while (steps < n) {
        uint next = (a[at] * 5 + steps * 13 + at) % 4096;
        steps++;
        if (a[next] % 19 == 0) break;
        at = next;
    }
    out[i] = at << 8 | steps;
}
