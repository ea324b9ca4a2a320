/* Pass SYCLInternalizer: promotion of buffers to private or local memory.
 *
 * First, every use of the parameter is inspected without changing anything: a buffer is promoted if
 * all uses are accesses, or address arithmetic that leads to accesses, and stays in global memory
 * otherwise. An index is taken modulo the number of elements of the promoted memory, because
 * consecutive work-items (work-groups) of a launch used consecutive elements of the buffer.
 * Source: document 001, "Kernel fusion pipeline" and its note. */
#include "reference/compiler/fuse/local.h"
#include "reference/compiler/fuse/parameters.h"
#include "reference/compiler/fuse/passes.h"

#include "reference/base/vector.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/version.h"

#include <llvm-c/Target.h>

/* A pointer derived from the parameter. */
typedef struct derived {
    LLVMValueRef pointer;
    uint32_t base;   /* index of the pointer that it is computed from; for the parameter, its own
                      * index */
    bool is_at_rest; /* it points `rest` bytes past the start of an element */
    uint64_t rest;
    LLVMValueRef count; /* it is `count` times `step` elements away; NULL: once */
    int64_t step;
    LLVMValueRef replacement;
    LLVMValueRef index; /* index of the element in the buffer, 64 bits; NULL means 0 */
} derived;

typedef struct promotion_walk {
    pl_fusing *fusing;
    const pl_promotion *promotion;
    LLVMTargetDataRef layout;
    LLVMTypeRef element;
    uint64_t unit;     /* size of an element in bytes */
    uint64_t elements; /* number of elements in the promoted memory */
    unsigned space;    /* the promoted memory's address space */
    RT_VECTOR(derived) pointers;
    LLVMBuilderRef builder;
    LLVMValueRef memory; /* the promoted array, of this type: */
    LLVMTypeRef memory_type;
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

static void note(promotion_walk *walk, derived pointer)
{
    CHECK(pointer.base < walk->pointers.count || (pointer.base == 0 && walk->pointers.count == 0));
    *rt_vector_push(&walk->pointers) = pointer;
}

/* An access must not leave its element, since the next one may be at the other end of the memory.
 */
static const char *inspect_access(const promotion_walk *walk, const derived *at, LLVMTypeRef type)
{
    uint64_t size = size_of(walk, type), rest = at->is_at_rest ? at->rest : 0;
    return size <= walk->unit - rest ? NULL : "Unsupported pointer arithmetic";
}

static bool has_opcode(LLVMValueRef value, LLVMOpcode opcode)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == opcode;
}

/* Splits a number of steps into a factor and the rest, which is NULL if the number is constant:
 * `shl x, 2` is 4 times x. */
static LLVMValueRef split_count(LLVMValueRef count, int64_t *out_factor)
{
    *out_factor = 1;
    LLVMValueRef constant = count;
    /* A product of fewer bits may have wrapped. */
    bool is_whole = LLVMGetIntTypeWidth(LLVMTypeOf(count)) == 64;
    bool shifts = is_whole && has_opcode(count, LLVMShl);
    bool multiplies = is_whole && has_opcode(count, LLVMMul);
    if (shifts || multiplies) constant = LLVMGetOperand(count, 1);
    if (!LLVMIsAConstantInt(constant)) return count;
    int64_t factor = LLVMConstIntGetSExtValue(constant);
    if (shifts && (factor < 0 || factor > 31)) return count;
    *out_factor = shifts ? (int64_t)1 << factor : factor;
    return shifts || multiplies ? LLVMGetOperand(count, 0) : NULL;
}

/* Describes a step over `count` types of `size` bytes as one over elements and, if `count` is
 * constant, the rest; false: it is not a whole number of elements from a known place in one. */
static bool divide_step(const promotion_walk *walk, uint64_t size, LLVMValueRef count,
                        derived *pointer)
{
    int64_t factor, bytes, unit = (int64_t)walk->unit;
    pointer->count = split_count(count, &factor);
    if (!pointer->is_at_rest || size > INT32_MAX) return false;
    if (__builtin_mul_overflow(factor, (int64_t)size, &bytes)) return false;
    if (pointer->count) {
        pointer->step = bytes / unit;
        return bytes % unit == 0;
    }
    if (__builtin_add_overflow(bytes, (int64_t)pointer->rest, &bytes)) return false;
    int64_t rest = (bytes % unit + unit) % unit;
    pointer->step = (bytes - rest) / unit;
    pointer->rest = (uint64_t)rest;
    return true;
}

static const char *inspect_computation(promotion_walk *walk, LLVMValueRef user, uint32_t from)
{
    static const char unsupported[] = "Unsupported pointer arithmetic";
    if (LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind) return unsupported;
    const derived base = walk->pointers.items[from];
    LLVMValueRef count = LLVMGetOperand(user, 1);
    uint64_t size = size_of(walk, LLVMGetGEPSourceElementType(user));
    derived pointer = {
        .pointer = user, .base = from, .is_at_rest = base.is_at_rest, .rest = base.rest};
    if (!is_zero(count) && !divide_step(walk, size, count, &pointer)) return unsupported;
    if (LLVMGetNumOperands(user) > 2) {
        if (size > walk->unit) return unsupported;
        pointer.is_at_rest = false;
    }
    note(walk, pointer);
    return NULL;
}

/* NULL if the use can be changed, otherwise the reason why not, in the shipped compiler's words.
 */
static const char *inspect_use(promotion_walk *walk, LLVMValueRef user, LLVMValueRef value,
                               uint32_t from)
{
    CHECK(from < walk->pointers.count);
    const derived at = walk->pointers.items[from];
    CHECK(at.pointer == value);
    CHECK(LLVMIsAInstruction(user)); /* a constant has no parameter as an operand */
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad: return inspect_access(walk, &at, LLVMTypeOf(user));
    case LLVMStore:
        if (LLVMGetOperand(user, 0) != value)
            return inspect_access(walk, &at, LLVMTypeOf(LLVMGetOperand(user, 0)));
        return RULE(KF_PROMOTE_03,
                    "It is not safe to promote values being stored to another pointer");
    case LLVMGetElementPtr: return inspect_computation(walk, user, from);
    case LLVMBitCast:
        note(
            walk,
            (derived){.pointer = user, .base = from, .is_at_rest = at.is_at_rest, .rest = at.rest});
        return NULL;
    case LLVMAddrSpaceCast: return "It is not safe to promote values in an addrspacecast operation";
    case LLVMPtrToInt: return "It is not safe to promote values in a ptrtoint operation";
    case LLVMCall: return "It is not safe to promote values passed to a called function";
    case LLVMInsertValue: return "Promotion of a pointer into an aggregate object is not supported";
    default: return "Unsupported pointer arithmetic";
    }
}

/* ---- Change -------------------------------------------------------------------------------- */

/* Creates an array of the element type, in private or in local memory. */
static LLVMValueRef make_memory(promotion_walk *walk)
{
    uint64_t count = walk->elements;
    CHECK(count >= 1 && count <= UINT32_MAX);
    LLVMTypeRef type = walk->memory_type = LLVMArrayType(walk->element, (unsigned)count);
    if (walk->space == PL_SPACE_PRIVATE) {
        LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(walk->fusing->kernel);
        LLVMPositionBuilderBefore(walk->builder, LLVMGetFirstInstruction(entry));
        return LLVMBuildAlloca(walk->builder, type, "promoted");
    }
    LLVMValueRef variable =
        LLVMAddGlobalInAddressSpace(walk->fusing->module, type, "promoted", PL_SPACE_LOCAL);
    LLVMSetInitializer(variable, LLVMGetUndef(type));
    LLVMSetLinkage(variable, LLVMInternalLinkage);
    LLVMSetAlignment(variable, LLVMABIAlignmentOfType(walk->layout, walk->element));
    return variable;
}

/* The address of element `index`, taken modulo the number of elements; a NULL index means 0. */
static LLVMValueRef make_address(promotion_walk *walk, LLVMValueRef index)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(walk->fusing->job->context);
    LLVMValueRef count = pl_integer(word, walk->elements);
    LLVMValueRef zero = LLVMConstNull(word), at = zero;
    if (index) at = LLVMBuildURem(walk->builder, index, count, "");
    LLVMValueRef indices[] = {zero, at};
    return LLVMBuildInBoundsGEP2(walk->builder, walk->memory_type, walk->memory, indices, 2, "");
}

/* The address after a step from `base`; sets the index that it leads to. */
static LLVMValueRef make_step(promotion_walk *walk, const derived *base, derived *pointer)
{
    LLVMContextRef context = walk->fusing->job->context;
    LLVMTypeRef word = LLVMInt64TypeInContext(context), byte = LLVMInt8TypeInContext(context);
    LLVMBuilderRef builder = walk->builder;
    LLVMValueRef step = pl_integer(word, (uint64_t)pointer->step);
    if (pointer->count) {
        LLVMValueRef count = LLVMBuildIntCast2(builder, pointer->count, word, true, "");
        step = LLVMBuildMul(builder, count, step, "");
    }
    pointer->index = base->index ? LLVMBuildAdd(builder, base->index, step, "") : step;
    LLVMValueRef address = make_address(walk, pointer->index);
    if (pointer->rest == 0) return address;
    LLVMValueRef rest = pl_integer(word, pointer->rest);
    address = LLVMBuildBitCast(builder, address, LLVMPointerType(byte, walk->space), "");
    return LLVMBuildInBoundsGEP2(builder, byte, address, &rest, 1, "");
}

/* The address that `pointer`, an address computation, computes in the promoted memory. The
 * computation within an element is repeated in the promoted element. */
static LLVMValueRef make_computation(promotion_walk *walk, const derived *base, derived *pointer)
{
    LLVMValueRef old = pointer->pointer, first = LLVMGetOperand(old, 1);
    LLVMBuilderRef builder = walk->builder;
    LLVMValueRef address = is_zero(first) ? base->replacement : make_step(walk, base, pointer);
    uint32_t count = (uint32_t)LLVMGetNumOperands(old) - 1;
    LLVMValueRef *indices =
        rt_arena_alloc_array(&walk->fusing->job->arena, count, sizeof(LLVMValueRef));
    indices[0] = LLVMConstNull(LLVMTypeOf(first));
    for (uint32_t i = 1; i < count; i++)
        indices[i] = LLVMGetOperand(old, i + 1);
    LLVMTypeRef source = LLVMGetGEPSourceElementType(old);
    address = LLVMBuildBitCast(builder, address, LLVMPointerType(source, walk->space), "");
    return LLVMBuildInBoundsGEP2(builder, source, address, indices, count, "");
}

/* Creates the replacement for a derived pointer; its base already has one. */
static void make_derived(promotion_walk *walk, derived *pointer)
{
    const derived *base = &walk->pointers.items[pointer->base];
    LLVMValueRef old = pointer->pointer, address = base->replacement;
    CHECK(base < pointer && address);
    LLVMPositionBuilderBefore(walk->builder, LLVMGetNextInstruction(old));
    pointer->index = base->index;
    if (LLVMIsAGetElementPtrInst(old)) address = make_computation(walk, base, pointer);
    LLVMTypeRef type = pl_pointer_in_space(LLVMTypeOf(old), walk->space);
    pointer->replacement = LLVMBuildBitCast(walk->builder, address, type, "");
}

/* Derived pointers follow the pointers that they are computed from, so the backward walk erases
 * users first. */
static void change(promotion_walk *walk)
{
    derived *parameter = &walk->pointers.items[0];
    unsigned promised = LLVMABIAlignmentOfType(walk->layout, walk->element);
    walk->memory = make_memory(walk);
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
    bool is_private = RULE(KF_PROMOTE_01, promotion->kind == RT_FUSION_PRIVATE);
    walk.space = is_private ? PL_SPACE_PRIVATE : PL_SPACE_LOCAL; /* KF-PROMOTE-02 */
    walk.element = pl_element_type(fusing->kernel, promotion->parameter);
    walk.unit = size_of(&walk, walk.element);
    /* Here functions that the kernel calls are part of it, so there may be more accesses. */
    uint64_t bytes = promotion->elements * promotion->unit;
    CHECK(bytes > 0 && bytes <= UINT32_MAX && walk.unit > 0);
    walk.elements = bytes / walk.unit;
    note(&walk, (derived){.pointer = parameter, .is_at_rest = true});
    const char *problem = NULL;
    if (bytes % walk.unit != 0) problem = "Unsupported pointer arithmetic";
    for (uint32_t i = 0; i < walk.pointers.count && !problem; i++) {
        LLVMValueRef value = walk.pointers.items[i].pointer;
        LLVMUseRef use = LLVMGetFirstUse(value);
        for (; use && !problem; use = LLVMGetNextUse(use))
            problem = inspect_use(&walk, LLVMGetUser(use), value, i);
    }
    bool local = promotion->kind == RT_FUSION_LOCAL;
    if (!problem && local && !pl_fuse_local_fits(fusing, rt_fusion_local_bytes(bytes)))
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
        CHECK(promotion->parameter < fusing->parameters.count);
        fusing->refusals[i] = promote(fusing, promotion);
        fusing->dropped[promotion->parameter] = !fusing->refusals[i];
    }
}
