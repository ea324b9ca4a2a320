/* A private array of 4 MiB in each work-item. */
kernel void large(global int *out)
{
    volatile int far[1048576];
    far[get_global_id(0)] = 3;
    out[get_global_id(0)] = far[get_global_id(0)];
}
