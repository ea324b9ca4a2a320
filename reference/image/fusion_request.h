/* What the runtime asks of the fusion compiler, and what it gets back.
 *
 * The runtime keeps the fusion list, decides which launch geometry the fused kernel has and which
 * arguments are the same; the compiler (reference/compiler, a plugin) makes one kernel of the list.
 * Source: document 001 (KernelFusionJIT.md), "Fusion Process". */
#ifndef REFERENCE_IMAGE_FUSION_REQUEST_H
#define REFERENCE_IMAGE_FUSION_REQUEST_H

#include "reference/image/image.h"
#include "reference/image/link_code.h"

/* A launch geometry in the order of get_global_id: index 0 is the fastest, while the document
 * counts SYCL's indices, of which 0 is the slowest. */
typedef struct rt_fusion_range {
    uint32_t dimensions; /* 1 to 3; entries past it are 1, 1 and 0 */
    uint64_t global[RT_ND_RANGE_DIMENSIONS];
    uint64_t local[RT_ND_RANGE_DIMENSIONS]; /* all 0: open */
    uint64_t offset[RT_ND_RANGE_DIMENSIONS];
} rt_fusion_range;

/* A parameter of a kernel of the list. */
typedef struct rt_fusion_place {
    uint32_t kernel;    /* index in the list */
    uint32_t parameter; /* index in that kernel's signature */
} rt_fusion_place;

/* One kernel of the list, in the order of submission; the same may occur several times. */
typedef struct rt_fusion_kernel {
    rt_text name;              /* of its entry point */
    const rt_link_code *codes; /* its image and those that were linked with it, >= 1 */
    uint32_t code_count;
    rt_fusion_range range;
} rt_fusion_kernel;

/* Two parameters that get the same argument: `same` is dropped and uses `as`, which comes earlier
 * and is itself in no `same`. */
typedef struct rt_fusion_identity {
    rt_fusion_place as, same;
} rt_fusion_identity;

typedef enum rt_fusion_promotion_kind {
    RT_FUSION_PRIVATE, /* a work-item's own */
    RT_FUSION_LOCAL,   /* a work-group's own */
} rt_fusion_promotion_kind;

/* A buffer that need not exist in global memory. */
typedef struct rt_fusion_promotion {
    rt_fusion_place parameter; /* in no `same` of an identity */
    rt_fusion_promotion_kind kind;
    uint64_t elements;      /* >= 1: of one work-item or of one work-group */
    uint64_t element_bytes; /* >= 1 */
} rt_fusion_promotion;

/* A value known at fusion, which becomes a constant of the code. */
typedef struct rt_fusion_constant {
    rt_fusion_place parameter; /* passed by value, in no `same` of an identity */
    rt_bytes value;            /* of the parameter's size */
} rt_fusion_constant;

typedef struct rt_fusion_request {
    rt_text name; /* of the fused kernel */
    const rt_fusion_kernel *kernels;
    uint32_t kernel_count;
    rt_fusion_range
        range;     /* of the fused kernel; chosen by the caller according to "Restrictions" */
    bool barriers; /* between kernels; false: property no_barriers */
    const rt_fusion_identity *identities;
    uint32_t identity_count;
    const rt_fusion_promotion *promotions;
    uint32_t promotion_count;
    const rt_fusion_constant *constants;
    uint32_t constant_count;
    /* Symbols of variables in global memory that the fused program shares with others: each is one
     * variable, which it exports.  Of any other that kernels write it would have a copy. */
    const rt_text *variables;
    uint32_t variable_count;
    /* Bytes of a work-group's local memory that are left for variables, the kernels' own and
     * promoted buffers; 0: unknown, or nothing is to be promoted into it, so that the result
     * can be used on devices of any size. */
    uint64_t local_size_max;
    rt_format format;           /* of the images that the codes are from, and of the result */
    uint32_t spirv_version_max; /* as in rt_postlink_request */
} rt_fusion_request;

/* What came out, in the serialised form that the table's `fuse` writes. */
typedef struct rt_fusion_result {
    rt_image image;                    /* one kernel, of the request's name */
    const rt_fusion_place *parameters; /* where each parameter of the fused kernel comes from, in
                                          its order; constants and joined ones are not there */
    uint32_t parameter_count;
    const bool *promoted;   /* for each promotion asked for, whether it was made */
    const rt_text *reasons; /* and why it was refused; empty where it was made */
    uint32_t promotion_count;
    uint64_t local_size; /* bytes of local memory that its variables may take, promoted buffers too;
                            rt_fusion_local_bytes of each */
} rt_fusion_result;

/* Bytes of local memory that an object of size bytes may take: devices place objects at multiples
 * of the largest alignment of an OpenCL type (OpenCL C 3.0, 6.3.5 "Alignment of Types"). */
static inline uint64_t rt_fusion_local_bytes(uint64_t size)
{
    enum { ALIGNMENT = 128 };
    return size > UINT64_MAX - ALIGNMENT ? UINT64_MAX
                                         : (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Appends the serialised form of a request or a result.  Equal requests have equal bytes, so that
 * their hash is a key of what was fused. */
void rt_fusion_request_write(rt_buffer *out, const rt_fusion_request *request);
void rt_fusion_result_write(rt_buffer *out, const rt_fusion_result *result);

/* Reads what the writers wrote: spans point into the input, tables are allocated in the arena.
 * Whatever the header says of counts, indices and ranges holds of what is read.  A damaged request
 * leaves the reader failed.  Result, MALFORMED: damaged, with the offset. */
rt_fusion_request rt_fusion_request_read(rt_arena *arena, rt_reader *reader);
RT_MUST_USE rt_status rt_fusion_result_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes,
                                            rt_fusion_result *out_result);

#endif
