/* Queries ids after a barrier in a branch that all work-items take.  Over eight work-items in groups of
 * four, item 4, the first of group 1, stores 1000 * 4 + 10 * 1 + 0 in element 5. */
kernel void ids(global int *data)
{
    bool meets = get_num_groups(0) == 2;
    if (meets) barrier(CLK_LOCAL_MEM_FENCE);
    size_t i = get_global_id(0);
    data[i + 1 & 7] = 10 * get_group_id(0) + get_local_id(0);
    if (!meets) barrier(CLK_LOCAL_MEM_FENCE);
    data[i + 1 & 7] += 1000 * i;
}
