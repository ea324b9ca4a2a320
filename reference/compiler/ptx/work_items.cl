/* The ids of a work-item, and the address space of a pointer, on NVPTX.
 *
 * PTX has no registers for a launch's offset and number of dimensions, so the host passes them
 * (reference/base/ptx.h). The size in a dimension that a launch does not have is 1, but libclc
 * returns 0.  Source: OpenCL C 2.0, 6.13.1 and 6.13.9. */
#include "builtins.clh"

struct launch {
    ulong offset[3];
    uint dimensions;
    uint zero;
};
extern const __local struct launch *__assay_launch(void);

/* ---- 6.13.9, address spaces: clang turns to_global and the like into calls to these ---------- */

__global void *__to_global(void *p)
{
    return __nvvm_isspacep_global(p) ? (__global void *)p : (__global void *)0;
}
__local void *__to_local(void *p)
{
    return __nvvm_isspacep_shared(p) ? (__local void *)p : (__local void *)0;
}
__private void *__to_private(void *p)
{
    return __nvvm_isspacep_local(p) ? (__private void *)p : (__private void *)0;
}
BUILTIN uint get_fence(void *p) { return __nvvm_isspacep_shared(p) ? 1 : 2; }
BUILTIN uint get_fence(const void *p) { return __nvvm_isspacep_shared(p) ? 1 : 2; }

/* ---- 6.13.1, work-items --------------------------------------------------------------------- */

#define REGISTER(name, other)                                                                      \
    static size_t name##_of(uint d)                                                                \
    {                                                                                              \
        if (d == 0) return (uint)__nvvm_read_ptx_sreg_##name##_x();                                \
        if (d == 1) return (uint)__nvvm_read_ptx_sreg_##name##_y();                                \
        if (d == 2) return (uint)__nvvm_read_ptx_sreg_##name##_z();                                \
        return other;                                                                              \
    }
REGISTER(tid, 0)
REGISTER(ctaid, 0)
REGISTER(ntid, 1)
REGISTER(nctaid, 1)

BUILTIN uint get_work_dim(void) { return __assay_launch()->dimensions; }
BUILTIN size_t get_global_offset(uint d) { return d < 3 ? __assay_launch()->offset[d] : 0; }
BUILTIN size_t get_local_id(uint d) { return tid_of(d); }
BUILTIN size_t get_group_id(uint d) { return ctaid_of(d); }
BUILTIN size_t get_local_size(uint d) { return ntid_of(d); }
BUILTIN size_t get_enqueued_local_size(uint d) { return ntid_of(d); }
BUILTIN size_t get_num_groups(uint d) { return nctaid_of(d); }
BUILTIN size_t get_global_size(uint d) { return nctaid_of(d) * ntid_of(d); }
BUILTIN size_t get_global_id(uint d)
{
    return ctaid_of(d) * ntid_of(d) + tid_of(d) + get_global_offset(d);
}
BUILTIN size_t get_local_linear_id(void)
{
    return (tid_of(2) * ntid_of(1) + tid_of(1)) * ntid_of(0) + tid_of(0);
}
BUILTIN size_t get_global_linear_id(void)
{
    size_t x = ctaid_of(0) * ntid_of(0) + tid_of(0);
    size_t y = ctaid_of(1) * ntid_of(1) + tid_of(1);
    size_t z = ctaid_of(2) * ntid_of(2) + tid_of(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}
