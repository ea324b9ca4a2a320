/* A fence of OpenCL C 1.2 ("Explicit Memory Fence Functions"). */
kernel void f(global int *a)
{
    a[0] = 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    a[1] = 2;
}
