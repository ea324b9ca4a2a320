/* The arguments of the kernels of a list, as the fusion compiler sees them: which are identical,
 * which values are known, and which buffers become private or local memory.
 *
 * Source: document 001 (KernelFusionJIT.md), "Kernel fusion pipeline" and "Passing information to
 * the fusion pipeline"; extension sycl_ext_codeplay_kernel_fusion, the table of promotions
 * (requirements.yaml, key dpcpp, tags B34 to B44). */
#ifndef REFERENCE_FUSION_PARAMETERS_H
#define REFERENCE_FUSION_PARAMETERS_H

#include "reference/base/profile.h"
#include "reference/image/fusion_request.h"
#include "reference/sched/sched.h"

/* A kernel of the list, with the arguments that its code takes. */
typedef struct rt_fusion_input {
    rt_launch launch;
    rt_fusion_range range;
} rt_fusion_input;

/* A buffer that is not promoted although a promotion was requested. */
typedef struct rt_fusion_demotion {
    rt_text memory, reason;
} rt_fusion_demotion;

/* Everything is allocated in the arena that was passed at creation, or borrowed from the inputs. */
typedef struct rt_fusion_parameters {
    const rt_fusion_identity *identities;
    const rt_fusion_promotion *promotions;
    const rt_text *promoted; /* names of the promoted memories */
    const rt_fusion_constant *constants;
    const rt_fusion_demotion *demotions;
    uint32_t identity_count, promotion_count, constant_count, demotion_count;
} rt_fusion_parameters;

/* Determines the parameters for count >= 1 inputs under the fused range; without a range (NULL),
 * the inputs are examined but nothing is promoted. Buffers and arguments in local memory share
 * local_size_max bytes per work-group; buffers get their share in order, and those that no longer
 * fit stay in global memory. ERRC_INVALID: an accessor requests a promotion that differs from its
 * buffer's (tag B35). */
RT_MUST_USE rt_status rt_fusion_parameters_make(rt_sink *sink, rt_profile profile, rt_arena *arena,
                                                const rt_fusion_input *inputs, uint32_t count,
                                                const rt_fusion_range *fused,
                                                uint64_t local_size_max,
                                                rt_fusion_parameters *out_parameters);

#endif
