/* What a SPIR-V module says about itself: for which API it is, and which parameters its kernels
 * have. For people: listings, proposals and refusals; nothing is executed from it. */
#ifndef CONFORMANCE_BUILD_SPIRV_OUTLINE_H
#define CONFORMANCE_BUILD_SPIRV_OUTLINE_H

#include "reference/base/arena.h"

typedef enum cnf_parameter_kind {
    CNF_PARAMETER_GLOBAL,   /* a pointer to global memory */
    CNF_PARAMETER_CONSTANT, /* a pointer to constant memory */
    CNF_PARAMETER_LOCAL,    /* a pointer to local memory */
    CNF_PARAMETER_VALUE,
    CNF_PARAMETER_OTHER, /* an image, a sampler, a pipe: scenarios cannot pass one */
} cnf_parameter_kind;

typedef struct cnf_parameter {
    rt_text name; /* OpName; empty: the module has none */
    cnf_parameter_kind kind;
    /* The type that it points to, or its own, as scenarios write it: "float4"; empty: a struct, or
     * not a type of scenarios. SPIR-V integers have no sign, so "int" also stands for uint. */
    rt_text type;
    uint64_t size; /* of that type, in bytes; 0: unknown */
} cnf_parameter;

typedef struct cnf_kernel_outline {
    rt_text name;
    const cnf_parameter *parameters;
    uint32_t parameter_count;
} cnf_kernel_outline;

typedef struct cnf_spirv_outline {
    const cnf_kernel_outline *kernels;
    uint32_t kernel_count;
} cnf_spirv_outline;

/* Reads the kernels of a module, in either byte order, into the arena. False: not SPIR-V, or
 * truncated. Source: SPIR-V specification 1.6, sections 2.3, 3.42. */
bool cnf_spirv_outline_read(rt_arena *arena, rt_bytes module, cnf_spirv_outline *out_outline);

/* The kernel of that name; NULL: there is none. */
const cnf_kernel_outline *cnf_spirv_outline_kernel(const cnf_spirv_outline *outline, rt_text name);

/* True if the module is for Vulkan or OpenGL: its memory model is one of theirs. *out_sign is then
 * that model: "memory model GLSL450" (static). */
bool cnf_spirv_is_graphics(rt_arena *arena, rt_bytes module, const char **out_sign);

#endif
