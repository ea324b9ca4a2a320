/* Atomic functions on NVPTX: those of OpenCL C 2.0 with memory orders and scopes, for the generic,
 * global and local address spaces, and the 64-bit ones of OpenCL C 1.2.
 *
 * Each operation is PTX's relaxed operation with fences: a fence before it for release, a fence
 * after it for acquire, and fence.sc before it for sequential consistency.  LLVM 14 selects neither
 * fences nor atomic loads and stores for NVPTX, so everything is inline assembly.  Operations that
 * PTX does not have (minimum and maximum of floats, 16-bit operations) are missing here; calls to
 * them are refused with a message that names the function. Source: OpenCL C 2.0, 6.13.11; PTX ISA
 * 6.4, "Memory Consistency Model", "fence" and "atom". */
#include "builtins.clh"

/* ---- Fences -------------------------------------------------------------------------------- */

#define FENCE(kind)                                                                                \
    static void fence_##kind(memory_scope scope)                                                   \
    {                                                                                              \
        if (scope == memory_scope_all_svm_devices)                                                 \
            __asm__ volatile("fence." #kind ".sys;" ::: "memory");                                 \
        else if (scope == memory_scope_device)                                                     \
            __asm__ volatile("fence." #kind ".gpu;" ::: "memory");                                 \
        else                                                                                       \
            __asm__ volatile("fence." #kind ".cta;" ::: "memory");                                 \
    }
FENCE(acq_rel)
FENCE(sc)

static void fence_before(memory_order order, memory_scope scope)
{
    if (order == memory_order_seq_cst) fence_sc(scope);
    if (order == memory_order_release || order == memory_order_acq_rel) fence_acq_rel(scope);
}

static void fence_behind(memory_order order, memory_scope scope)
{
    bool acquires = order == memory_order_acquire || order == memory_order_acq_rel;
    if (acquires || order == memory_order_seq_cst) fence_acq_rel(scope);
}

BUILTIN void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
    (void)flags; /* PTX fences order all memory */
    if (order == memory_order_seq_cst)
        fence_sc(scope);
    else if (order != memory_order_relaxed)
        fence_acq_rel(scope);
}

/* PTX's barrier orders the memory of the work-group. */
void LIBRARY barrier(cl_mem_fence_flags flags);
BUILTIN void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    bool wider = scope == memory_scope_device || scope == memory_scope_all_svm_devices;
    if (wider) fence_acq_rel(scope);
    barrier(flags);
    if (wider) fence_acq_rel(scope);
}
BUILTIN void work_group_barrier(cl_mem_fence_flags flags) { barrier(flags); }

/* ---- Bitwise operations at generic addresses ----------------------------------------------- */

/* One instruction in each of the three scopes; the last scope is for work-groups and anything
 * narrower. */
#define IN_SCOPE(scope, head, tail, ...)                                                           \
    do {                                                                                           \
        if (scope == memory_scope_all_svm_devices)                                                 \
            __asm__ volatile(head ".relaxed.sys." tail ";" __VA_ARGS__ : "memory");                \
        else if (scope == memory_scope_device)                                                     \
            __asm__ volatile(head ".relaxed.gpu." tail ";" __VA_ARGS__ : "memory");                \
        else                                                                                       \
            __asm__ volatile(head ".relaxed.cta." tail ";" __VA_ARGS__ : "memory");                \
    } while (0)

#define LOAD_AND_STORE(bits, width, held)                                                          \
    static bits load_##bits(volatile void *at, memory_order order, memory_scope scope)             \
    {                                                                                              \
        bits value;                                                                                \
        if (order == memory_order_seq_cst) fence_sc(scope);                                        \
        IN_SCOPE(scope, "ld", width " %0, [%1]", : "=" held(value) : "l"(at));                     \
        fence_behind(order, scope);                                                                \
        return value;                                                                              \
    }                                                                                              \
    static void store_##bits(volatile void *at, bits value, memory_order order,                    \
                             memory_scope scope)                                                   \
    {                                                                                              \
        fence_before(order, scope);                                                                \
        IN_SCOPE(scope, "st", width " [%0], %1", ::"l"(at), held(value));                          \
    }
LOAD_AND_STORE(uint, "b32", "r")
LOAD_AND_STORE(ulong, "b64", "l")

/* Defines an operation that returns the old value; the argument is the instruction's second
 * operand. */
#define CHANGE(name, bits, instruction, held)                                                      \
    static bits name##_##bits(volatile void *at, bits by, memory_order order, memory_scope scope)  \
    {                                                                                              \
        bits old;                                                                                  \
        fence_before(order, scope);                                                                \
        IN_SCOPE(scope, "atom", instruction " %0, [%1], %2",                                       \
                 : "=" held(old) : "l"(at), held(by));                                             \
        fence_behind(order, scope);                                                                \
        return old;                                                                                \
    }
#define CHANGES(bits, width, held)                                                                 \
    CHANGE(exchange, bits, "exch.b" width, held)                                                   \
    CHANGE(add, bits, "add.u" width, held)                                                         \
    CHANGE(and, bits, "and.b" width, held)                                                         \
    CHANGE(or, bits, "or.b" width, held)                                                           \
    CHANGE(xor, bits, "xor.b" width, held)                                                         \
    CHANGE(umin, bits, "min.u" width, held)                                                        \
    CHANGE(umax, bits, "max.u" width, held)                                                        \
    CHANGE(smin, bits, "min.s" width, held)                                                        \
    CHANGE(smax, bits, "max.s" width, held)
CHANGES(uint, "32", "r")
CHANGES(ulong, "64", "l")

/* The stronger of the two orders: a single instruction handles success and failure, and cannot know
 * in advance which of them it will be. A failure order never releases. */
#define COMPARE(bits, width, held)                                                                 \
    static bits compare_##bits(volatile void *at, bits expected, bits desired,                     \
                               memory_order order, memory_order failure, memory_scope scope)       \
    {                                                                                              \
        bits old;                                                                                  \
        fence_before(failure == memory_order_seq_cst ? failure : order, scope);                    \
        IN_SCOPE(scope, "atom", "cas.b" width " %0, [%1], %2, %3",                                 \
                 : "=" held(old) : "l"(at), held(expected), held(desired));                        \
        fence_behind(order, scope);                                                                \
        fence_behind(failure, scope);                                                              \
        return old;                                                                                \
    }
COMPARE(uint, "32", "r")
COMPARE(ulong, "64", "l")

/* ---- 6.13.11, functions -------------------------------------------------------------------- */

#define DEVICE memory_scope_device
#define STRICT memory_order_seq_cst
#define GENERIC(pointer) ((volatile void *)(pointer))

/* Defines a function in three forms: with order and scope, with order only, with neither. `given`
 * and `passed` are the parameters and arguments that precede order and scope. */
#define UNPAREN(...) __VA_ARGS__
#define THREE_FORMS(result, name, given, passed)                                                   \
    BUILTIN result name##_explicit(UNPAREN given, memory_order order)                              \
    {                                                                                              \
        return name##_explicit(UNPAREN passed, order, DEVICE);                                     \
    }                                                                                              \
    BUILTIN result name(UNPAREN given) { return name##_explicit(UNPAREN passed, STRICT, DEVICE); }

#define PLAIN(type, bits, space)                                                                   \
    BUILTIN void atomic_init(volatile space atomic_##type *at, type value)                          \
    {                                                                                              \
        *(volatile space type *)at = value;                                                        \
    }                                                                                              \
    BUILTIN type atomic_load_explicit(volatile space atomic_##type *at, memory_order order,         \
                                      memory_scope scope)                                          \
    {                                                                                              \
        return __builtin_astype(load_##bits(GENERIC(at), order, scope), type);                     \
    }                                                                                              \
    THREE_FORMS(type, atomic_load, (volatile space atomic_##type * at), (at))                       \
    BUILTIN void atomic_store_explicit(volatile space atomic_##type *at, type value,                \
                                       memory_order order, memory_scope scope)                     \
    {                                                                                              \
        store_##bits(GENERIC(at), __builtin_astype(value, bits), order, scope);                    \
    }                                                                                              \
    THREE_FORMS(void, atomic_store, (volatile space atomic_##type * at, type value), (at, value))   \
    BUILTIN type atomic_exchange_explicit(volatile space atomic_##type *at, type value,             \
                                          memory_order order, memory_scope scope)                  \
    {                                                                                              \
        bits old = exchange_##bits(GENERIC(at), __builtin_astype(value, bits), order, scope);      \
        return __builtin_astype(old, type);                                                        \
    }                                                                                              \
    THREE_FORMS(type, atomic_exchange, (volatile space atomic_##type * at, type value), (at, value))

/* The weak form may fail spuriously but does not have to, so both forms are alike. */
#define COMPARED(strength, type, bits, space, expected_space)                                      \
    BUILTIN bool atomic_compare_exchange_##strength##_explicit(                                    \
        volatile space atomic_##type *at, expected_space type *expected, type desired,              \
        memory_order order, memory_order failure, memory_scope scope)                              \
    {                                                                                              \
        bits wanted = __builtin_astype(*expected, bits);                                           \
        bits old = compare_##bits(GENERIC(at), wanted, __builtin_astype(desired, bits), order,     \
                                  failure, scope);                                                 \
        if (old == wanted) return true;                                                            \
        *expected = __builtin_astype(old, type);                                                   \
        return false;                                                                              \
    }                                                                                              \
    BUILTIN bool atomic_compare_exchange_##strength##_explicit(                                    \
        volatile space atomic_##type *at, expected_space type *expected, type desired,              \
        memory_order order, memory_order failure)                                                  \
    {                                                                                              \
        return atomic_compare_exchange_##strength##_explicit(at, expected, desired, order,         \
                                                             failure, DEVICE);                     \
    }                                                                                              \
    BUILTIN bool atomic_compare_exchange_##strength(volatile space atomic_##type *at,               \
                                                    expected_space type *expected, type desired)   \
    {                                                                                              \
        return atomic_compare_exchange_##strength##_explicit(at, expected, desired, STRICT,        \
                                                             STRICT, DEVICE);                      \
    }
#define COMPARED_BOTH(type, bits, space, expected_space)                                           \
    COMPARED(strong, type, bits, space, expected_space)                                            \
    COMPARED(weak, type, bits, space, expected_space)

/* `operand` differs from `type` for pointer-sized atomic types. */
#define FETCHED(name, type, bits, operand, space, does, of)                                        \
    BUILTIN type atomic_fetch_##name##_explicit(volatile space atomic_##type *at, operand by,       \
                                                memory_order order, memory_scope scope)            \
    {                                                                                              \
        return (type)does##_##bits(GENERIC(at), (bits)(of by), order, scope);                      \
    }                                                                                              \
    THREE_FORMS(type, atomic_fetch_##name, (volatile space atomic_##type * at, operand by), (at, by))
#define FETCHED_BITS(type, bits, operand, space)                                                   \
    FETCHED(and, type, bits, operand, space, and, )                                                \
    FETCHED(or, type, bits, operand, space, or, )                                                  \
    FETCHED(xor, type, bits, operand, space, xor, )
#define FETCHED_SUMS(type, bits, operand, space)                                                   \
    FETCHED(add, type, bits, operand, space, add, )                                                \
    FETCHED(sub, type, bits, operand, space, add, -)
#define FETCHED_ENDS(type, bits, operand, space, sign)                                             \
    FETCHED(min, type, bits, operand, space, sign##min, )                                          \
    FETCHED(max, type, bits, operand, space, sign##max, )
#define FETCHED_ALL(type, bits, space, sign)                                                       \
    FETCHED_SUMS(type, bits, type, space)                                                          \
    FETCHED_BITS(type, bits, type, space)                                                          \
    FETCHED_ENDS(type, bits, type, space, sign)

#define FLAG(space)                                                                                \
    BUILTIN bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *at,                 \
                                                   memory_order order, memory_scope scope)         \
    {                                                                                              \
        return exchange_uint(GENERIC(at), 1, order, scope) != 0;                                   \
    }                                                                                              \
    THREE_FORMS(bool, atomic_flag_test_and_set, (volatile space atomic_flag *at), (at))            \
    BUILTIN void atomic_flag_clear_explicit(volatile space atomic_flag *at, memory_order order,    \
                                            memory_scope scope)                                    \
    {                                                                                              \
        store_uint(GENERIC(at), 0, order, scope);                                                  \
    }                                                                                              \
    THREE_FORMS(void, atomic_flag_clear, (volatile space atomic_flag *at), (at))

#define EACH_PLAIN(space)                                                                          \
    PLAIN(int, uint, space)                                                                        \
    PLAIN(uint, uint, space)                                                                       \
    PLAIN(long, ulong, space)                                                                      \
    PLAIN(ulong, ulong, space)                                                                     \
    PLAIN(float, uint, space)                                                                      \
    PLAIN(double, ulong, space)
#define EACH_COMPARED(space, expected_space)                                                       \
    COMPARED_BOTH(int, uint, space, expected_space)                                                \
    COMPARED_BOTH(uint, uint, space, expected_space)                                               \
    COMPARED_BOTH(long, ulong, space, expected_space)                                              \
    COMPARED_BOTH(ulong, ulong, space, expected_space)                                             \
    COMPARED_BOTH(float, uint, space, expected_space)                                              \
    COMPARED_BOTH(double, ulong, space, expected_space)
#define EACH_FETCHED(space)                                                                        \
    FETCHED_ALL(int, uint, space, s)                                                               \
    FETCHED_ALL(uint, uint, space, u)                                                              \
    FETCHED_ALL(long, ulong, space, s)                                                             \
    FETCHED_ALL(ulong, ulong, space, u)                                                            \
    FETCHED_SUMS(ulong, ulong, long, space)                                                        \
    FETCHED_BITS(ulong, ulong, long, space)                                                        \
    FETCHED_BITS(long, ulong, ulong, space)
#define EACH_FUNCTION(space) EACH_PLAIN(space) EACH_FETCHED(space) FLAG(space)

EACH_FUNCTION()
EACH_FUNCTION(__global)
EACH_FUNCTION(__local)
/* For private memory, the mangled names are those of the generic address space. */
EACH_COMPARED(, )
EACH_COMPARED(__global, __global)
EACH_COMPARED(__global, __local)
EACH_COMPARED(__global, )
EACH_COMPARED(__local, __global)
EACH_COMPARED(__local, __local)
EACH_COMPARED(__local, )

/* ---- Extensions cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics ---------------- */

#define RELAXED memory_order_relaxed
#define ATOM(name, type, space, does, of)                                                          \
    BUILTIN type atom_##name(volatile space type *at, type by)                                     \
    {                                                                                              \
        return (type)does##_ulong(GENERIC(at), (ulong)(of by), RELAXED, DEVICE);                   \
    }
#define ATOM_STEP(name, type, space, by)                                                           \
    BUILTIN type atom_##name(volatile space type *at)                                              \
    {                                                                                              \
        return (type)add_ulong(GENERIC(at), by, RELAXED, DEVICE);                                  \
    }
#define ATOMS(type, space, sign)                                                                   \
    ATOM(add, type, space, add, )                                                                  \
    ATOM(sub, type, space, add, -)                                                                 \
    ATOM(xchg, type, space, exchange, )                                                            \
    ATOM(and, type, space, and, )                                                                  \
    ATOM(or, type, space, or, )                                                                    \
    ATOM(xor, type, space, xor, )                                                                  \
    ATOM(min, type, space, sign##min, )                                                            \
    ATOM(max, type, space, sign##max, )                                                            \
    ATOM_STEP(inc, type, space, 1)                                                                 \
    ATOM_STEP(dec, type, space, ~0UL)                                                              \
    BUILTIN type atom_cmpxchg(volatile space type *at, type expected, type desired)                \
    {                                                                                              \
        return (type)compare_ulong(GENERIC(at), (ulong)expected, (ulong)desired, RELAXED, RELAXED, \
                                   DEVICE);                                                        \
    }
ATOMS(long, __global, s)
ATOMS(long, __local, s)
ATOMS(ulong, __global, u)
ATOMS(ulong, __local, u)
