/* Loads and stores. Addresses are checked in line, for all lanes at once. A load of memory that the
 * launch does not write, or of a private variable that is known here, is made in line as well;
 * helpers make all other accesses. */
#include "sim/compiled/emit.h"

#include "reference/base/alloc.h"

#include <stddef.h>
#include <string.h>

static LLVMValueRef splat_number(const tier_emitter *e, LLVMTypeRef type, uint64_t value)
{
    return tier_splat(e, tier_number(type, value));
}

static LLVMValueRef any_lane(const tier_emitter *e, LLVMValueRef lanes)
{
    return tier_any(e, LLVMBuildAnd(e->builder, lanes, tier_active(e), ""));
}

/* ---- The access ----------------------------------------------------------------------------- */

static tier_object object_of(const tier_emitter *e, const sim_op *op)
{
    return tier_object_of(e->flat, e->instance, e->flat->blocks.items[e->block].block, op, op->a);
}

static sim_tier_access *access_allocate(tier_emitter *e)
{
    uint32_t place = e->accesses.count % TIER_ACCESS_BLOCK;
    sim_tier_access *access;
    if (place == 0) {
        access = rt_alloc_array(TIER_ACCESS_BLOCK, sizeof *access);
        *rt_vector_push(e->data) =
            (tier_datum){(const uint8_t *)access, TIER_ACCESS_BLOCK * sizeof *access};
    } else {
        access = e->accesses.items[e->accesses.count - 1] + 1;
    }
    *rt_vector_push(&e->accesses) = access;
    return access;
}

static sim_tier_access *access_new(tier_emitter *e, const sim_op *op, const tier_handler *h,
                                   const tier_memory *m)
{
    const sim_register *places = m->places;
    const tier_block *block = &e->flat->blocks.items[e->block];
    sim_tier_access *access = access_allocate(e);
    uint8_t low = 0, high = op->count;
    while (low + 1 < high && places[low] == SIM_REGISTER_NONE)
        low++;
    while (high > low + 1 && places[high - 1] == SIM_REGISTER_NONE)
        high--;
    if (places[low] == SIM_REGISTER_NONE) low = 0, high = op->count;
    *access =
        (sim_tier_access){.form = h->form,
                          .bytes = (uint8_t)sim_lane_bytes((sim_lane_type)h->from),
                          .count = op->count,
                          .low = low,
                          .high = high,
                          .is_store = h->shape == TIER_STORE,
                          .is_quiet = h->shape == TIER_LOAD && !(block->stores & m->object.local),
                          .alignment = op->c,
                          .stride = op->stride,
                          .imm = op->imm,
                          .key = m->object.key,
                          .pointer = m->object.pointer,
                          .view = {.key = UINT64_MAX}};
    return access;
}

/* What each lane's place is computed from: its index, or its address. */
static LLVMValueRef row_of(tier_emitter *e, const sim_op *op, uint32_t form)
{
    if (form == SIM_MEMORY_EACH) return tier_read(e, op->a, SIM_I64, true);
    return tier_read(e, op->b, form == SIM_MEMORY_I64 ? SIM_I64 : SIM_I32, true);
}

/* The distance from the base of a lane, or of all lanes, as a number of 64 bits. */
static LLVMValueRef distance_of(const tier_emitter *e, const tier_memory *m, LLVMValueRef index)
{
    bool is_chunk = LLVMGetTypeKind(LLVMTypeOf(index)) == LLVMVectorTypeKind;
    LLVMTypeRef wide = is_chunk ? tier_chunk_of(e->i64) : e->i64;
    LLVMValueRef stride = tier_number(e->i64, m->access->stride);
    if (m->access->form == SIM_MEMORY_EACH) return index;
    if (m->access->form == SIM_MEMORY_U32) index = LLVMBuildZExt(e->builder, index, wide, "");
    if (m->access->form == SIM_MEMORY_S32) index = LLVMBuildSExt(e->builder, index, wide, "");
    return LLVMBuildMul(e->builder, index, is_chunk ? tier_splat(e, stride) : stride, "");
}

LLVMValueRef tier_distances(const tier_emitter *e, const tier_memory *m)
{
    return distance_of(e, m, m->row);
}

static int32_t stride_of(const tier_emitter *e, const sim_op *op)
{
    const sim_code_function *function = e->flat->instances.items[e->instance].function;
    const sim_code_block *block = e->flat->blocks.items[e->block].block;
    const sim_op *first = &function->ops[block->op_first];
    CHECK(op >= first && op < first + block->op_count);
    return e->strides[e->stride_first[e->block] + (uint32_t)(op - first)];
}

static tier_memory memory_open(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    tier_memory m = {.type = (sim_lane_type)h->from, .stride = stride_of(e, op)};
    m.places = e->flat->instances.items[e->instance].function->places + op->extra;
    m.object = object_of(e, op);
    m.access = access_new(e, op, h, &m);
    m.is_uniform = h->form == SIM_MEMORY_ONE || h->form == SIM_MEMORY_SAME;
    if (!m.is_uniform) m.row = row_of(e, op, h->form);
    if (h->form != SIM_MEMORY_EACH) m.base = tier_read(e, op->a, SIM_I64, false);
    m.done = tier_block_new(e, "done");
    return m;
}

static LLVMValueRef view_pointer(const tier_emitter *e, const tier_memory *m, size_t member,
                                 LLVMTypeRef type)
{
    const uint8_t *view = (const uint8_t *)&m->access->view;
    return tier_pointer(e, tier_constant_pointer(e, view), member, type);
}

static LLVMValueRef view_member(const tier_emitter *e, const tier_memory *m, size_t member,
                                LLVMTypeRef type)
{
    return LLVMBuildLoad2(e->builder, type, view_pointer(e, m, member, type), "");
}

static LLVMValueRef key_of(const tier_emitter *e, LLVMValueRef address)
{
    return LLVMBuildLShr(e->builder, address, tier_number(e->i64, SIM_ADDRESS_OFFSET_BITS), "");
}

/* ---- Results -------------------------------------------------------------------------------- */

void tier_value_write(tier_emitter *e, const tier_memory *m, uint32_t component, LLVMValueRef value)
{
    tier_write(e, m->places[component], m->type, value, true);
}

/* Writes what a helper has loaded. */
static void loaded_write(tier_emitter *e, const tier_memory *m)
{
    bool is_chunk = m->access->form != SIM_MEMORY_ONE;
    LLVMTypeRef type = tier_type(e, m->type, is_chunk);
    for (uint32_t k = 0; k < m->access->count; k++) {
        if (m->places[k] == SIM_REGISTER_NONE) continue;
        LLVMValueRef value = LLVMBuildLoad2(e->builder, type, tier_scratch(e, k, type), "");
        tier_write(e, m->places[k], m->type, value, true);
    }
}

/* ---- Helpers -------------------------------------------------------------------------------- */

/* Puts what a helper is to store where it expects it. */
static void values_put(const tier_emitter *e, const tier_memory *m)
{
    for (uint32_t k = 0; m->values && k < m->access->count; k++)
        LLVMBuildStore(e->builder, m->values[k], tier_scratch(e, k, LLVMTypeOf(m->values[k])));
}

void tier_access_any(tier_emitter *e, const tier_memory *m)
{
    uint32_t width = (uint32_t)__builtin_ctz(m->access->bytes);
    LLVMTypeRef wide = tier_chunk_of(e->i64);
    if (m->access->form == SIM_MEMORY_ONE && !m->access->is_store) {
        /* A load of private memory is never uniform. */
        LLVMBuildBr(e->builder, e->gives_up[SIM_TIER_ACCESS]);
        return;
    }
    LLVMValueRef addresses = m->row ? tier_distances(e, m) : LLVMConstNull(wide);
    if (m->base) addresses = LLVMBuildAdd(e->builder, addresses, tier_splat(e, m->base), "");
    addresses =
        LLVMBuildAdd(e->builder, addresses, splat_number(e, e->i64, (uint64_t)m->access->imm), "");
    LLVMBuildStore(e->builder, addresses, tier_pointer(e, e->index, 0, wide));
    values_put(e, m);
    LLVMValueRef arguments[] = {e->context, tier_constant_pointer(e, m->access),
                                tier_bits(e, tier_active(e), e->i32),
                                tier_pointer(e, e->index, 0, e->i8), tier_scratch(e, 0, e->i8)};
    const void *helper = m->access->is_store ? (const void *)(uintptr_t)e->helpers->store_any[width]
                                             : (const void *)(uintptr_t)e->helpers->load_any[width];
    tier_demand_helper(e, helper, arguments, 5);
    if (!m->access->is_store) loaded_write(e, m);
    LLVMBuildBr(e->builder, m->done);
}

/* Accesses the view's object at known offsets; ends the LLVM block. */
static void access_view(tier_emitter *e, const tier_memory *m, LLVMValueRef at, LLVMValueRef kind)
{
    uint32_t width = (uint32_t)__builtin_ctz(m->access->bytes);
    LLVMBuildStore(e->builder, at, tier_pointer(e, e->index, 0, LLVMTypeOf(at)));
    values_put(e, m);
    LLVMValueRef arguments[] = {e->context,
                                tier_constant_pointer(e, m->access),
                                kind,
                                tier_bits(e, tier_active(e), e->i32),
                                tier_pointer(e, e->index, 0, e->i8),
                                tier_scratch(e, 0, e->i8)};
    const void *helper = m->access->is_store ? (const void *)(uintptr_t)e->helpers->store[width]
                                             : (const void *)(uintptr_t)e->helpers->load[width];
    tier_demand_helper(e, helper, arguments, 6);
    if (!m->access->is_store) loaded_write(e, m);
    LLVMBuildBr(e->builder, m->done);
}

/* ---- Offsets -------------------------------------------------------------------------------- */

/* The lowest or the highest active lane. */
static LLVMValueRef lane_at_end(const tier_emitter *e, bool is_highest)
{
    LLVMTypeRef type = e->i32;
    LLVMValueRef arguments[] = {tier_bits(e, tier_active(e), e->i32), tier_number(e->i1, 1)};
    LLVMValueRef lane =
        tier_intrinsic(e, is_highest ? "llvm.ctlz" : "llvm.cttz", &type, 1, arguments, 2);
    return is_highest ? LLVMBuildXor(e->builder, lane, tier_number(e->i32, 31), "") : lane;
}

/* The lowest active lane's element of a row, in all lanes. Where the processor has an instruction
 * for it, the row need not go through memory. */
static LLVMValueRef first_spread(const tier_emitter *e, LLVMValueRef row)
{
    enum { HALF = SIM_TIER_LANES / 2 };
    LLVMValueRef lane = lane_at_end(e, false);
    if (e->level < 2) return tier_splat(e, LLVMBuildExtractElement(e->builder, row, lane, ""));
    if (LLVMGetElementType(LLVMTypeOf(row)) == e->i32) {
        LLVMValueRef arguments[] = {row, tier_splat(e, lane)};
        return tier_intrinsic(e, "llvm.x86.avx512.permvar.si.512", NULL, 0, arguments, 2);
    }
    LLVMValueRef lanes = tier_splat(e, LLVMBuildZExt(e->builder, lane, e->i64, ""));
    LLVMValueRef arguments[] = {tier_lanes(e, row, 0, HALF), tier_lanes(e, lanes, 0, HALF),
                                tier_lanes(e, row, HALF, HALF)};
    row = tier_intrinsic(e, "llvm.x86.avx512.vpermi2var.q.512", NULL, 0, arguments, 3);
    return tier_lanes(e, row, 0, SIM_TIER_LANES);
}

static LLVMValueRef first_of(const tier_emitter *e, LLVMValueRef row)
{
    return LLVMBuildExtractElement(e->builder, first_spread(e, row), tier_number(e->i32, 0), "");
}

/* True if flat.c knows the object, in global or local memory, or the argument that points to it; an
 * access elsewhere is wrong. */
static bool is_placed(const tier_memory *m)
{
    const sim_tier_access *a = m->access;
    return a->pointer != SIM_REGISTER_NONE ||
           (a->key &&
            a->key >> (SIM_ADDRESS_CLASS_SHIFT - SIM_ADDRESS_OFFSET_BITS) <= SIM_CLASS_LOCAL);
}

/* Where accesses of other memory go: a helper makes them. */
static LLVMBasicBlockRef other_block(tier_emitter *e, const tier_memory *m)
{
    return is_placed(m) ? e->gives_up[SIM_TIER_ACCESS] : tier_block_new(e, "other");
}

static void other_emit(tier_emitter *e, const tier_memory *m, LLVMBasicBlockRef other)
{
    if (is_placed(m)) return;
    LLVMPositionBuilderAtEnd(e->builder, other);
    tier_access_any(e, m);
}

/* Goes to `other` unless the address is in global or local memory, in the view's object; finds the
 * object if it is another one. */
static void view_open(tier_emitter *e, const tier_memory *m, LLVMValueRef address,
                      LLVMBasicBlockRef other)
{
    LLVMBasicBlockRef known = tier_block_new(e, "known"), find = tier_block_new(e, "find");
    LLVMValueRef key = view_member(e, m, offsetof(sim_tier_view, key), e->i64);
    LLVMValueRef is_known = LLVMBuildICmp(e->builder, LLVMIntEQ, key, key_of(e, address), "");
    if (is_placed(m)) {
        tier_branch_rarely(e, is_known, known, find);
    } else {
        LLVMBasicBlockRef look = tier_block_new(e, "look");
        tier_branch_rarely(e, is_known, known, look);
        LLVMPositionBuilderAtEnd(e->builder, look);
        LLVMValueRef class =
            LLVMBuildLShr(e->builder, address, tier_number(e->i64, SIM_ADDRESS_CLASS_SHIFT), "");
        LLVMValueRef is_object =
            LLVMBuildICmp(e->builder, LLVMIntULE, class, tier_number(e->i64, SIM_CLASS_LOCAL), "");
        LLVMBuildCondBr(e->builder, is_object, find, other);
    }
    LLVMPositionBuilderAtEnd(e->builder, find);
    LLVMValueRef arguments[] = {e->context, tier_constant_pointer(e, m->access), address};
    tier_demand_helper(e, (const void *)(uintptr_t)e->helpers->find, arguments, 3);
    LLVMBuildBr(e->builder, known);
    LLVMPositionBuilderAtEnd(e->builder, known);
}

/* The offset in its object of the address. */
static LLVMValueRef offset_of(const tier_emitter *e, LLVMValueRef address)
{
    LLVMValueRef mask = tier_number(e->i64, (UINT64_C(1) << SIM_ADDRESS_OFFSET_BITS) - 1);
    LLVMValueRef low = LLVMBuildAnd(e->builder, address, mask, "");
    return LLVMBuildSub(e->builder, low, tier_number(e->i64, SIM_ADDRESS_BIAS), "");
}

void tier_offsets_check(tier_emitter *e, const tier_memory *m, LLVMValueRef offsets,
                        LLVMValueRef end)
{
    bool is_chunk = !m->is_uniform;
    LLVMValueRef wrong;
    if (is_chunk) end = tier_splat(e, end);
    wrong = LLVMBuildICmp(e->builder, LLVMIntUGE, offsets, end, "");
    if (m->access->alignment > 1) {
        LLVMValueRef low = tier_number(e->i64, m->access->alignment - 1);
        if (is_chunk) low = tier_splat(e, low);
        LLVMValueRef odd = LLVMBuildAnd(e->builder, offsets, low, "");
        odd = LLVMBuildICmp(e->builder, LLVMIntNE, odd, LLVMConstNull(LLVMTypeOf(odd)), "");
        wrong = LLVMBuildOr(e->builder, wrong, odd, "");
    }
    if (is_chunk) wrong = any_lane(e, wrong);
    tier_give_up_unless(e, LLVMBuildNot(e->builder, wrong, ""), SIM_TIER_ACCESS);
}

/* Offsets 0, step, 2 * step, … */
static LLVMValueRef steps_of(const tier_emitter *e, uint32_t step)
{
    LLVMValueRef steps[SIM_TIER_LANES];
    for (uint32_t i = 0; i < SIM_TIER_LANES; i++)
        steps[i] = tier_number(e->i32, i * step);
    return LLVMConstVector(steps, SIM_TIER_LANES);
}

/* ---- Plain loads ---------------------------------------------------------------------------- */

LLVMValueRef tier_intrinsic(const tier_emitter *e, const char *name, LLVMTypeRef *types,
                            uint32_t type_count, LLVMValueRef *arguments, uint32_t count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, types, type_count);
    return LLVMBuildCall2(e->builder, LLVMIntrinsicGetType(e->llvm, id, types, type_count),
                          function, arguments, count, "");
}

/* Loads adjacent elements for the active lanes; lane 0's would be at `at`. */
static LLVMValueRef load_adjacent(const tier_emitter *e, LLVMTypeRef element, LLVMValueRef data,
                                  LLVMValueRef at)
{
    LLVMTypeRef types[] = {tier_chunk_of(element), LLVMPointerType(tier_chunk_of(element), 0)};
    LLVMValueRef from = LLVMBuildGEP2(e->builder, e->i8, data, &at, 1, "");
    LLVMValueRef arguments[] = {LLVMBuildBitCast(e->builder, from, types[1], ""),
                                tier_number(e->i32, 1), tier_active(e), LLVMConstNull(types[0])};
    return tier_intrinsic(e, "llvm.masked.load", types, 2, arguments, 4);
}

/* Loads a component of the lanes from adjacent places, of which lane 0's is at `start`. If the
 * places have several components, all lanes are active. */
static LLVMValueRef load_run(const tier_emitter *e, const tier_memory *m, LLVMValueRef data,
                             LLVMValueRef start, uint32_t component)
{
    uint32_t count = m->access->count;
    LLVMTypeRef element = tier_type(e, m->type, false);
    if (count == 1) return load_adjacent(e, element, data, start);
    LLVMTypeRef type = LLVMVectorType(element, count * SIM_TIER_LANES);
    LLVMValueRef from = LLVMBuildGEP2(e->builder, e->i8, data, &start, 1, "");
    from = LLVMBuildBitCast(e->builder, from, LLVMPointerType(type, 0), "");
    LLVMValueRef whole = LLVMBuildLoad2(e->builder, type, from, ""), places[SIM_TIER_LANES];
    LLVMSetAlignment(whole, 1);
    for (uint32_t i = 0; i < SIM_TIER_LANES; i++)
        places[i] = tier_number(e->i32, i * count + component);
    return LLVMBuildShuffleVector(e->builder, whole, LLVMGetPoison(type),
                                  LLVMConstVector(places, SIM_TIER_LANES), "");
}

/* Gathers bytes, or pairs of bytes that are aligned, as parts of the aligned words that contain
 * them, which are in the same page. Only a window may begin at an odd place, in which pairs are not
 * aligned. */
static LLVMValueRef gather_parts(tier_emitter *e, LLVMTypeRef element, uint32_t bytes,
                                 LLVMValueRef data, LLVMValueRef at)
{
    LLVMValueRef three = tier_number(e->i64, 3);
    LLVMValueRef place = LLVMBuildPtrToInt(e->builder, data, e->i64, "");
    LLVMValueRef odd = LLVMBuildAnd(e->builder, place, three, "");
    LLVMValueRef back = LLVMBuildNeg(e->builder, odd, "");
    if (bytes == 2) {
        LLVMValueRef low = LLVMBuildTrunc(e->builder, place, e->i1, "");
        tier_give_up_unless(e, LLVMBuildNot(e->builder, low, ""), SIM_TIER_ACCESS);
    }
    data = LLVMBuildGEP2(e->builder, e->i8, data, &back, 1, "");
    at = LLVMBuildAdd(e->builder, at, tier_splat(e, LLVMBuildTrunc(e->builder, odd, e->i32, "")),
                      "");
    LLVMValueRef in_word = LLVMBuildAnd(e->builder, at, splat_number(e, e->i32, 3), "");
    LLVMValueRef start = LLVMBuildSub(e->builder, at, in_word, "");
    LLVMValueRef word = tier_gather(e, e->i32, data, start);
    LLVMValueRef bits = LLVMBuildShl(e->builder, in_word, splat_number(e, e->i32, 3), "");
    word = LLVMBuildLShr(e->builder, word, bits, "");
    return LLVMBuildTrunc(e->builder, word, tier_chunk_of(element), "");
}

/* The lanes' offsets, with one that is always inside for those that are not active. Gathers do
 * without it, since they have a mask. */
static LLVMValueRef all_inside(const tier_emitter *e, LLVMValueRef at)
{
    return LLVMBuildSelect(e->builder, tier_active(e), at, LLVMConstNull(LLVMTypeOf(at)), "");
}

/* Loads a component of all active lanes from anywhere. Processors gather elements of four and eight
 * bytes; for the oldest, which do not, LLVM emits a load for each lane. */
static LLVMValueRef load_gathered(tier_emitter *e, const tier_memory *m, LLVMValueRef data,
                                  LLVMValueRef at, uint32_t distance)
{
    LLVMTypeRef element = tier_type(e, m->type, false), type = tier_chunk_of(element);
    LLVMValueRef shift = tier_number(e->i64, distance);
    data = LLVMBuildGEP2(e->builder, e->i8, data, &shift, 1, "");
    uint32_t bytes = m->access->bytes;
    if (bytes >= 4) return tier_gather(e, element, data, at);
    if (e->level > 0 && m->access->alignment >= bytes)
        return gather_parts(e, element, bytes, data, at);
    at = all_inside(e, at);
    LLVMValueRef result = LLVMGetPoison(type);
    for (uint32_t i = 0; i < SIM_TIER_LANES; i++) {
        LLVMValueRef lane = tier_number(e->i32, i);
        LLVMValueRef offset = LLVMBuildExtractElement(e->builder, at, lane, "");
        LLVMValueRef from = LLVMBuildGEP2(e->builder, e->i8, data, &offset, 1, "");
        from = LLVMBuildBitCast(e->builder, from, LLVMPointerType(element, 0), "");
        LLVMValueRef value = LLVMBuildLoad2(e->builder, element, from, "");
        LLVMSetAlignment(value, 1);
        result = LLVMBuildInsertElement(e->builder, result, value, lane, "");
    }
    return result;
}

/* Loads one value for all lanes. */
static LLVMValueRef load_same(const tier_emitter *e, const tier_memory *m, LLVMValueRef data,
                              LLVMValueRef offset, uint32_t distance)
{
    LLVMTypeRef type = tier_type(e, m->type, false);
    LLVMValueRef at = LLVMBuildAdd(e->builder, offset, tier_number(e->i64, distance), "");
    LLVMValueRef from = LLVMBuildGEP2(e->builder, e->i8, data, &at, 1, "");
    from = LLVMBuildBitCast(e->builder, from, LLVMPointerType(type, 0), "");
    LLVMValueRef value = LLVMBuildLoad2(e->builder, type, from, "");
    LLVMSetAlignment(value, 1);
    return value;
}

/* Loads a component of all active lanes, laid out as `kind` says (SIM_TIER_RUN and so on), from a
 * member of the view; `at`: one offset, or those of the lanes if they are mixed. */
static LLVMValueRef load_part(tier_emitter *e, const tier_memory *m, size_t member, uint32_t kind,
                              LLVMValueRef at, uint32_t component)
{
    LLVMValueRef from = view_member(e, m, member, e->bytes_pointer);
    uint32_t distance = component * m->access->bytes;
    if (kind == SIM_TIER_RUN) return load_run(e, m, from, at, component);
    if (kind == SIM_TIER_SAME) return load_same(e, m, from, at, distance);
    return load_gathered(e, m, from, at, distance);
}

static LLVMValueRef flag_of(const tier_emitter *e, LLVMValueRef loads, uint32_t flag)
{
    LLVMValueRef bit = LLVMBuildAnd(e->builder, loads, tier_number(e->i64, flag), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, bit, tier_number(e->i64, 0), "");
}

/* Gives up unless all bits of a component are defined, in all active lanes. */
static void defined_demand(tier_emitter *e, LLVMValueRef defined, bool is_chunk)
{
    LLVMValueRef wrong =
        LLVMBuildICmp(e->builder, LLVMIntNE, defined, LLVMConstAllOnes(LLVMTypeOf(defined)), "");
    if (is_chunk) wrong = any_lane(e, wrong);
    tier_give_up_unless(e, LLVMBuildNot(e->builder, wrong, ""), SIM_TIER_UNDEFINED);
}

/* Loads the components and goes to `loaded`; checks that they are defined if the view says so. */
static void plain_part(tier_emitter *e, const tier_memory *m, uint32_t kind, LLVMValueRef at,
                       LLVMValueRef loads, LLVMBasicBlockRef loaded)
{
    const sim_tier_access *a = m->access;
    bool is_one = kind == SIM_TIER_SAME;
    for (uint32_t k = 0; k < a->count; k++) {
        if (a->is_store || m->places[k] == SIM_REGISTER_NONE) continue;
        LLVMValueRef value = load_part(e, m, offsetof(sim_tier_view, data), kind, at, k);
        bool is_spread = is_one && a->form != SIM_MEMORY_ONE;
        tier_value_write(e, m, k, is_spread ? tier_splat(e, value) : value);
    }
    if (a->is_store || m->object.is_global) {
        LLVMBuildBr(e->builder, loaded);
        return;
    }
    LLVMBasicBlockRef check = tier_block_new(e, "defined");
    LLVMBuildCondBr(e->builder, flag_of(e, loads, SIM_TIER_SHADOWED), check, loaded);
    LLVMPositionBuilderAtEnd(e->builder, check);
    for (uint32_t k = a->low; k < a->high; k++)
        defined_demand(e, load_part(e, m, offsetof(sim_tier_view, defined), kind, at, k), !is_one);
    LLVMBuildBr(e->builder, loaded);
}

/* ---- The log of reads ----------------------------------------------------------------------- */

/* The log's next row. */
static LLVMValueRef log_row(const tier_emitter *e)
{
    LLVMValueRef next_at =
        tier_pointer(e, e->context, offsetof(sim_tier_context, reads_next), e->bytes_pointer);
    return LLVMBuildLoad2(e->builder, e->bytes_pointer, next_at, "");
}

static void log_store(const tier_emitter *e, LLVMValueRef row, size_t member, LLVMValueRef value)
{
    LLVMValueRef to = tier_pointer(e, row, member, LLVMTypeOf(value));
    LLVMSetAlignment(LLVMBuildStore(e->builder, value, to), 4);
}

/* True if reads of the object may have to be logged. */
static bool is_logged(const tier_memory *m)
{
    return !m->access->is_store && !m->access->is_quiet && !m->object.is_global;
}

/* Goes to m->done. If the object is one whose reads are logged, adds a row first; its offsets, if
 * they are mixed, are there already. */
static void log_end(tier_emitter *e, const tier_memory *m, LLVMValueRef loads, LLVMValueRef first,
                    LLVMValueRef kind)
{
    if (!is_logged(m)) {
        LLVMBuildBr(e->builder, m->done);
        return;
    }
    LLVMBasicBlockRef logged = tier_block_new(e, "logged"), full = tier_block_new(e, "full");
    LLVMBuildCondBr(e->builder, flag_of(e, loads, SIM_TIER_LOGGED), logged, m->done);
    LLVMPositionBuilderAtEnd(e->builder, logged);
    LLVMValueRef row = log_row(e);
    log_store(e, row, offsetof(sim_tier_read, first), first);
    log_store(e, row, offsetof(sim_tier_read, race),
              view_member(e, m, offsetof(sim_tier_view, race), e->i64));
    log_store(e, row, offsetof(sim_tier_read, access),
              LLVMConstPtrToInt(tier_constant_pointer(e, m->access), e->i64));
    log_store(e, row, offsetof(sim_tier_read, mask), tier_bits(e, tier_active(e), e->i32));
    LLVMValueRef lid_at = tier_pointer(e, e->context, offsetof(sim_tier_context, lid), e->i32);
    log_store(e, row, offsetof(sim_tier_read, lid), LLVMBuildLoad2(e->builder, e->i32, lid_at, ""));
    log_store(e, row, offsetof(sim_tier_read, kind), kind);
    LLVMValueRef next = tier_pointer(e, row, sizeof(sim_tier_read), e->i8);
    LLVMBuildStore(
        e->builder, next,
        tier_pointer(e, e->context, offsetof(sim_tier_context, reads_next), e->bytes_pointer));
    LLVMValueRef end_at =
        tier_pointer(e, e->context, offsetof(sim_tier_context, reads_end), e->bytes_pointer);
    LLVMValueRef end = LLVMBuildLoad2(e->builder, e->bytes_pointer, end_at, "");
    LLVMValueRef has_room = LLVMBuildICmp(e->builder, LLVMIntNE, next, end, "");
    tier_branch_rarely(e, has_room, m->done, full);
    LLVMPositionBuilderAtEnd(e->builder, full);
    tier_demand_helper(e, (const void *)(uintptr_t)e->helpers->log_flush, &e->context, 1);
    LLVMBuildBr(e->builder, m->done);
}

/* ---- Objects -------------------------------------------------------------------------------- */

/* Goes to `plain` if compiled code itself can access the view's object, and to `tracked` otherwise.
 * `flags`: what the view says of such accesses; NULL if only a helper makes them. */
static void plain_test(const tier_emitter *e, LLVMValueRef flags, LLVMBasicBlockRef plain,
                       LLVMBasicBlockRef tracked)
{
    if (!flags) {
        LLVMBuildBr(e->builder, tracked);
        return;
    }
    LLVMValueRef is_plain = LLVMBuildNot(e->builder, flag_of(e, flags, SIM_TIER_HELPED), "");
    tier_branch_rarely(e, is_plain, plain, tracked);
}

/* Only stores of words to an object that is known to be local are made in line, and only if lanes
 * have their own places. */
static bool is_local_store(const tier_memory *m)
{
    const sim_tier_access *a = m->access;
    return a->is_store && !m->is_uniform && a->count == 1 && a->bytes == 4 && a->alignment >= 4 &&
           m->object.local != 0 && m->object.local != TIER_LOCAL_ANY;
}

static LLVMValueRef flags_of(const tier_emitter *e, const tier_memory *m)
{
    if (!m->access->is_store) return view_member(e, m, offsetof(sim_tier_view, loads), e->i64);
    if (!is_local_store(m)) return NULL;
    return view_member(e, m, offsetof(sim_tier_view, stores), e->i64);
}

static void access_uniform(tier_emitter *e, const tier_memory *m)
{
    LLVMBasicBlockRef other = other_block(e, m), plain = tier_block_new(e, "plain");
    LLVMBasicBlockRef tracked = tier_block_new(e, "tracked");
    LLVMValueRef address =
        LLVMBuildAdd(e->builder, m->base, tier_number(e->i64, (uint64_t)m->access->imm), "");
    view_open(e, m, address, other);
    LLVMValueRef offset = offset_of(e, address);
    tier_offsets_check(e, m, offset, view_member(e, m, offsetof(sim_tier_view, end), e->i64));
    LLVMValueRef flags = flags_of(e, m);
    plain_test(e, flags, plain, tracked);
    LLVMPositionBuilderAtEnd(e->builder, plain);
    LLVMBasicBlockRef loaded = tier_block_new(e, "loaded");
    plain_part(e, m, SIM_TIER_SAME, offset, flags, loaded);
    LLVMPositionBuilderAtEnd(e->builder, loaded);
    log_end(e, m, flags, LLVMBuildTrunc(e->builder, offset, e->i32, ""),
            tier_number(e->i32, SIM_TIER_SAME));
    LLVMPositionBuilderAtEnd(e->builder, tracked);
    LLVMValueRef at = tier_splat(e, LLVMBuildTrunc(e->builder, offset, e->i32, ""));
    access_view(e, m, at, tier_number(e->i32, SIM_TIER_SAME));
    other_emit(e, m, other);
}

/* Accesses whose lanes have their own places. */
typedef struct rows {
    const tier_memory *m;
    LLVMValueRef start, end;  /* the offset at distance 0; offsets below `end` are inside */
    LLVMValueRef flags;       /* see flags_of */
    bool is_tried;            /* the layout that is expected was not found */
    LLVMBasicBlockRef loaded; /* ends a load that needed no helper */
    LLVMBasicBlockRef helped;
    /* Where they come from: offsets and kinds. */
    LLVMValueRef loaded_first, loaded_kind, helped_at, helped_kind;
} rows;

static uint32_t size_of(const tier_memory *m)
{
    return (uint32_t)m->access->bytes * m->access->count;
}

/* How far adjacent lanes of a run are apart: in indices, or in bytes if there is no base. 0:
 * indices cannot be so. */
static uint32_t row_step(const tier_memory *m)
{
    uint32_t size = size_of(m), stride = m->access->stride;
    if (m->access->form == SIM_MEMORY_EACH) return size;
    return stride != 0 && size % stride == 0 ? size / stride : 0;
}

/* The lanes' offsets if lane 0's is at `origin`; 0 in lanes that are not active, if told. */
static LLVMValueRef offsets_from(const tier_emitter *e, LLVMValueRef origin, uint32_t step,
                                 bool cuts)
{
    LLVMValueRef at = tier_splat(e, LLVMBuildTrunc(e->builder, origin, e->i32, ""));
    if (step) at = LLVMBuildAdd(e->builder, at, steps_of(e, step), "");
    if (!cuts) return at;
    return LLVMBuildSelect(e->builder, tier_active(e), at, LLVMConstNull(LLVMTypeOf(at)), "");
}

/* ---- Stores to local memory ----------------------------------------------------------------- */

/* The words at `data`, of the active lanes, laid out as `kind` says. */
static LLVMValueRef words_load(const tier_emitter *e, uint32_t kind, LLVMValueRef data,
                               LLVMValueRef at)
{
    if (kind == SIM_TIER_MIXED) return tier_gather(e, e->i32, data, at);
    return load_adjacent(e, e->i32, data, at);
}

static void words_store(const tier_emitter *e, uint32_t kind, LLVMValueRef data, LLVMValueRef at,
                        LLVMValueRef words)
{
    LLVMTypeRef type = tier_chunk_of(e->i32), pointer = LLVMPointerType(type, 0);
    if (kind == SIM_TIER_MIXED) {
        tier_scatter_words(e, data, at, words);
        return;
    }
    LLVMValueRef to = LLVMBuildGEP2(e->builder, e->i8, data, &at, 1, "");
    LLVMTypeRef types[] = {type, pointer};
    LLVMValueRef arguments[] = {words, LLVMBuildBitCast(e->builder, to, pointer, ""),
                                tier_number(e->i32, 1), tier_active(e)};
    (void)tier_intrinsic(e, "llvm.masked.store", types, 2, arguments, 4);
}

static LLVMValueRef context_number(const tier_emitter *e, size_t member)
{
    return LLVMBuildLoad2(e->builder, e->i32, tier_pointer(e, e->context, member, e->i32), "");
}

/* Goes to `helped` if the bit of an active lane is set. */
static void help_if(tier_emitter *e, LLVMValueRef lanes, LLVMBasicBlockRef helped)
{
    LLVMBasicBlockRef on = tier_block_new(e, "");
    LLVMValueRef none = LLVMBuildNot(e->builder, any_lane(e, lanes), "");
    tier_branch_rarely(e, none, on, helped);
    LLVMPositionBuilderAtEnd(e->builder, on);
}

/* Stores words, and records who did, as race_store does; goes to `helped` if another work-item has
 * stored to one of them since the last barrier, or if two of these do. The cells of the race search
 * are words as well, so their offsets are the same. */
static void local_store(tier_emitter *e, const tier_memory *m, uint32_t kind, LLVMValueRef at,
                        LLVMBasicBlockRef helped)
{
    LLVMTypeRef type = tier_chunk_of(e->i32);
    LLVMValueRef cells = view_member(e, m, offsetof(sim_tier_view, writes), e->bytes_pointer);
    LLVMValueRef from = context_number(e, offsetof(sim_tier_context, local_from));
    LLVMValueRef mine = context_number(e, offsetof(sim_tier_context, local_base));
    mine = LLVMBuildAdd(e->builder, mine, context_number(e, offsetof(sim_tier_context, lid)), "");
    mine = LLVMBuildAdd(e->builder, tier_splat(e, mine), steps_of(e, 1), "");
    LLVMValueRef found = words_load(e, kind, cells, at);
    LLVMValueRef other = LLVMBuildICmp(e->builder, LLVMIntNE, found, mine, "");
    LLVMValueRef stamp =
        LLVMBuildAnd(e->builder, found, splat_number(e, e->i32, SIM_TIER_STAMP), "");
    LLVMValueRef now = LLVMBuildICmp(e->builder, LLVMIntUGE, stamp, tier_splat(e, from), "");
    help_if(e, LLVMBuildAnd(e->builder, other, now, ""), helped);
    words_store(e, kind, cells, at, mine);
    if (kind == SIM_TIER_MIXED) {
        found = words_load(e, kind, cells, at);
        help_if(e, LLVMBuildICmp(e->builder, LLVMIntNE, found, mine, ""), helped);
    }
    LLVMValueRef since = view_member(e, m, offsetof(sim_tier_view, writes_from), e->bytes_pointer);
    LLVMBuildStore(e->builder, from, tier_pointer(e, since, 0, e->i32));
    LLVMValueRef data = view_member(e, m, offsetof(sim_tier_view, data), e->bytes_pointer);
    words_store(e, kind, data, at, LLVMBuildBitCast(e->builder, m->values[0], type, ""));
    LLVMBasicBlockRef define = tier_block_new(e, "define");
    LLVMValueRef flags = view_member(e, m, offsetof(sim_tier_view, stores), e->i64);
    LLVMBuildCondBr(e->builder, flag_of(e, flags, SIM_TIER_SHADOWED), define, m->done);
    LLVMPositionBuilderAtEnd(e->builder, define);
    data = view_member(e, m, offsetof(sim_tier_view, defined), e->bytes_pointer);
    words_store(e, kind, data, at, LLVMConstAllOnes(type));
    LLVMBuildBr(e->builder, m->done);
}

static void phi_add(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from)
{
    LLVMAddIncoming(phi, &value, &from, 1);
}

/* The offsets of the lanes if lane 0's is at `origin`. A helper takes them for a run only if the
 * places of all lanes are inside. */
static LLVMValueRef run_offsets(const tier_emitter *e, const rows *r, LLVMValueRef origin,
                                LLVMValueRef *out_kind)
{
    uint32_t step = size_of(r->m);
    LLVMValueRef last =
        LLVMBuildAdd(e->builder, origin, tier_number(e->i64, (SIM_TIER_LANES - 1) * step), "");
    LLVMValueRef begins = LLVMBuildICmp(e->builder, LLVMIntSGE, origin, tier_number(e->i64, 0), "");
    LLVMValueRef ends = LLVMBuildICmp(e->builder, LLVMIntSLT, last, r->end, "");
    LLVMValueRef fits = LLVMBuildAnd(e->builder, begins, ends, "");
    *out_kind = LLVMBuildSelect(e->builder, fits, tier_number(e->i32, SIM_TIER_RUN),
                                tier_number(e->i32, SIM_TIER_MIXED), "");
    return LLVMBuildSelect(e->builder, fits, offsets_from(e, origin, step, false),
                           offsets_from(e, origin, step, true), "");
}

/* Determines how the active lanes are laid out. */
static LLVMValueRef kind_of(const tier_emitter *e, const rows *r, LLVMValueRef *inout_at)
{
    uint32_t step = size_of(r->m);
    LLVMValueRef at = *inout_at, kind, mixed = tier_number(e->i32, SIM_TIER_MIXED);
    LLVMValueRef same = first_spread(e, at);
    LLVMValueRef differs = LLVMBuildICmp(e->builder, LLVMIntNE, at, same, "");
    LLVMValueRef is_same = LLVMBuildNot(e->builder, any_lane(e, differs), "");
    LLVMValueRef origins = LLVMBuildSub(e->builder, at, steps_of(e, step), "");
    LLVMValueRef spread = first_spread(e, origins);
    differs = LLVMBuildICmp(e->builder, LLVMIntNE, origins, spread, "");
    LLVMValueRef is_run = LLVMBuildNot(e->builder, any_lane(e, differs), "");
    LLVMValueRef origin = LLVMBuildExtractElement(e->builder, spread, tier_number(e->i32, 0), "");
    origin = LLVMBuildSExt(e->builder, origin, e->i64, "");
    LLVMValueRef run = run_offsets(e, r, origin, &kind);
    kind = LLVMBuildSelect(e->builder, is_run, kind, mixed, "");
    at = LLVMBuildSelect(e->builder, is_run, run, at, "");
    *inout_at = LLVMBuildSelect(e->builder, is_same, same, at, "");
    return LLVMBuildSelect(e->builder, is_same, tier_number(e->i32, SIM_TIER_SAME), kind, "");
}

/* Makes an access whose lanes' places are laid out as `kind` says. `at`: the offsets of the lanes
 * if they are mixed, and otherwise that of lane 0. */
static void rows_access(tier_emitter *e, const rows *r, uint32_t kind, LLVMValueRef at)
{
    const tier_memory *m = r->m;
    LLVMBasicBlockRef plain = tier_block_new(e, "plain"), loaded = tier_block_new(e, "loaded");
    LLVMBasicBlockRef tracked = tier_block_new(e, "tracked");
    LLVMValueRef flags = m->access->is_store && kind == SIM_TIER_SAME ? NULL : r->flags;
    plain_test(e, flags, plain, tracked);
    LLVMPositionBuilderAtEnd(e->builder, plain);
    if (m->access->is_store && flags) {
        local_store(e, m, kind, at, tracked);
    } else {
        plain_part(e, m, kind, at, flags, loaded);
    }
    LLVMPositionBuilderAtEnd(e->builder, loaded);
    if (r->loaded_first) {
        LLVMValueRef first = LLVMGetPoison(e->i32);
        if (kind == SIM_TIER_MIXED) {
            log_store(e, log_row(e), offsetof(sim_tier_read, at), all_inside(e, at));
        } else {
            first = LLVMBuildTrunc(e->builder, at, e->i32, "");
        }
        phi_add(r->loaded_first, first, loaded);
        phi_add(r->loaded_kind, tier_number(e->i32, kind), loaded);
    }
    LLVMBuildBr(e->builder, r->loaded);
    LLVMPositionBuilderAtEnd(e->builder, tracked);
    LLVMValueRef number = tier_number(e->i32, kind);
    if (kind == SIM_TIER_RUN) {
        at = run_offsets(e, r, at, &number);
    } else if (kind == SIM_TIER_SAME) {
        at = offsets_from(e, at, 0, false);
    } else {
        at = all_inside(e, at);
        if (!r->is_tried) number = kind_of(e, r, &at);
    }
    phi_add(r->helped_at, at, tracked);
    phi_add(r->helped_kind, number, tracked);
    LLVMBuildBr(e->builder, r->helped);
}

/* What all active lanes have in common if their places are laid out as `kind` says, in every lane
 * of *out_spread: what lane 0 would have. Returns the bit that tells whether they are. */
static LLVMValueRef rows_are_alike(const tier_emitter *e, const tier_memory *m, uint32_t kind,
                                   LLVMValueRef *out_spread)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(m->row));
    LLVMValueRef origins = m->row, steps[SIM_TIER_LANES];
    if (kind == SIM_TIER_RUN) {
        for (uint32_t i = 0; i < SIM_TIER_LANES; i++)
            steps[i] = tier_number(type, i * row_step(m));
        origins = LLVMBuildSub(e->builder, m->row, LLVMConstVector(steps, SIM_TIER_LANES), "");
    }
    *out_spread = first_spread(e, origins);
    LLVMValueRef differs = LLVMBuildICmp(e->builder, LLVMIntNE, origins, *out_spread, "");
    LLVMValueRef is_alike = LLVMBuildNot(e->builder, any_lane(e, differs), "");
    if (kind != SIM_TIER_RUN || m->access->count == 1 || m->access->is_store) return is_alike;
    /* See load_run. */
    LLVMValueRef bits = tier_bits(e, tier_active(e), e->i16);
    LLVMValueRef is_all = LLVMBuildICmp(e->builder, LLVMIntEQ, bits, LLVMConstAllOnes(e->i16), "");
    return LLVMBuildAnd(e->builder, is_alike, is_all, "");
}

static LLVMValueRef either(const tier_emitter *e, LLVMValueRef wrong, LLVMIntPredicate is,
                           LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildOr(e->builder, wrong, LLVMBuildICmp(e->builder, is, a, b, ""), "");
}

/* Computes lane 0's offset from what it would have; returns the bit that tells whether an active
 * lane's place is outside, or may be. */
static LLVMValueRef rows_place(const tier_emitter *e, const rows *r, uint32_t kind,
                               LLVMValueRef index, LLVMValueRef *out_at)
{
    const tier_memory *m = r->m;
    LLVMTypeRef type = LLVMTypeOf(index);
    LLVMValueRef first = lane_at_end(e, false), last = lane_at_end(e, true);
    LLVMValueRef size = tier_number(e->i64, size_of(m)), wrong = tier_number(e->i1, 0);
    if (kind == SIM_TIER_RUN) {
        /* The index of the first active lane. */
        LLVMValueRef lane = LLVMBuildZExtOrBitCast(e->builder, first, type, "");
        LLVMValueRef step = tier_number(type, row_step(m));
        index = LLVMBuildAdd(e->builder, index, LLVMBuildMul(e->builder, lane, step, ""), "");
    }
    if (kind == SIM_TIER_RUN && type == e->i32) {
        /* An index of 32 bits must not wrap from one lane to the next. */
        bool is_signed = m->access->form == SIM_MEMORY_S32;
        uint32_t most = (is_signed ? INT32_MAX : UINT32_MAX) - SIM_TIER_LANES * row_step(m);
        wrong =
            either(e, wrong, is_signed ? LLVMIntSGT : LLVMIntUGT, index, tier_number(e->i32, most));
    }
    LLVMValueRef at = LLVMBuildAdd(e->builder, distance_of(e, m, index), r->start, "");
    wrong = either(e, wrong, LLVMIntUGE, at, r->end);
    if (m->access->alignment > 1) {
        LLVMValueRef low = tier_number(e->i64, m->access->alignment - 1);
        LLVMValueRef odd = LLVMBuildAnd(e->builder, at, low, "");
        wrong = either(e, wrong, LLVMIntNE, odd, tier_number(e->i64, 0));
    }
    if (kind == SIM_TIER_RUN) {
        LLVMValueRef lanes =
            LLVMBuildZExt(e->builder, LLVMBuildSub(e->builder, last, first, ""), e->i64, "");
        LLVMValueRef farthest =
            LLVMBuildAdd(e->builder, at, LLVMBuildMul(e->builder, lanes, size, ""), "");
        wrong = either(e, wrong, LLVMIntUGE, farthest, r->end);
        LLVMValueRef before = LLVMBuildZExt(e->builder, first, e->i64, "");
        at = LLVMBuildSub(e->builder, at, LLVMBuildMul(e->builder, before, size, ""), "");
    }
    *out_at = at;
    return wrong;
}

/* If the active lanes' places are laid out as `kind` says, RUN or SAME, and inside the object,
 * makes the access; continues where they are not. */
static void rows_try(tier_emitter *e, const rows *r, uint32_t kind)
{
    LLVMBasicBlockRef alike = tier_block_new(e, "alike"), inside = tier_block_new(e, "inside");
    LLVMBasicBlockRef next = tier_block_new(e, "next");
    LLVMValueRef spread, at;
    LLVMValueRef is_alike = rows_are_alike(e, r->m, kind, &spread);
    LLVMBuildCondBr(e->builder, is_alike, alike, next);
    LLVMPositionBuilderAtEnd(e->builder, alike);
    LLVMValueRef index = LLVMBuildExtractElement(e->builder, spread, tier_number(e->i32, 0), "");
    LLVMValueRef wrong = rows_place(e, r, kind, index, &at);
    tier_branch_rarely(e, LLVMBuildNot(e->builder, wrong, ""), inside, next);
    LLVMPositionBuilderAtEnd(e->builder, inside);
    rows_access(e, r, kind, at);
    LLVMPositionBuilderAtEnd(e->builder, next);
}

/* The lanes' offsets, in 32 bits, after a check of 64 bits. */
static LLVMValueRef offsets_wide(tier_emitter *e, const rows *r, LLVMValueRef distances)
{
    LLVMValueRef offsets = LLVMBuildAdd(e->builder, distances, tier_splat(e, r->start), "");
    tier_offsets_check(e, r->m, offsets, r->end);
    return LLVMBuildTrunc(e->builder, offsets, tier_chunk_of(e->i32), "");
}

/* How many indices from 0 on are inside: 0 if index 0 is not, or is not aligned. */
static LLVMValueRef indices_inside(const tier_emitter *e, const rows *r)
{
    const sim_tier_access *a = r->m->access;
    LLVMValueRef none = tier_number(e->i64, 0), one = tier_number(e->i64, 1);
    LLVMValueRef is_in = LLVMBuildICmp(e->builder, LLVMIntULT, r->start, r->end, "");
    LLVMValueRef odd =
        LLVMBuildAnd(e->builder, r->start, tier_number(e->i64, a->alignment - 1), "");
    is_in =
        LLVMBuildAnd(e->builder, is_in, LLVMBuildICmp(e->builder, LLVMIntEQ, odd, none, ""), "");
    LLVMValueRef last =
        LLVMBuildSub(e->builder, LLVMBuildSub(e->builder, r->end, one, ""), r->start, "");
    last = LLVMBuildUDiv(e->builder, last, tier_number(e->i64, a->stride), "");
    return LLVMBuildSelect(e->builder, is_in, LLVMBuildAdd(e->builder, last, one, ""), none, "");
}

/* The same for lanes with indices. Those that are inside if they are taken for unsigned numbers
 * need no arithmetic of 64 bits. */
static LLVMValueRef offsets_narrow(tier_emitter *e, const rows *r)
{
    const tier_memory *m = r->m;
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(m->row)), narrow = tier_chunk_of(e->i32);
    LLVMBasicBlockRef quick = tier_block_new(e, "quick"), slow = tier_block_new(e, "slow");
    LLVMBasicBlockRef placed = tier_block_new(e, "placed");
    LLVMValueRef count = LLVMBuildTrunc(e->builder, indices_inside(e, r), type, "");
    LLVMValueRef beyond = LLVMBuildICmp(e->builder, LLVMIntUGE, m->row, tier_splat(e, count), "");
    LLVMValueRef is_in = LLVMBuildNot(e->builder, any_lane(e, beyond), "");
    tier_branch_rarely(e, is_in, quick, slow);
    LLVMPositionBuilderAtEnd(e->builder, quick);
    LLVMValueRef index = LLVMBuildTruncOrBitCast(e->builder, m->row, narrow, "");
    LLVMValueRef at =
        LLVMBuildMul(e->builder, index, splat_number(e, e->i32, m->access->stride), "");
    LLVMValueRef start = LLVMBuildTrunc(e->builder, r->start, e->i32, "");
    at = LLVMBuildAdd(e->builder, at, tier_splat(e, start), "");
    LLVMBuildBr(e->builder, placed);
    LLVMPositionBuilderAtEnd(e->builder, slow);
    LLVMValueRef checked = offsets_wide(e, r, tier_distances(e, m));
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, placed);
    LLVMPositionBuilderAtEnd(e->builder, placed);
    LLVMValueRef either = LLVMBuildPhi(e->builder, narrow, "");
    phi_add(either, at, quick);
    phi_add(either, checked, from);
    return either;
}

/* Lanes at any places. `base`: the first lane's address, or the access's base. */
static void rows_mixed(tier_emitter *e, const rows *r, LLVMValueRef base, LLVMBasicBlockRef other)
{
    const tier_memory *m = r->m;
    const sim_tier_access *a = m->access;
    LLVMValueRef at;
    if (!m->base) {
        LLVMValueRef distances = tier_distances(e, m);
        /* All lanes must be in the first one's object. */
        LLVMBasicBlockRef alike = tier_block_new(e, "alike");
        LLVMValueRef apart = LLVMBuildXor(e->builder, distances, tier_splat(e, base), "");
        LLVMValueRef keys =
            LLVMBuildLShr(e->builder, apart, splat_number(e, e->i64, SIM_ADDRESS_OFFSET_BITS), "");
        LLVMValueRef differs =
            LLVMBuildICmp(e->builder, LLVMIntNE, keys, LLVMConstNull(LLVMTypeOf(keys)), "");
        LLVMValueRef is_alike = LLVMBuildNot(e->builder, any_lane(e, differs), "");
        tier_branch_rarely(e, is_alike, alike, other);
        LLVMPositionBuilderAtEnd(e->builder, alike);
        at = offsets_wide(e, r, distances);
    } else if (a->stride && a->stride % a->alignment == 0) {
        at = offsets_narrow(e, r);
    } else {
        at = offsets_wide(e, r, tier_distances(e, m));
    }
    rows_access(e, r, SIM_TIER_MIXED, at);
}

/* Emits the ends of all ways of the access. */
static void rows_end(tier_emitter *e, rows *r)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    r->loaded = tier_block_new(e, "loaded");
    r->helped = tier_block_new(e, "helped");
    LLVMPositionBuilderAtEnd(e->builder, r->helped);
    r->helped_at = LLVMBuildPhi(e->builder, tier_chunk_of(e->i32), "");
    r->helped_kind = LLVMBuildPhi(e->builder, e->i32, "");
    access_view(e, r->m, r->helped_at, r->helped_kind);
    LLVMPositionBuilderAtEnd(e->builder, r->loaded);
    if (is_logged(r->m)) {
        r->loaded_first = LLVMBuildPhi(e->builder, e->i32, "");
        r->loaded_kind = LLVMBuildPhi(e->builder, e->i32, "");
    }
    log_end(e, r->m, r->flags, r->loaded_first, r->loaded_kind);
    LLVMPositionBuilderAtEnd(e->builder, here);
}

/* Tries the layout that is expected first, a run if none is known, and nothing if none is expected.
 */
static void access_rows(tier_emitter *e, const tier_memory *m)
{
    LLVMBasicBlockRef other = other_block(e, m);
    LLVMValueRef imm = tier_number(e->i64, (uint64_t)m->access->imm);
    LLVMValueRef base = m->base ? m->base : first_of(e, m->row);
    bool is_mixed = m->stride == TIER_STRIDE_MIXED;
    bool is_known = m->stride != TIER_STRIDE_UNKNOWN && !is_mixed;
    view_open(e, m, base, other);
    rows r = {.m = m, .flags = flags_of(e, m)};
    r.start = LLVMBuildAdd(e->builder, offset_of(e, base), imm, "");
    /* What is to be added to an address gives its offset. */
    if (!m->base) r.start = LLVMBuildSub(e->builder, r.start, base, "");
    r.end = view_member(e, m, offsetof(sim_tier_view, end), e->i64);
    rows_end(e, &r);
    bool is_narrow = m->access->count == 1 || size_of(m) <= 16;
    bool is_run = !is_mixed && (!is_known || m->stride == (int32_t)size_of(m)) && is_narrow &&
                  size_of(m) % m->access->alignment == 0 && row_step(m) != 0;
    r.is_tried = is_mixed || (is_known && (is_run || m->stride == 0));
    if (is_run || m->stride == 0) rows_try(e, &r, is_run ? SIM_TIER_RUN : SIM_TIER_SAME);
    rows_mixed(e, &r, base, other);
    other_emit(e, m, other);
}

static void access_emit(tier_emitter *e, const sim_op *op, const tier_memory *m)
{
    if (!tier_access_private(e, op, m)) {
        if (m->is_uniform) {
            access_uniform(e, m);
        } else {
            access_rows(e, m);
        }
    }
    LLVMPositionBuilderAtEnd(e->builder, m->done);
}

void tier_emit_load(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    tier_memory m = memory_open(e, op, h);
    access_emit(e, op, &m);
}

void tier_emit_store(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    tier_memory m = memory_open(e, op, h);
    LLVMValueRef values[TIER_COMPONENTS_MAX];
    for (uint32_t k = 0; k < m.access->count; k++)
        values[k] = tier_read(e, m.places[k], m.type, true);
    m.values = values;
    access_emit(e, op, &m);
}

/* An access that only helpers make: a store, if its object may be known, or a load. */
static sim_tier_access *access_any_new(tier_emitter *e, uint8_t bytes, const tier_object *object)
{
    sim_tier_access *access = access_allocate(e);
    *access = (sim_tier_access){.form = SIM_MEMORY_EACH,
                                .bytes = bytes,
                                .count = 1,
                                .high = 1,
                                .is_store = object != NULL,
                                .alignment = bytes,
                                .key = object ? object->key : 0,
                                .pointer = object ? object->pointer : SIM_REGISTER_NONE,
                                .view = {.key = UINT64_MAX}};
    return access;
}

void tier_emit_atomic(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    sim_lane_type type = (sim_lane_type)h->from;
    uint8_t bytes = (uint8_t)sim_lane_bytes(type);
    tier_object object = object_of(e, op);
    sim_tier_access *access = access_any_new(e, bytes, &object);
    access->is_atomic = true;
    access->operation = (uint8_t)op->extra;
    LLVMValueRef addresses = tier_read(e, op->a, SIM_I64, true);
    LLVMValueRef value = tier_read(e, op->b, type, true);
    LLVMBuildStore(e->builder, addresses, tier_pointer(e, e->index, 0, LLVMTypeOf(addresses)));
    LLVMBuildStore(e->builder, value, tier_scratch(e, 0, LLVMTypeOf(value)));
    LLVMValueRef arguments[] = {e->context, tier_constant_pointer(e, access),
                                tier_bits(e, tier_active(e), e->i32),
                                tier_pointer(e, e->index, 0, e->i8), tier_scratch(e, 0, e->i8)};
    tier_demand_helper(e, (const void *)(uintptr_t)e->helpers->atomic[__builtin_ctz(bytes)],
                       arguments, 5);
}

void tier_emit_copy(tier_emitter *e, const sim_op *op)
{
    const sim_register places[3] = {op->a, op->b, op->c};
    uint32_t to_alignment = (uint32_t)op->imm, from_alignment = op->extra;
    uint8_t bytes = tier_copy_bytes(e->flat->program, op);
    tier_object object = object_of(e, op);
    sim_tier_access *from = access_any_new(e, bytes, NULL), *to = access_any_new(e, bytes, &object);
    for (uint32_t i = 0; i < 3; i++) {
        LLVMValueRef value = tier_read(e, places[i], SIM_I64, true);
        LLVMBuildStore(e->builder, value, tier_scratch(e, i, LLVMTypeOf(value)));
    }
    LLVMValueRef arguments[] = {e->context,
                                tier_constant_pointer(e, from),
                                tier_constant_pointer(e, to),
                                tier_bits(e, tier_active(e), e->i32),
                                tier_scratch(e, 0, e->i8),
                                tier_number(e->i32, to_alignment),
                                tier_number(e->i32, from_alignment)};
    tier_demand_helper(e, (const void *)(uintptr_t)e->helpers->copy, arguments, 7);
}
