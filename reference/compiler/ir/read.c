/* Reads LLVM IR that was written by hand or by another tool, in place of a front end's output.
 *
 * It may be text or bitcode; LLVM distinguishes them. Errors have the front ends' form, with the
 * line and column in the text. Source: LLVM Language Reference Manual. */
#include "reference/compiler/ir/read.h"

#include "reference/compiler/ir/data_layout.h"
#include "reference/compiler/ir/job.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/version.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>

#include <string.h>

RT_PRINTF(3, 4)
static rt_status refuse(pl_job *job, rt_text name, const char *problem, ...)
{
    rt_buffer text = {0};
    va_list arguments;
    va_start(arguments, problem);
    rt_buffer_vprintf(&text, problem, arguments);
    va_end(arguments);
    rt_status status = rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE, "%.*s: error: %s",
                               RT_TEXT_ARG(name), rt_buffer_string(&text));
    rt_buffer_free(&text);
    return status;
}

/* Checks the data layout that a module in text form states, if it states one. Strings in LLVM IR
 * have no escaped quotes. */
static rt_status check_layout(pl_job *job, rt_text name, rt_bytes ir)
{
    static const char key[] = "target datalayout";
    const char *text = (const char *)ir.data, *end = text + ir.size;
    const char *found = ir.size > 0 ? memmem(text, ir.size, key, sizeof key - 1) : NULL;
    const char *start = found ? memchr(found, '"', (size_t)(end - found)) : NULL;
    const char *stop = start ? memchr(start + 1, '"', (size_t)(end - start) - 1) : NULL;
    if (!stop) return RT_STATUS_OK;
    CHECK(text <= start && start < stop && stop < end);
    rt_text layout = {start + 1, (size_t)(stop - start) - 1};
    rt_buffer reason = {0};
    rt_status status = RT_STATUS_OK;
    if (!pl_data_layout_check(layout, &reason))
        status = refuse(job, name, "the data layout '%.*s' is invalid: %s", RT_TEXT_ARG(layout),
                        rt_buffer_string(&reason));
    rt_buffer_free(&reason);
    return status;
}

static rt_status parse(pl_job *job, rt_text name, rt_bytes ir, LLVMModuleRef *out_module)
{
    rt_text label = rt_arena_text(&job->arena, name); /* the copy in the arena ends in a NUL */
    LLVMMemoryBufferRef memory =
        LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)ir.data, ir.size, label.data);
    char *reason = NULL;
    *out_module = NULL;
    if (!LLVMParseIRInContext(job->context, memory, out_module, &reason)) return RT_STATUS_OK;
    /* NAME:LINE:COLUMN: error: TEXT, followed by the source line. */
    rt_text message = {reason, strcspn(reason, "\n")};
    rt_status status = rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE, "%.*s", RT_TEXT_ARG(message));
    LLVMDisposeMessage(reason);
    *out_module = NULL;
    return status;
}

static rt_status verify(pl_job *job, rt_text name, LLVMModuleRef module)
{
    char *reason = NULL;
    rt_status status = RT_STATUS_OK;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &reason)) {
        /* LLVM's verifier prints the error and, on the next line, the instruction. */
        rt_buffer line = {0};
        for (const char *at = reason; *at; at++) {
            if (*at != '\n') {
                rt_buffer_append_byte(&line, *at);
            } else if (at[1]) {
                rt_buffer_printf(&line, "; ");
            }
        }
        status = refuse(job, name, "invalid LLVM IR: %s", rt_buffer_string(&line));
        rt_buffer_free(&line);
    }
    LLVMDisposeMessage(reason);
    return status;
}

/* Reports whether a layout agrees with spir64's as far as code can observe: byte order, the size of
 * pointers, the alignment of numbers and vectors. Other front ends write their layouts differently.
 */
static bool is_laid_out(pl_job *job, LLVMModuleRef module)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    LLVMTypeRef number = LLVMInt64TypeInContext(job->context);
    LLVMTypeRef vector = LLVMVectorType(LLVMInt32TypeInContext(job->context), 3);
    bool agrees = LLVMByteOrder(layout) == LLVMLittleEndian;
    for (unsigned space = 0; space < PL_SPACE_COUNT; space++)
        agrees = agrees && LLVMPointerSizeForAS(layout, space) == 8;
    return agrees && LLVMABIAlignmentOfType(layout, number) == 8 &&
           LLVMABIAlignmentOfType(layout, vector) == 16;
}

/* A module that states no target is for spir64. Code for nvptx64 comes only from front ends, which
 * set triple and layout. */
static rt_status set_target(pl_job *job, rt_text name, rt_format format, LLVMModuleRef module)
{
    rt_text triple = rt_text_of(LLVMGetTarget(module));
    if (format == RT_FORMAT_PTX) {
        if (rt_text_starts(triple, "nvptx64-")) return RT_STATUS_OK;
        return refuse(job, name, "the target triple is '%.*s'; code for PTX needs one for nvptx64",
                      RT_TEXT_ARG(triple));
    }
    if (triple.length > 0 && !rt_text_is(triple, "spir64") && !rt_text_starts(triple, "spir64-"))
        return refuse(job, name,
                      "the target triple is '%.*s'; device code must have the triple 'spir64' or "
                      "none",
                      RT_TEXT_ARG(triple));
    if (triple.length == 0) LLVMSetTarget(module, "spir64");
    if (LLVMGetDataLayoutStr(module)[0] == '\0') LLVMSetDataLayout(module, pl_spir64_layout);
    if (is_laid_out(job, module)) return RT_STATUS_OK;
    return refuse(job, name,
                  "the data layout '%s' differs from spir64's; leave it out, or write '%s'",
                  LLVMGetDataLayoutStr(module), pl_spir64_layout);
}

/* The translator recognises OpenCL C's builtins only in a module that states its OpenCL version.
 */
static void set_language(pl_job *job, LLVMModuleRef module)
{
    static const char language[] = "opencl.ocl.version";
    if (LLVMGetNamedMetadataNumOperands(module, language) > 0) return;
    if (LLVMGetNamedMetadataNumOperands(module, "spirv.Source") > 0) return;
    LLVMTypeRef number = LLVMInt32TypeInContext(job->context);
    LLVMMetadataRef version[] = {LLVMValueAsMetadata(pl_integer(number, 2)),
                                 LLVMValueAsMetadata(LLVMConstNull(number))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(job->context, version, 2);
    LLVMAddNamedMetadataOperand(module, language, LLVMMetadataAsValue(job->context, node));
}

rt_status pl_read_ir(rt_sink *sink, rt_text name, rt_bytes ir, rt_format format,
                     rt_buffer *out_bitcode)
{
    CHECK(name.length > 0 && out_bitcode->size == 0);
    CHECK(format == RT_FORMAT_SPIRV64 || format == RT_FORMAT_PTX);
    pl_job job;
    pl_job_open(&job, sink);
    LLVMModuleRef module = NULL;
    rt_status status = check_layout(&job, name, ir);
    if (rt_ok(status)) status = parse(&job, name, ir, &module);
    if (rt_ok(status)) {
        status = verify(&job, name, module);
        if (rt_ok(status)) status = set_target(&job, name, format, module);
        if (rt_ok(status)) {
            set_language(&job, module);
            pl_write_bitcode(module, out_bitcode);
        }
        LLVMDisposeModule(module);
    }
    pl_job_close(&job);
    return status;
}
