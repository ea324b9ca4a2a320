/* Pass SYCLInternalizer: promotion of buffers to private or local memory.
 *
 * First, every use of the parameter is inspected without changing anything: a buffer is promoted if
 * all uses are accesses, or address arithmetic that leads to accesses, and stays in global memory
 * otherwise. An index is taken modulo the number of elements of the promoted memory, because
 * consecutive work-items (work-groups) of a launch used consecutive elements of the buffer.
 * Source: document 001, "Kernel fusion pipeline" and its note. */
#include "reference/compiler/fuse/local.h"
#include "reference/compiler/fuse/passes.h"

#include "reference/base/vector.h"

#include <llvm-c/Target.h>

/* A pointer derived from the parameter. */
typedef struct derived {
    LLVMValueRef pointer;
    uint32_t base; /* index of the pointer that it is computed from; for the parameter, its own
                    * index */
    bool inside;   /* it points into an element, so further indices would not count elements */
    LLVMValueRef replacement;
    LLVMValueRef index; /* index of the element in the buffer, 64 bits; NULL means 0 */
} derived;

typedef struct promotion_walk {
    pl_fusing *fusing;
    const pl_promotion *promotion;
    LLVMTargetDataRef layout;
    uint64_t unit;  /* size of an element in bytes */
    unsigned space; /* the promoted memory's address space */
    RT_VECTOR(derived) pointers;
    LLVMBuilderRef builder;
    LLVMValueRef memory; /* the promoted array */
} promotion_walk;

/* ---- Inspection ---------------------------------------------------------------------------- */

static uint64_t size_of(const promotion_walk *walk, LLVMTypeRef type)
{
    return LLVMTypeIsSized(type) ? LLVMABISizeOfType(walk->layout, type) : UINT64_MAX;
}

static bool is_zero(LLVMValueRef value)
{
    return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == 0;
}

static void note(promotion_walk *walk, LLVMValueRef pointer, uint32_t base, bool inside)
{
    CHECK(base < walk->pointers.count || (base == 0 && walk->pointers.count == 0));
    *rt_vector_push(&walk->pointers) =
        (derived){.pointer = pointer, .base = base, .inside = inside};
}

/* NULL if the use can be changed, otherwise the reason why not, in the shipped compiler's words.
 */
static const char *inspect_use(promotion_walk *walk, LLVMValueRef user, LLVMValueRef value,
                               uint32_t from)
{
    CHECK(from < walk->pointers.count && walk->pointers.items[from].pointer == value);
    bool inside = walk->pointers.items[from].inside;
    if (!LLVMIsAInstruction(user))
        return "Cannot promote value used in a place other than an instruction";
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad: return NULL;
    case LLVMStore:
        if (LLVMGetOperand(user, 0) != value || !RULE(KF_PROMOTE_03)) return NULL;
        return "It is not safe to promote values being stored to another pointer";
    case LLVMGetElementPtr: {
        bool steps = !is_zero(LLVMGetOperand(user, 1));
        bool counts_units = size_of(walk, LLVMGetGEPSourceElementType(user)) == walk->unit;
        if (steps && (inside || !counts_units)) return "Unsupported pointer arithmetic";
        if (LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind)
            return "Unsupported pointer arithmetic";
        note(walk, user, from, inside || LLVMGetNumOperands(user) > 2);
        return NULL;
    }
    case LLVMBitCast: {
        uint64_t size = size_of(walk, LLVMGetElementType(LLVMTypeOf(user)));
        if (size > walk->unit) return "Unsupported pointer arithmetic";
        note(walk, user, from, inside || size != walk->unit);
        return NULL;
    }
    case LLVMAddrSpaceCast: return "It is not safe to promote values in an addrspacecast operation";
    case LLVMPtrToInt: return "It is not safe to promote values in a ptrtoint operation";
    case LLVMCall: return "It is not safe to promote values passed to a called function";
    case LLVMInsertValue: return "Promotion of a pointer into an aggregate object is not supported";
    default: return "Unsupported pointer arithmetic";
    }
}

/* ---- Change -------------------------------------------------------------------------------- */

/* Creates an array of the element type, in private or in local memory. */
static LLVMValueRef make_memory(promotion_walk *walk, LLVMTypeRef element)
{
    uint64_t count = walk->promotion->elements;
    CHECK(count >= 1 && count <= UINT32_MAX);
    LLVMTypeRef type = LLVMArrayType(element, (unsigned)count);
    if (walk->space == PL_SPACE_PRIVATE) {
        LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(walk->fusing->kernel);
        LLVMPositionBuilderBefore(walk->builder, LLVMGetFirstInstruction(entry));
        return LLVMBuildAlloca(walk->builder, type, "promoted");
    }
    LLVMValueRef variable =
        LLVMAddGlobalInAddressSpace(walk->fusing->module, type, "promoted", PL_SPACE_LOCAL);
    LLVMSetInitializer(variable, LLVMGetUndef(type));
    LLVMSetLinkage(variable, LLVMInternalLinkage);
    LLVMSetAlignment(variable, LLVMABIAlignmentOfType(walk->layout, element));
    return variable;
}

/* The address of element `index`, taken modulo the number of elements; a NULL index means 0. */
static LLVMValueRef make_address(promotion_walk *walk, LLVMValueRef index)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(walk->fusing->job->context);
    LLVMValueRef count = LLVMConstInt(word, walk->promotion->elements, 0);
    LLVMValueRef zero = LLVMConstInt(word, 0, 0), at = zero;
    if (index && walk->promotion->elements > 1) at = LLVMBuildURem(walk->builder, index, count, "");
    LLVMValueRef indices[] = {zero, at};
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(walk->memory));
    return LLVMBuildInBoundsGEP2(walk->builder, type, walk->memory, indices, 2, "");
}

/* Creates the replacement for a derived pointer; its base already has one. */
static void make_derived(promotion_walk *walk, derived *pointer)
{
    const derived *base = &walk->pointers.items[pointer->base];
    LLVMValueRef old = pointer->pointer, address = base->replacement;
    LLVMBuilderRef builder = walk->builder;
    CHECK(base < pointer && address);
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(old));
    pointer->index = base->index;
    bool arithmetic = LLVMIsAGetElementPtrInst(old);
    if (arithmetic && !base->inside && !is_zero(LLVMGetOperand(old, 1))) {
        LLVMTypeRef word = LLVMInt64TypeInContext(walk->fusing->job->context);
        LLVMValueRef step = LLVMBuildIntCast2(builder, LLVMGetOperand(old, 1), word, 1, "");
        pointer->index = base->index ? LLVMBuildAdd(builder, base->index, step, "") : step;
        address = make_address(walk, pointer->index);
    }
    if (arithmetic && LLVMGetNumOperands(old) > 2) {
        /* Address arithmetic within an element is repeated in the promoted element. */
        uint32_t count = (uint32_t)LLVMGetNumOperands(old) - 1;
        LLVMValueRef *indices =
            rt_arena_alloc_array(&walk->fusing->job->arena, count, sizeof(LLVMValueRef));
        indices[0] = LLVMConstInt(LLVMTypeOf(LLVMGetOperand(old, 1)), 0, 0);
        for (uint32_t i = 1; i < count; i++)
            indices[i] = LLVMGetOperand(old, i + 1);
        LLVMTypeRef source = LLVMGetGEPSourceElementType(old);
        address = LLVMBuildBitCast(builder, address, LLVMPointerType(source, walk->space), "");
        address = LLVMBuildInBoundsGEP2(builder, source, address, indices, count, "");
    }
    LLVMTypeRef type = LLVMPointerType(LLVMGetElementType(LLVMTypeOf(old)), walk->space);
    pointer->replacement = LLVMBuildBitCast(builder, address, type, "");
}

/* Derived pointers follow the pointers that they are computed from, so the backward walk erases
 * users first. */
static void change(promotion_walk *walk)
{
    derived *parameter = &walk->pointers.items[0];
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(parameter->pointer));
    unsigned promised = LLVMABIAlignmentOfType(walk->layout, element);
    walk->memory = make_memory(walk, element);
    parameter->replacement = make_address(walk, NULL);
    for (uint32_t i = 1; i < walk->pointers.count; i++)
        make_derived(walk, &walk->pointers.items[i]);
    for (uint32_t i = walk->pointers.count; i-- > 0;) {
        LLVMValueRef old = walk->pointers.items[i].pointer;
        LLVMValueRef replacement = walk->pointers.items[i].replacement, access;
        while (LLVMGetFirstUse(old)) {
            LLVMValueRef user = LLVMGetUser(LLVMGetFirstUse(old));
            LLVMPositionBuilderBefore(walk->builder, user);
            if (LLVMIsALoadInst(user)) {
                access = LLVMBuildLoad2(walk->builder, LLVMTypeOf(user), replacement, "");
                LLVMReplaceAllUsesWith(user, access);
            } else {
                CHECK(LLVMGetInstructionOpcode(user) == LLVMStore);
                access = LLVMBuildStore(walk->builder, LLVMGetOperand(user, 0), replacement);
            }
            unsigned claimed = LLVMGetAlignment(user);
            LLVMSetAlignment(access, claimed < promised ? claimed : promised);
            LLVMSetVolatile(access, LLVMGetVolatile(user));
            LLVMInstructionEraseFromParent(user);
        }
        if (i > 0) LLVMInstructionEraseFromParent(old);
    }
}

static const char *promote(pl_fusing *fusing, const pl_promotion *promotion)
{
    LLVMValueRef parameter = LLVMGetParam(fusing->kernel, promotion->parameter);
    promotion_walk walk = {.fusing = fusing,
                           .promotion = promotion,
                           .layout = LLVMGetModuleDataLayout(fusing->module),
                           .builder = LLVMCreateBuilderInContext(fusing->job->context)};
    walk.space = promotion->kind == RT_FUSION_PRIVATE
                     ? RULE_ELSE(KF_PROMOTE_01, PL_SPACE_PRIVATE, PL_SPACE_LOCAL)
                     : RULE_ELSE(KF_PROMOTE_02, PL_SPACE_LOCAL, PL_SPACE_PRIVATE);
    walk.unit = size_of(&walk, LLVMGetElementType(LLVMTypeOf(parameter)));
    note(&walk, parameter, 0, false);
    const char *problem = NULL;
    for (uint32_t i = 0; i < walk.pointers.count && !problem; i++) {
        LLVMValueRef value = walk.pointers.items[i].pointer;
        LLVMUseRef use = LLVMGetFirstUse(value);
        for (; use && !problem; use = LLVMGetNextUse(use))
            problem = inspect_use(&walk, LLVMGetUser(use), value, i);
    }
    bool local = promotion->kind == RT_FUSION_LOCAL;
    if (!problem && local &&
        !pl_fuse_local_fits(fusing, rt_fusion_local_bytes(promotion->elements * walk.unit)))
        problem = "the device has too little local memory for a work-group's part of it";
    if (!problem) change(&walk);
    LLVMDisposeBuilder(walk.builder);
    rt_vector_free(&walk.pointers);
    return problem;
}

void pl_fuse_promote(pl_fusing *fusing)
{
    for (uint32_t i = 0; i < fusing->fusion.promotion_count; i++) {
        const pl_promotion *promotion = &fusing->fusion.promotions[i];
        fusing->refusals[i] = "Promotion metadata not available";
        if (promotion->parameter >= fusing->parameters.count) continue;
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(fusing->kernel, promotion->parameter));
        if (promotion->elements > 0 && promotion->elements <= UINT32_MAX &&
            LLVMGetTypeKind(type) == LLVMPointerTypeKind)
            fusing->refusals[i] = promote(fusing, promotion);
        fusing->dropped[promotion->parameter] = !fusing->refusals[i];
    }
}
