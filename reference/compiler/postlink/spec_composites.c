/* Specialisation constants that are structs, arrays or vectors.
 *
 * SPIR-V's constants are scalars; a composite consists of one for each scalar in it (SPIR-V
 * specification, 2.12 "Specialization").  A function that reads a composite gets a copy of it in
 * private memory: it stores the scalars into the copy first, and reads the copy instead of the
 * variable.  The passes turn that into uses of the scalars that are needed. */
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/version.h"
#include "reference/compiler/postlink/spec_constants_internal.h"

#include <llvm-c/Target.h>

enum { COMPOSITE_SIZE_MAX = 4096 }; /* bytes, as of an argument by value */

/* The variable that is taken. */
typedef struct composite {
    pl_job *job;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    LLVMTypeRef type;
    rt_text name;
    uint32_t size;
    uint8_t initial[COMPOSITE_SIZE_MAX];
} composite;

/* ---- Types --------------------------------------------------------------------------------- */

static bool is_sequence(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind;
}

/* The number of elements of a struct, an array or a vector; too many for a constant: UINT_MAX. */
static unsigned element_count(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind: return LLVMCountStructElementTypes(type);
    case LLVMVectorTypeKind: return LLVMGetVectorSize(type);
    default: return (unsigned)LLVMGetArrayLength(type);
    }
}

static LLVMTypeRef element_type(LLVMTypeRef type, unsigned index)
{
    return is_sequence(type) ? LLVMGetElementType(type) : LLVMStructGetTypeAtIndex(type, index);
}

bool pl_spec_is_composite(LLVMTypeRef type)
{
    bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
    if (!is_struct && !is_sequence(type)) return false;
    unsigned count = element_count(type), different = is_struct ? count : 1;
    for (unsigned i = 0; i < different && i < count; i++) {
        LLVMTypeRef element = element_type(type, i);
        if (!pl_spec_scalar_type_of(element) && !pl_spec_is_composite(element)) return false;
    }
    return count > 0;
}

static uint32_t offset_of(const composite *taken, LLVMTypeRef type, unsigned index)
{
    if (!is_sequence(type)) return (uint32_t)LLVMOffsetOfElement(taken->layout, type, index);
    return (uint32_t)(index * LLVMABISizeOfType(taken->layout, element_type(type, index)));
}

/* ---- The default --------------------------------------------------------------------------- */

/* Writes the bytes of a constant; false: it contains something other than numbers.  Clang may give
 * an initialiser another type than its variable, with padding as members, so only bytes count. */
static bool bytes_write(composite *taken, LLVMValueRef value, uint32_t offset)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMIsNull(value) || LLVMIsUndef(value)) return true;
    if (LLVMIsAConstantInt(value) || LLVMIsAConstantFP(value)) {
        const pl_spec_scalar_type *scalar = pl_spec_scalar_type_of(type);
        if (!scalar) return false;
        uint64_t bits = pl_spec_bits(taken->job, value);
        CHECK(offset + scalar->size <= taken->size);
        for (uint32_t i = 0; i < scalar->size; i++)
            taken->initial[offset + i] = (uint8_t)(bits >> (8 * i));
        return true;
    }
    if (!is_sequence(type) && LLVMGetTypeKind(type) != LLVMStructTypeKind) return false;
    for (unsigned i = 0; i < element_count(type); i++) {
        LLVMValueRef element = pl_element_of_constant(value, i);
        if (!element || !bytes_write(taken, element, offset + offset_of(taken, type, i)))
            return false;
    }
    return true;
}

static LLVMValueRef initial_scalar(const composite *taken, LLVMTypeRef type, uint32_t offset)
{
    const pl_spec_scalar_type *scalar = pl_spec_scalar_type_of(type);
    uint64_t bits = 0;
    for (uint32_t i = scalar->size; i-- > 0;)
        bits = bits << 8 | taken->initial[offset + i];
    LLVMTypeRef integer = LLVMIntTypeInContext(taken->job->context, 8 * scalar->size);
    LLVMValueRef value = pl_integer(integer, bits);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? pl_integer(type, bits)
                                                        : LLVMConstBitCast(value, type);
}

/* ---- The copy ------------------------------------------------------------------------------ */

static LLVMValueRef scalar_build(composite *taken, LLVMBuilderRef builder, LLVMTypeRef type,
                                 uint32_t offset)
{
    const pl_spec_place place = {taken->name, offset, pl_spec_scalar_type_of(type)->size,
                                 taken->size};
    LLVMValueRef function = pl_spec_function(taken->job, taken->module, &place, type);
    LLVMValueRef value = initial_scalar(taken, type, offset);
    return pl_spec_call(builder, function, &value, 1, "");
}

/* Stores the scalars of a part of the constant, of that type, at an address. */
static void part_store(composite *taken, LLVMBuilderRef builder, LLVMTypeRef type, uint32_t offset,
                       LLVMValueRef address)
{
    LLVMTypeRef number = LLVMInt32TypeInContext(taken->job->context);
    if (pl_spec_scalar_type_of(type)) {
        LLVMBuildStore(builder, scalar_build(taken, builder, type, offset), address);
        return;
    }
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        LLVMValueRef vector = LLVMGetUndef(type);
        for (unsigned i = 0; i < element_count(type); i++)
            vector = LLVMBuildInsertElement(builder, vector,
                                            scalar_build(taken, builder, element_type(type, i),
                                                         offset + offset_of(taken, type, i)),
                                            pl_integer(number, i), "");
        LLVMBuildStore(builder, vector, address);
        return;
    }
    for (unsigned i = 0; i < element_count(type); i++) {
        LLVMValueRef path[] = {LLVMConstNull(number), pl_integer(number, i)};
        LLVMValueRef element = LLVMBuildInBoundsGEP2(builder, type, address, path, 2, "");
        part_store(taken, builder, element_type(type, i), offset + offset_of(taken, type, i),
                   element);
    }
}

static LLVMValueRef copy_build(composite *taken, LLVMValueRef function)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(taken->job->context);
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef copy = LLVMBuildAlloca(builder, taken->type, "");
    LLVMSetAlignment(copy, LLVMABIAlignmentOfType(taken->layout, taken->type));
    part_store(taken, builder, taken->type, 0, copy);
    LLVMDisposeBuilder(builder);
    return copy;
}

/* ---- Uses ---------------------------------------------------------------------------------- */

static bool is_copy_from(LLVMValueRef user, LLVMValueRef pointer)
{
    if (!LLVMIsAMemCpyInst(user) || LLVMGetOperand(user, 0) == pointer) return false;
    return LLVMGetOperand(user, 1) == pointer && LLVMIsNull(LLVMGetOperand(user, 3));
}

/* True if what a pointer points to is only read, through the pointer and those computed from it. */
static bool is_only_read(LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool is_expression = LLVMIsAConstantExpr(user) != NULL;
        if (LLVMIsALoadInst(user)) {
            if (LLVMGetVolatile(user) || LLVMGetOrdering(user) != LLVMAtomicOrderingNotAtomic)
                return false;
        } else if (is_expression || LLVMIsAGetElementPtrInst(user) || LLVMIsABitCastInst(user)) {
            LLVMOpcode opcode =
                is_expression ? LLVMGetConstOpcode(user) : LLVMGetInstructionOpcode(user);
            if (opcode != LLVMGetElementPtr && opcode != LLVMBitCast) return false;
            if (LLVMGetOperand(user, 0) != pointer || !is_only_read(user)) return false;
        } else if (!is_copy_from(user, pointer)) {
            return false;
        }
    }
    return true;
}

/* Builds the address that `old`, an address computation from the variable or a copy of it, computes
 * if it begins at `base`. */
static LLVMValueRef address_build(const composite *taken, LLVMBuilderRef builder, LLVMValueRef old,
                                  LLVMValueRef base)
{
    bool is_cast = LLVMIsAConstantExpr(old) ? LLVMGetConstOpcode(old) == LLVMBitCast
                                            : LLVMIsABitCastInst(old) != NULL;
    if (is_cast)
        return LLVMBuildBitCast(builder, base,
                                pl_pointer_in_space(LLVMTypeOf(old), PL_SPACE_PRIVATE), "");
    unsigned count = (unsigned)LLVMGetNumOperands(old) - 1;
    LLVMValueRef *path = rt_arena_alloc_array(&taken->job->arena, count, sizeof *path);
    for (unsigned i = 0; i < count; i++)
        path[i] = LLVMGetOperand(old, i + 1);
    return LLVMBuildGEP2(builder, LLVMGetGEPSourceElementType(old), base, path, count, "");
}

/* Makes an instruction that reads through `old` read through `fresh`, and erases it. */
static void read_move(const composite *taken, LLVMValueRef instruction, LLVMValueRef old,
                      LLVMValueRef fresh)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(taken->job->context);
    LLVMPositionBuilderBefore(builder, instruction);
    if (LLVMIsALoadInst(instruction)) {
        LLVMValueRef load = LLVMBuildLoad2(builder, LLVMTypeOf(instruction), fresh, "");
        LLVMSetAlignment(load, LLVMGetAlignment(instruction));
        pl_replace(instruction, load);
    } else if (LLVMIsAMemCpyInst(instruction)) {
        CHECK(is_copy_from(instruction, old));
        LLVMBuildMemCpy(builder, LLVMGetOperand(instruction, 0), 1, fresh, 1,
                        LLVMGetOperand(instruction, 2));
        LLVMInstructionEraseFromParent(instruction);
    } else {
        LLVMValueRef address = address_build(taken, builder, instruction, fresh);
        while (LLVMGetFirstUse(instruction))
            read_move(taken, LLVMGetUser(LLVMGetFirstUse(instruction)), instruction, address);
        LLVMInstructionEraseFromParent(instruction);
    }
    LLVMDisposeBuilder(builder);
}

/* The address in the copy that corresponds to `old`, the variable or a constant expression of it.
 */
static LLVMValueRef address_in_copy(const composite *taken, LLVMBuilderRef builder,
                                    LLVMValueRef old, LLVMValueRef copy)
{
    if (!LLVMIsAConstantExpr(old)) return copy;
    LLVMValueRef base = address_in_copy(taken, builder, LLVMGetOperand(old, 0), copy);
    return address_build(taken, builder, old, base);
}

/* The first instruction that uses a constant, *out_old: the operand that it uses; NULL: none. */
static LLVMValueRef instruction_find(LLVMValueRef constant, LLVMValueRef *out_old)
{
    for (LLVMUseRef use = LLVMGetFirstUse(constant); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        *out_old = constant;
        if (!LLVMIsAConstant(user)) return user;
        LLVMValueRef found = instruction_find(user, out_old);
        if (found) return found;
    }
    return NULL;
}

/* Moves all uses of the variable to copies of it, one in each function. */
static void uses_move(composite *taken, LLVMValueRef variable)
{
    RT_VECTOR(LLVMValueRef) copies = {0};
    rt_map copy_of = {0}; /* address of the function -> its copy */
    LLVMValueRef old = NULL, user;
    while ((user = instruction_find(variable, &old))) {
        LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
        uint32_t index = rt_map_find_number(&copy_of, (uintptr_t)function);
        if (index == RT_MAP_NONE) {
            index = copies.count;
            rt_map_set_number(&copy_of, (uintptr_t)function, index);
            *rt_vector_push(&copies) = copy_build(taken, function);
        }
        CHECK(copies.items && index < copies.count);
        LLVMBuilderRef builder = LLVMCreateBuilderInContext(taken->job->context);
        LLVMPositionBuilderBefore(builder, user);
        LLVMValueRef address = address_in_copy(taken, builder, old, copies.items[index]);
        LLVMDisposeBuilder(builder);
        read_move(taken, user, old, address);
    }
    rt_vector_free(&copies);
    rt_map_free(&copy_of);
    /* Constant expressions without users remain, and would keep the variable. */
    LLVMReplaceAllUsesWith(variable, LLVMGetUndef(LLVMTypeOf(variable)));
}

rt_status pl_spec_composite_take(pl_job *job, LLVMModuleRef module, LLVMValueRef variable,
                                 rt_text name, LLVMValueRef initial)
{
    composite taken = {.job = job,
                       .module = module,
                       .layout = LLVMGetModuleDataLayout(module),
                       .type = LLVMGlobalGetValueType(variable),
                       .name = name};
    uint64_t size = LLVMABISizeOfType(taken.layout, taken.type);
    if (size > COMPOSITE_SIZE_MAX)
        return pl_spec_refuse(job, name, "is larger than 4096 bytes; divide it");
    taken.size = (uint32_t)size;
    if (!initial || LLVMABISizeOfType(taken.layout, LLVMTypeOf(initial)) != size ||
        !bytes_write(&taken, initial, 0))
        return pl_spec_refuse(job, name, pl_spec_no_default);
    if (!is_only_read(variable)) return pl_spec_refuse(job, name, pl_spec_only_read);
    uses_move(&taken, variable);
    return RT_STATUS_OK;
}
