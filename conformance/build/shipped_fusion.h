/* Kernel fusion by the original compiler, the one that document 001 describes: `fuseKernels` of
 * libsycl-jit.so, which wheels intel-sycl-rt 2025.2.0 to 2025.2.2 still export; newer ones do not.
 *
 * Some inputs end the process (docs/fusion.md), so only the worker calls it. */
#ifndef CONFORMANCE_BUILD_SHIPPED_FUSION_H
#define CONFORMANCE_BUILD_SHIPPED_FUSION_H

#include "conformance/build/worker.h"

/* Fuses the request's kernels with the library that ci/setup --with fusion installs, and appends
 * what rt_fusion_result_read reads to worker->artefact. The plugin, which must be open, links
 * kernels whose code is in several modules, and describes the result. FUSION_REJECTED: the library
 * refuses the list, with its message; UNSUPPORTED: the list's code is not SPIR-V; MALFORMED: a
 * kernel is not in its code; LINK_ERROR: the modules of a kernel do not link; UNAVAILABLE: the
 * library is not installed. Source: intel/llvm (2025), sycl-jit, common/include/Kernel.h and
 * jit-compiler/include/KernelFusion.h. */
RT_MUST_USE rt_status cnf_shipped_fuse(cnf_worker *worker, const rt_fusion_request *request);

#endif
