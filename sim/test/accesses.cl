// Kernels for test_accesses.c.  All take memory to write and memory to read.

#define ITEM int i = (int)get_global_id(0)
#define ARGUMENTS global int *a, global const int *b

// Item i stores element i + 2 and reads element i + 1.
kernel void shifted(ARGUMENTS)
{
    ITEM;
    a[i + 2] = b[i + 1];
}

// Every other element, by bytes: item i stores the second byte of element 2 i.
kernel void scattered(ARGUMENTS)
{
    ITEM;
    ((global uchar *)a)[8 * i + 1] = 1;
}

kernel void counted(ARGUMENTS)
{
    atomic_inc((volatile global int *)a + 3);
}

// Reverses the order, so that the writer of an element is not the item of its number.
kernel void reversed(ARGUMENTS)
{
    ITEM;
    a[get_global_size(0) - 1 - i] = i;
}

kernel void once(ARGUMENTS)
{
    a[5] = 1;
}

// Of three dimensions: every item stores the element of its number.
kernel void placed(ARGUMENTS)
{
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    a[(z * get_global_size(1) + y) * get_global_size(0) + x] = 1;
}

// A group of four copies its memory to elements 4 to 7.
kernel void copied(ARGUMENTS)
{
    local int near[4];
    near[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(a + 4, near, 4, 0);
    wait_group_events(1, &e);
}
