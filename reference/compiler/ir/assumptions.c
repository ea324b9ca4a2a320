/* Assumptions replace the annotations of destructors.
 *
 * Clang 14 emits constructors and destructors on a separate path, which loses annotations but keeps
 * function attributes; `assume` is an attribute that takes any text. Other functions, thunks and
 * calls get the attribute too, but for them the annotations or the function itself carry the same
 * information. Newer versions (observed: 19) annotate every variant of a destructor. */
#include "reference/compiler/ir/annotations.h"

#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/place.h"
#include "reference/compiler/ir/values.h"

#include <string.h>

#define ATTRIBUTE "llvm.assume"
#define OURS      "assay:"

typedef RT_VECTOR(pl_annotation) annotation_list;

static bool is_destructor(LLVMValueRef value, const char *end)
{
    rt_text name = pl_name(value);
    size_t length = strlen(end);
    if (!LLVMIsAFunction(value) || !rt_text_starts(name, "_ZN")) return false;
    return name.length > length && memcmp(name.data + name.length - length, end, length) == 0;
}

/* Complete and deleting destructors, which vtables name; a base object destructor is only ever
 * called by name. */
static bool is_slot_destructor(LLVMValueRef function)
{
    return is_destructor(function, "D0Ev") || is_destructor(function, "D1Ev");
}

void pl_assumptions_take(pl_job *job, LLVMModuleRef module, pl_annotations *inout_annotations)
{
    annotation_list list = {0};
    for (uint32_t i = 0; i < inout_annotations->count; i++)
        if (!is_destructor(inout_annotations->items[i].value, "D2Ev"))
            *rt_vector_push(&list) = inout_annotations->items[i];
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        rt_text rest = rt_arena_text(&job->arena, pl_attribute(function, ATTRIBUTE));
        if (!rt_text_starts(rest, OURS)) continue;
        pl_attribute_remove(function, ATTRIBUTE);
        if (LLVMIsDeclaration(function) || !is_slot_destructor(function)) continue;
        /* Several assumptions form one text, separated by commas. An assumption about aspects
         * contains commas too, but each assumption begins with our prefix. */
        while (rest.length > 0) {
            const char *next = memmem(rest.data + 1, rest.length - 1, "," OURS, strlen("," OURS));
            size_t length = next ? (size_t)(next - rest.data) : rest.length;
            rt_text text = rt_arena_text(&job->arena, (rt_text){rest.data, length});
            *rt_vector_push(&list) = (pl_annotation){function, text, pl_place_line(function)};
            rest = rt_text_skip(rest, next ? length + 1 : length);
        }
    }
    pl_annotation *items = rt_arena_copy(&job->arena, list.items, list.count, sizeof *items);
    *inout_annotations = (pl_annotations){items, list.count};
    rt_vector_free(&list);
}
