/* Work-item functions with a dimension index that is a constant and too large.
 *
 * OpenCL C 2.0, 6.13.1: get_global_id returns 0 and get_global_size 1 for such an index. */
kernel void look(global uint *out)
{
    out[0] = get_global_id(3);
    out[1] = get_global_size(3);
}
