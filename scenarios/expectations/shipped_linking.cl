/* The device code of shipped_linking.cpp, one image a part. */
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
#endif
