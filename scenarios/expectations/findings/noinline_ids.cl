/* A noinline function that queries its work-item's id. */
__attribute__((noinline)) int place(uint dimension)
{
    return (int)get_global_id(dimension) + 100 * (int)get_group_id(dimension);
}

kernel void ask(global int *ids)
{
    ids[get_global_id(0)] = place(0);
}
