/* Links SPIR-V modules into one bitcode module, for OpenCL drivers that take neither SPIR-V nor
 * more than one module (PoCL 3.1).
 *
 * It does what such a driver's linker would: it resolves imports by name and refuses what is
 * unresolved or defined twice.  Source: SPIR-V specification, 3.17 "Linkage Type" and 2.16.1
 * "Universal Validation Rules"; OpenCL 3.0, clLinkProgram. */
#include "reference/compiler/spirv/link.h"

#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/job.h"
#include "reference/compiler/ir/passes.h"
#include "reference/compiler/spirv/linkage.h"
#include "reference/compiler/spirv/opencl12.h"
#include "reference/compiler/spirv/translate.h"

#include <llvm-c/BitWriter.h>

#include <string.h>

typedef RT_VECTOR(rt_text) text_vector;

/* One module of the link. */
typedef struct link_input {
    LLVMModuleRef module; /* NULL once it is part of the first one */
} link_input;

static rt_status refuse(pl_job *job, const text_vector *names, const char *problem)
{
    CHECK(names->count > 0);
    rt_buffer list = {0};
    for (uint32_t i = 0; i < names->count; i++)
        rt_buffer_printf(&list, "%s'%.*s'", i ? ", " : "", RT_TEXT_ARG(names->items[i]));
    rt_status status = rt_fail_naming(job->sink, RT_LINK_ERROR, RT_RULE_NONE, names->items,
                                      names->count, "%s: %s", problem, rt_buffer_string(&list));
    rt_buffer_free(&list);
    return status;
}

static bool is_strong(LLVMValueRef value)
{
    return !LLVMIsDeclaration(value) && LLVMGetLinkage(value) == LLVMExternalLinkage;
}

static void note_strong(pl_job *job, rt_map *defined, text_vector *duplicates, LLVMValueRef value)
{
    if (!is_strong(value)) return;
    rt_text name = pl_job_name(job, value);
    if (rt_map_find(defined, name) != RT_MAP_NONE) *rt_vector_push(duplicates) = name;
    rt_map_set(defined, name, 0);
}

static rt_status check_duplicates(pl_job *job, const link_input *inputs, uint32_t count)
{
    rt_map defined = {0};
    text_vector duplicates = {0};
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef f = LLVMGetFirstFunction(inputs[i].module);
        for (; f; f = LLVMGetNextFunction(f))
            note_strong(job, &defined, &duplicates, f);
        LLVMValueRef v = LLVMGetFirstGlobal(inputs[i].module);
        for (; v; v = LLVMGetNextGlobal(v))
            note_strong(job, &defined, &duplicates, v);
    }
    rt_status status = RT_STATUS_OK;
    if (duplicates.count > 0) status = refuse(job, &duplicates, "symbols are defined twice");
    rt_map_free(&defined);
    rt_vector_free(&duplicates);
    return status;
}

/* Whatever is declared and no builtin is a symbol that no module of the link defines.  Marks of the
 * front end do not survive SPIR-V, so names alone decide here. */
static rt_status check_unresolved(pl_job *job, LLVMModuleRef module)
{
    text_vector unresolved = {0};
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (!LLVMIsDeclaration(function) || !LLVMGetFirstUse(function)) continue;
        rt_text name = pl_job_name(job, function);
        bool builtin = LLVMGetIntrinsicID(function) != 0 || rt_text_starts(name, "llvm.") ||
                       pl_symbol_is_opencl_builtin(name);
        if (!builtin) *rt_vector_push(&unresolved) = name;
    }
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        if (!LLVMIsDeclaration(variable) || !LLVMGetFirstUse(variable)) continue;
        *rt_vector_push(&unresolved) = pl_job_name(job, variable);
    }
    rt_status status = RT_STATUS_OK;
    if (unresolved.count > 0) {
        status = refuse(job, &unresolved, "no module of the link defines symbols that it uses");
    }
    rt_vector_free(&unresolved);
    return status;
}

/* A module that declares a function otherwise than another one defines it is left with a cast of
 * the function, which drivers crash on (PoCL 3.1 does). */
static bool is_mistyped(LLVMValueRef function)
{
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAConstantExpr(user) || LLVMGetConstOpcode(user) != LLVMBitCast) continue;
        LLVMTypeRef pointee = LLVMGetElementType(LLVMTypeOf(user));
        if (LLVMGetTypeKind(pointee) == LLVMFunctionTypeKind) return true;
    }
    return false;
}

static rt_status check_types(pl_job *job, LLVMModuleRef module)
{
    text_vector mistyped = {0};
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        if (is_mistyped(function)) *rt_vector_push(&mistyped) = pl_job_name(job, function);
    rt_status status = RT_STATUS_OK;
    if (mistyped.count > 0)
        status = refuse(job, &mistyped, "functions are imported and defined with different types");
    rt_vector_free(&mistyped);
    return status;
}

/* SPIR-V does not say which functions may hold a barrier, so any may: without this a pass of the
 * driver could call one under a condition of its own making. */
static void mark_convergent(pl_job *job, LLVMModuleRef module)
{
    static const char name[] = "convergent";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    LLVMAttributeRef convergent = LLVMCreateEnumAttribute(job->context, kind, 0);
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (LLVMGetIntrinsicID(function) != 0) continue;
        LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                convergent);
    }
}

/* Drivers that build a work-group's loops round a kernel inline what asks for a place in it,
 * whatever the author said, at the function.  The reader of SPIR-V says it at the calls, too, where
 * PoCL 3.1 leaves it and then launches code that refers to nothing.  Nobody promises not to inline.
 */
static void let_calls_be_inlined(LLVMModuleRef module)
{
    static const char name[] = "noinline";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (LLVMIsACallInst(user)) LLVMRemoveCallSiteEnumAttribute(user, at, kind);
        }
    }
}

/* Only kernels are of use to the driver; with everything else internal it can inline and drop. */
static void hide_all_but_kernels(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (is_strong(function) && !pl_is_kernel(function)) {
            LLVMSetLinkage(function, LLVMInternalLinkage);
        }
    }
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        if (is_strong(variable)) LLVMSetLinkage(variable, LLVMInternalLinkage);
    }
}

/* Links all modules into the first one and makes of it what the driver takes. */
static rt_status join(pl_job *job, link_input *inputs, uint32_t count)
{
    RT_TRY(check_duplicates(job, inputs, count));
    LLVMModuleRef target = inputs[0].module;
    CHECK(target);
    for (uint32_t i = 1; i < count; i++) {
        LLVMModuleRef source = inputs[i].module;
        CHECK(source);
        inputs[i].module = NULL;
        RT_TRY(pl_module_link(job, RT_LINK_ERROR, target, source));
    }
    RT_TRY(check_types(job, target));
    RT_TRY(check_unresolved(job, target));
    /* libclc has what OpenCL C 2.0 declares for generic pointers as functions of plain ones. */
    if (job->format != RT_FORMAT_PTX) pl_opencl12_builtins(job, target);
    mark_convergent(job, target);
    let_calls_be_inlined(target);
    hide_all_but_kernels(target);
    return pl_passes_run(job, target, NULL, PL_DROP_PASSES);
}

static rt_status read_constant(pl_job *job, const rt_link_constant *constant, uint32_t index,
                               pl_spec_value *out)
{
    size_t size = constant->value.size;
    if (size != 1 && size != 2 && size != 4 && size != 8) {
        return rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE,
                       "module %u of the link: specialisation constant %u is given %zu bytes, "
                       "which no scalar has",
                       index, constant->id, size);
    }
    *out = (pl_spec_value){.id = constant->id};
    memcpy(&out->bits, constant->value.data, size); /* little-endian, as this machine */
    return RT_STATUS_OK;
}

static rt_status translate(pl_job *job, const rt_link_code *code, uint32_t index, rt_buffer *reason,
                           LLVMModuleRef *out_module)
{
    pl_spec_value *values = rt_arena_alloc_array(&job->arena, code->constant_count, sizeof *values);
    for (uint32_t i = 0; i < code->constant_count; i++)
        RT_TRY(read_constant(job, &code->constants[i], index, &values[i]));
    if (pl_translate_from_spirv(job->context, code->spirv, values, code->constant_count, out_module,
                                reason))
        return RT_STATUS_OK;
    return rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE,
                   "module %u of the link: the SPIR-V translator refuses it: %s", index,
                   rt_buffer_string(reason));
}

/* The layout is looked at first: of bytes that are cut short the translator makes anything. */
static rt_status read_module(pl_job *job, const rt_link_code *code, uint32_t index,
                             link_input *input)
{
    CHECK(!input->module);
    if (job->format == RT_FORMAT_PTX) {
        rt_text what = rt_arena_printf(&job->arena, "module %u of the link", index);
        return pl_module_parse(job, code->spirv, what, &input->module);
    }
    rt_buffer reason = {0};
    rt_status status;
    if (pl_spirv_check(code->spirv, &reason)) {
        status = translate(job, code, index, &reason, &input->module);
    } else {
        status = rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE, "module %u of the link: %s", index,
                         rt_buffer_string(&reason));
    }
    rt_buffer_free(&reason);
    return status;
}

static void write_bitcode(LLVMModuleRef module, rt_buffer *out_bitcode)
{
    LLVMSetModuleIdentifier(module, "linked", sizeof "linked" - 1);
    LLVMMemoryBufferRef memory = LLVMWriteBitcodeToMemoryBuffer(module);
    rt_buffer_append(out_bitcode, LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
    CHECK(out_bitcode->size > 0);
    LLVMDisposeMemoryBuffer(memory);
}

rt_status pl_link_codes(pl_job *job, const rt_link_code *codes, uint32_t count,
                        LLVMModuleRef *out_module)
{
    *out_module = NULL;
    CHECK(count > 0);
    link_input *inputs = rt_arena_alloc_array(&job->arena, count, sizeof *inputs);
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < count && rt_ok(status); i++)
        status = read_module(job, &codes[i], i, &inputs[i]);
    if (rt_ok(status)) status = join(job, inputs, count);
    for (uint32_t i = rt_ok(status) ? 1 : 0; i < count; i++) {
        if (inputs[i].module) LLVMDisposeModule(inputs[i].module);
    }
    if (rt_ok(status)) *out_module = inputs[0].module;
    return status;
}

rt_status pl_link_to_bitcode(rt_sink *sink, const rt_link_code *codes, uint32_t count,
                             rt_buffer *out_bitcode)
{
    pl_job job;
    pl_job_open(&job, sink);
    LLVMModuleRef module = NULL;
    rt_status status = pl_link_codes(&job, codes, count, &module);
    if (rt_ok(status)) {
        write_bitcode(module, out_bitcode);
        LLVMDisposeModule(module);
    }
    pl_job_close(&job);
    return status;
}
