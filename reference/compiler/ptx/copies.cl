/* Asynchronous copies on NVPTX for the types that libclc omits: vectors of three, and halves.
 *
 * The work-items share the work, and wait_group_events is a barrier, as in libclc.  Source:
 * OpenCL C 2.0, 6.13.10. */
#include "builtins.clh"

size_t LIBRARY get_local_linear_id(void);
size_t LIBRARY get_local_size(uint d);

static size_t copiers(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }

#define COPIED(type, to_space, from_space, to_step, from_step)                                     \
    BUILTIN event_t async_work_group_strided_copy(to_space type *to, const from_space type *from,  \
                                                  size_t count, size_t stride, event_t event)      \
    {                                                                                              \
        for (size_t i = get_local_linear_id(); i < count; i += copiers())                          \
            to[i * (to_step)] = from[i * (from_step)];                                             \
        return event;                                                                              \
    }                                                                                              \
    BUILTIN event_t async_work_group_copy(to_space type *to, const from_space type *from,          \
                                          size_t count, event_t event)                             \
    {                                                                                              \
        return async_work_group_strided_copy(to, from, count, 1, event);                           \
    }
#define COPIES(type)                                                                               \
    COPIED(type, __local, __global, 1, stride)                                                     \
    COPIED(type, __global, __local, stride, 1)                                                     \
    BUILTIN void prefetch(const __global type *from, size_t count) {}
#define COPIES_OF_THREE(type, ...) COPIES(type##3)
#define COPIES_OF_HALF(n, ...) COPIES(half##n)
EACH_WHOLE(COPIES_OF_THREE, )
COPIES(float3)
COPIES(double3)
COPIES(half)
EACH_WIDTH(COPIES_OF_HALF, )
