/* Reads llvm.global.annotations.
 *
 * Any operand of an entry may be wrapped in casts and address computations, since all pointers in
 * the list have the same type. */
#include "reference/compiler/ir/annotations.h"

#include "reference/compiler/ir/values.h"

#include <string.h>

#define LIST "llvm.global.annotations"

enum {
    CELL_VALUE,
    CELL_TEXT,
    CELL_FILE,
    CELL_LINE,
    CELL_COUNT_MIN,
    CELL_ARGUMENTS = CELL_COUNT_MIN
};

bool pl_literal_of(pl_job *job, LLVMValueRef address, rt_text *out_text)
{
    LLVMValueRef variable = LLVMIsAGlobalVariable(pl_strip_constant(address));
    LLVMValueRef value = variable ? LLVMGetInitializer(variable) : NULL;
    *out_text = (rt_text){"", 0};
    if (value && LLVMIsAConstantAggregateZero(value)) return true; /* the empty string */
    if (!value || !LLVMIsAConstantDataSequential(value) || !LLVMIsConstantString(value)) {
        return false;
    }
    size_t length = 0;
    const char *data = LLVMGetAsString(value, &length);
    *out_text = rt_arena_text(&job->arena, (rt_text){data, strnlen(data, length)});
    return true;
}

/* The first of an attribute's arguments, which clang keeps in a constant structure; 0: it is not an
 * integer, or there is none. */
static uint64_t argument_of(LLVMValueRef row)
{
    if (LLVMGetNumOperands(row) <= CELL_ARGUMENTS) return 0;
    LLVMValueRef variable =
        LLVMIsAGlobalVariable(pl_strip_constant(LLVMGetOperand(row, CELL_ARGUMENTS)));
    LLVMValueRef values = variable ? LLVMGetInitializer(variable) : NULL;
    if (!values || !LLVMIsAConstantStruct(values) || LLVMGetNumOperands(values) == 0) return 0;
    LLVMValueRef first = LLVMIsAConstantInt(LLVMGetOperand(values, 0));
    return first && LLVMGetIntTypeWidth(LLVMTypeOf(first)) <= 64 ? LLVMConstIntGetZExtValue(first)
                                                                 : 0;
}

static bool read_row(pl_job *job, LLVMValueRef row, pl_annotation *out_annotation)
{
    if (!LLVMIsAConstantStruct(row) || LLVMGetNumOperands(row) < CELL_COUNT_MIN) return false;
    LLVMValueRef value = pl_strip_constant(LLVMGetOperand(row, CELL_VALUE));
    LLVMValueRef line = LLVMGetOperand(row, CELL_LINE);
    if (!LLVMIsAFunction(value) && !LLVMIsAGlobalVariable(value)) return false;
    if (!LLVMIsAConstantInt(line) || LLVMGetIntTypeWidth(LLVMTypeOf(line)) > 64) return false;
    *out_annotation = (pl_annotation){.value = value};
    out_annotation->line = (unsigned)LLVMConstIntGetZExtValue(line);
    out_annotation->number = argument_of(row);
    return pl_literal_of(job, LLVMGetOperand(row, CELL_TEXT), &out_annotation->text);
}

rt_status pl_annotations_take(pl_job *job, LLVMModuleRef module, rt_text source,
                              pl_annotations *out_annotations)
{
    *out_annotations = (pl_annotations){0};
    LLVMValueRef list = LLVMGetNamedGlobal(module, LIST);
    if (!list) return RT_STATUS_OK;
    LLVMValueRef rows = LLVMGetInitializer(list);
    bool formed = rows && LLVMIsAConstantArray(rows) && !LLVMGetFirstUse(list);
    uint32_t count = formed ? (uint32_t)LLVMGetNumOperands(rows) : 0;
    pl_annotation *items = rt_arena_alloc_array(&job->arena, count, sizeof *items);
    for (uint32_t i = 0; i < count && formed; i++)
        formed = read_row(job, LLVMGetOperand(rows, i), &items[i]);
    if (!formed)
        return rt_fail(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE,
                       "source %.*s: an entry of '" LIST "' does not have the form {function or "
                       "variable, string, file, line, arguments} that clang gives it",
                       RT_TEXT_ARG(source));
    CHECK(count > 0);
    LLVMDeleteGlobal(list);
    *out_annotations = (pl_annotations){items, count};
    return RT_STATUS_OK;
}

bool pl_annotation_is(const pl_annotation *annotation, const char *prefix, rt_text *out_rest)
{
    CHECK(prefix[0] != '\0');
    *out_rest = annotation->text;
    return rt_text_take_prefix(out_rest, prefix);
}
