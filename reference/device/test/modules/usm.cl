/* Kernels that follow pointers found in an argument's value and in memory. */

typedef struct node {
    ulong next; /* address of the next node, 0 at the end */
    int value;
} node;

typedef struct list {
    int scale;
    ulong first; /* address of the first node */
} list;

kernel void sum_list(global int *out, list nodes)
{
    int sum = 0;
    for (ulong at = nodes.first; at != 0; at = ((global const node *)at)->next)
        sum += ((global const node *)at)->value;
    out[0] = nodes.scale * sum;
}

kernel void load(global int *out, ulong address)
{
    out[0] = *(global const int *)address;
}
