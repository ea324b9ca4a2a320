/* Gathers and scatters of a chunk: each lane has its own offset from one address. */
#include "sim/compiled/emit.h"

enum { HALF = SIM_TIER_LANES / 2 };

LLVMValueRef tier_lanes(const tier_emitter *e, LLVMValueRef row, uint32_t from, uint32_t count)
{
    LLVMValueRef places[SIM_TIER_LANES];
    for (uint32_t i = 0; i < count; i++)
        places[i] = tier_number(e->i32, (from + i) % LLVMGetVectorSize(LLVMTypeOf(row)));
    return LLVMBuildShuffleVector(e->builder, row, LLVMGetPoison(LLVMTypeOf(row)),
                                  LLVMConstVector(places, count), "");
}

LLVMValueRef tier_lanes_join(const tier_emitter *e, const LLVMValueRef halves[2])
{
    LLVMValueRef places[SIM_TIER_LANES];
    for (uint32_t i = 0; i < SIM_TIER_LANES; i++)
        places[i] = tier_number(e->i32, i);
    return LLVMBuildShuffleVector(e->builder, halves[0], halves[1],
                                  LLVMConstVector(places, SIM_TIER_LANES), "");
}

/* ---- Where the processor has instructions for offsets of 32 bits ----------------------------- */

/* LLVM's own gathers and scatters have offsets of 64 bits; it does not always see that they are
 * widened, and uses two instructions for one. */

static LLVMValueRef words_gather(const tier_emitter *e, LLVMValueRef data, LLVMValueRef at)
{
    LLVMValueRef arguments[] = {LLVMConstNull(tier_chunk_of(e->i32)), data, at, tier_active(e),
                                tier_number(e->i32, 1)};
    return tier_intrinsic(e, "llvm.x86.avx512.mask.gather.dpi.512", NULL, 0, arguments, 5);
}

static LLVMValueRef pairs_gather(const tier_emitter *e, LLVMValueRef data, LLVMValueRef at)
{
    LLVMTypeRef type = LLVMVectorType(e->i64, HALF);
    LLVMValueRef active = tier_active(e), halves[2];
    for (uint32_t i = 0; i < 2; i++) {
        LLVMValueRef arguments[] = {LLVMConstNull(type), data, tier_lanes(e, at, i * HALF, HALF),
                                    tier_lanes(e, active, i * HALF, HALF), tier_number(e->i32, 1)};
        halves[i] = tier_intrinsic(e, "llvm.x86.avx512.mask.gather.dpq.512", NULL, 0, arguments, 5);
    }
    return tier_lanes_join(e, halves);
}

/* ---- All processors ------------------------------------------------------------------------- */

static LLVMValueRef pointers_of(const tier_emitter *e, LLVMTypeRef type, LLVMValueRef data,
                                LLVMValueRef at)
{
    LLVMValueRef to = LLVMBuildGEP2(e->builder, e->i8, data, &at, 1, "");
    return LLVMBuildBitCast(e->builder, to, tier_chunk_of(LLVMPointerType(type, 0)), "");
}

LLVMValueRef tier_gather(const tier_emitter *e, LLVMTypeRef type, LLVMValueRef data,
                         LLVMValueRef at)
{
    if (e->level >= 2) {
        bool is_word = type == e->i32 || LLVMGetTypeKind(type) == LLVMFloatTypeKind;
        LLVMValueRef found = (is_word ? words_gather : pairs_gather)(e, data, at);
        return LLVMBuildBitCast(e->builder, found, tier_chunk_of(type), "");
    }
    LLVMValueRef from = pointers_of(e, type, data, at);
    LLVMTypeRef types[] = {tier_chunk_of(type), LLVMTypeOf(from)};
    LLVMValueRef arguments[] = {from, tier_number(e->i32, 1), tier_active(e),
                                LLVMConstNull(tier_chunk_of(type))};
    return tier_intrinsic(e, "llvm.masked.gather", types, 2, arguments, 4);
}

void tier_scatter_words(const tier_emitter *e, LLVMValueRef data, LLVMValueRef at,
                        LLVMValueRef words)
{
    if (e->level >= 2) {
        LLVMValueRef arguments[] = {data, tier_active(e), at, words, tier_number(e->i32, 1)};
        (void)tier_intrinsic(e, "llvm.x86.avx512.mask.scatter.dpi.512", NULL, 0, arguments, 5);
        return;
    }
    LLVMValueRef to = pointers_of(e, e->i32, data, at);
    LLVMTypeRef types[] = {tier_chunk_of(e->i32), LLVMTypeOf(to)};
    LLVMValueRef arguments[] = {words, to, tier_number(e->i32, 4), tier_active(e)};
    (void)tier_intrinsic(e, "llvm.masked.scatter", types, 2, arguments, 4);
}
