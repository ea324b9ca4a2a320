/* Operations of register code as LLVM's. */
#include "sim/compiled/emit.h"

#include "reference/base/alloc.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- Helpers -------------------------------------------------------------------------------- */

LLVMBasicBlockRef tier_block_new(const tier_emitter *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->llvm, e->function, name);
}

LLVMValueRef tier_active(const tier_emitter *e)
{
    return LLVMBuildLoad2(e->builder, e->mask, e->active, "");
}

LLVMValueRef tier_bits(const tier_emitter *e, LLVMValueRef mask, LLVMTypeRef type)
{
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, mask, e->i16, "");
    return type == e->i16 ? bits : LLVMBuildZExt(e->builder, bits, type, "");
}

LLVMValueRef tier_any(const tier_emitter *e, LLVMValueRef mask)
{
    return LLVMBuildICmp(e->builder, LLVMIntNE, tier_bits(e, mask, e->i16), tier_number(e->i16, 0),
                         "");
}

void tier_branch_rarely(const tier_emitter *e, LLVMValueRef condition, LLVMBasicBlockRef yes,
                        LLVMBasicBlockRef rare)
{
    enum { OFTEN = 1000 };
    const char name[] = "branch_weights";
    unsigned kind = LLVMGetMDKindIDInContext(e->llvm, "prof", 4);
    LLVMMetadataRef weights[] = {LLVMMDStringInContext2(e->llvm, name, sizeof name - 1),
                                 LLVMValueAsMetadata(tier_number(e->i32, OFTEN)),
                                 LLVMValueAsMetadata(tier_number(e->i32, 1))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(e->llvm, weights, 3);
    LLVMValueRef branch = LLVMBuildCondBr(e->builder, condition, yes, rare);
    LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(e->llvm, node));
}

void tier_give_up_unless(tier_emitter *e, LLVMValueRef is_fine, sim_tier_reason reason)
{
    LLVMBasicBlockRef on = tier_block_new(e, "");
    tier_branch_rarely(e, is_fine, on, e->gives_up[reason]);
    LLVMPositionBuilderAtEnd(e->builder, on);
}

LLVMValueRef tier_constant_pointer(const tier_emitter *e, const void *pointer)
{
    char name[TIER_NAME_SIZE];
    const uint8_t *byte = pointer;
    uint32_t index = 0;
    while (index < e->data->count &&
           (uintptr_t)byte - (uintptr_t)e->data->items[index].first >= e->data->items[index].size)
        index++;
    if (index == e->data->count) *rt_vector_push(e->data) = (tier_datum){byte, 1};
    snprintf(name, sizeof name, TIER_DATA_NAME, index);
    LLVMValueRef symbol = LLVMGetNamedGlobal(e->module, name);
    if (!symbol) symbol = LLVMAddGlobal(e->module, e->i8, name);
    uint64_t offset = (uint64_t)(byte - e->data->items[index].first);
    return tier_pointer(e, LLVMConstBitCast(symbol, e->bytes_pointer), offset, e->i8);
}

/* The place of a function in the table. */
static uint32_t helper_index(const sim_tier_helpers *helpers, const void *helper)
{
    const void *table[TIER_HELPERS];
    uint32_t index = 0;
    memcpy(table, helpers, sizeof table);
    while (index < TIER_HELPERS && table[index] != helper)
        index++;
    CHECK(index < TIER_HELPERS);
    return index;
}

LLVMValueRef tier_call_helper(const tier_emitter *e, const void *helper, LLVMTypeRef result,
                              LLVMValueRef *arguments, uint32_t count)
{
    LLVMTypeRef types[8];
    CHECK(count <= 8 && helper);
    for (uint32_t i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    char name[TIER_NAME_SIZE];
    snprintf(name, sizeof name, TIER_HELPER_NAME, helper_index(e->helpers, helper));
    LLVMValueRef callee = LLVMGetNamedFunction(e->module, name);
    if (!callee) callee = LLVMAddFunction(e->module, name, type);
    return LLVMBuildCall2(e->builder, type, callee, arguments, count, "");
}

void tier_demand_helper(tier_emitter *e, const void *helper, LLVMValueRef *arguments,
                        uint32_t count)
{
    LLVMValueRef done = tier_call_helper(e, helper, e->i32, arguments, count);
    LLVMValueRef is_fine = LLVMBuildICmp(e->builder, LLVMIntNE, done, tier_number(e->i32, 0), "");
    tier_give_up_unless(e, is_fine, SIM_TIER_NO_REASON);
}

/* ---- Arithmetic ----------------------------------------------------------------------------- */

static LLVMValueRef is_set(const tier_emitter *e, LLVMValueRef flags)
{
    return LLVMBuildICmp(e->builder, LLVMIntNE, flags, LLVMConstNull(LLVMTypeOf(flags)), "");
}

static LLVMValueRef splat_of(const tier_emitter *e, LLVMTypeRef type, uint64_t value)
{
    return tier_splat(e, tier_number(type, value));
}

/* Gives up unless the flag is 1 in all active lanes. */
static void demand(tier_emitter *e, LLVMValueRef flags, bool is_chunk, sim_tier_reason reason)
{
    LLVMValueRef none = LLVMConstNull(LLVMTypeOf(flags));
    LLVMValueRef wrong = LLVMBuildICmp(e->builder, LLVMIntEQ, flags, none, "");
    if (!is_chunk) {
        tier_give_up_unless(e, LLVMBuildNot(e->builder, wrong, ""), reason);
        return;
    }
    wrong = LLVMBuildAnd(e->builder, wrong, tier_active(e), "");
    tier_give_up_unless(e, LLVMBuildNot(e->builder, tier_any(e, wrong), ""), reason);
}

/* Replaces divisors that would trap in lanes that are not active by 1. */
static LLVMValueRef divisor_safe(const tier_emitter *e, LLVMValueRef flags, LLVMValueRef divisor)
{
    LLVMValueRef one = tier_splat(e, tier_number(LLVMGetElementType(LLVMTypeOf(divisor)), 1));
    return LLVMBuildSelect(e->builder, is_set(e, flags), divisor, one, "");
}

/* The register from which `place` was moved before `op` in the same block, or `place` itself.
 * Operands of some operations are rows, so that constants are moved first. */
static sim_register moved_from(const tier_emitter *e, const sim_op *op, sim_register place)
{
    const sim_code_block *block = e->flat->blocks.items[e->block].block;
    const sim_op *writer = tier_writer_of(tier_function_of(e->flat, e->block), block, op, place);
    bool is_moved = writer && tier_handler_at(writer->handler)->shape == TIER_MOVE;
    return is_moved ? writer->a : place;
}

/* Divides a chunk by a number that is known, neither 0 nor -1: LLVM then multiplies, which is
 * quicker than lane.c's way. NULL if that is not so, and for numbers of 64 bits, of which
 * processors do not multiply chunks. */
static LLVMValueRef quotients_by_constant(tier_emitter *e, const sim_op *op, const tier_handler *h,
                                          LLVMValueRef dividends)
{
    static const struct {
        const char *name;
        LLVMOpcode opcode;
    } operations[] = {
        {"UDIV", LLVMUDiv}, {"SDIV", LLVMSDiv}, {"UREM", LLVMURem}, {"SREM", LLVMSRem}};
    sim_lane_type type = (sim_lane_type)h->from;
    sim_register place = moved_from(e, op, op->b);
    if (type == SIM_I64 || place >> SIM_REGISTER_SHIFT != SIM_SPACE_POOL) return NULL;
    LLVMValueRef divisor = tier_read(e, place, type, false);
    if (!LLVMIsAConstantInt(divisor)) return NULL;
    long long number = LLVMConstIntGetSExtValue(divisor);
    if (number == 0 || number == -1) return NULL;
    for (uint32_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strncmp(h->name, operations[i].name, 4) == 0)
            return LLVMBuildBinOp(e->builder, operations[i].opcode, dividends,
                                  tier_splat(e, divisor), "");
    }
    return NULL;
}

/* Divides a chunk. Numbers of 64 bits that are too large for the quick way are divided lane by
 * lane. */
static void emit_quotients(tier_emitter *e, const sim_op *op, const tier_handler *h,
                           const LLVMValueRef *operands)
{
    sim_lane_type to = (sim_lane_type)h->to;
    LLVMBasicBlockRef slow = NULL, done = NULL;
    if (h->from == SIM_I64) {
        LLVMBasicBlockRef quick = tier_block_new(e, "quick");
        slow = tier_block_new(e, "slow");
        done = tier_block_new(e, "done");
        LLVMValueRef flags = tier_widen(e, "is_quick", h->name, operands, true);
        LLVMValueRef large = LLVMBuildNot(e->builder, is_set(e, flags), "");
        large = LLVMBuildAnd(e->builder, large, tier_active(e), "");
        LLVMValueRef none = LLVMBuildNot(e->builder, tier_any(e, large), "");
        tier_branch_rarely(e, none, quick, slow);
        LLVMPositionBuilderAtEnd(e->builder, quick);
    }
    tier_write(e, op->target, to, tier_widen(e, "quick", h->name, operands, true), op->blend);
    if (!slow) return;
    LLVMBuildBr(e->builder, done);
    LLVMPositionBuilderAtEnd(e->builder, slow);
    tier_write(e, op->target, to, tier_widen(e, "lane", h->name, operands, true), op->blend);
    LLVMBuildBr(e->builder, done);
    LLVMPositionBuilderAtEnd(e->builder, done);
}

static void emit_arithmetic(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    bool is_chunk = h->form != SIM_FORM_SS;
    uint32_t count = h->shape == TIER_TERNARY                                            ? 3
                     : (h->shape & ~TIER_DEFINED) == TIER_UNARY || h->shape == TIER_HALF ? 1
                                                                                         : 2;
    const sim_register places[3] = {op->a, op->b, op->c};
    LLVMValueRef operands[3];
    for (uint32_t i = 0; i < count; i++)
        operands[i] = tier_read(e, places[i], (sim_lane_type)h->from, is_chunk);
    if (h->shape & TIER_DEFINED) {
        LLVMValueRef flags = tier_widen(e, "ok", h->name, operands, is_chunk);
        demand(e, flags, is_chunk, SIM_TIER_MISUSE);
        if (h->shape == TIER_DIVIDE && is_chunk) {
            LLVMValueRef quotients = quotients_by_constant(e, op, h, operands[0]);
            if (quotients) {
                tier_write(e, op->target, (sim_lane_type)h->to, quotients, op->blend);
                return;
            }
            operands[1] = divisor_safe(e, flags, operands[1]);
            emit_quotients(e, op, h, operands);
            return;
        }
    }
    LLVMValueRef result = tier_widen(e, "lane", h->name, operands, is_chunk);
    tier_write(e, op->target, (sim_lane_type)h->to, result, op->blend);
}

/* Widens a chunk of halves to floats. */
static LLVMValueRef halves_widen(const tier_emitter *e, LLVMValueRef bits)
{
    LLVMTypeRef halves = tier_chunk_of(LLVMHalfTypeInContext(e->llvm));
    LLVMTypeRef floats = tier_type(e, SIM_F32, true), words = tier_type(e, SIM_I32, true);
    LLVMValueRef result = LLVMBuildBitCast(e->builder, bits, halves, "");
    result = LLVMBuildFPExt(e->builder, result, floats, "");
    /* The instruction makes NaNs quiet; sim_float_of_half does not. */
    LLVMValueRef size = LLVMBuildAnd(e->builder, bits, splat_of(e, e->i16, 0x7fff), "");
    LLVMValueRef beyond = LLVMBuildSub(e->builder, size, splat_of(e, e->i16, 0x7c01), "");
    LLVMValueRef is_signalling =
        LLVMBuildICmp(e->builder, LLVMIntULT, beyond, splat_of(e, e->i16, 0x1ff), "");
    LLVMValueRef kept =
        LLVMBuildSelect(e->builder, is_signalling, splat_of(e, e->i32, ~UINT32_C(0x400000)),
                        splat_of(e, e->i32, UINT32_MAX), "");
    result = LLVMBuildBitCast(e->builder, result, words, "");
    result = LLVMBuildAnd(e->builder, result, kept, "");
    return LLVMBuildBitCast(e->builder, result, floats, "");
}

/* By instruction: of LLVM's own conversion, the result would be stored half by half. */
static LLVMValueRef halves_narrow(const tier_emitter *e, LLVMValueRef floats)
{
    enum { AS_MODE_SAYS = 4, HALF = SIM_TIER_LANES / 2 };
    LLVMValueRef rounding = tier_number(e->i32, AS_MODE_SAYS), halves[2];
    if (e->level >= 2) {
        LLVMValueRef arguments[] = {floats, rounding, LLVMConstNull(tier_chunk_of(e->i16)),
                                    LLVMConstAllOnes(e->i16)};
        return tier_intrinsic(e, "llvm.x86.avx512.mask.vcvtps2ph.512", NULL, 0, arguments, 4);
    }
    for (uint32_t i = 0; i < 2; i++) {
        LLVMValueRef arguments[] = {tier_lanes(e, floats, i * HALF, HALF), rounding};
        halves[i] = tier_intrinsic(e, "llvm.x86.vcvtps2ph.256", NULL, 0, arguments, 2);
    }
    return tier_lanes_join(e, halves);
}

static void emit_half(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    if (h->form == SIM_FORM_SS || e->level == 0) {
        emit_arithmetic(e, op, h);
        return;
    }
    LLVMValueRef value = tier_read(e, op->a, (sim_lane_type)h->from, true);
    value = h->to == SIM_I16 ? halves_narrow(e, value) : halves_widen(e, value);
    tier_write(e, op->target, (sim_lane_type)h->to, value, op->blend);
}

LLVMValueRef tier_scratch(const tier_emitter *e, uint32_t row, LLVMTypeRef type)
{
    return tier_pointer(e, e->values, row * SIM_TIER_LANES * 8u, type);
}

static void emit_math(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    bool is_chunk = h->form != SIM_FORM_SS;
    const sim_register places[2] = {op->a, op->b};
    LLVMTypeRef type = tier_type(e, (sim_lane_type)h->from, is_chunk);
    for (uint32_t i = 0; i < (h->shape == TIER_MATH1 ? 1u : 2u); i++) {
        LLVMValueRef value = tier_read(e, places[i], (sim_lane_type)h->from, is_chunk);
        LLVMBuildStore(e->builder, value, tier_scratch(e, i, type));
    }
    LLVMValueRef mask = is_chunk ? tier_bits(e, tier_active(e), e->i32) : tier_number(e->i32, 1);
    LLVMValueRef b =
        h->shape == TIER_MATH1 ? LLVMConstNull(e->bytes_pointer) : tier_scratch(e, 1, e->i8);
    LLVMValueRef arguments[] = {tier_number(e->i32, op->extra),
                                tier_number(e->i32, h->from == SIM_F64),
                                mask,
                                tier_scratch(e, 0, e->i8),
                                b,
                                tier_scratch(e, 2, e->i8)};
    (void)tier_call_helper(e, (const void *)(uintptr_t)e->helpers->math,
                           LLVMVoidTypeInContext(e->llvm), arguments, 6);
    LLVMValueRef result = LLVMBuildLoad2(e->builder, type, tier_scratch(e, 2, type), "");
    tier_write(e, op->target, (sim_lane_type)h->to, result, op->blend);
}

/* ---- Moves ---------------------------------------------------------------------------------- */

static void emit_move(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    sim_lane_type type = (sim_lane_type)h->from;
    LLVMValueRef value = tier_read(e, op->a, type, h->form != SIM_FORM_SS);
    tier_write(e, op->target, type, value, op->blend);
}

static void emit_select(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    sim_lane_type type = (sim_lane_type)h->from;
    LLVMValueRef condition = is_set(e, tier_read(e, op->a, SIM_I8, true));
    LLVMValueRef yes = tier_read(e, op->b, type, true), no = tier_read(e, op->c, type, true);
    tier_write(e, op->target, type, LLVMBuildSelect(e->builder, condition, yes, no, ""), op->blend);
}

static void emit_pick(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    sim_lane_type type = (sim_lane_type)h->from;
    bool is_chunk = h->form != SIM_FORM_SS;
    LLVMValueRef condition = is_set(e, tier_read(e, op->a, SIM_I8, false));
    LLVMValueRef yes = tier_read(e, op->b, type, is_chunk),
                 no = tier_read(e, op->c, type, is_chunk);
    tier_write(e, op->target, type, LLVMBuildSelect(e->builder, condition, yes, no, ""), op->blend);
}

/* INDEX, HOLDS and BOUND. */
static void emit_check(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    sim_lane_type type = (sim_lane_type)h->from;
    bool is_chunk = h->form != SIM_FORM_SS;
    LLVMValueRef a = tier_read(e, op->a, type, is_chunk), flags;
    if (h->shape == TIER_HOLDS) {
        flags = tier_read(e, op->b, type, is_chunk);
    } else {
        uint32_t bits = 8 * sim_lane_bytes(type);
        /* Every index is less; BOUND compares with the length in the index's width. */
        bool all = h->shape == TIER_INDEX && bits < 32 && op->extra >> bits != 0;
        LLVMValueRef end = tier_number(tier_type(e, type, false), op->extra);
        if (is_chunk) end = tier_splat(e, end);
        LLVMValueRef is_less = LLVMBuildICmp(e->builder, LLVMIntULT, a, end, "");
        if (all) is_less = LLVMConstAllOnes(LLVMTypeOf(is_less));
        flags = LLVMBuildZExt(e->builder, is_less, tier_type(e, SIM_I8, is_chunk), "");
    }
    demand(e, flags, is_chunk, h->shape == TIER_BOUND ? SIM_TIER_ACCESS : SIM_TIER_MISUSE);
    if (h->shape != TIER_BOUND) tier_write(e, op->target, type, a, true);
}

/* ---- Sub-groups ----------------------------------------------------------------------------- */

static LLVMValueRef collective_operand(tier_emitter *e, sim_register place, sim_lane_type type)
{
    static const sim_lane_type integers[9] = {
        [1] = SIM_I8, [2] = SIM_I16, [4] = SIM_I32, [8] = SIM_I64};
    LLVMValueRef value = tier_read(e, place, integers[sim_lane_bytes(type)], true);
    LLVMTypeRef wide = tier_type(e, SIM_I64, true);
    return LLVMTypeOf(value) == wide ? value : LLVMBuildZExt(e->builder, value, wide, "");
}

static void emit_collective(tier_emitter *e, const sim_op *op)
{
    sim_lane_type type = (sim_lane_type)(op->extra >> 16 & 0xff), types[3] = {type, SIM_I64, type};
    const sim_register places[3] = {op->a, op->b, op->c};
    for (uint32_t i = 0; i < 3; i++) {
        LLVMValueRef value = collective_operand(e, places[i], types[i]);
        LLVMBuildStore(e->builder, value, tier_scratch(e, i, LLVMTypeOf(value)));
    }
    LLVMValueRef arguments[] = {e->context, tier_constant_pointer(e, op),
                                tier_bits(e, tier_active(e), e->i32), tier_scratch(e, 0, e->i8),
                                tier_scratch(e, 3, e->i8)};
    tier_demand_helper(e, (const void *)(uintptr_t)e->helpers->collective, arguments, 5);
    if (op->target == SIM_REGISTER_NONE) return;
    LLVMTypeRef wide = tier_type(e, SIM_I64, true);
    LLVMValueRef result = LLVMBuildLoad2(e->builder, wide, tier_scratch(e, 3, wide), "");
    sim_lane_type kind = (sim_lane_type)(SIM_I8 + __builtin_ctz(op->stride));
    if (kind != SIM_I64) result = LLVMBuildTrunc(e->builder, result, tier_type(e, kind, true), "");
    tier_write(e, op->target, kind, result, op->blend);
}

/* ---- Private variables ---------------------------------------------------------------------- */

static void emit_frame_address(tier_emitter *e, const sim_op *op)
{
    uint32_t number = e->flat->instances.items[e->instance].frame->number;
    CHECK(number != 0 && number < SIM_TIER_FRAMES);
    uint64_t address =
        sim_address_of(SIM_CLASS_PRIVATE, number << SIM_PRIVATE_VARIABLE_BITS | op->extra);
    tier_write(e, op->target, SIM_I64, tier_number(e->i64, address), false);
}

static void emit_forget(tier_emitter *e, const sim_op *op)
{
    if (!sim_register_uniform(op->a)) return; /* as in exec/lane_access.c */
    LLVMValueRef arguments[] = {e->context, tier_read(e, op->a, SIM_I64, false),
                                tier_bits(e, tier_active(e), e->i32)};
    (void)tier_call_helper(e, (const void *)(uintptr_t)e->helpers->forget,
                           LLVMVoidTypeInContext(e->llvm), arguments, 3);
}

/* ---- All of them ---------------------------------------------------------------------------- */

void tier_emit_op(tier_emitter *e, const sim_op *op)
{
    const tier_handler *h = tier_handler_at(op->handler);
    switch ((tier_shape)h->shape) {
    case TIER_BINARY:
    case TIER_UNARY:
    case TIER_TERNARY:
    case TIER_BINARY_DEFINED:
    case TIER_UNARY_DEFINED:
    case TIER_DIVIDE: emit_arithmetic(e, op, h); return;
    case TIER_HALF: emit_half(e, op, h); return;
    case TIER_MATH1:
    case TIER_MATH2: emit_math(e, op, h); return;
    case TIER_MOVE: emit_move(e, op, h); return;
    case TIER_SELECT: emit_select(e, op, h); return;
    case TIER_PICK: emit_pick(e, op, h); return;
    case TIER_INDEX:
    case TIER_HOLDS:
    case TIER_BOUND: emit_check(e, op, h); return;
    case TIER_LOAD: tier_emit_load(e, op, h); return;
    case TIER_STORE: tier_emit_store(e, op, h); return;
    case TIER_ATOMIC: tier_emit_atomic(e, op, h); return;
    case TIER_COPY: tier_emit_copy(e, op); return;
    case TIER_COLLECTIVE: emit_collective(e, op); return;
    case TIER_FENCE: return; /* what it orders with relaxed atomics counts as not ordered */
    case TIER_FRAME_ADDRESS: emit_frame_address(e, op); return;
    case TIER_FORGET: emit_forget(e, op); return;
    case TIER_UNCOVERED:
    case TIER_DEFINED: break;
    }
    UNREACHABLE();
}
