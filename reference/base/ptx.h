/* What a device has to know about the PTX that assay produces to launch its kernels.
 *
 * PTX states the size of a kernel's parameter but not its meaning, and lacks three things that
 * kernels query: local memory passed by the host, the offset of the launch and the number of its
 * dimensions.  The producer of PTX (reference/compiler) and its consumers (backends) agree on this:
 *
 *  - Pointers to global or constant memory are `.param .u64`: addresses of device memory.
 *  - Values are parameters of their size and alignment, as OpenCL lays them out.
 *  - All local memory that the host passes is in one array of dynamic shared memory, which every
 *    module of a program declares identically: `.extern .shared .align 128 .b8 __assay_shared[]`. A
 *    parameter that is a pointer to local memory is `.param .u32`: the offset in bytes into that
 *    array, a multiple of RT_PTX_LOCAL_ALIGNMENT, not below RT_PTX_LAUNCH_SIZE.
 *  - After the parameters of the source, every kernel has one more, an rt_ptx_launch by value.  The
 *    kernel's first instructions copy it to the start of that array, where functions of all modules
 *    find it; each work-item writes what it will read, so that no barrier is needed.  The dynamic
 *    shared memory of a launch is therefore RT_PTX_LAUNCH_SIZE plus the local memory after it.
 *  - A dimension that the launch does not have is 1 work-item wide.  Dimension 0 is x.
 *
 * The text begins with a comment for each kernel, which rt_ptx_kernels_read reads:
 *
 *     //@kernel NAME KIND:SIZE ...
 *
 * KIND is pointer, local or value, and SIZE is the parameter's size in bytes; the hidden last
 * parameter is not listed.  Source: PTX ISA 6.4, "State Spaces" and "Kernel Function Parameters";
 * OpenCL C 2.0, section 6.13.1, for the results of the queries. */
#ifndef REFERENCE_BASE_PTX_H
#define REFERENCE_BASE_PTX_H

#include "reference/base/arena.h"
#include "reference/base/status.h"

/* The array of dynamic shared memory. */
#define RT_PTX_SHARED_ARRAY "__assay_shared"

/* In bytes; the alignment is the largest of an OpenCL type (OpenCL C 3.0, 6.3.5 "Alignment of
 * Types"). */
enum { RT_PTX_LOCAL_ALIGNMENT = 128, RT_PTX_LAUNCH_SIZE = 32 };

/* Bytes of shared memory that the variables of one program may occupy on every GPU; a launch may
 * add dynamic shared memory (CUDA C++ programming guide, "Shared Memory" of each compute
 * capability: static allocations are limited to 48 KB, larger ones must be dynamic). */
enum { RT_PTX_VARIABLES_MAX = 48 << 10 };

/* Maximum size of one parameter in bytes: the limit for all parameters of a kernel together (PTX
 * ISA 6.4, "Kernel Function Parameters"). */
enum { RT_PTX_PARAMETER_SIZE_MAX = 4352 };

/* The hidden last parameter, as laid out in device memory. */
typedef struct rt_ptx_launch {
    uint64_t global_offset[3]; /* work-items; 0 if the launch has no offset */
    uint32_t dimensions;       /* 1 to 3 */
    uint32_t zero;
} rt_ptx_launch;
_Static_assert(sizeof(rt_ptx_launch) == RT_PTX_LAUNCH_SIZE, "kernels copy it unchanged");

/* kind, its name in the text, and the size in bytes of every parameter of that kind; 0: differs per
 * parameter */
#define RT_PTX_PARAMETERS(PARAMETER)                                                               \
    PARAMETER(POINTER, "pointer", 8)                                                               \
    PARAMETER(LOCAL, "local", 4)                                                                   \
    PARAMETER(VALUE, "value", 0)

typedef enum rt_ptx_parameter_kind {
#define RT_PTX_PARAMETER_ENUM(kind, name, bytes) RT_PTX_##kind,
    RT_PTX_PARAMETERS(RT_PTX_PARAMETER_ENUM)
#undef RT_PTX_PARAMETER_ENUM
        RT_PTX_PARAMETER_KINDS
} rt_ptx_parameter_kind;

/* One parameter of a kernel's source. */
typedef struct rt_ptx_parameter {
    rt_ptx_parameter_kind kind;
    uint32_t size; /* bytes, >= 1 */
} rt_ptx_parameter;

typedef struct rt_ptx_kernel {
    rt_text name; /* name of the PTX entry, and of the kernel in its image */
    const rt_ptx_parameter *parameters;
    uint32_t parameter_count; /* not counting the hidden last one */
} rt_ptx_kernel;

/* Appends a symbol's name as PTX accepts it: a character other than a letter, a digit, '_' or '$'
 * becomes `_$HH`, where HH is its code in hexadecimal. */
void rt_ptx_name_write(rt_buffer *out, rt_text symbol);

/* Appends a kernel's line.  The name is a symbol and so contains no space. */
void rt_ptx_kernel_write(rt_buffer *out, const rt_ptx_kernel *kernel);

/* Reads the kernels' lines at the start of a PTX text; skips blank lines and other comments, and
 * stops at the first other line.  Names point into the text; the tables live in the arena.
 * *out_kernels is NULL if there are no kernels, or on failure.  MALFORMED: a kernel's line does not
 * have the form above; the message gives the line number. */
RT_MUST_USE rt_status rt_ptx_kernels_read(rt_sink *sink, rt_arena *arena, rt_text ptx,
                                          const rt_ptx_kernel **out_kernels, uint32_t *out_count);

#endif
