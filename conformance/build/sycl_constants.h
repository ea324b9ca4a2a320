/* Specialisation constants of SYCL sources.
 *
 * The SYCL compiler turns each read of a specialization_id into a call of a function that it only
 * declares, with the constant's symbolic id and its default value as arguments; sycl-post-link, a
 * later tool of DPC++, replaces the calls with SPIR-V's specialisation constants. The compiler
 * inside libsycl ends before that, so this file does that tool's work. Source: intel/llvm,
 * sycl/doc/design/SYCL2020-SpecializationConstants.md, "sycl-post-link".
 *
 * The same reader of constants finds the initial values of device_globals. */
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

/* The initial value, `size` bytes in the arena, of the device_global that the code calls by this
 * unique id. Empty: zeros. The shipped compiler's class has the value after the
 * pointer (findings: libsycl/value-class-has-both-members), so the device code contains what the
 * host's object begins with. */
rt_bytes cnf_sycl_initial_value(rt_arena *arena, rt_bytes code, rt_text id, uint64_t size);

/* The initial value of a device_global that may be constructed as a copy of another one, in code
 * whose copy constructor leaves the address of the original in the pointer (sycl_copies.c): that of
 * the original. Empty: zeros. False: the original is of another type. */
RT_MUST_USE bool cnf_sycl_copied_value(rt_arena *arena, rt_bytes code, rt_text id, uint64_t size,
                                       rt_bytes *out_value);

#endif
