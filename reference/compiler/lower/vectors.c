/* Lowering of vectors that are too long or of an odd length, and of choices of whole vectors.
 *
 * LLVM's instcombine makes them of a component that is narrowed: trunc(extractelement <3 x i64>) is
 * for it extractelement <6 x i32>, and a load whose value is only taken apart so becomes a load of
 * that type.  It cannot be told not to, and the SPIR-V writer of version 14 either ends the process
 * or, in a library built without assertions, writes a module in which ids mean other values. */
#include "reference/compiler/lower/vectors.h"

static bool is_writable_length(unsigned count)
{
    return (count >= 2 && count <= 4) || count == 8 || count == 16;
}

static unsigned bits_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind: return 16;
    case LLVMFloatTypeKind: return 32;
    case LLVMDoubleTypeKind: return 64;
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type);
    default: return 0; /* no number */
    }
}

/* Part number `index` of the vector that is cast, counted in parts of `type`; NULL where the cast
 * is not one of a longer list of narrower integers. */
static LLVMValueRef part_of_cast(LLVMBuilderRef builder, LLVMValueRef cast, LLVMTypeRef type,
                                 uint64_t index)
{
    LLVMValueRef from = LLVMGetOperand(cast, 0);
    if (LLVMGetTypeKind(LLVMTypeOf(from)) != LLVMVectorTypeKind) return NULL;
    LLVMTypeRef wide = LLVMGetElementType(LLVMTypeOf(from));
    unsigned wide_bits = bits_of(wide), bits = bits_of(type);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || bits == 0 || wide_bits % bits) return NULL;
    unsigned parts = wide_bits / bits;
    if (parts < 2) return NULL;
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMTypeRef integer = LLVMIntTypeInContext(context, wide_bits);
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(context), index / parts, 0);
    LLVMValueRef whole = LLVMBuildExtractElement(builder, from, at, "");
    if (LLVMGetTypeKind(wide) != LLVMIntegerTypeKind) {
        whole = LLVMBuildBitCast(builder, whole, integer, "");
    }
    LLVMValueRef shift = LLVMConstInt(integer, index % parts * bits, 0);
    return LLVMBuildTrunc(builder, LLVMBuildLShr(builder, whole, shift, ""), type, "");
}

/* Component number `index` loaded by itself, at the place of the load. */
static LLVMValueRef part_of_load(LLVMBuilderRef builder, LLVMValueRef load, LLVMTypeRef type,
                                 uint64_t index)
{
    unsigned bytes = bits_of(type) / 8, alignment = LLVMGetAlignment(load);
    if (LLVMGetVolatile(load) || bytes == 0) return NULL;
    LLVMPositionBuilderBefore(builder, load);
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    while (LLVMIsABitCastInst(pointer)) /* nor must a pointer to the vector stay */
        pointer = LLVMGetOperand(pointer, 0);
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(context), index, 0);
    pointer = LLVMBuildBitCast(builder, pointer, LLVMPointerType(type, space), "");
    pointer = LLVMBuildInBoundsGEP2(builder, type, pointer, &at, 1, "");
    LLVMValueRef part = LLVMBuildLoad2(builder, type, pointer, "");
    LLVMSetAlignment(part, alignment < bytes ? alignment : bytes);
    return part;
}

static unsigned length_of(LLVMValueRef vector)
{
    return LLVMGetVectorSize(LLVMTypeOf(vector));
}

static LLVMValueRef part_of_constant(LLVMValueRef vector, unsigned index)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(vector));
    if (LLVMIsUndef(vector)) return LLVMGetUndef(type);
    if (LLVMIsNull(vector)) return LLVMConstNull(type);
    if (LLVMIsAConstantDataVector(vector)) return LLVMGetElementAsConstant(vector, index);
    return LLVMIsAConstantVector(vector) ? LLVMGetOperand(vector, index) : NULL;
}

/* Operations that are looked through, of which each may double what is written; a phi, which may
 * write it on so many ways, counts as two. */
enum { OPERATION_DEPTH_MAX = 6, WAYS_MAX = 8 };

static LLVMValueRef part_at_depth(LLVMBuilderRef builder, LLVMValueRef asks, LLVMValueRef vector,
                                  uint64_t index, uint32_t depth);

/* Component number `index` of two operands of an operation; false: one of the vectors stays. */
static bool parts_at_depth(LLVMBuilderRef builder, LLVMValueRef asks, const LLVMValueRef *vectors,
                           uint64_t index, uint32_t depth, LLVMValueRef *out_parts)
{
    for (uint32_t i = 0; i < 2; i++) {
        out_parts[i] = part_at_depth(builder, asks, vectors[i], index, depth + 1);
        if (!out_parts[i]) return false;
    }
    LLVMPositionBuilderBefore(builder, asks);
    return true;
}

/* The choice of one of two whole vectors becomes that of their components. */
static LLVMValueRef part_of_choice(LLVMBuilderRef builder, LLVMValueRef asks, LLVMValueRef choice,
                                   uint64_t index, uint32_t depth)
{
    LLVMValueRef condition = LLVMGetOperand(choice, 0), parts[2];
    const LLVMValueRef vectors[] = {LLVMGetOperand(choice, 1), LLVMGetOperand(choice, 2)};
    if (LLVMGetTypeKind(LLVMTypeOf(condition)) != LLVMIntegerTypeKind) return NULL;
    if (!parts_at_depth(builder, asks, vectors, index, depth, parts)) return NULL;
    return LLVMBuildSelect(builder, condition, parts[0], parts[1], "");
}

/* Where ways of the code meet, the components meet that come on each of them, computed where that
 * way ends.  A vector that goes round a loop stays: its components would never be found. */
static LLVMValueRef part_of_phi(LLVMBuilderRef builder, LLVMValueRef phi, uint64_t index,
                                uint32_t depth)
{
    LLVMValueRef parts[WAYS_MAX];
    LLVMBasicBlockRef blocks[WAYS_MAX];
    unsigned count = LLVMCountIncoming(phi);
    if (count > WAYS_MAX) return NULL;
    for (unsigned i = 0; i < count; i++) {
        blocks[i] = LLVMGetIncomingBlock(phi, i);
        LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks[i]);
        parts[i] = part_at_depth(builder, end, LLVMGetIncomingValue(phi, i), index, depth + 2);
        if (!parts[i]) return NULL;
    }
    LLVMPositionBuilderBefore(builder, phi);
    LLVMValueRef part = LLVMBuildPhi(builder, LLVMGetElementType(LLVMTypeOf(phi)), "");
    LLVMAddIncoming(part, parts, blocks, count);
    return part;
}

/* Component number `index` of a vector that cannot stay, before the instruction that asks for it;
 * NULL: the vector stays.  What is computed component by component is computed of one. */
static LLVMValueRef part_at_depth(LLVMBuilderRef builder, LLVMValueRef asks, LLVMValueRef vector,
                                  uint64_t index, uint32_t depth)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(vector));
    LLVMPositionBuilderBefore(builder, asks);
    if (LLVMIsAConstant(vector)) return part_of_constant(vector, (unsigned)index);
    if (LLVMIsABitCastInst(vector)) return part_of_cast(builder, vector, type, index);
    if (LLVMIsALoadInst(vector)) return part_of_load(builder, vector, type, index);
    if (depth >= OPERATION_DEPTH_MAX) return NULL;
    if (LLVMIsASelectInst(vector)) return part_of_choice(builder, asks, vector, index, depth);
    if (LLVMIsAPHINode(vector)) return part_of_phi(builder, vector, index, depth);
    if (!LLVMIsABinaryOperator(vector)) return NULL;
    const LLVMValueRef vectors[] = {LLVMGetOperand(vector, 0), LLVMGetOperand(vector, 1)};
    LLVMValueRef parts[2];
    if (!parts_at_depth(builder, asks, vectors, index, depth, parts)) return NULL;
    return LLVMBuildBinOp(builder, LLVMGetInstructionOpcode(vector), parts[0], parts[1], "");
}

static LLVMValueRef part_of(LLVMBuilderRef builder, LLVMValueRef asks, LLVMValueRef vector,
                            uint64_t index)
{
    return part_at_depth(builder, asks, vector, index, 0);
}

static LLVMValueRef lower_extract(LLVMBuilderRef builder, LLVMValueRef extract)
{
    LLVMValueRef vector = LLVMGetOperand(extract, 0), index = LLVMGetOperand(extract, 1);
    if (is_writable_length(length_of(vector)) || !LLVMIsAConstantInt(index)) return NULL;
    uint64_t number = LLVMConstIntGetZExtValue(index);
    return number < length_of(vector) ? part_of(builder, extract, vector, number) : NULL;
}

/* A shuffle becomes a vector that is put together from its components. */
static LLVMValueRef lower_shuffle(LLVMBuilderRef builder, LLVMValueRef shuffle)
{
    unsigned count = length_of(LLVMGetOperand(shuffle, 0));
    LLVMValueRef result = LLVMGetUndef(LLVMTypeOf(shuffle));
    if (is_writable_length(count) || !is_writable_length(length_of(shuffle))) return NULL;
    LLVMTypeRef number = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(shuffle)));
    for (unsigned i = 0; i < length_of(shuffle); i++) {
        int from = LLVMGetMaskValue(shuffle, i);
        if (from == LLVMGetUndefMaskElem()) continue;
        CHECK(from >= 0 && (unsigned)from < 2 * count);
        LLVMValueRef vector = LLVMGetOperand(shuffle, (unsigned)from / count);
        LLVMValueRef value = part_of(builder, shuffle, vector, (unsigned)from % count);
        if (!value) return NULL;
        LLVMPositionBuilderBefore(builder, shuffle);
        LLVMValueRef at = LLVMConstInt(number, i, 0);
        result = LLVMBuildInsertElement(builder, result, value, at, "");
    }
    return result;
}

/* A choice of one of two vectors is made for each component, since SPIR-V has no other before
 * version 1.4, and the writer does not ask. */
static LLVMValueRef lower_choice(LLVMBuilderRef builder, LLVMValueRef choice)
{
    LLVMTypeRef type = LLVMTypeOf(choice);
    LLVMValueRef condition = LLVMGetOperand(choice, 0);
    bool is_whole = LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
                    LLVMGetTypeKind(LLVMTypeOf(condition)) == LLVMIntegerTypeKind;
    if (!is_whole || !is_writable_length(LLVMGetVectorSize(type))) return NULL;
    unsigned count = LLVMGetVectorSize(type);
    LLVMTypeRef bit = LLVMTypeOf(condition);
    LLVMTypeRef number = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef undefined = LLVMGetUndef(LLVMVectorType(bit, count));
    LLVMValueRef first = LLVMConstNull(number), all = LLVMConstNull(LLVMVectorType(number, count));
    LLVMPositionBuilderBefore(builder, choice);
    LLVMValueRef one = LLVMBuildInsertElement(builder, undefined, condition, first, "");
    LLVMValueRef each = LLVMBuildShuffleVector(builder, one, undefined, all, "");
    return LLVMBuildSelect(builder, each, LLVMGetOperand(choice, 1), LLVMGetOperand(choice, 2), "");
}

/* What takes the place of an instruction that uses such a vector; NULL: it stays. */
static LLVMValueRef lower(LLVMBuilderRef builder, LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMExtractElement: return lower_extract(builder, instruction);
    case LLVMShuffleVector: return lower_shuffle(builder, instruction);
    case LLVMSelect: return lower_choice(builder, instruction);
    default: return NULL;
    }
}

static void lower_block(LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
    LLVMValueRef next = NULL;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMValueRef value = lower(builder, i);
        if (!value) continue;
        CHECK(LLVMTypeOf(i) == LLVMTypeOf(value));
        LLVMReplaceAllUsesWith(i, value);
        LLVMInstructionEraseFromParent(i);
    }
}

void pl_lower_vectors(pl_job *job, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
        for (; block; block = LLVMGetNextBasicBlock(block))
            lower_block(builder, block);
    }
    LLVMDisposeBuilder(builder);
}
