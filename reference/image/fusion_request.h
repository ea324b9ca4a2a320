/* Requests to the fusion compiler, and its results.
 *
 * The runtime keeps the fusion list, chooses the launch geometry of the fused kernel and determines
 * which arguments are identical; the compiler (reference/compiler, a plugin) turns the list into
 * one kernel.
 *
 * Source: document 001 (KernelFusionJIT.md), "Fusion Process". */
#ifndef REFERENCE_IMAGE_FUSION_REQUEST_H
#define REFERENCE_IMAGE_FUSION_REQUEST_H

#include "reference/image/image.h"
#include "reference/image/link_code.h"

/* A launch geometry in the order of get_global_id: index 0 varies fastest, whereas the document
 * uses SYCL's indices, of which 0 varies slowest. */
typedef struct rt_fusion_range {
    uint32_t dimensions; /* 1 to 3; in entries past it, global and local are 1 and offset is 0 */
    uint64_t global[RT_ND_RANGE_DIMENSIONS];
    uint64_t local[RT_ND_RANGE_DIMENSIONS]; /* all 0: unspecified */
    uint64_t offset[RT_ND_RANGE_DIMENSIONS];
} rt_fusion_range;

/* True if the range, whose local size is specified, has only groups of that size. */
bool rt_fusion_local_divides(const rt_fusion_range *range);

/* True if every work-group of a kernel's range lies within a single group of the fused range, whose
 * groups have the same, specified size. */
bool rt_fusion_groups_stay_whole(const rt_fusion_range *kernel, const rt_fusion_range *fused);

/* A parameter of a kernel in the list. */
typedef struct rt_fusion_place {
    uint32_t kernel;    /* index in the list */
    uint32_t parameter; /* index in that kernel's signature */
} rt_fusion_place;

/* One kernel of the list, which is in submission order; the same kernel may occur several times.
 */
typedef struct rt_fusion_kernel {
    rt_text name;              /* name of its entry point */
    const rt_link_code *codes; /* code of its image and of every image linked with it; >= 1
                                */
    uint32_t code_count;
    rt_fusion_range range;
} rt_fusion_kernel;

/* Two parameters with the same argument: `duplicate` is dropped and uses `original`, which comes
 * earlier and is not itself a duplicate. */
typedef struct rt_fusion_identity {
    rt_fusion_place original, duplicate;
} rt_fusion_identity;

typedef enum rt_fusion_promotion_kind {
    RT_FUSION_PRIVATE, /* private to a work-item */
    RT_FUSION_LOCAL,   /* local to a work-group */
} rt_fusion_promotion_kind;

/* A buffer that need not exist in global memory. */
typedef struct rt_fusion_promotion {
    rt_fusion_place parameter; /* not the duplicate of an identity */
    rt_fusion_promotion_kind kind;
    uint64_t elements;      /* >= 1: per work-item or per work-group */
    uint64_t element_bytes; /* >= 1 */
} rt_fusion_promotion;

/* A value known at fusion time, which becomes a constant in the code. */
typedef struct rt_fusion_constant {
    rt_fusion_place parameter; /* passed by value, not the duplicate of an identity */
    rt_bytes value;            /* as many bytes as the parameter has */
} rt_fusion_constant;

typedef struct rt_fusion_request {
    rt_text name; /* of the fused kernel */
    const rt_fusion_kernel *kernels;
    uint32_t kernel_count;
    rt_fusion_range
        range;     /* of the fused kernel; the caller chooses it according to "Restrictions" */
    bool barriers; /* between kernels; false: property no_barriers */
    const rt_fusion_identity *identities;
    uint32_t identity_count;
    const rt_fusion_promotion *promotions;
    uint32_t promotion_count;
    const rt_fusion_constant *constants;
    uint32_t constant_count;
    /* Symbols of the variables in global memory that the fused program shares with other programs:
     * each exists only once, and the fused program exports it.  Of any other variable the fused
     * program would have its own copy. */
    const rt_text *variables;
    uint32_t variable_count;
    /* Bytes of a work-group's local memory that are available for variables, both the kernels' own
     * and promoted buffers. 0: unknown, or nothing is promoted to local memory, so the result can
     * be used on any device. */
    uint64_t local_size_max;
    rt_format format;           /* format of the kernels' images and of the result */
    uint32_t spirv_version_max; /* as in rt_postlink_request */
} rt_fusion_request;

/* The result, whose serialised form the plugin table's `fuse` writes. */
typedef struct rt_fusion_result {
    rt_image image;                    /* one kernel, with the request's name */
    const rt_fusion_place *parameters; /* the origin of each parameter of the fused kernel, in
                                        * order; constants and duplicates are omitted */
    /* For each parameter: bytes of local memory that the launch passes instead of the origin's
     * argument, which the compiler promoted to a parameter; 0: the argument. NULL: all 0. */
    const uint64_t *local_bytes;
    uint32_t parameter_count;
    const bool *promoted;   /* true for each requested promotion that was made */
    const rt_text *reasons; /* why each promotion was refused; empty if it was made */
    uint32_t promotion_count;
    rt_fusion_range range; /* the launch geometry that the code was made for, if the compiler chose
                            * another than the request's; dimensions 0: the request's */
    uint64_t local_size;   /* bytes of local memory that its variables, including promoted buffers,
                            * may occupy: the sum of their rt_fusion_local_bytes */
} rt_fusion_result;

/* Bytes of local memory that an object of the given size may occupy: devices place objects at
 * multiples of the largest alignment of an OpenCL type (OpenCL C 3.0, 6.3.5 "Alignment of Types").
 */
static inline uint64_t rt_fusion_local_bytes(uint64_t size)
{
    enum { ALIGNMENT = 128 };
    return size > UINT64_MAX - ALIGNMENT ? UINT64_MAX
                                         : (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Appends the serialised form of a request or a result.  Equal requests yield equal bytes, so that
 * their hash can be a cache key. */
void rt_fusion_request_write(rt_buffer *out, const rt_fusion_request *request);
void rt_fusion_result_write(rt_buffer *out, const rt_fusion_result *result);

/* Reads the serialised form: spans point into the input; tables are allocated in the arena.  The
 * values satisfy everything that this header states about counts, indices and ranges.  A damaged
 * request leaves the reader failed.  A result that cannot be read is empty; MALFORMED: it is
 * damaged (the message gives the offset); LIMIT: from rt_image_list_read. */
rt_fusion_request rt_fusion_request_read(rt_arena *arena, rt_reader *reader);
RT_MUST_USE rt_status rt_fusion_result_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes,
                                            rt_fusion_result *out_result);

#endif
