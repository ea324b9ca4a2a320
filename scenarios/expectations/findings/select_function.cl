/* An indirect call of one of two functions, which the work-item selects. */
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
int twice(int x)
{
    return 2 * x;
}
int thrice(int x)
{
    return 3 * x;
}
kernel void f(global int *a)
{
    size_t i = get_global_id(0);
    int (*chosen)(int) = i % 2 ? thrice : twice;
    a[i] = chosen(a[i]);
}
