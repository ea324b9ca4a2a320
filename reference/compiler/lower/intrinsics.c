/* Lowering of intrinsics to plain integer arithmetic, on scalars and vectors alike.
 *
 * The table has only what the SPIR-V writer lacks; everything else stays.  Source of the semantics:
 * LLVM 14 Language Reference, "Saturation Arithmetic Intrinsics", "Arithmetic with Overflow
 * Intrinsics", "Bit Manipulation Intrinsics".  Observed: the writer was given each intrinsic. */
#include "reference/compiler/lower/lower_internal.h"

#include "reference/compiler/ir/values.h"

#include <string.h>

/* A call that is being replaced: its operands, and the builder that stands before it. */
typedef struct lowering {
    LLVMBuilderRef builder;
    LLVMTypeRef type;     /* of the operands: an integer or a vector of integers */
    uint32_t width;       /* bits of the integer */
    bool is_signed;       /* the variant of the row: signed, or ... */
    bool is_right;        /* ... to the right */
    LLVMValueRef a, b, c; /* operands; NULL where there are fewer */
} lowering;

/* ---- Building ------------------------------------------------------------------------------ */

static LLVMValueRef number(const lowering *at, uint64_t value)
{
    if (LLVMGetTypeKind(at->type) != LLVMVectorTypeKind) return LLVMConstInt(at->type, value, 0);
    LLVMValueRef lanes[16];
    unsigned count = LLVMGetVectorSize(at->type);
    CHECK(count >= 1 && count <= 16);
    for (unsigned i = 0; i < count; i++)
        lanes[i] = LLVMConstInt(LLVMGetElementType(at->type), value, 0);
    return LLVMConstVector(lanes, count);
}

static LLVMValueRef build(const lowering *at, LLVMOpcode opcode, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildBinOp(at->builder, opcode, x, y, "");
}

static LLVMValueRef compare(const lowering *at, LLVMIntPredicate predicate, LLVMValueRef x,
                            LLVMValueRef y)
{
    return LLVMBuildICmp(at->builder, predicate, x, y, "");
}

static LLVMValueRef choose(const lowering *at, LLVMValueRef condition, LLVMValueRef yes,
                           LLVMValueRef no)
{
    return LLVMBuildSelect(at->builder, condition, yes, no, "");
}

static LLVMValueRef shift(const lowering *at, LLVMOpcode opcode, LLVMValueRef x, uint32_t bits)
{
    return build(at, opcode, x, number(at, bits));
}

static uint64_t largest_signed(const lowering *at)
{
    return (UINT64_C(1) << (at->width - 1)) - 1;
}

/* ---- Bits ---------------------------------------------------------------------------------- */

/* Funnel shift of a:b; shifting by one and then by the rest keeps every amount below the width. */
static LLVMValueRef lower_funnel(const lowering *at)
{
    CHECK(at->a && at->b && at->c);
    LLVMValueRef mask = number(at, at->width - 1);
    LLVMValueRef amount = build(at, LLVMAnd, at->c, mask);
    LLVMValueRef rest = build(at, LLVMXor, amount, mask);
    LLVMValueRef high, low;
    if (at->is_right) {
        high = build(at, LLVMShl, shift(at, LLVMShl, at->a, 1), rest);
        low = build(at, LLVMLShr, at->b, amount);
    } else {
        high = build(at, LLVMShl, at->a, amount);
        low = build(at, LLVMLShr, shift(at, LLVMLShr, at->b, 1), rest);
    }
    return build(at, LLVMOr, high, low);
}

/* Exchanges neighbouring groups of `bits` bits; `mask` selects the lower group of each pair. */
static LLVMValueRef exchange(const lowering *at, LLVMValueRef x, uint32_t bits, uint64_t mask)
{
    CHECK(bits * 2 <= at->width);
    LLVMValueRef selected = number(at, mask);
    LLVMValueRef up = shift(at, LLVMShl, build(at, LLVMAnd, x, selected), bits);
    LLVMValueRef down = build(at, LLVMAnd, shift(at, LLVMLShr, x, bits), selected);
    return build(at, LLVMOr, up, down);
}

/* Reverses the order of groups of `smallest` bits: exchanges pairs of these, then of ever larger
 * groups up to halves. */
static LLVMValueRef reverse(const lowering *at, uint32_t smallest)
{
    LLVMValueRef x = at->a;
    for (uint32_t bits = smallest; bits < at->width; bits *= 2)
        x = exchange(at, x, bits, UINT64_MAX / ((UINT64_C(1) << bits) + 1));
    return x;
}

static LLVMValueRef lower_bswap(const lowering *at)
{
    return reverse(at, 8);
}

static LLVMValueRef lower_bitreverse(const lowering *at)
{
    return reverse(at, 1);
}

/* ---- Saturating arithmetic ----------------------------------------------------------------- */

/* Sum and difference overflow when the result's sign is neither operand's (for a difference: the
 * negated second operand's). */
static LLVMValueRef signed_overflow(const lowering *at, LLVMValueRef result, bool subtracts)
{
    LLVMValueRef left = build(at, LLVMXor, at->a, result);
    LLVMValueRef right =
        subtracts ? build(at, LLVMXor, at->a, at->b) : build(at, LLVMXor, at->b, result);
    return compare(at, LLVMIntSLT, build(at, LLVMAnd, left, right), number(at, 0));
}

/* The bound on the side of the first operand's sign. */
static LLVMValueRef signed_bound(const lowering *at)
{
    LLVMValueRef sign = shift(at, LLVMAShr, at->a, at->width - 1);
    return build(at, LLVMXor, sign, number(at, largest_signed(at)));
}

static LLVMValueRef lower_add_sat(const lowering *at)
{
    CHECK(at->a && at->b && !at->c);
    LLVMValueRef sum = build(at, LLVMAdd, at->a, at->b);
    if (at->is_signed) {
        return choose(at, signed_overflow(at, sum, false), signed_bound(at), sum);
    }
    return choose(at, compare(at, LLVMIntULT, sum, at->a), number(at, UINT64_MAX), sum);
}

static LLVMValueRef lower_sub_sat(const lowering *at)
{
    LLVMValueRef difference = build(at, LLVMSub, at->a, at->b);
    if (at->is_signed) {
        return choose(at, signed_overflow(at, difference, true), signed_bound(at), difference);
    }
    return choose(at, compare(at, LLVMIntULT, at->a, at->b), number(at, 0), difference);
}

/* ---- Arithmetic with overflow -------------------------------------------------------------- */

/* The pair {result, overflowed} that the intrinsic returns. */
static LLVMValueRef pair(const lowering *at, LLVMValueRef result, LLVMValueRef overflowed)
{
    CHECK(LLVMTypeOf(result) == at->type);
    LLVMTypeRef types[2] = {LLVMTypeOf(result), LLVMTypeOf(overflowed)};
    LLVMContextRef context = LLVMGetTypeContext(at->type);
    LLVMValueRef values = LLVMGetUndef(LLVMStructTypeInContext(context, types, 2, 0));
    values = LLVMBuildInsertValue(at->builder, values, result, 0, "");
    return LLVMBuildInsertValue(at->builder, values, overflowed, 1, "");
}

static LLVMValueRef lower_add_overflow(const lowering *at)
{
    LLVMValueRef sum = build(at, LLVMAdd, at->a, at->b);
    return pair(at, sum,
                at->is_signed ? signed_overflow(at, sum, false)
                              : compare(at, LLVMIntULT, sum, at->a));
}

static LLVMValueRef lower_sub_overflow(const lowering *at)
{
    LLVMValueRef difference = build(at, LLVMSub, at->a, at->b);
    return pair(at, difference,
                at->is_signed ? signed_overflow(at, difference, true)
                              : compare(at, LLVMIntULT, at->a, at->b));
}

/* A product overflowed when dividing it by a does not give b back.  Divisors 0 and -1, for which
 * the division is undefined, are replaced by 1: 0 never overflows, -1 only with the least integer.
 */
static LLVMValueRef lower_mul_overflow(const lowering *at)
{
    LLVMValueRef zero = number(at, 0), one = number(at, 1), minus_one = number(at, UINT64_MAX);
    LLVMValueRef product = build(at, LLVMMul, at->a, at->b);
    LLVMValueRef is_zero = compare(at, LLVMIntEQ, at->a, zero);
    LLVMValueRef divisor = choose(at, is_zero, one, at->a);
    LLVMValueRef is_minus_one = NULL;
    if (at->is_signed) {
        is_minus_one = compare(at, LLVMIntEQ, at->a, minus_one);
        divisor = choose(at, is_minus_one, one, divisor);
    }
    LLVMValueRef quotient = build(at, at->is_signed ? LLVMSDiv : LLVMUDiv, product, divisor);
    LLVMValueRef differs = compare(at, LLVMIntNE, quotient, at->b);
    LLVMValueRef never = LLVMConstNull(LLVMTypeOf(differs));
    LLVMValueRef overflowed = choose(at, is_zero, never, differs);
    if (at->is_signed) {
        LLVMValueRef least = number(at, largest_signed(at) + 1);
        overflowed = choose(at, is_minus_one, compare(at, LLVMIntEQ, at->b, least), overflowed);
    }
    return pair(at, product, overflowed);
}

/* ---- The table ----------------------------------------------------------------------------- */

typedef struct lowering_row {
    const char *name; /* of the intrinsic, without its types */
    LLVMValueRef (*lower)(const lowering *at);
    bool is_signed, is_right;
} lowering_row;

static const lowering_row lowering_rows[] = {
    {"llvm.fshl", lower_funnel, false, false},
    {"llvm.fshr", lower_funnel, false, true},
    {"llvm.bswap", lower_bswap, false, false},
    {"llvm.bitreverse", lower_bitreverse, false, false},
    {"llvm.uadd.sat", lower_add_sat, false, false},
    {"llvm.sadd.sat", lower_add_sat, true, false},
    {"llvm.usub.sat", lower_sub_sat, false, false},
    {"llvm.ssub.sat", lower_sub_sat, true, false},
    {"llvm.uadd.with.overflow", lower_add_overflow, false, false},
    {"llvm.sadd.with.overflow", lower_add_overflow, true, false},
    {"llvm.usub.with.overflow", lower_sub_overflow, false, false},
    {"llvm.ssub.with.overflow", lower_sub_overflow, true, false},
    {"llvm.umul.with.overflow", lower_mul_overflow, false, false},
    {"llvm.smul.with.overflow", lower_mul_overflow, true, false},
};

static const lowering_row *row_of(LLVMValueRef function)
{
    unsigned id = LLVMGetIntrinsicID(function);
    if (id == 0) return NULL;
    for (size_t i = 0; i < sizeof lowering_rows / sizeof *lowering_rows; i++) {
        const char *name = lowering_rows[i].name;
        if (LLVMLookupIntrinsicID(name, strlen(name)) == id) return &lowering_rows[i];
    }
    return NULL;
}

static LLVMValueRef operand_or_null(LLVMValueRef call, unsigned index)
{
    return index < LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, index) : NULL;
}

static void lower_call(LLVMBuilderRef builder, const lowering_row *row, LLVMValueRef call)
{
    CHECK(LLVMIsACallInst(call));
    LLVMPositionBuilderBefore(builder, call);
    lowering at = {.builder = builder, .is_signed = row->is_signed, .is_right = row->is_right};
    at.a = operand_or_null(call, 0);
    at.b = operand_or_null(call, 1);
    at.c = operand_or_null(call, 2);
    at.type = LLVMTypeOf(at.a);
    bool vector = LLVMGetTypeKind(at.type) == LLVMVectorTypeKind;
    at.width = LLVMGetIntTypeWidth(vector ? LLVMGetElementType(at.type) : at.type);
    CHECK(at.width >= 8 && at.width <= 64);
    pl_replace(call, row->lower(&at));
}

static void lower_uses(LLVMBuilderRef builder, LLVMValueRef function)
{
    const lowering_row *row = row_of(function);
    if (!row) return;
    LLVMUseRef use = LLVMGetFirstUse(function);
    for (; use; use = LLVMGetFirstUse(function))
        lower_call(builder, row, LLVMGetUser(use));
    CHECK(!LLVMGetFirstUse(function));
}

static void drop_freezes(LLVMValueRef function)
{
    LLVMValueRef next = NULL;
    for (LLVMValueRef i = pl_first_instruction(function); i; i = next) {
        next = pl_next_instruction(i);
        if (LLVMGetInstructionOpcode(i) == LLVMFreeze) pl_replace(i, LLVMGetOperand(i, 0));
    }
}

void pl_lower_intrinsics(pl_job *job, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (LLVMIsDeclaration(function)) {
            lower_uses(builder, function);
        } else {
            drop_freezes(function);
        }
    }
    LLVMDisposeBuilder(builder);
}
