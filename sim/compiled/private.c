/* Loads and stores of private variables that are known when the kernel is compiled, made in line.
 *
 * Granule g of private memory, four bytes, is a row: lane l's is at (g * 16 + l) * 4. A component
 * is part of a granule, a granule or two of them. */
#include "sim/compiled/emit.h"

#include <stddef.h>

/* The place of a component in every lane. */
typedef struct place {
    LLVMValueRef row;     /* byte offset of the granules' row, if it is the same for all lanes */
    LLVMValueRef granule; /* otherwise: byte offset of each lane's granule */
    LLVMValueRef shift;   /* of each lane's component in its granule, in bits; NULL: 0 */
} place;

static LLVMTypeRef words_of(const tier_emitter *e)
{
    return tier_chunk_of(e->i32);
}

static LLVMValueRef splat_word(const tier_emitter *e, uint64_t value)
{
    return tier_splat(e, tier_number(e->i32, value));
}

static LLVMValueRef memory_of(const tier_emitter *e, bool is_shadow)
{
    size_t member = is_shadow ? offsetof(sim_tier_context, private_defined)
                              : offsetof(sim_tier_context, private_memory);
    LLVMValueRef at = tier_pointer(e, e->context, member, e->bytes_pointer);
    return LLVMBuildLoad2(e->builder, e->bytes_pointer, at, "");
}

/* Where the lanes' granules are, `next` granules after the place. */
static LLVMValueRef granules_at(const tier_emitter *e, const place *p, uint32_t next)
{
    return LLVMBuildAdd(e->builder, p->granule, splat_word(e, next * SIM_TIER_LANES * 4), "");
}

static LLVMValueRef row_pointer(const tier_emitter *e, LLVMValueRef memory, const place *p,
                                uint32_t next)
{
    LLVMValueRef at =
        LLVMBuildAdd(e->builder, p->row, tier_number(e->i64, next * SIM_TIER_LANES * 4), "");
    LLVMValueRef from = LLVMBuildGEP2(e->builder, e->i8, memory, &at, 1, "");
    return LLVMBuildBitCast(e->builder, from, LLVMPointerType(words_of(e), 0), "");
}

static LLVMValueRef granule_load(const tier_emitter *e, LLVMValueRef memory, const place *p,
                                 uint32_t next)
{
    if (p->row) {
        LLVMTypeRef words = words_of(e);
        LLVMValueRef row = LLVMBuildLoad2(e->builder, words, row_pointer(e, memory, p, next), "");
        LLVMSetAlignment(row, 64);
        return row;
    }
    return tier_gather(e, e->i32, memory, granules_at(e, p, next));
}

static void granule_store(const tier_emitter *e, LLVMValueRef memory, const place *p, uint32_t next,
                          LLVMValueRef value)
{
    if (p->row) {
        /* The whole row is stored: processors do not forward a masked store to the next load. */
        LLVMValueRef before = granule_load(e, memory, p, next);
        value = LLVMBuildSelect(e->builder, tier_active(e), value, before, "");
        LLVMValueRef to = row_pointer(e, memory, p, next);
        LLVMSetAlignment(LLVMBuildStore(e->builder, value, to), 64);
        return;
    }
    tier_scatter_words(e, memory, granules_at(e, p, next), value);
}

/* ---- Components ----------------------------------------------------------------------------- */

/* Two granules as one number of 64 bits per lane. */
static LLVMValueRef words_join(const tier_emitter *e, LLVMValueRef low, LLVMValueRef high)
{
    LLVMValueRef indices[2 * SIM_TIER_LANES];
    for (uint32_t i = 0; i < 2 * SIM_TIER_LANES; i++)
        indices[i] = tier_number(e->i32, i / 2 + (i & 1) * SIM_TIER_LANES);
    LLVMValueRef both = LLVMBuildShuffleVector(e->builder, low, high,
                                               LLVMConstVector(indices, 2 * SIM_TIER_LANES), "");
    return LLVMBuildBitCast(e->builder, both, tier_chunk_of(e->i64), "");
}

/* The low or the high half of a number of 64 bits per lane. */
static LLVMValueRef word_of(const tier_emitter *e, LLVMValueRef value, bool is_high)
{
    LLVMValueRef shift = tier_splat(e, tier_number(e->i64, is_high ? 32 : 0));
    return LLVMBuildTrunc(e->builder, LLVMBuildLShr(e->builder, value, shift, ""), words_of(e), "");
}

static LLVMValueRef component_load(const tier_emitter *e, LLVMValueRef memory, const place *p,
                                   LLVMTypeRef type, uint32_t bytes)
{
    LLVMValueRef low = granule_load(e, memory, p, 0);
    if (bytes == 8) return words_join(e, low, granule_load(e, memory, p, 1));
    if (p->shift) low = LLVMBuildLShr(e->builder, low, p->shift, "");
    return bytes == 4 ? low : LLVMBuildTrunc(e->builder, low, type, "");
}

static void component_store(const tier_emitter *e, LLVMValueRef memory, const place *p,
                            LLVMValueRef value, uint32_t bytes)
{
    if (bytes == 8) {
        granule_store(e, memory, p, 0, word_of(e, value, false));
        granule_store(e, memory, p, 1, word_of(e, value, true));
        return;
    }
    if (bytes < 4) {
        /* The other bytes of the granule keep their values. */
        LLVMValueRef field = splat_word(e, (UINT64_C(1) << 8 * bytes) - 1);
        value = LLVMBuildZExt(e->builder, value, words_of(e), "");
        if (p->shift) {
            value = LLVMBuildShl(e->builder, value, p->shift, "");
            field = LLVMBuildShl(e->builder, field, p->shift, "");
        }
        LLVMValueRef before = granule_load(e, memory, p, 0);
        before = LLVMBuildAnd(e->builder, before, LLVMBuildNot(e->builder, field, ""), "");
        value = LLVMBuildOr(e->builder, before, value, "");
    }
    granule_store(e, memory, p, 0, value);
}

/* ---- Accesses ------------------------------------------------------------------------------- */

/* Gives up unless all bits of the component are defined in all active lanes. */
static void defined_check(tier_emitter *e, LLVMValueRef defined)
{
    LLVMValueRef wrong =
        LLVMBuildICmp(e->builder, LLVMIntNE, defined, LLVMConstAllOnes(LLVMTypeOf(defined)), "");
    wrong = LLVMBuildAnd(e->builder, wrong, tier_active(e), "");
    tier_give_up_unless(e, LLVMBuildNot(e->builder, tier_any(e, wrong), ""), SIM_TIER_UNDEFINED);
}

static sim_lane_type integer_type(uint32_t bytes)
{
    return (sim_lane_type)(SIM_I8 + __builtin_ctz(bytes));
}

/* Gives up if an active lane's granule has the value of undefined ones. */
static void mark_check(tier_emitter *e, LLVMValueRef granules)
{
    LLVMValueRef wrong =
        LLVMBuildICmp(e->builder, LLVMIntEQ, granules, splat_word(e, SIM_TIER_MARK), "");
    wrong = LLVMBuildAnd(e->builder, wrong, tier_active(e), "");
    tier_give_up_unless(e, LLVMBuildNot(e->builder, tier_any(e, wrong), ""), SIM_TIER_UNDEFINED);
}

/* Of a variable with marks: a component is a granule or two of them. */
static void marked_access(tier_emitter *e, const tier_memory *m, uint32_t component, const place *p)
{
    LLVMValueRef memory = memory_of(e, false), words[2], value;
    uint32_t count = m->access->bytes / 4;
    CHECK(count == 1 || count == 2);
    if (m->access->is_store) {
        value = m->values[component];
        for (uint32_t i = 0; i < count; i++) {
            words[i] = count == 1 ? value : word_of(e, value, i == 1);
            mark_check(e, words[i]);
            granule_store(e, memory, p, i, words[i]);
        }
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        words[i] = granule_load(e, memory, p, i);
        mark_check(e, words[i]);
    }
    value = count == 1 ? words[0] : words_join(e, words[0], words[1]);
    if (m->places[component] != SIM_REGISTER_NONE) tier_value_write(e, m, component, value);
}

/* Of a variable with a shadow. */
static void component_access(tier_emitter *e, const tier_memory *m, uint32_t component,
                             const place *p)
{
    uint32_t bytes = m->access->bytes;
    LLVMTypeRef type = tier_type(e, integer_type(bytes), true);
    LLVMValueRef memory = memory_of(e, false), shadow = memory_of(e, true);
    if (m->access->is_store) {
        component_store(e, memory, p, m->values[component], bytes);
        component_store(e, shadow, p, LLVMConstAllOnes(type), bytes);
        return;
    }
    defined_check(e, component_load(e, shadow, p, type, bytes));
    if (m->places[component] == SIM_REGISTER_NONE) return;
    tier_value_write(e, m, component, component_load(e, memory, p, type, bytes));
}

/* The place of a component when all lanes access one position. */
static place place_uniform(const tier_emitter *e, LLVMValueRef position, uint32_t bytes)
{
    LLVMValueRef whole = LLVMBuildAnd(e->builder, position, tier_number(e->i64, ~UINT64_C(3)), "");
    place p = {.row = LLVMBuildMul(e->builder, whole, tier_number(e->i64, SIM_TIER_LANES), "")};
    if (bytes < 4) {
        LLVMValueRef byte = LLVMBuildAnd(e->builder, position, tier_number(e->i64, 3), "");
        byte = LLVMBuildShl(e->builder, LLVMBuildTrunc(e->builder, byte, e->i32, ""),
                            tier_number(e->i32, 3), "");
        p.shift = tier_splat(e, byte);
    }
    return p;
}

/* The place when each lane has its own position, all of them multiples of the component's size. */
static place place_varying(const tier_emitter *e, LLVMValueRef positions, uint32_t bytes)
{
    LLVMValueRef lanes[SIM_TIER_LANES];
    for (uint32_t i = 0; i < SIM_TIER_LANES; i++)
        lanes[i] = tier_number(e->i32, 4 * i);
    LLVMValueRef at = LLVMBuildLShr(e->builder, positions, splat_word(e, 2), "");
    at = LLVMBuildShl(e->builder, at, splat_word(e, 6), "");
    place p = {.granule = LLVMBuildAdd(e->builder, at, LLVMConstVector(lanes, SIM_TIER_LANES), "")};
    if (bytes < 4) {
        LLVMValueRef byte = LLVMBuildAnd(e->builder, positions, splat_word(e, 3), "");
        p.shift = LLVMBuildShl(e->builder, byte, splat_word(e, 3), "");
    }
    return p;
}

/* The distance of the accesses from the variable's first byte: of all lanes, or of each. */
static LLVMValueRef offset_from(tier_emitter *e, const tier_memory *m, uint64_t origin)
{
    uint64_t shift = (uint64_t)m->access->imm - origin;
    LLVMValueRef offset = m->base;
    if (offset) offset = LLVMBuildAdd(e->builder, offset, tier_number(e->i64, shift), "");
    if (!m->row) return offset;
    offset = tier_splat(e, offset ? offset : tier_number(e->i64, shift));
    return LLVMBuildAdd(e->builder, tier_distances(e, m), offset, "");
}

bool tier_access_private(tier_emitter *e, const sim_op *op, const tier_memory *m)
{
    const sim_tier_frame *frame;
    const sim_code_block *block = e->flat->blocks.items[e->block].block;
    uint32_t number, bytes = m->access->bytes;
    if (!tier_private_variable(e->flat, e->instance, block, op, op->a, &frame, &number))
        return false;
    const sim_private_variable *variable = &frame->function->variables[number];
    uint64_t first = frame->private_first + variable->offset;
    uint64_t size = (uint64_t)bytes * m->access->count;
    bool fits = variable->size >= size && variable->size <= INT32_MAX;
    /* Otherwise components may straddle granules. */
    if (first % bytes || m->access->alignment < bytes) return false;
    uint64_t origin =
        sim_address_of(SIM_CLASS_PRIVATE, frame->number << SIM_PRIVATE_VARIABLE_BITS | number);
    LLVMValueRef offset = offset_from(e, m, origin);
    tier_offsets_check(e, m, offset, tier_number(e->i64, fits ? variable->size - size + 1 : 0));
    if (m->row) {
        offset = LLVMBuildTrunc(e->builder, offset, words_of(e), "");
        offset =
            LLVMBuildSelect(e->builder, tier_active(e), offset, LLVMConstNull(words_of(e)), "");
    }
    bool is_store = m->access->is_store;
    for (uint32_t k = is_store ? 0 : m->access->low;
         k < (is_store ? m->access->count : m->access->high); k++) {
        uint64_t position = first + k * bytes;
        LLVMValueRef at = m->row ? splat_word(e, position) : tier_number(e->i64, position);
        at = LLVMBuildAdd(e->builder, offset, at, "");
        place p = m->row ? place_varying(e, at, bytes) : place_uniform(e, at, bytes);
        (frame->is_marked[number] ? marked_access : component_access)(e, m, k, &p);
    }
    LLVMBuildBr(e->builder, m->done);
    return true;
}
