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
