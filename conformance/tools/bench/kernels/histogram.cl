__kernel void histogram(__global const uint *in, __global volatile uint *bins)
{
    atomic_inc(&bins[in[get_global_id(0)] & 255]);
}
