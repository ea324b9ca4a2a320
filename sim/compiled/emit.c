/* The function that runs a chunk: its start, its ends, and what it keeps over barriers. */
#include "sim/compiled/emit.h"

#include "reference/base/alloc.h"

#include <stddef.h>
#include <string.h>

static LLVMValueRef member(const tier_emitter *e, size_t offset, LLVMTypeRef type)
{
    return tier_pointer(e, e->context, offset, type);
}

static LLVMValueRef load_member(const tier_emitter *e, size_t offset, LLVMTypeRef type)
{
    return LLVMBuildLoad2(e->builder, type, member(e, offset, type), "");
}

static void types_set(tier_emitter *e)
{
    LLVMContextRef c = e->llvm;
    e->i1 = LLVMInt1TypeInContext(c);
    e->i8 = LLVMInt8TypeInContext(c);
    e->i16 = LLVMInt16TypeInContext(c);
    e->i32 = LLVMInt32TypeInContext(c);
    e->i64 = LLVMInt64TypeInContext(c);
    e->bytes_pointer = LLVMPointerType(e->i8, 0);
    e->mask = tier_chunk_of(e->i1);
    e->word = LLVMIntTypeInContext(c, (e->flat->blocks.count + 63) / 64 * 64);
}

/* Vectors of 512 bits are used as such. */
static void attribute_add(const tier_emitter *e, const char *name, const char *value)
{
    LLVMAddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(e->llvm, name, (unsigned)strlen(name), value,
                                                      (unsigned)strlen(value)));
}

static void function_open(tier_emitter *e)
{
    LLVMTypeRef parameters[] = {e->bytes_pointer};
    e->function =
        LLVMAddFunction(e->module, "tier_chunk", LLVMFunctionType(e->i32, parameters, 1, false));
    attribute_add(e, "prefer-vector-width", "512");
    attribute_add(e, "min-legal-vector-width", "512");
    e->context = LLVMGetParam(e->function, 0);
    LLVMPositionBuilderAtEnd(e->variables, tier_block_new(e, "variables"));
    e->active = LLVMBuildAlloca(e->variables, e->mask, "active");
    e->parked = LLVMBuildAlloca(e->variables, e->word, "parked");
    e->spent = LLVMBuildAlloca(e->variables, e->i64, "spent");
    e->steps = LLVMBuildAlloca(e->variables, e->i64, "steps");
    e->values = LLVMBuildAlloca(
        e->variables, LLVMArrayType(e->i8, TIER_COMPONENTS_MAX * SIM_TIER_ROW_BYTES), "values");
    e->index = LLVMBuildAlloca(e->variables, LLVMArrayType(e->i8, SIM_TIER_LANES * 8), "index");
    LLVMSetAlignment(e->values, 128);
    LLVMSetAlignment(e->index, 128);
}

static void blocks_open(tier_emitter *e)
{
    uint32_t count = e->flat->blocks.count;
    e->bodies = rt_alloc_array(count, sizeof *e->bodies);
    e->unparks = rt_alloc_array(count, sizeof *e->unparks);
    e->barriers = rt_alloc_array(e->flat->barrier_count, sizeof *e->barriers);
    for (uint32_t i = 0; i < count; i++) {
        e->bodies[i] = tier_block_new(e, "body");
        if (e->flat->blocks.items[i].may_be_parked) e->unparks[i] = tier_block_new(e, "unpark");
    }
    for (uint32_t i = 1; i < e->flat->barrier_count; i++)
        e->barriers[i] = tier_block_new(e, "barrier");
    for (uint32_t i = 0; i < SIM_TIER_REASON_COUNT; i++)
        e->gives_up[i] = tier_block_new(e, "gives_up");
    e->exit = tier_block_new(e, "exit");
}

/* Copies the kernel's arguments to its registers. */
static void arguments_copy(tier_emitter *e)
{
    const sim_code_function *function = e->flat->instances.items[0].function;
    LLVMValueRef uniforms = load_member(e, offsetof(sim_tier_context, uniforms), e->bytes_pointer);
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        sim_register place = function->parameters[i].place;
        if (place == SIM_REGISTER_NONE) continue;
        CHECK(place >> SIM_REGISTER_SHIFT == SIM_SPACE_UNIFORM);
        LLVMValueRef from = tier_pointer(e, uniforms, place & SIM_REGISTER_MASK, e->i64);
        LLVMValueRef value = LLVMBuildLoad2(e->builder, e->i64, from, "");
        tier_write_in(e, 0, place, SIM_I64, value, false);
    }
}

/* Returns and records what the chunk has cost. */
static void emit_return_value(tier_emitter *e, uint32_t value)
{
    LLVMValueRef spent = LLVMBuildLoad2(e->builder, e->i64, e->spent, "");
    LLVMValueRef steps = LLVMBuildLoad2(e->builder, e->i64, e->steps, "");
    LLVMBuildStore(e->builder, spent, member(e, offsetof(sim_tier_context, spent), e->i64));
    LLVMBuildStore(e->builder, steps, member(e, offsetof(sim_tier_context, steps), e->i64));
    LLVMBuildRet(e->builder, tier_number(e->i32, value));
}

/* Copies the registers of the set to the chunk's memory, or back; returns their size. */
static uint64_t registers_copy(tier_emitter *e, const uint64_t *live, bool saves)
{
    LLVMValueRef saved = load_member(e, offsetof(sim_tier_context, saved), e->bytes_pointer);
    uint64_t size = 0;
    for (uint32_t i = 0; i < e->register_room; i++) {
        const tier_register *reg = &e->registers[i];
        bool is_live = reg->key && live[reg->number / 64] >> reg->number % 64 & 1;
        if (!is_live || !reg->is_kept) continue;
        LLVMValueRef place = tier_pointer(e, saved, size, reg->type);
        LLVMValueRef value =
            LLVMBuildLoad2(e->builder, reg->type, saves ? reg->variable : place, "");
        LLVMSetAlignment(value, 8);
        LLVMValueRef store = LLVMBuildStore(e->builder, value, saves ? place : reg->variable);
        LLVMSetAlignment(store, 8);
        size += 8 * SIM_TIER_LANES;
    }
    return size;
}

/* A chunk returns at a barrier and is called again to leave it. */
static uint64_t emit_barriers(tier_emitter *e, LLVMValueRef resume)
{
    uint64_t most = 0;
    uint32_t words;
    uint64_t *live = tier_live_find(e, &words);
    for (uint32_t b = 0; b < e->flat->blocks.count; b++) {
        uint32_t number = e->flat->blocks.items[b].barrier;
        if (number == 0) continue;
        LLVMPositionBuilderAtEnd(e->builder, e->barriers[number]);
        const uint64_t *kept = live + (uint64_t)(b + 1) * words;
        uint64_t size = registers_copy(e, kept, true);
        if (size > most) most = size;
        emit_return_value(e, number);
        LLVMBasicBlockRef leaves = tier_block_new(e, "leaves");
        LLVMAddCase(resume, tier_number(e->i32, number), leaves);
        LLVMPositionBuilderAtEnd(e->builder, leaves);
        (void)registers_copy(e, kept, false);
        LLVMBuildBr(e->builder, e->bodies[b + 1]);
    }
    rt_free(live);
    return most;
}

static void emit_ends(tier_emitter *e)
{
    LLVMPositionBuilderAtEnd(e->builder, e->exit);
    emit_return_value(e, SIM_TIER_DONE);
    for (uint32_t i = 0; i < SIM_TIER_REASON_COUNT; i++) {
        LLVMPositionBuilderAtEnd(e->builder, e->gives_up[i]);
        LLVMValueRef reason = tier_number(e->i32, i);
        /* A helper has recorded its reason. */
        if (i != SIM_TIER_NO_REASON)
            LLVMBuildStore(e->builder, reason,
                           member(e, offsetof(sim_tier_context, reason), e->i32));
        LLVMBuildRet(e->builder, tier_number(e->i32, SIM_TIER_GIVES_UP));
    }
}

/* Sets the variables that do not outlive a call, and jumps to the kernel's start or past the
 * barrier; returns the switch. */
static LLVMValueRef emit_start(tier_emitter *e, LLVMBasicBlockRef *out_start)
{
    *out_start = tier_block_new(e, "start");
    LLVMPositionBuilderAtEnd(e->builder, *out_start);
    LLVMValueRef mask = load_member(e, offsetof(sim_tier_context, mask), e->i32);
    mask = LLVMBuildTrunc(e->builder, mask, e->i16, "");
    LLVMBuildStore(e->builder, LLVMBuildBitCast(e->builder, mask, e->mask, ""), e->active);
    LLVMBuildStore(e->builder, tier_number(e->word, 0), e->parked);
    LLVMBuildStore(e->builder, load_member(e, offsetof(sim_tier_context, spent), e->i64), e->spent);
    LLVMBuildStore(e->builder, load_member(e, offsetof(sim_tier_context, steps), e->i64), e->steps);
    LLVMBasicBlockRef fresh = tier_block_new(e, "fresh");
    LLVMValueRef resume = load_member(e, offsetof(sim_tier_context, resume), e->i32);
    LLVMValueRef jump = LLVMBuildSwitch(e->builder, resume, fresh, e->flat->barrier_count);
    LLVMPositionBuilderAtEnd(e->builder, fresh);
    arguments_copy(e);
    LLVMBuildBr(e->builder, e->bodies[0]);
    return jump;
}

void tier_emit(tier_emitter *e, sim_tier_code *out_code)
{
    LLVMBasicBlockRef start;
    types_set(e);
    function_open(e);
    blocks_open(e);
    tier_live_open(e);
    e->strides = tier_strides_find(e->flat, &e->stride_first);
    LLVMValueRef resume = emit_start(e, &start);
    tier_emit_blocks(e);
    uint64_t saved_bytes = emit_barriers(e, resume);
    emit_ends(e);
    LLVMBuildBr(e->variables, start);
    *out_code = (sim_tier_code){.saved_bytes = saved_bytes,
                                .private_bytes = e->flat->private_bytes,
                                .access_count = e->accesses.count,
                                .block_count = e->flat->blocks.count,
                                .barrier_count = e->flat->barrier_count,
                                .kernel_frame = e->flat->instances.items[0].frame};
    rt_free(e->bodies);
    rt_free(e->unparks);
    rt_free(e->barriers);
    rt_free(e->registers);
    rt_free(e->strides);
    rt_free(e->stride_first);
}
