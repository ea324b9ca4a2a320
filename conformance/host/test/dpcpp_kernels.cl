/* The device code of test_dpcpp.c. A specialisation constant is a call that the translator
 * recognises; a device_global without device_image_scope is a variable that holds a pointer and
 * whose symbol is its unique id, as Intel's runtime looks it up. */
int __attribute__((overloadable)) __spirv_SpecConstant(int, int);
int twice(int x);

#if defined(IMPORTS)
kernel void call_twice(global int *out)
{
    *out = twice(21);
}
#elif defined(EXPORTS)
int twice(int x)
{
    return 2 * x;
}
#else
struct scaled {
    int by;
    global const int *of;
};

kernel void add(global int *data, int n)
{
    data[get_global_id(0)] += n;
}

kernel void coordinates(global int *out)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t row = (z * get_global_size(1) + y) * get_global_size(0);
    out[row + x - get_global_offset(0)] = x * 100 + y * 10 + z;
}

kernel void reverse(global int *out, global const int *in, local int *held, struct scaled scale)
{
    held[get_local_id(0)] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t other = get_local_size(0) - 1 - get_local_id(0);
    out[get_global_id(0)] = held[other] * scale.by + *scale.of;
}

kernel void is_null(global int *out, global int *pointer)
{
    *out = pointer == 0;
}

kernel void constants(global int *out)
{
    out[0] = __spirv_SpecConstant(7, 42);
    out[1] = __spirv_SpecConstant(8, 5);
}

global int *global shared_counter = 0;
kernel void count_shared(global int *out)
{
    out[0] = shared_counter[0]++;
    out[1] = shared_counter[1];
}

global int image_counter[2] = {3, 4};
kernel void count_image(global int *out)
{
    out[0] = image_counter[0]++;
    out[1] = image_counter[1];
}
#endif
