// Kernels for test_exec_planned.c whose accesses and barriers are chosen at run time; planned_plain has no atomics,
// and its local memory is defined.
//
// `plan` begins with the number of steps. A step is the set of barriers that follow it (bits 0: of
// local memory, 1: of global memory, 2: of both), and then an access for each work-item: its kind in the low eight bits, from 16 on to local memory, and above
// them its index, in elements of the kind's type.

#define VALUE  (1 + k * (int)get_global_size(0) + i)
#define ATOMIC(SPACE) volatile SPACE atomic_int *
#define ACCESSES(first, SPACE, MEMORY)                                                             \
    case first + 1: sum += ((SPACE uchar *)MEMORY)[at]; break;                                     \
    case first + 2: sum += ((SPACE ushort *)MEMORY)[at]; break;                                    \
    case first + 3: sum += ((SPACE int *)MEMORY)[at]; break;                                       \
    case first + 4: {                                                                              \
        long v = ((SPACE long *)MEMORY)[at];                                                       \
        sum += (int)(v ^ v >> 32);                                                                 \
        break;                                                                                     \
    }                                                                                              \
    case first + 5: {                                                                              \
        int4 v = ((SPACE int4 *)MEMORY)[at];                                                       \
        sum += v.x + v.y + v.z + v.w;                                                              \
        break;                                                                                     \
    }                                                                                              \
    case first + 6: { /* bytes 4 to 11 of 16 */                                                    \
        int3 v = ((SPACE int3 *)MEMORY)[at];                                                       \
        sum += v.y + v.z;                                                                          \
        break;                                                                                     \
    }                                                                                              \
    case first + 7: ((SPACE uchar *)MEMORY)[at] = (uchar)VALUE; break;                             \
    case first + 8: ((SPACE ushort *)MEMORY)[at] = (ushort)VALUE; break;                           \
    case first + 9: ((SPACE int *)MEMORY)[at] = VALUE; break;                                      \
    case first + 10: ((SPACE long *)MEMORY)[at] = VALUE; break;                                    \
    case first + 11: ((SPACE int4 *)MEMORY)[at] = (int4)(VALUE, 2, 3, 4); break;
#define ATOMIC_ACCESSES(first, SPACE, MEMORY)                                                      \
    case first + 12:                                                                               \
        atomic_fetch_add_explicit((ATOMIC(SPACE))MEMORY + at, 1, memory_order_relaxed,             \
                                  memory_scope_device);                                            \
        break;                                                                                     \
    case first + 13:                                                                               \
        sum += atomic_load_explicit((ATOMIC(SPACE))MEMORY + at, memory_order_relaxed,              \
                                    memory_scope_device);                                          \
        break;
#define NO_ACCESSES(first, SPACE, MEMORY)

// Local memory begins defined, so that compiled code need not give up.
#define CLEAR                                                                                      \
    ((local int4 *)s)[get_local_id(0)] = (int4)(0);                                                \
    barrier(CLK_LOCAL_MEM_FENCE);

#define PLANNED(name, OTHERS, BEGIN)                                                                      \
    kernel void name(global uchar *a, global const int *plan, local uchar *s, global int *out)     \
    {                                                                                              \
        int i = (int)get_global_id(0), items = (int)get_global_size(0), steps = plan[0], sum = 0;  \
        BEGIN                                                                                      \
        for (int k = 0; k < steps; k++) {                                                          \
            global const int *step = plan + 1 + k * (items + 1);                                   \
            int access = step[1 + i], at = access >> 8;                                            \
            switch (access & 255) {                                                                \
                ACCESSES(0, global, a)                                                             \
                ACCESSES(16, local, s)                                                             \
                OTHERS(0, global, a)                                                               \
                OTHERS(16, local, s)                                                               \
            default: break;                                                                        \
            }                                                                                      \
            if (step[0] & 1) barrier(CLK_LOCAL_MEM_FENCE);                                         \
            if (step[0] & 2) barrier(CLK_GLOBAL_MEM_FENCE);                                        \
            if (step[0] & 4) barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                  \
        }                                                                                          \
        out[i] = sum;                                                                              \
    }
PLANNED(planned, ATOMIC_ACCESSES, )
PLANNED(planned_plain, NO_ACCESSES, CLEAR)
