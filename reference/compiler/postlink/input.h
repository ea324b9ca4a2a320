/* What post-link is given: the sources of one module, brought to one LLVM module whose functions
 * carry what the front end owes them (document 003, "DPC++ front-end changes"). */
#ifndef REFERENCE_COMPILER_POSTLINK_INPUT_H
#define REFERENCE_COMPILER_POSTLINK_INPUT_H

#include "reference/compiler/postlink/device_globals.h"
#include "reference/compiler_api.h"

/* The function attribute that makes a function SYCL_EXTERNAL; its value names the translation unit.
 * Kernels carry it too, because per-source split groups them by it, and so do variables that other
 * images may import. */
#define PL_MODULE_ID "sycl-module-id"

/* Links the sources and enters their device_globals.  MALFORMED: a source that LLVM refuses;
 * POSTLINK_ERROR: symbols that more than one source defines, all of them named; otherwise as
 * pl_device_globals_take.  *out_module belongs to the caller, NULL on failure. */
RT_MUST_USE rt_status pl_input_link(pl_job *job, const rt_postlink_request *request,
                                    pl_device_globals *globals, LLVMModuleRef *out_module);

#endif
