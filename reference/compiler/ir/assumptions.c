/* What is assumed of destructors, in the place of annotations.
 *
 * Clang 14 emits constructors and destructors on a way of their own, on which annotations are lost
 * and attributes of the function are not; `assume` is one that takes any text.  Functions, thunks
 * and calls get it as well, where annotations or the function say the same. */
#include "reference/compiler/ir/annotations.h"

#include "reference/base/vector.h"
#include "reference/compiler/ir/place.h"

#include <llvm-c/Core.h>
#include <string.h>

#define ATTRIBUTE   "llvm.assume"
#define OURS        "assay:"
#define AT_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

typedef RT_VECTOR(pl_annotation) annotation_list;

/* Complete and deleting destructors, which vtables name; the base object destructor is called by
 * its name alone. */
static bool is_slot_destructor(rt_text name)
{
    static const char *const ends[] = {"D0Ev", "D1Ev"};
    if (!rt_text_starts(name, "_ZN")) return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t length = strlen(ends[i]);
        if (name.length > length && memcmp(name.data + name.length - length, ends[i], length) == 0)
            return true;
    }
    return false;
}

/* The value of the attribute; empty where it is not there or nothing in it is ours. */
static rt_text assumed_of(pl_job *job, LLVMAttributeRef attribute)
{
    if (!attribute) return (rt_text){0};
    unsigned length = 0;
    const char *data = LLVMGetStringAttributeValue(attribute, &length);
    rt_text value = {data, length};
    return rt_text_starts(value, OURS) ? rt_arena_text(&job->arena, value) : (rt_text){0};
}

/* Several assumptions are one text with commas between them, and the aspects of one have commas
 * too; each begins with our word. */
static void add_each(pl_job *job, LLVMValueRef function, rt_text all, annotation_list *list)
{
    while (all.length > 0) {
        const char *next = memmem(all.data + 1, all.length - 1, "," OURS, strlen("," OURS));
        size_t length = next ? (size_t)(next - all.data) : all.length;
        rt_text text = rt_arena_text(&job->arena, (rt_text){all.data, length});
        *rt_vector_push(list) = (pl_annotation){function, text, pl_place_line(function)};
        size_t taken = next ? length + 1 : length;
        all = (rt_text){all.data + taken, all.length - taken};
    }
}

static void strip_calls(pl_job *job, LLVMValueRef function)
{
    unsigned length = (unsigned)strlen(ATTRIBUTE);
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef at = LLVMGetFirstInstruction(block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (!LLVMIsACallInst(at)) continue;
            LLVMAttributeRef found =
                LLVMGetCallSiteStringAttribute(at, AT_FUNCTION, ATTRIBUTE, length);
            if (assumed_of(job, found).length > 0)
                LLVMRemoveCallSiteStringAttribute(at, AT_FUNCTION, ATTRIBUTE, length);
        }
    }
}

void pl_assumptions_take(pl_job *job, LLVMModuleRef module, pl_annotations *inout_annotations)
{
    unsigned length = (unsigned)strlen(ATTRIBUTE);
    annotation_list list = {0};
    for (uint32_t i = 0; i < inout_annotations->count; i++)
        *rt_vector_push(&list) = inout_annotations->items[i];
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        strip_calls(job, function);
        rt_text assumed = assumed_of(
            job, LLVMGetStringAttributeAtIndex(function, AT_FUNCTION, ATTRIBUTE, length));
        if (assumed.length == 0) continue;
        LLVMRemoveStringAttributeAtIndex(function, AT_FUNCTION, ATTRIBUTE, length);
        bool defined = !LLVMIsDeclaration(function);
        if (defined && is_slot_destructor(pl_job_name(job, function)))
            add_each(job, function, assumed, &list);
    }
    pl_annotation *items = rt_arena_alloc_array(&job->arena, list.count, sizeof *items);
    if (list.count > 0) memcpy(items, list.items, list.count * sizeof *items);
    *inout_annotations = (pl_annotations){items, list.count};
    rt_vector_free(&list);
}
