// A condition that depends on the work-item decides a vector before a barrier, inside a condition that is the same for
// all of them.  In item 5, 1 is not greater than 5, so it stores 5 + 83 (OpenCL C, "Synchronization Functions").
kernel void take(global int *data)
{
    local int tile[4];
    uint lid = get_local_id(0), gid = get_group_id(0) * 4 + lid;
    tile[lid] = gid * 5 % 8;
    int2 v = (int2)(83, 1);
    if (get_global_size(0) == 8) {
        if ((long)tile[lid] > (long)gid) v = (int2)(7);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    data[gid] = gid + v.x;
}
