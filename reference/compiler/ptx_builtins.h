/* What the files of builtin functions for NVPTX share: types, and what is done for each of many.
 *
 * They are OpenCL C, compiled by clang 14 without its header when the plugin is built, each a
 * module of its own in one module that is read lazily.  Source: OpenCL C 2.0, 6.1 and 6.13. */
#ifndef REFERENCE_COMPILER_PTX_BUILTINS_H
#define REFERENCE_COMPILER_PTX_BUILTINS_H

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;

#define BUILTIN __attribute__((overloadable, always_inline))
/* Of libclc, which is linked afterwards. */
#define LIBRARY __attribute__((overloadable))

/* As clang's header has them; their names are part of the functions' names. */
typedef uint cl_mem_fence_flags;
typedef enum memory_order {
    memory_order_relaxed = __ATOMIC_RELAXED,
    memory_order_acquire = __ATOMIC_ACQUIRE,
    memory_order_release = __ATOMIC_RELEASE,
    memory_order_acq_rel = __ATOMIC_ACQ_REL,
    memory_order_seq_cst = __ATOMIC_SEQ_CST
} memory_order;
typedef enum memory_scope {
    memory_scope_work_item = __OPENCL_MEMORY_SCOPE_WORK_ITEM,
    memory_scope_work_group = __OPENCL_MEMORY_SCOPE_WORK_GROUP,
    memory_scope_device = __OPENCL_MEMORY_SCOPE_DEVICE,
    memory_scope_all_svm_devices = __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES,
    memory_scope_sub_group = __OPENCL_MEMORY_SCOPE_SUB_GROUP
} memory_scope;

/* N is 2, 3, 4, 8, 16: what is done lane by lane. */
#define EACH_WIDTH(DO, ...)                                                                        \
    DO(2, __VA_ARGS__) DO(3, __VA_ARGS__) DO(4, __VA_ARGS__) DO(8, __VA_ARGS__) DO(16, __VA_ARGS__)
#define EACH_WHOLE(DO, ...)                                                                        \
    DO(char, __VA_ARGS__)                                                                          \
    DO(uchar, __VA_ARGS__) DO(short, __VA_ARGS__) DO(ushort, __VA_ARGS__) DO(int, __VA_ARGS__)     \
        DO(uint, __VA_ARGS__) DO(long, __VA_ARGS__) DO(ulong, __VA_ARGS__)

#define VECTORS(type)                                                                              \
    typedef type type##2 __attribute__((ext_vector_type(2)));                                      \
    typedef type type##3 __attribute__((ext_vector_type(3)));                                      \
    typedef type type##4 __attribute__((ext_vector_type(4)));                                      \
    typedef type type##8 __attribute__((ext_vector_type(8)));                                      \
    typedef type type##16 __attribute__((ext_vector_type(16)));
VECTORS(char)
VECTORS(uchar)
VECTORS(short)
VECTORS(ushort)
VECTORS(int)
VECTORS(uint)
VECTORS(long)
VECTORS(ulong)
VECTORS(half)
VECTORS(float)
VECTORS(double)

#endif
