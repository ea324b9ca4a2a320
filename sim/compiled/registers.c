/* Registers of register code as LLVM variables, one for each place and width: a value is always
 * read with the width with which it was written. */
#include "sim/compiled/emit.h"

#include "reference/base/alloc.h"

#include <stddef.h>

LLVMTypeRef tier_type(const tier_emitter *e, sim_lane_type type, bool is_chunk)
{
    LLVMTypeRef types[SIM_LANE_TYPES] = {e->i8,
                                         e->i16,
                                         e->i32,
                                         e->i64,
                                         LLVMFloatTypeInContext(e->llvm),
                                         LLVMDoubleTypeInContext(e->llvm)};
    CHECK(type < SIM_LANE_TYPES);
    return is_chunk ? tier_chunk_of(types[type]) : types[type];
}

LLVMValueRef tier_number(LLVMTypeRef type, uint64_t value)
{
    return LLVMConstInt(type, value, false);
}

LLVMValueRef tier_pointer(const tier_emitter *e, LLVMValueRef from, uint64_t offset,
                          LLVMTypeRef type)
{
    LLVMValueRef at = tier_number(e->i64, offset);
    LLVMValueRef bytes = LLVMBuildBitCast(e->builder, from, e->bytes_pointer, "");
    LLVMValueRef place = LLVMBuildGEP2(e->builder, e->i8, bytes, &at, 1, "");
    return LLVMBuildBitCast(e->builder, place, LLVMPointerType(type, 0), "");
}

LLVMValueRef tier_splat(const tier_emitter *e, LLVMValueRef value)
{
    LLVMTypeRef type = tier_chunk_of(LLVMTypeOf(value));
    if (LLVMIsConstant(value)) {
        LLVMValueRef all[SIM_TIER_LANES];
        for (uint32_t i = 0; i < SIM_TIER_LANES; i++)
            all[i] = value;
        return LLVMConstVector(all, SIM_TIER_LANES);
    }
    LLVMValueRef first =
        LLVMBuildInsertElement(e->builder, LLVMGetPoison(type), value, tier_number(e->i32, 0), "");
    LLVMTypeRef indices = tier_chunk_of(e->i32);
    return LLVMBuildShuffleVector(e->builder, first, LLVMGetPoison(type), LLVMConstNull(indices),
                                  "");
}

/* ---- The table ------------------------------------------------------------------------------ */

static uint64_t register_key(uint32_t instance, sim_register place, uint32_t bytes)
{
    return ((uint64_t)instance + 1) << 40 | (uint64_t)bytes << 32 | place;
}

static tier_register *slot_of(tier_register *registers, uint32_t room, uint64_t key)
{
    uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (room - 1);
    while (registers[at].key != 0 && registers[at].key != key)
        at = (at + 1) & (room - 1);
    return &registers[at];
}

static void registers_grow(tier_emitter *e)
{
    uint32_t room = e->register_room ? 2 * e->register_room : 256;
    tier_register *registers = rt_alloc_array(room, sizeof *registers);
    for (uint32_t i = 0; i < e->register_room; i++) {
        if (e->registers[i].key) *slot_of(registers, room, e->registers[i].key) = e->registers[i];
    }
    rt_free(e->registers);
    e->registers = registers;
    e->register_room = room;
}

/* Uniform registers have eight bytes whatever is read from them. */
static tier_register *register_at(tier_emitter *e, uint32_t instance, sim_register place,
                                  uint32_t bytes)
{
    bool is_uniform = sim_register_uniform(place);
    uint64_t key = register_key(instance, place, is_uniform ? 8 : bytes);
    if (2 * e->register_count >= e->register_room) registers_grow(e);
    tier_register *found = slot_of(e->registers, e->register_room, key);
    if (found->key) return found;
    LLVMTypeRef type =
        is_uniform ? e->i64 : tier_chunk_of(LLVMIntTypeInContext(e->llvm, 8 * bytes));
    *found = (tier_register){.key = key,
                             .variable = LLVMBuildAlloca(e->variables, type, ""),
                             .type = type,
                             .number = e->register_count++,
                             .is_kept = place >> SIM_REGISTER_SHIFT != SIM_SPACE_WAVE};
    /* Lanes that are not active compute, too, and denormal numbers that the stack happens to hold
     * would make them slow. */
    if (!is_uniform) LLVMBuildStore(e->variables, LLVMConstNull(type), found->variable);
    return found;
}

/* ---- Reading and writing -------------------------------------------------------------------- */

static LLVMValueRef context_pointer(const tier_emitter *e, size_t member)
{
    LLVMValueRef at = tier_pointer(e, e->context, member, e->bytes_pointer);
    return LLVMBuildLoad2(e->builder, e->bytes_pointer, at, "");
}

static LLVMValueRef read_pool(tier_emitter *e, uint32_t offset, sim_lane_type type)
{
    const sim_program *program = e->flat->program;
    LLVMTypeRef wanted = tier_type(e, type, false);
    uint32_t bits = 8 * sim_lane_bytes(type);
    CHECK(offset % 8 == 0 && offset / 8 < program->pool_slot_count);
    if (tier_slot_is_constant(program, offset / 8)) {
        uint64_t value = program->pool_slots[offset / 8] & (UINT64_MAX >> (64 - bits));
        LLVMValueRef number = tier_number(LLVMIntTypeInContext(e->llvm, bits), value);
        return LLVMConstBitCast(number, wanted);
    }
    LLVMValueRef pool = context_pointer(e, offsetof(sim_tier_context, pool));
    return LLVMBuildLoad2(e->builder, wanted, tier_pointer(e, pool, offset, wanted), "");
}

LLVMValueRef tier_read_in(tier_emitter *e, uint32_t instance, sim_register place,
                          sim_lane_type type, bool is_chunk)
{
    uint32_t space = place >> SIM_REGISTER_SHIFT, offset = place & SIM_REGISTER_MASK;
    if (sim_register_uniform(place)) {
        LLVMValueRef value;
        if (space == SIM_SPACE_POOL) {
            value = read_pool(e, offset, type);
        } else {
            LLVMTypeRef wanted = tier_type(e, type, false);
            tier_register *found = register_at(e, instance, place, 8);
            tier_live_note(e, found, false);
            value =
                LLVMBuildLoad2(e->builder, wanted, tier_pointer(e, found->variable, 0, wanted), "");
        }
        return is_chunk ? tier_splat(e, value) : value;
    }
    CHECK(is_chunk);
    LLVMTypeRef wanted = tier_type(e, type, true);
    if (space == SIM_SPACE_WAVE && offset < SIM_WAVE_ROWS * SIM_ROW_BYTES(8)) {
        CHECK(type == SIM_I64);
        LLVMValueRef rows = context_pointer(e, offsetof(sim_tier_context, rows));
        LLVMValueRef row =
            LLVMBuildLoad2(e->builder, wanted, tier_pointer(e, rows, offset, wanted), "");
        LLVMSetAlignment(row, 64);
        return row;
    }
    tier_register *found = register_at(e, instance, place, sim_lane_bytes(type));
    tier_live_note(e, found, false);
    LLVMValueRef value = LLVMBuildLoad2(e->builder, found->type, found->variable, "");
    return LLVMBuildBitCast(e->builder, value, wanted, "");
}

void tier_write_in(tier_emitter *e, uint32_t instance, sim_register place, sim_lane_type type,
                   LLVMValueRef value, bool blends)
{
    tier_register *found = register_at(e, instance, place, sim_lane_bytes(type));
    tier_live_note(e, found, true);
    if (sim_register_uniform(place)) {
        CHECK(place >> SIM_REGISTER_SHIFT == SIM_SPACE_UNIFORM);
        LLVMBuildStore(e->builder, value, tier_pointer(e, found->variable, 0, LLVMTypeOf(value)));
        return;
    }
    if (blends) {
        LLVMValueRef old = LLVMBuildLoad2(e->builder, found->type, found->variable, "");
        /* In the type of the value: LLVM merges its operation and the mask only then. */
        old = LLVMBuildBitCast(e->builder, old, LLVMTypeOf(value), "");
        value = LLVMBuildSelect(e->builder, tier_active(e), value, old, "");
    }
    value = LLVMBuildBitCast(e->builder, value, found->type, "");
    LLVMBuildStore(e->builder, value, found->variable);
}

LLVMValueRef tier_read(tier_emitter *e, sim_register place, sim_lane_type type, bool is_chunk)
{
    return tier_read_in(e, e->instance, place, type, is_chunk);
}

void tier_write(tier_emitter *e, sim_register place, sim_lane_type type, LLVMValueRef value,
                bool blends)
{
    tier_write_in(e, e->instance, place, type, value, blends);
}
