/* What one call of the plugin works with: an LLVM context, an arena, and where errors go.
 *
 * A job is used by one thread; jobs share nothing, so several may run at once. */
#ifndef REFERENCE_COMPILER_IR_JOB_H
#define REFERENCE_COMPILER_IR_JOB_H

#include "reference/base/arena.h"
#include "reference/base/format.h"
#include "reference/base/profile.h"
#include "reference/base/status.h"

#include <llvm-c/Core.h>

typedef struct pl_job {
    rt_sink *sink; /* borrowed */
    LLVMContextRef context;
    rt_arena arena;      /* freed when the job is closed */
    rt_buffer errors;    /* what LLVM reported since it was last cleared, a line each */
    rt_profile profile;  /* post-link: whose it is */
    rt_format format;    /* of the images, which decides what the code is for */
    bool device_globals; /* post-link: whether it treats device_globals */
} pl_job;

/* Opens a job.  LLVM's errors are collected instead of ending the process: without a handler of its
 * own, a context calls exit() at the first one. */
void pl_job_open(pl_job *job, rt_sink *sink);

/* Frees the arena and the context.  Modules of the context are disposed of before. */
void pl_job_close(pl_job *job);

/* What LLVM reported, on one line, or "no reason given". */
const char *pl_job_reason(const pl_job *job);

/* Copies an LLVM name (a symbol) into the job's arena. */
rt_text pl_job_name(pl_job *job, LLVMValueRef value);

/* Parses bitcode into a module of the job's context and verifies it.  MALFORMED with LLVM's reason;
 * `what` names the input in the message ("source app/0").  *out_module is NULL on failure. */
RT_MUST_USE rt_status pl_module_parse(pl_job *job, rt_bytes bitcode, rt_text what,
                                      LLVMModuleRef *out_module);

/* Verifies a module that we changed.  A fault is ours or a tool's: TOOL, with LLVM's reason. */
RT_MUST_USE rt_status pl_module_verify(pl_job *job, LLVMModuleRef module, const char *after);

/* Reports whether a function is a kernel entry (calling convention SPIR_KERNEL). */
bool pl_is_kernel(LLVMValueRef function);

/* Makes an ordinary function of a kernel that is copied for its caller; its calls become ordinary
 * ones too. */
void pl_make_plain_function(LLVMValueRef kernel);

/* Reports whether other sources cannot know a definition by its name: it is static, or a body that
 * is only there to be copied. */
bool pl_is_local(LLVMValueRef value);

/* Links `source` (consumed) into `target`, whose symbols do not clash.  POSTLINK_ERROR or
 * LINK_ERROR (`code`) with LLVM's reason. */
RT_MUST_USE rt_status pl_module_link(pl_job *job, rt_code code, LLVMModuleRef target,
                                     LLVMModuleRef source);

#endif
