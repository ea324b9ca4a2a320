/* Specialisation constants of SYCL sources.
 *
 * The SYCL compiler turns each read of a specialization_id into a call of a function that it only
 * declares, with the constant's symbolic id and its default value as arguments; sycl-post-link, a
 * later tool of DPC++, replaces the calls with SPIR-V's specialisation constants. The compiler
 * inside libsycl ends before that, so this file does that tool's work. Source: intel/llvm,
 * sycl/doc/design/SYCL2020-SpecializationConstants.md, "sycl-post-link". */
#ifndef CONFORMANCE_BUILD_SYCL_CONSTANTS_H
#define CONFORMANCE_BUILD_SYCL_CONSTANTS_H

#include "reference/base/arena.h"
#include "reference/base/status.h"
#include "reference/image/image.h"

/* Replaces the calls in an image's code, drops the functions and variables that only they used, and
 * adds the property sets of the constants; everything new is in the arena. An image without such
 * calls is unchanged. False, and the image is unchanged: the code is not what the compiler is known
 * to write, and *out_problem (static) says where. */
RT_MUST_USE bool cnf_sycl_constants_place(rt_arena *arena, rt_image *image,
                                          const char **out_problem);

#endif
