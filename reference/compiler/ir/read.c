/* LLVM IR that was written by hand or by another tool takes the place of a front end's output.
 *
 * Text or bitcode; LLVM tells them apart.  Errors have the front ends' form, with line and column
 * of the text.  Source: LLVM Language Reference Manual of version 14. */
#include "reference/compiler/ir/read.h"

#include "reference/compiler/ir/data_layout.h"
#include "reference/compiler/ir/job.h"
#include "reference/compiler/ir/values.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>

#include <string.h>

/* The data layout that clang 14 gives spir64. */
#define SPIR64_LAYOUT                                                                              \
    "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"

static rt_text first_line(const char *text)
{
    return (rt_text){text, strcspn(text, "\n")};
}

/* LLVM's verifier prints the fault and, on the next line, the instruction. */
static rt_text one_line(pl_job *job, const char *text)
{
    rt_buffer line = {0};
    for (const char *at = text; *at; at++) {
        if (*at != '\n') {
            rt_buffer_append_byte(&line, *at);
        } else if (at[1]) {
            rt_buffer_printf(&line, "; ");
        }
    }
    rt_text kept = rt_arena_text(&job->arena, rt_buffer_text(&line));
    rt_buffer_free(&line);
    return kept;
}

static rt_status refuse(pl_job *job, rt_text name, rt_text problem)
{
    return rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE, "%.*s: error: %.*s", RT_TEXT_ARG(name),
                   RT_TEXT_ARG(problem));
}

/* The layout that a module in text names; empty where it names none.  LLVM's strings have no
 * escaped quotes. */
static rt_text named_layout(rt_bytes ir)
{
    static const char key[] = "target datalayout";
    rt_text text = {(const char *)ir.data, ir.size};
    const char *found =
        text.length > 0 ? memmem(text.data, text.length, key, sizeof key - 1) : NULL;
    const char *end = text.data + text.length;
    const char *start = found ? memchr(found, '"', (size_t)(end - found)) : NULL;
    const char *stop = start ? memchr(start + 1, '"', (size_t)(end - start) - 1) : NULL;
    return stop ? (rt_text){start + 1, (size_t)(stop - start) - 1} : (rt_text){0};
}

static rt_status check_layout(pl_job *job, rt_text name, rt_bytes ir)
{
    rt_text layout = named_layout(ir);
    rt_buffer reason = {0};
    rt_status status = RT_STATUS_OK;
    if (layout.length > 0 && !pl_data_layout_check(layout, &reason)) {
        rt_text problem = rt_arena_printf(&job->arena, "the data layout '%.*s' is invalid: %s",
                                          RT_TEXT_ARG(layout), rt_buffer_string(&reason));
        status = refuse(job, name, problem);
    }
    rt_buffer_free(&reason);
    return status;
}

static rt_status parse(pl_job *job, rt_text name, rt_bytes ir, LLVMModuleRef *out_module)
{
    rt_text label = rt_arena_text(&job->arena, name); /* a NUL follows it there */
    LLVMMemoryBufferRef memory =
        LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)ir.data, ir.size, label.data);
    char *reason = NULL;
    *out_module = NULL;
    if (!LLVMParseIRInContext(job->context, memory, out_module, &reason)) return RT_STATUS_OK;
    /* NAME:LINE:COLUMN: error: TEXT, then the line of the source. */
    rt_text message = first_line(reason);
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
        rt_text problem = rt_arena_printf(&job->arena, "invalid LLVM IR: %.*s",
                                          RT_TEXT_ARG(one_line(job, reason)));
        status = refuse(job, name, problem);
    }
    LLVMDisposeMessage(reason);
    return status;
}

/* Reports whether a layout agrees with spir64's as far as code can see: byte order, the size of
 * pointers, the alignment of numbers and vectors.  Other front ends word their layouts otherwise.
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

/* A module that names no target is for spir64. */
static rt_status set_target(pl_job *job, rt_text name, LLVMModuleRef module)
{
    rt_text triple = rt_text_of(LLVMGetTarget(module));
    if (triple.length > 0 && !rt_text_is(triple, "spir64") && !rt_text_starts(triple, "spir64-")) {
        return refuse(job, name,
                      rt_arena_printf(&job->arena,
                                      "the target triple is '%.*s'; device code is for 'spir64', "
                                      "or names no target",
                                      RT_TEXT_ARG(triple)));
    }
    if (triple.length == 0) LLVMSetTarget(module, "spir64");
    if (LLVMGetDataLayoutStr(module)[0] == '\0') LLVMSetDataLayout(module, SPIR64_LAYOUT);
    if (is_laid_out(job, module)) return RT_STATUS_OK;
    return refuse(job, name,
                  rt_arena_printf(&job->arena,
                                  "the data layout '%s' differs from spir64's; leave it out, "
                                  "or write '" SPIR64_LAYOUT "'",
                                  LLVMGetDataLayoutStr(module)));
}

/* Code for nvptx64 comes from front ends only, which name triple and layout. */
static rt_status check_target(pl_job *job, rt_text name, LLVMModuleRef module)
{
    rt_text triple = rt_text_of(LLVMGetTarget(module));
    if (rt_text_starts(triple, "nvptx64-")) return RT_STATUS_OK;
    return refuse(job, name,
                  rt_arena_printf(&job->arena, "the target triple is '%.*s', not nvptx64's",
                                  RT_TEXT_ARG(triple)));
}

/* The translator recognises OpenCL C's builtins only in a module that states its version of OpenCL.
 */
static void set_language(pl_job *job, LLVMModuleRef module)
{
    static const char language[] = "opencl.ocl.version";
    if (LLVMGetNamedMetadataNumOperands(module, language) > 0) return;
    if (LLVMGetNamedMetadataNumOperands(module, "spirv.Source") > 0) return;
    LLVMTypeRef number = LLVMInt32TypeInContext(job->context);
    LLVMMetadataRef version[] = {LLVMValueAsMetadata(LLVMConstInt(number, 2, false)),
                                 LLVMValueAsMetadata(LLVMConstInt(number, 0, false))};
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
        bool ptx = format == RT_FORMAT_PTX;
        if (rt_ok(status))
            status = ptx ? check_target(&job, name, module) : set_target(&job, name, module);
        if (rt_ok(status)) {
            set_language(&job, module);
            pl_write_bitcode(module, out_bitcode);
        }
        LLVMDisposeModule(module);
    }
    pl_job_close(&job);
    return status;
}
