/* Counts subsets with a given sum by depth-first search with pruning and an explicit stack. */
kernel void subset_sum(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), weight[16], total[17], depths[18], sums[18], top = 0, count = 0;
    uint goal = 600 + b[i] % 400;
    total[16] = 0;
    for (uint k = 16; k-- > 0;) {
        weight[k] = 60 + a[(i + k * 5) % 4096] % n;
        total[k] = total[k + 1] + weight[k];
    }
    depths[top] = 0;
    sums[top++] = 0;
    while (top > 0) {
        uint depth = depths[--top], sum = sums[top];
        if (sum == goal) count++;
        if (depth == 16 || sum >= goal || sum + total[depth] < goal) continue;
        depths[top] = depth + 1;
        sums[top++] = sum;
        depths[top] = depth + 1;
        sums[top++] = sum + weight[depth];
    }
    out[i] = count;
}
