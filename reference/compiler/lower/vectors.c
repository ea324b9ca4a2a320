/* Lowers vectors that are too long or have an odd length, and selects between vectors.
 *
 * LLVM's instcombine creates them when a component is narrowed: trunc(extractelement <3 x i64>)
 * becomes extractelement <6 x i32>, and a load that is only used this way becomes a load of <6 x
 * i32>. This cannot be switched off, and the SPIR-V writer of version 14 either ends the process
 * or, in a library built without assertions, writes a module in which ids denote wrong values. */
#include "reference/compiler/lower/lower_internal.h"

#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/version.h"

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
    default: return 0; /* not a number */
    }
}

/* Part number `index`, of type `type`, of a cast's vector operand; NULL if the cast does not split
 * wider components into integers. */
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
    LLVMValueRef at = pl_integer(LLVMInt64TypeInContext(context), index / parts);
    LLVMValueRef whole = LLVMBuildExtractElement(builder, from, at, "");
    if (LLVMGetTypeKind(wide) != LLVMIntegerTypeKind) {
        whole = LLVMBuildBitCast(builder, whole, integer, "");
    }
    LLVMValueRef shift = pl_integer(integer, index % parts * bits);
    return LLVMBuildTrunc(builder, LLVMBuildLShr(builder, whole, shift, ""), type, "");
}

/* The address that a load of a vector reads from, as one of a `type`; the builder is at the load.
 */
static LLVMValueRef address_for(LLVMBuilderRef builder, LLVMValueRef load, LLVMTypeRef type)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    while (LLVMIsABitCastInst(pointer)) /* not even a pointer to the vector may remain */
        pointer = LLVMGetOperand(pointer, 0);
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    return LLVMBuildBitCast(builder, pointer, LLVMPointerType(type, space), "");
}

/* Component number `index`, loaded separately at the position of the vector's load. */
static LLVMValueRef part_of_load(LLVMBuilderRef builder, LLVMValueRef load, LLVMTypeRef type,
                                 uint64_t index)
{
    unsigned bytes = bits_of(type) / 8, alignment = LLVMGetAlignment(load);
    if (LLVMGetVolatile(load) || bytes == 0) return NULL;
    LLVMPositionBuilderBefore(builder, load);
    LLVMValueRef pointer = address_for(builder, load, type);
    LLVMValueRef at = pl_integer(LLVMInt64TypeInContext(LLVMGetTypeContext(type)), index);
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
    if (LLVMIsAConstantDataVector(vector)) return pl_element_of_constant(vector, index);
    return LLVMIsAConstantVector(vector) ? LLVMGetOperand(vector, index) : NULL;
}

/* The number of nested operations to look through, each of which may double the code; a phi, with
 * up to WAYS_MAX incoming edges, counts as two. */
enum { OPERATION_DEPTH_MAX = 6, WAYS_MAX = 8 };

static LLVMValueRef part_of(LLVMBuilderRef builder, LLVMValueRef before, LLVMValueRef vector,
                            uint64_t index, uint32_t depth);

/* A phi of vectors becomes a phi of one of their components, each computed at the end of its
 * predecessor. A vector that is carried round a loop stays, since the search for its components
 * would not end. */
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
        parts[i] = part_of(builder, end, LLVMGetIncomingValue(phi, i), index, depth + 2);
        if (!parts[i]) return NULL;
    }
    LLVMPositionBuilderBefore(builder, phi);
    LLVMValueRef part = LLVMBuildPhi(builder, LLVMGetElementType(LLVMTypeOf(phi)), "");
    LLVMAddIncoming(part, parts, blocks, count);
    return part;
}

/* Component number `index` of a vector that SPIR-V cannot express, computed before the instruction
 * `before`; NULL: the vector stays. */
static LLVMValueRef part_of(LLVMBuilderRef builder, LLVMValueRef before, LLVMValueRef vector,
                            uint64_t index, uint32_t depth)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(vector));
    CHECK(index < length_of(vector));
    LLVMPositionBuilderBefore(builder, before);
    if (LLVMIsAConstant(vector)) return part_of_constant(vector, (unsigned)index);
    if (LLVMIsABitCastInst(vector)) return part_of_cast(builder, vector, type, index);
    if (LLVMIsALoadInst(vector)) return part_of_load(builder, vector, type, index);
    if (depth >= OPERATION_DEPTH_MAX) return NULL;
    if (LLVMIsAPHINode(vector)) return part_of_phi(builder, vector, index, depth);
    /* A binary operation, or a select by one bit, becomes the same operation on its operands'
     * components. */
    bool selects = LLVMIsASelectInst(vector);
    if (!selects && !LLVMIsABinaryOperator(vector)) return NULL;
    LLVMValueRef first = LLVMGetOperand(vector, 0), parts[2];
    if (selects && LLVMGetTypeKind(LLVMTypeOf(first)) != LLVMIntegerTypeKind) return NULL;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef operand = LLVMGetOperand(vector, selects ? i + 1 : i);
        parts[i] = part_of(builder, before, operand, index, depth + 1);
        if (!parts[i]) return NULL;
    }
    LLVMPositionBuilderBefore(builder, before);
    if (selects) return LLVMBuildSelect(builder, first, parts[0], parts[1], "");
    return LLVMBuildBinOp(builder, LLVMGetInstructionOpcode(vector), parts[0], parts[1], "");
}

static LLVMValueRef lower_extract(LLVMBuilderRef builder, LLVMValueRef extract)
{
    LLVMValueRef vector = LLVMGetOperand(extract, 0), index = LLVMGetOperand(extract, 1);
    if (is_writable_length(length_of(vector)) || !LLVMIsAConstantInt(index)) return NULL;
    uint64_t number = LLVMConstIntGetZExtValue(index);
    return number < length_of(vector) ? part_of(builder, extract, vector, number, 0) : NULL;
}

/* A shuffle becomes a vector assembled from components. */
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
        LLVMValueRef value = part_of(builder, shuffle, vector, (unsigned)from % count, 0);
        if (!value) return NULL;
        LLVMPositionBuilderBefore(builder, shuffle);
        LLVMValueRef at = pl_integer(number, i);
        result = LLVMBuildInsertElement(builder, result, value, at, "");
    }
    return result;
}

/* A loaded vector that is used as another type is loaded once more as that type. */
static LLVMValueRef lower_cast(LLVMBuilderRef builder, LLVMValueRef cast)
{
    LLVMValueRef load = LLVMGetOperand(cast, 0);
    if (LLVMGetTypeKind(LLVMTypeOf(load)) != LLVMVectorTypeKind) return NULL;
    if (is_writable_length(length_of(load))) return NULL;
    if (!LLVMIsALoadInst(load) || LLVMGetVolatile(load)) return NULL;
    LLVMPositionBuilderBefore(builder, load);
    LLVMTypeRef type = LLVMTypeOf(cast);
    LLVMValueRef whole = LLVMBuildLoad2(builder, type, address_for(builder, load, type), "");
    LLVMSetAlignment(whole, LLVMGetAlignment(load));
    return whole;
}

/* A select between two vectors by one bit becomes a select by a vector of bits, since before SPIR-V
 * 1.4 OpSelect selects vectors only by component, and the writer does not check this. */
static LLVMValueRef lower_select(LLVMBuilderRef builder, LLVMValueRef select)
{
    LLVMTypeRef type = LLVMTypeOf(select);
    LLVMValueRef condition = LLVMGetOperand(select, 0);
    bool is_whole = LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
                    LLVMGetTypeKind(LLVMTypeOf(condition)) == LLVMIntegerTypeKind;
    if (!is_whole || !is_writable_length(LLVMGetVectorSize(type))) return NULL;
    unsigned count = LLVMGetVectorSize(type);
    LLVMTypeRef bit = LLVMTypeOf(condition);
    LLVMTypeRef number = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef undefined = LLVMGetUndef(LLVMVectorType(bit, count));
    LLVMValueRef first = LLVMConstNull(number),
                 zeros = LLVMConstNull(LLVMVectorType(number, count));
    LLVMPositionBuilderBefore(builder, select);
    LLVMValueRef bits = LLVMBuildInsertElement(builder, undefined, condition, first, "");
    bits = LLVMBuildShuffleVector(builder, bits, undefined, zeros, "");
    return LLVMBuildSelect(builder, bits, LLVMGetOperand(select, 1), LLVMGetOperand(select, 2), "");
}

void pl_lower_vectors(pl_job *job, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        LLVMValueRef next = NULL;
        for (LLVMValueRef i = pl_first_instruction(function); i; i = next) {
            next = pl_next_instruction(i);
            LLVMValueRef value = NULL; /* the replacement for the instruction */
            switch (LLVMGetInstructionOpcode(i)) {
            case LLVMExtractElement: value = lower_extract(builder, i); break;
            case LLVMShuffleVector: value = lower_shuffle(builder, i); break;
            case LLVMBitCast: value = lower_cast(builder, i); break;
            case LLVMSelect: value = lower_select(builder, i); break;
            default: break;
            }
            if (value) pl_replace(i, value);
        }
    }
    LLVMDisposeBuilder(builder);
}
