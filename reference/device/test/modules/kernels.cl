/* Kernels that exercise geometry, kinds of arguments and local memory, without imports. */

/* Writes one record of eight numbers per work-item, at the work-item's linear index in the range,
 * without the offset. */
kernel void geometry(global uint *out)
{
    size_t x = get_global_id(0) - get_global_offset(0);
    size_t y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    size_t place = (z * get_global_size(1) + y) * get_global_size(0) + x;
    global uint *record = out + 8 * place;
    record[0] = (uint)get_global_id(0);
    record[1] = (uint)get_global_id(1);
    record[2] = (uint)get_global_id(2);
    record[3] = (uint)get_local_id(0);
    record[4] = (uint)get_local_id(1);
    record[5] = (uint)get_local_id(2);
    record[6] = (uint)(get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2));
    record[7] = get_work_dim();
}

/* Sums each work-group's items in local memory; their number must be a power of two. */
kernel void reduce(global const int *in, global int *out, local int *scratch)
{
    size_t l = get_local_id(0);
    scratch[l] = in[get_global_id(0)];
    for (size_t half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < half_size) scratch[l] += scratch[l + half_size];
    }
    if (l == 0) out[get_group_id(0)] = scratch[0];
}

kernel void mix_values(global long *out, char a, short b, int c, long d, float e)
{
    size_t i = get_global_id(0);
    out[i] = a + 2 * b + 3 * c + 4 * d + (long)(e * 8.0f) + (long)i;
}

kernel void or_default(global int *out, global const int *in)
{
    out[0] = in ? in[0] : 7;
}

kernel void add_one(global int *data)
{
    data[get_global_id(0)] += 1;
}
