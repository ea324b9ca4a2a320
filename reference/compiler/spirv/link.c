/* Links the modules of one program, for fusion and for OpenCL drivers that accept neither SPIR-V
 * nor more than one module (PoCL 3.1).
 *
 * It does the work of a driver's linker: it resolves imports by name and refuses symbols that are
 * unresolved or defined twice. Source: SPIR-V specification, 3.17 "Linkage Type" and 2.16.1
 * "Universal Validation Rules"; OpenCL 3.0, clLinkProgram. */
#include "reference/compiler/spirv/link.h"

#include "reference/base/map.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/job.h"
#include "reference/compiler/ir/passes.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/spirv/linkage.h"
#include "reference/compiler/spirv/opencl12.h"
#include "reference/compiler/spirv/translate.h"

#include <string.h>

/* LINK_ERROR with the names, if the list has any; frees the list. */
static rt_status refuse_names(pl_job *job, pl_text_list *names, const char *problem)
{
    if (names->count == 0) return RT_STATUS_OK;
    rt_buffer list = {0};
    for (uint32_t i = 0; i < names->count; i++)
        rt_buffer_printf(&list, "%s'%.*s'", i ? ", " : "", RT_TEXT_ARG(names->items[i]));
    rt_status status = rt_fail_naming(job->sink, RT_LINK_ERROR, RT_RULE_NONE, names->items,
                                      names->count, "%s: %s", problem, rt_buffer_string(&list));
    rt_buffer_free(&list);
    rt_vector_free(names);
    return status;
}

static bool is_strong(LLVMValueRef value)
{
    return !LLVMIsDeclaration(value) && LLVMGetLinkage(value) == LLVMExternalLinkage;
}

static rt_status check_duplicates(pl_job *job, const LLVMModuleRef *modules, uint32_t count)
{
    rt_map defined = {0};
    pl_text_list duplicates = {0};
    for (uint32_t i = 0; i < count; i++) {
        for (LLVMValueRef v = pl_first_symbol(modules[i]); v; v = pl_next_symbol(v)) {
            if (!is_strong(v)) continue;
            rt_text name = pl_job_name(job, v);
            if (rt_map_find(&defined, name) != RT_MAP_NONE) *rt_vector_push(&duplicates) = name;
            rt_map_set(&defined, name, 0);
        }
    }
    CHECK(duplicates.count <= defined.count * (count - 1));
    rt_map_free(&defined);
    return refuse_names(job, &duplicates, "symbols are defined twice");
}

/* LINK_ERROR: a symbol that is not a builtin is used but not defined. The front end's marks do not
 * survive SPIR-V, so only names identify builtins here. */
static rt_status check_unresolved(pl_job *job, LLVMModuleRef module)
{
    pl_text_list unresolved = {0};
    for (LLVMValueRef v = pl_first_symbol(module); v; v = pl_next_symbol(v)) {
        if (!LLVMIsDeclaration(v) || !LLVMGetFirstUse(v)) continue;
        rt_text name = pl_job_name(job, v);
        bool builtin = LLVMIsAFunction(v) &&
                       (rt_text_starts(name, "llvm.") || pl_symbol_is_opencl_builtin(name));
        if (!builtin) *rt_vector_push(&unresolved) = name;
    }
    return refuse_names(job, &unresolved, "the link uses symbols that none of its modules defines");
}

/* The value as another type that it fits. */
static LLVMValueRef value_as(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef type)
{
    CHECK(pl_type_fits(LLVMTypeOf(value), type));
    return LLVMTypeOf(value) == type ? value : LLVMBuildBitCast(builder, value, type, "");
}

/* Gives a call the type of the function, if only what pointers point to differs. */
static void call_retype(pl_job *job, LLVMValueRef call, LLVMValueRef function)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(function), result = LLVMGetReturnType(type);
    uint32_t count = LLVMGetNumArgOperands(call);
    if (LLVMIsFunctionVarArg(type) || LLVMCountParamTypes(type) != count ||
        !pl_type_fits(result, LLVMTypeOf(call)))
        return;
    LLVMTypeRef *types = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMTypeRef));
    LLVMGetParamTypes(type, types);
    for (uint32_t i = 0; i < count; i++)
        if (!pl_type_fits(LLVMTypeOf(LLVMGetOperand(call, i)), types[i])) return;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef *arguments = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMValueRef));
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = value_as(builder, LLVMGetOperand(call, i), types[i]);
    LLVMValueRef retyped = LLVMBuildCall2(builder, type, function, arguments, count, "");
    LLVMSetInstructionCallConv(retyped, LLVMGetInstructionCallConv(call));
    pl_replace(call, value_as(builder, retyped, LLVMTypeOf(call)));
    LLVMDisposeBuilder(builder);
}

/* A compiler whose pointers have no types declares a function that it only calls with one type of
 * pointer, and defines it with another (libsycl-jit, `__devicelib_ConvertFToBF16INTEL`). */
static void calls_retype(pl_job *job, LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        for (LLVMValueRef next, i = pl_first_instruction(function); i; i = next) {
            next = pl_next_instruction(i);
            LLVMValueRef callee = LLVMIsACallInst(i) ? pl_mistyped_callee(i) : NULL;
            if (callee) call_retype(job, i, callee);
        }
    }
}

/* A call with a type other than the function's crashes drivers (PoCL 3.1). */
static rt_status check_types(pl_job *job, LLVMModuleRef module)
{
    pl_text_list mistyped = {0};
    rt_map listed = {0}; /* functions */
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) ? pl_mistyped_callee(i) : NULL;
            if (!callee) continue;
            if (rt_map_find_number(&listed, (uintptr_t)callee) != RT_MAP_NONE) continue;
            rt_map_set_number(&listed, (uintptr_t)callee, 0);
            *rt_vector_push(&mistyped) = pl_job_name(job, callee);
        }
    }
    rt_map_free(&listed);
    return refuse_names(job, &mistyped, "functions are imported and defined with different types");
}

/* Links all modules into the first one and gives the result the form that the driver accepts; the
 * other entries become NULL as their modules are consumed. */
static rt_status join(pl_job *job, LLVMModuleRef *modules, uint32_t count)
{
    RT_TRY(check_duplicates(job, modules, count));
    LLVMModuleRef target = modules[0];
    for (uint32_t i = 1; i < count; i++) {
        LLVMModuleRef source = modules[i];
        modules[i] = NULL;
        RT_TRY(pl_module_link(job, RT_LINK_ERROR, target, source));
    }
    calls_retype(job, target);
    RT_TRY(check_types(job, target));
    RT_TRY(check_unresolved(job, target));
    /* Not needed for PTX: libclc has OpenCL C 2.0's functions for generic pointers. */
    if (job->format != RT_FORMAT_PTX) pl_opencl12_builtins(job, target);
    for (LLVMValueRef v = pl_first_symbol(target); v; v = pl_next_symbol(v)) {
        bool function = LLVMIsAFunction(v);
        /* SPIR-V does not say which functions may contain a barrier, so assume that any may:
         * otherwise one of the driver's passes could move a call under a condition. Moreover, the
         * SPIR-V reader puts noinline on calls; PoCL 3.1, which inlines every function that queries
         * a work-item's ids, overlooks the attribute there and then launches code with dangling
         * references. */
        if (function && LLVMGetIntrinsicID(v) == 0) pl_flag_add(v, "convergent");
        if (function) pl_flag_remove_from_calls(v, "noinline");
        /* The driver needs only the kernels to be external; it can inline and drop everything that
         * is internal. */
        bool kernel = function && pl_is_kernel(v);
        if (is_strong(v) && !kernel) LLVMSetLinkage(v, LLVMInternalLinkage);
    }
    return pl_passes_run(job, target, NULL, PL_DROP_PASSES);
}

rt_status pl_link_code_read(pl_job *job, const rt_link_code *code, rt_text label,
                            pl_builtin_form form, LLVMModuleRef *out_module)
{
    *out_module = NULL;
    rt_buffer reason = {0};
    rt_status status = RT_STATUS_OK;
    /* The layout is checked first, since the translator misreads truncated modules. */
    bool is_spirv = pl_spirv_check(code->spirv, &reason);
    uint32_t count = is_spirv ? code->constant_count : 0;
    pl_spec_value *values = rt_arena_alloc_array(&job->arena, count, sizeof *values);
    for (uint32_t i = 0; i < count && rt_ok(status); i++) {
        const rt_link_constant *constant = &code->constants[i];
        size_t size = constant->value.size;
        if (size == 1 || size == 2 || size == 4 || size == 8) {
            values[i].id = constant->id;
            CHECK(values[i].bits == 0 && size <= sizeof values[i].bits);
            memcpy(&values[i].bits, constant->value.data,
                   size); /* little-endian, like this machine */
        } else {
            status = rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE,
                             "%.*s: the value of specialisation constant %u has %zu bytes; a "
                             "scalar has 1, 2, 4 or 8",
                             RT_TEXT_ARG(label), constant->id, size);
        }
    }
    if (!is_spirv) {
        status = rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE, "%.*s: %s", RT_TEXT_ARG(label),
                         rt_buffer_string(&reason));
    } else if (rt_ok(status) && !pl_translate_from_spirv(job->context, code->spirv, form, values,
                                                         count, out_module, &reason)) {
        status = rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE,
                         "%.*s: the SPIR-V translator rejected it: %s", RT_TEXT_ARG(label),
                         rt_buffer_string(&reason));
    }
    rt_buffer_free(&reason);
    return status;
}

static rt_status read_module(pl_job *job, const rt_link_code *code, uint32_t index,
                             LLVMModuleRef *out_module)
{
    rt_text label = rt_arena_printf(&job->arena, "module %u of the link", index);
    if (job->format == RT_FORMAT_PTX) return pl_module_parse(job, code->spirv, label, out_module);
    return pl_link_code_read(job, code, label, PL_BUILTINS_OPENCL_12, out_module);
}

rt_status pl_link_codes(pl_job *job, const rt_link_code *codes, uint32_t count,
                        LLVMModuleRef *out_module)
{
    *out_module = NULL;
    CHECK(count > 0);
    LLVMModuleRef *modules = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMModuleRef));
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < count && rt_ok(status); i++)
        status = read_module(job, &codes[i], i, &modules[i]);
    if (rt_ok(status)) status = join(job, modules, count);
    for (uint32_t i = rt_ok(status) ? 1 : 0; i < count; i++) {
        if (modules[i]) LLVMDisposeModule(modules[i]);
    }
    if (rt_ok(status)) *out_module = modules[0];
    CHECK_IMPLIES(rt_ok(status), LLVMGetModuleContext(*out_module) == job->context);
    return status;
}

rt_status pl_link_to_bitcode(rt_sink *sink, const rt_link_code *codes, uint32_t count,
                             rt_buffer *out_bitcode)
{
    CHECK(out_bitcode->size == 0);
    pl_job job;
    pl_job_open(&job, sink);
    LLVMModuleRef module = NULL;
    rt_status status = pl_link_codes(&job, codes, count, &module);
    if (rt_ok(status)) {
        LLVMSetModuleIdentifier(module, "linked", sizeof "linked" - 1);
        pl_write_bitcode(module, out_bitcode);
        LLVMDisposeModule(module);
    }
    pl_job_close(&job);
    return status;
}
