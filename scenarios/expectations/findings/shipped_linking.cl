/* The device code of shipped_linking.cpp, image_scope.cpp, joined_constants.cpp,
 * argument_missing.cpp and unloading.cpp, one image per part. */
#if defined(PART_app)
int f(int x);
int g(int x);
kernel void apply(global int *data)
{
    data[get_global_id(0)] = g(f(data[get_global_id(0)]));
}
#elif defined(PART_both)
int f(int x)
{
    return x + 1;
}
int g(int x)
{
    return x * 10;
}
#elif defined(PART_g)
int g(int x)
{
    return x * 10;
}
#elif defined(PART_set)
int area(int x)
{
    return x + 1;
}
#elif defined(PART_user)
int area(int x);
kernel void draw(global int *data)
{
    data[get_global_id(0)] = area(data[get_global_id(0)]);
}
#elif defined(PART_dummy)
int area(int x)
{
    return 0;
}
#elif defined(PART_store)
kernel void store(global int *out, int value)
{
    out[0] = value;
}
#elif defined(PART_specialised)
int __attribute__((overloadable)) __spirv_SpecConstant(int, int);
global int counter = 0;
kernel void bump(global int *data)
{
    data[0] = counter;
    counter += __spirv_SpecConstant(0, 1);
}
#elif defined(PART_library)
global int counter = 0;
int next(void)
{
    return counter++;
}
#elif defined(PART_one)
int next(void);
kernel void one(global int *data)
{
    data[0] = next();
}
#elif defined(PART_two)
int next(void);
kernel void two(global int *data)
{
    data[0] = next();
}
#elif defined(PART_hundred)
global int counter = 0;
kernel void hundred(global int *data)
{
    data[0] = counter = 100;
}
#elif defined(PART_two_hundred)
global int counter = 0;
kernel void two_hundred(global int *data)
{
    data[0] = counter = 200;
}
#elif defined(PART_importing)
int g(int x);
global int counter = 0;
kernel void scale(global int *data)
{
    data[0] = g(counter);
}
#elif defined(PART_first) || defined(PART_second)
kernel void work(global int *data)
{
    data[0] += 1;
}
#elif defined(PART_third)
kernel void rest(global int *data)
{
    data[0] += 100;
}
#elif defined(PART_exporter)
int work(int x)
{
    return 10 * x;
}
#elif defined(PART_one_more)
int f(int x)
{
    return x + 1;
}
#elif defined(PART_four_more)
int f(int x)
{
    return x + 4;
}
#elif defined(PART_stride_more)
int __attribute__((overloadable)) __spirv_SpecConstant(int, int);
int f(int x)
{
    return x + __spirv_SpecConstant(0, 1);
}
#elif defined(PART_apply)
int f(int x);
kernel void apply(global int *data)
{
    data[0] = f(data[0]);
}
#elif defined(PART_again)
int f(int x);
kernel void again(global int *data)
{
    data[0] = f(data[0]);
}
#endif
