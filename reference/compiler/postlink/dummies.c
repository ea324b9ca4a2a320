/* The bodies of virtual functions: emptied in dummies, and separated from vtable slots in other
 * images.
 *
 * Functions are looked up by name, since the image's module is a copy of the graph's module. */
#include "reference/compiler/postlink/virtual_images.h"

#include "reference/base/vector.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/postlink/virtual_functions.h"

static LLVMValueRef function_of(LLVMModuleRef module, const pl_node *node)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, node->name.data);
    CHECK(function && node->kind == PL_VIRTUAL);
    return function;
}

void pl_dummy_empty(pl_job *job, LLVMModuleRef module, const pl_graph *graph, const pl_part *part)
{
    CHECK(part->dummy && part->set != PL_NONE);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    for (uint32_t i = 0; i < part->count; i++) {
        const pl_node *node = &graph->nodes[part->placed[i].node];
        if (part->placed[i].role != PL_ENTRY || node->kind != PL_VIRTUAL) continue;
        /* Functions that use no optional feature are emptied too (VF-DUMMY-02). */
        LLVMValueRef function = function_of(module, node);
        /* The old body stays, unreachable, until the passes remove it. */
        LLVMBasicBlockRef old = LLVMGetEntryBasicBlock(function);
        LLVMBasicBlockRef block = LLVMInsertBasicBlockInContext(job->context, old, "empty");
        CHECK(LLVMGetEntryBasicBlock(function) == block);
        LLVMPositionBuilderAtEnd(builder, block);
        LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(function));
        if (LLVMGetTypeKind(type) == LLVMVoidTypeKind) {
            LLVMBuildRetVoid(builder);
        } else {
            LLVMBuildRet(builder, LLVMConstNull(type));
        }
    }
    LLVMDisposeBuilder(builder);
}

void pl_slots_separate(pl_job *job, LLVMModuleRef module, const pl_graph *graph,
                       const pl_part *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const pl_node *node = &graph->nodes[part->placed[i].node];
        if (node->kind != PL_VIRTUAL || part->placed[i].role != PL_COPY) continue;
        LLVMValueRef body = function_of(module, node);
        RT_VECTOR(LLVMValueRef) calls = {0};
        for (LLVMUseRef use = LLVMGetFirstUse(body); use; use = LLVMGetNextUse(use)) {
            if (pl_calls(LLVMGetUser(use), body)) *rt_vector_push(&calls) = LLVMGetUser(use);
        }
        if (calls.count == 0) continue; /* nothing was allocated */
        rt_text name = rt_arena_printf(&job->arena, "%.*s.copy", RT_TEXT_ARG(node->name));
        LLVMSetValueName2(body, name.data, name.length);
        LLVMValueRef slot = LLVMAddFunction(module, node->name.data, LLVMGlobalGetValueType(body));
        CHECK(rt_text_equal(pl_name(slot), node->name));
        LLVMSetFunctionCallConv(slot, LLVMGetFunctionCallConv(body));
        pl_attribute_set(slot, PL_INDIRECTLY_CALLABLE, pl_attribute(body, PL_INDIRECTLY_CALLABLE));
        LLVMReplaceAllUsesWith(body, slot);
        for (uint32_t k = 0; k < calls.count; k++) {
            LLVMValueRef call = calls.items[k];
            LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, body);
        }
        rt_vector_free(&calls);
    }
}
