/* LLVM IR that somebody wrote by hand or kept from elsewhere, as a front end's output.
 *
 * Text or bitcode; LLVM tells them apart.  What is wrong is told in the front ends' form, at the
 * line and column of the text.  Source: LLVM Language Reference Manual of version 14. */
#include "reference/compiler/ir/read.h"

#include "reference/compiler/ir/data_layout.h"
#include "reference/compiler/ir/job.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>

#include <string.h>

/* What clang 14 gives spir64. */
#define SPIR64_LAYOUT                                                                              \
    "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"

static rt_text first_line(const char *text)
{
    return (rt_text){text, strcspn(text, "\n")};
}

/* LLVM's verifier tells the fault and, in the next line, the instruction. */
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

/* The layout that a module in text names; empty where it names none.  A string of LLVM ends at the
 * next quote, whatever stands before it. */
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
        rt_text problem = rt_arena_printf(&job->arena, "the data layout '%.*s' is none: %s",
                                          RT_TEXT_ARG(layout), rt_buffer_string(&reason));
        status = refuse(job, name, problem);
    }
    rt_buffer_free(&reason);
    return status;
}

static rt_status parse(pl_job *job, rt_text name, rt_bytes ir, LLVMModuleRef *out_module)
{
    rt_text label = rt_arena_text(&job->arena, name); /* with a NUL byte behind it */
    LLVMMemoryBufferRef memory =
        LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)ir.data, ir.size, label.data);
    char *reason = NULL;
    *out_module = NULL;
    if (!LLVMParseIRInContext(job->context, memory, out_module, &reason)) return RT_STATUS_OK;
    /* NAME:LINE:COLUMN: error: TEXT, then the line of the source. */
    rt_text said = first_line(reason);
    rt_status status = rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE, "%.*s", RT_TEXT_ARG(said));
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

/* Reports whether a layout agrees with spir64's in what code can see of it: addresses, and where
 * numbers and vectors lie.  Layouts of other front ends say more, or the same in other words. */
static bool is_laid_out(pl_job *job, LLVMModuleRef module)
{
    enum { SPACE_COUNT = 5 };
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    LLVMTypeRef number = LLVMInt64TypeInContext(job->context);
    LLVMTypeRef vector = LLVMVectorType(LLVMInt32TypeInContext(job->context), 3);
    bool right = LLVMByteOrder(layout) == LLVMLittleEndian;
    for (unsigned space = 0; space < SPACE_COUNT; space++)
        right = right && LLVMPointerSizeForAS(layout, space) == 8;
    return right && LLVMABIAlignmentOfType(layout, number) == 8 &&
           LLVMABIAlignmentOfType(layout, vector) == 16;
}

/* A module that names no target is for spir64; one that names another is for something else. */
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

/* For nvptx64 only a front end makes code, which names both. */
static rt_status check_target(pl_job *job, rt_text name, LLVMModuleRef module)
{
    rt_text triple = rt_text_of(LLVMGetTarget(module));
    if (rt_text_starts(triple, "nvptx64-")) return RT_STATUS_OK;
    return refuse(job, name,
                  rt_arena_printf(&job->arena, "the target triple is '%.*s' and not nvptx64's",
                                  RT_TEXT_ARG(triple)));
}

/* The translator knows OpenCL C's builtins only in a module that says of which OpenCL it is. */
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

static void write_bitcode(LLVMModuleRef module, rt_buffer *out_bitcode)
{
    LLVMMemoryBufferRef memory = LLVMWriteBitcodeToMemoryBuffer(module);
    rt_buffer_append(out_bitcode, LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
    CHECK(out_bitcode->size > 0);
    LLVMDisposeMemoryBuffer(memory);
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
            write_bitcode(module, out_bitcode);
        }
        LLVMDisposeModule(module);
    }
    pl_job_close(&job);
    return status;
}
