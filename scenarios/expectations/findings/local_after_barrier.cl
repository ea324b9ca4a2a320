/* A local variable that one work-item writes and all read after a barrier, compiled for NVPTX.
 *
 * OpenCL C, "Synchronization Functions": after the barrier, all work-items see what item 0 stored.
 * So the generated code must load the variable after bar.sync. */
kernel void share(global int *data)
{
    local int total;
    int item = __nvvm_read_ptx_sreg_tid_x();
    if (item == 0) total = data[0];
    __syncthreads();
    data[item] = total;
}
