/* Calls a function that another module defines. */
int twice(int x);

kernel void apply(global int *data)
{
    size_t i = get_global_id(0);
    data[i] = twice(data[i]);
}
