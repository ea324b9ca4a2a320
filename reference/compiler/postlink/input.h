/* The input of post-link: turns the sources of one module into one LLVM module, with the attributes
 * that document 003 expects from the front end ("DPC++ front-end changes"). */
#ifndef REFERENCE_COMPILER_POSTLINK_INPUT_H
#define REFERENCE_COMPILER_POSTLINK_INPUT_H

#include "reference/compiler/postlink/device_globals.h"
#include "reference/compiler_api.h"

/* The attribute that makes a function SYCL_EXTERNAL; its value names the translation unit.  Kernels
 * have it too, because the split per source groups them by it, and so do variables that other
 * images may import. */
#define PL_MODULE_ID "sycl-module-id"

/* Links the sources and collects their device_globals. The caller owns *out_module, which is NULL
 * on failure. MALFORMED: LLVM rejects a source; POSTLINK_ERROR: several sources define a symbol
 * (the diagnostic names all duplicates), or a source has a feature that refuse.h refuses; otherwise
 * as the `_take` functions of virtual_functions.h, spec_constants.h and device_globals.h. */
RT_MUST_USE rt_status pl_input_link(pl_job *job, const rt_postlink_request *request,
                                    pl_device_globals *globals, LLVMModuleRef *out_module);

#endif
