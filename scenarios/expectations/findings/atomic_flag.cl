/* An atomic operation, which OpenCL C 2.0 performs on a generic pointer. */
kernel void f(global volatile atomic_flag *a, global int *b)
{
    *b = atomic_flag_test_and_set_explicit(a, memory_order_relaxed, memory_scope_device);
}
