// Kernels for test_exec_rows.c: each work-item copies one element, at indices that the host chooses.

typedef struct three {
    uint x, y, z;
} three;
typedef struct __attribute__((packed)) odd {
    uchar first;
    uint value;
} odd;

#define ARGUMENTS(T, I)                                                                            \
    global T *from, global const I *from_at, global T *to, global const I *to_at,                  \
        global const uchar *active
#define COPY(T, I, name, member)                                                                   \
    kernel void name##_##I(ARGUMENTS(T, I))                                                        \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        if (active[i]) to[to_at[i]] member = from[from_at[i]] member;                              \
    }
#define COPIES(T, name, member)                                                                    \
    COPY(T, uint, name, member)                                                                    \
    COPY(T, int, name, member)                                                                     \
    COPY(T, long, name, member)
COPIES(uchar, uchar, )
COPIES(ushort, ushort, )
COPIES(uint, uint, )
COPIES(ulong, ulong, )
COPIES(uchar4, uchar4, )
COPIES(uint2, uint2, )
COPIES(uint4, uint4, )
COPIES(ulong2, ulong2, )
COPIES(three, three, .y)
COPIES(odd, odd, .value)

// The pointer itself differs between work-items: odd indices are of `to`, from its middle on.
#define CHOSEN(T)                                                                                  \
    kernel void chosen_##T(ARGUMENTS(T, int))                                                      \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        if (!active[i]) return;                                                                    \
        global T *p = from_at[i] & 1 ? to + (from_at[i] >> 1) : from + (from_at[i] >> 1);          \
        to[to_at[i]] = *p;                                                                         \
    }
CHOSEN(uchar)
CHOSEN(uint)
CHOSEN(ulong)
CHOSEN(uint4)

// Through local and private memory of 16 elements: `from_at` and `to_at` are indices in it.
#define THROUGH_LOCAL(T)                                                                           \
    kernel void local_##T(ARGUMENTS(T, int), local T *s)                                           \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        if (active[i]) s[to_at[i]] = from[i];                                                      \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        if (active[i]) to[i] = s[from_at[i]];                                                      \
    }
#define THROUGH_PRIVATE(T)                                                                         \
    kernel void private_##T(ARGUMENTS(T, int))                                                     \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        T p[16];                                                                                   \
        p[3] = from[i];                                                                            \
        if (!active[i]) return;                                                                    \
        p[to_at[i]] = from[get_global_size(0) + i];                                                \
        to[i] = p[from_at[i]];                                                                     \
    }
#define THROUGH(T) THROUGH_LOCAL(T) THROUGH_PRIVATE(T)
THROUGH(uchar)
THROUGH(ushort)
THROUGH(uint)
THROUGH(ulong)
THROUGH(uchar4)
THROUGH(uint2)
THROUGH(uint4)
THROUGH(ulong2)
