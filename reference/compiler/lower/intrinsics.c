/* Lowers intrinsics to plain integer arithmetic, on scalars and vectors alike.
 *
 * The table has only the intrinsics that the SPIR-V writer does not support; all others stay.
 * Source of the semantics: LLVM 14 Language Reference, "Saturation Arithmetic Intrinsics",
 * "Arithmetic with Overflow Intrinsics", "Bit Manipulation Intrinsics".  Observed: the writer was
 * run on each intrinsic. */
#include "reference/compiler/lower/lower_internal.h"

#include "reference/compiler/ir/values.h"

#include <string.h>

enum { LANES_MAX = 16 };

/* A call that is being replaced: its operands, and a builder positioned before it. */
typedef struct lowering {
    LLVMBuilderRef builder;
    LLVMTypeRef type;     /* of the operands: an integer or a vector of integers */
    uint32_t width;       /* bits of the integer */
    bool is_signed;       /* the row's variant: operands are signed, ... */
    bool is_right;        /* ... the shift is to the right, ... */
    bool subtracts;       /* ... a difference, not a sum */
    uint32_t group;       /* bits in each of the groups whose order is reversed */
    LLVMValueRef a, b, c; /* operands; NULL if there are fewer */
} lowering;

/* ---- Building ------------------------------------------------------------------------------ */

static LLVMValueRef number(const lowering *at, uint64_t value)
{
    if (LLVMGetTypeKind(at->type) != LLVMVectorTypeKind) return pl_integer(at->type, value);
    LLVMValueRef lanes[LANES_MAX];
    unsigned count = LLVMGetVectorSize(at->type);
    CHECK(count >= 1 && count <= LANES_MAX);
    for (unsigned i = 0; i < count; i++)
        lanes[i] = pl_integer(LLVMGetElementType(at->type), value);
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

/* An integer type of the width, or a vector of it with as many components as `type`. */
static LLVMTypeRef integers_like(LLVMTypeRef type, uint32_t width)
{
    LLVMTypeRef integer = LLVMIntTypeInContext(LLVMGetTypeContext(type), width);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return integer;
    return LLVMVectorType(integer, LLVMGetVectorSize(type));
}

static uint64_t largest_signed(const lowering *at)
{
    return (UINT64_C(1) << (at->width - 1)) - 1;
}

/* ---- Bits ---------------------------------------------------------------------------------- */

/* Funnel shift of a:b; shifting by one and then by the remaining bits keeps every amount below the
 * width. */
static LLVMValueRef lower_funnel(const lowering *at)
{
    CHECK(at->a && at->b && at->c);
    LLVMValueRef mask = number(at, at->width - 1);
    LLVMValueRef amount = build(at, LLVMAnd, at->c, mask);
    LLVMValueRef remaining = build(at, LLVMXor, amount, mask);
    LLVMValueRef high, low;
    if (at->is_right) {
        high = build(at, LLVMShl, shift(at, LLVMShl, at->a, 1), remaining);
        low = build(at, LLVMLShr, at->b, amount);
    } else {
        high = build(at, LLVMShl, at->a, amount);
        low = build(at, LLVMLShr, shift(at, LLVMLShr, at->b, 1), remaining);
    }
    return build(at, LLVMOr, high, low);
}

/* Reverses the order of groups of bits: swaps the two groups of each pair, then ever larger groups
 * up to halves; `selected` masks the lower group of each pair. The passes also reverse 24 or 48
 * bits: the operand is then widened to a power of two, and the result is in the upper bits. */
static LLVMValueRef lower_reversal(const lowering *at)
{
    CHECK(at->group >= 1);
    lowering wide = {.builder = at->builder, .type = at->type, .width = 8};
    while (wide.width < at->width)
        wide.width *= 2;
    if (wide.width > at->width) wide.type = integers_like(at->type, wide.width);
    LLVMValueRef x = LLVMBuildZExtOrBitCast(at->builder, at->a, wide.type, "");
    for (uint32_t bits = at->group; bits < wide.width; bits *= 2) {
        CHECK(bits * 2 <= wide.width);
        LLVMValueRef selected = number(&wide, UINT64_MAX / ((UINT64_C(1) << bits) + 1));
        LLVMValueRef up = shift(&wide, LLVMShl, build(&wide, LLVMAnd, x, selected), bits);
        LLVMValueRef down = build(&wide, LLVMAnd, shift(&wide, LLVMLShr, x, bits), selected);
        x = build(&wide, LLVMOr, up, down);
    }
    if (wide.width == at->width) return x;
    x = shift(&wide, LLVMLShr, x, wide.width - at->width);
    return LLVMBuildTrunc(at->builder, x, at->type, "");
}

/* ---- Saturating arithmetic ----------------------------------------------------------------- */

/* Whether a sum or difference overflowed.  A signed sum overflowed if its sign differs from those
 * of both operands; a signed difference did if the operands' signs differ and its sign differs from
 * the first operand's. */
static LLVMValueRef overflow_of(const lowering *at, LLVMValueRef result)
{
    if (!at->is_signed)
        return at->subtracts ? compare(at, LLVMIntULT, at->a, at->b)
                             : compare(at, LLVMIntULT, result, at->a);
    LLVMValueRef left = build(at, LLVMXor, at->a, result);
    LLVMValueRef right = build(at, LLVMXor, at->subtracts ? at->a : result, at->b);
    return compare(at, LLVMIntSLT, build(at, LLVMAnd, left, right), number(at, 0));
}

static LLVMValueRef lower_saturating(const lowering *at)
{
    CHECK(at->a && at->b && !at->c);
    LLVMValueRef result = build(at, at->subtracts ? LLVMSub : LLVMAdd, at->a, at->b);
    LLVMValueRef overflow = overflow_of(at, result);
    LLVMValueRef bound = number(at, at->subtracts ? 0 : UINT64_MAX);
    if (at->is_signed) {
        /* The bound that has the first operand's sign. */
        LLVMValueRef sign = shift(at, LLVMAShr, at->a, at->width - 1);
        bound = build(at, LLVMXor, sign, number(at, largest_signed(at)));
    }
    return choose(at, overflow, bound, result);
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

static LLVMValueRef lower_overflow(const lowering *at)
{
    LLVMValueRef result = build(at, at->subtracts ? LLVMSub : LLVMAdd, at->a, at->b);
    return pair(at, result, overflow_of(at, result));
}

/* A product overflowed if dividing it by `a` does not yield `b`.  Divisors 0 and -1, for which the
 * division is undefined, are replaced by 1: a product with 0 never overflows, one with -1 only if
 * the other factor is the least integer. */
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
    const char *name; /* of the intrinsic, without its type suffix */
    LLVMValueRef (*lower)(const lowering *at);
    bool is_signed, is_right, subtracts;
    uint32_t group;
} lowering_row;

static const lowering_row lowering_rows[] = {
    {.name = "llvm.fshl", .lower = lower_funnel},
    {.name = "llvm.fshr", .lower = lower_funnel, .is_right = true},
    {.name = "llvm.bswap", .lower = lower_reversal, .group = 8},
    {.name = "llvm.bitreverse", .lower = lower_reversal, .group = 1},
    {.name = "llvm.uadd.sat", .lower = lower_saturating},
    {.name = "llvm.sadd.sat", .lower = lower_saturating, .is_signed = true},
    {.name = "llvm.usub.sat", .lower = lower_saturating, .subtracts = true},
    {.name = "llvm.ssub.sat", .lower = lower_saturating, .is_signed = true, .subtracts = true},
    {.name = "llvm.uadd.with.overflow", .lower = lower_overflow},
    {.name = "llvm.sadd.with.overflow", .lower = lower_overflow, .is_signed = true},
    {.name = "llvm.usub.with.overflow", .lower = lower_overflow, .subtracts = true},
    {.name = "llvm.ssub.with.overflow",
     .lower = lower_overflow,
     .is_signed = true,
     .subtracts = true},
    {.name = "llvm.umul.with.overflow", .lower = lower_mul_overflow},
    {.name = "llvm.smul.with.overflow", .lower = lower_mul_overflow, .is_signed = true},
};

/* False: the call stays, and pl_refuse_unwritable names it. */
static bool is_lowerable(const lowering_row *row, LLVMTypeRef type)
{
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    if (is_vector && LLVMGetVectorSize(type) > LANES_MAX) return false;
    if (is_vector) type = LLVMGetElementType(type);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) return false; /* a scalable vector */
    uint32_t width = LLVMGetIntTypeWidth(type);
    bool is_power = (width & (width - 1)) == 0;
    return width >= 8 && width <= 64 && (is_power || row->lower != lower_funnel);
}

/* NULL: calls to the function stay. */
static const lowering_row *row_of(LLVMValueRef function)
{
    unsigned id = LLVMGetIntrinsicID(function);
    if (id == 0) return NULL;
    for (size_t i = 0; i < sizeof lowering_rows / sizeof *lowering_rows; i++) {
        const lowering_row *row = &lowering_rows[i];
        if (LLVMLookupIntrinsicID(row->name, strlen(row->name)) != id) continue;
        return is_lowerable(row, LLVMTypeOf(LLVMGetParam(function, 0))) ? row : NULL;
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
    lowering at = {
        .builder = builder,
        .type = LLVMTypeOf(LLVMGetOperand(call, 0)),
        .is_signed = row->is_signed,
        .is_right = row->is_right,
        .subtracts = row->subtracts,
        .group = row->group,
        .a = LLVMGetOperand(call, 0),
        .b = operand_or_null(call, 1),
        .c = operand_or_null(call, 2),
    };
    bool is_vector = LLVMGetTypeKind(at.type) == LLVMVectorTypeKind;
    at.width = LLVMGetIntTypeWidth(is_vector ? LLVMGetElementType(at.type) : at.type);
    CHECK(at.width >= 8 && at.width <= 64);
    pl_replace(call, row->lower(&at));
}

void pl_lower_intrinsics(pl_job *job, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        LLVMValueRef next = NULL;
        for (LLVMValueRef i = pl_first_instruction(function); i; i = next) {
            next = pl_next_instruction(i);
            if (LLVMGetInstructionOpcode(i) == LLVMFreeze) pl_replace(i, LLVMGetOperand(i, 0));
        }
        const lowering_row *row = row_of(function);
        while (row && LLVMGetFirstUse(function))
            lower_call(builder, row, LLVMGetUser(LLVMGetFirstUse(function)));
    }
    LLVMDisposeBuilder(builder);
}
