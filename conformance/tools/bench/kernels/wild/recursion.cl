/* A function that calls itself, to a depth that the work-item decides. */
__attribute__((noinline)) static uint fibonacci(uint k)
{
    return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2);
}
kernel void recursion(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = (uint)get_global_id(0);
    out[i] = fibonacci(n + a[i] % 4) + b[i];
}
