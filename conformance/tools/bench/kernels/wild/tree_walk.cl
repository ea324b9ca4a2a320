/* Sums a range in an implicit binary tree, with a private stack: every lane walks elsewhere. */
kernel void tree_walk(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), stack[24], top = 0, sum = 0;
    uint from = b[i] % n, to = from + 1 + a[i] % 64;
    stack[top++] = 1;
    while (top > 0) {
        uint node = stack[--top], level = 31 - clz(node), width = n >> level, first = (node - (1u << level)) * width;
        if (first >= to || first + width <= from) continue;
        if ((first >= from && first + width <= to) || width == 1) {
            sum += a[node % 4096] + width;
            continue;
        }
        stack[top++] = 2 * node;
        stack[top++] = 2 * node + 1;
    }
    out[i] = sum;
}
