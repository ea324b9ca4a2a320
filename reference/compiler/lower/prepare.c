/* A custom pipeline instead of a standard one: no vectorising (the devices vectorise across
 * work-items), no unrolling, no recognition of library calls, no lookup tables. Jumps are threaded
 * once, before the loop passes: a `break` reaches the optimiser as a switch over the reason for
 * leaving a scope, and without threading the switch would stay in the loop. Observed with
 * llvm-spirv 14: an exit block that precedes its loop, and loop metadata, lead to invalid SPIR-V.
 */
#include "reference/compiler/lower/prepare.h"

#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "reference/compiler/ir/passes.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/version.h"
#include "reference/compiler/lower/lower_internal.h"

#define OPTIMISE_PASSES                                                                            \
    "function(sroa,early-cse<memssa>,simplifycfg," PL_INSTCOMBINE ",simplifycfg),ipsccp,"          \
    "cgscc(inline,function(sroa,early-cse<memssa>,simplifycfg," PL_INSTCOMBINE ")),globaldce,"     \
    "function(jump-threading,simplifycfg,reassociate,"                                             \
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm,loop-rotate,licm),"                         \
    "simplifycfg," PL_INSTCOMBINE                                                                  \
    ",indvars,loop-deletion,sroa,early-cse<memssa>,sccp,bdce," PL_INSTCOMBINE                      \
    ",adce,simplifycfg," PL_INSTCOMBINE ")," PL_DROP_PASSES

/* Runs after the lowering, so it contains no pass that would form the intrinsics again.
 * Compile-time queries (is this a constant, how large is this object) are evaluated here. */
#define CLEAN_PASSES "function(lower-constant-intrinsics,instsimplify,adce)," PL_DROP_PASSES

rt_status pl_prepare_lower(pl_job *job, LLVMModuleRef module)
{
    pl_lower_intrinsics(job, module);
    pl_lower_vectors(job, module);
    if (PL_WRITER_TRUSTS_DIMENSIONS) pl_lower_dimensions(job, module);
    pl_lower_integers(job, module);
    return pl_passes_run(job, module, NULL, CLEAN_PASSES);
}

rt_status pl_prepare_optimise(pl_job *job, LLVMModuleRef module)
{
    return pl_passes_run_native(job, module, OPTIMISE_PASSES);
}

/* ---- Order of blocks ----------------------------------------------------------------------- */

typedef struct block_visit {
    LLVMBasicBlockRef block;
    unsigned next_successor;
} block_visit;

typedef struct block_walk {
    rt_map seen;
    RT_VECTOR(block_visit) path;
    RT_VECTOR(block_visit) post_order; /* finished visits */
} block_walk;

static void enter_block(block_walk *walk, LLVMBasicBlockRef block)
{
    if (rt_map_find_number(&walk->seen, (uintptr_t)block) != RT_MAP_NONE) return;
    rt_map_set_number(&walk->seen, (uintptr_t)block, 0);
    *rt_vector_push(&walk->path) = (block_visit){block, 0};
}

/* Puts the reachable blocks of a function into reverse post-order, in which a block follows all
 * blocks that dominate it; unreachable blocks end up last. */
static void order_blocks(LLVMValueRef function)
{
    unsigned block_count = LLVMCountBasicBlocks(function);
    block_walk walk = {0};
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function), last = entry;
    enter_block(&walk, entry);
    while (walk.path.count > 0) {
        block_visit *top = &walk.path.items[walk.path.count - 1];
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(top->block);
        CHECK(terminator);
        if (top->next_successor < LLVMGetNumSuccessors(terminator)) {
            enter_block(&walk, LLVMGetSuccessor(terminator, top->next_successor++));
        } else {
            *rt_vector_push(&walk.post_order) = *top;
            walk.path.count--;
        }
    }
    CHECK(walk.post_order.items && walk.post_order.count <= block_count);
    CHECK(walk.post_order.items[walk.post_order.count - 1].block == entry);
    for (uint32_t i = walk.post_order.count - 1; i-- > 0;) {
        LLVMMoveBasicBlockAfter(walk.post_order.items[i].block, last);
        last = walk.post_order.items[i].block;
    }
    CHECK(LLVMCountBasicBlocks(function) == block_count);
    CHECK(LLVMGetEntryBasicBlock(function) == entry);
    rt_map_free(&walk.seen);
    rt_vector_free(&walk.path);
    rt_vector_free(&walk.post_order);
}

/* The passes narrow the selector of a switch over a single bit to i1; OpSwitch needs an integer,
 * and booleans in SPIR-V are not integers, but the writer leaves the selector as it is.  A switch's
 * operands in LLVM: selector, default block, then pairs of value and block. */
static void widen_bit_switch(pl_job *job, LLVMValueRef terminator)
{
    if (!LLVMIsASwitchInst(terminator)) return;
    LLVMValueRef selector = LLVMGetOperand(terminator, 0);
    LLVMTypeRef wide = LLVMInt8TypeInContext(job->context);
    if (LLVMGetIntTypeWidth(LLVMTypeOf(selector)) != 1) return;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    LLVMPositionBuilderBefore(builder, terminator);
    LLVMSetOperand(terminator, 0, LLVMBuildZExt(builder, selector, wide, ""));
    LLVMDisposeBuilder(builder);
    unsigned operand_count = (unsigned)LLVMGetNumOperands(terminator);
    CHECK(operand_count >= 2 && operand_count % 2 == 0);
    for (unsigned i = 2; i < operand_count; i += 2) {
        LLVMValueRef bit = LLVMGetOperand(terminator, i);
        LLVMSetOperand(terminator, i, pl_integer(wide, LLVMConstIntGetZExtValue(bit)));
    }
}

/* The passes convert a comparison's bit to floating point directly. As a signed number, a set bit
 * is -1, but the writer gives OpConvertSToF a 1 for it. */
static void widen_bit_conversion(pl_job *job, LLVMValueRef instruction)
{
    if (!LLVMIsASIToFPInst(instruction)) return;
    LLVMValueRef bits = LLVMGetOperand(instruction, 0);
    LLVMTypeRef type = LLVMTypeOf(bits), wide = LLVMInt32TypeInContext(job->context);
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    if (LLVMGetIntTypeWidth(is_vector ? LLVMGetElementType(type) : type) != 1) return;
    if (is_vector) wide = LLVMVectorType(wide, LLVMGetVectorSize(type));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    LLVMPositionBuilderBefore(builder, instruction);
    LLVMSetOperand(instruction, 0, LLVMBuildSExt(builder, bits, wide, ""));
    LLVMDisposeBuilder(builder);
}

static bool is_named_space(LLVMTypeRef pointer)
{
    return LLVMGetTypeKind(pointer) == LLVMPointerTypeKind &&
           LLVMGetPointerAddressSpace(pointer) != PL_SPACE_GENERIC;
}

/* The cast of a null pointer between two named address spaces that a constant contains; NULL: none.
 */
static LLVMValueRef null_cast_find(LLVMValueRef value)
{
    if (!LLVMIsAConstantExpr(value)) return NULL;
    LLVMValueRef source = LLVMGetOperand(value, 0);
    if (LLVMGetConstOpcode(value) == LLVMAddrSpaceCast && LLVMIsNull(source) &&
        is_named_space(LLVMTypeOf(source)) && is_named_space(LLVMTypeOf(value)))
        return value;
    LLVMValueRef found = NULL;
    for (unsigned i = 0; !found && i < (unsigned)LLVMGetNumOperands(value); i++)
        found = null_cast_find(LLVMGetOperand(value, i));
    return found;
}

/* The passes join the casts of a null pointer from one named address space to the generic one and
 * from there to another, which SPIR-V cannot cast directly.  All null pointers are equal (OpenCL C
 * 3.0, 6.7.1.5), so the result is the null pointer of its type. */
static void replace_null_casts(LLVMValueRef instruction)
{
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(instruction); i++)
        for (LLVMValueRef cast; (cast = null_cast_find(LLVMGetOperand(instruction, i))) != NULL;)
            LLVMReplaceAllUsesWith(cast, LLVMConstNull(LLVMTypeOf(cast)));
}

/* ---- Half ---------------------------------------------------------------------------------- */

/* A pointer to half does not require support for half: every device has vload_half and the like. */
static bool is_half(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMHalfTypeKind;
}

static bool handles_half(LLVMValueRef function)
{
    LLVMValueRef instruction = pl_first_instruction(function);
    for (; instruction; instruction = pl_next_instruction(instruction)) {
        if (is_half(LLVMTypeOf(instruction))) return true;
        int count = LLVMGetNumOperands(instruction);
        for (int i = 0; i < count; i++)
            if (is_half(LLVMTypeOf(LLVMGetOperand(instruction, (unsigned)i)))) return true;
    }
    return false;
}

void pl_prepare_for_writer(pl_job *job, LLVMModuleRef module)
{
    /* The writer relies on the list of used extensions, which clang 14 does not fill. */
    static const char extension[] = "cl_khr_fp16";
    LLVMValueRef function = LLVMGetFirstFunction(module);
    while (function && !handles_half(function))
        function = LLVMGetNextFunction(function);
    if (function) {
        LLVMValueRef name = LLVMMDStringInContext(job->context, extension, sizeof extension - 1);
        LLVMAddNamedMetadataOperand(module, "opencl.used.extensions",
                                    LLVMMDNodeInContext(job->context, &name, 1));
    }
    unsigned loop_kind = pl_metadata_kind(job, "llvm.loop");
    for (function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function)) {
        if (LLVMIsDeclaration(function)) continue;
        LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
        for (; block; block = LLVMGetNextBasicBlock(block)) {
            widen_bit_switch(job, LLVMGetBasicBlockTerminator(block));
            LLVMSetMetadata(LLVMGetBasicBlockTerminator(block), loop_kind, NULL);
        }
        /* LLVM gives an access through a null pointer the largest alignment that LLVM supports,
         * 2^32, which does not fit into a SPIR-V word; the C API returns this alignment as 0. */
        for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
            bool accesses = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
            if (accesses && LLVMGetAlignment(i) == 0) LLVMSetAlignment(i, 1);
            replace_null_casts(i);
            widen_bit_conversion(job, i);
        }
        if (PL_PHI_LOSES_DECORATIONS) pl_forward_conversions(job, function);
        order_blocks(function);
    }
}
