/* The vtables of an image: linkage, address space, and slots of sets that a target does not
 * support.
 *
 * Observed: Intel's CPU runtime crashes on a module-scope variable in private memory, and linking
 * images with the same vtable fails without LinkOnceODR (SPV_KHR_linkonce_odr). */
#include "reference/compiler/postlink/virtual_images.h"

#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "reference/compiler/postlink/virtual_functions.h"

/* ---- Memory -------------------------------------------------------------------------------- */

/* The C API cannot change the type of a pointer inside other types, so users get a pointer of the
 * old type, converted from the new one through an integer. */
static void move_to_global(pl_job *job, LLVMModuleRef module)
{
    RT_VECTOR(LLVMValueRef) moved = {0};
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        bool private = LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == PL_SPACE_PRIVATE;
        if (private && LLVMIsGlobalConstant(variable) && LLVMGetInitializer(variable))
            *rt_vector_push(&moved) = variable;
    }
    for (uint32_t i = 0; i < moved.count; i++) {
        LLVMValueRef old = moved.items[i];
        rt_text name = pl_job_name(job, old);
        LLVMTypeRef number = LLVMInt64TypeInContext(job->context);
        LLVMValueRef global =
            LLVMAddGlobalInAddressSpace(module, LLVMGlobalGetValueType(old), "", PL_SPACE_GLOBAL);
        LLVMSetInitializer(global, LLVMGetInitializer(old));
        LLVMSetGlobalConstant(global, true);
        LLVMSetAlignment(global, LLVMGetAlignment(old));
        LLVMSetLinkage(global, LLVMGetLinkage(old));
        LLVMValueRef pointer =
            LLVMConstIntToPtr(LLVMConstPtrToInt(global, number), LLVMTypeOf(old));
        LLVMReplaceAllUsesWith(old, pointer);
        LLVMDeleteGlobal(old);
        LLVMSetValueName2(global, name.data, name.length);
    }
    rt_vector_free(&moved);
}

/* ---- Linkage ------------------------------------------------------------------------------- */

rt_status pl_vtables_place(pl_job *job, LLVMModuleRef module, const pl_graph *graph,
                           const pl_part *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const pl_node *node = &graph->nodes[part->placed[i].node];
        pl_role role = part->placed[i].role;
        if (node->is_vtable) {
            LLVMValueRef vtable = LLVMGetNamedGlobal(module, node->name.data);
            if (vtable && !pl_is_local(node->value)) LLVMSetLinkage(vtable, LLVMLinkOnceODRLinkage);
        }
        if (node->kind != PL_VIRTUAL) continue;
        /* Every module that uses a class contains the class's inline functions, so these may be
         * defined repeatedly. Copies keep their names if virtual functions have no separate images,
         * so that a device can recognise calls to them.
         */
        LLVMValueRef function = LLVMGetNamedFunction(module, node->name.data);
        LLVMLinkage linkage = LLVMGetLinkage(node->value);
        bool may_repeat = linkage == LLVMLinkOnceODRLinkage || linkage == LLVMWeakODRLinkage ||
                          linkage == LLVMLinkOnceAnyLinkage || linkage == LLVMWeakAnyLinkage;
        bool repeats = role == PL_COPY || (role == PL_ENTRY && may_repeat);
        if (function && !LLVMIsDeclaration(function) && repeats)
            LLVMSetLinkage(function, LLVMLinkOnceODRLinkage);
    }
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        if (!pl_is_vtable(variable) || !LLVMIsDeclaration(variable)) continue;
        rt_text name = pl_job_name(job, variable);
        return rt_fail_naming(
            job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, &name, 1,
            "objects of a class are created, but the module does not define the class's vtable "
            "'%.*s': the class's key function (its first virtual function that is neither pure "
            "nor inline) is defined elsewhere; define it in this module, or define the virtual "
            "functions inside the class",
            RT_TEXT_ARG(name));
    }
    /* The NVPTX back end itself puts every module-scope variable into global memory. */
    if (job->format != RT_FORMAT_PTX) move_to_global(job, module);
    return RT_STATUS_OK;
}

/* ---- Ahead of time ------------------------------------------------------------------------- */

typedef struct drop {
    const pl_graph *graph;
    rt_map node_of; /* function -> node */
    pl_aspects supported;
} drop;

/* The aspects of the whole set decide: it can be used if all of them are supported.  Sets that are
 * not dropped can still be called (VF-AOT-05). */
static bool is_dropped(LLVMValueRef function, const void *user)
{
    const drop *filter = user;
    uint32_t index = rt_map_find_number(&filter->node_of, (uintptr_t)function);
    CHECK(index != RT_MAP_NONE);
    const pl_node *node = &filter->graph->nodes[index];
    if (node->set == PL_NONE) return false;
    pl_aspects aspects = RULE(VF_AOT_03, filter->graph->sets[node->set].aspects);
    bool lacks_some = (aspects & ~filter->supported) != 0;
    return RULE(VF_AOT_04, lacks_some);
}

void pl_sets_drop(LLVMModuleRef module, const pl_graph *graph, pl_aspects supported)
{
    drop filter = {.graph = graph, .supported = supported};
    for (uint32_t i = 0; i < graph->function_count; i++)
        rt_map_set_number(&filter.node_of, (uintptr_t)graph->nodes[i].value, i);
    RULE(VF_AOT_02, pl_vtables_empty(module, is_dropped, &filter));
    rt_map_free(&filter.node_of);
}
