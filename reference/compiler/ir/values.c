/* A traversal asks LLVM for the next value at each step, so it needs no memory and includes values
 * that are appended during the traversal. */
#include "reference/compiler/ir/values.h"

#include <llvm-c/BitWriter.h>

#include <string.h>

LLVMValueRef pl_first_symbol(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    return function ? function : LLVMGetFirstGlobal(module);
}

LLVMValueRef pl_next_symbol(LLVMValueRef symbol)
{
    if (!LLVMIsAFunction(symbol)) return LLVMGetNextGlobal(symbol);
    LLVMValueRef next = LLVMGetNextFunction(symbol);
    return next ? next : LLVMGetFirstGlobal(LLVMGetGlobalParent(symbol));
}

uint32_t pl_symbol_count(LLVMModuleRef module)
{
    uint32_t count = 0;
    for (LLVMValueRef v = pl_first_symbol(module); v; v = pl_next_symbol(v))
        count++;
    return count;
}

/* The first instruction of a block or, if the block is empty, of the blocks after it; the repairs
 * for the writer may leave empty blocks. */
static LLVMValueRef first_from(LLVMBasicBlockRef block)
{
    LLVMValueRef instruction = NULL;
    for (; block && !instruction; block = LLVMGetNextBasicBlock(block))
        instruction = LLVMGetFirstInstruction(block);
    return instruction;
}

LLVMValueRef pl_first_instruction(LLVMValueRef function)
{
    CHECK(LLVMIsAFunction(function));
    return first_from(LLVMGetFirstBasicBlock(function));
}

LLVMValueRef pl_next_instruction(LLVMValueRef instruction)
{
    CHECK(LLVMIsAInstruction(instruction));
    LLVMValueRef next = LLVMGetNextInstruction(instruction);
    return next ? next : first_from(LLVMGetNextBasicBlock(LLVMGetInstructionParent(instruction)));
}

LLVMValueRef pl_integer(LLVMTypeRef type, uint64_t value)
{
    CHECK(LLVMGetIntTypeWidth(type) <= 64);
    return LLVMConstInt(type, value, false);
}

rt_text pl_name(LLVMValueRef value)
{
    size_t length = 0;
    const char *name = LLVMGetValueName2(value, &length);
    return (rt_text){name, length};
}

bool pl_calls(LLVMValueRef user, LLVMValueRef function)
{
    return LLVMIsACallInst(user) && LLVMGetCalledValue(user) == function;
}

LLVMValueRef pl_any_call(LLVMValueRef function)
{
    CHECK(LLVMIsAFunction(function));
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
        if (pl_calls(LLVMGetUser(use), function)) return LLVMGetUser(use);
    return NULL;
}

LLVMValueRef pl_mistyped_callee(LLVMValueRef call)
{
    CHECK(LLVMIsACallInst(call));
    /* The callee is the function itself or, where pointers have types, a cast of it. */
    LLVMValueRef callee = LLVMGetCalledValue(call);
    bool cast = LLVMIsAConstantExpr(callee) && LLVMGetConstOpcode(callee) == LLVMBitCast;
    LLVMValueRef function = LLVMIsAFunction(cast ? LLVMGetOperand(callee, 0) : callee);
    if (!function) return NULL;
    return LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(function) ? function : NULL;
}

bool pl_type_fits(LLVMTypeRef from, LLVMTypeRef to)
{
    bool are_pointers =
        LLVMGetTypeKind(from) == LLVMPointerTypeKind && LLVMGetTypeKind(to) == LLVMPointerTypeKind;
    return from == to ||
           (are_pointers && LLVMGetPointerAddressSpace(from) == LLVMGetPointerAddressSpace(to));
}

LLVMValueRef pl_strip_constant(LLVMValueRef value)
{
    while (LLVMIsAConstantExpr(value))
        value = LLVMGetOperand(value, 0);
    return value;
}

void pl_replace(LLVMValueRef instruction, LLVMValueRef value)
{
    CHECK(LLVMIsAInstruction(instruction) && instruction != value);
    CHECK(LLVMTypeOf(instruction) == LLVMTypeOf(value));
    LLVMReplaceAllUsesWith(instruction, value);
    CHECK(!LLVMGetFirstUse(instruction));
    LLVMInstructionEraseFromParent(instruction);
}

unsigned pl_metadata_kind(const pl_job *job, const char *kind)
{
    CHECK(kind[0] != '\0');
    return LLVMGetMDKindIDInContext(job->context, kind, (unsigned)strlen(kind));
}

LLVMValueRef pl_metadata(pl_job *job, LLVMValueRef function, const char *kind)
{
    CHECK(LLVMIsAFunction(function));
    unsigned kind_id = pl_metadata_kind(job, kind);
    LLVMMetadataRef found = NULL;
    size_t count = 0;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(function, &count);
    for (unsigned i = 0; i < count && !found; i++)
        if (LLVMValueMetadataEntriesGetKind(entries, i) == kind_id)
            found = LLVMValueMetadataEntriesGetMetadata(entries, i);
    LLVMDisposeValueMetadataEntries(entries);
    return found ? LLVMMetadataAsValue(job->context, found) : NULL;
}

LLVMValueRef *pl_metadata_operands(pl_job *job, LLVMValueRef node, uint32_t *out_count)
{
    uint32_t count = LLVMGetMDNodeNumOperands(node);
    LLVMValueRef *operands = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMValueRef));
    if (count > 0) LLVMGetMDNodeOperands(node, operands);
    *out_count = count;
    return operands;
}

rt_text pl_parameter_text(LLVMValueRef kernel, const char *kind, uint32_t parameter)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
    unsigned kind_id = LLVMGetMDKindIDInContext(context, kind, (unsigned)strlen(kind));
    size_t entry_count = 0;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(kernel, &entry_count);
    rt_text text = {"", 0};
    for (unsigned i = 0; i < entry_count; i++) {
        if (LLVMValueMetadataEntriesGetKind(entries, i) != kind_id) continue;
        LLVMValueRef node =
            LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(entries, i));
        uint32_t count = LLVMGetMDNodeNumOperands(node);
        if (parameter >= count) break;
        LLVMValueRef *operands = rt_alloc_array(count, sizeof *operands);
        LLVMGetMDNodeOperands(node, operands);
        unsigned length = 0;
        const char *data =
            operands[parameter] ? LLVMGetMDString(operands[parameter], &length) : NULL;
        if (data) text = (rt_text){data, length};
        rt_free(operands);
        break;
    }
    LLVMDisposeValueMetadataEntries(entries);
    return text;
}

void pl_write_bitcode(LLVMModuleRef module, rt_buffer *out_bitcode)
{
    size_t before = out_bitcode->size;
    LLVMMemoryBufferRef memory = LLVMWriteBitcodeToMemoryBuffer(module);
    rt_buffer_append(out_bitcode, LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
    CHECK(out_bitcode->size > before);
    LLVMDisposeMemoryBuffer(memory);
}
