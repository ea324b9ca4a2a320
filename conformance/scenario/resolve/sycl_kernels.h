/* Translates what scenarios say about kernels of SYCL sources into the terms of images and devices.
 */
#ifndef CONFORMANCE_SCENARIO_SYCL_KERNELS_H
#define CONFORMANCE_SCENARIO_SYCL_KERNELS_H

#include "conformance/scenario/model/model.h"

/* The name that a SYCL kernel has in its source, in the arena: NAME, NAMESPACE::NAME or
 * NAME<ARGUMENTS> of a free-function kernel or of the class that names a lambda. Empty: the symbol
 * is neither, or contains something that this does not read (compound types). Source: Itanium C++
 * ABI, 5.1 "External Names (a.k.a. Mangling)"; the prefix __sycl_kernel_ is that of
 * sycl_ext_oneapi_free_function_kernels in the shipped compiler. */
rt_text scn_sycl_name(rt_arena *arena, rt_text symbol);

/* The name that a variable has in its source, in the arena, from its sycl-unique-id: NAME or
 * NAMESPACE::NAME after the part that distinguishes translation units; "(anonymous namespace)"
 * stands for an unnamed one. Empty: the id contains something that this does not read. Source: as
 * above; intel/llvm, __builtin_sycl_unique_stable_id. */
rt_text scn_sycl_variable_name(rt_arena *arena, rt_text id);

/* Replaces, in the steps of a scenario whose modules have their images, each name of a kernel that
 * no image has by the symbol of the one SYCL kernel with that name in its source; and reverses the
 * ranges of launches of such kernels, since the first dimension of SYCL varies slowest, and that of
 * a device's range fastest. Tables that change are copied into the arena. False if a launch or a
 * bundle, or an expectation of a bundle, names several kernels; *out_at is the place and
 * *out_problem the message. */
bool scn_sycl_kernels_resolve(rt_arena *arena, scn_scenario *scenario, scn_position *out_at,
                              rt_text *out_problem);

#endif
