/* Merges two sorted sequences: each work-item finds the place of its element by binary search. */
kernel void merge_rank(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0), half_count = n / 2, is_second = i >= half_count;
    uint own = is_second ? i - half_count : i, value = is_second ? b[own] + 3 : a[own];
    uint low = 0, high = half_count;
    while (low < high) {
        uint middle = (low + high) / 2, other = is_second ? a[middle] : b[middle] + 3;
        if (other < value || (is_second && other == value)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    out[own + low] = value;
}
