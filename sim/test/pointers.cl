// Calls through pointers, for test_exec_pointers.c.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
#define NOINLINE __attribute__((noinline))
typedef int (*unary)(int);
typedef struct pair { int a; float b; } pair;
typedef pair (*maker)(int);

NOINLINE int twice(int x) { return 2 * x; }
NOINLINE int square(int x) { return x * x; }
NOINLINE int mix(int x)
{
    int s = 0;
    for (int i = 0; i < (x & 7); i++) s = s * 3 + i;
    return s;
}
NOINLINE float half_of(float x) { return x / 2; }
NOINLINE pair make(int x)
{
    pair p = {x, (float)x / 2};
    return p;
}
NOINLINE pair make_other(int x)
{
    pair p = {-x, 0.25f};
    return p;
}
constant unary table[3] = {twice, square, mix};

kernel void by_table(global int *out)
{
    size_t i = get_global_id(0);
    out[i] = table[i % 3]((int)i);
}
kernel void by_choice(global int *out, int below)
{
    size_t i = get_global_id(0);
    unary f = (int)(i % 5) < below ? twice : square;
    out[i] = f((int)i) + f(1);
}
kernel void by_struct(global int *out)
{
    size_t i = get_global_id(0);
    maker f = i & 1 ? make : make_other;
    pair p = f((int)i);
    out[i] = p.a * 100 + (int)(p.b * 4);
}
// Indirect calls during which lanes diverge for a long time: some spin inside one function.
NOINLINE int spin(int x)
{
    volatile int k = 0;
    int most = x + x % 7;
    while (k < most) k++;
    return k * 2 + x % 7;
}
NOINLINE int narrow(int x)
{
    char a = (char)x, b = (char)(x + 1), c = (char)(x + 2);
    for (int i = 0; i < x % 4; i++) {
        char t = a;
        a = (char)(b + i);
        b = c;
        c = t;
    }
    return a + b + c;
}
kernel void spinning(global int *out, int rounds)
{
    size_t i = get_global_id(0);
    unary f = i & 1 ? spin : narrow;
    out[i] = f(i & 1 ? rounds + (int)i : (int)i);
}

// Recursion through a pointer in memory.
NOINLINE int countdown(int n, global ulong *self)
{
    int (*f)(int, global ulong *) = (int (*)(int, global ulong *)) * self;
    return n < 1 ? 0 : n + f(n - 1, self);
}
kernel void recursive(global int *out, global ulong *self, int most)
{
    if (get_global_id(0) == 0) *self = (ulong)countdown;
    barrier(CLK_GLOBAL_MEM_FENCE);
    size_t i = get_global_id(0);
    out[i] = countdown((int)i < most ? (int)i : most, self);
}

// The host writes slot 5.
kernel void keep(global ulong *slots)
{
    slots[0] = (ulong)twice;
    slots[1] = (ulong)half_of;
    slots[2] = 0;
    slots[3] = (ulong)slots;
    slots[4] = (ulong)twice + 8;
    slots[6] = (ulong)square;
}
kernel void through(global int *out, global const ulong *slots, global const int *which)
{
    size_t i = get_global_id(0);
    unary f = (unary)slots[which[i]];
    out[i] = f(21);
}
kernel void read_code(global int *out, global const ulong *slots)
{
    out[get_global_id(0)] = *(global const int *)slots[0];
}
