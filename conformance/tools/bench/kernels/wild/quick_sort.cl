/* Quicksort of 32 elements with an explicit stack. */
kernel void quick_sort(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), hash = 0;
    int v[32], stack[16], top = 0;
    for (uint k = 0; k < 32; k++)
        v[k] = (int)(a[(i * 17 + k * 5) % n] * 64u + k) - (int)(b[i] & 15);
    stack[top++] = 0;
    stack[top++] = 31;
    while (top > 0) {
        int high = stack[--top], low = stack[--top];
        while (low < high) {
            int pivot = v[(low + high) / 2], x = low, y = high;
            while (x <= y) {
                while (v[x] < pivot)
                    x++;
                while (v[y] > pivot)
                    y--;
                if (x <= y) {
                    int t = v[x];
                    v[x++] = v[y];
                    v[y--] = t;
                }
            }
            if (y - low < high - x) {
                if (x < high) {
                    stack[top++] = x;
                    stack[top++] = high;
                }
                high = y;
            } else {
                if (low < y) {
                    stack[top++] = low;
                    stack[top++] = y;
                }
                low = x;
            }
        }
    }
    for (uint k = 0; k < 32; k++)
        hash = hash * 33u + (uint)v[k];
    out[i] = hash;
}
