/* Translates what scenarios say about SYCL kernels into the terms that images and devices use.
 */
#ifndef CONFORMANCE_SCENARIO_SYCL_KERNELS_H
#define CONFORMANCE_SCENARIO_SYCL_KERNELS_H

#include "conformance/scenario/model/model.h"

/* The name that a SYCL kernel has in its source, in the arena: NAME, NAMESPACE::NAME or
 * NAME<ARGUMENTS> of a free-function kernel, or of the class that names a lambda. Empty: the symbol
 * is neither, or contains something that is not parsed here (such as compound types). Source:
 * Itanium C++ ABI, 5.1 "External Names (a.k.a. Mangling)"; the prefix __sycl_kernel_ is that of
 * sycl_ext_oneapi_free_function_kernels in the shipped compiler. */
rt_text scn_sycl_name(rt_arena *arena, rt_text symbol);

/* The name that a variable has in its source, in the arena, from its sycl-unique-id: NAME or
 * NAMESPACE::NAME, taken from after the part that distinguishes translation units; "(anonymous
 * namespace)" stands for an unnamed namespace. Empty: the id contains something that is not parsed
 * here. Source: as above; intel/llvm, __builtin_sycl_unique_stable_id. */
rt_text scn_sycl_variable_name(rt_arena *arena, rt_text id);

/* In the steps of a scenario whose modules have their images, replaces each kernel name that no
 * image has with the symbol of the only SYCL kernel that has this name in its source. Reverses the
 * ranges of launches of SYCL kernels, because the first dimension varies slowest in SYCL but
 * fastest in a device's range. Tables that change are copied into the arena. False if a name in a
 * launch, a bundle or an expectation of a bundle stands for several kernels; *out_at is then the
 * position and *out_problem the message. */
bool scn_sycl_kernels_resolve(rt_arena *arena, scn_scenario *scenario, scn_position *out_at,
                              rt_text *out_problem);

#endif
