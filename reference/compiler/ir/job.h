/* The state of one call to the plugin (an LLVM context, an arena, and the sink for errors), and
 * target-specific numbers for which LLVM's C interface has no names.
 *
 * A job is used by one thread; jobs share nothing, so several may run at once. */
#ifndef REFERENCE_COMPILER_IR_JOB_H
#define REFERENCE_COMPILER_IR_JOB_H

#include "reference/base/arena.h"
#include "reference/base/format.h"
#include "reference/base/map.h"
#include "reference/base/profile.h"
#include "reference/base/status.h"
#include "reference/base/vector.h"

#include <llvm-c/Core.h>

/* Address spaces of spir64 (SPIR 1.2, "Address space qualifiers"). */
enum {
    PL_SPACE_PRIVATE = 0,
    PL_SPACE_GLOBAL = 1,
    PL_SPACE_CONSTANT = 2,
    PL_SPACE_LOCAL = 3,
    PL_SPACE_GENERIC = 4,
    PL_SPACE_COUNT
};

/* Address spaces of nvptx64 (LLVM 14, "User Guide for NVPTX Back-end"). */
enum {
    PL_PTX_SPACE_GENERIC = 0,
    PL_PTX_SPACE_GLOBAL = 1,
    PL_PTX_SPACE_SHARED = 3,
    PL_PTX_SPACE_CONSTANT = 4
};

/* Calling conventions (llvm/IR/CallingConv.h). */
enum { PL_PTX_KERNEL = 71, PL_SPIR_FUNCTION = 75, PL_SPIR_KERNEL = 76 };

typedef RT_VECTOR(rt_text) pl_text_list;

typedef struct pl_job {
    rt_sink *sink; /* borrowed */
    LLVMContextRef context;
    rt_arena arena;      /* freed when the job is closed */
    rt_buffer errors;    /* LLVM's errors since the buffer was last freed, joined by "; " */
    rt_profile profile;  /* post-link: the implementation to imitate */
    rt_format format;    /* the images' format; determines the target of the code */
    bool device_globals; /* post-link: handle device_global variables as such */
    /* PTX from SPIR-V, where builtin functions have the names that they have for spir64: the
     * functions that the code imports, whatever their names; NULL: PTX from source, where the front
     * end has told them from builtin functions. */
    const rt_map *spirv_imports;
} pl_job;

/* Opens a job.  Its context collects LLVM's errors; a context without a handler would call exit()
 * at the first one. */
void pl_job_open(pl_job *job, rt_sink *sink);

/* Frees the arena and the context; all modules of the context must have been disposed of. */
void pl_job_close(pl_job *job);

/* The errors that LLVM reported, on one line, or "no reason given". */
const char *pl_job_reason(const pl_job *job);

/* The name of a value, copied into the job's arena and followed by a NUL. */
rt_text pl_job_name(pl_job *job, LLVMValueRef value);

/* Moves a list into the job's arena: copies it and frees the vector. */
const rt_text *pl_job_keep_texts(pl_job *job, pl_text_list *texts, uint32_t *out_count);

/* Parses bitcode into a module of the job's context and verifies it. MALFORMED with LLVM's reason;
 * `label` names the input in the message ("source app/0"). *out_module is NULL on failure. */
RT_MUST_USE rt_status pl_module_parse(pl_job *job, rt_bytes bitcode, rt_text label,
                                      LLVMModuleRef *out_module);

/* Verifies a module after one of our changes, which `after` names. TOOL, with LLVM's reason: the
 * module is invalid, which is a bug in assay or LLVM. */
RT_MUST_USE rt_status pl_module_verify(pl_job *job, LLVMModuleRef module, const char *after);

/* Reports whether a function is a kernel entry (calling convention SPIR_KERNEL). */
bool pl_is_kernel(LLVMValueRef function);

/* Turns a kernel into an ordinary function, and calls to it into ordinary calls. */
void pl_make_plain_function(LLVMValueRef kernel);

/* True if no other source can refer to the symbol by name: it is static, or its body exists only to
 * be inlined. */
bool pl_is_local(LLVMValueRef value);

/* Links `source` (consumed) into `target`; their symbols must not clash. If LLVM cannot link them,
 * fails with `code`, POSTLINK_ERROR or LINK_ERROR, and LLVM's reason. */
RT_MUST_USE rt_status pl_module_link(pl_job *job, rt_code code, LLVMModuleRef target,
                                     LLVMModuleRef source);

#endif
