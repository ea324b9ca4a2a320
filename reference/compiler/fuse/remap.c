/* Finds the calls that are queries and replaces them.
 *
 * The names are those of OpenCL C functions, of SPIR-V builtin variables written as functions, and
 * of LLVM's intrinsics for PTX registers.  Source: document 001, "Remapped SPIR-V built-ins" and
 * "Remapped PTX intrinsics". */
#include "reference/compiler/fuse/remap.h"

#include "reference/base/vector.h"
#include "reference/compiler/fuse/metadata.h"
#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/values.h"

#include <string.h>

#define INDEX_OF_ARGUMENT UINT32_MAX

/* A query: its unqualified name and the component that it returns. */
typedef struct query_row {
    const char *name;
    pl_component component;
    uint32_t index; /* INDEX_OF_ARGUMENT, or the register's fixed index */
} query_row;

#define INDEXED(name, component)                                                                   \
    {                                                                                              \
        name, component, INDEX_OF_ARGUMENT                                                         \
    }
#define REGISTERS(name, component)                                                                 \
    {"llvm.nvvm.read.ptx.sreg." name ".x", component, 0},                                          \
        {"llvm.nvvm.read.ptx.sreg." name ".y", component, 1},                                      \
    {                                                                                              \
        "llvm.nvvm.read.ptx.sreg." name ".z", component, 2                                         \
    }

static const query_row queries[] = {
    INDEXED("get_global_size", PL_GLOBAL_SIZE),
    INDEXED("__spirv_BuiltInGlobalSize", PL_GLOBAL_SIZE),
    INDEXED("get_local_size", PL_LOCAL_SIZE),
    INDEXED("get_enqueued_local_size", PL_LOCAL_SIZE),
    INDEXED("__spirv_BuiltInWorkgroupSize", PL_LOCAL_SIZE),
    INDEXED("__spirv_BuiltInEnqueuedWorkgroupSize", PL_LOCAL_SIZE),
    INDEXED("get_num_groups", PL_NUM_WORK_GROUPS),
    INDEXED("__spirv_BuiltInNumWorkgroups", PL_NUM_WORK_GROUPS),
    INDEXED("get_global_id", PL_GLOBAL_ID),
    INDEXED("__spirv_BuiltInGlobalInvocationId", PL_GLOBAL_ID),
    INDEXED("get_local_id", PL_LOCAL_ID),
    INDEXED("__spirv_BuiltInLocalInvocationId", PL_LOCAL_ID),
    INDEXED("get_group_id", PL_GROUP_ID),
    INDEXED("__spirv_BuiltInWorkgroupId", PL_GROUP_ID),
    INDEXED("get_global_offset", PL_GLOBAL_OFFSET),
    INDEXED("__spirv_BuiltInGlobalOffset", PL_GLOBAL_OFFSET),
    {"get_local_linear_id", PL_LOCAL_LINEAR_ID, 0},
    {"__spirv_BuiltInLocalInvocationIndex", PL_LOCAL_LINEAR_ID, 0},
    {"get_work_dim", PL_WORK_DIM, 0},
    {"__spirv_BuiltInWorkDim", PL_WORK_DIM, 0},
    REGISTERS("tid", PL_LOCAL_ID),
    REGISTERS("ctaid", PL_GROUP_ID),
    REGISTERS("ntid", PL_LOCAL_SIZE),
    REGISTERS("nctaid", PL_NUM_WORK_GROUPS),
    {"llvm.nvvm.implicit.offset", PL_GLOBAL_OFFSET, 0},
};

static const query_row *query_of(LLVMValueRef function)
{
    CHECK(LLVMIsAFunction(function) && LLVMIsDeclaration(function));
    rt_text name = pl_symbol_builtin_name(pl_name(function));
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (rt_text_is(name, queries[i].name)) return &queries[i];
    return NULL;
}

/* ---- Rejections ---------------------------------------------------------------------------- */

static bool contains(const char *name, const char *part)
{
    return strstr(name, part) != NULL;
}

/* True for barriers and other operations that a whole group executes. */
static bool is_collective(const char *name)
{
    return contains(name, "barrier") || contains(name, "work_group") ||
           contains(name, "wait_group_events") || contains(name, "__spirv_ControlBarrier") ||
           contains(name, "__spirv_Group");
}

static bool is_sub_group(const char *name)
{
    return contains(name, "sub_group") || contains(name, "Subgroup") || contains(name, "SubGroup");
}

/* Checks that every row has a valid component and index, and that names are unique. */
static bool queries_check(void)
{
    enum { QUERY_COUNT = sizeof queries / sizeof *queries };
    for (size_t i = 0; i < QUERY_COUNT; i++) {
        CHECK(queries[i].component <= PL_WORK_DIM);
        CHECK(queries[i].index == INDEX_OF_ARGUMENT || queries[i].index < RT_ND_RANGE_DIMENSIONS);
        for (size_t k = i + 1; k < QUERY_COUNT; k++)
            CHECK(!rt_text_is(rt_text_of(queries[i].name), queries[k].name));
    }
    return true;
}

/* ---- Replacement --------------------------------------------------------------------------- */

typedef RT_VECTOR(LLVMValueRef) value_vector;

/* The component at an index that is only known at run time; for an index of 3 or more, sizes are 1
 * and other components 0 (OpenCL C 3.0, 6.15.1). */
static LLVMValueRef emit_selected(pl_emitter *emitter, const pl_view *view, pl_component component,
                                  LLVMValueRef index)
{
    LLVMTypeRef word = LLVMTypeOf(index);
    bool size = component == PL_GLOBAL_SIZE || component == PL_LOCAL_SIZE ||
                component == PL_NUM_WORK_GROUPS;
    LLVMValueRef value = pl_integer(LLVMInt64TypeInContext(emitter->job->context), size);
    for (uint32_t i = 0; i < RT_ND_RANGE_DIMENSIONS; i++) {
        LLVMValueRef here = pl_emit_seen(emitter, view, component, i);
        LLVMValueRef equal =
            LLVMBuildICmp(emitter->builder, LLVMIntEQ, index, pl_integer(word, i), "");
        value = LLVMBuildSelect(emitter->builder, equal, here, value, "");
    }
    return value;
}

static LLVMValueRef emit_answer(pl_emitter *emitter, const pl_view *view, const query_row *query,
                                LLVMValueRef call)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        /* llvm.nvvm.implicit.offset returns a pointer to three words. */
        LLVMTypeRef word = LLVMInt32TypeInContext(emitter->job->context);
        LLVMValueRef words[RT_ND_RANGE_DIMENSIONS];
        for (uint32_t i = 0; i < RT_ND_RANGE_DIMENSIONS; i++)
            words[i] = pl_integer(word, view->kernel.offset[i]);
        LLVMValueRef array = LLVMConstArray(word, words, RT_ND_RANGE_DIMENSIONS);
        LLVMValueRef variable = LLVMAddGlobalInAddressSpace(
            emitter->module, LLVMTypeOf(array), "offset", LLVMGetPointerAddressSpace(type));
        LLVMSetInitializer(variable, array);
        LLVMSetLinkage(variable, LLVMInternalLinkage);
        LLVMSetGlobalConstant(variable, true);
        return LLVMConstBitCast(variable, type);
    }
    LLVMValueRef value;
    if (query->index == INDEX_OF_ARGUMENT && LLVMGetNumArgOperands(call) == 1)
        value = emit_selected(emitter, view, query->component, LLVMGetOperand(call, 0));
    else
        value = pl_emit_seen(emitter, view, query->component,
                             query->index == INDEX_OF_ARGUMENT ? 0 : query->index);
    return LLVMBuildIntCast2(emitter->builder, value, type, false, "");
}

static rt_status collect_calls(pl_job *job, const pl_view *view, LLVMValueRef function,
                               rt_text kernel, value_vector *calls)
{
    for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
        LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (!callee || LLVMIsAInlineAsm(callee)) continue;
        if (!LLVMIsAFunction(callee))
            return pl_fusion_reject(
                job, kernel,
                "it calls through a pointer, so not every query of its nd-range can be found");
        if (!LLVMIsDeclaration(callee)) continue;
        const char *name = LLVMGetValueName(callee);
        if (view->remap.ids && is_sub_group(name))
            return pl_fusion_reject(job, kernel,
                                    "it uses sub-groups, which the fused launch forms differently");
        if (view->remap.guard && !view->remap.guard_uniform &&
            (is_collective(name) || is_sub_group(name)))
            return pl_fusion_reject(
                job, kernel,
                "it has barriers, and some work-groups of the fused launch extend past its range");
        if (query_of(callee)) *rt_vector_push(calls) = i;
    }
    return RT_STATUS_OK;
}

rt_status pl_remap_functions(pl_job *job, const pl_view *view, bool ptx,
                             const LLVMValueRef *functions, uint32_t count, rt_text kernel)
{
    CHECK(count > 0);
    CHECK_IMPLIES(view->remap.ids || view->remap.guard, view->kernel.dimensions > 0);
    CHECK_SLOW(queries_check());
    if (view->kernel.dimensions == 0) return RT_STATUS_OK; /* the ranges of the list are equal */
    value_vector calls = {0};
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < count && rt_ok(status); i++)
        status = collect_calls(job, view, functions[i], kernel, &calls);
    pl_emitter emitter = {job, LLVMGetGlobalParent(functions[0]),
                          LLVMCreateBuilderInContext(job->context), ptx};
    for (uint32_t i = 0; i < calls.count && rt_ok(status); i++) {
        const query_row *query = query_of(LLVMGetCalledValue(calls.items[i]));
        CHECK(query && query->component <= PL_WORK_DIM);
        if (!pl_is_remapped(view, query->component)) continue;
        LLVMPositionBuilderBefore(emitter.builder, calls.items[i]);
        pl_replace(calls.items[i], emit_answer(&emitter, view, query, calls.items[i]));
    }
    LLVMDisposeBuilder(emitter.builder);
    rt_vector_free(&calls);
    return status;
}
