/* Applies a function of lane.c to a chunk: repeats its instructions with vectors of lanes instead
 * of single values. The functions have one block each and access no memory. */
#include "sim/compiled/emit.h"

#include <stdio.h>
#include <string.h>

#define VALUES_MAX 64u

typedef struct values {
    LLVMValueRef from[VALUES_MAX], to[VALUES_MAX];
    uint32_t count;
} values;

static void values_add(values *map, LLVMValueRef from, LLVMValueRef to)
{
    CHECK(map->count < VALUES_MAX);
    map->from[map->count] = from;
    map->to[map->count++] = to;
}

static LLVMValueRef value_of(const tier_emitter *e, const values *map, LLVMValueRef from,
                             bool is_chunk)
{
    for (uint32_t i = 0; i < map->count; i++) {
        if (map->from[i] == from) return map->to[i];
    }
    CHECK(LLVMIsConstant(from));
    return is_chunk ? tier_splat(e, from) : from;
}

static LLVMTypeRef widened(LLVMTypeRef type, bool is_chunk)
{
    return is_chunk ? tier_chunk_of(type) : type;
}

/* Every intrinsic function used has one type that may be a vector: that of its first operand. */
static LLVMValueRef widen_call(const tier_emitter *e, const values *map, LLVMValueRef from,
                               bool is_chunk)
{
    LLVMValueRef callee = LLVMGetCalledValue(from), operands[4];
    unsigned id = LLVMGetIntrinsicID(callee), count = LLVMGetNumArgOperands(from);
    CHECK(id != 0 && count >= 1 && count <= 4);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(from, i);
        bool is_flag = LLVMTypeOf(operand) == e->i1; /* of ctlz and cttz */
        operands[i] = value_of(e, map, operand, is_chunk && !is_flag);
    }
    LLVMTypeRef type = LLVMTypeOf(operands[0]);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, &type, 1);
    return LLVMBuildCall2(e->builder, LLVMIntrinsicGetType(e->llvm, id, &type, 1), function,
                          operands, count, "");
}

static LLVMValueRef widen_instruction(const tier_emitter *e, const values *map, LLVMValueRef from,
                                      bool is_chunk)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(from);
    LLVMValueRef o[3] = {NULL};
    if (opcode == LLVMCall) return widen_call(e, map, from, is_chunk);
    int count = LLVMGetNumOperands(from);
    CHECK(count >= 1 && count <= 3);
    for (int i = 0; i < count; i++)
        o[i] = value_of(e, map, LLVMGetOperand(from, (unsigned)i), is_chunk);
    if (LLVMIsABinaryOperator(from)) return LLVMBuildBinOp(e->builder, opcode, o[0], o[1], "");
    if (LLVMIsACastInst(from)) {
        LLVMTypeRef type = widened(LLVMTypeOf(from), is_chunk);
        return LLVMBuildCast(e->builder, opcode, o[0], type, "");
    }
    switch (opcode) {
    case LLVMICmp: return LLVMBuildICmp(e->builder, LLVMGetICmpPredicate(from), o[0], o[1], "");
    case LLVMFCmp: return LLVMBuildFCmp(e->builder, LLVMGetFCmpPredicate(from), o[0], o[1], "");
    case LLVMSelect: return LLVMBuildSelect(e->builder, o[0], o[1], o[2], "");
    case LLVMFNeg: return LLVMBuildFNeg(e->builder, o[0], "");
    case LLVMFreeze: return LLVMBuildFreeze(e->builder, o[0], "");
    default: UNREACHABLE();
    }
}

LLVMValueRef tier_widen(tier_emitter *e, const char *prefix, const char *name,
                        const LLVMValueRef *operands, bool is_chunk)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s_%s", prefix, name);
    LLVMValueRef function = LLVMGetNamedFunction(e->lanes, whole);
    CHECK(function && LLVMCountBasicBlocks(function) == 1);
    values map = {.count = 0};
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        values_add(&map, LLVMGetParam(function, i), operands[i]);
    LLVMValueRef from = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    for (; LLVMGetInstructionOpcode(from) != LLVMRet; from = LLVMGetNextInstruction(from))
        values_add(&map, from, widen_instruction(e, &map, from, is_chunk));
    return value_of(e, &map, LLVMGetOperand(from, 0), is_chunk);
}
